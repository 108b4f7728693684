"""A command as people write it, as arguments; whatever is wrong with it is said before it runs."""

import os
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path

from simulator.core.errors import InputError

_SHELLS_OWN = frozenset({"|", "||", "&", "&&", ";", ">", ">>", "<", "2>", "2>&1"})


def arguments_of(command: str | Sequence[str | int | float], folder: Path) -> tuple[str, ...]:
    """The program, found, and its arguments. A relative path is one of the client's `folder`.

    Raises:
        InputError: there is no such program, it cannot be run, or the command needs a shell.
    """
    try:
        name, *arguments = words_of(command)
    except ValueError as error:
        raise InputError(f"target.command{error}") from error
    return (_program(name, folder), *arguments)


def words_of(command: str | Sequence[str | int | float]) -> list[str]:
    """The words of a command, the program first; nothing is looked for.

    Raises:
        ValueError: there are none, or they need a shell; the text begins with a colon.
    """
    words = _split(command)
    if not words or not words[0].strip():
        raise ValueError(': it is empty; right is such as "node bot.js"')
    if isinstance(command, str) and (own := _SHELLS_OWN.intersection(words)):
        raise ValueError(
            f": {min(own)!r} is for a shell, and none is started; "
            f"right is: command: [sh, -c, {shlex.quote(command)}]"
        )
    return words


def _split(command: str | Sequence[str | int | float]) -> list[str]:
    if not isinstance(command, str):
        return list(map(str, command))
    try:
        return shlex.split(command)
    except ValueError as error:  # a quotation without its end
        raise ValueError(
            f": {command!r} cannot be split into words ({error}); "
            "right is a list, such as [node, bot.js]"
        ) from error


def _program(name: str, folder: Path) -> str:
    if os.path.dirname(name):  # "./bot" too, where a Path would drop the folder
        return _in_folder(name, folder)
    found = shutil.which(name)
    if found is None:
        own = f"; right is ./{name} for the one in {folder}" if (folder / name).exists() else ""
        raise InputError(f"target.command: no program {name!r} is on the PATH{own}")
    return found


def _in_folder(name: str, folder: Path) -> str:
    file = folder / name
    found = shutil.which(str(file))
    if found is not None:
        return found
    if not file.is_file():
        raise InputError(f"target.command: there is no file {file}")
    raise InputError(
        f"target.command: {file} is not executable; right is: chmod +x {name}, "
        f'or its interpreter before it, such as "python {name}"'
    )
