"""One row of a file of answers as an answer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from simulator.core.errors import Complaint
from simulator.core.scenario import Expected, Scenario
from simulator.core.talk import Document, Exchange, Reply
from simulator.core.verdict import Word
from simulator.files.answers import values
from simulator.files.answers.columns import Meaning
from simulator.files.answers.raw import RawFile, RawRow
from simulator.files.answers.values import Wrong


@dataclass(frozen=True, slots=True)
class Answer:
    """One row: what was asked and answered, what would be right, and what a person said of it.

    `persona` and `reviewer` are empty where the file names none.
    """

    scenario: Scenario
    persona: str
    exchange: Exchange
    word: Word | None = None
    reviewer: str = ""


class Parser:
    """Makes answers of rows; what is wrong with them goes to `complaints`."""

    def __init__(self, raw: RawFile) -> None:
        self.complaints: list[Complaint] = []
        self._source = raw.source
        self._readers: Mapping[Meaning, Callable[[Any], Any]] = {
            **_READERS,
            "context": lambda value: values.documents_of(value, one=raw.kind == "jsonl"),
        }

    def answer(self, row: RawRow, columns: Mapping[Meaning, str]) -> Answer | None:
        """The answer in a row; None where anything is wrong with it."""
        before = len(self.complaints)
        if row.problem:
            self.complain(row, row.problem)
            return None
        read = {meaning: self._value(row, meaning, column) for meaning, column in columns.items()}
        if read.get("question") == "":
            self.complain(row, "the question is empty; write it, or take the row out")
        return _made(read, f"row-{row.number}") if len(self.complaints) == before else None

    def complain(self, row: RawRow, message: str) -> None:
        """Note what is wrong with a row."""
        self.complaints.append(self._source.complaint(row.line, message))

    def _value(self, row: RawRow, meaning: Meaning, column: str) -> Any:
        if problem := row.broken.get(column):
            self.complain(row, f"{column}: {problem}")
            return None
        try:
            return self._readers[meaning](row.cells.get(column))
        except Wrong as error:
            self.complain(row, f"{column}: {error}")
            return None


_READERS: Mapping[Meaning, Callable[[Any], Any]] = {
    "id": values.name_of,
    "question": values.text_of,
    "answer": values.text_of,
    "ground_truth": values.text_of,
    "retrieved": values.names_of,
    "elements": values.texts_of,
    "documents": values.names_of,
    "answerable": values.yes_or_no,
    "escalate": values.yes_or_no,
    "persona": values.name_of,
    "tags": values.names_of,
    "verdict": values.verdict_of,
    "reviewer": values.name_of,
}


def is_filled(row: RawRow) -> bool:
    """Whether anything stands in a row."""
    return bool(row.cells or row.problem or row.broken)


def _made(read: Mapping[Meaning, Any], usual_id: str) -> Answer:
    expected = Expected(
        answer=read.get("ground_truth", ""),
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
    return Answer(
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
