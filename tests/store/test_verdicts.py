"""Verdicts: added once, never changed, and read beside the conversations that they speak of."""

from dataclasses import replace
from typing import Any

import pytest

from simulator.core.claim import Reader, Reading, State, claims_of, counting
from simulator.core.errors import TargetFault
from simulator.core.plan import Cell
from simulator.core.run import Episode
from simulator.core.scenario import Expected, Scenario
from simulator.core.talk import Document, Exchange, Reply, TargetFailure
from simulator.core.verdict import Verdict, Word
from simulator.execution.snapshot import expected_documents
from simulator.store.store import Store
from tests.store.samples import HEADER, episode, header

KEY = "login/angry/1"
GIVEN = Verdict(
    KEY, 1, Word.NG, "田中", "review.xlsx", "2026-11-21T06:00:00+00:00", "fact", "500円"
)


def test_verdicts_come_back_as_they_were_given_in_their_order(store: Store) -> None:
    later = replace(GIVEN, word=Word.OK, at="2026-11-22T06:00:00+00:00", comment="直った")
    store.add_verdicts(HEADER.id, [GIVEN, later])
    assert [GIVEN, later] == list(store.verdicts(HEADER.id))


def test_a_comment_without_a_word_comes_back_without_one(store: Store) -> None:
    remark = replace(GIVEN, word=None, comment="あとで見る")
    store.add_verdicts(HEADER.id, [remark])
    assert [remark] == list(store.verdicts(HEADER.id))


def test_reading_the_same_again_adds_nothing(store: Store) -> None:
    store.add_verdicts(HEADER.id, [GIVEN])
    store.add_verdicts(HEADER.id, [GIVEN])
    assert [GIVEN] == list(store.verdicts(HEADER.id))


def test_two_reviewers_are_kept_apart(store: Store) -> None:
    store.add_verdicts(HEADER.id, [GIVEN, replace(GIVEN, reviewer="佐藤")])
    assert ["田中", "佐藤"] == [verdict.reviewer for verdict in store.verdicts(HEADER.id)]


def test_runs_have_their_own_verdicts(store: Store) -> None:
    store.add_verdicts("other", [GIVEN])
    assert [] == list(store.verdicts(HEADER.id))


def test_many_are_taken_a_few_at_a_time(store: Store) -> None:
    many = (replace(GIVEN, turn=turn) for turn in range(2_500))
    store.add_verdicts(HEADER.id, many)
    assert 2_500 == len(list(store.verdicts(HEADER.id)))


async def test_episodes_come_with_their_verdicts_in_the_plans_order(store: Store) -> None:
    episodes = [replace(episode("x"), cell=Cell(f"s{n}", "calm")) for n in range(4)]
    for ordinal in (3, 0, 2, 1):
        await store.save_episode(HEADER.id, ordinal, episodes[ordinal])
    of_second, of_last = replace(GIVEN, episode="s1/calm/1"), replace(GIVEN, episode="s3/calm/1")
    elsewhere = replace(GIVEN, episode="s9/calm/1")
    store.add_verdicts(HEADER.id, [of_last, elsewhere, of_second, replace(of_last, turn=2)])
    assert [
        (episodes[0], ()),
        (episodes[1], (of_second,)),
        (episodes[2], ()),
        (episodes[3], (of_last, replace(of_last, turn=2))),
    ] == list(store.reviewed(HEADER.id))


# The memory: a verdict holds for every equal answer

FEE = Expected(answers=("500円",), documents=("faq-1",))


def talk(*said: str, persona: str = "angry", expected: Expected | None = FEE) -> Episode:
    """A conversation of the scenario login: a question and an answer in turn."""
    (first,) = episode("login").turns
    turns = tuple(
        replace(first, exchange=Exchange(n, question, Reply(answer)))
        for n, (question, answer) in enumerate(zip(said[::2], said[1::2], strict=True), 1)
    )
    scenario = Scenario("login", said[0], expected=expected) if expected else None
    return replace(episode("login"), cell=Cell("login", persona), turns=turns, scenario=scenario)


async def keep(store: Store, run: str, *talks: Episode, **changed: Any) -> None:
    """Put a run into the store; those of later names began later."""
    began = f"2026-11-21T06:00:{int(run[-1]):02}+00:00"
    store.begin(header(run, started=began, **changed))
    for ordinal, each in enumerate(talks):
        await store.save_episode(run, ordinal, each)


def held(store: Store, run: str) -> dict[tuple[str, int], list[tuple[str, Word | None, str]]]:
    """By turn: who said what, in which other run or place."""
    found: dict[tuple[str, int], list[tuple[str, Word | None, str]]] = {}
    for each, given in store.reviewed(run):
        for verdict in given:
            assert each.cell.key == verdict.episode
            told = (verdict.reviewer, verdict.word, verdict.run)
            found.setdefault((verdict.episode, verdict.turn), []).append(told)
    return found


TANAKA = [("田中", Word.NG, "run1")]


async def test_a_verdict_holds_for_the_same_answer_to_others_and_in_later_runs(
    store: Store,
) -> None:
    await keep(
        store, "run1", talk("送料は", "５００円です。"), talk("送料は", "500円です", persona="calm")
    )
    await keep(store, "run2", talk("送料は？", "500円です！", persona="calm"))
    store.add_verdicts("run1", [GIVEN])
    here = {(KEY, 1): [("田中", Word.NG, "")], ("login/calm/1", 1): TANAKA}
    assert here == held(store, "run1")
    assert {("login/calm/1", 1): TANAKA} == held(store, "run2")
    (told,) = store.said("demo")["run2"]
    assert replace(GIVEN, episode="login/calm/1", run="run1") == told
    assert [] == list(store.verdicts("run2"))


async def test_it_holds_in_a_later_run_though_it_was_given_after_that(store: Store) -> None:
    for run in ("run1", "run2", "run3"):
        await keep(store, run, talk("送料は", "500円です"))
    store.add_verdicts("run2", [GIVEN])
    assert {"run2", "run3"} == store.said("demo").keys()
    assert {} == held(store, "run1")  # what came of an earlier run stays


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(talk("送料は", "600円です"), id="answer"),
        pytest.param(talk("返品は", "500円です"), id="question"),
        pytest.param(
            talk("送料は", "500円です", expected=replace(FEE, answers=("1円",))), id="right"
        ),
        pytest.param(talk("送料は", "500円です", expected=replace(FEE, escalate=True)), id="due"),
        pytest.param(talk("送料は", "500円です", expected=Expected()), id="nothing_expected"),
        pytest.param(replace(talk("送料は", "500円です"), cell=Cell("x", "angry")), id="scenario"),
    ],
)
async def test_what_changed_is_asked_again(store: Store, other: Episode) -> None:
    await keep(store, "run1", talk("送料は", "500円です"))
    await keep(store, "run2", other)
    store.add_verdicts("run1", [GIVEN])
    assert {} == held(store, "run2")


@pytest.mark.parametrize("changed", [{"client": "other"}, {"expected_documents": {"login": "new"}}])
async def test_other_clients_and_other_documents_are_asked_again(
    store: Store, changed: dict[str, Any]
) -> None:
    await keep(store, "run1", talk("送料は", "500円です"), expected_documents={"login": "old"})
    await keep(store, "run2", talk("送料は", "500円です"), **changed)
    store.add_verdicts("run1", [GIVEN])
    assert {} == held(store, "run2")


async def test_the_same_documents_in_another_knowledge_base_ask_nothing_again(
    store: Store,
) -> None:
    for run in ("run1", "run2"):
        known = {"expected_documents": {"login": "same"}, "snapshot": {"knowledge": run}}
        await keep(store, run, talk("送料は", "500円です"), **known)
    store.add_verdicts("run1", [GIVEN])
    assert {(KEY, 1): TANAKA} == held(store, "run2")


def hashes(title: str, text: str) -> dict[str, Any]:
    scenario = Scenario("login", "送料は", expected=replace(FEE, documents=("d1",)))
    return expected_documents([scenario], [Document(text, "d1", title)])


@pytest.mark.parametrize(
    ("title", "text", "holds"),
    [
        ("送料", "500円です", True),
        ("送料 – いくら", "500円です", True),
        ("送料", "600円です", False),
    ],
)
async def test_a_new_title_of_an_expected_document_asks_nothing_again(
    store: Store, title: str, text: str, *, holds: bool
) -> None:
    before, after = hashes("送料", "500円です"), hashes(title, text)
    await keep(store, "run1", talk("送料は", "500円です"), expected_documents=before)
    await keep(store, "run2", talk("送料は", "500円です"), expected_documents=after)
    store.add_verdicts("run1", [GIVEN])
    assert holds is bool(held(store, "run2"))


def of_older(title: str, text: str, *, excerpt: int = 400) -> dict[str, Any]:
    """What older headers kept: a hash with titles, and how the documents begin."""
    titled = {name: titled for name, (_, titled) in hashes(title, text).items()}
    return {"expected_documents": titled, "references": {"d1": (title, text[:excerpt])}}


FREE = Expected(answers=("500円",), documents=("d1",))


@pytest.mark.parametrize("judged", ["run1", "run2"])
@pytest.mark.parametrize(
    ("title", "text", "excerpt", "holds"),
    [
        ("送料", "500円です", 400, True),
        ("送料", "500円です", 2, True),  # by its title
        ("送料 – いくら", "500円です", 400, True),
        ("送料 – いくら", "500円です", 2, False),  # nobody knows what it said
        ("送料", "600円です", 400, False),
    ],
)
async def test_verdicts_hold_across_the_version_that_kept_hashes_with_titles_alone(
    store: Store, judged: str, title: str, text: str, excerpt: int, *, holds: bool
) -> None:
    made, older = (
        talk("送料は", "500円です", expected=FREE),
        of_older("送料", "500円です", excerpt=excerpt),
    )
    await keep(store, "run1", made, **older)
    await keep(store, "run2", made, expected_documents=hashes(title, text))
    store.add_verdicts(judged, [GIVEN])
    said = [verdicts for _, verdicts in store.reviewed("run1", until="run2")]
    said += [verdicts for _, verdicts in store.reviewed("run2")]
    assert [True, holds] == sorted(map(bool, said), reverse=True)
    assert 1 >= max(map(len, said))


@pytest.mark.parametrize(("before", "holds"), [("k1", True), ("k0", False)])
async def test_older_runs_go_by_the_whole_knowledge_base(
    store: Store, before: str, *, holds: bool
) -> None:
    await keep(store, "run1", talk("送料は", "500円です"), snapshot={"knowledge": before})
    known = {"expected_documents": {"login": "d"}, "snapshot": {"knowledge": "k1"}}
    await keep(store, "run2", talk("送料は", "500円です"), **known)
    store.add_verdicts("run1", [GIVEN])
    assert holds is bool(held(store, "run2"))


async def test_a_later_turn_goes_by_what_was_answered_before_it(store: Store) -> None:
    second = replace(GIVEN, turn=2)
    await keep(store, "run1", talk("送料は", "500円です", "沖縄は", "800円です"))
    await keep(store, "run2", talk("送料は", "いくつか", "沖縄は", "800円です"))
    await keep(store, "run3", talk("送料は", "500円です。", "沖縄は", "800円です"))
    store.add_verdicts("run1", [second])
    assert {} == held(store, "run2")
    assert {(KEY, 2): TANAKA} == held(store, "run3")


async def test_a_failure_is_no_answer_and_nothing_is_remembered_of_it(store: Store) -> None:
    (turn,) = talk("送料は", "").turns
    failure = TargetFailure(TargetFault.TIMEOUT, "30 s")
    failed = replace(turn, exchange=Exchange(1, "送料は", failure))
    for run in ("run1", "run2"):
        await keep(store, run, replace(talk("送料は", ""), turns=(failed,)))
    store.add_verdicts("run1", [GIVEN])
    assert {(KEY, 1): [("田中", Word.NG, "")]} == held(store, "run1")
    assert {} == held(store, "run2")


async def test_the_latest_word_counts_wherever_it_was_given(store: Store) -> None:
    for run in ("run1", "run2", "run3"):
        await keep(store, run, talk("送料は", "500円です"))
    store.add_verdicts("run2", [replace(GIVEN, word=Word.OK)])
    store.add_verdicts("run1", [GIVEN])
    both = [("田中", Word.OK, "run2"), ("田中", Word.NG, "run1")]
    assert {(KEY, 1): both} == held(store, "run3")


async def test_copies_that_a_rejudge_once_held_count_once(store: Store) -> None:
    for run in ("run1", "run2", "run3"):
        await keep(store, run, talk("送料は", "500円です"))
    for run in ("run1", "run2"):
        store.add_verdicts(run, [GIVEN])
    assert {(KEY, 1): [("田中", Word.NG, "")]} == held(store, "run2")
    assert {(KEY, 1): TANAKA} == held(store, "run3")


async def test_what_somebody_says_of_this_very_turn_counts_before_what_is_known(
    store: Store,
) -> None:
    for run in ("run1", "run2"):
        await keep(store, run, talk("送料は", "500円です"))
    store.add_verdicts("run2", [replace(GIVEN, word=Word.OK)])
    store.add_verdicts("run1", [GIVEN, replace(GIVEN, reviewer="佐藤")])
    own = ("田中", Word.OK, "")
    assert {(KEY, 1): [own, ("佐藤", Word.NG, "run1")]} == held(store, "run2")


async def test_what_people_say_of_a_claim_is_a_reading_and_no_verdict_on_the_answer(
    store: Store,
) -> None:
    expected = Expected(elements=(("500円",),), must_not=("無料",))
    says, forbidden, *_ = claims_of(expected)
    by_words = tuple(Reading(c.id, State.MET, Reader.WORDS) for c in (says, forbidden))
    made = episode("login")
    await store.save_episode(
        HEADER.id, 0, replace(made, turns=(replace(made.turns[0], readings=by_words),))
    )
    given = replace(GIVEN, episode=made.cell.key, error_type="", corrected="")
    of_claims = [replace(given, claim=claim.id) for claim in (says, forbidden)]
    store.add_verdicts(HEADER.id, [replace(given, word=Word.OK), *of_claims])
    ((read, verdicts),) = store.reviewed(HEADER.id)
    known = counting(read.turns[0].readings or ())
    states = {name: (reading.state, reading.reader) for name, reading in known.items()}
    assert {
        says.id: (State.UNMET, Reader.PERSON),
        forbidden.id: (State.VIOLATED, Reader.PERSON),
    } == states
    assert [Word.OK] == [verdict.word for verdict in verdicts]
    assert of_claims == list(store.verdicts(HEADER.id, claims=True))
    undone = replace(of_claims[0], word=None, at="2026-11-22T06:00:00+00:00")
    store.add_verdicts(HEADER.id, [undone])
    ((read, _),) = store.reviewed(HEADER.id)
    assert Reader.WORDS is counting(read.turns[0].readings or ())[says.id].reader
