"""What people read, in English and in Japanese side by side, found by a key."""

from collections.abc import Mapping
from typing import ClassVar

from simulator.core.counting import in_number
from simulator.core.persona import Language

Table = Mapping[str, tuple[str, str]]
"""Behind each key: English, Japanese. Names in braces are filled in."""


def worded(table: Table, language: Language, key: str, /, **values: object) -> str:
    """The wording behind a key with its values filled in; English nouns in the right number.

    Raises:
        KeyError: the table has no such key, or the wording asks for a value that is not given.
    """
    english, japanese = table[key]
    wording = japanese if language == "ja" else in_number(english, values)
    return wording.format_map(values)


class Wording:
    """The words of one language; a room's own words are a subclass with a `TABLE`."""

    TABLE: ClassVar[Table] = {}

    def __init__(self, language: Language) -> None:
        self.language = language

    def __call__(self, key: str, **values: object) -> str:
        """The wording behind a key, with its values filled in."""
        return worded(self.TABLE, self.language, key, **values)

    def find(self, key: str) -> str | None:
        """The wording behind a key as it is written; None where there is none."""
        found = self.TABLE.get(key)
        return found[self.language == "ja"] if found else None

    @property
    def comma(self) -> str:
        """What stands between the parts of a list."""
        return "、" if self.language == "ja" else ", "
