"""What the columns and the cells of a file of answers say: by names in English and Japanese."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Literal, cast

from simulator.core.clean import clean
from simulator.core.scenario import Element
from simulator.core.talk import Document
from simulator.core.verdict import Word
from simulator.files.column_names import meaning_in
from simulator.formats.complaints import shown
from simulator.formats.tables import BAR, BAR_OR_COMMA, NO, OR, OR_LINE, YES, parts_of, same_name
from simulator.formats.yaml.scalars import spelling

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


def meaning_of(column: str) -> Meaning | None:
    """What a column of this name holds; None for any other column."""
    return cast("Meaning | None", meaning_in("answers", column))


def meanings(columns: Iterable[str]) -> tuple[dict[Meaning, str], list[str]]:
    """What the columns hold -> the column's name as written, and what is wrong with them.

    Two columns that may both be the answer are complained of: taking the wrong one would score
    something else. Columns of other names are left alone.
    """
    known: dict[Meaning, str] = {}
    wrong = []
    for column in columns:
        meaning = meaning_of(column)
        if meaning is None:
            continue
        if meaning in known:
            both = f"{shown(known[meaning])} and {shown(column)}"
            what = meaning.replace("_", " ")
            wrong.append(f"the columns {both} may both hold the {what}; rename the one that is not")
        known.setdefault(meaning, column)
    return known, wrong


def has_answers(columns: Collection[Meaning]) -> bool:
    """Whether there is anything to score: answers, or what a search retrieved."""
    return "answer" in columns or "retrieved" in columns


def no_answers(columns: Iterable[str]) -> str:
    """The complaint that no column holds the answers."""
    present = ", ".join(shown(c) for c in columns if c) or "none"
    return (
        f"no column holds the answers; name it answer or 回答, or say where it is in JSON, such as "
        f"--map answer=output.text (there are: {present})"
    )


# Keys of a retrieved passage; LangChain's come last.
_TEXT = ("text", "content", "page_content")
_ID = ("id", "document_id")
_TITLE = ("title",)
_YES = (*YES, "1", "1.0")
_NO = (*NO, "0", "0.0")
_OK = (
    "ok", "o.k.", "o.k", "正", "正解", "合格", "可", "問題なし", "問題無し", "まる", "マル", "丸",
    "◎", "✓", "✔", "☑", "✅", *_YES,
)  # fmt: skip
_NG = (
    "ng", "n.g.", "n.g", "誤", "不正解", "不合格", "不可", "問題あり", "問題有り", "ばつ", "バツ",
    "だめ", "ダメ", "駄目", "✗", "✘", "☒", *_NO,
)  # fmt: skip
_WORDS: Mapping[str, Word] = {
    **dict.fromkeys(_OK, Word.OK),
    **dict.fromkeys(_NG, Word.NG),
    **dict.fromkeys(("unsure", "?", "△", "保留", "不明", "分からない", "わからない"), Word.UNSURE),
}
_LONGEST_NAME = 200


class Wrong(ValueError):
    """A value that cannot be used; the text says what it is, and what would be right."""


def text_of(value: Any) -> str:
    """A text, without space around it; numbers as they are spelt, true and false as words."""
    if isinstance(value, str):
        return clean(value).strip()
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return spelling(value)
    raise Wrong(f"{shown(value)} is not text; write text, in quotes")


def name_of(value: Any) -> str:
    """A name on one line, such as an id."""
    name = text_of(value)
    if "\n" in name or len(name) > _LONGEST_NAME:
        raise Wrong(f"cannot be {shown(name)}; write at most {_LONGEST_NAME} characters on a line")
    return name


def answers_of(value: Any) -> tuple[str, ...]:
    """Right answers: a list of texts, or one text in which lines that hold // alone part them."""
    return _list_of(value, OR_LINE)


def elements_of(value: Any) -> tuple[Element, ...]:
    """A list, or one text in which | or line ends part the elements.

    An element is a list of alternatives, or one text in which // with space around it parts them.
    """
    if isinstance(value, list):
        elements = (_list_of(part if isinstance(part, list) else [part], OR) for part in value)
    else:
        elements = (_list_of(part, OR) for part in BAR.split(text_of(value)))
    return tuple(filter(None, elements))


def names_of(value: Any) -> tuple[str, ...]:
    """A list of names, or one text in which |, line ends or commas part them."""
    if isinstance(value, list) and any(isinstance(item, Mapping) for item in value):
        raise Wrong(
            "holds whole documents; write here the ids of those that should have been found, and "
            "those that were retrieved as context"
        )
    return _list_of(value, BAR_OR_COMMA)


def documents_of(value: Any, *, one: bool) -> tuple[Document, ...]:
    """What the bot retrieved: texts, or objects with `text` and, if known, `id` and `title`.

    Text in a cell is parted by | and line ends; with `one` it is one passage as it stands (JSON
    has lists where there are several).
    """
    if isinstance(value, Mapping):
        value = [value]
    if isinstance(value, list):
        return tuple(filter(_says_something, map(_document, value)))
    text = text_of(value)
    return tuple(map(Document, filter(None, [text]) if one else parts_of(text, BAR)))


def yes_or_no(value: Any) -> bool | None:
    """Yes or no; None where nothing is said."""
    word = same_name(text_of(value))
    if not word:
        return None
    if word in _YES or word in _NO:
        return word in _YES
    raise Wrong(f"{shown(word)} is neither yes nor no; write TRUE or FALSE, yes or no, ○ or ×")


def verdict_of(value: Any) -> Word | None:
    """What a person said of the answer; None where nothing is said."""
    word = same_name(text_of(value)).replace("\ufe0f", "")  # that of emoji
    if not word:
        return None
    if word not in _WORDS:
        raise Wrong(
            f"{shown(word)} is no verdict; write OK, NG or unsure (true and false, ○ and ×, 1 and "
            "0 will do)"
        )
    return _WORDS[word]


def _list_of(value: Any, parted_by: re.Pattern[str]) -> tuple[str, ...]:
    parts = value if isinstance(value, list) else parted_by.split(text_of(value))
    return tuple(text for part in parts if (text := text_of(part)))


def _document(item: Any) -> Document:
    if not isinstance(item, Mapping):
        return Document(text_of(item))
    inner = item.get("metadata")
    places = [item, inner] if isinstance(inner, Mapping) else [item]
    text, name, title = (_first(places, keys) for keys in (_TEXT, _ID, _TITLE))
    if not text and not name:
        raise Wrong(f"a passage has neither text nor id, but {_keys(item)}; write {{id, text}}")
    return Document(text, name or None, title)


def _first(places: list[Mapping[str, Any]], keys: tuple[str, ...]) -> str:
    texts: Iterator[str] = (text_of(place[key]) for place in places for key in keys if key in place)
    return next(filter(None, texts), "")


def _keys(item: Mapping[str, Any]) -> str:
    return ", ".join(shown(key) for key in list(item)[:8]) or "nothing"


def _says_something(document: Document) -> bool:
    return bool(document.text or document.id)
