"""What a table or a text was saved as, found without guessing: UTF-8, UTF-16 or cp932."""

import codecs
import re

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
            problem = "begins as UTF-16 and breaks off; save it anew as UTF-8"
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
