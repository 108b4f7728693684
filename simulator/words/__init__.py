"""What people read, as data: `<language>/<section>.json`, found by key.

A wording names in braces what is filled in: `{n}`, `{n:,}`. Where a word hangs on a whole number it
names both forms, for one and for any other: `{n} {n:answer is|answers are} left`.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from string import Formatter
from typing import Any

from simulator.core.persona import Language

_HERE = Path(__file__).parent


class Words:
    """The words of one language; a key is looked up in the first of its sections that has it."""

    def __init__(self, language: Language, *sections: str, **always: object) -> None:
        """`sections` are names of files; `always`: values that any of their wordings may name."""
        self.language = language
        self._tables = [table(language, section) for section in sections]
        self._always = always

    def __call__(self, key: str, /, **values: object) -> str:
        """The wording behind a key, with its values filled in.

        Raises:
            KeyError: no section has it, or it names a value that is not given.
        """
        wording = self.find(key)
        if wording is None:
            raise KeyError(key)
        return filled(wording, {**self._always, **values})

    def find(self, key: str) -> str | None:
        """The wording behind a key as it is written; None where there is none."""
        return next((table[key] for table in self._tables if key in table), None)

    def name(self, kind: str, name: str) -> str:
        """What one of a kind (a stop, a gap, a role …) is called; an unknown one as it is."""
        return self.find(f"{kind}.{name}") or name

    def counts(self, kind: str, counts: Mapping[str, int]) -> str:
        """Names with their counts, such as `solved 3 · gave up 1`; zeros are left out."""
        unit = (" 回" if kind == "role" else " 件") if self.language == "ja" else ""
        return " · ".join(f"{self.name(kind, k)} {n:,}{unit}" for k, n in counts.items() if n)

    @property
    def semicolon(self) -> str:
        """What stands between the clauses of a line."""
        return "。" if self.language == "ja" else "; "

    @property
    def to(self) -> str:
        """What stands between the ends of a range."""
        return "〜" if self.language == "ja" else "–"

    @property
    def comma(self) -> str:
        """What stands between the parts of a list."""
        return "、" if self.language == "ja" else ", "


@cache
def table(language: Language, section: str) -> Mapping[str, str]:
    """Every wording of a section, by its key.

    Raises:
        FileNotFoundError: there is no such section.
    """
    text = (_HERE / language / f"{section}.json").read_text("utf-8")
    wordings: dict[str, str] = json.loads(text)
    return wordings


@cache
def document(language: Language, name: str) -> Mapping[str, str]:
    """Texts of several lines, or whole messages, by name: `<language>/<name>.yaml`."""
    import yaml

    texts: dict[str, str] = yaml.safe_load((_HERE / language / f"{name}.yaml").read_text("utf-8"))
    return texts


def nested(text: str) -> str:
    """A text for inside 「」: its own ones become 『』."""
    return text.replace("「", "『").replace("」", "』")


def filled(wording: str, values: Mapping[str, object]) -> str:
    """A wording with its values; what is filled in is never looked at.

    Raises:
        KeyError: it names a value that is not given.
    """
    if "|" not in wording:
        return wording.format_map(values)
    return _FORMATTER.vformat(wording, (), values)


class _Formatter(Formatter):
    def format_field(self, value: Any, format_spec: str) -> Any:
        singular, bar, plural = format_spec.partition("|")
        if bar:
            return singular if str(value) == "1" else plural
        return super().format_field(value, format_spec)


_FORMATTER = _Formatter()


def counted(n: int, noun: str, many: str = "") -> str:
    """A count with its noun in English: 1 answer, 2 answers; `many` where that is irregular."""
    return f"{n:,} {noun if n == 1 else many or noun + 's'}"
