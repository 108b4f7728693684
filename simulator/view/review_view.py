"""What people judge in a run, once for worksheets and page: the form, the answers in order."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from simulator.core.persona import Language
from simulator.core.run import Episode, RunHeader, content_of, equal_in_run, unit_of
from simulator.core.talk import StopReason
from simulator.core.verdict import (
    Place,
    Sampled,
    Verdict,
    Word,
    has_own_word,
    is_folded,
    latest,
    place_name,
)
from simulator.words import Words
from simulator.worksheets.columns import COLUMNS, ColumnId, error_types

_ALONE = frozenset({Sampled.AUDIT, Sampled.NEW})  # what is drawn because it is like most
Reviewed = tuple[Episode, Sequence[Verdict]]
"""A conversation with people's verdicts on its turns."""
Show = Callable[[Place, Sampled, Episode, Sequence[Verdict]], None]
"""Takes an answer that people judge, by its turn, with its conversation."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the things that people choose from: its id, its name, what it means, an example."""

    id: str
    name: str
    means: str = ""
    example: str = ""


@dataclass(frozen=True, slots=True)
class ReviewForm:
    """What people fill in for an answer and what they are told, in the client's language.

    Attributes:
        fields: what each column is called, in their order.
        words: OK, NG and unsure.
        error_types: what may be wrong; where two fit, people choose the upper one.
        policy: what the client calls OK; empty where it says nothing of its own.
        blind: score, reason and what readers say are shown after the verdict.
    """

    fields: Mapping[ColumnId, str]
    words: tuple[Choice, ...]
    error_types: tuple[Choice, ...]
    policy: str
    blind: bool

    @classmethod
    def of(cls, header: RunHeader) -> "ReviewForm":
        """That of a run."""
        language, review = header.language, header.review
        words = Words(language, "sheet")
        return cls(
            fields={column.id: column.heads[language] for column in COLUMNS},
            words=tuple(
                Choice(word, words(f"how.{word}"), words(f"how.{word}.says")) for word in Word
            ),
            error_types=tuple(
                Choice(kind, name, words(f"means.{kind}"), words.find(f"example.{kind}") or "")
                for kind, name in error_types(language).items()
            ),
            policy=review.policy,
            blind=review.blind,
        )

    def rules(self, language: Language) -> Iterator[tuple[str, str]]:
        """How to judge: what each word means, and the client's policy or else what usually counts.

        Each rule has a name.
        """
        words = Words(language, "sheet")
        yield from ((word.name, word.means) for word in self.words)
        key = "policy" if self.policy else "almost"
        yield words(f"how.{key}"), self.policy or words("how.almost.says")

    def name_of(self, word: Word | None) -> str:
        """What a word is called; empty for none."""
        return next((choice.name for choice in self.words if choice.id == word), "")


@dataclass(frozen=True, slots=True)
class QueuedAnswer:
    """An answer that people judge.

    `place` is the turn that they are shown; `turns`: on so many a word on it counts, this one among
    them. Answers of one `group` have the same content, and are judged in a row.
    """

    place: Place
    why: Sampled
    turns: int
    group: int


@dataclass(slots=True)
class _SeenTurn:
    """What is kept of a turn: hashes instead of texts, which take far more room."""

    place: Place
    why: Sampled | None
    answer: int
    unit: int
    group: int
    can_fold: bool
    is_judged: bool  # it has a word of its own
    is_own: bool  # of these one that was given on this very turn
    is_covered: bool  # it has words, all by folding
    folded_from: frozenset[str]


@dataclass(slots=True)
class ReviewQueue:
    """The answers of a run that people judge, each once, in their order.

    With a review plan they are its rows. Without one the audit sample comes first, then flagged
    answers, those with the same content in a row, the most frequent ones first. Of equal answers,
    and of those that `unit_of` calls one, the first stands for all; what was drawn at random is
    folded with nothing, and neither is an answer that has a word of its own. `with_judged` has
    beside these, without a plan, turns that nobody is asked about any more: they have a verdict of
    their own.
    """

    rows: tuple[QueuedAnswer, ...] = ()
    by_place: Mapping[Place, QueuedAnswer] = field(default_factory=dict)
    with_judged: tuple[QueuedAnswer, ...] = ()
    _turns: Mapping[Place, _SeenTurn] = field(default_factory=dict)
    _units: Mapping[Place, Sequence[_SeenTurn]] = field(default_factory=dict)  # of several answers

    @classmethod
    def of(
        cls, header: RunHeader, reviewed: Iterable[Reviewed], show: Show | None = None
    ) -> "ReviewQueue":
        """That of a run, whose conversations come with their verdicts; each is read once.

        `show` gets each answer that people judge as soon as it is read, in the run's order.
        """
        plan = header.review_plan
        seen, shown = _read(header, reviewed, show)
        turns = {turn.place: turn for turn in seen}
        if plan:
            shown = [turns[place] for place in plan.shown if place in turns]
        by_unit, equal = defaultdict[int, list[_SeenTurn]](list), Counter[int]()
        for turn in seen:
            equal[turn.answer] += 1
            if turn.can_fold:
                by_unit[turn.unit].append(turn)
        # Where all are the same answer, as in a run that repeats much, none is folded with another.
        units = {
            head.place: some
            for some in by_unit.values()
            if len({turn.answer for turn in some}) > 1
            for head in some
        }
        is_shown = {turn.place for turn in shown}
        judged = [t for t in seen if t.place in is_shown or (t.is_own and t.is_judged)]
        every = list[QueuedAnswer]()
        for turn in shown if plan else judged:
            count = equal[turn.answer] + sum(_follows(o, turn) for o in units.get(turn.place, ()))
            every.append(QueuedAnswer(turn.place, turn.why or Sampled.OPEN, count, turn.group))
        every = every if plan else _in_groups(every)
        rows = tuple(row for row in every if row.place in is_shown)
        return cls(rows, {row.place: row for row in rows}, tuple(every), turns, units)

    def with_folded(self, verdicts: Sequence[Verdict]) -> list[Verdict]:
        """Verdicts, each followed by the same on the turns that are folded with its own.

        That takes them back there, too, where it takes back what the person said before. A turn
        with a verdict among these gets no other one.
        """
        given = {(v.episode, v.turn, v.claim) for v in verdicts}
        every = []
        for verdict in verdicts:
            place = verdict.episode, verdict.turn
            every.append(verdict)
            every += (
                replace(verdict, episode=e, turn=t, folded_from=place_name(*place))
                for e, t in self._folded(place)
                if (e, t, verdict.claim) not in given
            )
        return every

    def _folded(self, place: Place) -> list[Place]:
        """The turns that are folded with the one at a place."""
        unit = self._units.get(place, ())
        return [turn.place for turn in unit if _follows(turn, self._turns[place])]


def _read(
    header: RunHeader, reviewed: Iterable[Reviewed], show: Show | None
) -> tuple[list[_SeenTurn], list[_SeenTurn]]:
    """All turns, and those that are shown; `show` gets each of these with its conversation."""
    plan, choice = header.review_plan, _Choice()
    planned = {place: row.why for row in (plan.rows if plan else ()) for place in row.places}
    seen, shown = list[_SeenTurn](), list[_SeenTurn]()
    for episode, verdicts in reviewed:
        for turn in _seen(header, planned, episode, verdicts):
            seen.append(turn)
            if turn.place in plan.shown if plan else choice.takes(turn):
                shown.append(turn)
                if show is not None:
                    show(turn.place, turn.why or Sampled.OPEN, episode, verdicts)
    return seen, shown


def _seen(
    header: RunHeader,
    planned: Mapping[Place, Sampled],
    episode: Episode,
    verdicts: Sequence[Verdict],
) -> Iterable[_SeenTurn]:
    is_valid = episode.stop.reason is not StopReason.USER_INVALID
    for turn in episode.turns:
        number = turn.exchange.turn
        place = episode.cell.key, number
        stratum, probability = header.drawn(episode, turn)
        is_drawn = stratum is Sampled.AUDIT and probability is not None
        if header.review_plan is not None:
            is_drawn = planned.get(place) in _ALONE
        yield _SeenTurn(
            place,
            header.sampled(episode, turn),
            hash(equal_in_run(episode, number)),
            hash(unit_of(episode, number)),
            hash(content_of(episode, number)),
            is_valid and not is_drawn,
            has_own_word(verdicts, number),
            any(v.turn == number and not (v.run or v.folded_from) for v in verdicts),
            is_folded(verdicts, number),
            frozenset(
                v.folded_from for v in latest(v for v in verdicts if v.turn == number).values()
            ),
        )


def _follows(turn: _SeenTurn, head: _SeenTurn) -> bool:
    """True if a verdict on the turn that is shown is written on another one of its unit."""
    is_open = not turn.is_judged or place_name(*head.place) in turn.folded_from
    return is_open and turn.answer != head.answer


class _Choice:
    """Chooses the turns that are shown without a plan, one after the other."""

    def __init__(self) -> None:
        self._answers, self._units = set[int](), set[int]()

    def takes(self, turn: _SeenTurn) -> bool:
        """True if the turn is shown: the first of its kind, or one with a verdict of its own."""
        if turn.why is None:
            return False
        is_known = turn.answer in self._answers
        if turn.can_fold:
            is_known = is_known or turn.is_covered
            is_known = is_known or (not turn.is_judged and turn.unit in self._units)
        if is_known and not turn.is_own:
            return False
        self._answers.add(turn.answer)
        if turn.can_fold and not turn.is_judged:
            self._units.add(turn.unit)
        return True


def _in_groups(rows: Sequence[QueuedAnswer]) -> list[QueuedAnswer]:
    """The audit sample first, then each group as a whole, the most turns first."""
    sizes, first = Counter[int](), dict[int, int]()
    for at, row in enumerate(rows):
        sizes[row.group] += row.turns
        first.setdefault(row.group, at)

    def order(row: QueuedAnswer) -> tuple[bool, int, int]:
        if row.why is Sampled.AUDIT:
            return False, 0, 0
        return True, -sizes[row.group], first[row.group]

    return sorted(rows, key=order)
