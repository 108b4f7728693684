"""One turn: what is known of it, and what the rows of a table and each person in them say of it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import combinations

from simulator.core.persona import Language
from simulator.core.result import Result
from simulator.core.verdict import Verdict, Word, latest, settled
from simulator.formats.tables import same_name
from simulator.worksheets.columns import HEADS, ColumnId, kept, with_lines, without_kept
from simulator.worksheets.reading import Feedback, Odd, Oddity, ReviewRow, RowPlace, holds, typed

# What somebody wrote and nobody read.
_UNREAD = frozenset(
    (
        Odd.MISPLACED, Odd.OWN_COLUMN, Odd.STRAY, Odd.ELSEWHERE, Odd.NOTE, Odd.BROKEN_KEY,
        Odd.BROKEN_CELL, Odd.NO_RESULT, Odd.NO_DAY, Odd.OTHER_RUN, Odd.NO_TURN, Odd.OTHER_ANSWER,
    )
)  # fmt: skip
WITHDRAWN = "withdrawn"
"""The source of what takes a verdict back by `mogi review withdraw`."""
_SHORTEST = 2  # letters of a name of which one may be mistaken
TurnName = tuple[str, int]
"""Episode and turn."""


def at_once(
    rows: Sequence[ReviewRow], before: Sequence[Verdict], language: Language
) -> tuple[Feedback | None, list[Oddity]]:
    """What the rows of one person say together; None where it is all known.

    A row that was copied may still say what the person said `before`: then the other one counts.
    Where they differ otherwise, nobody can tell which is meant: both are kept in the comment.
    """
    several = sorted(
        {row.said for row in rows},
        key=lambda said: (said.word or "", said.error_type, said.corrected, said.comment),
    )
    if len(several) > 1:
        several = [said for said in several if not any(holds(v, said) for v in before)]
    if len(several) < 2:
        return (several[0] if several else None), []
    joined, differs = _joined(several, language)
    if not differs:
        return joined, []
    values = {
        "reviewer": rows[0].reviewer,
        "rows": ", ".join(str(row.place.row) for row in rows),
        "texts": " | ".join(map(typed, several)),
    }
    return joined, [Oddity(Odd.SAME_PERSON, rows[-1].place, values)]


def with_earlier(said: Feedback, before: Verdict) -> Feedback:
    """What the person says by now: a cell that was left empty takes nothing away."""
    return Feedback(
        said.word or before.word,
        said.error_type or before.error_type,
        said.corrected or before.corrected,
        said.comment or before.comment,
    )


def cleared(
    place: RowPlace, said: Feedback, before: Verdict, language: Language
) -> Iterator[Oddity]:
    """The cells that held something when this table was read before, and are empty now."""
    is_kept = said.comment != without_kept(said.comment)  # it was no word, and stands there
    texts: tuple[tuple[ColumnId, object, str], ...] = (
        ("verdict", said.word or is_kept, before.word.value if before.word else ""),
        ("error_type", said.error_type, before.error_type),
        ("corrected", said.corrected, before.corrected),
        ("comment", said.comment, without_kept(before.comment)),
    )
    for name, now, text in texts:
        if text and not now:
            values = {"column": HEADS[name][language], "text": text}
            yield Oddity(Odd.CLEARED, place, values)


def _joined(several: Sequence[Feedback], language: Language) -> tuple[Feedback, bool]:
    """All of it in one, and whether anything but comments differs."""
    keep: list[str] = []

    def one(name: ColumnId, texts: Sequence[str]) -> str:
        different = sorted(set(filter(None, texts)))
        if len(different) > 1:
            keep.append(kept(name, different, language))
        return different[0] if len(different) == 1 else ""

    word = one("verdict", [said.word or "" for said in several])
    error_type = one("error_type", [said.error_type for said in several])
    corrected = one("corrected", [said.corrected for said in several])
    comments = [line for said in several for line in said.comment.split("\n") if line]
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
        taken = self.unchanged or self.known or self.verdicts or self.count(Odd.CLEARED)
        return "nothing_new" if taken else "nothing"

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


def near_names(names: Iterable[str]) -> list[tuple[str, str]]:
    """Names that may be one person's: but for width, case, spaces or one letter they are alike."""
    found = sorted({name for name in names if name})
    return [pair for pair in combinations(found, 2) if _is_near(*map(_bare, pair))]


def _bare(name: str) -> str:
    return same_name(name).replace(" ", "")


def _is_near(one: str, other: str) -> bool:
    """Whether at most one letter was put in, left out or mistaken; a name of one tells nothing."""
    shorter, longer = sorted((one, other), key=len)
    if len(longer) - len(shorter) > 1 or len(shorter) < _SHORTEST:
        return one == other
    pairs = enumerate(zip(shorter, longer, strict=False))
    at = next((place for place, (a, b) in pairs if a != b), len(shorter))
    return shorter[at:] == longer[at + 1 :] or shorter[at + 1 :] == longer[at + 1 :]


class Names:
    """Reviewers by their names: `Sato` and `sato ` are one person, spelt as at first.

    `renamed`: by which other names people go now.
    """

    def __init__(self, given: Iterable[Verdict], renamed: Mapping[str, str]) -> None:
        self._spelt: dict[str, str] = {}
        self._renamed = renamed
        for verdict in given:
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
        self, turn: TurnName, given: Sequence[Verdict], reading: PullSource, found: Pulled
    ) -> None:
        self._turn = turn
        self._given = given
        self._latest = latest(given)
        self._reading = reading
        self._found = found
        self._now: list[Verdict] = []
        self._emptied: list[Verdict] = []

    def read(
        self, rows: Sequence[ReviewRow], names: Names, *, is_printed: bool
    ) -> AbstractSet[str]:
        """Take what each person says in these rows; who spoke."""
        by_person: dict[str, list[ReviewRow]] = {}
        repeated = set()
        for row in rows:
            if not row.said:
                self._empty(row, names)
            if not row.said or (is_printed and self._was_printed(row)):
                continue
            name = names.of(row.reviewer or self._reading.reviewer)
            if not name and (other := self._repeats(row, rows)):
                repeated.add(other.reviewer)
            else:
                by_person.setdefault(name, []).append(row)
        emptied = [verdict for verdict in self._emptied if verdict.reviewer not in by_person]
        self._found.taken_back += emptied
        for name, theirs in by_person.items():
            self._take(name, theirs)
        if "" not in by_person:
            self._take_back()
        return {*by_person, *repeated, *(verdict.reviewer for verdict in emptied)}

    def _empty(self, row: ReviewRow, names: Names) -> None:
        """Take back what somebody said here, where nothing but the name is left of it."""
        name = names.of(row.reviewer) if row.reviewer else ""
        if name and self._withdrawn(name):
            self._emptied.append(self._verdict(name, Feedback()))  # what comes next is said anew
            return
        before = next((v for v in self._latest.values() if name and self._is_of(v, name)), None)
        if before is None or before.run or before.takes_back:
            return
        is_here = before.source == self._reading.source
        if is_here:
            self._emptied.append(self._verdict(name, Feedback()))
        values = {
            "reviewer": name,
            "text": typed(Feedback.of(before)),
            "source": before.source,
        }
        odd = Odd.TAKEN_BACK if is_here else Odd.EMPTY_ELSEWHERE
        self._found.oddities.append(Oddity(odd, row.place, values))

    def _was_printed(self, row: ReviewRow) -> bool:
        """Whether `mogi export` put this word there: it is what people said, all together."""
        if row.reviewer or Feedback(row.said.word) != row.said:
            return False
        states = (settled(self._given[:n]) for n in range(1, len(self._given) + 1))
        if row.said.word not in states:
            return False
        self._found.oddities.append(Oddity(Odd.PRINTED))
        return True

    def _repeats(self, row: ReviewRow, rows: Sequence[ReviewRow]) -> Verdict | None:
        """The verdict that a row without a name repeats: a report wrote it there, say.

        It is one without a name that was read elsewhere, or one that was read here and given a
        name by `--reviewer`.
        """
        if any(self._is_of(v, "") and not v.run and holds(v, row.said) for v in self._given):
            return None
        source, names = self._reading.source, {same_name(row.reviewer) for row in rows}
        for verdict in self._latest.values():
            is_named = bool(verdict.reviewer)
            is_candidate = is_named == (verdict.source == source)
            if is_candidate and same_name(verdict.reviewer) in names and is_named:
                continue  # that person has a row of their own
            if is_candidate and holds(verdict, row.said):
                self._count(verdict)
                if verdict.run:
                    return verdict
                if not is_named:
                    self._found.oddities.append(Oddity(Odd.REPEATED))
                return verdict
        return None

    def _take(self, name: str, rows: Sequence[ReviewRow]) -> None:
        theirs = [v for v in self._given if self._is_of(v, name)]
        said, odd = at_once(rows, theirs, self._reading.language)
        self._found.oddities += odd
        if said and (once := self._withdrawn(name)) and holds(once, said):
            self._found.oddities.append(Oddity(Odd.WITHDRAWN))
            return
        before = theirs[-1] if theirs and not theirs[-1].takes_back else None
        if said is None:
            self._count(before)
            return
        if before:
            if before.source == self._reading.source:
                self._found.oddities += cleared(
                    rows[-1].place, said, before, self._reading.language
                )
            said = with_earlier(said, before)
            if holds(before, said):
                self._count(before)
                return
        verdict = self._verdict(name, said)
        if before:
            self._found.changes.append(Revision(before, verdict))
        else:
            self._found.new.append(verdict)
        self._now.append(verdict)
        if not name:
            self._see_nameless(rows[-1], verdict)

    def _withdrawn(self, name: str) -> Verdict | None:
        """What this table held of a person before it was withdrawn; None where it was not."""
        theirs = [v for v in self._given if self._is_of(v, name)]
        if not theirs or theirs[-1].source != WITHDRAWN:
            return None
        here = [v for v in theirs if v.source == self._reading.source and not v.run]
        return here[-1] if here else None

    def _count(self, said: Verdict | None) -> None:
        """Count a row that says what is in the store already, if this or `said` an equal answer."""
        if said is not None and said.run:
            self._found.known += 1
        elif said is not None:
            self._found.unchanged[said.reviewer] += 1

    def _is_of(self, verdict: Verdict, name: str) -> bool:
        if name:
            return same_name(verdict.reviewer) == same_name(name)
        return verdict.person == ("", self._reading.source)

    def _verdict(self, name: str, said: Feedback) -> Verdict:
        return Verdict(
            *self._turn,
            word=said.word,
            reviewer=name,
            source=self._reading.source,
            at=self._reading.at,
            error_type=said.error_type,
            corrected=said.corrected,
            comment=said.comment,
        )

    def _see_nameless(self, row: ReviewRow, verdict: Verdict) -> None:
        """Tell where two verdicts have no name and differ: are these one person or two?"""
        for other in self._latest.values():
            differs = other.word not in (None, verdict.word)
            if not other.reviewer and other.person != verdict.person and differs:
                word = other.word.value if other.word else ""
                values = {"text": word, "source": other.source}
                self._found.oddities.append(Oddity(Odd.NAMELESS, row.place, values))

    def _take_back(self) -> None:
        """What was read here without a name, and now has one, is that person's alone."""
        nameless = self._latest.get(("", self._reading.source))
        if nameless is None or nameless.run:
            return
        if any(holds(verdict, Feedback.of(nameless)) for verdict in self._now):
            self._found.taken_back.append(self._verdict("", Feedback()))
            self._found.oddities.append(Oddity(Odd.NAMED))
