"""A file that a person wrote: its text, complaints about it, and how it is replaced.

`Source.opened` is the one place where such a file is opened. What a client's folder names has to
lie inside of it, of the working directory, or of what `--allow` or MOGI_ALLOW let in.
"""

import errno
import hashlib
import os
import shlex
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from io import BufferedReader
from pathlib import Path
from typing import Self

from simulator import config
from simulator.core.bounds import MAX_BYTES
from simulator.core.clean import clean
from simulator.core.errors import Complaint, InputError
from simulator.formats.encodings import Undecodable, decoded, encoded_like, from_cp932, line_of
from simulator.formats.own_files import replacing

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
            raise self.error(0, f"{_WORKBOOK}; save it as CSV (UTF-8), or name it .xlsx")
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
            raise self.error(0, "this is a folder; a file is wanted here") from error
        except OSError as error:
            reason = error.strerror or str(error)
            raise self.error(0, f"cannot be read ({reason}); check its permissions") from error
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
                raise self.error(0, "is a device, a pipe or a socket; name a file")
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
        message = f"is in Shift_JIS, which has no {letter}; save it as UTF-8 first"
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
        raise source.error(0, f"cannot be written ({reason}); check its permissions") from error
