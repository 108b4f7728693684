"""A file that a person wrote: its text, whatever it was saved as, and complaints about it."""

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from simulator.core.clean import clean
from simulator.core.errors import Complaint, InputError

MAX_BYTES = 32_000_000
# Hardly any Japanese table lacks all of these, and hardly any other text decodes to them.
_JAPANESE = re.compile("[ぁ-んァ-ヶ、。]")


@dataclass(frozen=True, slots=True)
class Source:
    """A file, and its name as people see it: relative to the working directory if inside it."""

    path: Path
    name: str

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
        return Complaint(self.name, line, message)

    def error(self, line: int, message: str) -> InputError:
        """One complaint, as an error."""
        return InputError(self.complaint(line, message))

    def text(self) -> str:
        """The text of a UTF-8 file, without a byte order mark.

        Raises:
            InputError: it cannot be read, is too large, or is not UTF-8.
        """
        data = self._bytes()
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise self._not_utf8(data, error) from error

    def table_text(self) -> str:
        """The text of a UTF-8 file, or of one in cp932, as Excel in Japan saves csv files.

        Raises:
            InputError: it cannot be read, is too large, or is neither.
        """
        data = self._bytes()
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            text = _from_cp932(data)
            if text is None:
                raise self._not_utf8(data, error) from error
            return text

    def _bytes(self) -> bytes:
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
        if data.startswith(b"PK\x03\x04"):
            raise self.error(0, "is a zip file or a workbook, not text; save it as CSV (UTF-8)")
        return data

    def _not_utf8(self, data: bytes, error: UnicodeDecodeError) -> InputError:
        line = data.count(b"\n", 0, error.start) + 1
        seen = f"byte 0x{data[error.start]:02x} (number {error.start + 1}) is not UTF-8"
        if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            seen = "this is UTF-16, not UTF-8"
        elif _from_cp932(data) is not None:
            seen = "this is Shift_JIS (cp932), not UTF-8"
        return self.error(line, f"{seen}; save the file as UTF-8")


def sha_of(text: str) -> str:
    """The SHA-256 (hex) of a file's text, the same however its lines end."""
    return hashlib.sha256(clean(text).encode()).hexdigest()


def _from_cp932(data: bytes) -> str | None:
    try:
        text = data.decode("cp932")
    except UnicodeDecodeError:
        return None
    return text if _JAPANESE.search(text) else None
