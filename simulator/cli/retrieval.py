"""`mogi retrieval`: how well a search finds what it should, query by query."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from simulator.checks.probes import Query, SearchFigures
from simulator.cli import common, exits
from simulator.console.output import print_json, tell
from simulator.core.clean import visible
from simulator.core.errors import InputError
from simulator.formats.json_contracts import Count, Share, contract, filled
from simulator.words import counted


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


_EXAMPLES = """\
\b
Examples:
  mogi retrieval found.csv --expected queries.csv
  mogi retrieval found.csv --expected queries.csv --k 1,10 --json

\b
Columns: query or query_id, and id (Japanese headers also work; see the docs).
List a query's documents best first. Use one row per query (separate IDs with
|), or one row per document (the column rank, if any, sets the order).
In .jsonl, a line is {"query": …, "ids": […]}.
To create queries.csv, use `mogi generate --export-retrieval DIR`.
"""
_QUERIES_SHOWN = 10  # of those that did worst; --json has all
_MOST_SHOWN = 5  # ids of one query


def _depths(text: str) -> tuple[int, ...]:
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isascii() and part.isdecimal() and int(part) > 0 for part in parts):
        raise ValueError(f"{text!r} isn't a list of whole numbers from 1, such as 1,3,5")
    return tuple(sorted({int(part) for part in parts}))


@click.command(epilog=_EXAMPLES)
@click.argument("results", type=common.NAME)
@common.text("--expected", "FILE", "File with the expected documents of each query.", required=True)
@click.option(
    "--k",
    "depths",
    type=common.Parsed(_depths),
    metavar="K,K",
    default="1,3,5",
    show_default=True,
    help="Evaluate the top K results.",
)
@common.flag("--json", "Print one JSON object.", "as_json")
def command(results: str, expected: str, depths: tuple[int, ...], *, as_json: bool) -> int:
    """Evaluate search results: compute hit@k, MRR, recall and nDCG for RESULTS.

    mogi only compares IDs; it doesn't call a bot or a model. If a query appears only in
    the expected file, mogi excludes it from averages, reports it, and exits with 3.
    """
    from simulator.checks.probes import searched
    from simulator.files.rankings import read_rankings
    from simulator.formats.sources import Source

    right = read_rankings(Source.of(Path(expected)), empty=False)
    came = read_rankings(Source.of(Path(results)), empty=True)
    search = searched(came, right, depths)
    if not search.queries:
        raise InputError(
            f"no query of {expected} is in {results}; use the same text, or the same query_id, "
            "in both"
        )
    if as_json:
        print_json(retrieval_json(search, _failed(search)))
    else:
        _show(search)
    return exits.INCOMPLETE if search.missing else 0


def _failed(search: "SearchFigures") -> list["Query"]:
    """Those that could have done better."""
    return [query for query in search.queries if query.ndcg < 1]


def _show(search: "SearchFigures") -> None:
    scored = len(search.queries)
    queries = counted(scored + len(search.missing), "query", "queries")
    tell(f"{scored} of {queries}, 95% intervals over queries")
    for figure in search.figures:
        value, worst_best = figure.value, f"{figure.worst:.3f}-{figure.best:.3f}"
        ends = "" if value.low is None else f"  {value.low:.3f}-{value.high:.3f}"
        bounds = f"  with the missing {worst_best}" if search.missing else ""
        tell(f"  {figure.name:10} {value.mean:.3f}{ends}{bounds}")
    if search.extra:
        tell(f"excluded: {counted(search.extra, 'query', 'queries')} not in the expected file")
    for text in search.missing[:_QUERIES_SHOWN]:
        tell(f"never asked: {visible(text)}")
    failed = _failed(search)[:_QUERIES_SHOWN]
    if failed:
        tell("worst queries: expected documents / first results")
    for query in failed:
        expected, came = (_ids(ids) for ids in (query.expected, query.found))
        tell(f"  {query.reciprocal_rank:.2f}  {visible(query.text)}  {expected} / {came}")


def _ids(ids: tuple[str, ...]) -> str:
    more = len(ids) - _MOST_SHOWN
    shown = [visible(name) for name in ids[:_MOST_SHOWN]]
    return ", ".join([*shown, *([f"and {more} more"] if more > 0 else [])]) or "nothing"
