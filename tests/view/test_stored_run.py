from simulator.core.outcome import Interval, MetricInfo, Outcome
from simulator.core.talk import StopReason
from simulator.core.verdict import Separation, Verdict, Word
from simulator.view.results import settled_words
from simulator.view.stored_run import VerdictTally
from tests.execution.scored import GAP, OVERALL, episode, header, rated, turn

TALK = MetricInfo("satisfaction", "Satisfaction", scope="talk")


def said(word: Word, number: int = 1, reviewer: str = "") -> Verdict:
    return Verdict("parcel/calm/1", number, word, reviewer)


def tallied(*rows: tuple[Outcome, Word]) -> VerdictTally:
    tally = VerdictTally(header(metrics=(OVERALL, TALK)))
    for number, (outcome, word) in enumerate(rows):  # of different answers
        tally.add(episode(turn(outcome), scenario=f"parcel-{number}"), [said(word)])
    return tally


def test_without_verdicts_there_is_nothing_to_tell() -> None:
    tally = VerdictTally(header())
    tally.add(episode(turn(rated(4))), [])
    assert tally.summary() is None


def test_metrics_of_turns_are_held_against_the_verdicts() -> None:
    rows = ((rated(5), Word.OK), (rated(4), Word.OK), (rated(4), Word.NG), (rated(1), Word.NG))
    found = tallied(*rows).summary()
    assert found is not None
    assert (2, 2, 0) == (found.ok, found.ng, found.unsure)
    assert {"overall": Separation(Interval(0.875), 2, 2)} == found.metrics


def test_equal_answers_count_once() -> None:
    tally = VerdictTally(header())
    for scenario in ("a", "a", "b"):
        tally.add(episode(turn(rated(4)), scenario=scenario), [said(Word.OK)])
    found = tally.summary()
    assert found is not None
    assert 2 == found.ok


def test_gaps_and_unsure_verdicts_are_counted_and_not_compared() -> None:
    found = tallied((rated(5), Word.OK), (GAP, Word.NG), (rated(1), Word.UNSURE)).summary()
    assert found is not None
    assert (1, 1, 1) == (found.ok, found.ng, found.unsure)
    assert Separation(Interval(None), 1, 0) == found.metrics["overall"]


def test_what_an_unsound_user_was_answered_says_nothing() -> None:
    tally = VerdictTally(header())
    tally.add(episode(turn(rated(4)), stop=StopReason.USER_INVALID), [said(Word.OK)])
    assert tally.summary() is None


def test_each_turn_has_its_own_word() -> None:
    given = [said(Word.NG, 2), said(Word.OK, 1, "Sato"), said(Word.OK, 2)]
    assert {1: Word.OK, 2: Word.OK} == settled_words(given)
