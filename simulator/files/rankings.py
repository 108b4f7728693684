"""Which documents a search found, or should find, for which query: csv, JSON lines or xlsx."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from simulator.core.errors import Complaint, raise_all
from simulator.files.column_names import column_of
from simulator.formats.records import RawRow
from simulator.formats.row_files import RawFile, open_raw
from simulator.formats.sources import Source, hint
from simulator.formats.tables import BAR_OR_COMMA, parts_of

Rankings = Mapping[str, tuple[str, ...]]
"""By query, in the file's order: the ids of documents, the best first, each as often as it came."""


def read_rankings(source: Source, *, empty: bool) -> Rankings:
    """The rankings in a file, by the names of its columns.

    A query with its documents in one row (ids parted by | or commas; in JSON lines also a list,
    of texts or of objects with an `id`), or in several, one document each: then in the order of a
    column rank (順位), if there is one, else of the rows.

    Args:
        source: The file.
        empty: Whether a query may stand there without any document: a search found nothing.

    Raises:
        InputError: everything that is wrong in it.
    """
    raw = open_raw(source)
    if raw.columns:
        try:
            _columns(raw.columns)
        except ValueError as error:
            raise raw.source.error(raw.head, str(error)) from error
    complaints: list[Complaint] = []
    found: dict[str, list[tuple[float, str]]] = {}
    for row in raw.rows():
        try:
            query, ids, rank = _read(raw, row)
        except ValueError as error:
            complaints.append(raw.source.complaint(row.line, str(error)))
            continue
        if not ids and not empty:
            message = f"{query!r} has no documents; add one, or remove the row"
            complaints.append(raw.source.complaint(row.line, message))
        found.setdefault(query, []).extend((rank, name) for name in ids)
    raise_all(complaints)
    if not found:
        raise source.error(0, "contains no query; write one per row, with the ids of its documents")
    return {
        query: tuple(name for _, name in sorted(pairs, key=lambda pair: pair[0]))
        for query, pairs in found.items()
    }


def _read(raw: RawFile, row: RawRow) -> tuple[str, list[str], float]:
    """Query, ids and place (0 where none is told) of a row; ValueError says what is wrong."""
    if row.problem:
        raise ValueError(row.problem)
    query, ids, rank = _columns(raw.columns or row.cells)
    for column in filter(None, (query, ids, rank)):
        if column in row.broken:
            raise ValueError(f"{column}: {row.broken[column]}")
    text = row.cells.get(query, "")
    if not isinstance(text, str) or not text.strip():
        raise ValueError(f"{query}: the query is missing; write its text or ID")
    return text.strip(), list(_ids(row.cells.get(ids))), _place(row.cells.get(rank or ""))


def _columns(names: Iterable[str]) -> tuple[str, str, str | None]:
    """The columns of query, documents and, where there is one, rank."""
    names = [name for name in names if name]
    query, ids, rank = (column_of("rankings", m, names) for m in ("query", "documents", "rank"))
    if query is None:
        raise ValueError(f"no column for the query; name one query or 質問. {hint('', names)}")
    if ids is None:
        raise ValueError(f"no column for the documents; name one id or 文書. {hint('', names)}")
    return query, ids, rank


def _ids(value: Any) -> Iterator[str]:
    if value is None:
        return
    if isinstance(value, Mapping):
        value = value.get("id")
        if value is None or isinstance(value, (Mapping, list)):
            raise ValueError("a document is an object without an id; write its id")
    if isinstance(value, list):
        for item in value:
            yield from _ids(item)
    else:
        yield from parts_of(str(value), BAR_OR_COMMA)


def _place(value: Any) -> float:
    if value in (None, ""):
        return 0.0
    try:
        return float(str(value))
    except ValueError:
        raise ValueError(f"rank: {value!r} is not a number; write 1, 2, 3 …") from None
