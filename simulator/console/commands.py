"""The commands with which one goes on, each with what it does."""

from collections.abc import Iterator, Sequence

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from simulator.console.layout import wrap
from simulator.console.palette import DIM

_BESIDE = "   # "
_MARGIN = 2


def command_lines(commands: Sequence[tuple[str, str]], width: int) -> Iterator[Text]:
    """Each command on a line of its own, whole whatever its length, so that it can be copied.

    What it does stands beside it, or, where that leaves the screen of `width` cells, above it.
    """
    widest = max(cell_len(command) for command, _ in commands)
    longest = max(cell_len(what) for _, what in commands)
    beside = _MARGIN + widest + len(_BESIDE) + longest <= width
    for command, what in commands:
        if beside:
            line = Text(f"{' ' * _MARGIN}{set_cell_size(command, widest)}", no_wrap=True)
            yield line.append(f"{_BESIDE}{what}", DIM)
            continue
        for part in wrap(what, width - _MARGIN - 2):
            yield Text(f"{' ' * _MARGIN}# {part}", DIM)
        yield Text(f"{' ' * _MARGIN}{command}", no_wrap=True)
