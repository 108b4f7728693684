"""A search on a set of queries: means, intervals, what is missing, and the worst."""

import math

import pytest

from simulator.checks.probes import SearchFigure, searched

EXPECTED = {"a": ("1",), "b": ("2", "3"), "c": ("4",), "d": ("5",), "e": ("6",), "f": ("7",)}
FOUND = {
    "a": ("1", "9"), "b": ("9", "3"), "c": ("9", "8"), "d": (), "e": ("6",), "f": ("7",), "g": (),
}  # fmt: skip


def figures(found: tuple[SearchFigure, ...]) -> dict[str, SearchFigure]:
    return {figure.name: figure for figure in found}


def test_means_are_over_queries_and_hits_have_wilsons_interval() -> None:
    found = searched(FOUND, EXPECTED, (1, 2))
    by_name = figures(found.figures)
    assert ["mrr", "hit@1", "recall@1", "ndcg@1", "hit@2", "recall@2", "ndcg@2"] == list(by_name)
    assert (1 + 1 / 2 + 0 + 0 + 1 + 1) / 6 == pytest.approx(by_name["mrr"].value.mean)
    assert (3 / 6, 4 / 6) == (by_name["hit@1"].value.mean, by_name["hit@2"].value.mean)
    assert (1 + 1 / 2 + 1 + 1) / 6 == pytest.approx(by_name["recall@2"].value.mean)
    ndcg = (1 / math.log2(3)) / (1 + 1 / math.log2(3))
    assert (3 + ndcg) / 6 == pytest.approx(by_name["ndcg@2"].value.mean)
    assert all(f.value.low is not None and f.value.high is not None for f in found.figures)
    hit = by_name["hit@1"].value
    assert (0.1876, 0.8124) == pytest.approx((hit.low, hit.high), abs=1e-4)
    assert (1, ()) == (found.extra, found.missing)


def test_the_worst_come_first() -> None:
    found = searched(FOUND, EXPECTED, (1,))
    assert {"c", "d"} == {query.text for query in found.queries[:2]}
    third = found.queries[2]
    assert ("b", ("2", "3"), ("9", "3"), 1 / 2) == (
        third.text, third.expected, third.found, third.reciprocal_rank,
    )  # fmt: skip


def test_queries_that_were_never_asked_are_in_no_mean_and_widen_the_bounds() -> None:
    found = searched({"a": ("1",), "b": ("9",)}, EXPECTED, (1,))
    mrr = figures(found.figures)["mrr"]
    assert ("c", "d", "e", "f") == found.missing
    assert (1 / 2, 1 / 6, 5 / 6) == pytest.approx((mrr.value.mean, mrr.worst, mrr.best))


def test_nothing_asked_has_no_mean() -> None:
    found = searched({"x": ("1",)}, EXPECTED, (1,))
    assert () == found.queries
    assert {None} == {figure.value.mean for figure in found.figures}
    assert {(0.0, 1.0)} == {(figure.worst, figure.best) for figure in found.figures}
