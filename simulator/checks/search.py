"""A search that was tried on a set of queries: its figures, and the queries that it failed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from simulator.core.outcome import Interval
from simulator.statistics.intervals import clustered, wilson
from simulator.statistics.ranking import hit_at, ndcg_at, recall_at, reciprocal_rank

Rankings = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class SearchFigure:
    """A mean over queries with its 95 % interval; `worst`/`best`: the missing ones as 0 or 1."""

    name: str
    value: Interval
    worst: float
    best: float


@dataclass(frozen=True, slots=True)
class Query:
    """One query: what it should find, what it found, and 1 / the place of the first right one."""

    text: str
    expected: tuple[str, ...]
    found: tuple[str, ...]
    reciprocal_rank: float
    ndcg: float


@dataclass(frozen=True, slots=True)
class SearchFigures:
    """How a search did. `missing` queries were never asked: they are in no mean.

    `extra` were asked and nothing is expected of them.
    """

    figures: tuple[SearchFigure, ...]
    queries: tuple[Query, ...]  # worst first
    missing: tuple[str, ...]
    extra: int


def searched(rankings: Rankings, expected: Rankings, depths: Sequence[int]) -> SearchFigures:
    """The figures of what a search found: MRR, and hit@k, recall@k and nDCG@k for each depth.

    Formulas: `statistics.ranking`. Hits are rates (Wilson); of the others the mean and t, over
    queries. A query that found nothing scores 0, one that stands only in `expected` is missing.

    Args:
        rankings: the ids that came for each query, the best first.
        expected: the ids that are right for each query.
        depths: the k, each 1 or more.
    """
    present = [query for query in expected if query in rankings]
    missing = tuple(query for query in expected if query not in rankings)
    pairs = [(rankings[query], expected[query]) for query in present]
    columns = {"mrr": [reciprocal_rank(*pair) for pair in pairs]}
    for k in depths:
        columns[f"hit@{k}"] = [hit_at(k, *pair) for pair in pairs]
        columns[f"recall@{k}"] = [recall_at(k, *pair) for pair in pairs]
        columns[f"ndcg@{k}"] = [ndcg_at(k, *pair) for pair in pairs]
    queries = [
        Query(query, expected[query], rankings[query], rank, ndcg_at(None, *pair))
        for query, rank, pair in zip(present, columns["mrr"], pairs, strict=True)
    ]
    return SearchFigures(
        figures=tuple(_figure(name, values, len(missing)) for name, values in columns.items()),
        queries=tuple(sorted(queries, key=lambda query: (query.reciprocal_rank, query.ndcg))),
        missing=missing,
        extra=sum(query not in expected for query in rankings),
    )


def _figure(name: str, values: Sequence[float], missing: int) -> SearchFigure:
    total, count = sum(values), len(values)
    if name.startswith("hit@"):
        interval = wilson(round(total), count)
    else:
        interval = clustered(values, range(count))
    every = count + missing
    return SearchFigure(name, interval, total / every, (total + missing) / every)
