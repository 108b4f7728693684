"""The health of a judge, from its own judgements."""

from dataclasses import replace
from typing import Any

import pytest

from simulator.core.health import JudgeHealth
from simulator.core.outcome import Score
from simulator.core.run import Episode, RunHeader
from simulator.core.scenario import Expected
from simulator.core.talk import Stop, StopReason
from simulator.view.judge_health import (
    BOUNDS,
    JudgeHealthTally,
    disagreements,
    warning_texts,
)
from simulator.words import Words
from tests.execution.scored import LEXICAL, episode, header, rated, turn
from tests.results.made import MET, MODEL, UNKNOWN, UNMET, VIOLATED, WORDS, answer, readings, talk
from tests.view.judged import QUESTION, judged, judged_header, talks

GOOD: dict[str, Any] = {"words": MET, "model": MET}  # both read the claim so
BAD: dict[str, Any] = {"words": VIOLATED, "model": VIOLATED}
LENIENT: dict[str, Any] = {"words": VIOLATED, "model": MET}
HARSH: dict[str, Any] = {"words": MET, "model": UNMET}
FREELY: dict[str, Any] = {"words": UNKNOWN, "model": MET}  # in words of its own


def health(*episodes: Episode, head: RunHeader | None = None) -> JudgeHealth:
    tally = JudgeHealthTally(head or judged_header())
    for each in episodes:
        tally.add(each)
    found = tally.summary()
    assert found is not None
    return found


def warned(found: JudgeHealth) -> list[str]:
    return [warning.name for warning in found.warnings]


def test_a_run_without_a_judge_has_none() -> None:
    assert JudgeHealthTally(header(metrics=(LEXICAL,), score_by="lexical")).summary() is None


def test_a_good_judge_of_a_bot_without_fault_is_not_in_doubt() -> None:
    found = health(*talks(*[judged(5, comment=f"All of it, {n}.", **GOOD) for n in range(30)]))
    assert (1.0, 30) == (found.rates["halo"].value.mean, found.rates["halo"].n)
    assert 0 == found.rates["halo_midway"].n
    assert 1.0 == found.rates["spread"].value.mean
    assert not found.warnings
    assert not found.in_doubt


def test_the_same_rating_for_all_that_nothing_bears_out_is_a_remark() -> None:
    found = health(*talks(*[judged(5, comment=f"All of it, {n}.") for n in range(30)]))
    assert ["spread"] == warned(found)
    assert not found.in_doubt


def test_six_equal_fours_on_every_answer_are_no_judgement() -> None:
    found = health(*talks(*[judged(4, comment=f"Well, {n}.") for n in range(8)]))
    assert ["halo_midway", "spread"] == warned(found)
    assert found.in_doubt


def test_a_judge_that_words_bear_out_may_give_one_number_for_all_aspects() -> None:
    right = [judged(4, comment=f"Yes, {n}.", **GOOD) for n in range(10)]
    wrong = [judged(2, comment=f"No, {n}.", **BAD) for n in range(10)]
    found = health(*talks(*right, *wrong))
    assert 1.0 == found.rates["halo_midway"].value.mean
    assert (0.0, 20) == (found.rates["against_facts"].value.mean, found.rates["against_facts"].n)
    assert not found.in_doubt


@pytest.mark.parametrize("how", [FREELY, {"words": UNMET, "model": MET}])
def test_who_understands_what_words_cannot_read_is_not_in_doubt(how: dict[str, Any]) -> None:
    turns = [judged(5, 4, 5, n % 2 + 4, comment=f"It is, {n}.", **how) for n in range(40)]
    found = health(*talks(*turns))
    assert 0 == found.rates["against_facts"].n
    assert not found.warnings


def test_few_turns_condemn_nobody() -> None:
    assert not health(*talks(*[judged(4, **LENIENT) for _ in range(5)])).warnings


@pytest.mark.parametrize(
    ("how", "name"),
    [(LENIENT, "lenient"), (HARSH, "harsh"), ({"words": MET, "model": VIOLATED}, "harsh")],
)
def test_readings_against_what_words_prove(how: dict[str, Any], name: str) -> None:
    turns = [judged(4, 5, 4, n % 3 + 3, comment=f"It is, {n}.", **how) for n in range(9)]
    found = health(*talks(*turns))
    assert 1.0 == found.rates["against_facts"].value.mean == found.rates[name].value.mean
    assert [name] == warned(found)
    assert found.in_doubt


def test_who_takes_every_wrong_answer_is_told_though_most_answers_are_right() -> None:
    hows = [LENIENT] * 10 + [GOOD] * 70
    turns = [
        judged(4, 5, 4, n % 3 + 3, comment=f"It is, {n}.", **how) for n, how in enumerate(hows)
    ]
    found = health(*talks(*turns))
    assert 0.125 == found.rates["against_facts"].value.mean
    assert ["lenient"] == warned(found)


@pytest.mark.parametrize(
    ("hows", "is_past"),
    [
        ([LENIENT] * 4 + [GOOD] * 96, False),  # 4 of 100 by chance at 1 %: p = .02
        ([LENIENT] * 5 + [GOOD] * 95, True),  # p = .003
        ([LENIENT] * 4 + [BAD] * 8 + [GOOD] * 488, False),  # a good bot has few true violations
        ([HARSH] * 4 + [BAD] * 36, False),  # 4 of 40 at 3 %: p = .03
        ([HARSH] * 6 + [BAD] * 34, True),  # p = .001
    ],
)
def test_no_more_errors_than_words_make_by_chance_condemn_nobody(
    hows: list[dict[str, Any]], *, is_past: bool
) -> None:
    turns = [judged(4, 5, 4, 3, comment=f"It is, {n}.", **how) for n, how in enumerate(hows)]
    assert is_past is health(*talks(*turns)).in_doubt


def test_not_to_say_what_is_wrong_proves_nothing_and_to_say_it_does() -> None:
    forbidding = Expected(answerable=False, must_not=("It is free",))
    for state, places in ((MET, 0), (VIOLATED, 1)):
        said = [*readings(forbidding, state), *readings(forbidding, MET, reader=MODEL)]
        found = health(talk(forbidding, answer(*said, outcomes=judged(4).outcomes)))
        assert (places, 1) == (found.rates["against_facts"].n, found.rates["lenient"].n)
        assert float(places) == found.rates["lenient"].value.mean


def test_equal_answers_count_once() -> None:
    found = health(*talks(judged(5, 4, 5, 4, reply="After an hour.", **LENIENT)) * 20)
    assert 1 == found.rates["against_facts"].n == found.rates["lenient"].n
    assert "lenient" not in warned(found)


def test_of_a_turn_the_first_claim_that_is_read_otherwise_is_told() -> None:
    two = Expected(elements=(("30 minutes",), ("a code",)))
    said = [*readings(two, MET, VIOLATED, reader=WORDS), *readings(two, MET, MET, reader=MODEL)]
    held = talk(two, answer(*readings(two)), answer(*said))
    (odd,) = disagreements(held).items()
    assert (2, "a code", "lenient") == (odd[0], odd[1].claim.text, odd[1].name)
    assert {} == disagreements(replace(held, stop=Stop(StopReason.USER_INVALID)))
    assert {} == disagreements(replace(held, scenario=None))


def test_comments_that_are_the_rubric_or_the_reply_are_parroted() -> None:
    reply = "Press the button and enter the code within 30 minutes."
    turns = [judged(5, comment=QUESTION, reply=f"{n}") for n in range(1)]
    turns += [judged(4, 5, 4, 3, comment=f"{reply}", reply=reply)]
    turns += [judged(4, 5, 4, 3, comment=f"The limit of answer {n} is there.") for n in range(8)]
    assert 0.2 == health(*talks(*turns)).rates["parroting"].value.mean


def test_one_comment_for_different_replies_is_parroted_and_for_the_same_reply_it_is_not() -> None:
    comment = "The answer gives what the user needs here."
    same = [judged(5, 4, 5, 4, comment=comment, reply="The one reply.") for _ in range(6)]
    assert 0.0 == health(*talks(*same)).rates["parroting"].value.mean
    others = [judged(5, 4, 5, 4, comment=comment, reply=f"Reply {n}.") for n in range(6)]
    found = health(*talks(*others))
    assert 1.0 == found.rates["parroting"].value.mean
    assert "parroting" in warned(found)


def test_a_comment_that_faults_beside_high_ratings_is_contrary() -> None:
    fault = "The answer does not address the request. It is incomplete, and the fee is invented."
    turns = [judged(4, 4, 3, 4, comment=fault) for _ in range(3)]
    turns += [judged(2, 2, 3, 2, comment=fault) for _ in range(3)]
    turns += [judged(1, 2, 1, 2, comment="The answer is correct and complete.")]
    found = health(*talks(*turns)).rates["comment_against_score"]
    assert (4 / 7, 7) == (found.value.mean, found.n)


def test_aspects_that_say_the_same_correlate() -> None:
    turns = [judged(1, 1, 2, 1), judged(3, 3, 2, 3), judged(5, 5, 2, 5)]
    found = health(*talks(*turns)).correlation
    assert found is not None
    assert abs(found - 1) < 1e-6


@pytest.mark.parametrize(("thresholds", "share"), [({"overall": 0.7}, 0.25), ({}, 0.5)])
def test_votes_flip_where_they_straddle_the_threshold(
    thresholds: dict[str, float], share: float
) -> None:
    head = header(thresholds=thresholds, snapshot={"client.judge.votes": 3})
    votes = [(2, 4), (4, 5)]
    turns = [turn(Score(0.8, 4, "", {"lowest": a / 5, "highest": b / 5})) for a, b in votes]
    found = health(*talks(*turns, turn(rated(4)), turn(rated(2))), head=head).rates["flips"]
    assert (share, 4) == (found.value.mean, found.n)


def test_one_vote_has_no_flips() -> None:
    assert "flips" not in health(*talks(judged(4))).rates


def test_what_unsound_users_were_answered_does_not_count() -> None:
    broken = episode(judged(4, **LENIENT), stop=StopReason.USER_INVALID)
    assert 0 == health(broken).rates["halo"].n


@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_warning_has_its_words(language: str) -> None:
    words = Words(language, "judge")  # type: ignore[arg-type]
    assert all(words.find(f"warn.{name}") for name in BOUNDS)
    found = health(*talks(*[judged(4, comment=f"Well, {n}.") for n in range(8)]))
    assert len(found.warnings) == len(warning_texts(found, words))
    assert "100%" in warning_texts(found, words)[0]
