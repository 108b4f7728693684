"""How people call columns, keys and speakers, in English and Japanese: `column_names.json`.

Short on purpose: whatever else a file has is left alone. Where several names of one meaning are
there, the first counts; the first name of a scenario's column is its own, the second Japanese.
"""

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from pathlib import Path

_FILE = Path(__file__).with_suffix(".json")


@cache
def column_names(section: str) -> Mapping[str, tuple[str, ...]]:
    """The names by what they mean: of `answers`, `scenarios`, `questions`, `dialogs` …."""
    meanings: dict[str, list[str]] = json.loads(_FILE.read_text("utf-8"))[section]
    return {meaning: tuple(names) for meaning, names in meanings.items()}


@lru_cache(maxsize=4096)
def plain_name(name: str) -> str:
    """A name without differences of case, width, and marks between words."""
    return re.sub(r"[\s_-]", "", unicodedata.normalize("NFKC", name).casefold())


def column_of(section: str, meaning: str, columns: Iterable[str]) -> str | None:
    """The column that holds this, as it is written: by the first of its names that is there."""
    written = {plain_name(column): column for column in reversed(list(columns))}
    names = map(plain_name, column_names(section)[meaning])
    return next((written[name] for name in names if name in written), None)


def meaning_in(section: str, column: str) -> str | None:
    """What a column of this name holds; None where the name says nothing."""
    return _meanings(section).get(plain_name(column))


@cache
def _meanings(section: str) -> Mapping[str, str]:
    names = column_names(section)
    return {plain_name(name): meaning for meaning, all_ in names.items() for name in all_}
