"""The Review table read back, whatever was sorted, filtered, inserted, renamed or doubled in it.

Rows are known by keys, columns by heads; what cannot be taken is kept in the comment, and told.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import get_args

from simulator.core.claim import Claim
from simulator.core.clean import cut, is_number
from simulator.core.errors import Complaint, InputError
from simulator.core.persona import Language
from simulator.core.verdict import Verdict, Word
from simulator.files.answers import verdict_of
from simulator.formats.tables import Record, same_name
from simulator.formats.xlsx.workbook import NO_DAY, NO_RESULT
from simulator.words import table
from simulator.worksheets.book import column_name
from simulator.worksheets.claim_marks import ClaimMark, claim_marks
from simulator.worksheets.columns import (
    HASHED,
    HEADS,
    OR,
    PEOPLE,
    ColumnId,
    Heads,
    answer_of,
    find_heads,
    is_intact,
    is_judged,
    is_word,
    kept,
    kept_texts,
    parted_key,
    parted_word,
    repeats,
    with_lines,
)

# What a spreadsheet shows where somebody typed a text that begins with = or +.
_ERRORS = frozenset(
    ("#ERROR!", "#NAME?", "#VALUE!", "#REF!", "#N/A", "#DIV/0!", "#NUM!", "#NULL!", "Err:509")
)
_MOST_TEXTS, _LONGEST = 5, 60  # texts of a column of somebody's own; characters of each
_LIVE = ("turns", "threshold", "flag")  # columns that follow Config, or grow with the run
_FLAGS = frozenset(table(language, "sheet")["flag"] for language in get_args(Language))
_ERROR = re.compile(r"#[A-Z0-9_/]+[!?]?|Err:\d+")


class Odd(StrEnum):
    """What is odd about a table, or about a row of it; the comment names its values."""

    NO_COLUMN = "no_column"  # column, there: people's column is not there
    RENAMED = "renamed"  # column, head: taken for this column by its cells
    TWICE = "twice"  # column, texts: two columns of one head differ in this row
    UNKNOWN_WORD = "unknown_word"  # text: kept in the comment
    UNKNOWN_MARK = "unknown_mark"  # text: likewise, what was meant for single claims
    NO_CLAIM = "no_claim"  # text, there: likewise, no claim of the answer has this number
    MOVED_CLAIMS = "moved_claims"  # text: likewise, other claims stand in the row by now
    OTHER_CLAIM = "other_claim"  # claim, typed: nobody reads such a claim in the answer
    MISPLACED = "misplaced"  # column, text: a verdict where none is read
    OWN_COLUMN = "own_column"  # column, n, texts: of somebody's own, with so many cells
    STRAY = "stray"  # text: a row without a key
    ELSEWHERE = "elsewhere"  # cell, text: written into another worksheet
    NOTE = "note"  # cell, text: a note on a cell
    LIMIT = "limit"  # text: a threshold that was edited
    PAINTED = "painted"  # cell, n: somebody coloured them
    MOVED = "moved"  # n: rows in which only some columns were sorted
    BROKEN_KEY = "broken_key"  # key, typed: whose turn is it?
    BROKEN_CELL = "broken_cell"  # column, error: #N/A and the like
    NO_RESULT = "no_result"  # column: a formula that nobody has worked out
    NO_DAY = "no_day"  # column: the format of a date, and no date
    OTHER_RUN = "other_run"  # run, n: rows in which people wrote of another run
    NO_TURN = "no_turn"  # episode, turn, typed: the run has no such turn
    OTHER_ANSWER = "other_answer"  # episode, turn, typed: it was given on another answer
    EDITED = "edited"  # columns, texts: what the program wrote was changed
    DOUBTFUL = "doubtful"  # columns: likewise, and it is what the verdict is about
    SAME_PERSON = "same_person"  # reviewer, rows, texts: says two things of one turn
    DENIES = "denies"  # scenario, text, expected: a corrected answer against what a person expects
    CLEARED = "cleared"  # column, text: what was there before stays
    EMPTY_ELSEWHERE = "empty_elsewhere"  # reviewer, text, source: the same of another file; kept
    TAKEN_BACK = "taken_back"  # reviewer, text: only the name is left; kept as history
    MARK_TAKEN_BACK = "mark_taken_back"  # reviewer, text: of a single claim
    MARK_ELSEWHERE = "mark_elsewhere"  # n: on claims, read elsewhere, and not here; kept
    NEAR_NAME = "near_name"  # one, other: reviewers; one person or two?
    GONE = "gone"  # n: verdicts whose rows were there before; they stay
    WITHDRAWN = "withdrawn"  # n: verdicts that were withdrawn and still stand here; not taken
    STALE = "stale"  # n: verdicts as a report shows them, and changed since; not taken
    NAMED = "named"  # n: verdicts that had no reviewer and now have one
    PRINTED = "printed"  # n: verdicts that `mogi export` printed, and nobody typed
    REPEATED = "repeated"  # n: verdicts without a reviewer that were read elsewhere already
    NAMELESS = "nameless"  # text, source: differs from another verdict without a reviewer


_PROBLEMS = {NO_RESULT: Odd.NO_RESULT, NO_DAY: Odd.NO_DAY}


@dataclass(frozen=True, slots=True, order=True)
class RowPlace:
    """A row as the spreadsheet counts it, from 1; `sheet` names its worksheet where that helps."""

    row: int
    sheet: str = ""


@dataclass(frozen=True, slots=True)
class Oddity:
    """Something that a person should know; `place` None: it concerns the whole table."""

    kind: Odd
    place: RowPlace | None = None
    values: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, kind: Odd, place: RowPlace | None = None, **values: object) -> "Oddity":
        """One with these values as texts."""
        return cls(kind, place, {name: str(value) for name, value in values.items()})


@dataclass(frozen=True, slots=True)
class ReviewGrid:
    """The rows of one worksheet or file.

    `is_printed`: lines, of `mogi export` with the verdicts that were known already, or of the page.
    `claims`: which of them are about one claim, by line, and its id.
    """

    title: str
    records: Sequence[Record]
    is_printed: bool = False
    claims: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Feedback:
    """What stands in the people's cells of a row. `word` None: no verdict, or none that is known.

    What could not be taken stands in `comment`, with the name of its column before it.
    """

    word: Word | None = None
    error_type: str = ""
    corrected: str = ""
    comment: str = ""

    @classmethod
    def of(cls, verdict: Verdict) -> "Feedback":
        """What a verdict says."""
        return cls(verdict.word, verdict.error_type, verdict.corrected, verdict.comment)

    @property
    def texts(self) -> tuple[str, str, str, str]:
        """What stands in each cell."""
        return self.word or "", self.error_type, self.corrected, self.comment

    def __bool__(self) -> bool:
        return any(self.texts)


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """One row: which turn it speaks of, and what people wrote.

    `cells` are the machine's, as far as their columns are there; `intact`: their hash is right
    (None: that cannot be told). `is_moved`: some of them are another turn's. `answer`: its hash.
    `claim`: the id of what the row is about; empty where it is about the whole answer.
    `marks` are on single claims of it; `tells_all`: what the person says of other claims is gone.
    `repeats`: the person's words stand there as they were written, or the marks alone; None: the
    row was written without any. `hashed`: its hash, as it stands there.
    `was_shown`: it is empty, and showed what the person says by now when it was written.
    """

    place: RowPlace
    run: str
    episode: str
    turn: int
    feedback: Feedback
    reviewer: str
    cells: Mapping[ColumnId, str]
    intact: bool | None
    is_moved: bool = False
    answer: str = ""
    claim: str = ""
    marks: tuple[ClaimMark, ...] = ()
    tells_all: bool = False
    repeats: tuple[bool, bool] | None = None
    hashed: str = ""
    was_shown: bool = False

    @property
    def is_judged(self) -> bool:
        """True if somebody wrote there, and not a name alone."""
        return bool(self.feedback or self.marks)

    @property
    def typed(self) -> str:
        """What a person wrote there, on one line."""
        return OR.join(filter(None, (typed(self.feedback), *map(str, self.marks))))


@dataclass(frozen=True, slots=True)
class ReviewTable:
    """Every row with a key, in the order in which they stand there, and what was odd."""

    rows: tuple[ReviewRow, ...]
    oddities: tuple[Oddity, ...] = ()
    is_printed: bool = False


def grid_of(title: str, rows: Iterable[Sequence[object]]) -> ReviewGrid:
    """The rows of a sheet as lists of cells from its first row on; None and "" are empty."""
    records = []
    for number, row in enumerate(rows, 1):
        texts = {at: str(v).strip() for at, v in enumerate(row) if v is not None}
        if cells := {at: text for at, text in texts.items() if text}:
            records.append(with_errors(Record(number, cells)))
    return ReviewGrid(title, records)


def with_errors(record: Record) -> Record:
    """The row, its cells that hold an error of a formula among the broken ones."""
    errors = {at: f"it contains {text}" for at, text in record.cells.items() if text in _ERRORS}
    cells = {at: text for at, text in record.cells.items() if at not in errors}
    return Record(record.line, cells, {**record.broken, **errors}) if errors else record


def read_review(grids: Sequence[ReviewGrid], name: str, language: Language) -> ReviewTable:
    """The Review table in a workbook or file called `name`; all of them, where it was copied.

    What cannot be taken is kept in comments, worded in `language`.

    Raises:
        InputError: there is none, or none in which people could write.
    """
    tables = [(grid, heads) for grid in grids if (heads := find_heads(grid.records))]
    if not tables:
        raise InputError(Complaint(name, 0, _none_there(grids)))
    rows: list[ReviewRow] = []
    oddities: list[Oddity] = []
    for grid, heads in tables:
        title = grid.title if len(tables) > 1 else ""
        reader = _Reader(heads, title, language, grid.is_printed, grid.claims)
        rows += reader.rows(grid.records)
        oddities += [*([] if grid.is_printed else reader.about_heads()), *reader.oddities]
    return ReviewTable(tuple(rows), tuple(oddities), any(grid.is_printed for grid, _ in tables))


def typed(feedback: Feedback) -> str:
    """What a person wrote in a row, on one line."""
    return OR.join(" ".join(text.split()) for text in feedback.texts if text)


def _none_there(grids: Sequence[ReviewGrid]) -> str:
    """What is there instead of a Review table."""
    if not any(grid.records for grid in grids):
        return "empty file"
    parts = []
    for grid in grids:
        first = grid.records[0].cells.values() if grid.records else ()
        heads = ", ".join(f'"{text[:30]}"' for text in list(first)[:20]) or "none"
        parts.append(f"{grid.title}: {heads}" if grid.title else heads)
    if not any(grid.records for grid in grids):
        return "empty file"
    return (
        "there's no review table, which needs the column key (キー) and a column for reviewers, "
        f"such as verdict (判定); columns: {'; '.join(parts)}"
    )


@dataclass(slots=True)
class _Reader:
    """Reads one table and gathers what is odd about it."""

    heads: Heads
    sheet: str
    language: Language
    is_printed: bool
    claims: Mapping[int, str] = field(default_factory=dict)
    oddities: list[Oddity] = field(default_factory=list)
    own: dict[int, list[str]] = field(default_factory=dict)  # texts in columns of somebody's own

    def _note(self, kind: Odd, place: RowPlace, **values: str) -> None:
        self.oddities.append(Oddity.of(kind, place, **values))

    def about_heads(self) -> Iterator[Oddity]:
        """Columns that are missing, and columns that were taken for others."""
        heads = self.heads
        present = ", ".join(text for _, text in sorted(heads.texts.items()))
        where = RowPlace(0, self.sheet) if self.sheet else None
        for name in heads.missing():
            yield Oddity.of(Odd.NO_COLUMN, where, column=self._head(name), there=present)
        for name in sorted(heads.guessed):
            yield Oddity.of(Odd.RENAMED, where, column=self._head(name), head=heads.named(name))
        for at, texts in sorted(self.own.items()):
            shown = OR.join(cut(text, _LONGEST) for text in texts[:_MOST_TEXTS])
            yield Oddity.of(Odd.OWN_COLUMN, where, column=self._at(at), n=len(texts), texts=shown)

    def rows(self, records: Sequence[Record]) -> Iterator[ReviewRow]:
        """The rows below the head."""
        for record in records[self.heads.at + 1 :]:
            if row := self._row(record):
                yield row

    def _row(self, record: Record) -> ReviewRow | None:
        place = RowPlace(record.line, self.sheet)
        row = self._written(record, place)
        self._see_strays(record, place)
        key = self._first(record, "key")
        parted = parted_key(key)
        if parted is None:
            if row.is_judged:
                self._note(Odd.BROKEN_KEY, place, key=key, typed=row.typed)
            elif not self._first(record, "hash"):  # of somebody's own, and no head that was copied
                text = OR.join(" ".join(text.split()) for text in record.cells.values())
                self._note(Odd.STRAY, place, text=text)
            return None
        run, episode, turn = parted
        row = replace(row, run=run, episode=episode, turn=turn)
        names = (name for name in (*HASHED, "hash") if name in self.heads.places)
        machine = {name: self._first(record, name) for name in names}
        hashed = machine.pop("hash", "")
        if self.is_printed:
            row = replace(row, claim=self.claims.get(place.row, ""), marks=(), tells_all=False)
            if hashed:
                return replace(row, answer=hashed)
        written = {name: self._first(record, name) for name in PEOPLE}
        intact = is_intact(machine, hashed)
        again = repeats(written, hashed)
        return replace(row, cells=machine, intact=intact, repeats=again, hashed=hashed)

    def _see_strays(self, record: Record, place: RowPlace) -> None:
        """Tell what stands in columns in which nothing is read; most may hold what is their own."""
        ours = {at: name for name, places in self.heads.places.items() for at in places}
        for at, text in record.cells.items():
            name = ours.get(at)
            is_own = name is None or (name in _LIVE and text not in _FLAGS and not is_number(text))
            if is_own and is_judged(text):
                self._note(Odd.MISPLACED, place, column=self._at(at), text=text)
            elif name and is_own:
                self._note(Odd.EDITED, place, columns=name, texts=text)
            elif is_own:
                self.own.setdefault(at, []).append(" ".join(text.split()))

    def _at(self, place: int) -> str:
        """What a column is called by those who look at it."""
        return self.heads.texts.get(place) or column_name(place)

    def _first(self, record: Record, name: ColumnId) -> str:
        """A machine's cell; where its column stands there twice, the first that is not empty."""
        return next(self._texts(record, name), "")

    def _texts(self, record: Record, name: ColumnId) -> Iterator[str]:
        for place in self.heads.places.get(name, ()):
            if text := record.cells.get(place):
                yield text

    def _written(self, record: Record, place: RowPlace) -> ReviewRow:
        """What people wrote, in a row of which nothing else is known yet."""
        self._see_broken(record, place)
        keep: list[str] = []
        texts = self._single_texts(record, place, keep)
        if parted := parted_word(word := texts["verdict"]):
            word, remark = parted
            keep[:0] = [remark] if remark else []
        elif word:
            keep.insert(0, kept("verdict", [word], self.language))
            self._note(Odd.UNKNOWN_WORD, place, text=word)
            word = ""
        keep += self._without_words(texts, place)
        marks, unread = claim_marks(texts["claims"])
        if unread:
            keep.append(kept("claims", unread, self.language))
            self._note(Odd.UNKNOWN_MARK, place, text=OR.join(unread))
        corrected, comment = answer_of(texts["corrected"]), with_lines(texts["comment"], keep)
        feedback = Feedback(verdict_of(word), texts["error_type"], corrected, comment)
        reviewer = " ".join(texts["reviewer"].split())
        return ReviewRow(
            *(place, "", "", 0, feedback, reviewer, {}, None),
            marks=marks,
            tells_all=not unread and self._is_single("claims", record),
        )

    def _single_texts(
        self, record: Record, place: RowPlace, keep: list[str]
    ) -> dict[ColumnId, str]:
        """What people wrote in each column; `keep` gets what differs in two of one name."""
        texts: dict[ColumnId, str] = {}
        for name in PEOPLE:
            several = _distinct(name, self._texts(record, name))
            if len(several) < 2:
                texts[name] = "".join(several)
            elif name == "comment":
                texts[name] = "\n".join(several)
            else:
                texts[name] = ""
                keep.append(kept(name, several, self.language))
                self._note(Odd.TWICE, place, column=self._head(name), texts=OR.join(several))
        return texts

    def _without_words(self, texts: dict[ColumnId, str], place: RowPlace) -> Iterator[str]:
        """Take out verdicts that stand a cell too far; what a comment keeps of them."""
        beside: tuple[ColumnId, ...] = ("claims", "error_type")
        for name in beside:
            text = texts[name]
            if is_word(text) and is_judged(text):
                column = f"{self._head(name)} ({self._cell(name, place)})"
                self._note(Odd.MISPLACED, place, column=column, text=text)
                texts[name] = ""
                yield kept(name, [text], self.language)

    def _is_single(self, name: ColumnId, record: Record) -> bool:
        """True if the column is there, and says one thing in this row, or nothing."""
        places = self.heads.places.get(name, ())
        is_read = record.broken.keys().isdisjoint(places)
        return bool(places) and is_read and len({*self._texts(record, name)}) < 2

    def _see_broken(self, record: Record, place: RowPlace) -> None:
        for name in ("key", *PEOPLE):
            for at in self.heads.places.get(name, ()):
                if problem := record.broken.get(at):
                    kind = _PROBLEMS.get(problem, Odd.BROKEN_CELL)
                    shown = _ERROR.search(problem)  # what the spreadsheet shows there
                    error = shown[0] if shown else problem
                    self._note(kind, place, column=self._head(name), error=error)

    def _cell(self, name: ColumnId, place: RowPlace) -> str:
        """Where a column's cell is in a row, as the spreadsheet calls it: `F7`."""
        return f"{column_name(self.heads.places[name][0])}{place.row}"

    def _head(self, name: ColumnId) -> str:
        return HEADS[name][self.language]


def _distinct(name: ColumnId, texts: Iterable[str]) -> list[str]:
    """The different texts; OK and ○ are one verdict."""
    by_meaning: dict[object, str] = {}
    for text in texts:
        meant: object = text
        if name == "verdict" and is_word(text):
            meant = verdict_of(text)
        elif name == "reviewer":
            meant = same_name(text)
        by_meaning.setdefault(meant, text)
    return list(by_meaning.values())


def not_stored(
    table: ReviewTable,
    run: str,
    verdicts: Iterable[Verdict],
    claims: Mapping[str, Sequence[Claim]],
) -> Iterator[ReviewRow]:
    """The rows in which somebody wrote what is not among the verdicts of this run.

    `verdicts` are on answers and on single claims; `claims` have numbers, by episode.
    """
    by_turn: dict[tuple[str, int], list[Verdict]] = {}
    for verdict in verdicts:
        by_turn.setdefault((verdict.episode, verdict.turn), []).append(verdict)
    for row in table.rows:
        on_turn = by_turn.get((row.episode, row.turn), []) if row.run == run else []
        ids = ["", *(claim.id for claim in claims.get(row.episode, ()))]
        is_known = any(_is_whole(row, verdict) for verdict in on_turn if not verdict.claim)
        marks_known = all(_is_stored(row, mark, on_turn, ids) for mark in row.marks)
        if (row.feedback and not is_known) or not marks_known:
            yield row


def _is_stored(
    row: ReviewRow, mark: ClaimMark, on_turn: Sequence[Verdict], ids: Sequence[str]
) -> bool:
    """True if a verdict on the mark's claim says it, or the comment of one keeps it."""
    claim = ids[mark.number] if 0 < mark.number < len(ids) else None
    alone = replace(row, feedback=Feedback(mark.word, comment=mark.remark))
    return any(
        (verdict.claim == claim and _is_whole(alone, verdict))
        or (not verdict.claim and str(mark) in kept_texts(verdict.comment, "claims"))
        for verdict in on_turn
    )


def _is_whole(row: ReviewRow, verdict: Verdict) -> bool:
    """Whether this verdict holds all that stands in the row; the name may have come later.

    Where one person's rows differed, it keeps the texts in its comment.
    """
    if row.reviewer and same_name(row.reviewer) != same_name(verdict.reviewer):
        return False
    feedback = row.feedback
    pairs: tuple[tuple[ColumnId, str, str], ...] = (
        ("verdict", feedback.word or "", verdict.word or ""),
        ("error_type", feedback.error_type, verdict.error_type),
        ("corrected", feedback.corrected, verdict.corrected),
    )
    for column, text, stored in pairs:
        plain = " ".join(text.split())
        is_there = plain in ("", " ".join(stored.split()))
        if not is_there and plain not in kept_texts(verdict.comment, column):
            return False
    return _lines(feedback.comment) <= _lines(verdict.comment)


def _lines(comment: str) -> set[str]:
    return {" ".join(line.split()) for line in comment.split("\n")} | {""}


def holds(verdict: Verdict, feedback: Feedback) -> bool:
    """Whether the verdict says all that was said; what was left empty takes nothing away."""
    return (
        feedback.word in (None, verdict.word)
        and feedback.error_type in ("", verdict.error_type)
        and feedback.corrected in ("", verdict.corrected)
        and feedback.comment in ("", verdict.comment)
    )
