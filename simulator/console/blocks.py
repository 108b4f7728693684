"""What a screen is put together from: paragraphs, tables, labels with text beside them."""

from collections.abc import Container, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from rich.cells import cell_len, set_cell_size
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.style import Style
from rich.table import Table
from rich.text import Text

from simulator.console.layout import fit, lines, pad, wrap
from simulator.console.palette import BOLD, DIM, WEAK
from simulator.core.clean import visible

T = TypeVar("T")
INDENT = 14  # cells before what was said
_BESIDE = "   # "
_MARGIN = 2


def paragraph(text: str, width: int, style: Style | str = "") -> Iterator[Text]:
    """The text in lines of at most `width` cells."""
    return (Text(line, style) for line in wrap(text, width))


def broken(text: Text, width: int) -> Iterator[Text]:
    """The same in its colours; Rich breaks Japanese only at the spaces beside its numbers."""
    for part in text.split("\n", allow_blank=True):
        start = 0
        for line in lines(part.plain, width):
            start = part.plain.index(line, start)
            yield part[start : start + len(line)]
            start += len(line)


def spaced(*parts: T) -> Iterator[T | Text]:
    """The parts below an empty line."""
    yield Text("")
    yield from parts


def bullets(texts: Iterable[str], width: int) -> Iterator[str]:
    """Each text behind a dash, its further lines below its first."""
    for text in texts:
        for number, line in enumerate(wrap(visible(text), width - 4)):
            yield f"  {' ' if number else '-'} {line}"


def beside(
    label: str, lines: Iterable[str | tuple[str, Style]], cells: int, style: Style = DIM
) -> Iterator[Text]:
    """The lines, with a label of so many cells before the first of them."""
    for number, line in enumerate(lines):
        yield Text.assemble((set_cell_size("" if number else label, cells), style), line)


def passage(
    label: str, lines: Sequence[str], *, width: int = 0, weak: bool = False
) -> Iterator[Text]:
    """A label and what was said beside it; a weak answer is a coloured block of `width` cells."""
    if not weak:
        return beside(f"    {label}", lines, INDENT)
    return beside(f"  ! {label}", [(pad(line, width - INDENT), WEAK) for line in lines], INDENT)


def entry(number: int, name: str, value: tuple[str, Style], width: int, note: str = "") -> Text:
    """The head of an entry of a list; a long name is cut where the line is full."""
    ends = [value, *([(note, DIM)] if note else [])]
    name = fit(name, width - 4 - sum(3 + cell_len(text) for text, _ in ends))
    parts = [part for end in ends for part in ("   ", end)]
    return Text.assemble((f"{number:>2}  ", DIM), (name, BOLD), *parts)


def table(
    heads: Sequence[str], *, gap: int = 2, left: Container[int] = (0,), no_wrap: bool = False
) -> Table:
    """A table without lines; the columns at these places stand to the left, others to the right."""
    columns = Table(box=None, padding=(0, gap, 0, 0), header_style=BOLD)
    for place, head in enumerate(heads):
        columns.add_column(head, justify="left" if place in left else "right", no_wrap=no_wrap)
    return columns


def labelled(lines: Iterable[tuple[str, Text]]) -> Table:
    """A bold label and its text on each line; long texts wrap beside their label."""
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style=BOLD, no_wrap=True)
    grid.add_column(overflow="fold")
    for label, text in lines:
        grid.add_row(Text(label), _Wrapped(text))
    return grid


class _Wrapped(NamedTuple):
    text: Text

    def __rich_console__(self, _: Console, options: ConsoleOptions) -> RenderResult:
        return broken(self.text, options.max_width)

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        return Measurement.get(console, options, self.text)


def command_lines(commands: Sequence[tuple[str, str]], width: int) -> Iterator[Text]:
    """Each command on a line of its own, whole whatever its length, so that it can be copied.

    What it does stands beside it, or, where that leaves the screen of `width` cells, above it.
    """
    widest = max(cell_len(command) for command, _ in commands)
    longest = max(cell_len(what) for _, what in commands)
    is_beside = _MARGIN + widest + len(_BESIDE) + longest <= width
    for command, what in commands:
        if is_beside:
            line = Text(f"{' ' * _MARGIN}{set_cell_size(command, widest)}", no_wrap=True)
            yield line.append(f"{_BESIDE}{what}", DIM)
            continue
        for part in wrap(what, width - _MARGIN - 2):
            yield Text(f"{' ' * _MARGIN}# {part}", DIM)
        yield Text(f"{' ' * _MARGIN}{command}", no_wrap=True)


def next_steps(head: str, commands: Sequence[tuple[str, str]], width: int) -> Iterator[Text]:
    """How to go on, below an empty line and a head; nothing without a command."""
    if commands:
        yield from spaced(Text(head, BOLD))
        yield from command_lines(commands, width)


def styled(lines: Iterable[Text], style: Style) -> Iterator[Text]:
    """The lines, all in one style."""
    return (Text.assemble(line, style=style) for line in lines)


def figure(value: float | None, form: str = ".2f") -> str:
    """A number; a dash where it is not known."""
    return "–" if value is None else format(value, form)
