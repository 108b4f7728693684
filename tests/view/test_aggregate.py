"""The figures of a run: means, gaps, bounds, failures, cells, worst turns."""

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.core.outcome import Gap, Interval, Outcome, Score, Unscored
from simulator.core.run import CellResults, CellSummary, Episode, RunSummary
from simulator.core.talk import Exchange, Reply, StopReason
from simulator.statistics.intervals import clustered
from tests.execution.scored import (
    GAP,
    LEXICAL,
    NOT_APPLICABLE,
    episode,
    failed,
    header,
    rated,
    summary,
    turn,
)


def score_of(found: RunSummary) -> tuple[float | None, float | None, float | None]:
    assert found.score is not None
    return found.score.value.mean, found.score.worst, found.score.best


def test_a_run_is_the_mean_of_conversations_not_of_turns() -> None:
    long = episode(turn(rated(5)), turn(rated(5)), turn(rated(5)))
    short = episode(turn(rated(1)), persona="angry")
    found = summary(header(), long, short)
    assert pytest.approx((0.6, 0.6, 0.6)) == score_of(found)
    assert found.score is not None
    assert (3.0, 4, {}) == (found.score.raw_mean, found.score.scored, found.score.unscored)


def test_gaps_stand_at_the_ends_of_the_scale() -> None:
    found = summary(header(), episode(turn(rated(4)), turn(GAP)))
    assert pytest.approx((0.8, 0.5, 0.9)) == score_of(found)


def test_a_failed_target_stands_low_in_both_bounds() -> None:
    found = summary(header(), episode(turn(rated(4)), failed(), stop=StopReason.TARGET_FAILED))
    assert pytest.approx((0.8, 0.5, 0.5)) == score_of(found)
    assert found.score is not None
    assert {"target_failed": 1} == found.score.unscored
    assert (1, 1) == (found.flagged, found.failures["target"])


def test_a_conversation_of_gaps_only_widens_the_bounds_but_moves_no_mean() -> None:
    found = summary(header(), episode(turn(rated(5))), episode(turn(GAP), persona="angry"))
    assert pytest.approx((1.0, 0.6, 1.0)) == score_of(found)


def test_what_does_not_apply_is_no_gap() -> None:
    found = summary(header(), episode(turn(rated(4)), turn(NOT_APPLICABLE)))
    assert (0.8, 0.8, 0.8) == score_of(found)
    assert found.score is not None
    assert (1, {}, 1) == (found.score.scored, found.score.unscored, found.score.not_applicable)


def test_nothing_scored_is_no_number() -> None:
    found = summary(header(), episode(turn(NOT_APPLICABLE)))
    assert (None, None, None) == score_of(found)


def test_an_outcome_that_is_not_there_is_a_gap() -> None:
    found = summary(header(), episode(turn(None)))
    assert found.score is not None
    assert {"metric_error": 1} == found.score.unscored


def test_a_score_that_is_no_metric_of_the_run_is_none() -> None:
    assert summary(header(score_by="lexical"), episode(turn(rated(3)))).score is None


def test_every_metric_has_its_own_figures() -> None:
    head = header(metrics=(*header().metrics, LEXICAL), thresholds={"overall": 0.7, "lexical": 0.5})
    both = replace(
        turn(rated(2)),
        outcomes={"overall": rated(2), "lexical": Score(0.25, 0.25)},
        flags=("overall", "lexical"),
    )
    found = summary(head, episode(both, turn(rated(4))))
    lexical = found.metrics["lexical"]
    assert (0.25, 0.25, 0.5, 1, 1) == (
        lexical.value.mean,
        lexical.raw_mean,
        lexical.threshold,
        lexical.flagged,
        lexical.scored,
    )
    assert pytest.approx((0.125, 0.625)) == (lexical.worst, lexical.best)
    assert (1, 1) == (found.flagged, found.metrics["overall"].flagged)


def test_an_invalid_user_is_counted_but_not_held_against_the_bot() -> None:
    good = episode(turn(rated(5)))
    broken = episode(turn(rated(1)), persona="angry", stop=StopReason.USER_INVALID)
    found = summary(header(), good, broken)
    assert pytest.approx((1.0, 0.6, 1.0)) == score_of(found)
    assert found.score is not None
    assert ({"simulator_invalid": 1}, 0, ()) == (found.score.unscored, found.flagged, found.weak)
    assert (2, 2, 1) == (found.conversations, found.turns, found.failures["user"])
    assert {"max_turns": 1, "user_invalid": 1} == found.stops


def test_four_kinds_of_failure_stay_apart() -> None:
    found = summary(
        header(),
        episode(turn(GAP), turn(Unscored(Gap.METRIC_ERROR)), turn(rated(5))),
        episode(failed(), persona="angry", stop=StopReason.TARGET_FAILED),
        episode(persona="beginner", stop=StopReason.USER_FAILED),
        unfinished=2,
    )
    expected = {"target": 1, "user": 1, "judge": 2, "infrastructure": 2}
    assert (expected, 2) == (found.failures, found.unfinished)


def test_a_conversation_without_turns_counts_as_one_without_a_score() -> None:
    found = summary(header(), episode(stop=StopReason.USER_FAILED))
    assert (1, 0, CellSummary(None, 1, 0, 0, 0, CellResults(undecided=1))) == (
        found.conversations,
        found.turns,
        found.cells["calm", "parcel"],
    )


def test_a_cell_is_the_mean_over_its_repeats() -> None:
    found = summary(
        header(),
        episode(turn(rated(1)), turn(GAP)),
        episode(turn(rated(4)), repeat=2),
        episode(turn(GAP), repeat=3),
    )
    assert {("calm", "parcel"): CellSummary(0.5, 3, 1, 2, 2, CellResults(1, 0, 2))} == found.cells


def test_scenarios_are_the_clusters_of_the_interval() -> None:
    episodes = [
        episode(turn(rated(1 + (i + j) % 5)), scenario=f"s{i}", persona=p)
        for i in range(5)
        for j, p in enumerate(("calm", "angry"))
    ]
    of_five, of_two = (summary(header(), *e).score for e in (episodes, episodes[:4]))
    assert of_five is not None
    assert of_two is not None
    means = [(1 + (i + j) % 5) / 5 for i in range(5) for j in range(2)]
    assert clustered(means, [i // 2 for i in range(10)], low=0.2) == of_five.value
    assert Interval(0.4) == of_two.value


def test_the_worst_turns_come_first() -> None:
    other = Exchange(1, "And now?", Reply("Soon."))
    found = summary(
        header(),
        episode(turn(rated(2, "thin")), turn(rated(1, "wrong"), exchange=other), scenario="b"),
        episode(turn(rated(2, "thin")), failed(), scenario="a", stop=StopReason.TARGET_FAILED),
        episode(turn(GAP, flagged=True, flags=("lexical",)), scenario="c"),
    )
    places = [(w.cell.scenario, w.turn, w.raw, w.reason) for w in found.weak]
    assert [
        ("a", 2, None, "timeout: no answer within 60 s"),
        ("b", 2, 1, "wrong"),
        ("a", 1, 2, "thin"),
        ("b", 1, 2, "thin"),
        ("c", 1, None, "lexical"),
    ] == places


def test_a_reason_names_the_metric_that_is_not_the_score() -> None:
    outcomes = {"overall": rated(2, "thin"), "lexical": Score(0.25, 0.25)}
    both = turn(rated(2), outcomes=outcomes, flags=("lexical", "overall"))
    head = header(thresholds={"overall": 0.7, "lexical": 0.5})
    reason = summary(head, episode(both)).weak[0].reason
    assert reason == "thin / lexical: 0.25 < 0.5"


def test_no_more_weak_turns_are_kept_than_anybody_reads() -> None:
    episodes = [episode(turn(rated(1 + i % 3)), scenario=f"s{i:04}") for i in range(999)]
    found = summary(header(), *episodes)
    ones = [f"s{i:04}" for i in range(0, 999, 3)]
    assert (999, ones[:200]) == (found.flagged, [w.cell.scenario for w in found.weak])


def test_flagged_turns_are_counted_by_fault_the_most_frequent_first() -> None:
    unused, missed = turn(rated(1), blames=("unused",)), turn(rated(1), blames=("retrieval_miss",))
    invalid = episode(unused, stop=StopReason.USER_INVALID, persona="angry")
    found = summary(header(), episode(missed, unused, turn(rated(1)), unused), invalid)
    assert [("unused", 2), ("retrieval_miss", 1)] == list(found.blames.items())


def test_soundness_is_counted_by_tag() -> None:
    found = summary(
        header(),
        episode(turn(rated(5), soundness=("echo", "length")), turn(rated(5), soundness=("echo",))),
    )
    assert {"echo": 2, "length": 1} == found.soundness


OUTCOMES: list[Outcome] = [rated(1), rated(3), rated(5), GAP, NOT_APPLICABLE]


@st.composite
def runs(draw: st.DrawFn) -> list[Episode]:
    """Up to 20 conversations with any outcomes."""
    found = []
    for number in range(draw(st.integers(1, 20))):
        outcomes = draw(st.lists(st.sampled_from(OUTCOMES), max_size=4))
        turns = [turn(outcome) for outcome in outcomes] + [failed()] * draw(st.integers(0, 1))
        found.append(episode(*turns, scenario=f"s{number % 6}", repeat=number))
    return found


@given(runs(), st.randoms(use_true_random=False))
def test_the_order_of_episodes_makes_no_difference(
    episodes: list[Episode], rng: random.Random
) -> None:
    shuffled = rng.sample(episodes, len(episodes))
    assert summary(header(), *episodes) == summary(header(), *shuffled)


@given(runs())
def test_no_turn_is_lost_and_the_mean_lies_within_its_bounds(episodes: list[Episode]) -> None:
    found = summary(header(), *episodes)
    score = found.score
    assert score is not None
    assert found.turns == score.scored + sum(score.unscored.values()) + score.not_applicable
    if score.worst is not None and score.best is not None:
        assert 0.2 - 1e-12 <= score.worst <= score.best <= 1 + 1e-12
    if not score.unscored:
        assert score.value.mean == score.worst == score.best
