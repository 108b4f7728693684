"""Words, phrases and patterns of a language, from the data files beside the code."""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypeVar

T = TypeVar("T")
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
        self._made: dict[tuple[str, str], Any] = {}

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
        return self._once("words", name, lambda: frozenset(self.entries[name].split()))

    def pairs(self, name: str) -> dict[str, str]:
        """What is meant and what is written instead, from `meant:written` between white space."""

        def read() -> dict[str, str]:
            return dict(pair.split(":") for pair in self.entries[name].split())

        return self._once("pairs", name, read)

    def rewrites(self, name: str) -> list[tuple[re.Pattern[str], str]]:
        """What is rewritten, and as what, in order, from lines `pattern => replacement`."""

        def compiled(line: str) -> tuple[re.Pattern[str], str]:
            pattern, replacement = line.split(" => ")
            return re.compile(pattern, re.IGNORECASE), replacement

        return self._once("rewrites", name, lambda: [*map(compiled, self.lines(name))])

    def pattern(self, name: str, flags: re.RegexFlag = re.NOFLAG) -> re.Pattern[str]:
        """What matches where one of the lines does; the flags of an entry never vary."""
        return self._once("pattern", name, lambda: re.compile(self.alternatives(name), flags))

    def holds(self, name: str, text: str) -> bool:
        """True if one of the lines matches somewhere, each sought by itself.

        As `pattern` finds it, but ten times as fast where each line begins with a word or a choice
        of words: `re` jumps to where such a line may begin, and tries all of several everywhere.
        """
        lines = self._once("lines", name, lambda: [*map(re.compile, self._each_line(name))])
        return any(line.search(text) for line in lines)

    def _each_line(self, name: str) -> Iterator[str]:
        return (self._filled(alternatives(line)) for line in self.lines(name) if line.strip())

    def _once(self, kind: str, name: str, make: Callable[[], T]) -> T:
        """What is made of an entry, made when it is first asked for."""
        made: T | None = self._made.get((kind, name))
        if made is None:
            made = self._made[kind, name] = make()
        return made

    def alternatives(self, name: str) -> str:
        """The lines as alternatives of one group, each `<name>` replaced by those of its entry."""
        return self._filled(alternatives(self.entries[name]))

    def _filled(self, pattern: str) -> str:
        return _SLOT.sub(lambda slot: self.alternatives(slot[1]), pattern)


phrases = cache(Phrases)
"""The data file of a language, such as `text/ja/refusals`; the same object for all who ask."""


def alternatives(text: str) -> str:
    """The lines of a text as alternatives of one group."""
    return f"(?:{'|'.join(line.strip() for line in text.splitlines() if line.strip())})"
