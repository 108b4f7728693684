"""Where output goes: the screen as it is, JSON, and files that can be complained about."""

import dataclasses
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

import click

from simulator.console.layout import WIDEST
from simulator.core.errors import InputError

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

_IN_A_FILE = 100


def screen() -> "Console":
    """Standard output: no markup, no highlighting, and no colour where NO_COLOR asks for none."""
    console = _console(None, None)
    return console if console.width <= WIDEST else _console(None, WIDEST)


def page(file: TextIO) -> "Console":
    """A text file of a fixed width, without colour."""
    return _console(file, _IN_A_FILE)


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
    click.echo(json.dumps(as_json(value), ensure_ascii=False))


def as_json(value: Any, *names: str) -> Any:
    """What JSON can hold: of a dataclass its fields (or what is named), of an enum its value."""
    if names:
        return {name: as_json(getattr(value, name)) for name in names}
    if isinstance(value, Enum):
        return value.value
    if dataclasses.is_dataclass(value):
        return as_json(value, *(field.name for field in dataclasses.fields(value)))
    if isinstance(value, Mapping):
        return {as_json(key): as_json(each) for key, each in value.items()}
    return [as_json(each) for each in value] if isinstance(value, list | tuple) else value


def _console(file: TextIO | None, width: int | None) -> "Console":
    from rich.console import Console

    return Console(file=file, width=width, highlight=False, markup=False, emoji=False)


@contextmanager
def text_file(path: str | None) -> Iterator[TextIO]:
    """A text file for writing, in UTF-8; it appears under its name when it is whole.

    What is broken off (a kill, a full disk) leaves the report that stood there before.

    Raises:
        InputError: there is no path, or the file cannot be written.
    """
    if not path:
        raise InputError("this report needs a file; write --report NAME=PATH")
    with whole(path, "the report") as part, open(part, "w", encoding="utf-8", newline="\n") as file:
        yield file


@contextmanager
def whole(path: str, what: str) -> Iterator[Path]:
    """Where to write a file that appears under its name, `path`, when the block ends well.

    Raises:
        InputError: it cannot be written; `what` says in the message what it is.
    """
    try:
        target = Path(path).resolve()  # a link stays one
        plain = target.is_file() or not target.exists()
        part = target.with_name(f"{target.name}.part") if plain else target  # not of /dev/stdout
        try:
            yield part
            if plain:
                part.replace(target)
        finally:
            if plain:
                part.unlink(missing_ok=True)
    except OSError as error:
        why = error.strerror or str(error)
        raise InputError(
            f"cannot write {what} {path}: {why}; name a file in a folder that you may write in"
        ) from error
