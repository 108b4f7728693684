"""Words, phrases and patterns of a language, from the data files beside the code."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

_PACKAGE = Path(__file__).parent.parent
_SLOT = re.compile(r"(?<!\?P)<(\w+)>")


class Phrases:
    """One data file: its entries by name, most of them a text with one way of saying it a line.

    In a pattern `<name>` stands for the entry of that name. What was asked for once is kept.

    Every method raises KeyError for an entry that is not there.
    """

    def __init__(self, entries: Mapping[str, Any]) -> None:
        self.entries = entries
        self._words: dict[str, frozenset[str]] = {}
        self._patterns: dict[str, re.Pattern[str]] = {}

    def lines(self, name: str) -> tuple[str, ...]:
        """The lines of an entry, in order."""
        return tuple(self.entries[name].splitlines())

    def words(self, name: str) -> frozenset[str]:
        """The words of an entry, parted by white space."""
        if name not in self._words:
            self._words[name] = word_set(self.entries[name])
        return self._words[name]

    def pairs(self, name: str) -> dict[str, str]:
        """What is meant and what is written instead, from `meant:written` between white space."""
        return dict(pair.split(":") for pair in self.entries[name].split())

    def pattern(self, name: str, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
        """What matches where one of the lines does; the flags of an entry never vary."""
        found = self._patterns.get(name)
        if found is None:
            found = self._patterns[name] = re.compile(self.alternatives(name), flags)
        return found

    def alternatives(self, name: str) -> str:
        """The lines as alternatives of one group, each `<name>` replaced by those of its entry."""
        own = alternatives(self.entries[name])
        return _SLOT.sub(lambda slot: self.alternatives(slot[1]), own)


@cache
def phrases(file: str) -> Phrases:
    """The data file of a language, such as `text/ja/refusals`; read when it is first asked for."""
    import yaml

    loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    text = (_PACKAGE / f"{file}.yaml").read_text("utf-8")
    return Phrases(yaml.load(text, loader))  # noqa: S506 (both are safe)


def word_set(text: str) -> frozenset[str]:
    """The words of a text, parted by white space."""
    return frozenset(text.split())


def alternatives(text: str, **parts: str) -> str:
    """The lines of a text as alternatives of one group, with `<name>` replaced by that part."""
    text = "|".join(line.strip() for line in text.splitlines() if line.strip())
    for name, part in parts.items():
        text = text.replace(f"<{name}>", f"(?:{part})")
    return f"(?:{text})"
