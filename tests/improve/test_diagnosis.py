"""Which failures may have one cause: made-up runs of twenty questions and five personas."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from simulator.api import load, simulate_sync
from simulator.core.errors import TargetFault
from simulator.core.health import FollowUps
from simulator.core.plan import Cell
from simulator.core.result import Finding, Result, Why
from simulator.core.run import Episode, Run, Turn
from simulator.core.scenario import Expected, Scenario
from simulator.core.talk import Document, Exchange, Reply, Stop, StopReason, TargetFailure
from simulator.improve.diagnosis import Cause, Suspect, diagnose
from simulator.results.verdict import Fault
from simulator.view.faults import faults_of
from tests.execution.scored import header, run

PERSONAS = ("calm", "hurried", "business", "typos", "voice")
RIGHT = "Matter {n} is settled at the desk on floor {n}, and it costs {n} euros a month."
REFUSAL = "I am sorry, I cannot help you with that."


def entry(n: int, *, after: int = 0) -> tuple[Document, ...]:
    """What came: the right entry, after so many others."""
    others = (Document("…", f"x{n}-{other}") for other in range(after))
    return (*others, Document(RIGHT.format(n=n), f"q{n}"))


def talk(
    n: int,
    persona: str = "calm",
    *,
    answer: str | TargetFailure = "",
    failed: bool = True,
    blame: str = Fault.UNUSED,
    documents: tuple[Document, ...] = (),
    turns: int = 1,
) -> Episode:
    """Question `n` and its answer, which is right unless it says something else."""
    reply: Reply | TargetFailure
    if isinstance(answer, TargetFailure):
        reply, failed = answer, True
    else:
        failed = failed and bool(answer)
        reply = Reply(answer or RIGHT.format(n=n), documents or entry(n))
    expected = Expected(elements=((f"{n} euros",),), documents=(f"q{n}",))
    why = Finding(Result.FAILED, Why.NEVER_SAID) if failed else Finding(Result.PASSED, Why.SAID)
    said = tuple(
        Turn(Exchange(number, f"What of matter {n}?", reply), {}, blames=(blame,) if failed else ())
        for number in range(1, turns + 1)
    )
    scenario = Scenario(f"s{n}", f"What of matter {n}?", expected=expected)
    stop = Stop(StopReason.MAX_TURNS)
    return Episode(Cell(f"s{n}", persona), said, stop, scenario=scenario, finding=why)


def played(episodes: Iterable[Episode]) -> Run:
    kept = list(episodes)
    return replace(run(header()), episodes=lambda: iter(kept))


def grid(fails: Callable[[int, str], str | None]) -> Run:
    """All of them; `fails` says what is answered instead."""
    return played(talk(n, p, answer=fails(n, p) or "") for n in range(1, 21) for p in PERSONAS)


def only(run: Run) -> Suspect:
    [suspect] = diagnose(run)
    return suspect


def test_answers_cut_at_45_characters_are_one_suspect_and_leave_nothing_to_propose() -> None:
    found = grid(lambda n, _: RIGHT.format(n=n)[:45] if n % 4 else None)
    short = [talk(n, answer="It is free.", failed=False) for n in range(30, 36)]
    cut = played(
        [*(e for e in found.episodes() if e.finding and e.finding.result == "failed"), *short]
    )
    suspect = only(cut)
    assert (Cause.CUT, True, 75) == (suspect.cause, suspect.is_code, len(suspect.keys))
    assert ("45",) == suspect.levels
    assert [] == faults_of(cut, apart=suspect.keys)


def test_answers_cut_by_tokens_are_told_by_what_has_no_end() -> None:
    """Some are right all the same: what was asked stands before the cut."""
    cut = grid(lambda n, _: " ".join(RIGHT.format(n=n).split()[: 9 + n % 3]) if n <= 10 else None)
    assert Cause.CUT is only(cut).cause


def test_answers_that_stop_where_the_entry_goes_on_are_cut() -> None:
    first = "Matter {n} is settled at the desk on floor {n}."
    whole = "{first} It costs {n} euros a month."
    episodes = []
    for n in range(1, 21):
        begins = first.format(n=n)
        document = Document(whole.format(first=begins, n=n) if n <= 10 else begins, f"q{n}")
        answer = talk(n, answer=begins, failed=n <= 10, documents=(document,))
        episodes += [replace(answer, cell=Cell(f"s{n}", persona)) for persona in PERSONAS]
    assert Cause.CUT is only(played(episodes)).cause


def test_a_bot_that_ends_no_sentence_anyway_cuts_nothing() -> None:
    bare = [
        talk(n, p, answer=f"matter {n} at the desk", failed=n <= 4, blame=Fault.KNOWLEDGE_GAP)
        for n in range(1, 21)
        for p in PERSONAS
    ]
    assert Cause.CUT not in {suspect.cause for suspect in diagnose(played(bare))}


def test_a_bot_that_refuses_typos_is_one_suspect() -> None:
    refuses = grid(lambda n, p: REFUSAL if p == "typos" or (p == "voice" and n % 2) else None)
    suspect = only(refuses)
    assert (Cause.PERSONA, True) == (suspect.cause, suspect.is_code)
    assert ("typos", "voice") == suspect.levels
    assert 30 == len(suspect.keys)
    assert [] == faults_of(refuses, apart=suspect.keys)


def test_one_entry_that_nobody_is_answered_is_no_suspect() -> None:
    """Nor are two, beside a persona who is unlucky with one more."""
    assert () == diagnose(grid(lambda n, _: REFUSAL if n == 3 else None))
    assert () == diagnose(grid(lambda n, p: REFUSAL if n < 3 or (n, p) == (7, "typos") else None))


def test_faults_of_single_entries_stay_beside_a_suspect() -> None:
    both = grid(lambda n, p: "It is closed." if n == 1 else REFUSAL if p == "typos" else None)
    suspect = only(both)
    assert Cause.PERSONA is suspect.cause
    assert not any(key.startswith("s1/") for key in suspect.keys)
    [fault] = faults_of(both, apart=suspect.keys)
    assert 5 == len(fault.failures)


def test_one_answer_to_many_questions() -> None:
    same = grid(
        lambda n, _: "The desk on floor 1 is open every day of the week." if n < 8 else None
    )
    assert (Cause.SAME, True) == (only(same).cause, only(same).is_code)


@pytest.mark.parametrize("fault", [TargetFault.EMPTY, TargetFault.RAISED])
def test_a_bot_that_answers_nothing(fault: TargetFault) -> None:
    failure = TargetFailure(fault, "no text")
    episodes = [
        replace(
            talk(n, p, answer=failure if n < 6 else "", blame=Fault.UNDETERMINED),
        )
        for n in range(1, 21)
        for p in PERSONAS
    ]
    suspect = only(played(episodes))
    wanted = Cause.EMPTY if fault is TargetFault.EMPTY else Cause.RAISED
    assert (wanted, True, 25) == (suspect.cause, suspect.is_code, len(suspect.keys))


def test_a_bot_that_cannot_be_reached_is_no_evidence() -> None:
    failure = TargetFailure(TargetFault.TIMEOUT, "no answer within 60 s")
    episodes = [talk(n, "typos", answer=failure) for n in range(1, 21)]
    others = [talk(n, p) for n in range(1, 21) for p in PERSONAS if p != "typos"]
    assert () == diagnose(played([*episodes, *others]))


def test_follow_ups_that_are_lost() -> None:
    episodes = [talk(n, p, answer="" if n > 6 else REFUSAL, blame=Fault.LOST_THREAD, turns=2)
                for n in range(1, 21) for p in PERSONAS]  # fmt: skip
    lost = played(episodes)
    summary = replace(lost.summary, follow_ups=FollowUps(asked=30, lost=30, are_lost=True))
    suspect = only(replace(lost, summary=summary))
    assert (Cause.FOLLOW_UPS, 30) == (suspect.cause, len(suspect.keys))


def test_what_only_the_first_entry_answers() -> None:
    episodes = [
        talk(
            n,
            p,
            answer=f"Some other matter {n} is done." if n > 10 else "",
            documents=entry(n, after=n > 10),
        )
        for n in range(1, 21)
        for p in PERSONAS
    ]
    suspect = only(played(episodes))
    assert (Cause.RANK, 50) == (suspect.cause, len(suspect.keys))


def test_refusals_beside_a_later_entry_are_no_sign_that_only_the_first_is_used() -> None:
    episodes = [
        talk(n, p, answer=REFUSAL if n > 10 else "", documents=entry(n, after=n > 10))
        for n in range(1, 21)
        for p in PERSONAS
    ]
    assert Cause.RANK not in {suspect.cause for suspect in diagnose(played(episodes))}


def test_an_entry_that_is_found_for_everything() -> None:
    hub = (Document("All about us.", "hub"),)
    episodes = [
        talk(n, p, answer=f"All about us, {n}." if n < 6 else "", blame=Fault.RETRIEVAL_MISS,
             documents=hub if n < 6 else ())
        for n in range(1, 21) for p in PERSONAS
    ]  # fmt: skip
    suspect = only(played(episodes))
    assert (Cause.DOCUMENT, ("hub",), False) == (suspect.cause, suspect.levels, suspect.is_code)


def test_one_guideline_that_refuses_what_is_known() -> None:
    episodes = [
        talk(n, p, answer=REFUSAL if n < 6 else "", blame=Fault.WRONG_REFUSAL)
        for n in range(1, 21)
        for p in PERSONAS
    ]
    suspect = only(played(episodes))
    assert (Cause.GUIDELINE, False, 25) == (suspect.cause, suspect.is_code, len(suspect.keys))


def test_missing_entries_that_are_refused_in_the_same_words_are_faults_of_their_own() -> None:
    episodes = [
        talk(n, p, answer=REFUSAL if n < 6 else "", blame=Fault.KNOWLEDGE_GAP, documents=entry(99))
        for n in range(1, 21)
        for p in PERSONAS
    ]
    run = played(episodes)
    assert () == diagnose(run)
    assert 5 == len(faults_of(run))


def test_entries_that_come_and_are_not_used() -> None:
    episodes = [
        talk(n, p, answer=f"Matter {n} is no matter of ours." if n < 6 else "")
        for n in range(1, 21)
        for p in PERSONAS
    ]
    assert (Cause.UNUSED, True) == (only(played(episodes)).cause, only(played(episodes)).is_code)


def test_entries_that_say_what_is_wrong_are_corrected_and_no_suspect() -> None:
    episodes = [
        talk(n, p, answer=f"It costs {n + 50} euros." if n < 6 else "", blame=Fault.UNSUPPORTED)
        for n in range(1, 21)
        for p in PERSONAS
    ]
    assert () == diagnose(played(episodes))


@pytest.mark.slow
@pytest.mark.parametrize("client", ["demo", "demo-en"])
def test_the_demo_bots_have_no_suspect(
    client: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert () == diagnose(simulate_sync(load(client), store="sqlite:///mogi.db"))
