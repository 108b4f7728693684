"""A book into a spreadsheet, and a run's Review back: doing it again ends with the same cells."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import zip_longest
from typing import NamedTuple

from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_random_exponential

from simulator.core.clean import cut, visible
from simulator.core.errors import InputError
from simulator.worksheets.book import Book, Colour, Trace, Worksheet, column_name, quoted_title
from simulator.worksheets.columns import is_judged, is_word
from simulator.worksheets.google.http import AGAIN, LostReplyError, MeanwhileError
from simulator.worksheets.google.planning import HEAD_FILL, BookPlan, key_of, trace_of
from simulator.worksheets.google.requests import RequestGroup, SheetRequest, size_of
from simulator.worksheets.google.spreadsheet import (
    HEAD_ROWS,
    Seen,
    SheetState,
    Spreadsheet,
    SpreadsheetState,
    TableState,
    Values,
    head_key,
    row_key,
    sheet_id,
    table_state,
)

_LARGEST = 1_970_000  # bytes of a request: Google recommends 2 MB at most
_ENVELOPE = 20  # bytes around the requests
_TRIES = 8
_LONGEST_SHOWN = 200  # characters of a cell
_NAMED = 3  # coloured cells
_PAPER, _INK, _LINK = Colour(255, 255, 255), Colour(0, 0, 0), Colour(17, 85, 204)
_KEY_COLUMNS = 2  # of a worksheet in which nobody writes, so many are read: keys, and where it ends


@dataclass(frozen=True, slots=True)
class WriteReport:
    """Where the book is, and what is new there.

    `rows`: by title, the rows that were added; a worksheet that is written as a whole counts all.
    """

    url: str
    rows: Mapping[str, int]


def write_book(spreadsheet: Spreadsheet, book: Book, *, largest: int = _LARGEST) -> WriteReport:
    """Write a book, beside what is there.

    Takes 2 reads (one more where worksheets are there that are written as a whole, and where
    somebody moved the column of keys) and as many writes as its bytes need, at most `largest` each.

    Raises:
        InputError: it cannot be written, or people's words would be lost; it says why.
    """
    first: dict[str, int] = {}
    # A change whose reply is lost was made or not: what is there now says which.
    again = Retrying(
        retry=retry_if_exception_type((LostReplyError, MeanwhileError)),
        stop=stop_after_attempt(_TRIES),
        wait=wait_random_exponential(multiplier=1, min=1, max=64),
        sleep=spreadsheet.clock.sleep,
        reraise=True,
    )
    try:
        state, ends = again(_written, spreadsheet, book, first, largest)
    except LostReplyError as error:
        raise InputError(f"Google Sheets isn't responding ({error}); {AGAIN}") from error
    except MeanwhileError as error:
        message = cut(visible(str(error)), _LONGEST_SHOWN)
        raise InputError(f"the spreadsheet keeps changing; {AGAIN} (Google: {message})") from error
    rows = {title: ends[title] - start for title, start in first.items()}
    return WriteReport(_url(spreadsheet, state, book), rows)


class Stray(NamedTuple):
    """A text or a note that somebody wrote beside the table to review: where, and what.

    Or cells that somebody coloured, by the first of them: without a text, and `n` of them.
    """

    title: str
    cell: str
    text: str = ""
    is_note: bool = False
    n: int = 0

    def __str__(self) -> str:
        if self.n:
            return f"{self.title}, {self.cell}{' …' * (self.n > _NAMED)} ({self.n}): coloured"
        return f"{self.title}, {self.cell}: {cut(' '.join(self.text.split()), _LONGEST_SHOWN)}"


def strays(
    spreadsheet: Spreadsheet,
    state: SpreadsheetState,
    book: Book,
    *,
    everywhere: bool = False,
    before: Book | None = None,
) -> Iterator[Stray]:
    """What people wrote into worksheets of `book`, and cells that they coloured, in one read.

    In the columns of those that are written as a whole, as far as it was noted what a program wrote
    there. With `everywhere` also beside them, and in those that runs share: in rows of the book's
    own and in rows without a key; of the one that people write in notes and colours. `before`: the
    book as it was when those rows were written.
    """
    were = {worksheet.title: worksheet for worksheet in before.worksheets} if before else {}
    looked = [
        (worksheet, sheet)
        for worksheet in book.worksheets
        if (sheet := state.find(worksheet.title))
        if (everywhere if worksheet.grows else sheet.wrote)
    ]
    cells = spreadsheet.cells([sheet.title for _, sheet in looked])
    for worksheet, sheet in looked:
        wide = max(map(len, cells.get(sheet.id, ())), default=0)
        end = wide if everywhere else len(worksheet.columns)
        rows = list(_ours(worksheet, [row[:end] for row in cells.get(sheet.id, ())]))
        if worksheet.title == book.read_back:  # what is written there is read as verdicts
            rows = [[cell._replace(text="") for cell in row] for row in rows]
        for stray in _strays(worksheet, sheet, rows, was=were.get(sheet.title)):
            yield Stray(sheet.title, *stray)
        if painted := list(_painted(rows, {_PAPER, HEAD_FILL, *book.colours})):
            yield Stray(sheet.title, " ".join(painted[:_NAMED]), n=len(painted))


def _ours(worksheet: Worksheet, rows: Sequence[Sequence[Seen]]) -> Iterator[Sequence[Seen]]:
    """The rows, without the cells of those that are another run's."""
    if not worksheet.shared:
        yield from rows
        return
    keys = {row_key(key_of(row)) for row in worksheet.rows()}
    for number, row in enumerate(rows):
        key = row_key(row[0].text) if row else ""
        yield () if number and key and key not in keys else row


def _painted(rows: Sequence[Sequence[Seen]], fills: AbstractSet[Colour]) -> Iterator[str]:
    """The cells with a colour that no program gave them."""
    for number, row in enumerate(rows, 1):
        for at, cell in enumerate(row):
            if (cell.fill or _PAPER) not in fills or (cell.ink or _INK) not in (_INK, _LINK):
                yield f"{column_name(at)}{number}"


def _strays(
    worksheet: Worksheet,
    sheet: SheetState,
    rows: Sequence[Sequence[Seen]],
    *,
    was: Worksheet | None,
) -> Iterator[tuple[str, str, bool]]:
    traces = [trace_of(worksheet), Trace(sheet.wrote)]
    if was is not None and worksheet.grows:  # rows that are there are not written anew
        traces.append(trace_of(was))
    theirs = {at for at, column in enumerate(worksheet.columns) if column.people}
    for number, row in enumerate(rows):
        both = ((cell.text, cell.note) for cell in row)
        texts = ((at, n > 0, s) for at, pair in enumerate(both) for n, s in enumerate(pair) if s)
        for at, is_note, text in texts:
            title = worksheet.title if is_word(text) and is_judged(text) else ""
            if (is_note or at not in theirs) and not any(
                trace.knows(text, title) for trace in traces
            ):
                yield f"{column_name(at)}{number + 1}", text, is_note


def _written(
    spreadsheet: Spreadsheet, book: Book, first: dict[str, int], largest: int
) -> tuple[SpreadsheetState, Mapping[str, int]]:
    """One try. `first` keeps where rows ended before the first of them."""
    state = spreadsheet.describe()
    if added := list(strays(spreadsheet, state, book)):
        raise InputError(
            f"the spreadsheet has content that people added to worksheets that mogi rewrites "
            f"({'; '.join(map(str, added))}); move them to another worksheet, and try again"
        )
    tables = _tables(spreadsheet, state, book)
    planned = BookPlan(state, tables, book)
    for title, start in planned.starts.items():
        first.setdefault(title, start)
    for batch in batches(planned.units(), largest):
        spreadsheet.send(batch)
    return state, planned.ends


def batches(units: Iterable[RequestGroup], largest: int = _LARGEST) -> Iterator[list[SheetRequest]]:
    """The requests in batches of at most so many bytes; a unit stays whole."""
    batch: list[SheetRequest] = []
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


def _tables(spreadsheet: Spreadsheet, state: SpreadsheetState, book: Book) -> dict[str, TableState]:
    """What has to be known of the worksheets that grow, in one read."""
    growing = [
        (worksheet, sheet)
        for worksheet in book.worksheets
        if worksheet.grows and (sheet := state.find(worksheet.title))
    ]
    ranges: list[str] = []
    for worksheet, sheet in growing:
        ranges += _ranges(worksheet, sheet)
    grids = iter(spreadsheet.values(ranges))
    tables: dict[str, TableState] = {}
    for worksheet, sheet in growing:
        head, rows = worksheet.columns[0].head, next(grids)
        top = rows[:HEAD_ROWS]
        if not _is_read_whole(worksheet):
            top = next(grids)
            at = _key_column(head, top)
            if at >= _KEY_COLUMNS:  # somebody moved it
                name = column_name(at)
                area = f"{quoted_title(sheet.title)}!{name}1:{name}{sheet.rows}"
                rows = _with_keys(rows, spreadsheet.values([area])[0], at)
        tables[worksheet.title] = table_state(head, top, rows)
    return tables


def _is_read_whole(worksheet: Worksheet) -> bool:
    return any(column.people for column in worksheet.columns)


def _ranges(worksheet: Worksheet, sheet: SheetState) -> list[str]:
    title = quoted_title(sheet.title)
    if _is_read_whole(worksheet):
        return [title]
    last = column_name(min(_KEY_COLUMNS, sheet.columns) - 1)
    return [f"{title}!A1:{last}{sheet.rows}", f"{title}!1:{min(HEAD_ROWS, sheet.rows)}"]


def _key_column(head: str, top: Values) -> int:
    """The column of the keys; 0 where it is not there."""
    wanted = head_key(head)
    heads = ([head_key(cell) for cell in row] for row in top)
    return next((row.index(wanted) for row in heads if wanted in row), 0)


def _with_keys(rows: Values, keys: Values, at: int) -> list[list[object]]:
    """The rows with the column of keys where it is."""
    return [
        [*row, *[""] * (at - len(row)), *key] if key else list(row)
        for row, key in zip_longest(rows, keys, fillvalue=())
    ]


def _url(spreadsheet: Spreadsheet, state: SpreadsheetState, book: Book) -> str:
    """The address of the worksheet that is looked at first."""
    if not book.read_back:
        return spreadsheet.url
    sheet = state.find(book.read_back)
    return f"{spreadsheet.url}#gid={sheet.id if sheet else sheet_id(book.read_back)}"


def review_title(run_id: str) -> str:
    """The title under which the Review worksheet of a run is made."""
    return f"Review {run_id}"


def review_grid(
    spreadsheet: Spreadsheet, state: SpreadsheetState, run_id: str, tell: Callable[[str], None]
) -> list[list[object]]:
    """All rows of a run's Review, unformatted: numbers, texts, truth values; formulas' results.

    Takes one read. Empty cells are "" or left out at the end of a row. Found by the id with which
    it was made, though people renamed it, or else by its title; `tell` gets a sentence for what
    looks odd, such as copies of it.

    Raises:
        InputError: there is no Review of this run, or it cannot be read.
    """
    title = review_title(run_id)
    sheet = state.find(title)
    if sheet is None:
        raise InputError(
            f"the spreadsheet {state.title or spreadsheet.key!r} has no worksheet {title!r}; "
            f"write it first: mogi report {run_id} --report sheets={spreadsheet.key}"
        )
    for odd in _odd(state, sheet, title):
        tell(odd)
    grid = spreadsheet.values([quoted_title(sheet.title)])[0]
    return [list(row) for row in grid]


def _odd(state: SpreadsheetState, sheet: SheetState, title: str) -> list[str]:
    sentences = []
    if sheet.title != title:
        sentences.append(f"the worksheet {title!r} is called {sheet.title!r} now; that is read")
    names = {re.escape(title), re.escape(sheet.title)}
    copy = re.compile("|".join(rf"\bCopy of {n}\b|{n} ?のコピー" for n in sorted(names)))
    others = [other.title for other in state.sheets if other.id != sheet.id]
    sentences += [
        f"the worksheet {other!r} looks like a copy of {sheet.title!r}; mogi ignores what was "
        "written there"
        for other in others
        if copy.search(other) or other == title
    ]
    return sentences
