"""One look at all rows of a file of answers: what is wrong, which columns, and what they hold."""

import re
from collections import Counter
from collections.abc import Iterator

from simulator.core.errors import Complaint, InputError, raise_all
from simulator.core.persona import Language
from simulator.core.talk import Reply
from simulator.files.answers.columns import (
    Meaning,
    has_answers,
    meaning_of,
    meanings,
    no_answers,
)
from simulator.files.answers.parsing import Answer, Parser, is_filled
from simulator.files.answers.raw import RawFile, RawRow
from simulator.files.hints import shown

_COMPLAINTS = 50  # as many as anybody reads
_SAMPLE = 200  # rows that tell the language
_JAPANESE = re.compile("[\u3041-\u30ff\u3400-\u9fff\uff66-\uff9f]")


class Checking:
    """What is in a file. `given` counts the rows that have a value, by what it means."""

    def __init__(self, raw: RawFile) -> None:
        self.columns: dict[str, None] = dict.fromkeys(filter(None, raw.columns))
        self.meanings: dict[Meaning, str] = {}
        self.given: Counter[Meaning] = Counter()
        self.count = 0
        self._raw = raw
        self._parser = Parser(raw)
        self._clashes = 0
        self._lines: dict[tuple[str, str], int] = {}
        self._japanese = self._letters = 0

    def look(self) -> None:
        """Look at every row.

        Raises:
            InputError: all that is wrong, or the first of it where it is very much.
        """
        raise_all(list(self._head()))
        found = self._parser.complaints
        try:
            for row in self._raw.rows():
                if is_filled(row):
                    self._row(row)
        except InputError as error:  # nothing can be read from there on
            found += error.complaints
        if not found and not self.count:
            found.append(self._raw.source.complaint(0, "has no rows; write at least one answer"))
        if len(found) > _COMPLAINTS:
            more = f"and {len(found) - _COMPLAINTS:,} more complaints about {self._raw.source.name}"
            raise InputError(*found[:_COMPLAINTS], more)
        raise_all(found)

    @property
    def language(self) -> Language:
        """Japanese where kana and kanji make a tenth of all letters in the first rows."""
        return "ja" if 10 * self._japanese > self._letters else "en"

    def _head(self) -> Iterator[Complaint]:
        """What is wrong with the columns that the head of a table names."""
        if self._raw.kind == "jsonl":
            return
        self.meanings, wrong = meanings(self.columns)
        if not wrong and not has_answers(self.meanings):
            wrong = [no_answers(self.columns)]
        yield from (self._raw.source.complaint(self._raw.head, message) for message in wrong)

    def _row(self, row: RawRow) -> None:
        if self._raw.kind == "jsonl" and not row.problem:
            self._meet(row)
        answer = self._parser.answer(row, self.meanings)
        if answer is None:
            return
        self.count += 1
        self.given.update(_given(answer))
        if self.count <= _SAMPLE:
            self._listen(answer)
        if "id" in self.meanings:
            self._check_id(row, answer)

    def _meet(self, row: RawRow) -> None:
        """Take in the keys of a line of JSON, which are its columns."""
        new = [key for key in row.cells if key not in self.columns]
        if new:
            self.columns |= dict.fromkeys(new)
            self.meanings, clashes = meanings(self.columns)
            for message in clashes[self._clashes :]:
                self._parser.complain(row, message)
            self._clashes = len(clashes)
        if not has_answers({m for key in row.cells if (m := meaning_of(key))}):
            message = f"{no_answers(row.cells)}; write null where the bot gave none"
            self._parser.complain(row, message)

    def _listen(self, answer: Answer) -> None:
        scenario = answer.scenario
        said = f"{scenario.query}{answer.exchange.assistant}{scenario.expected.answer}"
        self._japanese += len(_JAPANESE.findall(said))
        self._letters += sum(map(str.isalpha, said))

    def _check_id(self, row: RawRow, answer: Answer) -> None:
        """Names tell rows apart in reports, on a resume and between two runs."""
        name = (answer.scenario.id, answer.persona)
        line = self._lines.setdefault(name, row.line)
        if line != row.line:
            there = self._raw.source.there(line)
            self._parser.complain(
                row, f"the id {shown(name[0])} stands {there} already; name each row once"
            )


def _given(answer: Answer) -> Iterator[Meaning]:
    expected, reply = answer.scenario.expected, answer.exchange.reply
    documents = reply.documents if isinstance(reply, Reply) else ()
    there: dict[Meaning, bool] = {
        "question": bool(answer.scenario.query),
        "answer": bool(answer.exchange.assistant),
        "ground_truth": bool(expected.answer),
        "context": any(document.text for document in documents),
        "retrieved": any(document.id for document in documents),
        "elements": bool(expected.elements),
        "documents": bool(expected.documents),
        "answerable": expected.answerable is not None,
        "escalate": expected.escalate,
        "persona": bool(answer.persona),
        "verdict": answer.word is not None,
    }
    return (meaning for meaning, is_there in there.items() if is_there)
