import numpy as np
import pytest

from simulator.core.outcome import Interval
from simulator.statistics.intervals import t_quantile, wilson
from simulator.statistics.thresholds import clustered_ratio

Z95 = 1.959963984540054


def test_answers_that_are_all_alone_have_wilsons_interval_but_for_the_few_clusters() -> None:
    part = np.array([1.0] * 30 + [0.0] * 10)
    found = clustered_ratio(part, np.ones(40), np.arange(40), 1.0)
    plain = wilson(30, 40)
    assert 0.75 == found.mean
    assert plain.low == pytest.approx(found.low, abs=0.02)
    assert plain.high == pytest.approx(found.high, abs=0.02)
    assert t_quantile(39) > Z95


def test_what_is_not_there_has_no_ratio() -> None:
    assert Interval(None) == clustered_ratio(np.zeros(3), np.zeros(3), np.arange(3), 1.0)


def test_below_five_conversations_there_is_no_interval() -> None:
    talks = np.array([0, 0, 1, 1, 2, 2, 3, 3])
    assert Interval(1.0) == clustered_ratio(np.ones(8), np.ones(8), talks, 1.0)


def test_turns_of_one_talk_count_less_than_as_many_talks() -> None:
    part = np.tile([1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 0.0], 5)
    alike = clustered_ratio(part, np.ones(40), np.tile(np.arange(8), 5), 1.0)
    alone = clustered_ratio(part, np.ones(40), np.arange(40), 1.0)
    assert alike.mean == alone.mean
    assert (alike.high or 0) - (alike.low or 0) > 1.5 * ((alone.high or 0) - (alone.low or 0))


def test_where_nothing_was_missed_one_heavy_answer_might_have_been() -> None:
    weights = np.ones(60)
    sure = clustered_ratio(weights, weights, np.arange(60), 1.0)
    unsure = clustered_ratio(weights, weights, np.arange(60), 10.0)
    assert (1.0, 1.0) == (sure.mean, unsure.mean)
    assert (unsure.low or 1) < 0.65
    assert (sure.low or 0) > 0.9


@pytest.mark.parametrize(("right", "turns"), [(1, 2), (1, 3), (2, 3), (1, 5), (3, 10)])
@pytest.mark.parametrize("weight", [0.1, 1.0, 10 / 3])
def test_talks_that_are_all_alike_are_no_certainty(right: int, turns: int, weight: float) -> None:
    part = np.tile([weight] * right + [0.0] * (turns - right), 8)
    talks = np.repeat(np.arange(8), turns)
    found = clustered_ratio(part, np.full(8 * turns, weight), talks, weight)
    assert right / turns == pytest.approx(found.mean)
    assert (found.high or 0) - (found.low or 1) > 0.4  # eight talks tell no more


@pytest.mark.slow
@pytest.mark.parametrize(
    ("talks", "share"), [(15, None), (30, None), (60, None), (100, 0.1), (300, 0.1), (100, 0.3)]
)
def test_the_interval_covers_what_it_promises(talks: int, share: float | None) -> None:
    draw = np.random.default_rng(5)
    true = _recall(*_drawn(np.random.default_rng(1), 300_000, None)).mean or 0
    covered, tries = 0, 800
    for _ in range(tries):
        found = _recall(*_drawn(draw, talks, share))
        covered += (found.low or 0) <= true <= (1 if found.high is None else found.high)
    assert 0.93 <= covered / tries <= 0.985


def _recall(
    bad: "np.typing.NDArray[np.float64]",
    flagged: "np.typing.NDArray[np.float64]",
    weights: "np.typing.NDArray[np.float64]",
    talks: "np.typing.NDArray[np.intp]",
) -> Interval:
    return clustered_ratio(weights * bad * flagged, weights * bad, talks, float(weights.max()))


def _drawn(
    draw: np.random.Generator, talks: int, share: float | None
) -> tuple[
    "np.typing.NDArray[np.float64]",
    "np.typing.NDArray[np.float64]",
    "np.typing.NDArray[np.float64]",
    "np.typing.NDArray[np.intp]",
]:
    """Three turns a talk, alike; with a share, flagged ones and that share of the others."""
    shift, of = draw.normal(0, 0.8, talks), np.repeat(np.arange(talks), 3)
    bad = (draw.random(3 * talks) < 1 / (1 + np.exp(1.2 - 1.5 * shift[of]))).astype(float)
    flagged = (0.65 - 0.35 * bad + draw.normal(0, 0.2, 3 * talks) < 0.5).astype(float)
    kept = (flagged > 0) | (draw.random(3 * talks) < (share or 1))
    weights = np.where(flagged > 0, 1.0, 1 / (share or 1))
    return bad[kept], flagged[kept], weights[kept], of[kept]
