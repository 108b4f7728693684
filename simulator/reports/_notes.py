"""What people wrote in a report beside the cells that they are asked for: notes of their own."""

import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from simulator.files.rows import Record
from simulator.reports._worksheets.config import TITLE as CONFIG
from simulator.reports._worksheets.log import TITLE as LOG
from simulator.reports._worksheets.review import TITLE as REVIEW
from simulator.reports._worksheets.summary import TITLE as SUMMARY
from simulator.sheet.book import column_name
from simulator.sheet.columns import find_heads
from simulator.sheet.reading import Odd, ReviewTable

_LONGEST = 40  # characters of a head
_OURS = frozenset((LOG, REVIEW, SUMMARY, CONFIG))
_LOG_HEAD = re.compile(r"config|(?:user|assistant|check)\d+")


def notes(sheets: Mapping[str, Sequence[Record]], table: ReviewTable) -> Iterator[str]:
    """Each of them by where it stands: `column memo`, `worksheet Minutes`, `row 93`.

    Worksheets of somebody's own, columns and rows of somebody's own, cells of the program's that
    were edited, and names of reviewers who said nothing yet. Not what stands in Summary.

    Args:
        sheets: The rows of each worksheet; those of a csv file under "".
        table: What was read of the same file.
    """
    for title, records in sheets.items():
        if title and title not in _OURS and records:
            yield f"worksheet {title}"
        elif title == LOG:
            yield from (f"{LOG}, {place}" for place in _in_log(records))
        elif title in ("", REVIEW):
            yield from _in_review(records, table)
    for row in table.rows:
        if row.intact is False:
            yield f"row {row.place.row}, in which a cell was edited"
        if row.reviewer and not row.said:
            yield f"row {row.place.row}: {row.reviewer}"


def _in_review(records: Sequence[Record], table: ReviewTable) -> Iterator[str]:
    heads = find_heads(records)
    if heads is None:
        return
    ours = {place for places in heads.places.values() for place in places}
    keys = frozenset(heads.places["key"])
    told = {o.place.row for o in table.oddities if o.kind is Odd.BROKEN_KEY and o.place}
    rows = [r for r in records if r.line not in told]
    # What stands above the head, or has no key, is somebody's own.
    line = records[heads.at].line
    yield from _places(rows, line, ours, keys)


def _in_log(records: Sequence[Record]) -> Iterator[str]:
    if records:
        ours = {at for at, text in records[0].cells.items() if _LOG_HEAD.fullmatch(text)}
        yield from _places(records, records[0].line, ours, frozenset((min(ours, default=0),)))


def _places(
    records: Sequence[Record], head: int, ours: AbstractSet[int], keys: AbstractSet[int]
) -> Iterator[str]:
    """Columns that are not `ours` by their heads; then rows without a key, each told once."""
    texts: dict[int, str] = {}
    rows: list[int] = []
    for record in records:
        held = record.cells.keys() | record.broken.keys()
        if record.line == head or (record.line > head and not keys.isdisjoint(record.cells)):
            for at in sorted(held - ours):
                text = record.cells.get(at, "") if record.line == head else ""
                texts[at] = texts.get(at) or " ".join(text.split())[:_LONGEST]
        elif held:
            rows.append(record.line)
    yield from (f"column {texts[at] or column_name(at)}" for at in sorted(texts))
    yield from (f"row {line}" for line in rows)
