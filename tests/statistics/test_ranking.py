"""Figures of ranked lists, against worked examples and written down once more."""

import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.statistics.ranking import Ranked, hit_at, ndcg_at, recall_at, reciprocal_rank

IDS = st.sampled_from("abcdef")
LISTS = st.lists(IDS | st.none(), max_size=8)
RELEVANT = st.sets(IDS, min_size=1)


@pytest.mark.parametrize(
    ("ranked", "expected"),
    [("abc", 1.0), ("xab", 1 / 2), ("xyzb", 1 / 4), ("xyz", 0.0), ("", 0.0), ("xxxa", 1 / 2)],
)
def test_the_reciprocal_rank_is_that_of_the_first_relevant_one(
    ranked: str, expected: float
) -> None:
    assert expected == reciprocal_rank(ranked, {"a", "b"})


@pytest.mark.parametrize(
    ("k", "hit", "recall"), [(1, 0.0, 0.0), (2, 1.0, 1 / 3), (3, 1.0, 1 / 3), (4, 1.0, 2 / 3)]
)
def test_hits_and_recall_grow_with_depth(k: int, hit: float, recall: float) -> None:
    assert (hit, recall) == (hit_at(k, "xaxyb", "abc"), recall_at(k, "xayb", "abc"))


def test_recall_anywhere_counts_each_document_once() -> None:
    assert 2 / 3 == recall_at(None, "axxaba", ["a", "b", "c", "a"])


def test_ndcg_of_a_worked_example() -> None:
    # Relevant at places 2 and 4; three are relevant: DCG = 1/log2 3 + 1/log2 5.
    dcg = 1 / math.log2(3) + 1 / math.log2(5)
    best = 1 + 1 / math.log2(3) + 1 / math.log2(4)
    assert dcg / best == pytest.approx(ndcg_at(None, "xayb", "abc"))
    assert (1 / math.log2(3)) / best == pytest.approx(ndcg_at(3, "xayb", "abc"))
    assert (1 / math.log2(3)) / (1 + 1 / math.log2(3)) == pytest.approx(ndcg_at(2, "xayb", "abc"))


def test_the_best_list_has_an_ndcg_of_one_at_every_depth() -> None:
    assert [1.0] * 4 == [ndcg_at(k, "bacxyz", "abc") for k in (1, 2, 3, None)]


def test_documents_without_a_name_take_a_place_and_are_never_right() -> None:
    ranked: Ranked = [None, None, "a"]
    assert 1 / 3 == reciprocal_rank(ranked, "a")
    assert 0.0 == hit_at(2, ranked, "a")


def test_a_document_that_comes_again_takes_no_further_place() -> None:
    ranked: Ranked = ["x", "x", "x", "a", "a"]
    assert (1 / 2, 1.0) == (reciprocal_rank(ranked, "a"), hit_at(2, ranked, "a"))
    assert ndcg_at(None, ["x", "a"], "a") == ndcg_at(None, ranked, "a")


FIGURES: list[Callable[[Ranked, set[str]], float]] = [
    lambda ranked, relevant: hit_at(3, ranked, relevant),
    reciprocal_rank,
    lambda ranked, relevant: recall_at(None, ranked, relevant),
    lambda ranked, relevant: recall_at(2, ranked, relevant),
    lambda ranked, relevant: ndcg_at(None, ranked, relevant),
    lambda ranked, relevant: ndcg_at(2, ranked, relevant),
]


@given(LISTS, RELEVANT)
def test_all_figures_lie_in_their_scale_and_agree_on_nothing_found(
    ranked: list[str | None], relevant: set[str]
) -> None:
    found = [figure(ranked, relevant) for figure in FIGURES]
    assert all(0.0 <= figure <= 1.0 for figure in found)
    if relevant.isdisjoint(ranked):
        assert [0.0] * len(FIGURES) == found


@given(LISTS, RELEVANT)
def test_ndcg_is_one_only_where_no_other_order_is_better(
    ranked: list[str | None], relevant: set[str]
) -> None:
    places = list(dict.fromkeys(name for name in ranked if name is not None))
    first = set(places[: len(relevant)])
    if None not in ranked:
        assert (first == relevant) == (ndcg_at(None, ranked, relevant) == pytest.approx(1.0))
