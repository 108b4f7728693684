"""A file that a person wrote: its text, complaints about it, and how it is replaced.

`Source.opened` is the one place where such a file is opened. What a client's folder names has to
lie inside of it, of the working directory, or of what `--allow` or MOGI_ALLOW let in.
"""

import codecs
import errno
import hashlib
import json
import os
import re
import shlex
import stat
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from io import BufferedReader
from pathlib import Path
from typing import Any, ParamSpec, Self, TypeVar

from simulator import config
from simulator.core.bounds import MAX_BYTES
from simulator.core.clean import clean, cut, visible
from simulator.core.errors import Complaint, InputError
from simulator.formats.own_files import replacing
from simulator.formats.yaml.scalars import spelling
from simulator.plugins import suggest

_LISTED = 30
_LONGEST = 200  # characters of a name that is looked for among others
_COMPARED = 200
# A key that was pasted into the wrong place is not repeated on screens and in logs.
LIKE_A_SECRET = re.compile(r"(?=\S{0,200}[A-Za-z])(?=\S{0,200}[0-9])[!-~]{20,}|sk-\S+")
_T = TypeVar("_T")
_P = ParamSpec("_P")


class Complaints(list[Complaint]):
    """What was found wrong so far."""

    def attempt(self, load: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T | None:
        """What is loaded; None where that raises an InputError, whose complaints are taken in."""
        try:
            return load(*args, **kwargs)
        except InputError as error:
            self.extend(error.complaints)
            return None


def hint(name: str, known: Collection[str]) -> str:
    """`did you mean x? choose from: x, y`; of very many names only the number and one of them."""
    if len(known) <= _LISTED:
        return suggest(name, tuple(known))
    # Comparing with thousands of ids, for thousands of wrong ones, would take minutes.
    pool = _pool(name, known) if len(name) <= _LONGEST else ()
    near = get_close_matches(name, pool, n=1, cutoff=0.6)
    return (
        f"did you mean {near[0]}? there are {len(known)} to choose from"
        if near
        else f"there are {len(known)} to choose from, such as {min(known)}"
    )


def shown(value: Any) -> str:
    """A value as a complaint repeats it: short, on one line, and never what may be a key."""
    if isinstance(value, str):
        if LIKE_A_SECRET.search(value[:200]):
            return '"…"'
        return json.dumps(cut(visible(value), 40), ensure_ascii=False)
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, int | float):
        return cut(spelling(value), 40)
    if isinstance(value, Mapping):
        return "a mapping"
    return "a list" if isinstance(value, list | tuple) else "this"


def _pool(name: str, known: Collection[str]) -> list[str]:
    if len(known) <= _COMPARED:
        return list(known)
    start = name[: max(1, len(name) - 1)]
    while start:
        pool = [other for other in known if other.startswith(start)]
        if pool:
            return pool[:_COMPARED]
        start = start[:-1]
    return []


_UTF_16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_MARKS = {**_UTF_16, codecs.BOM_UTF8: "utf-8"}
_KANA = re.compile("[ぁ-んァ-ヶ、。]")
# Hardly any Japanese text lacks both, and hardly any other text has either: kana and 、。 lead with
# bytes that Western code pages leave to control characters, and so do two common kanji in a row,
# of which one ends with such a byte: with letters behind both, “I’m and don’t—so are the same.
_JAPANESE = re.compile(
    rb"\x81[\x41\x42]|\x82[\x9f-\xf1]|\x83[\x40-\x96]"
    rb"|[\x88-\x97][\x80-\xfc][\x88-\x97][\x40-\x7e\x80-\xfc]"
    rb"|[\x88-\x97][\x40-\x7e][\x88-\x97][\x80-\xfc]"
)
# Bytes that cp932 leaves undefined; Python decodes them nevertheless.
_UNDEFINED = re.compile("[\x80\xa0\uf8f0-\uf8f3]")


class Undecodable(ValueError):
    """A text is in no encoding that is known; `line` counts from 1, 0 is the whole file."""

    def __init__(self, line: int, message: str) -> None:
        self.line = line
        super().__init__(message)


def decoded(data: bytes) -> str:
    """The text, without a byte order mark.

    UTF-8 if it is valid throughout; UTF-16 if it begins with its mark, as Excel's "Unicode Text"
    and Notepad's "Unicode" do; else cp932 (Windows-31J, with ①, 髙 and ～), as Excel and Notepad
    in Japan save it.

    Raises:
        Undecodable: it is none of these.
    """
    if data.startswith(tuple(_UTF_16)):
        try:
            return data.decode("utf-16")
        except UnicodeDecodeError as error:
            problem = "starts as UTF-16 but is incomplete; save it again as UTF-8"
            raise Undecodable(0, problem) from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        text = from_cp932(data)
        if text is None:
            raise Undecodable(line_of(data, error), _neither(data, error)) from error
        return text


def encoded_like(data: bytes, text: str) -> bytes:
    """Another text, saved as this one was, with the same mark.

    Raises:
        UnicodeEncodeError: that is cp932, and has no such character.
    """
    for mark, encoding in _MARKS.items():
        if data.startswith(mark):
            return mark + text.encode(encoding)
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return text.encode("cp932")
    return text.encode("utf-8")


def from_cp932(data: bytes) -> str | None:
    """The text if it is Japanese in cp932; None for anything else, damaged UTF-8 too."""
    if _JAPANESE.search(data) is None:
        return None
    try:
        text = data.decode("cp932")
    except UnicodeDecodeError:
        return None
    # UTF-8 with one broken byte may decode as well, to something like 縺ゅ→.
    damaged = len(_KANA.findall(data.decode("utf-8", "ignore"))) > len(_KANA.findall(text))
    return None if damaged or _UNDEFINED.search(text) else text


def line_of(data: bytes, error: UnicodeDecodeError) -> int:
    """The line of the byte that could not be decoded."""
    before = data[: error.start].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return before.count(b"\n") + 1


def _neither(data: bytes, error: UnicodeDecodeError) -> str:
    byte = f"byte 0x{data[error.start]:02x} (number {error.start + 1})"
    return f'{byte} is neither UTF-8 nor Shift_JIS; save it as UTF-8 (in Excel: "CSV UTF-8")'


ZIP = b"PK\x03\x04"
_WORKBOOK = "is a zip file or a workbook, not text"


@dataclass(frozen=True, slots=True)
class Source:
    """A file, and its name as people see it: relative to the working directory if inside it.

    `unit` is what its numbers count: the lines of a text, or the rows of a worksheet. `rows` are
    the rows of a csv file as a spreadsheet counts them, by their lines, where the two differ.
    """

    path: Path
    name: str
    unit: str = "line"
    rows: Mapping[int, int] = field(default_factory=dict, compare=False)
    within: tuple[Path, ...] | None = field(default=None, compare=False)

    @classmethod
    def of(
        cls, path: Path, cwd: Path | None = None, within: tuple[Path, ...] | None = None
    ) -> Self:
        """The file at `path`.

        Args:
            path: where it is.
            cwd: what its name is relative to; None: the real working directory.
            within: the folders of which one has to hold it once links are resolved (`inside`);
                None: a person named it on the command line, or it ships with mogi.
        """
        path = path.absolute()
        base = (cwd or Path.cwd()).absolute()
        for start in (base, base.resolve()):
            if path.is_relative_to(start):
                return cls(path, clean(path.relative_to(start).as_posix()), within=within)
        return cls(path, clean(path.as_posix()), within=within)

    def complaint(self, line: int, message: str) -> Complaint:
        """A complaint about this file; `line` counts from 1, 0 means the whole file."""
        if row := self.rows.get(line):
            message = f"(row {row} of the sheet) {message}"
        return Complaint(self.name, line, message)

    def where(self, line: int) -> str:
        """Where a line or row is, as a sentence says it: `on line 12`, `in row 7`."""
        return f"{'on' if self.unit == 'line' else 'in'} {self.unit} {line}"

    def error(self, line: int, message: str) -> InputError:
        """One complaint, as an error."""
        return InputError(self.complaint(line, message))

    def text(self) -> str:
        """The text of a UTF-8 file, without a byte order mark.

        Raises:
            InputError: it cannot be read, is too large, or is not UTF-8.
        """
        data = self.content()
        if data.startswith(ZIP):
            raise self.error(0, f"{_WORKBOOK}; save it as text (UTF-8)")
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise self._not_utf8(data, error) from error

    def table_text(self) -> str:
        """The text of a file in UTF-8, UTF-16 with its mark, or cp932: see `encodings`.

        Raises:
            InputError: it cannot be read, is too large, or is none of these.
        """
        data = self.content()
        if data.startswith(ZIP):
            raise self.error(0, f"{_WORKBOOK}; save it as CSV (UTF-8), or rename it to .xlsx")
        try:
            return decoded(data)
        except Undecodable as error:
            raise self.error(error.line, str(error)) from error

    def content(self) -> bytes:
        """The bytes of the file.

        Raises:
            InputError: it cannot be read, or is too large.
        """
        try:
            with self.opened() as file:
                data = file.read(MAX_BYTES + 1)
        except FileNotFoundError as error:
            raise self.error(0, "file not found; check the name") from error
        except IsADirectoryError as error:
            raise self.error(0, "this is a folder; use a file") from error
        except OSError as error:
            reason = error.strerror or str(error)
            raise self.error(0, f"can't be read ({reason}); check its permissions") from error
        if len(data) > MAX_BYTES:
            raise self.error(0, f"is larger than {MAX_BYTES // 10**6} MB; split it")
        return data

    def opened(self) -> BufferedReader:
        """The file, open for reading: a regular one that lies where it may.

        It is looked at when it is open, so nothing takes its place between a look and the reading.

        Raises:
            InputError: it lies elsewhere, or is a device, a pipe, a socket.
            OSError: it cannot be opened, or is a folder.
        """
        real = self.confined()
        descriptor = os.open(real, _READING)
        try:
            status = os.fstat(descriptor)
            if stat.S_ISDIR(status.st_mode):
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(real))
            if not stat.S_ISREG(status.st_mode):
                raise self.error(0, "is a device, a pipe or a socket; use a file")
            if self.within is not None and not _is_still(real, status):
                raise self.error(0, "was changed while it was opened; try again")
            return os.fdopen(descriptor, "rb")
        except BaseException:
            os.close(descriptor)
            raise

    def confined(self) -> Path:
        """The real place of the file or folder, if it lies where it may.

        Raises:
            InputError: it does not.
        """
        if self.within is None:
            return self.path
        real = Path(os.path.realpath(self.path))
        if any(real.is_relative_to(place) for place in (*self.within, *config.allowed_paths())):
            return real
        raise self.error(
            0,
            f"leads to {clean(str(real))}, outside of the client's folder and the working "
            f"directory; copy it there, or let it in with: --allow {shlex.quote(clean(str(real)))}",
        )

    def _not_utf8(self, data: bytes, error: UnicodeDecodeError) -> InputError:
        seen = f"byte 0x{data[error.start]:02x} (number {error.start + 1}) is not UTF-8"
        if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            seen = "this is UTF-16, not UTF-8"
        elif from_cp932(data) is not None:
            seen = "this is Shift_JIS (cp932), not UTF-8"
        return self.error(line_of(data, error), f"{seen}; save the file as UTF-8")


_READING = os.O_RDONLY | sum(
    # A pipe must not be waited for, a terminal not become ours, and a real place holds no link.
    getattr(os, name, 0)
    for name in ("O_NONBLOCK", "O_NOCTTY", "O_CLOEXEC", "O_BINARY")
)


def _is_still(real: Path, status: os.stat_result) -> bool:
    """Whether what was opened is what stands at its real place, without any link on the way."""
    return os.path.realpath(real) == str(real) and os.path.samestat(os.lstat(real), status)


def inside(folder: Path | None, cwd: Path | None = None) -> tuple[Path, ...]:
    """Where the files of a client may lie: its folder and the working directory, links resolved.

    The root of a file system is no working directory in this sense: all would lie inside.
    """
    base = Path(os.path.realpath(cwd or Path.cwd()))
    places = [] if folder is None else [Path(os.path.realpath(folder))]
    return tuple([*places, base] if base != Path(base.anchor) else places)


def sha_of(text: str) -> str:
    """The SHA-256 (hex) of a file's text, the same however its lines end."""
    return hashlib.sha256(clean(text).encode()).hexdigest()


def as_stored(source: Source, content: bytes, text: str) -> bytes:
    """Another text of a file, saved as its present `content` is.

    Raises:
        InputError: that is Shift_JIS, which lacks a character of the text.
    """
    try:
        return encoded_like(content, text)
    except UnicodeEncodeError as error:
        letter = text[error.start]
        message = f"is in Shift_JIS, which doesn't have {letter}; save it as UTF-8 first"
        raise source.error(0, message) from error


def replace_file(source: Source, content: bytes) -> None:
    """Put `content` in the place of the file; its permissions stay, and a link stays one.

    Raises:
        InputError: it cannot be written; the file is as it was.
    """
    try:
        with replacing(source.confined().resolve()) as part:
            part.write_bytes(content)
    except OSError as error:
        reason = error.strerror or str(error)
        raise source.error(0, f"can't be written ({reason}); check its permissions") from error
