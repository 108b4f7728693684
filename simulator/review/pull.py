"""People's verdicts from a file or a sheet into the store: what is new, and what is odd.

Verdicts are only ever added, so nothing that was said is lost, and reading a table twice adds
nothing the second time.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import get_args

from simulator.core.clean import cut
from simulator.core.errors import Complaint, InputError
from simulator.core.persona import Language
from simulator.core.result import Result
from simulator.core.run import RunHeader
from simulator.core.verdict import Verdict, Word, latest, settled
from simulator.formats.tables import same_name
from simulator.reports._workbook.turns import machine_cells
from simulator.reports.html.data import answer_hash
from simulator.review.corrected_answers import denied_expectation
from simulator.store.store import Store
from simulator.view.review_view import Reviewed
from simulator.view.stored_run import stored_run, with_folded
from simulator.words import Words, table
from simulator.worksheets.claim_marks import marks_by_person, numbered_claims
from simulator.worksheets.columns import (
    HEADS,
    OR,
    ColumnId,
    is_judged,
    kept,
    row_hash,
    same_text,
    showed_marks,
    turn_key,
    with_lines,
    without_kept,
)
from simulator.worksheets.reading import (
    Feedback,
    Odd,
    Oddity,
    ReviewRow,
    ReviewTable,
    RowPlace,
    holds,
    typed,
)
from simulator.worksheets.reviewers import near_names, rename_command

# What somebody wrote and nobody read.
_UNREAD = frozenset(
    (
        Odd.MISPLACED, Odd.OWN_COLUMN, Odd.STRAY, Odd.ELSEWHERE, Odd.NOTE, Odd.BROKEN_KEY,
        Odd.BROKEN_CELL, Odd.NO_RESULT, Odd.NO_DAY, Odd.OTHER_RUN, Odd.NO_TURN, Odd.OTHER_ANSWER,
        Odd.OTHER_CLAIM,
    )
)  # fmt: skip
WITHDRAWN = "withdrawn"
"""The source of what takes a verdict back by `mogi review withdraw`."""
TurnName = tuple[str, int]
"""Episode and turn."""


def at_once(
    rows: Sequence[ReviewRow], before: Sequence[Verdict], language: Language
) -> tuple[Feedback | None, list[Oddity]]:
    """What the rows of one person say together; None where it is all known.

    A row that was copied may still say what the person said `before`: then the other one counts.
    Where they differ otherwise, nobody can tell which is meant: both are kept in the comment.
    """
    several = sorted({row.feedback for row in rows}, key=lambda feedback: feedback.texts)
    if len(several) > 1:
        several = [feedback for feedback in several if not any(holds(v, feedback) for v in before)]
    if len(several) < 2:
        return (several[0] if several else None), []
    joined, differs = _joined(several, language)
    if not differs:
        return joined, []
    rows_of = ", ".join(str(row.place.row) for row in rows)
    texts = " | ".join(map(typed, several))
    place, reviewer = rows[-1].place, rows[0].reviewer
    return joined, [Oddity.of(Odd.SAME_PERSON, place, reviewer=reviewer, rows=rows_of, texts=texts)]


def with_earlier(feedback: Feedback, before: Verdict) -> Feedback:
    """What the person says by now: a cell that was left empty takes nothing away."""
    return Feedback(
        feedback.word or before.word,
        feedback.error_type or before.error_type,
        feedback.corrected or before.corrected,
        feedback.comment or before.comment,
    )


def cleared(
    place: RowPlace, feedback: Feedback, before: Verdict, language: Language
) -> Iterator[Oddity]:
    """The cells that held something when this table was read before, and are empty now."""
    is_kept = feedback.comment != without_kept(feedback.comment)  # it was no word, and stands there
    texts: tuple[tuple[ColumnId, object, str], ...] = (
        ("verdict", feedback.word or is_kept, before.word.value if before.word else ""),
        ("error_type", feedback.error_type, before.error_type),
        ("corrected", feedback.corrected, before.corrected),
        ("comment", feedback.comment, without_kept(before.comment)),
    )
    for name, now, text in texts:
        if text and not now:
            yield Oddity.of(Odd.CLEARED, place, column=HEADS[name][language], text=text)


def _joined(several: Sequence[Feedback], language: Language) -> tuple[Feedback, bool]:
    """All of it in one, and whether anything but comments differs."""
    keep: list[str] = []

    def one(name: ColumnId, texts: Sequence[str]) -> str:
        different = sorted(set(filter(None, texts)))
        if len(different) > 1:
            keep.append(kept(name, different, language))
        return different[0] if len(different) == 1 else ""

    word = one("verdict", [feedback.word or "" for feedback in several])
    error_type = one("error_type", [feedback.error_type for feedback in several])
    corrected = one("corrected", [feedback.corrected for feedback in several])
    comments = [line for feedback in several for line in feedback.comment.split("\n") if line]
    comment = with_lines("", [*comments, *keep])
    return Feedback(Word(word) if word else None, error_type, corrected, comment), bool(keep)


@dataclass(frozen=True, slots=True)
class PullSource:
    """Who reads what: `source` names the file or sheet, `at` is when (ISO 8601 in UTC).

    `reviewer` is the person where a row names none.
    """

    run: str
    source: str
    at: str
    language: Language
    reviewer: str = ""


@dataclass(frozen=True, slots=True)
class Revision:
    """One person's verdict on one turn that takes the place of an earlier one."""

    before: Verdict
    after: Verdict


@dataclass(slots=True)
class Pulled:
    """What came of a table. `new`: the first of this person on this turn.

    `taken_back` holds verdicts that say nothing: what was read without a name has one now.
    `unchanged` counts by reviewer; `known` are rows that repeat what was said of an equal answer,
    as they were filled in when the table was written. `rows` are those of this run, whether or not
    people wrote there. `results` counts the conversations whose result it changed: before, after.
    """

    rows: int = 0
    known: int = 0
    new: list[Verdict] = field(default_factory=list)
    changes: list[Revision] = field(default_factory=list)
    taken_back: list[Verdict] = field(default_factory=list)
    unchanged: Counter[str] = field(default_factory=Counter)
    oddities: list[Oddity] = field(default_factory=list)
    results: Counter[tuple[Result, Result]] = field(default_factory=Counter)

    def note(self, kind: Odd, place: RowPlace | None = None, **values: object) -> None:
        """Keep something that a person should know."""
        self.oddities.append(Oddity.of(kind, place, **values))

    @property
    def is_empty(self) -> bool:
        """Whether nothing could be read, though there was something, or no row at all."""
        taken = self.verdicts or self.unchanged or self.known
        return not taken and (not self.rows or self.has_unread)

    @property
    def has_unread(self) -> bool:
        """Whether somebody wrote what could not be read."""
        return any(odd.kind in _UNREAD for odd in self.oddities)

    @property
    def words(self) -> int:
        """How many of the new and changed ones say a word: the others are only remarks."""
        return sum(verdict.word is not None for verdict in (*self.new, *self.changed))

    @property
    def remarks(self) -> int:
        """How many of them say none."""
        return len(self.new) + len(self.changes) - self.words

    @property
    def heading(self) -> str:
        """The words with which people are told of it."""
        if self.words or self.remarks or self.is_empty:
            return "pulled" if self.words else "remarks" if self.remarks else "unread"
        taken = self.unchanged or self.known or self.verdicts
        old = (Odd.CLEARED, Odd.WITHDRAWN, Odd.STALE)
        return "nothing_new" if taken or any(map(self.count, old)) else "nothing"

    @property
    def is_wordless(self) -> bool:
        """Whether words that nobody can read are all that people gave: kept as comments."""
        return bool(self.verdicts) and not self.words and self.count(Odd.UNKNOWN_WORD) > 0

    def count(self, kind: Odd) -> int:
        """How many oddities are of a kind."""
        return sum(odd.kind is kind for odd in self.oddities)

    @property
    def changed(self) -> list[Verdict]:
        """What is said now where something else was said before."""
        return [change.after for change in self.changes]

    @property
    def verdicts(self) -> list[Verdict]:
        """All that is to be added."""
        return [*self.taken_back, *self.new, *self.changed]


class Names:
    """Reviewers by their names: `Sato` and `sato ` are one person, spelt as at first.

    `renamed`: by which other names people go now.
    """

    def __init__(self, verdicts: Iterable[Verdict], renamed: Mapping[str, str]) -> None:
        self._spelt: dict[str, str] = {}
        self._renamed = renamed
        for verdict in verdicts:
            self.of(verdict.reviewer)

    def of(self, name: str) -> str:
        """The name as it was spelt first."""
        now = self._renamed.get(name, name)
        return self._spelt.setdefault(same_name(now), now)

    @property
    def all(self) -> list[str]:
        """Everybody who was asked about."""
        return list(self._spelt.values())


class TurnRows:
    """One turn: what is known of it, and what the rows of a table say."""

    def __init__(
        self,
        turn: TurnName,
        verdicts: Sequence[Verdict],
        reading: PullSource,
        pulled: Pulled,
        claim: str = "",
    ) -> None:
        self._turn = turn
        self._claim = claim
        self._verdicts = verdicts
        self._latest = latest(verdicts)
        self._reading = reading
        self._pulled = pulled
        self._now: list[Verdict] = []
        self._emptied: list[Verdict] = []

    def read(
        self, rows: Sequence[ReviewRow], names: Names, *, is_printed: bool
    ) -> AbstractSet[str]:
        """Take what each person says in these rows; who spoke."""
        by_person: dict[str, list[ReviewRow]] = {}
        repeated = set()
        for row in rows:
            if not row.feedback and self._claim:
                self._empty_claim(row, names)
            elif not row.feedback:
                self._empty(row, names)
            if not row.feedback or (is_printed and self._was_printed(row)):
                continue
            name = names.of(row.reviewer or self._reading.reviewer)
            if not name and (other := self._repeats(row, rows)):
                repeated.add(other.reviewer)
            else:
                by_person.setdefault(name, []).append(row)
        emptied = [verdict for verdict in self._emptied if verdict.reviewer not in by_person]
        self._pulled.taken_back += emptied
        for name, theirs in by_person.items():
            self._take(name, theirs)
        if "" not in by_person:
            self._take_back()
        return {*by_person, *repeated, *(verdict.reviewer for verdict in emptied)}

    def _empty(self, row: ReviewRow, names: Names) -> None:
        """Take back what somebody said here, where nothing but the name is left of it."""
        name = names.of(row.reviewer) if row.reviewer else ""
        if name and self._is_withdrawn(name, row):
            self._emptied.append(self._verdict(name, Feedback()))  # what comes next is said anew
            return
        before = next((v for v in self._latest.values() if name and self._is_of(v, name)), None)
        if before is None or before.run or before.folded_from or before.takes_back:
            return
        is_here = before.source == self._reading.source
        if not is_here and row.marks:  # the person speaks of single claims here
            return
        if is_here:
            self._emptied.append(self._verdict(name, Feedback()))
        odd = Odd.TAKEN_BACK if is_here else Odd.EMPTY_ELSEWHERE
        text, source = typed(Feedback.of(before)), before.source
        self._pulled.note(odd, row.place, reviewer=name, text=text, source=source)

    def _empty_claim(self, row: ReviewRow, names: Names) -> None:
        """Take back a word on a claim that was read here, and does not stand there any more."""
        name = names.of(row.reviewer or self._reading.reviewer)
        before = next((v for v in self._latest.values() if self._is_of(v, name)), None)
        if before is None or before.run or before.folded_from:
            if self._is_withdrawn(name, row):
                self._emptied.append(self._verdict(name, Feedback()))
        elif before.source != self._reading.source and not row.was_shown:
            self._pulled.note(Odd.MARK_ELSEWHERE)
        else:
            self._emptied.append(self._verdict(name, Feedback()))
            text = typed(Feedback.of(before))
            self._pulled.note(Odd.MARK_TAKEN_BACK, row.place, reviewer=name, text=text)

    def _was_printed(self, row: ReviewRow) -> bool:
        """Whether `mogi export` put this word there: it is what people said, all together."""
        if row.reviewer or Feedback(row.feedback.word) != row.feedback:
            return False
        states = (settled(self._verdicts[:n]) for n in range(1, len(self._verdicts) + 1))
        if row.feedback.word not in states:
            return False
        self._pulled.note(Odd.PRINTED)
        return True

    def _repeats(self, row: ReviewRow, rows: Sequence[ReviewRow]) -> Verdict | None:
        """The verdict that a row without a name repeats: a report wrote it there, say.

        It is one without a name that was read elsewhere, or one that was read here and given a
        name by `--reviewer`.
        """
        if any(self._is_of(v, "") and not v.run and holds(v, row.feedback) for v in self._verdicts):
            return None
        source, names = self._reading.source, {same_name(row.reviewer) for row in rows}
        for verdict in self._latest.values():
            is_named = bool(verdict.reviewer)
            if is_named != (verdict.source == source) or not holds(verdict, row.feedback):
                continue
            if is_named and same_name(verdict.reviewer) in names:
                continue  # that person has a row of their own
            self._count(verdict)
            if not is_named and not verdict.run:
                self._pulled.note(Odd.REPEATED)
            return verdict
        return None

    def _take(self, name: str, rows: Sequence[ReviewRow]) -> None:
        theirs = [v for v in self._verdicts if self._is_of(v, name)]
        feedback, odd = at_once(rows, theirs, self._reading.language)
        self._pulled.oddities += odd
        before = theirs[-1] if theirs and not theirs[-1].takes_back else None
        is_same = before is not None and feedback is not None and holds(before, feedback)
        if feedback and not is_same and self._is_old(name, rows, feedback):
            is_withdrawn = theirs[-1].source == WITHDRAWN
            self._pulled.note(Odd.WITHDRAWN if is_withdrawn else Odd.STALE)
            return
        if feedback is None:
            self._count(before)
            return
        if before and not self._claim:
            if before.source == self._reading.source:
                self._pulled.oddities += cleared(
                    rows[-1].place, feedback, before, self._reading.language
                )
            feedback = with_earlier(feedback, before)
        if before and holds(before, feedback):
            self._count(before)
            return
        verdict = self._verdict(name, feedback)
        if before:
            self._pulled.changes.append(Revision(before, verdict))
        else:
            self._pulled.new.append(verdict)
        self._now.append(verdict)
        if not name:
            self._see_nameless(rows[-1], verdict)

    def _is_old(self, name: str, rows: Sequence[ReviewRow], feedback: Feedback) -> bool:
        """True if these rows still say what the person withdrew, or has changed elsewhere since.

        It was read here, or a report wrote it into them and nothing else was read here.
        """
        theirs = [v for v in self._verdicts if self._is_of(v, name) and not v.run]
        here = [v for v in theirs if v.source == self._reading.source]
        is_withdrawn = bool(theirs) and theirs[-1].source == WITHDRAWN
        was_written = all(row.repeats and row.repeats[0] for row in rows)
        old = here[-1:] if is_withdrawn else []
        if was_written and (is_withdrawn or not here):
            old = [v for v in theirs if not v.takes_back]
        return any(holds(v, feedback) for v in old)

    def _is_withdrawn(self, name: str, row: ReviewRow) -> bool:
        """True if an empty row held before what the person withdrew."""
        theirs = [v for v in self._verdicts if self._is_of(v, name) and not v.run]
        is_withdrawn = bool(theirs) and theirs[-1].source == WITHDRAWN
        was_here = row.repeats or any(v.source == self._reading.source for v in theirs)
        return is_withdrawn and bool(was_here)

    def _count(self, verdict: Verdict | None) -> None:
        """Count a row that says what is in the store already, if this or `said` an equal answer."""
        if verdict is not None and verdict.run:
            self._pulled.known += 1
        elif verdict is not None:
            self._pulled.unchanged[verdict.reviewer] += 1

    def _is_of(self, verdict: Verdict, name: str) -> bool:
        if name:
            return same_name(verdict.reviewer) == same_name(name)
        return verdict.person == ("", self._reading.source)

    def _verdict(self, name: str, feedback: Feedback) -> Verdict:
        return Verdict(
            *self._turn,
            word=feedback.word,
            reviewer=name,
            source=self._reading.source,
            at=self._reading.at,
            error_type=feedback.error_type,
            corrected=feedback.corrected,
            comment=feedback.comment,
            claim=self._claim,
        )

    def _see_nameless(self, row: ReviewRow, verdict: Verdict) -> None:
        """Tell where two verdicts have no name and differ: are these one person or two?"""
        for other in self._latest.values():
            differs = other.word not in (None, verdict.word)
            if not other.reviewer and other.person != verdict.person and differs:
                word = other.word.value if other.word else ""
                self._pulled.note(Odd.NAMELESS, row.place, text=word, source=other.source)

    def _take_back(self) -> None:
        """What was read here without a name, and now has one, is that person's alone."""
        nameless = self._latest.get(("", self._reading.source))
        if nameless is None or nameless.run:
            return
        if any(holds(verdict, Feedback.of(nameless)) for verdict in self._now):
            self._pulled.taken_back.append(self._verdict("", Feedback()))
            self._pulled.note(Odd.NAMED)


_LONGEST = 60  # characters of a cell that are told
_COUNTED = (
    Odd.MOVED, Odd.PRINTED, Odd.REPEATED, Odd.NAMED, Odd.GONE, Odd.OTHER_RUN, Odd.WITHDRAWN,
    Odd.MARK_ELSEWHERE, Odd.STALE,
)  # fmt: skip
# How the cells of results begin, in any language.
_RESULTS = (
    *(
        text.partition("{")[0]
        for language in get_args(Language)
        for text in (
            *(Words(language, "result").name("result", result) for result in Result),
            table(language, "sheet")["known"],
            table(language, "sheet")["known_here"],
        )
    ),
    "as said of the same answer in this run: ",  # as earlier versions wrote it
)
_READ = frozenset[ColumnId](("user", "assistant"))  # what a verdict is about
_SOURCE_MARKS = "◎ ", "◎ (", "◎（"  # in front of documents, and no verdicts
_WHICH: tuple[ColumnId, ...] = ("persona", "scenario", "turn")  # by which people know a turn
_BESIDE: tuple[ColumnId, ...] = ("expected", "documents")


@dataclass(frozen=True, slots=True)
class KnownVerdicts:
    """What the store holds of the run.

    `verdicts` of every turn there is, in the order in which they were given. `written` yields, by
    turn, the machine's cells as the program would write them; asked for only where cells of a
    table are not what they were. `renamed`: by which other names people go now. `answers`: the
    hash of each turn's answer. `claims`: the verdicts on single claims, by turn and claim.
    `read`: the ids of the claims that are read in a turn's answer; `numbers`: of those with a
    number in worksheets, by that.
    """

    verdicts: Mapping[TurnName, Sequence[Verdict]]
    written: Callable[[], Mapping[TurnName, Mapping[ColumnId, object]]]
    renamed: Mapping[str, str] = field(default_factory=dict)
    answers: Mapping[TurnName, str] = field(default_factory=dict)
    claims: Mapping[tuple[TurnName, str], Sequence[Verdict]] = field(default_factory=dict)
    read: Mapping[TurnName, AbstractSet[str]] = field(default_factory=dict)
    numbers: Mapping[TurnName, Mapping[int, str]] = field(default_factory=dict)


def reconcile(table: ReviewTable, known: KnownVerdicts, reading: PullSource) -> Pulled:
    """Find what people said that is not known yet, and everything that is odd."""
    pulled = Pulled(oddities=list(table.oddities))
    rows = [row for row in table.rows if _belongs(row, known, reading, pulled)]
    if not table.is_printed:
        rows = list(_in_place(rows, known, pulled))
    pulled.rows = len(rows)
    pulled.oddities += _edits(rows, known, is_printed=table.is_printed)
    by_turn: dict[tuple[TurnName, str], list[ReviewRow]] = {}
    for row in rows:
        for each in _by_claim(row, known, reading.language, pulled):
            by_turn.setdefault(((each.episode, each.turn), each.claim), []).append(each)
    given = (*known.verdicts.values(), *known.claims.values())
    names = Names((v for verdicts in given for v in verdicts), known.renamed)
    spoke: set[tuple[TurnName, str]] = set()
    for (turn, claim), rows_of_turn in by_turn.items():
        said = known.claims.get((turn, claim), ()) if claim else known.verdicts[turn]
        of_turn = TurnRows(turn, said, reading, pulled, claim)
        spoken = of_turn.read(rows_of_turn, names, is_printed=table.is_printed)
        spoke.update((turn, name) for name in spoken)
    spoke.update(((v.episode, v.turn), "") for v in pulled.taken_back)
    new = {verdict.reviewer for verdict in pulled.new}
    for pair in near_names(names.all):
        if not new.isdisjoint(pair):
            name, other = pair if pair[0] in new else reversed(pair)
            pulled.note(Odd.NEAR_NAME, one=name, other=other, command=rename_command(name, other))
    if not table.is_printed:  # lines of a file may be some of them
        pulled.oddities += _gone(known, reading, spoke, names)
    pulled.oddities = sorted(_counted(pulled.oddities), key=_order)
    return pulled


def _by_claim(
    row: ReviewRow, known: KnownVerdicts, language: Language, pulled: Pulled
) -> Iterator[ReviewRow]:
    """The row, and what it says of single claims as rows of their own; the last has all of it.

    One on a claim of which the person says nothing any more is empty.
    """
    turn, keep, spoke = (row.episode, row.turn), list[str](), set[str]()
    numbers, are_moved = known.numbers.get(turn, {}), _has_other_claims(row, known)
    of_claim = replace(row, marks=(), repeats=row.repeats and (row.repeats[1], row.repeats[1]))
    for mark in row.marks:
        claim, text = numbers.get(mark.number), str(mark)
        if claim is None or are_moved:
            keep.append(text)
            others = ",".join(map(str, numbers))
            kind = Odd.MOVED_CLAIMS if are_moved else Odd.NO_CLAIM
            pulled.note(kind, row.place, text=text, there=others)
            continue
        spoke.add(claim)
        feedback = Feedback(mark.word, comment=mark.remark)
        yield replace(of_claim, claim=claim, feedback=feedback)
    if row.tells_all and not keep:
        on_turn = {claim: some for (of, claim), some in known.claims.items() if of == turn}
        given = (verdict for some in on_turn.values() for verdict in some)
        shown = marks_by_person(numbers, given, language).get((row.reviewer, ""), "")
        was_shown = bool(shown) and showed_marks(shown, row.reviewer, row.hashed)
        empty = replace(of_claim, feedback=Feedback(), was_shown=was_shown)
        yield from (replace(empty, claim=claim) for claim in on_turn.keys() - spoke)
    comment = row.feedback.comment
    comment = with_lines(comment, [kept("claims", [t], language) for t in keep])
    yield replace(row, feedback=replace(row.feedback, comment=comment))


def _has_other_claims(row: ReviewRow, known: KnownVerdicts) -> bool:
    """True if somebody put another right answer, with other numbers, into the row."""
    if row.intact is not False or not row.marks or "expected" not in row.cells:
        return False
    written = known.written().get((row.episode, row.turn), {})
    return not _says(row.cells["expected"], written.get("expected"))


def _gone(
    known: KnownVerdicts,
    reading: PullSource,
    spoke: AbstractSet[tuple[TurnName, str]],
    names: Names,
) -> Iterator[Oddity]:
    """Verdicts that were read here before and whose rows are not there any more."""
    for turn, verdicts in known.verdicts.items():
        for verdict in latest(verdicts).values():
            is_here = (turn, names.of(verdict.reviewer)) in spoke or bool(verdict.run)
            if verdict.source == reading.source and not (is_here or verdict.folded_from):
                yield Oddity.of(Odd.GONE)


def _counted(oddities: Sequence[Oddity]) -> list[Oddity]:
    """What is the same for many rows is told once, with their number."""
    several = Counter((o.kind, o.values.get("run")) for o in oddities if o.kind in _COUNTED)
    rest = [odd for odd in oddities if odd.kind not in _COUNTED]
    for (kind, run), n in several.items():
        rest.append(Oddity.of(kind, n=n) if run is None else Oddity.of(kind, n=n, run=run))
    return rest


def _order(oddity: Oddity) -> tuple[bool, str, int]:
    place = oddity.place
    return (place is not None, place.sheet, place.row) if place else (False, "", 0)


def _belongs(row: ReviewRow, known: KnownVerdicts, reading: PullSource, pulled: Pulled) -> bool:
    """Whether a row speaks of a turn of this run; told where it does not and somebody wrote."""
    if row.run != reading.run:
        odd = Oddity.of(Odd.OTHER_RUN, row.place, run=row.run)
    else:
        turn = row.episode, row.turn
        is_here = turn in known.verdicts
        is_same = is_here and row.answer in ("", known.answers.get(turn))
        if is_same and (not row.claim or row.claim in known.read.get(turn, ())):
            return True
        kind = Odd.OTHER_CLAIM if is_same else Odd.OTHER_ANSWER if is_here else Odd.NO_TURN
        values = {"episode": row.episode, "turn": row.turn, "claim": row.claim}
        odd = Oddity.of(kind, row.place, **values, typed=row.typed)
    if row.is_judged:
        pulled.oddities.append(odd)
    return False


def _in_place(
    rows: Sequence[ReviewRow], known: KnownVerdicts, pulled: Pulled
) -> Iterator[ReviewRow]:
    """The rows, each of the turn that it shows: it is what was judged.

    Where somebody sorted some columns alone, the key may be another turn's. Then question and
    answer tell, if what stands beside them agrees: right answer and documents, or persona,
    scenario and turn. Where nothing does, the row is told and not taken.
    """
    doubted = {row.place for row in rows if row.intact is False}
    written = known.written() if doubted else {}
    shown: dict[str, list[TurnName]] = {}
    for turn, cells in written.items():
        for names in (_READ, *((name,) for name in _READ)):
            shown.setdefault(_hash(cells, names), []).append(turn)
    for row in rows:
        turn = row.episode, row.turn
        candidates = shown.get(_hash(row.cells, _READ), []) if row.place in doubted else [turn]
        alone = [shown.get(_hash(row.cells, (name,)), [turn]) for name in _READ]
        if turn in candidates or (not candidates and all(turn in turns for turns in alone)):
            yield row
            continue
        fit = [t for t in candidates if _agree(row.cells, written[t], _WHICH)]
        fit = fit or [t for t in candidates if _agree(row.cells, written[t], _BESIDE)]
        if len({episode.rpartition("/")[0].rpartition("/")[0] for episode, _ in fit}) == 1:
            pulled.note(Odd.MOVED)
            yield replace(row, episode=fit[0][0], turn=fit[0][1], is_moved=True)
            continue
        if row.is_judged:
            key = turn_key(row.run, *turn)
            pulled.note(Odd.BROKEN_KEY, row.place, key=key, typed=row.typed)
        empty = replace(row, feedback=Feedback(), marks=(), tells_all=False, reviewer="")
        yield replace(empty, is_moved=True)


def _hash(cells: Mapping[ColumnId, object], names: Iterable[ColumnId]) -> str:
    return row_hash({name: cells.get(name) for name in names})


def _agree(
    cells: Mapping[ColumnId, object], written: Mapping[ColumnId, object], names: Iterable[ColumnId]
) -> bool:
    """Whether a row says so in all of these columns; in one of them at the least."""
    columns = [name for name in names if name in cells]
    return bool(columns) and all(_says(cells[name], written.get(name)) for name in columns)


def _says(text: object, written: object) -> bool:
    """Whether a cell says what was written there, in one of the ways in which it may have been."""
    return any(
        same_text(text, spelling)
        for spelling in (written if isinstance(written, tuple) else [written])
    )


def _edits(
    rows: Sequence[ReviewRow], known: KnownVerdicts, *, is_printed: bool
) -> Iterator[Oddity]:
    """The rows whose machine cells are not as they were written."""
    doubted = [row for row in rows if not row.intact and row.cells]
    written = known.written() if doubted else {}
    for row in doubted:
        expected = written.get((row.episode, row.turn), {})
        edited = {
            name: str(text)
            for name, text in row.cells.items()
            if name in expected and not _says(text, expected[name])
            if not (row.is_moved and any(_says(text, of.get(name)) for of in written.values()))
            if name in _READ or not is_printed
        }
        if (result := str(row.cells.get("result", ""))) and not result.startswith(_RESULTS):
            edited["result"] = result
        judged = {
            name: text
            for name, text in edited.items()
            if is_judged(text) and not (name == "documents" and text.startswith(_SOURCE_MARKS))
        }
        for name, text in judged.items():
            yield Oddity.of(Odd.MISPLACED, row.place, columns=name, text=text)
        columns = [name for name in edited if name not in judged]
        if columns:
            is_read = bool(row.feedback) and not _READ.isdisjoint(columns)
            texts = OR.join(cut(" ".join(edited[name].split()), _LONGEST) for name in columns)
            kind = Odd.DOUBTFUL if is_read else Odd.EDITED
            yield Oddity.of(kind, row.place, columns=",".join(columns), texts=texts)


def pull(
    store: Store, header: RunHeader, table: ReviewTable, *, source: str, reviewer: str = ""
) -> Pulled:
    """Add what people wrote in `table` to the verdicts of a run, as far as it is new.

    `source` names the file or sheet; `reviewer` is the person where a row names none.

    Raises:
        StoreError: the run is held by another process, or nothing can be written.
    """
    with store.lock(header.id):
        known = known_of(
            *(store.reviewed(header.id), store.on_claims(header.id)),
            lambda: _written(store, header),
            store.renamed_reviewers(),
        )
        given = (*known.verdicts.values(), *known.claims.values())
        at = _later_than(verdict for some in given for verdict in some)
        reading = PullSource(header.id, source, at, header.language, reviewer)
        pulled = reconcile(table, known, reading)
        for verdict in (v for v in (*pulled.new, *pulled.changed) if v.corrected):
            scenario = store.episode(header.id, verdict.episode).scenario
            if scenario is None or verdict.turn > 1:
                continue
            expected = denied_expectation(verdict.corrected, scenario, header.language)
            if expected:
                text = verdict.corrected
                pulled.note(Odd.DENIES, scenario=scenario.id, text=text, expected=expected)
        before = _results(store, header) if pulled.verdicts else {}
        store.add_verdicts(header.id, with_folded(store, header, pulled.verdicts))
        after = _results(store, header) if pulled.verdicts else {}
    changes = ((result, after.get(talk, result)) for talk, result in before.items())
    pulled.results = Counter(change for change in changes if change[0] is not change[1])
    return pulled


def _results(store: Store, header: RunHeader) -> dict[str, Result]:
    """By conversation."""
    episodes = stored_run(store, header).episodes()
    return {episode.cell.key: episode.finding.result for episode in episodes if episode.finding}


def withdraw(store: Store, header: RunHeader, reviewer: str) -> int:
    """Take back what one person said on a run; on how many turns.

    Raises:
        InputError: nobody of this name said anything there; it tells who did.
        StoreError: the run is held by another process, or nothing can be written.
    """
    with store.lock(header.id):
        verdicts = [*store.verdicts(header.id), *store.verdicts(header.id, claims=True)]
        names = Names(verdicts, store.renamed_reviewers())
        name, at = names.of(reviewer), _later_than(verdicts)
        if name not in (reviewers := {verdict.reviewer for verdict in verdicts}):
            known = ", ".join(sorted(reviewers - {""})) or "nobody"
            raise InputError(f"{reviewer} has no verdicts in run {header.id}; reviewers: {known}")
        given: dict[tuple[str, int, str], list[Verdict]] = {}
        for verdict in verdicts:
            given.setdefault((verdict.episode, verdict.turn, verdict.claim), []).append(verdict)
        said = (v for some in given.values() for v in latest(some).values() if v.reviewer == name)
        taken = [
            Verdict(
                v.episode,
                v.turn,
                None,
                name,
                WITHDRAWN,
                at,
                claim=v.claim,
                folded_from=v.folded_from,
            )
            for v in said
        ]
        store.add_verdicts(header.id, taken)
    return len({(v.episode, v.turn) for v in taken if not v.folded_from})


def check_run(store: Store, header: RunHeader, table: ReviewTable, where: str) -> None:
    """Look whether `table`, read from `where`, speaks of this run and not of another one alone.

    Raises:
        InputError: its rows are of one other run of the store; it names the command that fits.
    """
    runs = {row.run for row in table.rows}
    others = runs & {row.id for row in store.runs()}
    if header.id in runs or len(others) != 1:
        return
    (other,) = others
    message = f"contains rows of run {other}, but none of run {header.id}; import them with: "
    command = f"mogi review pull {other} --from {where}"
    raise InputError(Complaint(where, 0, message + command))


def known_of(
    reviewed: Iterable[Reviewed],
    on_claims: Iterable[Verdict],
    written: Callable[[], Mapping[TurnName, Mapping[ColumnId, object]]],
    renamed: Mapping[str, str],
) -> KnownVerdicts:
    """What was said of each turn of a run (nothing, of most), and what can be said of it."""
    by_turn: dict[TurnName, list[Verdict]] = {}
    by_claim: dict[tuple[TurnName, str], list[Verdict]] = {}
    answers: dict[TurnName, str] = {}
    read: dict[TurnName, AbstractSet[str]] = {}
    numbers: dict[TurnName, Mapping[int, str]] = {}
    for episode, verdicts in reviewed:
        claims = numbered_claims(episode.scenario.expected) if episode.scenario else ()
        for turn in episode.turns:
            name = episode.cell.key, turn.exchange.turn
            by_turn[name], answers[name] = [], answer_hash(turn.exchange.assistant)
            read[name] = {reading.claim for reading in turn.readings or ()}
            numbers[name] = {n: c.id for n, c in enumerate(claims, 1) if c.id in read[name]}
        for verdict in verdicts:
            by_turn.setdefault((verdict.episode, verdict.turn), []).append(verdict)
    for verdict in on_claims:
        by_claim.setdefault(((verdict.episode, verdict.turn), verdict.claim), []).append(verdict)
    return KnownVerdicts(by_turn, cache(written), renamed, answers, by_claim, read, numbers)


def _written(store: Store, header: RunHeader) -> Mapping[TurnName, Mapping[ColumnId, object]]:
    return {
        (episode.cell.key, turn): cells
        for episode in store.episodes(header.id)
        for turn, cells in machine_cells(header, episode)
    }


def _later_than(verdicts: Iterable[Verdict]) -> str:
    """Now, in UTC and to the second, or a second after the last verdict: none takes its place."""
    now = datetime.now(UTC).replace(microsecond=0)
    last = max((verdict.at for verdict in verdicts), default="")
    try:
        return max(now, datetime.fromisoformat(last) + timedelta(seconds=1)).isoformat()
    except (ValueError, TypeError):  # none, or one of a file that says no time
        return now.isoformat()


def oddity_text(oddity: Oddity, language: Language) -> str:
    """One sentence about an oddity, with its row if it is about one."""
    (sentence,) = oddity_texts([oddity], language)
    return sentence


def oddity_texts(oddities: Iterable[Oddity], language: Language) -> list[str]:
    """Sentences about oddities; one for all rows of which the same is to be said."""
    rows: dict[tuple[str, str], list[int]] = {}
    for oddity in oddities:
        place = oddity.place or RowPlace(0)
        rows.setdefault((place.sheet, _sentence(oddity, language)), []).append(place.row)
    return [_where(sheet, of, language) + text for (sheet, text), of in rows.items()]


def _where(sheet: str, rows: Sequence[int], language: Language) -> str:
    """The rows as people find them in the sheet."""
    if not any(rows):
        return f"{sheet}: " if sheet else ""
    key = ("row" if len(rows) == 1 else "rows") + ("_of" if sheet else "")
    words = Words(language, "pull")
    return words(key, row=words.comma.join(map(str, rows)), sheet=sheet) + ": "


def _sentence(oddity: Oddity, language: Language) -> str:
    words, values = Words(language, "pull"), dict(oddity.values)
    if "columns" in values:
        names = [HEADS[name][language] for name in values["columns"].split(",")]
        values["columns"] = values["column"] = words.comma.join(names)
    if oddity.kind is Odd.SAME_PERSON and not values["reviewer"]:
        values["reviewer"] = words("nobody")
    if oddity.kind is Odd.NO_CLAIM:
        values["there"] = words.comma.join(filter(None, values["there"].split(",")))
    has_none = oddity.kind is Odd.NO_CLAIM and not values["there"]
    return words("no_claims" if has_none else oddity.kind, **values)
