"""A book into a spreadsheet: whatever breaks off, doing it again ends with the same cells."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_random_exponential

from simulator.google_sheets.planning import Planned
from simulator.google_sheets.requests import Request, Unit, size_of
from simulator.google_sheets.spreadsheet import Spreadsheet
from simulator.google_sheets.state import (
    HEAD_ROWS,
    Grid,
    SheetThere,
    SpreadsheetThere,
    Table,
    head_key,
    read_table,
    sheet_id,
)
from simulator.sheet.book import Book, Worksheet, column_name, quoted_title

_LARGEST = 1_970_000  # bytes of a request: Google recommends 2 MB at most
_ENVELOPE = 20  # bytes around the requests
_TRIES = 8
_KEY_COLUMNS = 2  # of a worksheet in which nobody writes, so many are read: keys, and where it ends


@dataclass(frozen=True, slots=True)
class Written:
    """What writing a book came to: requests and bytes with all attempts, and what is new.

    `rows`: by title, the rows that were added; a worksheet that is written as a whole counts all.
    """

    url: str
    reads: int
    writes: int
    sent: int
    rows: Mapping[str, int] = field(default_factory=dict)


def write_book(spreadsheet: Spreadsheet, book: Book, *, largest: int = _LARGEST) -> Written:
    """Write a book, beside what is there.

    Takes 2 reads (a third where somebody moved the column of keys) and as many writes as its
    bytes need, at most `largest` each.

    Raises:
        InputError: it cannot be written, in words that say why.
    """
    from simulator.google_sheets.http import LostReplyError, MeanwhileError
    from simulator.google_sheets.troubles import told

    before = spreadsheet.reads, spreadsheet.writes, spreadsheet.sent
    first: dict[str, int] = {}
    # A change whose reply is lost was made or not: what is there now says which.
    again = Retrying(
        retry=retry_if_exception_type((LostReplyError, MeanwhileError)),
        stop=stop_after_attempt(_TRIES),
        wait=wait_random_exponential(multiplier=1, min=1, max=64),
        sleep=spreadsheet.clock.sleep,
        reraise=True,
    )
    with told(spreadsheet.account, spreadsheet.key):
        there, ends = again(_written, spreadsheet, book, first, largest)
    return Written(
        url=_url(spreadsheet, there, book),
        reads=spreadsheet.reads - before[0],
        writes=spreadsheet.writes - before[1],
        sent=spreadsheet.sent - before[2],
        rows={title: ends[title] - start for title, start in first.items()},
    )


def _written(
    spreadsheet: Spreadsheet, book: Book, first: dict[str, int], largest: int
) -> tuple[SpreadsheetThere, Mapping[str, int]]:
    """One try. `first` keeps where rows ended before the first of them."""
    there = spreadsheet.describe()
    tables = _tables(spreadsheet, there, book)
    planned = Planned(there, tables, book)
    for title, start in planned.starts.items():
        first.setdefault(title, start)
    for batch in batches(planned.units(), largest):
        spreadsheet.send(batch)
    return there, planned.ends


def batches(units: Iterable[Unit], largest: int = _LARGEST) -> Iterator[list[Request]]:
    """The requests in batches of at most so many bytes; a unit stays whole."""
    batch: list[Request] = []
    size = _ENVELOPE
    for unit in units:
        more = size_of(unit)
        if batch and size + more > largest:
            yield batch
            batch, size = [], _ENVELOPE
        batch += unit
        size += more
    if batch:
        yield batch


def _tables(spreadsheet: Spreadsheet, there: SpreadsheetThere, book: Book) -> dict[str, Table]:
    """What has to be known of the worksheets that grow, in one read."""
    growing = [
        (worksheet, sheet)
        for worksheet in book.worksheets
        if worksheet.grows and (sheet := there.find(worksheet.title))
    ]
    ranges: list[str] = []
    for worksheet, sheet in growing:
        ranges += _ranges(worksheet, sheet)
    grids = iter(spreadsheet.values(ranges))
    found: dict[str, Table] = {}
    for worksheet, sheet in growing:
        head = worksheet.columns[0].head
        rows = next(grids)
        top = rows[:HEAD_ROWS] if _is_read_whole(worksheet) else next(grids)
        at = _elsewhere(worksheet, top)
        if at is not None:  # somebody moved the column of keys
            rows = _widened(rows, spreadsheet.values([_column(sheet, at)])[0], at)
        found[worksheet.title] = read_table(head, top, rows)
    return found


def _is_read_whole(worksheet: Worksheet) -> bool:
    return any(column.people for column in worksheet.columns)


def _ranges(worksheet: Worksheet, sheet: SheetThere) -> list[str]:
    title = quoted_title(sheet.title)
    if _is_read_whole(worksheet):
        return [title]
    last = column_name(min(_KEY_COLUMNS, sheet.columns) - 1)
    return [f"{title}!A1:{last}{sheet.rows}", f"{title}!1:{min(HEAD_ROWS, sheet.rows)}"]


def _column(sheet: SheetThere, at: int) -> str:
    letters = column_name(at)
    return f"{quoted_title(sheet.title)}!{letters}1:{letters}{sheet.rows}"


def _elsewhere(worksheet: Worksheet, top: Grid) -> int | None:
    """The column of the keys, where it is not among those that were read."""
    if _is_read_whole(worksheet):
        return None
    wanted = head_key(worksheet.columns[0].head)
    heads = ([head_key(cell) for cell in row] for row in top)
    at = next((row.index(wanted) for row in heads if wanted in row), 0)
    return at if at >= _KEY_COLUMNS else None


def _widened(rows: Grid, keys: Grid, at: int) -> list[list[object]]:
    """The rows with the column of keys where it is."""
    found: list[list[object]] = []
    for number in range(max(len(rows), len(keys))):
        row = list(rows[number]) if number < len(rows) else []
        key = keys[number] if number < len(keys) else []
        found.append([*row, *[""] * (at - len(row)), *key] if key else row)
    return found


def _url(spreadsheet: Spreadsheet, there: SpreadsheetThere, book: Book) -> str:
    """The address of the worksheet that is looked at first."""
    if not book.opens_at:
        return spreadsheet.url
    sheet = there.find(book.opens_at)
    return f"{spreadsheet.url}#gid={sheet.id if sheet else sheet_id(book.opens_at)}"
