"""How a large text file is stored, found while it passes by: its encoding, its mark, its hash."""

import codecs
import hashlib
from dataclasses import dataclass

from simulator.files.encodings import from_cp932
from simulator.files.sources import MAX_BYTES, ZIP, Source

_CHUNK = 1 << 20
_MARK = codecs.BOM_UTF8
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True, slots=True)
class StoredAs:
    """`encoding` as Python names it, `marked` with a byte order mark, and the SHA-256 (hex).

    `stamp`: the file's size and time of change when it was looked at.
    """

    encoding: str
    marked: bool
    sha: str
    stamp: tuple[int, int]


def stored_as(source: Source, *, text: bool = True) -> StoredAs:
    """How a file is stored, whatever its size: UTF-8, UTF-16 with its mark, or cp932.

    Args:
        source: the file.
        text: whether it is a text at all; of another file only the hash is taken.

    Raises:
        InputError: it cannot be read, or is in none of these encodings.
    """
    digest = hashlib.sha256()
    decoder = codecs.getincrementaldecoder("utf-8")()
    start, is_utf8 = b"", text
    try:
        stamp = stamp_of(source)
        with source.path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                start = start or chunk
                digest.update(chunk)
                is_utf8 = is_utf8 and _decodes(decoder, chunk)
    except OSError:
        source.content()  # says what is the matter
        raise
    is_utf8 = is_utf8 and _decodes(decoder, b"", final=True)
    encoding = _encoding(source, start, is_utf8=is_utf8) if text else ""
    return StoredAs(encoding, start.startswith((_MARK, *_UTF_16)), digest.hexdigest(), stamp)


def stamp_of(source: Source) -> tuple[int, int]:
    """The file's size and time of change, which tell whether it is still the same.

    Raises:
        OSError: it cannot be looked at.
    """
    stat = source.path.stat()
    return stat.st_size, stat.st_mtime_ns


def _decodes(decoder: codecs.IncrementalDecoder, chunk: bytes, *, final: bool = False) -> bool:
    try:
        decoder.decode(chunk, final)
    except UnicodeDecodeError:
        return False
    return True


def _encoding(source: Source, start: bytes, *, is_utf8: bool) -> str:
    if start.startswith(ZIP):
        raise source.error(0, "is a zip file or a workbook; name it .xlsx, or save it as CSV UTF-8")
    if start.startswith(_UTF_16):
        return "utf-16"
    if is_utf8:
        return "utf-8-sig"
    with source.path.open("rb") as file:
        data = file.read(MAX_BYTES)
        large = bool(file.read(1))
    if from_cp932(data.rpartition(b"\n")[0] if large else data) is None:
        if not large:
            source.table_text()  # says on which line
        raise source.error(0, "is neither UTF-8 nor Shift_JIS; save it as UTF-8")
    return "cp932"
