"""Lists on stdout: aligned columns that are still easy to cut and grep."""

import sys
from collections.abc import Iterator, Sequence

import click

_BETWEEN = "  "
_LEAST = 24  # cells; in less than these the last column is not read more easily by being wrapped


def one_liners(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a line per row; the last column may be of any length, Japanese is two cells wide.

    On a terminal the last column is wrapped within itself.
    """
    for number, line in enumerate(_lines([head, *rows], _width())):
        click.echo(click.style(line, bold=True) if number == 0 else line)


def _width() -> int | None:
    """The cells of a line of the terminal; None where the list goes to a file or a pipe."""
    if not sys.stdout.isatty():
        return None
    from simulator.console.output import screen

    return screen().width


def _lines(rows: Sequence[Sequence[str]], width: int | None) -> Iterator[str]:
    from rich.cells import cell_len

    widths = [max(cell_len(row[at]) for row in rows) for at in range(len(rows[0]) - 1)]
    indent = sum(widths) + len(_BETWEEN) * len(widths)
    for row in rows:
        cells = [c + " " * (w - cell_len(c)) for c, w in zip(row[:-1], widths, strict=True)]
        for number, part in enumerate(_wrapped(row[-1], indent, width)):
            yield _BETWEEN.join([*cells, part]) if number == 0 else " " * indent + part


def _wrapped(text: str, indent: int, width: int | None) -> list[str]:
    if width is None or width - indent < _LEAST:
        return [text]
    from simulator.console.layout import wrap

    return wrap(text, width - indent)
