"""What people say of a turn (OK, NG or unsure), and which turns they look at.

Verdicts are added, and none is ever changed. One holds for every equal answer of its client: in its
own run and in later ones, until the answer, what is expected of it or the text of the expected
documents changes; a new title changes nothing (`answer_keys` in store/codec.py). People see the
flagged turns, and a random sample of the others.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property

from simulator.core.outcome import Interval
from simulator.core.plan import seed_of

_WHOLE = 1 << 63  # what `seed_of` stays below


class Word(StrEnum):
    """A person's word on an answer."""

    OK = "OK"
    NG = "NG"
    UNSURE = "unsure"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one person said of one turn of a run, once.

    `episode` is the conversation's key, `turn` counts from 1. `word` is None where somebody wrote
    a comment, say, and no word. `source` names where it was read
    (a file, a sheet); `at` is when, ISO 8601 in UTC. A later one of the same reviewer takes the
    place of an earlier one, which is kept all the same. `reviewer` may be unknown: then `source`
    stands for the person. `run`: that in which it was given on an equal answer, which may be this
    one or another; empty where it was given on this very turn. `folded_from`: the turn that the
    person looked at (`place_name`), where this one was folded with it. `claim`: the id of the claim
    that it is about; empty where it is about the whole answer.
    """

    episode: str
    turn: int
    word: Word | None
    reviewer: str = ""
    source: str = ""
    at: str = ""
    error_type: str = ""
    corrected: str = ""
    comment: str = ""
    run: str = ""
    folded_from: str = ""
    claim: str = ""

    @property
    def person(self) -> tuple[str, str]:
        """Whose verdict it is: the reviewer or, where that is unknown, whoever wrote the source."""
        return (self.reviewer, "") if self.reviewer else ("", self.source)

    @property
    def takes_back(self) -> bool:
        """Whether it takes back what the person said before: it says nothing at all.

        So it is where somebody emptied a row or withdrew, and where a row without a reviewer was
        given one: its words are now that person's.
        """
        return not any((self.word, self.error_type, self.corrected, self.comment))


def place_name(episode: str, turn: int) -> str:
    """How a turn of a run is named in one text: `login-fails/angry/1|2`."""
    return f"{episode}|{turn}"


def is_folded(verdicts: Iterable[Verdict], turn: int) -> bool:
    """True if all that people say by now of a turn was given on another one, folded with it."""
    words = latest(verdict for verdict in verdicts if verdict.turn == turn).values()
    return bool(words) and all(verdict.folded_from for verdict in words)


def has_own_word(verdicts: Iterable[Verdict], turn: int) -> bool:
    """True if people say a word of a turn by now that was given on it or on an equal answer."""
    words = latest(verdict for verdict in verdicts if verdict.turn == turn).values()
    return any(verdict.word is not None and not verdict.folded_from for verdict in words)


def latest(verdicts: Iterable[Verdict]) -> dict[tuple[str, str], Verdict]:
    """The latest verdict of each person on one turn; `verdicts` in the order they were given."""
    by_person = {verdict.person: verdict for verdict in verdicts}
    return {person: verdict for person, verdict in by_person.items() if not verdict.takes_back}


def latest_words(verdicts: Iterable[Verdict]) -> dict[tuple[str, str], Word]:
    """The latest word of each person on one turn; `verdicts` in the order they were given."""
    words: dict[tuple[str, str], Word] = {}
    for verdict in verdicts:
        if verdict.word is not None:
            words[verdict.person] = verdict.word
        elif verdict.takes_back:
            words.pop(verdict.person, None)
    return words


def settled(verdicts: Iterable[Verdict]) -> Word | None:
    """What people say of one turn all together: the latest word of each person, if they agree.

    They are `unsure` where people differ; None where nobody said a word. `verdicts` come
    in the order in which they were given.
    """
    words = set(latest_words(verdicts).values())
    if not words:
        return None
    return words.pop() if len(words) == 1 else Word.UNSURE


@dataclass(frozen=True, slots=True)
class Faults:
    """What people called wrong beside what was blamed, in one vocabulary (results/verdict.py).

    `counts`: by (people's, blamed), different answers; "" is people's own words, or nothing blamed.
    Of `n` with a fault of the vocabulary `agreed` were blamed for it, first or among others.
    """

    counts: Mapping[tuple[str, str], int]
    n: int
    agreed: int


class Sampled(StrEnum):
    """Why a turn is shown to people; `KNOWN` ones are not: they were judged before the plan."""

    FLAGGED = "flagged"
    AUDIT = "audit"
    OPEN = "undecided"  # a word on it would decide its conversation, which nothing else does
    AGAINST_FACTS = "against_facts"  # judge and facts disagree
    NEAR = "near_threshold"  # its score is near the threshold
    MUST_PASS = "must_pass"  # noqa: S105 - the gate says that its conversation must pass
    NEW = "new"  # no answer of the run that it is compared with
    KNOWN = "known"


Place = tuple[str, int]
"""A turn within its run: the episode's key and the turn's number, from 1."""
Drawn = tuple[Sampled, float | None]
"""Of which stratum a turn is (`FLAGGED` for all that people see for a reason of its own, `AUDIT`
for what is left to chance, `NEW`, `KNOWN`), and how likely it was to be shown; None: it is not."""


@dataclass(frozen=True, slots=True)
class PlannedAnswer:
    """An answer of a review plan: its turns, of which people are shown the first.

    `probability` (0-1): how likely it was to come into the plan; 1 where that was no chance.
    """

    why: Sampled
    probability: float
    places: tuple[Place, ...]


@dataclass(frozen=True)
class ReviewPlan:
    """Which answers of a run people judge, each once, in this order.

    `known` are those that had a verdict before the run's first plan, from whichever run; or, where
    the rows are new answers, those that an earlier run's plan speaks for as well. `all_drawn`: all
    rows were drawn at random; in older plans those with a reason of their own were not.
    """

    rows: tuple[PlannedAnswer, ...]
    known: tuple[PlannedAnswer, ...] = ()
    all_drawn: bool = False

    @property
    def is_of_new(self) -> bool:
        """Whether its rows are the new answers since an earlier run."""
        return any(row.why is Sampled.NEW for row in self.rows)

    @cached_property
    def shown(self) -> Mapping[Place, Sampled]:
        """The turns that people are shown, in their order, and why."""
        return {row.places[0]: row.why for row in self.rows}

    @cached_property
    def aside(self) -> frozenset[Place]:
        """Of each answer that was known a turn."""
        return frozenset(answer.places[0] for answer in self.known)

    @cached_property
    def drawn(self) -> Mapping[Place, Drawn]:
        """All turns with an answer of the plan, or with one that was known."""
        chosen = Sampled.AUDIT if self.all_drawn else Sampled.FLAGGED
        return {
            place: (row.why if row.why in _BY_CHANCE else chosen, row.probability)
            for row in (*self.rows, *self.known)
            for place in row.places
        }


STRATA = (Sampled.FLAGGED, Sampled.AUDIT, Sampled.NEW, Sampled.KNOWN)
"""Each of these stands for its own kind of answers."""
_BY_CHANCE = frozenset({Sampled.AUDIT, Sampled.NEW, Sampled.KNOWN})


@dataclass(frozen=True, slots=True)
class Audit:
    """How the sample of what is not flagged is drawn: each answer with probability `share`.

    Flagged turns alone tell how many flags are right, and never how much they miss. `answers`: the
    different ones that were drawn when the run ended, and aside of them those that people had
    judged before or are shown for a flag. None: the run goes on, or is an older one, which drew
    every turn for itself.
    """

    share: float = 0.0
    seed: int = 0
    answers: ReviewPlan | None = None

    def draws(self, *name: str | int) -> bool:
        """Whether an answer (or a turn) of this name is drawn; the same whenever it is asked.

        Depends on nothing but the seed and the name, so that a resume, another order of
        conversations and another machine draw the same.
        """
        return seed_of(self.seed, "audit", *name) < self.share * _WHOLE

    def shows(self, place: Place) -> bool:
        """Whether people are shown this turn if it is not flagged; of equal answers the first."""
        return self.draws(*place) if self.answers is None else place in self.answers.shown


@dataclass(frozen=True, slots=True)
class Separation:
    """How well a metric tells what people call OK from what they call NG, over `ok` and `ng` turns.

    `auc`: the chance that a turn which is OK has the greater value of two, 0.5 where it tells
    nothing; its mean is None where there are not both kinds.
    """

    auc: Interval
    ok: int
    ng: int


@dataclass(frozen=True, slots=True)
class VerdictSummary:
    """People's verdicts on the different answers of a run, and how each metric goes with them."""

    ok: int
    ng: int
    unsure: int
    metrics: Mapping[str, Separation]
    faults: Faults | None = None


@dataclass(frozen=True, slots=True)
class CorrectedScore:
    """The share of a run's answers that people would call OK, an unsure one counting half.

    Estimated from people's words on `n` different answers: flagged ones, and `audited` ones that
    were drawn among the others. The run's scores narrow it down, as far as `tuning` (λ, 0-1) lets
    them. The mean is None below what statistics/ppi.py asks for.
    """

    value: Interval
    n: int
    audited: int
    tuning: float | None = None
