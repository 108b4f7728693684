"""How people call columns, keys and speakers, in English and Japanese: `column_names.json`.

Short on purpose: whatever else a file has is left alone. Where several names of one meaning are
there, the first counts; the first name of a scenario's column is its own, the second Japanese.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

_FILE = Path(__file__).with_suffix(".json")


@cache
def column_names(section: str) -> Mapping[str, tuple[str, ...]]:
    """The names by what they mean: of `answers`, `scenarios`, `questions`, `dialogs` …."""
    meanings: dict[str, list[str]] = json.loads(_FILE.read_text("utf-8"))[section]
    return {meaning: tuple(names) for meaning, names in meanings.items()}
