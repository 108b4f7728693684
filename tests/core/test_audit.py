"""The audit sample: the same whenever it is asked for, and as large as its share says."""

from dataclasses import replace

import pytest

from simulator.core.talk import StopReason
from simulator.core.verdict import Audit, Sampled
from tests.execution.scored import episode, header, rated, turn

TURNS = [(f"s{n}/calm/1", t) for n in range(1000) for t in (1, 2, 3)]


def drawn(audit: Audit) -> set[tuple[str, int]]:
    return {place for place in TURNS if audit.draws(*place)}


def test_nothing_is_drawn_unless_asked() -> None:
    assert set() == drawn(Audit())


def test_a_share_of_one_draws_all() -> None:
    assert set(TURNS) == drawn(Audit(1.0, 42))


@pytest.mark.parametrize("share", [0.05, 0.1, 0.5])
def test_about_the_share_is_drawn(share: float) -> None:
    # 3,000 draws: five standard errors are 0.046 at most.
    assert share == pytest.approx(len(drawn(Audit(share, 42))) / len(TURNS), abs=0.046)


def test_the_sample_is_the_same_by_seed_and_another_by_another() -> None:
    assert drawn(Audit(0.1, 42)) == drawn(Audit(0.1, 42))
    assert drawn(Audit(0.1, 42)) != drawn(Audit(0.1, 43))


def test_a_larger_share_holds_the_smaller_sample() -> None:
    assert drawn(Audit(0.1, 7)) < drawn(Audit(0.2, 7))


def test_people_see_flagged_turns_and_the_sample_of_the_others() -> None:
    talk = episode(turn(rated(2)), turn(rated(5)))
    weak, good = talk.turns
    everything, nothing = header(audit=Audit(1.0, 1)), header()
    assert Sampled.FLAGGED is everything.sampled(talk, weak)
    assert Sampled.AUDIT is everything.sampled(talk, good)
    assert Sampled.FLAGGED is nothing.sampled(talk, weak)
    assert nothing.sampled(talk, good) is None


def test_nobody_is_shown_what_an_invalid_user_was_answered() -> None:
    talk = episode(turn(rated(2)), stop=StopReason.USER_INVALID)
    all_of_them = header(audit=Audit(1.0, 1))
    assert all_of_them.sampled(talk, talk.turns[0]) is None
    assert all_of_them.sampled(replace(talk, turns=()), talk.turns[0]) is None
