"""Words, phrases and patterns of a language, from the data files beside the code."""

import re
from collections.abc import Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any

_PACKAGE = Path(__file__).parent.parent
_SLOT = re.compile(r"(?<!\?P)<(\w+)>")


class Phrases:
    """One data file: its entries by name, most of them a text with one way of saying it a line.

    In a pattern `<name>` stands for the entry of that name. The file is read when an entry is
    first asked for, so that importing does nothing; what was made of an entry once is kept.

    Every method raises KeyError for an entry that is not there.
    """

    def __init__(self, file: str) -> None:
        self._file = file
        self._words: dict[str, frozenset[str]] = {}
        self._pairs: dict[str, dict[str, str]] = {}
        self._patterns: dict[str, re.Pattern[str]] = {}
        self._lines: dict[str, list[re.Pattern[str]]] = {}
        self._rewrites: dict[str, list[tuple[re.Pattern[str], str]]] = {}

    @cached_property
    def entries(self) -> Mapping[str, Any]:
        """All entries as they stand in the file."""
        import yaml

        loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        text = (_PACKAGE / f"{self._file}.yaml").read_text("utf-8")
        entries: Mapping[str, Any] = yaml.load(text, loader)  # noqa: S506 (both are safe)
        return entries

    def lines(self, name: str) -> tuple[str, ...]:
        """The lines of an entry, in order."""
        return tuple(self.entries[name].splitlines())

    def words(self, name: str) -> frozenset[str]:
        """The words of an entry, parted by white space."""
        found = self._words.get(name)
        if found is None:
            found = self._words[name] = frozenset(self.entries[name].split())
        return found

    def pairs(self, name: str) -> dict[str, str]:
        """What is meant and what is written instead, from `meant:written` between white space."""
        found = self._pairs.get(name)
        if found is None:
            words = self.entries[name].split()
            found = self._pairs[name] = dict(pair.split(":") for pair in words)
        return found

    def rewrites(self, name: str) -> list[tuple[re.Pattern[str], str]]:
        """What is rewritten, and as what, in order, from lines `pattern => replacement`."""
        found = self._rewrites.get(name)
        if found is None:
            lines = (line.split(" => ") for line in self.lines(name))
            found = self._rewrites[name] = [
                (re.compile(said, re.IGNORECASE), meant) for said, meant in lines
            ]
        return found

    def pattern(self, name: str, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
        """What matches where one of the lines does; the flags of an entry never vary."""
        found = self._patterns.get(name)
        if found is None:
            found = self._patterns[name] = re.compile(self.alternatives(name), flags)
        return found

    def holds(self, name: str, text: str) -> bool:
        """Whether one of the lines matches somewhere, each sought by itself.

        As `pattern` finds it, but ten times as fast where each line begins with a word or a choice
        of words: `re` jumps to where such a line may begin, and tries all of several everywhere.
        """
        found = self._lines.get(name)
        if found is None:
            lines = (line for line in self.lines(name) if line.strip())
            found = self._lines[name] = [re.compile(self._filled(alternatives(x))) for x in lines]
        return any(line.search(text) for line in found)

    def alternatives(self, name: str) -> str:
        """The lines as alternatives of one group, each `<name>` replaced by those of its entry."""
        return self._filled(alternatives(self.entries[name]))

    def _filled(self, said: str) -> str:
        return _SLOT.sub(lambda slot: self.alternatives(slot[1]), said)


phrases = cache(Phrases)
"""The data file of a language, such as `text/ja/refusals`; the same object for all who ask."""


def alternatives(text: str, **parts: str) -> str:
    """The lines of a text as alternatives of one group, with `<name>` replaced by that part."""
    text = "|".join(line.strip() for line in text.splitlines() if line.strip())
    for name, part in parts.items():
        text = text.replace(f"<{name}>", f"(?:{part})")
    return f"(?:{text})"
