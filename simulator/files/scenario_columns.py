"""The columns of a table of scenarios: their names in English and Japanese."""

from collections.abc import Mapping
from difflib import SequenceMatcher
from typing import NamedTuple

from simulator.files.hints import shown
from simulator.files.rows import same_name

# Column, its name in Japanese, and what else it may be called.
_NAMES = (
    ("id",),
    ("query", "質問", "question"),
    ("goal", "目的"),
    ("known", "知っていること"),
    ("unknown", "知らないこと"),
    ("turns", "発話"),
    ("expected.answer", "期待する回答"),
    ("expected.elements", "期待する要素"),
    ("expected.documents", "期待する文書"),
    ("expected.answerable", "回答可能"),
    ("expected.escalate", "引き継ぎ"),
    ("personas", "ペルソナ"),
    ("tags", "タグ"),
)
_KNOWN = {same_name(name): names[0] for names in _NAMES for name in names}
_ENGLISH = tuple(names[0] for names in _NAMES)
_JAPANESE = tuple(names[1] if len(names) > 1 else names[0] for names in _NAMES)
_PREFIXES = ("expected.", "期待する")
# One letter wrong in a word of five is nearer; 質問者 (who asked) is no slip of 質問.
_NEAR = 0.81


class Columns(NamedTuple):
    """Column as written -> column as known; what is wrong; and those that say nothing to us."""

    known: dict[str, str]
    wrong: list[str]
    others: list[str]


def known_columns(written: tuple[str, ...]) -> Columns:
    """The columns by their names: a team's sheet may have others, as long as none is a slip.

    Columns without a name are left out.
    """
    found = Columns({}, [], [])
    for column in filter(None, written):
        meant = _KNOWN.get(same_name(column))
        if meant is None:
            _unknown(column, found)
        elif meant in found.known.values():
            first = _written(found.known, meant)
            found.wrong.append(
                f'the columns "{first}" and "{column}" are the same; keep one of them'
            )
        else:
            found.known[column] = meant
    return found


def _unknown(column: str, found: Columns) -> None:
    names = _ENGLISH if column.isascii() else _JAPANESE
    name = same_name(column)
    near = max(names, key=lambda known: _likeness(name, known))
    if _likeness(name, near) > _NEAR or name.startswith(_PREFIXES):
        found.wrong.append(
            f"no column {shown(column)}; did you mean {near}? there are: {', '.join(names)} "
            "(a column for yourselves needs a name that is less like them)"
        )
    else:
        found.others.append(column)


def _likeness(name: str, known: str) -> float:
    """From 0 to 1; a nested name may be meant by its last part alone, such as `documents`."""
    return max(
        SequenceMatcher(None, name, known).ratio(),
        SequenceMatcher(None, _last(name), _last(known)).ratio(),
    )


def _last(name: str) -> str:
    for prefix in _PREFIXES:
        name = name.removeprefix(prefix)
    return name


def _written(known: Mapping[str, str], meant: str) -> str:
    return next(column for column, name in known.items() if name == meant)
