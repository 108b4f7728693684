"""Where output goes: the terminal and JSON.

Whatever is printed goes through `tell`, `print_json` or a console of `screen`: of foreign texts no
control character passes. `Channel` is the second wall: of what others write to the standard streams
(a bot's `print`, warnings, logs) only colours and the moves of a progress display pass.
"""

import dataclasses
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Any, TextIO

import click

from simulator.core.clean import clean

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

WIDEST = 120  # cells of a screen; longer lines are hard to read
_IN_A_FILE = 100
# Colours, and what rich moves a cursor with (ECMA-48); then every other control character.
_OURS = re.compile(r"\x1b\[(?:[0-9;]*m|[0-9]*[ABCDGK]|\?25[lh])")
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_RAW = re.compile("[\x7f-\x9f]")  # what JSON leaves as it is


def tell(
    text: object = "",
    *,
    err: bool = False,
    bold: bool = False,
    end: str = "\n",
    stream: TextIO | None = None,
) -> None:
    """Write a text and a line end to the terminal; no control character of the text passes.

    To standard output, or with `err` to standard error, or to `stream`.
    """
    shown = clean(str(text))
    shown = click.style(shown, bold=True) if bold else shown
    click.echo(shown + end, file=stream, err=err, nl=False)


class Channel:
    """A standard stream through which only the sequences pass that mogi's own screens need."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._stream)

    def write(self, text: str) -> int:
        """Write what is harmless of the text."""
        if _CONTROLS.search(text):
            kept = zip(_OURS.split(text), [*_OURS.findall(text), ""], strict=True)
            text = "".join(_CONTROLS.sub("", part) + ours for part, ours in kept)
        return self._stream.write(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write each, as `write` does."""
        for line in lines:
            self.write(line)


def screen() -> "Console":
    """Standard output: no markup, no highlighting, and no colour where NO_COLOR asks for none."""
    console = _console(None, None)
    return console if console.width <= WIDEST else _console(None, WIDEST)


def page(file: TextIO) -> "Console":
    """A text file of a fixed width, without colour."""
    return _console(file, _IN_A_FILE)


def height(parts: "Iterable[RenderableType]", width: int) -> int:
    """How many lines the parts take on a screen of that width, in cells."""
    console = _console(io.StringIO(), width)
    return sum(len(console.render_lines(part, pad=False)) for part in parts)


def show(parts: "Iterable[RenderableType]", console: "Console") -> None:
    """Print the parts, one below the other; spaces at line ends are left out of plain text."""
    from rich.text import Text

    from simulator.console.palette import in_few_colours

    few = console.color_system in ("standard", "windows")
    for each in parts:
        part = in_few_colours(each) if few and isinstance(each, Text) else each
        whole = isinstance(part, Text) and bool(part.no_wrap)  # a command has to survive copying
        if console.is_terminal:
            console.print(part, crop=False, soft_wrap=whole)
            continue
        with console.capture() as captured:
            console.print(part, crop=False, soft_wrap=whole)
        for line in captured.get().splitlines():
            console.file.write(f"{line.rstrip()}\n")


def show_view(view: "Callable[[int], Iterable[RenderableType]]") -> None:
    """Print on the screen what a view of its width, in cells, consists of."""
    console = screen()
    show(view(console.width), console)


def print_json(value: object) -> None:
    """Print one JSON object on a line of standard output."""
    line = json.dumps(as_json(value), ensure_ascii=False)
    tell(_RAW.sub(lambda match: f"\\u{ord(match[0]):04x}", line))


def as_json(value: Any, *names: str) -> Any:
    """What JSON can hold: of a dataclass its fields (or what is named), of an enum its value.

    A field that is `left_out` where it is None has no key then; one named like a keyword of Python
    has a `_` behind its name, which its key has not (formats/json_contracts.py).
    """
    if names:
        return {name: as_json(getattr(value, name)) for name in names}
    if isinstance(value, Enum):
        return value.value
    if dataclasses.is_dataclass(value):
        fields = {field: getattr(value, field.name) for field in dataclasses.fields(value)}
        return {
            field.name.removesuffix("_"): as_json(each)
            for field, each in fields.items()
            if each is not None or "left_out" not in field.metadata
        }
    if isinstance(value, Mapping):
        return {as_json(key): as_json(each) for key, each in value.items()}
    return [as_json(each) for each in value] if isinstance(value, list | tuple) else value


def _console(file: TextIO | None, width: int | None) -> "Console":
    return _screen_class()(file=file, width=width, highlight=False, markup=False, emoji=False)


@cache
def _screen_class() -> "type[Console]":
    from rich.console import Console, ConsoleOptions
    from rich.segment import Segment

    class Screen(Console):
        """A console on which the control characters of texts do nothing; its own ones do."""

        def render(
            self, renderable: "RenderableType", options: ConsoleOptions | None = None
        ) -> Iterable[Segment]:
            for text, style, control in super().render(renderable, options):
                yield Segment(text if control else clean(text), style, control)

    return Screen


def moving_screen(stream: TextIO) -> "Console":
    """A console on a stream that shows progress."""
    return _console(stream, None)
