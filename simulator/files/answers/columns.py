"""The columns of a file of answers: which holds what, by their names in English and Japanese."""

from collections.abc import Collection, Iterable, Mapping
from functools import cache, lru_cache
from typing import Literal, cast

from simulator.files.column_names import column_names
from simulator.formats.complaints import shown
from simulator.formats.tables import same_name

Meaning = Literal[
    "id",
    "question",
    "answer",
    "ground_truth",
    "context",
    "retrieved",
    "elements",
    "documents",
    "answerable",
    "escalate",
    "persona",
    "tags",
    "verdict",
    "reviewer",
]


@lru_cache(maxsize=1024)
def meaning_of(column: str) -> Meaning | None:
    """What a column of this name holds; None for any other column."""
    return _meanings().get(same_name(column))


def meanings(columns: Iterable[str]) -> tuple[dict[Meaning, str], list[str]]:
    """What the columns hold -> the column's name as written, and what is wrong with them.

    Two columns that may both be the answer are complained of: taking the wrong one would score
    something else. Columns of other names are left alone.
    """
    found: dict[Meaning, str] = {}
    wrong = []
    for column in columns:
        meaning = meaning_of(column)
        if meaning is None:
            continue
        if meaning in found:
            both = f"{shown(found[meaning])} and {shown(column)}"
            what = meaning.replace("_", " ")
            wrong.append(f"the columns {both} may both hold the {what}; rename the one that is not")
        found.setdefault(meaning, column)
    return found, wrong


def has_answers(found: Collection[Meaning]) -> bool:
    """Whether there is anything to score: answers, or what a search retrieved."""
    return "answer" in found or "retrieved" in found


def no_answers(columns: Iterable[str]) -> str:
    """The complaint that no column holds the answers."""
    there = ", ".join(shown(c) for c in columns if c) or "none"
    return f"no column holds the answers; name it answer or 回答 (there are: {there})"


@cache
def _meanings() -> Mapping[str, Meaning]:
    names = cast("Mapping[Meaning, tuple[str, ...]]", column_names("answers"))
    return {same_name(name): meaning for meaning, all_ in names.items() for name in all_}
