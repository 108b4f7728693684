"""Whether a change is proved: the lines of the decision, one after the other."""

import random
from dataclasses import replace

import pytest

from simulator.core.result import Result
from simulator.improve.decision import (
    DecidingRule,
    Decision,
    Played,
    Proven,
    Veto,
    adjusted,
    decide,
    gain_of,
    harms_of,
    wanted,
)
from simulator.results.verdict import Fault

PASSED, FAILED, UNDECIDED = Result.PASSED, Result.FAILED, Result.UNDECIDED
MENDED, BROKEN, SAME = (FAILED, PASSED), (PASSED, FAILED), (PASSED, PASSED)


def asked(count: int, results: tuple[Result, Result], name: str = "q") -> list[Played]:
    return [Played(f"{name}{n}", "calm", results, is_unseen=True) for n in range(count)]


def played(results: tuple[Result, Result], *blames: str) -> Played:
    return Played("again", "calm", results, blames or ("", ""))  # type: ignore[arg-type]


INVENTED = played(BROKEN, "", Fault.UNSUPPORTED.value)


def decided(cells: list[Played], together: int = 1) -> Decision:
    [gain] = adjusted([gain_of(cells)])
    return decide(cells, gain, together=together)


def test_five_unseen_questions_that_are_answered_better_are_the_fewest_that_accept() -> None:
    five = decided(asked(5, MENDED))
    assert (Proven.ACCEPTED, DecidingRule.GAIN) == (five.proven, five.why)
    four = decided(asked(4, MENDED))
    assert (Proven.UNDECIDED, DecidingRule.TOO_FEW, 1) == (four.proven, four.why, four.more)


def test_one_question_asked_by_many_is_one_question() -> None:
    cells = [Played("q", f"p{n}", MENDED, is_unseen=True) for n in range(20)]
    assert Proven.UNDECIDED is decided(cells).proven


def test_questions_that_the_proposer_saw_prove_nothing() -> None:
    cells = [replace(cell, is_unseen=False) for cell in asked(20, MENDED)]
    found = decided(cells)
    assert (Proven.UNDECIDED, 0) == (found.proven, found.gain.questions)


def test_several_changes_at_once_need_more() -> None:
    gains = adjusted([gain_of(asked(5, MENDED)), gain_of(asked(5, MENDED))])
    assert [pytest.approx(0.0625)] * 2 == [gain.adjusted for gain in gains]
    found = decide(asked(5, MENDED), gains[0], together=2)
    assert (Proven.UNDECIDED, 1) == (found.proven, found.more)


def test_what_gains_nothing_where_it_could_have_is_rejected() -> None:
    found = decided(asked(6, (FAILED, FAILED)))
    assert (Proven.REJECTED, DecidingRule.NO_GAIN) == (found.proven, found.why)


def test_questions_that_were_answered_before_cannot_show_that_nothing_is_gained() -> None:
    found = decided(asked(20, SAME))
    assert (Proven.UNDECIDED, DecidingRule.TOO_FEW) == (found.proven, found.why)


def test_a_change_that_shows_nowhere_is_rejected() -> None:
    cells = [replace(cell, is_chosen=False) for cell in asked(10, SAME)]
    found = decided(cells)
    assert (Proven.REJECTED, DecidingRule.NOTHING_CHANGED) == (found.proven, found.why)


def test_a_must_pass_cell_that_newly_fails_twice_vetoes_any_gain() -> None:
    once = Played("must", "calm", BROKEN, must_pass=True, again=played(SAME))
    twice = replace(once, again=played(BROKEN))
    assert Proven.ACCEPTED is decided([*asked(12, MENDED), once]).proven
    found = decided([*asked(12, MENDED), twice])
    assert (Proven.REJECTED, (Veto.MUST_PASS,)) == (found.proven, found.vetoes)


def test_as_many_broken_as_mended_is_no_gain() -> None:
    broken = [replace(c, again=played(BROKEN)) for c in asked(6, BROKEN, "other")]
    assert (Veto.BREAKS,) == decided([*asked(6, MENDED), *broken]).vetoes
    assert () == decided([*asked(12, MENDED), *broken[:2]]).vetoes


@pytest.mark.parametrize("harm", [Fault.SHOULD_HAVE_REFUSED, Fault.UNSUPPORTED])
def test_more_harm_vetoes(harm: Fault) -> None:
    harmed = Played("h", "calm", BROKEN, ("", harm.value), again=played(BROKEN, "", harm.value))
    found = decided([*asked(12, MENDED), harmed])
    assert (Proven.REJECTED, (Veto.HARM,), (harm.value,)) == (
        found.proven,
        found.vetoes,
        found.harms,
    )
    assert (0, 1) == harms_of([harmed])[harm.value]


def test_where_the_bot_wavers_one_harm_more_may_be_chance() -> None:
    harmed = Played("h", "calm", BROKEN, ("", Fault.UNSUPPORTED.value), again=INVENTED)
    wavers = Played("w", "calm", BROKEN, again=played(SAME))
    assert Proven.ACCEPTED is decided([*asked(12, MENDED), harmed, wavers]).proven
    many = [replace(harmed, scenario=f"h{n}") for n in range(6)]
    assert Veto.HARM in decided([*asked(20, MENDED), *many, wavers]).vetoes


def test_harm_that_a_second_play_does_not_show_is_chance() -> None:
    blames = (Fault.KNOWLEDGE_GAP.value, Fault.UNSUPPORTED.value)
    once = Played("h", "calm", (FAILED, FAILED), blames, again=played((FAILED, FAILED)))
    assert once.is_doubtful
    assert () == decided([*asked(12, MENDED), once]).vetoes


def test_harm_that_goes_elsewhere_is_no_rise() -> None:
    unsupported = Fault.UNSUPPORTED.value
    new = Played("a", "calm", BROKEN, ("", unsupported), again=played(BROKEN))
    gone = Played("b", "calm", MENDED, (unsupported, ""))
    assert () == decided([*asked(12, MENDED), new, gone]).vetoes


def test_a_refusal_beside_the_entry_that_was_missing_is_no_new_harm() -> None:
    blames = (Fault.KNOWLEDGE_GAP.value, Fault.WRONG_REFUSAL.value)
    still = Played("s", "calm", (FAILED, FAILED), blames)
    assert () == decided([*asked(12, MENDED), still]).vetoes
    invents = replace(still, blames=(Fault.KNOWLEDGE_GAP.value, Fault.UNSUPPORTED.value))
    assert (Veto.HARM,) == decided([*asked(12, MENDED), invents]).vetoes


def test_undecided_is_no_gain_and_unchecked_is_none() -> None:
    half = Played("q", "calm", (FAILED, UNDECIDED), is_unseen=True)
    assert (0.0, -1.0) == (half.gain, replace(half, results=(PASSED, UNDECIDED)).gain)
    assert replace(half, results=(Result.UNCHECKED, PASSED)).gain is None
    assert Proven.ACCEPTED is decided(asked(5, (UNDECIDED, PASSED))).proven
    unread = decided(asked(8, (FAILED, UNDECIDED)))
    assert (Proven.UNDECIDED, DecidingRule.UNREAD) == (unread.proven, unread.why)


def drawn(rng: random.Random) -> list[Played]:
    """Cells of one change; good and bad ones, some of which must pass, and some that harm."""
    good = rng.choice((0.1, 0.5, 0.9))
    cells = []
    for scenario in range(rng.randint(4, 9)):
        seen, reached, must = rng.random() < 0.2, rng.random() < 0.8, rng.random() < 0.1
        for persona in "abc":
            before = FAILED if rng.random() < 0.6 else PASSED
            after = rng.choices((PASSED, FAILED, UNDECIDED), (good, 0.9 - 0.8 * good, 0.1))[0]
            blames = rng.choices(("", "unsupported", "retrieval_miss"), k=2)
            cell = Played(
                f"q{scenario}", persona, (before, after), (blames[0], blames[1]),
                is_unseen=not seen, is_chosen=reached, must_pass=must,
            )  # fmt: skip
            same = replace(cell, results=(before, before)) if rng.random() < 0.3 else cell
            cells.append(replace(cell, again=same if cell.is_doubtful else None))
    return cells


def all_decided(every: list[list[Played]]) -> list[Decision]:
    gains = adjusted([gain_of(cells) for cells in every])
    return [decide(c, g, together=len(every)) for c, g in zip(every, gains, strict=True)]


@pytest.mark.parametrize("seed", range(200))
def test_what_is_not_played_before_the_change_decides_nothing(seed: int) -> None:
    rng = random.Random(seed)
    every = [drawn(rng) for _ in range(rng.randint(1, 3))]
    known = [
        [c if c.results[1] is not PASSED else replace(c, results=(None, PASSED)) for c in cells]
        for cells in every
    ]
    while True:
        found = all_decided(known)
        lists = zip(known, found, strict=True)
        names = {(c.scenario, c.persona) for cells, d in lists for c in wanted(cells, d)}
        if not names:
            break
        known = [
            [whole if (c.scenario, c.persona) in names else c for c, whole in zip(*both)]  # noqa: B905
            for both in zip(known, every, strict=True)
        ]
    assert [d.proven for d in all_decided(every)] == [d.proven for d in found]


def test_what_passes_after_is_not_played_before_once_the_gain_is_sure() -> None:
    cells = [replace(c, persona=p) for c in asked(8, MENDED) for p in "abc"]
    hidden = [replace(c, results=(None, PASSED)) for c in cells]
    first = wanted(hidden, decided(hidden))
    assert (8, 8) == (len(first), len({cell.scenario for cell in first}))
    known = [cells[n] if c in first else c for n, c in enumerate(hidden)]
    assert (Proven.ACCEPTED, []) == (decided(known).proven, wanted(known, decided(known)))
