"""A file of answers: checked whole before anything runs, then read row by row when asked for."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from typing import Any, Literal, cast

from simulator.core.clean import clean
from simulator.core.errors import raise_all
from simulator.core.persona import Language
from simulator.core.scenario import Element, Expected, Scenario
from simulator.core.talk import Document, Exchange, Reply
from simulator.core.verdict import Word
from simulator.files.column_names import meaning_in
from simulator.formats.records import NO_RECORDS, NOTHING, RawRow
from simulator.formats.row_files import RawFile, open_raw, raise_first
from simulator.formats.sources import Complaints, Source, shown
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
    "must_not",
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
            wrong.append(f"the columns {both} could both be the {what}; rename the one that isn't")
        known.setdefault(meaning, column)
    return known, wrong


def has_answers(columns: Collection[Meaning]) -> bool:
    """Whether there is anything to score: answers, or what a search retrieved."""
    return "answer" in columns or "retrieved" in columns


def no_answers(columns: Iterable[str]) -> str:
    """The complaint that no column holds the answers."""
    present = ", ".join(shown(c) for c in columns if c) or "none"
    return (
        f"no column contains answers; call it answer or 回答, or set its path in JSON, such as "
        f"--map answer=output.text (columns: {present})"
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
        raise Wrong(f"can't be {shown(name)}; use at most {_LONGEST_NAME} characters on one line")
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


def statements_of(value: Any) -> tuple[str, ...]:
    """A list of texts, or one text in which | or line ends part them."""
    return _list_of(value, BAR)


def names_of(value: Any) -> tuple[str, ...]:
    """A list of names, or one text in which |, line ends or commas part them."""
    if isinstance(value, list) and any(isinstance(item, Mapping) for item in value):
        raise Wrong(
            "contains whole documents; use IDs of the expected documents here, and put retrieved "
            "documents in context"
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
            f"{shown(word)} isn't a verdict; use OK, NG or unsure (true and false, ○ and ×, 1 and "
            "0 also work)"
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
        raise Wrong(f"a passage has no text or id, only {_keys(item)}; write {{id, text}}")
    return Document(text, name or None, title)


def _first(places: list[Mapping[str, Any]], keys: tuple[str, ...]) -> str:
    texts: Iterator[str] = (text_of(place[key]) for place in places for key in keys if key in place)
    return next(filter(None, texts), "")


def _keys(item: Mapping[str, Any]) -> str:
    return ", ".join(shown(key) for key in list(item)[:8]) or "nothing"


def _says_something(document: Document) -> bool:
    return bool(document.text or document.id)


_SAMPLE = 200  # rows that tell the language
_JAPANESE = re.compile("[\u3041-\u30ff\u3400-\u9fff\uff66-\uff9f]")


@dataclass(frozen=True, slots=True)
class AnswerRow:
    """One row: what was asked and answered, what would be right, and what a person said of it.

    `persona` and `reviewer` are empty where the file names none.
    """

    scenario: Scenario
    persona: str
    exchange: Exchange
    word: Word | None = None
    reviewer: str = ""


@dataclass(frozen=True, slots=True)
class Answers:
    """A file of answers in which everything is right.

    `meanings` says which column holds what, `columns` are all that there are. `gives` are those
    meanings that any row has a value for. `count` rows hold an answer.
    """

    raw: RawFile
    columns: tuple[str, ...]
    meanings: Mapping[Meaning, str]
    gives: frozenset[Meaning]
    count: int
    language: Language
    mapping: Mapping[str, str] = field(default_factory=dict)

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out of a file of another tool, and what a mapping does not find."""
        return getattr(self.raw, "known", NO_RECORDS).notes

    @property
    def format(self) -> str:
        """The tool whose records the file holds; empty for columns of the file's own."""
        return getattr(self.raw, "known", NO_RECORDS).format

    @property
    def written(self) -> tuple[str, ...]:
        """The columns of the rows as they are written again: those of the file."""
        return getattr(self.raw, "written", ()) or self.raw.columns or self.columns

    @property
    def source(self) -> Source:
        """The file."""
        return self.raw.source

    @property
    def sha(self) -> str:
        """The SHA-256 (hex) of the file when it was checked."""
        return self.raw.stored.sha

    def rows(self, only: Set[Meaning] | None = None) -> Iterator[AnswerRow]:
        """The answers in the file's order; of each at least what is in `only`, None: all of it.

        Raises:
            InputError: the file is not what it was when it was checked.
        """
        return (answer for _, answer in self.beside(only) if answer is not None)

    def beside(self, only: Set[Meaning] | None = None) -> Iterator[tuple[RawRow, AnswerRow | None]]:
        """Every row as it stands, with the answer in it; None where a row is empty.

        Raises:
            InputError: the file is not what it was when it was checked.
        """
        wanted = {m: c for m, c in self.meanings.items() if only is None or m in only}
        for row in self.raw.rows():
            yield row, _answer_in(self.raw, row, wanted) if _is_filled(row) else None


def read_answers(
    source: Source, language: Language | None = None, mapping: Mapping[str, str] = NOTHING
) -> Answers:
    """The answers of a file, csv, JSON lines or xlsx; all of it is looked at, none of it kept.

    Columns are found by their names (`columns`). A row's id is its column `id`, or `row-N` with
    the number of the row as a spreadsheet or an editor counts it.

    Args:
        source: the file.
        language: of the answers; None: the one that they are written in.
        mapping: the JMESPath of each column, for JSON of a form that is not known.

    Raises:
        InputError: everything that is wrong with it.
    """
    check = _Check(open_raw(source, mapping))
    check.look()
    return Answers(
        raw=check.raw,
        columns=tuple(check.columns),
        meanings=check.meanings,
        gives=frozenset(meaning for meaning, n in check.filled.items() if n),
        count=check.count,
        language=language or check.language,
        mapping=mapping,
    )


class _Check:
    """One look at all rows of a file: what is wrong, which columns there are, what they hold.

    `filled` counts the rows that have a value, by what it means.
    """

    def __init__(self, raw: RawFile) -> None:
        self.raw = raw
        self.columns: dict[str, None] = dict.fromkeys(filter(None, raw.columns))
        self.meanings: dict[Meaning, str] = {}
        self.filled: Counter[Meaning] = Counter()
        self.count = 0
        self._complaints = Complaints()
        self._clashes = 0
        self._lines: dict[tuple[str, str], int] = {}
        self._japanese = self._letters = 0

    @property
    def language(self) -> Language:
        """Japanese where kana and kanji make a tenth of all letters in the first rows."""
        return "ja" if 10 * self._japanese > self._letters else "en"

    def look(self) -> None:
        """Look at every row.

        Raises:
            InputError: all that is wrong, or the first of it where it is very much.
        """
        source, complaints = self.raw.source, self._complaints
        if self.raw.kind != "jsonl":
            self.meanings, wrong = meanings(self.columns)
            if not wrong and not has_answers(self.meanings):
                wrong = [no_answers(self.columns)]
            raise_all([source.complaint(self.raw.head, message) for message in wrong])
        complaints.attempt(self._rows)  # nothing can be read from an error on
        if not complaints and not self.count:
            raise source.error(0, "there are no rows; add at least one answer")
        raise_first(source, complaints)

    def _rows(self) -> None:
        for row in filter(_is_filled, self.raw.rows()):
            if self.raw.kind == "jsonl" and not row.problem:
                self._keys(row)
            answer = self._complaints.attempt(_answer_in, self.raw, row, self.meanings)
            if answer is not None:
                self._take_in(row, answer)

    def _keys(self, row: RawRow) -> None:
        """Take in the keys of a line of JSON, which are its columns."""
        if any(key not in self.columns for key in row.cells):
            self.columns |= dict.fromkeys(row.cells)
            self.meanings, clashes = meanings(self.columns)
            for message in clashes[self._clashes :]:
                self._complain(row, message)
            self._clashes = len(clashes)
        if not has_answers({m for key in row.cells if (m := meaning_of(key))}):
            self._complain(row, f"{no_answers(row.cells)}; write null where the bot gave none")

    def _take_in(self, row: RawRow, answer: AnswerRow) -> None:
        self.count += 1
        self.filled.update(_filled_in(answer))
        scenario = answer.scenario
        if self.count <= _SAMPLE:
            texts = f"{scenario.query}{answer.exchange.assistant}{scenario.expected.answer}"
            self._japanese += len(_JAPANESE.findall(texts))
            self._letters += sum(map(str.isalpha, texts))
        if "id" in self.meanings:  # ids tell rows apart in reports, on a resume, between two runs
            line = self._lines.setdefault((scenario.id, answer.persona), row.line)
            if line != row.line:
                first = self.raw.source.where(line)
                self._complain(
                    row, f"the ID {shown(scenario.id)} is already {first}; IDs must be unique"
                )

    def _complain(self, row: RawRow, message: str) -> None:
        self._complaints.append(self.raw.source.complaint(row.line, message))


def _filled_in(answer: AnswerRow) -> Iterator[Meaning]:
    expected, reply = answer.scenario.expected, answer.exchange.reply
    documents = reply.documents if isinstance(reply, Reply) else ()
    has: dict[Meaning, bool] = {
        "question": bool(answer.scenario.query),
        "answer": bool(answer.exchange.assistant),
        "ground_truth": bool(expected.answers),
        "context": any(document.text for document in documents),
        "retrieved": any(document.id for document in documents),
        "elements": bool(expected.elements),
        "must_not": bool(expected.must_not),
        "documents": bool(expected.documents),
        "answerable": expected.answerable is not None,
        "escalate": expected.escalate,
        "persona": bool(answer.persona),
        "verdict": answer.word is not None,
    }
    return (meaning for meaning, is_there in has.items() if is_there)


_READERS: Mapping[Meaning, Callable[[Any], Any]] = {
    "id": name_of,
    "question": text_of,
    "answer": text_of,
    "ground_truth": answers_of,
    "retrieved": names_of,
    "elements": elements_of,
    "must_not": statements_of,
    "documents": names_of,
    "answerable": yes_or_no,
    "escalate": yes_or_no,
    "persona": name_of,
    "tags": names_of,
    "verdict": verdict_of,
    "reviewer": name_of,
}


def _answer_in(raw: RawFile, row: RawRow, columns: Mapping[Meaning, str]) -> AnswerRow:
    """The answer in a row.

    Raises:
        InputError: everything that is wrong with it.
    """
    if row.problem:
        raise raw.source.error(row.line, row.problem)
    read: dict[Meaning, Any] = {}
    wrong = []
    for meaning, column in columns.items():
        value = row.cells.get(column)
        try:
            if problem := row.broken.get(column):
                raise Wrong(problem)
            if meaning == "context":
                read[meaning] = documents_of(value, one=raw.kind == "jsonl")
            else:
                read[meaning] = _READERS[meaning](value)
        except Wrong as error:
            wrong.append(f"{column}: {error}")
    if read.get("question") == "":
        wrong.append("the question is empty; write it, or remove the row")
    raise_all([raw.source.complaint(row.line, message) for message in wrong])
    return _made(read, f"row-{row.number}")


def _is_filled(row: RawRow) -> bool:
    """Whether anything stands in a row."""
    return bool(row.cells or row.problem or row.broken)


def _made(read: Mapping[Meaning, Any], usual_id: str) -> AnswerRow:
    expected = Expected(
        answers=read.get("ground_truth", ()),
        elements=read.get("elements", ()),
        must_not=read.get("must_not", ()),
        documents=read.get("documents", ()),
        answerable=read.get("answerable"),
        escalate=bool(read.get("escalate")),
    )
    question = read.get("question", "")
    name, tags = read.get("id") or usual_id, read.get("tags", ())
    reply = Reply(
        read.get("answer", ""),
        _retrieved(read.get("retrieved", ()), read.get("context", ())),
        reports_documents="context" in read or "retrieved" in read,
    )
    return AnswerRow(
        scenario=Scenario(id=name, query=question, expected=expected, tags=tags),
        persona=read.get("persona", ""),
        exchange=Exchange(1, question, reply),
        word=read.get("verdict"),
        reviewer=read.get("reviewer", ""),
    )


def _retrieved(names: tuple[str, ...], passages: tuple[Document, ...]) -> tuple[Document, ...]:
    """Ids and passages that come in two columns, as documents; as many of both belong together."""
    if len(names) == len(passages):
        pairs = zip(names, passages, strict=True)
        return tuple(replace(passage, id=passage.id or name) for name, passage in pairs)
    return (*(Document("", name) for name in names), *passages)
