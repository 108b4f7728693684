"""A file that a person wrote: its text, complaints about it, and how it is replaced."""

import hashlib
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from simulator.core.bounds import MAX_BYTES
from simulator.core.clean import clean
from simulator.core.errors import Complaint, InputError
from simulator.formats.encodings import Undecodable, decoded, from_cp932, line_of

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

    @classmethod
    def of(cls, path: Path, cwd: Path | None = None) -> Self:
        """The file at `path`; `cwd` None means the real working directory."""
        path = path.absolute()
        base = (cwd or Path.cwd()).absolute()
        for start in (base, base.resolve()):
            if path.is_relative_to(start):
                return cls(path, clean(path.relative_to(start).as_posix()))
        return cls(path, clean(path.as_posix()))

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
            with self.path.open("rb") as file:
                data = file.read(MAX_BYTES + 1)
        except FileNotFoundError as error:
            raise self.error(0, "there is no such file; check the name") from error
        except IsADirectoryError as error:
            raise self.error(0, "this is a folder; a file is wanted here") from error
        except OSError as error:
            reason = error.strerror or str(error)
            raise self.error(0, f"cannot be read ({reason}); check its permissions") from error
        if len(data) > MAX_BYTES:
            raise self.error(0, f"is larger than {MAX_BYTES // 10**6} MB; split it")
        return data

    def _not_utf8(self, data: bytes, error: UnicodeDecodeError) -> InputError:
        seen = f"byte 0x{data[error.start]:02x} (number {error.start + 1}) is not UTF-8"
        if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            seen = "this is UTF-16, not UTF-8"
        elif from_cp932(data) is not None:
            seen = "this is Shift_JIS (cp932), not UTF-8"
        return self.error(line_of(data, error), f"{seen}; save the file as UTF-8")


def sha_of(text: str) -> str:
    """The SHA-256 (hex) of a file's text, the same however its lines end."""
    return hashlib.sha256(clean(text).encode()).hexdigest()


def replace_file(source: Source, content: bytes) -> None:
    """Put `content` in the place of the file; its permissions stay, and a link stays one.

    Raises:
        InputError: it cannot be written; the file is as it was.
    """
    target = source.path.resolve()
    part = target.with_name(f"{target.name}.part")
    try:
        try:
            part.write_bytes(content)
            shutil.copymode(target, part)
            os.replace(part, target)
        finally:
            part.unlink(missing_ok=True)
    except OSError as error:
        reason = error.strerror or str(error)
        raise source.error(0, f"cannot be written ({reason}); check its permissions") from error
