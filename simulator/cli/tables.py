"""Lists on stdout: aligned columns that are still easy to cut and grep."""

from collections.abc import Sequence

import click


def one_liners(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a line per row; the last column may be of any length, Japanese is two cells wide."""
    from rich.cells import cell_len

    widths = [max(cell_len(r[i]) for r in (head, *rows)) for i in range(len(head) - 1)]
    for number, row in enumerate([head, *rows]):
        cells = [c + " " * (w - cell_len(c)) for c, w in zip(row[:-1], widths, strict=True)]
        line = "  ".join([*cells, row[-1]])
        click.echo(click.style(line, bold=True) if number == 0 else line)
