"""A cross-validated AUC, and the level that chance alone seldom exceeds."""

import numpy as np
import pytest
from scipy.stats import norm

from simulator.statistics.discriminant import Separability, direction, separability

GROUPS, FEATURES = 30, 40


def drawn(seed: int, *, shift: float = 0.0, of_group: float = 0.0, turns: int = 3) -> Separability:
    """What tells apart two kinds of groups whose rows differ by `shift` in one feature.

    `of_group`: how much the rows of a group have in common; `turns`: the rows of a group of the
    first kind, those of the second have three.
    """
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(2 * GROUPS), [turns] * GROUPS + [3] * GROUPS)
    own = rng.normal(size=(2 * GROUPS, FEATURES))[groups]
    rows = rng.normal(size=own.shape) + of_group * own
    first = turns * GROUPS
    rows[first:, 0] += shift
    return separability(rows[:first], rows[first:], groups.tolist())


@pytest.mark.parametrize(("of_group", "turns"), [(0.0, 3), (3.0, 3), (1.0, 1)])
def test_chance_alone_exceeds_its_level_once_in_twenty(of_group: float, turns: int) -> None:
    figures = [drawn(seed, of_group=of_group, turns=turns) for seed in range(25)]
    means = [figure.auc.mean or 0.0 for figure in figures]
    above = sum(mean > figure.chance for mean, figure in zip(means, figures, strict=True))
    assert above / len(figures) <= 0.16
    assert pytest.approx(0.5, abs=0.03) == np.mean(means)


def test_a_planted_difference_is_noticed_at_about_its_size() -> None:
    figures = [drawn(seed, shift=2.0) for seed in range(10)]
    area = np.mean([figure.auc.mean or 0.0 for figure in figures])
    assert 0.85 < area < norm.cdf(2.0 / np.sqrt(2))  # what is estimated is never the best direction
    assert all((figure.auc.mean or 0.0) > figure.chance for figure in figures)


def test_the_direction_is_fishers() -> None:
    rng = np.random.default_rng(1)
    first = rng.normal(size=(4_000, 2)) * (1.0, 3.0)
    second = rng.normal(size=(4_000, 2)) * (1.0, 3.0) + (1.0, 1.0)
    labels = np.repeat((0, 1), 4_000)[:, np.newaxis]
    weights = direction(np.vstack((first, second)), labels)[:, 0]
    assert pytest.approx(9.0, rel=0.2) == weights[0] / weights[1]  # 1 / 1² to 1 / 3²


def test_a_feature_that_never_changes_says_nothing() -> None:
    rng = np.random.default_rng(2)
    first, second = rng.normal(size=(50, 2)), rng.normal(size=(50, 2))
    first[:, 1] = second[:, 1] = 4.0
    labels = np.repeat((0, 1), 50)[:, np.newaxis]
    assert pytest.approx(0.0) == direction(np.vstack((first, second)), labels)[1, 0]
