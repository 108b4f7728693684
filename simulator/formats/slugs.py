"""Ids made of what a text says: readable, and the same wherever the text stands."""

import hashlib
import re
import unicodedata
from collections import Counter

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
