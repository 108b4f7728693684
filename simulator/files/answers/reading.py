"""A file of answers: checked whole before anything runs, then read row by row when asked for."""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from typing import Any

from simulator.core.errors import raise_all
from simulator.core.persona import Language
from simulator.core.scenario import Expected, Scenario
from simulator.core.talk import Document, Exchange, Reply
from simulator.core.verdict import Word
from simulator.files.answers.values import (
    Meaning,
    Wrong,
    answers_of,
    documents_of,
    elements_of,
    has_answers,
    meaning_of,
    meanings,
    name_of,
    names_of,
    no_answers,
    text_of,
    verdict_of,
    yes_or_no,
)
from simulator.formats.complaints import Complaints, shown
from simulator.formats.records import NO_RECORDS, NOTHING, RawRow
from simulator.formats.row_files import RawFile, open_raw, raise_first
from simulator.formats.sources import Source

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
            raise source.error(0, "has no rows; write at least one answer")
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
                    row, f"the ID {shown(scenario.id)} is already {first}; name each row once"
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
        wrong.append("the question is empty; write it, or take the row out")
    raise_all([raw.source.complaint(row.line, message) for message in wrong])
    return _made(read, f"row-{row.number}")


def _is_filled(row: RawRow) -> bool:
    """Whether anything stands in a row."""
    return bool(row.cells or row.problem or row.broken)


def _made(read: Mapping[Meaning, Any], usual_id: str) -> AnswerRow:
    expected = Expected(
        answers=read.get("ground_truth", ()),
        elements=read.get("elements", ()),
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
