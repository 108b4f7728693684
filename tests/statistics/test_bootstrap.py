"""The bootstrap over conversations: repeatable, honest about small samples, and it covers."""

import math
import random

import numpy as np
import pytest
from numpy.typing import NDArray

from simulator.core.outcome import Interval
from simulator.statistics.agreement import Measure, estimates, kappa
from simulator.statistics.intervals import clustered
from tests.statistics.tables import tables


def mean_of(values: list[float], counts: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(counts @ np.array(values) / counts.sum(axis=1))[:, None]


def test_of_a_mean_it_is_about_the_interval_by_formula() -> None:
    rng = random.Random(1)
    values = [rng.random() for _ in range(40)]
    (found,) = estimates(lambda counts: mean_of(values, counts), 40)
    expected = clustered(values, range(40))
    assert pytest.approx(expected.mean) == found.mean
    assert pytest.approx((expected.low, expected.high), abs=0.01) == (found.low, found.high)


def test_it_is_the_same_every_time() -> None:
    values = [0.1, 0.5, 0.9, 0.4, 0.7, 0.2]
    first, again = (estimates(lambda counts: mean_of(values, counts), 6) for _ in range(2))
    assert first == again


def test_below_five_conversations_there_is_no_interval() -> None:
    assert [Interval(0.5)] == estimates(lambda counts: mean_of([0, 1, 0, 1], counts), 4)


def test_of_no_conversations_there_is_nothing() -> None:
    nothing = estimates(lambda counts: np.full((len(counts), 1), math.nan), 0)
    assert [Interval(None)] == nothing


def test_what_never_changes_was_not_measured_by_resampling() -> None:
    assert [Interval(1.0)] == estimates(lambda counts: mean_of([1.0] * 9, counts), 9)


def test_what_is_seldom_defined_has_no_interval() -> None:
    def measure(counts: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.where(counts[:, :1] == 1, counts[:, 1:2], math.nan)

    assert [Interval(1.0)] == estimates(measure, 10)


def test_several_statistics_come_from_the_same_draws() -> None:
    values = [0.1, 0.5, 0.9, 0.4, 0.7, 0.2]
    one, other = estimates(
        lambda counts: np.hstack([mean_of(values, counts), 2 * mean_of(values, counts)]), 6
    )
    assert one.low is not None
    assert other.low == pytest.approx(2 * one.low)


@pytest.mark.slow
def test_intervals_of_kappa_cover_it_in_conversations_of_like_turns() -> None:
    rng = np.random.default_rng(3)
    truth = kappa(_judged(rng, 200_000).sum(axis=0))
    trials, covered = 300, 0
    for _ in range(trials):
        (interval,) = estimates(_kappa_of(_judged(rng, 60)), 60)
        assert interval.low is not None
        assert interval.high is not None
        covered += bool(interval.low <= truth <= interval.high)
    assert 0.93 <= covered / trials <= 0.97


def _kappa_of(by_talk: NDArray[np.float64]) -> Measure:
    return lambda counts: kappa(np.tensordot(counts, by_talk, 1))[:, None]


def _judged(rng: np.random.Generator, talks: int) -> NDArray[np.float64]:
    """Tables of conversations of three turns, about as good as each other, and a fair judge."""
    good = rng.normal(0.4, 0.8, (talks, 1)) + rng.normal(0, 0.8, (talks, 3))
    people = (good + rng.normal(0, 0.5, good.shape) > 0).astype(int).ravel()
    judge = (good + rng.normal(0, 0.5, good.shape) > 0).astype(int).ravel()
    return tables(judge.tolist(), people.tolist(), 2, np.repeat(np.arange(talks), 3).tolist())
