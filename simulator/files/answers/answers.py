"""A file of answers: checked whole before anything runs, then read row by row when asked for."""

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass

from simulator.core.errors import InputError
from simulator.core.persona import Language
from simulator.files.answers.checking import Checking
from simulator.files.answers.columns import Meaning
from simulator.files.answers.parsing import Answer, Parser, is_filled
from simulator.files.answers.raw import RawFile, RawRow, open_raw
from simulator.files.sources import Source


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

    @property
    def source(self) -> Source:
        """The file."""
        return self.raw.source

    @property
    def sha(self) -> str:
        """The SHA-256 (hex) of the file when it was checked."""
        return self.raw.stored.sha

    def rows(self, only: Set[Meaning] | None = None) -> Iterator[Answer]:
        """The answers in the file's order; of each at least what is in `only`, None: all of it.

        Raises:
            InputError: the file is not what it was when it was checked.
        """
        return (answer for _, answer in self.beside(only) if answer is not None)

    def beside(self, only: Set[Meaning] | None = None) -> Iterator[tuple[RawRow, Answer | None]]:
        """Every row as it stands, with the answer in it; None where a row is empty.

        Raises:
            InputError: the file is not what it was when it was checked.
        """
        parser = Parser(self.raw)
        wanted = {m: c for m, c in self.meanings.items() if only is None or m in only}
        for row in self.raw.rows():
            answer = parser.answer(row, wanted) if is_filled(row) else None
            if parser.complaints:
                raise InputError(*parser.complaints)  # checked before: it was changed just now
            yield row, answer


def read_answers(source: Source, language: Language | None = None) -> Answers:
    """The answers of a file, csv, JSON lines or xlsx; all of it is looked at, none of it kept.

    Columns are found by their names (`columns`). A row's id is its column `id`, or `row-N` with
    the number of the row as a spreadsheet or an editor counts it.

    Args:
        source: the file.
        language: of the answers; None: the one that they are written in.

    Raises:
        InputError: everything that is wrong with it.
    """
    raw = open_raw(source)
    checking = Checking(raw)
    checking.look()
    return Answers(
        raw=raw,
        columns=tuple(checking.columns),
        meanings=checking.meanings,
        gives=frozenset(meaning for meaning, n in checking.given.items() if n),
        count=checking.count,
        language=language or checking.language,
    )
