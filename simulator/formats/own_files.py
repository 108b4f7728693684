"""Files that mogi writes: private, and whole or not there at all."""

import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TextIO

from simulator.core.errors import InputError

_PRIVATE, _NOT_OTHERS = 0o600, 0o077


def keep_mode(target: Path, part: Path) -> None:
    """Let who may read a file, where there is one, read what takes its place: somebody decided."""
    with suppress(FileNotFoundError):
        shutil.copymode(target, part)


def private(path: str, flags: int) -> int:
    """An opener of files which, where it makes one, nobody else may read."""
    return os.open(path, flags, _PRIVATE)


def make_private(path: Path, *, anew: bool = False) -> None:
    """Make a file that only its owner may read and write; one that is there stays as it is.

    It is not even opened: whoever closes a file lets go of all that its process has locked of it
    (https://www.sqlite.org/howtocorrupt.html, 2.2), and others may then clear a store's log away.

    Args:
        path: the file.
        anew: whatever is there goes, be it a link.

    Raises:
        OSError: it cannot be made.
    """
    if anew:
        path.unlink(missing_ok=True)
    with nullcontext() if anew else suppress(FileExistsError), open(path, "xb", opener=private):
        pass


def own_text(path: Path, most: int) -> str:
    """The text of a file of this user's alone, up to `most` bytes; empty where it is another's.

    No link is followed, and no pipe is waited for.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with open(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            is_ours = status.st_uid == os.geteuid() and not status.st_mode & _NOT_OTHERS
            if not stat.S_ISREG(status.st_mode) or not is_ours:
                return ""
            return file.read(most).decode("utf-8", "replace")
    except OSError:
        return ""


@contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """A private file that takes the place of `target`, and its mode, when the block ends well.

    Raises:
        OSError: it cannot be written; what was there before is as it was.
    """
    part = target.with_name(f"{target.name}.part")
    try:
        make_private(part, anew=True)
        yield part
        keep_mode(target, part)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


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
        if target.exists() and not target.is_file():  # such as /dev/stdout
            yield target
        else:
            with replacing(target) as part:
                yield part
    except OSError as error:
        why = error.strerror or str(error)
        raise InputError(
            f"cannot write {what} {path}: {why}; name a file in a folder that you may write in"
        ) from error
