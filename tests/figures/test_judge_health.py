"""The health of a judge, from its own judgements."""

from dataclasses import replace
from typing import Any

import pytest

from simulator.core.health import JudgeHealth
from simulator.core.outcome import Score
from simulator.core.run import Episode, RunHeader
from simulator.core.talk import StopReason
from simulator.figures.judge_health import BOUNDS, JudgeHealthTally, warning_texts
from simulator.words import Words
from tests.figures.judged import QUESTION, elements, judged, judged_header, talks
from tests.judging.made import LEXICAL, episode, header, rated, turn

GOOD: dict[str, Any] = {"elements_lexical": elements(2)}
WRONG: dict[str, Any] = {"elements_lexical": elements(0, 2)}


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


def test_a_judge_that_facts_bear_out_may_give_one_number_for_all_aspects() -> None:
    right = [judged(4, comment=f"Yes, {n}.", **GOOD) for n in range(10)]
    wrong = [judged(2, comment=f"No, {n}.", **WRONG) for n in range(10)]
    found = health(*talks(*right, *wrong))
    assert 1.0 == found.rates["halo_midway"].value.mean
    assert not found.in_doubt


def test_few_turns_condemn_nobody() -> None:
    assert not health(*talks(*[judged(4, **WRONG) for _ in range(5)])).warnings


@pytest.mark.parametrize(("ratings", "checks", "name"), [(5, WRONG, "lenient"), (2, GOOD, "harsh")])
def test_ratings_against_the_facts(ratings: int, checks: dict[str, Any], name: str) -> None:
    found = health(*talks(*[judged(ratings, comment=f"It is, {n}.", **checks) for n in range(9)]))
    assert 1.0 == found.rates["against_facts"].value.mean == found.rates[name].value.mean
    assert "against_facts" in warned(found)
    assert found.in_doubt


def test_who_calls_every_wrong_answer_good_is_told_though_most_answers_are_right() -> None:
    turns = [judged(5, comment=f"It is, {n}.", **(WRONG if n < 10 else GOOD)) for n in range(80)]
    found = health(*talks(*turns))
    assert 0.125 == found.rates["against_facts"].value.mean
    assert "lenient" in warned(found)
    assert found.in_doubt


def test_wrong_alarms_of_the_checks_do_not_condemn_a_judge() -> None:
    turns = [judged(5, comment=f"It is, {n}.", **(WRONG if n < 4 else GOOD)) for n in range(80)]
    found = health(*talks(*turns))
    assert 1.0 == found.rates["lenient"].value.mean
    assert not found.in_doubt


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
    broken = episode(judged(4, **WRONG), stop=StopReason.USER_INVALID)
    assert 0 == health(broken).rates["halo"].n


def test_without_a_threshold_the_middle_of_the_scale_is_neither_good_nor_bad() -> None:
    head = replace(judged_header(), thresholds={})
    found = health(*talks(judged(3, **WRONG), judged(4, **WRONG), judged(2, **WRONG)), head=head)
    assert (0.5, 2) == (found.rates["lenient"].value.mean, found.rates["lenient"].n)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_warning_has_its_words(language: str) -> None:
    words = Words(language, "judge")  # type: ignore[arg-type]
    assert all(words.find(f"warn.{name}") for name in BOUNDS)
    found = health(*talks(*[judged(4, comment=f"Well, {n}.") for n in range(8)]))
    assert len(found.warnings) == len(warning_texts(found, words))
    assert "100%" in warning_texts(found, words)[0]
