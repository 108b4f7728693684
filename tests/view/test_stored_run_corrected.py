from dataclasses import replace

import pytest

from simulator.core.run import Episode, RunHeader
from simulator.core.talk import StopReason
from simulator.core.verdict import Audit, CorrectedScore, Verdict, Word
from simulator.view.stored_run import CorrectedTally
from tests.execution.scored import GAP, episode, failed, header, rated, turn

HEADER = header(audit=Audit(1.0, 7))  # all turns are shown
LOW, HIGH = turn(rated(2)), turn(rated(5))


def talk(number: int, *turns: str) -> tuple[Episode, list[Verdict]]:
    """A conversation about a scenario of its own: `low:NG` is a turn and what was said of it."""
    kinds = {"low": LOW, "high": HIGH, "gap": turn(GAP), "failed": failed()}
    made = episode(*(kinds[t.partition(":")[0]] for t in turns), scenario=f"scenario-{number}")
    words = {n: t.partition(":")[2] for n, t in enumerate(turns, 1)}
    said = [Verdict(made.cell.key, n, Word(word), "Sato") for n, word in words.items() if word]
    return made, said


def tallied(*talks: tuple[Episode, list[Verdict]], head: RunHeader = HEADER) -> CorrectedTally:
    tally = CorrectedTally(head)
    for made, said in talks:
        tally.add(made, said)
    return tally


def mean_of(found: CorrectedScore | None) -> float:
    assert found is not None
    assert found.value.mean is not None
    return found.value.mean


def test_without_verdicts_there_is_nothing_to_correct() -> None:
    assert tallied(*(talk(n, "low", "high") for n in range(9))).summary() is None


def test_where_people_judged_all_turns_it_is_the_share_that_they_call_ok() -> None:
    found = tallied(
        *(talk(n, "low:NG", "high:OK") for n in range(6)),
        *(talk(n, "low:NG", "high:NG") for n in range(6, 9)),
    ).summary()
    assert pytest.approx(6 * 0.5 / 9) == mean_of(found)
    assert found is not None
    assert (18, 9) == (found.n, found.audited)


def test_an_unsure_word_counts_half_as_do_people_who_differ() -> None:
    unsure = tallied(*(talk(n, "high:unsure") for n in range(9)))
    assert 0.5 == mean_of(unsure.summary())
    made, said = zip(*(talk(n, "high:OK") for n in range(9)), strict=True)
    other = [replace(word, word=Word.NG, reviewer="Tanaka") for (word,) in said]
    differ = tallied(*((m, [*s, o]) for m, s, o in zip(made, said, other, strict=True)))
    assert 0.5 == mean_of(differ.summary())


def test_turns_nobody_judged_are_taken_to_be_like_their_own_kind() -> None:
    found = tallied(
        *(talk(n, "low:NG", "high:OK") for n in range(20)),
        *(talk(n, "low", "high") for n in range(20, 30)),
        *(talk(n, "high") for n in range(30, 60)),
    ).summary()
    assert pytest.approx((30 * 0.5 + 30) / 60) == mean_of(found)


def test_a_failed_target_and_a_gap_are_judged_by_people_all_the_same() -> None:
    found = tallied(*(talk(n, "failed:NG", "gap:OK") for n in range(9)))
    assert 0.5 == mean_of(found.summary())


def test_a_word_on_a_turn_that_was_not_drawn_is_no_sample() -> None:
    drawn = replace(HEADER, audit=Audit(0.5, 7))
    talks = [talk(n, "high:OK") for n in range(200)]
    found = tallied(*talks, head=drawn).summary()
    assert found is not None
    shown = sum(drawn.sampled(made, made.turns[0]) is not None for made, _ in talks)
    assert shown < 150
    assert (shown, shown) == (found.n, found.audited)


def test_too_few_verdicts_are_counted_and_give_no_estimate() -> None:
    found = tallied(
        *(talk(n, "low:NG", "high:OK") for n in range(3)),
        *(talk(n, "low", "high") for n in range(3, 60)),
    ).summary()
    assert found is not None
    assert (None, 6, 3) == (found.value.mean, found.n, found.audited)


def test_what_an_unsound_user_was_answered_says_nothing() -> None:
    made, said = talk(1, "high:OK")
    assert (
        tallied(
            (replace(made, stop=replace(made.stop, reason=StopReason.USER_INVALID)), said)
        ).summary()
        is None
    )


def test_a_conversation_without_turns_changes_nothing() -> None:
    talks = [talk(n, "low:NG", "high:OK") for n in range(9)]
    assert tallied(*talks).summary() == tallied(*talks, talk(10)).summary()


def test_conversations_are_the_clusters_where_there_are_fewer_than_five_scenarios() -> None:
    def three(talks: int) -> CorrectedScore | None:
        made = [talk(n % 3, *["low:NG", "high:OK"] * 20) for n in range(talks)]
        return tallied(*made).summary()

    four, five = three(4), three(5)
    assert four is not None
    assert None is four.value.mean
    assert 0.5 == mean_of(five)


def test_equal_answers_are_no_more_evidence_than_one() -> None:
    """Two hundred conversations on ten scenarios: ten answers that people judged, not more."""
    talks = [talk(n % 10, "high:OK" if n % 10 < 9 else "high:NG") for n in range(200)]
    open_ = [talk(n, "high") for n in range(10, 30)]
    found = tallied(*talks, *open_).summary()
    assert found is not None
    assert (10, 10, None) == (found.n, found.audited, found.value.mean)  # too few, of 220 turns
    whole = tallied(*talks).summary()
    assert whole is not None
    assert 10 == whole.n
    assert pytest.approx(0.9) == mean_of(whole)
