"""What people wrote into a report is not written over before it is in the store."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import get_args

from simulator.core.claim import Claim
from simulator.core.clean import cut
from simulator.core.errors import InputError, raise_all
from simulator.core.persona import Language
from simulator.core.run import Run
from simulator.core.verdict import Verdict
from simulator.formats.own_files import whole
from simulator.formats.sources import Source
from simulator.formats.table_files import is_workbook, read_records
from simulator.formats.tables import Record
from simulator.formats.xlsx.workbook import Marks, read_marks, read_worksheets
from simulator.reports._workbook.config_worksheet import COLOURS, CONFIG, edited
from simulator.reports._workbook.summary import SUMMARY
from simulator.reports._workbook.turns import LOG, REVIEW
from simulator.words import Words, table
from simulator.worksheets.book import Trace, column_name
from simulator.worksheets.claim_marks import numbered_claims
from simulator.worksheets.columns import find_heads, is_judged, is_word
from simulator.worksheets.files import FILLS, WROTE
from simulator.worksheets.reading import Odd, Oddity, ReviewTable, RowPlace, not_stored
from simulator.worksheets.review_files import read_review_file

_LONGEST = 40  # characters of a head
_TOLD = 200  # characters of a cell or of a note
_GUIDES = frozenset(table(language, "sheet")["how"] for language in get_args(Language))
_OURS = frozenset((LOG, REVIEW, SUMMARY, CONFIG)) | _GUIDES
_PALETTE = frozenset(f"{c.red:02X}{c.green:02X}{c.blue:02X}" for c in (*FILLS, *COLOURS))
_SHOWN = 3  # rows that a message names
_OTHER = "use another file"
_UNREADABLE = {Odd.NO_RESULT: "contains a formula without a result", Odd.NO_DAY: "shows ####"}


@contextmanager
def report_file(run: Run, path: str | None, name: str) -> Iterator[Path]:
    """Where to write the report `name`; it appears under `path` when the block ends well.

    Raises:
        InputError: there is no path, it cannot be written, or what people wrote would be lost.
    """
    if not path:
        raise InputError(f"this report needs a file; write --report {name}=FILE")
    check_nothing_is_lost(run, path)
    with whole(path, "the report") as part:
        yield part


def check_nothing_is_lost(run: Run, path: str) -> None:
    """Look whether `path` may be written: nothing is there, or what people wrote is kept already.

    Raises:
        InputError: a file is there that is no such report, or it holds verdicts that the run
            does not have, cells that cannot be read, thresholds that somebody edited, or
            anything else that people added.
    """
    where = Path(path)
    if not where.is_file() or not where.stat().st_size:
        return
    source = Source.of(where)
    read = _table(source, run)
    sheets = read_worksheets(source) if is_workbook(where) else {"": read_records(source)}
    lost = [
        *_not_kept(run, read, source.name),
        _complaint("has unreadable parts: ", _not_read(read), f"; fix these, or {_OTHER}"),
        _complaint("contains edited thresholds: ", edited(sheets.get(CONFIG, [])), f"; {_OTHER}"),
        _complaint("has content that people added (", _notes(sheets, read), f"); {_OTHER}"),
        _complaint("has content that people added: ", _told(source), f"; {_OTHER}"),
    ]
    raise_all([source.complaint(0, message) for message in lost if message])


def _complaint(before: str, lost: Iterable[str], after: str) -> str:
    """What is said of things that would be lost; nothing where there are none."""
    listed = list(lost)
    more = f"; and {len(listed) - _SHOWN} more" if len(listed) > _SHOWN else ""
    return f"{before}{'; '.join(listed[:_SHOWN])}{more}{after}" if listed else ""


def _table(source: Source, run: Run) -> ReviewTable:
    try:
        return read_review_file(source, run.header.language)
    except InputError as error:
        message = f"already exists, and isn't a readable review ({error}); use another file"
        raise source.error(0, message) from error


def _told(source: Source) -> Iterator[str]:
    for odd in strays(source):
        sheet, values = odd.place.sheet if odd.place else "", odd.values
        if sheet in _OURS and odd.kind is not Odd.LIMIT:
            what = f": {values['text']}" if "text" in values else ", coloured"
            yield f"{sheet}, {values['cell']}{what}"


def strays(source: Source) -> Iterator[Oddity]:
    """What people left in a workbook beside the table to review.

    Texts in other worksheets, notes on cells, colours, thresholds. Files of earlier versions do not
    tell which texts and notes a program wrote; there only worksheets of people's own are looked at.

    Raises:
        InputError: the file cannot be read.
    """
    if not is_workbook(source.path):
        return
    sheets, marks = read_worksheets(source), read_marks(source, _PALETTE)
    kept = [text for name, text in marks.properties.items() if name.startswith(WROTE)]
    trace = Trace(kept)
    others = [title for title, records in sheets.items() if not find_heads(records)]
    for title in others if kept else (title for title in others if title not in _OURS):
        cells = ((record.line, *cell) for record in sheets[title] for cell in record.cells.items())
        for line, at, text in cells:
            if not trace.knows(text) or _is_misplaced(text, title, trace):
                yield stray(title, f"{column_name(at)}{line}", text)
    for title, cell, text in marks.notes if kept else ():
        if not trace.knows(text):
            yield stray(title, cell, text, Odd.NOTE)
    yield from _painted(marks)
    yield from limits(CONFIG, sheets.get(CONFIG, []))


def limits(title: str, records: Sequence[Record]) -> Iterator[Oddity]:
    """The thresholds that somebody changed in this worksheet."""
    for limit in edited(records):
        yield Oddity(Odd.LIMIT, RowPlace(0, title), {"text": limit})


def _is_misplaced(text: str, title: str, trace: Trace) -> bool:
    """Whether a verdict stands in a worksheet in which the program wrote no such word."""
    return (
        title in _OURS - _GUIDES
        and is_judged(text)
        and is_word(text)
        and not trace.knows(text, title)
    )


def _painted(marks: Marks) -> Iterator[Oddity]:
    for title, cells_of in groupby(sorted(marks.painted, key=itemgetter(0)), itemgetter(0)):
        cells = [cell for _, cell in cells_of]
        yield painted(title, " ".join(cells[:_SHOWN]), len(cells))


def painted(sheet: str, cells: str, n: int) -> Oddity:
    """Cells that somebody coloured, by the first of them, as they are told."""
    return Oddity(Odd.PAINTED, RowPlace(0, sheet), {"cell": cells, "n": str(n)})


def stray(sheet: str, cell: str, text: str, kind: Odd = Odd.ELSEWHERE) -> Oddity:
    """What somebody wrote beside the table to review, as it is told."""
    values = {"cell": cell, "text": cut(" ".join(text.split()), _TOLD)}
    return Oddity(kind, RowPlace(0, sheet), values)


def _not_read(table: ReviewTable) -> Iterator[str]:
    """What people may have written where it cannot be read."""
    for odd in table.oddities:
        row = f"row {odd.place.row}" if odd.place and odd.place.row else "the head"
        column = odd.values.get("column", "")
        if odd.kind is Odd.MISPLACED:
            yield f"{row}: {odd.values['text']} is in the column {column}"
        elif odd.kind is Odd.BROKEN_KEY:
            yield f"{row} lost its hidden key and has {odd.values['typed']}"
        elif odd.kind is Odd.NO_COLUMN:
            yield f"{row} has no column {column}"
        elif odd.kind is Odd.BROKEN_CELL:
            yield f"{row}, {column}, shows {odd.values['error']}"
        elif odd.kind in (Odd.NO_RESULT, Odd.NO_DAY):
            yield f"{row}, {column}, {_UNREADABLE[odd.kind]}"


def _not_kept(run: Run, table: ReviewTable, file: str) -> Iterator[str]:
    """By run, the rows in which somebody wrote what the verdicts of `run` do not hold."""
    ours = run.header.id
    wanted = {row.episode for row in table.rows if row.is_judged and row.run == ours}
    claims: dict[str, Sequence[Claim]] = {}
    verdicts = list(_verdicts(run, wanted, claims)) if wanted else []
    lost: dict[str, list[str]] = {}
    for row in not_stored(table, ours, verdicts, claims):
        lost.setdefault(row.run, []).append(f"row {row.place.row}: {row.typed}")
    for of, rows in lost.items():
        pull = f"mogi review pull {of} --from {file}"
        if of == ours:
            before = f"contains verdicts that run {of} doesn't have: "
            yield _complaint(before, rows, f"; read them first ({pull}), or {_OTHER}")
        else:
            yield _complaint(
                f"contains verdicts of run {of}: ", rows, f"; {_OTHER} ({pull} reads these)"
            )


def _verdicts(
    run: Run, wanted: AbstractSet[str], claims: dict[str, Sequence[Claim]]
) -> Iterator[Verdict]:
    """What people said of these conversations, and the same in the words that a file shows.

    `claims` gets those that have numbers there, by conversation.
    """
    words = Words(run.header.language, "report")
    yield from run.on_claims()
    for episode, verdicts in run.reviewed():
        if episode.scenario and episode.cell.key in wanted:
            claims[episode.cell.key] = numbered_claims(episode.scenario.expected)
        for verdict in verdicts if episode.cell.key in wanted else ():
            yield verdict
            yield replace(verdict, error_type=words.name("fault", verdict.error_type))


def _notes(sheets: Mapping[str, Sequence[Record]], table: ReviewTable) -> Iterator[str]:
    """What people added beside the cells that they are asked for, by where it stands.

    `column memo`, `worksheet Minutes`, `row 93`.

    Worksheets of somebody's own, columns and rows of somebody's own, cells of the program's that
    were edited, and names of reviewers who said nothing yet. Not what stands in Summary.

    Args:
        sheets: The rows of each worksheet; those of a csv file under "".
        table: What was read of the same file.
    """
    for title, records in sheets.items():
        if title and title not in _OURS and records:
            yield f"worksheet {title}"
        elif title in ("", REVIEW):
            yield from _in_review(records, table)
    live = {o.place.row for o in table.oddities if o.kind is Odd.EDITED and o.place}
    yield from (f"row {row}, where a cell was edited" for row in sorted(live))
    yield from (
        f"row {r.place.row}, where a cell was edited" for r in table.rows if r.intact is False
    )
    yield from (
        f"row {r.place.row}: {r.reviewer}" for r in table.rows if r.reviewer and not r.is_judged
    )


def _in_review(records: Sequence[Record], table: ReviewTable) -> Iterator[str]:
    heads = find_heads(records)
    if heads is None:
        return
    ours = {place for places in heads.places.values() for place in places}
    keys = frozenset(heads.places["key"])
    reported = {o.place.row for o in table.oddities if o.kind is Odd.BROKEN_KEY and o.place}
    rows = [r for r in records if r.line not in reported]
    # What stands above the head, or has no key, is somebody's own.
    line = records[heads.at].line
    yield from _places(rows, line, ours, keys)


def _places(
    records: Sequence[Record], head: int, ours: AbstractSet[int], keys: AbstractSet[int]
) -> Iterator[str]:
    """Columns that are not `ours` by their heads; then rows without a key, each told once."""
    texts: dict[int, str] = {}
    rows: list[int] = []
    for record in records:
        filled = record.cells.keys() | record.broken.keys()
        if record.line == head or (record.line > head and not keys.isdisjoint(record.cells)):
            for at in sorted(filled - ours):
                text = record.cells.get(at, "") if record.line == head else ""
                texts[at] = texts.get(at) or " ".join(text.split())[:_LONGEST]
        elif filled:
            rows.append(record.line)
    yield from (f"column {texts[at] or column_name(at)}" for at in sorted(texts))
    yield from (f"row {line}" for line in rows)
