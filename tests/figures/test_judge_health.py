"""The health of a judge, from its own judgements."""

from typing import Any

import pytest

from simulator.core.claim import State
from simulator.core.health import JudgeHealth
from simulator.core.outcome import Score
from simulator.core.run import Episode, RunHeader
from simulator.core.talk import StopReason
from simulator.figures.judge_health import BOUNDS, JudgeHealthTally, warning_texts
from simulator.words import Words
from tests.figures.judged import QUESTION, judged, judged_header, talks
from tests.judging.made import LEXICAL, episode, header, rated, turn

MET, UNMET, VIOLATED, UNKNOWN = State.MET, State.UNMET, State.VIOLATED, State.UNKNOWN
FAIR: dict[str, Any] = {"words": MET, "model": MET}
LENIENT: dict[str, Any] = {"words": VIOLATED, "model": MET}
HARSH: dict[str, Any] = {"words": MET, "model": UNMET}


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
    found = health(*talks(*[judged(5, comment=f"All of it, {n}.", **FAIR) for n in range(30)]))
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


def test_a_judge_that_reads_as_words_prove_may_give_one_number_for_all_aspects() -> None:
    right = [judged(4, comment=f"Yes, {n}.", **FAIR) for n in range(10)]
    wrong = [judged(2, comment=f"No, {n}.", words=VIOLATED, model=VIOLATED) for n in range(10)]
    found = health(*talks(*right, *wrong))
    assert 1.0 == found.rates["halo_midway"].value.mean
    assert not found.in_doubt


def test_few_turns_condemn_nobody() -> None:
    assert not health(*talks(*[judged(4, 3, 4, 5, **LENIENT) for _ in range(5)])).warnings


@pytest.mark.parametrize(("read", "name"), [(LENIENT, "lenient"), (HARSH, "harsh")])
def test_a_judge_that_reads_otherwise_than_words_prove(read: dict[str, Any], name: str) -> None:
    turns = [judged(5, 4, 5, 4 + n % 2, comment=f"It is, {n}.", **read) for n in range(9)]
    found = health(*talks(*turns))
    assert 1.0 == found.rates["against_facts"].value.mean == found.rates[name].value.mean
    assert [name] == warned(found)
    assert found.in_doubt


def test_who_calls_every_proven_violation_met_is_in_doubt_though_most_answers_are_right() -> None:
    read = [LENIENT if n < 10 else FAIR for n in range(80)]
    turns = [judged(5, 4, 5, 4 + n % 2, comment=f"So, {n}.", **each) for n, each in enumerate(read)]
    found = health(*talks(*turns))
    assert 0.125 == found.rates["against_facts"].value.mean
    assert ["lenient"] == warned(found)


@pytest.mark.parametrize(("odd", "warns"), [(2, False), (7, True)])
def test_what_words_err_by_themselves_condemns_no_judge(odd: int, warns: bool) -> None:
    """Of 16 proven violations one or two may be the words reader's own errors."""
    read = [LENIENT if n < odd else {"words": VIOLATED, "model": VIOLATED} for n in range(16)]
    turns = [judged(5, 4, 3, 4 + n % 2, comment=f"So, {n}.", **each) for n, each in enumerate(read)]
    assert warns is ("lenient" in warned(health(*talks(*turns))))


def test_the_errors_of_words_condemn_no_truthful_judge_of_a_good_bot() -> None:
    """They are few beside all right answers, though many beside the wrong ones that words prove."""
    wrong = {"words": VIOLATED, "model": VIOLATED}
    read = [LENIENT if n < 4 else wrong if n < 12 else FAIR for n in range(500)]
    turns = [
        judged(5, 4, 5, 4 + n % 2, comment=f"So, {n}.", reply=f"{n}", **each)
        for n, each in enumerate(read)
    ]
    found = health(*talks(*turns))
    assert (492, 8) == (found.rates["lenient"].n, found.rates["harsh"].n)
    assert "lenient" not in warned(found)


def test_equal_answers_count_once() -> None:
    same = talks(judged(5, 4, 5, 4, reply="After 30 minutes.", **LENIENT))
    found = health(*same * 20)
    assert 1 == found.rates["against_facts"].n == found.rates["lenient"].n
    assert "lenient" not in warned(found)


@pytest.mark.parametrize("words", [UNKNOWN, UNMET])
def test_a_truthful_judge_of_a_bot_that_words_freely_is_never_in_doubt(words: State) -> None:
    """What words only miss counts for nothing."""
    turns = [
        judged(5, 4, 5, 4 + n % 2, comment=f"It is, {n}.", words=words, model=MET)
        for n in range(138)
    ]
    found = health(*talks(*turns))
    assert (0, False) == (found.rates["against_facts"].n, found.in_doubt)


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
