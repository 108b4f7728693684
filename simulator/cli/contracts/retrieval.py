"""The JSON of `mogi retrieval`."""

from collections.abc import Mapping, Sequence

from simulator.checks.probes import Query, SearchFigures
from simulator.formats.json_contracts import Count, Share, contract, filled


@contract
class SearchMean:
    """A figure of a search."""

    mean: Share
    """Over queries."""
    low: Share | None
    """The lower end of its 95% interval."""
    high: Share | None
    """The upper end."""
    worst: Share
    """If all that were never asked had found nothing."""
    best: Share
    """If they had found all."""


@contract
class QueryFigures:
    """A query and what came for it."""

    query: str
    """Its text, or its id."""
    expected: tuple[str, ...]
    """What it should find."""
    found: tuple[str, ...]
    """What came."""
    reciprocal_rank: Share
    """1 / the rank of the first correct document; 0 if there is none."""
    ndcg: Share
    """How good the order is."""


@contract
class RetrievalFigures:
    """What `mogi retrieval FILE --json` prints."""

    queries: Count
    """That are expected to find something."""
    scored: Count
    """Of these asked."""
    missing: tuple[str, ...]
    """Those that were never asked."""
    extra: Count
    """Queries that are expected nowhere."""
    metrics: Mapping[str, SearchMean]
    """By name, such as hit@3 and mrr."""
    worst: tuple[QueryFigures, ...]
    """The queries that did worst."""


def retrieval_json(search: SearchFigures, worst: Sequence[Query]) -> RetrievalFigures:
    """The figures of a search, and the queries that it failed."""
    return filled(
        RetrievalFigures,
        search,
        queries=len(search.queries) + len(search.missing),
        scored=len(search.queries),
        metrics={f.name: filled(SearchMean, f, f.value) for f in search.figures},
        worst=tuple(filled(QueryFigures, query, query=query.text) for query in worst),
    )
