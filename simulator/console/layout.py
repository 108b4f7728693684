"""Text within a number of cells: cut, wrapped and listed with regard to double-width characters."""

import re
import sys
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from rich.cells import cell_len, chop_cells, set_cell_size

from simulator.console.output import screen, tell
from simulator.core.clean import clean, visible

_BETWEEN = "  "
_LEAST = 24  # cells; in less than these the last column is not read more easily by being wrapped
_LEAST_ID = 8  # cells
_READ = 500  # characters of texts that are held against each other
_SHARED = 12  # cells; two texts share less by chance
_CLOSING = "、。，．,.!?！？…:;：；)）」』】〕〉》］｝ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ%％"
_OPENING = "（「『【〔〈《［｛"
# A word of a spaced script, or one other character: with the openings before it and the closings
# after it, so that no line begins with 。 or ends with 「.
_PIECE = re.compile(
    rf"\s+|[{re.escape(_OPENING)}]*(?:[\x21-\x7e\u00a1-\u02ff]+|.)[{re.escape(_CLOSING)}]*"
)


def fit(text: str, width: int) -> str:
    """One visible line of at most `width` cells; a cut is marked with `…`."""
    text = visible(text)
    if cell_len(text) <= width:
        return text
    return (chop_cells(text, max(1, width - 1)) or [""])[0] + "…"


def fit_unlike(text: str, other: str, width: int) -> str:
    """As `fit`, but cut so that the place is shown where it stops to be what another text is."""
    text, other = visible(text), visible(other)
    same = SequenceMatcher(None, text[:_READ], other[:_READ], autojunk=False).find_longest_match()
    end = same.a + same.size
    is_chance = cell_len(text[same.a : end]) < _SHARED
    if is_chance or cell_len(text) <= width or cell_len(text[:end]) <= width // 2:
        return fit(text, width)
    start = next(at for at in range(end + 1) if cell_len(text[at:end]) <= width // 2 - 1)
    word = text.find(" ", start, end)  # whole words, where there are any
    return f"…{fit(text[max(start, word) :], width - 1)}"


def fit_id(name: str, width: int) -> str:
    """As `fit`, cut in the middle: what tells made ids apart stands at both ends of them."""
    name = visible(name)
    if cell_len(name) <= width or width < _LEAST_ID:
        return fit(name, width)
    room = (width - 1) // 2
    end = next(name[at:] for at in range(len(name)) if cell_len(name[at:]) <= room)
    return f"{chop_cells(name, width - 1 - cell_len(end))[0]}…{end}"


def pad(text: str, width: int) -> str:
    """`fit`, and filled up with spaces to exactly `width` cells."""
    return set_cell_size(fit(text, width), width)


def wrap(text: str, width: int, most: int | None = None) -> list[str]:
    """The text in lines of at most `width` cells; at most so many, the last cut with `…`.

    Line ends of the text are kept where all of it is shown, and are spaces where it is cut.
    """
    paragraphs = [visible(text)] if most else [visible(p) for p in clean(text).split("\n")]
    found = [line for p in paragraphs for line in lines(p, width)]
    if most and len(found) > most:
        found = [*found[: most - 1], fit(f"{found[most - 1]}…", width)]
    return found


def lines(text: str, width: int) -> Iterator[str]:
    """The lines of a text without line ends, each of at most `width` cells."""
    line = ""
    for piece in _pieces(text, width):
        if cell_len(line) + cell_len(piece.rstrip()) > width:
            yield line.rstrip()
            line = piece.lstrip()
        else:
            line += piece
    yield line.rstrip()


def _pieces(text: str, width: int) -> Iterator[str]:
    for match in _PIECE.finditer(text):
        piece = match.group()
        yield from chop_cells(piece, width) if cell_len(piece) > width else (piece,)


def one_liners(
    head: Sequence[str], rows: Sequence[Sequence[str]], spare: Sequence[int] = ()
) -> None:
    """Print a line per row; the last column may be of any length, Japanese is two cells wide.

    On a terminal the last column is wrapped within itself, and `spare` columns are left out, one
    after the other, where the terminal is too narrow.
    """
    width, table = _width(), [head, *rows]
    kept = list(range(len(head)))
    for at in spare:
        if width is not None and _cells(table, kept) > width:
            kept.remove(at)
    lines = _rows([[row[at] for at in kept] for row in table], width)
    for number, line in enumerate(lines):
        tell(line, bold=number == 0)


def _cells(rows: Sequence[Sequence[str]], columns: Sequence[int]) -> int:
    """The cells of the widest line that has these columns."""
    widths = (max(cell_len(row[at]) for row in rows) for at in columns)
    return sum(widths) + len(_BETWEEN) * (len(columns) - 1)


def _width() -> int | None:
    """The cells of a line of the terminal; None where the list goes to a file or a pipe."""
    return screen().width if sys.stdout.isatty() else None


def _rows(rows: Sequence[Sequence[str]], width: int | None) -> Iterator[str]:
    widths = [max(cell_len(row[at]) for row in rows) for at in range(len(rows[0]) - 1)]
    indent = sum(widths) + len(_BETWEEN) * len(widths)
    for row in rows:
        cells = [c + " " * (w - cell_len(c)) for c, w in zip(row[:-1], widths, strict=True)]
        room = _LEAST - 1 if width is None else width - indent
        parts = wrap(row[-1], room) if room >= _LEAST else [row[-1]]
        for number, part in enumerate(parts):
            yield _BETWEEN.join([*cells, part]) if number == 0 else " " * indent + part
