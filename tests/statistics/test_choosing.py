from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import fbeta_score, roc_curve

from simulator.statistics.thresholds import (
    Choice,
    LabelledScores,
    Objective,
    cross_fitted,
    cut_points,
)

F2, YOUDEN = Objective("f", 2.0), Objective("youden")
ANSWER = st.tuples(
    st.sampled_from([0.0, 0.2, 0.25, 0.4, 0.6, 0.8, 1.0]),
    st.booleans(),
    st.sampled_from([1.0, 4.0]),
    st.integers(0, 12),
)
ANSWERS = st.lists(ANSWER, min_size=2, max_size=40)


def spoken(answers: Any) -> LabelledScores:
    values, ng, weights, talks = zip(*answers, strict=True)
    _, codes = np.unique(talks, return_inverse=True)
    return LabelledScores(np.array(values), np.array(ng), np.array(weights), codes)


def drawn(
    draw: np.random.Generator, talks: int, turns: int = 2, shift: float = 0.6
) -> LabelledScores:
    """Conversations in which bad answers tend to have lower scores; turns of one are alike."""
    of = np.repeat(np.arange(talks), turns)
    tilt = draw.normal(0, 1, talks)[of]
    ng = draw.random(len(of)) < 1 / (1 + np.exp(1 - tilt))
    values = 1 / (1 + np.exp(-(1 - 4 * shift * ng - 0.3 * tilt + draw.normal(0, 1, len(of)))))
    return LabelledScores(values, ng, np.ones(len(of)), of)


@given(ANSWERS)
def test_no_threshold_has_a_greater_f2_by_scikit_learn(answers: Any) -> None:
    found = spoken(answers)
    best = Choice(found, F2).best()
    if found.ng.all() or not found.ng.any():
        assert best is None
        return
    assert best is not None
    of_all = {
        cut: fbeta_score(
            found.ng,
            found.flags(cut),
            beta=2,
            sample_weight=found.weights,
            zero_division=0.0,
        )
        for cut in cut_points(found.values)
    }
    assert max(of_all.values()) == pytest.approx(of_all[best])
    assert best == min(c for c, f in of_all.items() if f > of_all[best] - 1e-9), "the lowest"


@given(ANSWERS)
def test_youden_is_the_greatest_on_scikit_learns_curve(answers: Any) -> None:
    found = spoken(answers)
    if found.ng.all() or not found.ng.any():
        return
    best = Choice(found, YOUDEN).best()
    assert best is not None
    fpr, tpr, _ = roc_curve(found.ng, -found.values, sample_weight=found.weights)
    flags, mass = found.flags(best), found.weights
    mine = mass[flags & found.ng].sum() / mass[found.ng].sum()
    mine -= mass[flags & ~found.ng].sum() / mass[~found.ng].sum()
    # A perfect score of 1 cannot be flagged by any threshold, on the curve it is the last point.
    reachable = [true - false for false, true in zip(fpr, tpr, strict=True)][:-1]
    assert max([*reachable, 0.0]) == pytest.approx(mine)


def test_a_promise_counts_one_conversation_more_than_there_are() -> None:
    # 19 bad answers, each alone: (missed + 1) / 20 <= 0.1 allows one to be missed.
    answers = [(n / 20, True, 1.0, n) for n in range(19)] + [(0.99, False, 1.0, 99)]
    best = Choice(spoken(answers), Objective("miss-rate", 0.1)).best()
    assert best is not None
    assert 18 == int(spoken(answers).flags(best)[:19].sum())


@pytest.mark.parametrize(("alpha", "needed"), [(0.1, 9), (0.05, 19), (0.3, 3)])
def test_a_promise_takes_so_many_conversations_with_a_bad_answer(alpha: float, needed: int) -> None:
    objective = Objective("miss-rate", alpha)
    assert needed == objective.talks_needed
    for count, possible in ((needed - 1, False), (needed, True)):
        found = spoken([(n / 100, True, 1.0, n) for n in range(count)])
        assert possible == (Choice(found, objective).best() is not None)


def test_a_bad_answer_with_a_perfect_score_cannot_be_promised_away() -> None:
    answers = [(1.0, True, 1.0, n) for n in range(30)] + [(0.5, False, 1.0, 99)]
    assert None is Choice(spoken(answers), Objective("miss-rate", 0.1)).best()


def test_audited_answers_count_for_those_that_nobody_saw() -> None:
    low = [(0.3, True, 1.0, n) for n in range(20)]

    def best(weight: float) -> float | None:
        high = [(0.8, n < 24, weight, n) for n in range(20, 54)]
        return Choice(spoken([*low, *high]), F2).best()

    assert 0.6 == best(1.0), "between 0.3 and 0.8"
    assert 0.9 == best(10.0), "what it misses stands for much more"


def test_the_spread_says_how_sure_a_threshold_is() -> None:
    sure = spoken([(0.2 if n % 3 else 0.9, n % 3 > 0, 1.0, n) for n in range(60)])
    found = Choice(sure, F2).spread()
    assert found is not None
    assert 0.6 == Choice(sure, F2).best()  # between 0.2 and 0.9
    assert (1.0, 0.6, 0.6, 0.0) == (found.same, found.low, found.high, found.none)
    unsure = Choice(drawn(np.random.default_rng(3), 20), F2).spread()
    assert unsure is not None
    assert unsure.low < unsure.high
    assert 0 < unsure.same < 0.8
    assert unsure == Choice(drawn(np.random.default_rng(3), 20), F2).spread(), "by its seed"


def test_figures_on_other_conversations_are_no_better_than_on_its_own() -> None:
    gaps = []
    for seed in range(20):
        found = drawn(np.random.default_rng(seed), 30, shift=0.0)  # the score tells nothing
        best = Choice(found, YOUDEN).best()
        assert best is not None
        fresh, flags = cross_fitted(found, YOUDEN), found.flags(best)
        own = flags[found.ng].mean() - flags[~found.ng].mean()
        assert fresh is not None
        gaps.append(own - (fresh.youden or 0))
    assert np.mean(gaps) > 0.05


def test_answers_of_one_kind_have_no_threshold() -> None:
    assert [] == cut_points(np.array([]))
    one_kind = spoken([(0.5, True, 1.0, n) for n in range(9)])
    assert None is Choice(one_kind, F2).best()
    assert None is Choice(one_kind, F2).spread()
    assert None is cross_fitted(one_kind, F2)


def test_one_conversation_has_no_others_to_try_a_threshold_on() -> None:
    alone = spoken([(n / 40, n < 20, 1.0, 0) for n in range(40)])
    assert Choice(alone, F2).best() is not None
    assert None is cross_fitted(alone, F2)


@pytest.mark.slow
@pytest.mark.parametrize(("talks", "alpha"), [(30, 0.2), (60, 0.1), (150, 0.1)])
def test_the_promised_miss_rate_holds_on_fresh_conversations(talks: int, alpha: float) -> None:
    draw, fresh = np.random.default_rng(11), drawn(np.random.default_rng(1), 40_000)
    counts = np.bincount(fresh.talks, fresh.ng)
    missed = []
    for _ in range(400):
        best = Choice(drawn(draw, talks), Objective("miss-rate", alpha)).best()
        lost = fresh.ng & ~fresh.flags(1.0 if best is None else best)
        share = np.bincount(fresh.talks, lost)[counts > 0] / counts[counts > 0]
        missed.append(share.mean())
    assert alpha - 0.06 < np.mean(missed) <= alpha + 2 * np.std(missed) / 20


@pytest.mark.slow
@pytest.mark.parametrize("alpha", [0.1, 0.2])
def test_the_promise_holds_where_the_rest_was_audited(alpha: float) -> None:
    draw, fresh = np.random.default_rng(12), drawn(np.random.default_rng(1), 40_000, 1)
    missed = []
    for _ in range(400):
        every = drawn(draw, 400, 1)
        flagged = every.flags(0.5)
        shown = flagged | (draw.random(400) < 0.2)
        weighted = LabelledScores(every.values, every.ng, np.where(flagged, 1.0, 5.0), every.talks)
        best = Choice(weighted.where(shown), Objective("miss-rate", alpha)).best()
        lost = fresh.ng & ~fresh.flags(1.0 if best is None else best)
        missed.append(lost.sum() / fresh.ng.sum())
    assert np.mean(missed) <= alpha + 2 * np.std(missed) / 20


@pytest.mark.slow
@pytest.mark.parametrize(("talks", "most"), [(30, 0.05), (100, 0.02), (300, 0.01)])
def test_a_tuned_threshold_comes_near_to_the_best_possible(talks: int, most: float) -> None:
    draw, fresh = np.random.default_rng(13), drawn(np.random.default_rng(1), 20_000)
    grid = np.linspace(0, 1, 401)
    worth = np.array([fbeta_score(fresh.ng, fresh.flags(cut), beta=2) for cut in grid])
    lost = []
    for _ in range(200):
        best = Choice(drawn(draw, talks), F2).best() or 0.0
        lost.append(worth.max() - np.interp(best, grid, worth))
    assert np.mean(lost) < most


@pytest.mark.slow
def test_the_cross_fitted_figures_are_those_of_fresh_conversations() -> None:
    draw, fresh = np.random.default_rng(14), drawn(np.random.default_rng(1), 20_000)
    told, true = [], []
    for _ in range(200):
        found = drawn(draw, 60)
        best, other = Choice(found, F2).best(), cross_fitted(found, F2)
        assert best is not None
        assert other is not None
        told.append(other.recall.mean or 0)
        true.append(fresh.flags(best)[fresh.ng].mean())
    assert abs(np.mean(told) - np.mean(true)) < 0.02


def test_todays_threshold_is_kept_unless_another_is_better_by_what_is_printed() -> None:
    answers = [(0.2, True, 1.0, n) for n in range(300)] + [(0.8, False, 1.0, n) for n in range(300)]
    slightly = spoken([*answers, (0.4, False, 1.0, 1)])
    clearly = spoken([*answers, *[(0.4, False, 1.0, n) for n in range(90)]])
    assert [0.3, 0.3] == [Choice(found, F2).best() for found in (slightly, clearly)]
    assert [0.5, 0.3] == [Choice(found, F2, 0.5).best() for found in (slightly, clearly)]
