"""Files that mogi writes: private, whole or not there at all, and of a run only those it names.

All that a run of a client writes passes here (`writing_only`), as all that is read of a client
passes `Source.opened`. A thread does not inherit what it may write: whoever starts one copies the
context.
"""

import difflib
import hashlib
import io
import os
import re
import shutil
import stat
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import TextIO

from simulator.core.errors import InputError

_PRIVATE, _NOT_OTHERS = 0o600, 0o077
# Of a file that is being replaced; of a store, of its runs and their parts.
_BESIDE = re.compile(r"\.part|(\.[\w%~-]+)?\.(lock|holder)")
_WRITTEN: ContextVar[Mapping[str, str] | None] = ContextVar("written", default=None)


@contextmanager
def writing_only(files: Iterable[Path]) -> Iterator[None]:
    """Write these files alone while the block lasts, and what lies beside them: `mogi.db.lock`."""
    # Where they are now: a bot may go to another folder.
    before = _WRITTEN.set({os.path.realpath(file): str(file) for file in files})
    try:
        yield
    finally:
        _WRITTEN.reset(before)


def _expect_named(path: str | Path, *, is_removed: bool = False) -> None:
    """Refuse what is not in the manifest of a run; a link that is removed leads nowhere.

    Raises:
        InputError: it is not.
    """
    files = _WRITTEN.get()
    folder, name = os.path.split(path)
    place = os.path.realpath(folder if is_removed else path)
    place = os.path.join(place, name) if is_removed else place
    if files is None or place in files or any(_is_beside(place, file) for file in files):
        return
    known = ", ".join(files.values()) or "no file"
    raise InputError(f"{path} is not in the manifest: this run writes {known}")


def _is_beside(place: str, file: str) -> bool:
    return place.startswith(file) and _BESIDE.fullmatch(place, len(file)) is not None


def keep_mode(target: Path, part: Path) -> None:
    """Let who may read a file, where there is one, read what takes its place: somebody decided."""
    with suppress(FileNotFoundError):
        shutil.copymode(target, part)


def private(path: str, flags: int) -> int:
    """An opener of files which, where it makes one, nobody else may read.

    Raises:
        InputError: the run that is going on does not name it.
    """
    _expect_named(path)
    return os.open(path, flags, _PRIVATE)


def make_private(path: Path, *, anew: bool = False) -> None:
    """Make a file that only its owner may read and write; one that is there stays as it is.

    It is not even opened: whoever closes a file lets go of all that its process has locked of it
    (https://www.sqlite.org/howtocorrupt.html, 2.2), and others may then clear a store's log away.

    Args:
        path: the file.
        anew: whatever is there goes, be it a link.

    Raises:
        InputError: the run that is going on does not name it.
        OSError: it cannot be made.
    """
    _expect_named(path, is_removed=anew)
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
        _expect_named(target)
        if target.exists() and not target.is_file():  # such as /dev/stdout
            yield target
        else:
            with replacing(target) as part:
                yield part
    except OSError as error:
        why = error.strerror or str(error)
        raise InputError(
            f"can't write {what} {path}: {why}; use a file in a folder that you can write to"
        ) from error


def unified(path: str, before: str, after: str, *, is_new: bool = False) -> str:
    """A unified diff of one file, as `patch -p0` and `git apply -p0` take it."""
    old = "/dev/null" if is_new else path
    lines = difflib.unified_diff(kept_lines(before), kept_lines(after), old, path)
    return "".join(
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )


def kept_lines(text: str) -> list[str]:
    """The lines with their ends; only line feeds end a line, as in a diff."""
    return list(io.StringIO(text, newline="\n"))


_WORD = re.compile(r"[^\W_]+")


def slug(text: str, longest: int = 60) -> str:
    """The words of a text parted by hyphens, without case and width; empty if it has none."""
    words = _WORD.findall(unicodedata.normalize("NFKC", text).casefold())
    return "-".join(words)[:longest].rstrip("-")


def made_id(text: str) -> str:
    """An id for a text: its beginning, and 6 hexadecimal digits of the hash of all of it.

    Texts that differ only in case, width or white space have the same one.
    """
    same = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    digest = hashlib.sha256(same.encode("utf-8", "replace")).hexdigest()[:6]
    start = slug(text, 24)
    return f"{start}-{digest}" if start else digest


class Numbered:
    """Names as they come; one that came before gets -2, -3 and so on."""

    def __init__(self) -> None:
        self._times: Counter[str] = Counter()

    def __call__(self, name: str) -> str:
        """The name, or the first one with a number behind it that did not come yet."""
        unique = name
        while self._times[unique]:
            self._times[name] += 1
            unique = f"{name}-{self._times[name]}"
        self._times[unique] += 1
        return unique
