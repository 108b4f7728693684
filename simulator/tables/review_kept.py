"""Texts that could not be taken, kept in the comment of their row with their column's name."""

import re
from collections.abc import Iterable, Mapping

from simulator.core.persona import Language
from simulator.tables.review_columns import COLUMNS, ColumnId
from simulator.tables.review_heads import PEOPLE

OR = " / "
"""Between the texts of one column that differ."""

_HEADS = {column.id: column.heads for column in COLUMNS}
_KEPT: Mapping[Language, str] = {"ja": "（{head}欄）{text}", "en": "({head} cell) {text}"}


def without_kept(comment: str) -> str:
    """What a person wrote in the comment's own cell: without what was kept of other cells."""
    lines = (line for line in comment.split("\n") if not _IS_KEPT.match(line))
    return "\n".join(lines)


def kept(column: ColumnId, texts: Iterable[str], language: Language) -> str:
    """A line of a comment that keeps what stood in another column."""
    text = OR.join(" ".join(text.split()) for text in texts)
    return _KEPT[language].format(head=_HEADS[column][language], text=text)


def kept_texts(comment: str, column: ColumnId) -> set[str]:
    """What a comment keeps of another column, in whichever language."""
    marks = [_KEPT[lang].format(head=_HEADS[column][lang], text="") for lang in _KEPT]
    lines = comment.split("\n")
    texts = (line[len(m) :] for line in lines for m in marks if line.startswith(m))
    return {part for text in texts for part in (text, *text.split(OR))}


def with_lines(comment: str, lines: Iterable[str]) -> str:
    """The comment and, below it, lines that are not in it yet."""
    there = comment.split("\n") if comment else []
    return "\n".join([*there, *(line for line in dict.fromkeys(lines) if line not in there)])


def _is_kept() -> re.Pattern[str]:
    marks = (_KEPT[lang].format(head=_HEADS[c][lang], text="") for c in PEOPLE for lang in _KEPT)
    return re.compile("|".join(map(re.escape, marks)))


_IS_KEPT = _is_kept()
