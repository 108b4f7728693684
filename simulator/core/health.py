"""What a judge is asked (rubrics, their aspects and scales), and how well judge and users did."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from simulator.core.outcome import Interval


@dataclass(frozen=True, slots=True)
class Rate:
    """A share of `n` places, with its interval; the mean is None where there are none."""

    value: Interval = field(default_factory=lambda: Interval(None))
    n: int = 0


@dataclass(frozen=True, slots=True)
class JudgeWarning:
    """What speaks against a judge: a rate by its name, past the `bound` that it should keep.

    `doubt`: the ratings are in doubt; otherwise there is only nothing that bears them out.
    """

    name: str
    rate: float
    n: int
    bound: float
    doubt: bool = True


@dataclass(frozen=True, slots=True)
class JudgeHealth:
    """What a run's own judgements say of its judge; view/judge_health.py defines each rate.

    `metric` is the judged metric that is meant where one rating of a turn is. `rates` are in the
    order in which they are shown; `flips` is there where the judge had several votes.
    `correlation`: mean over pairs of aspects of one rubric, None where none of them varies.
    """

    metric: str
    rates: Mapping[str, Rate]
    correlation: float | None = None
    warnings: tuple[JudgeWarning, ...] = ()

    @property
    def in_doubt(self) -> bool:
        """Whether its ratings tell little; then they fail no conversation by themselves."""
        return any(warning.doubt for warning in self.warnings)


@dataclass(frozen=True, slots=True)
class Kept:
    """Conversations of one kind, and how many of them are undecided because of their user."""

    conversations: int = 0
    """How many there are."""
    excluded: int = 0
    """Of these undecided because of their user."""


@dataclass(frozen=True, slots=True)
class SimulatorSummary:
    """How sound the simulated users of a run were, in conversations."""

    unsound: int = 0
    """Those whose user is not sound in the take that is shown."""
    rerun: int = 0
    """Those that were held again."""
    excluded: int = 0
    """Those that are undecided because of their user, who may have failed as well."""
    cost_usd: float | None = 0.0
    """Paid for talks that count nowhere: first takes of those that were held again, and last takes
    of the excluded; null where a price is not known."""
    weak: Kept = Kept()
    """Those with a score under the threshold of `score_by`; none where it has no threshold."""
    strong: Kept = Kept()
    """Those with a score that reaches it; likewise."""
    rerun_for: Mapping[str, int] = field(default_factory=dict)
    """How many were held again for each tag."""
    unasked: int = 0
    """Questions of goals that talks ended without, where the users know that."""


@dataclass(frozen=True, slots=True)
class FollowUps:
    """How questions that lean on the turn before fared, beside first ones, where both have answers.

    A question is lost if it was refused, or had no expected document and no claim met.
    """

    asked: int = 0
    """Those after a turn that was answered."""
    lost: int = 0
    """Of these, those that were lost."""
    scenarios: int = 0
    """Scenarios in which they were asked."""
    first: int = 0
    """First turns of all conversations."""
    first_lost: int = 0
    """Of these, those that were lost."""
    p: float | None = None
    """How likely so many scenarios that lose most of theirs are, if follow-ups fare as first turns
    do (Fisher's exact test over scenarios, one-sided); null without either."""
    only_later: tuple[str, ...] = ()
    """Scenarios whose own question was lost in every conversation, though a later turn was
    answered; none that always fails."""
    are_lost: bool = False
    """Whether they plainly fare worse: five or more are lost, by more than chance (p < .01)."""


Said = int | float | str
"""What a judge answers to an aspect: a rating, a share, or a label."""

Seen = Literal[
    "persona",
    "goal",
    "talk",
    "documents",
    "question",
    "answer",
    "expected_answer",
    "expected_elements",
]
SEEN: tuple[str, ...] = get_args(Seen)
"""The parts of the evidence, in the order in which a judge is shown them."""

Scope = Literal["turn", "talk"]
RightIf = Literal["unanswerable", "escalate"]

OWN_WORDS = ("comment", "conclusion", "not_applicable")
"""What stands before the answers in a judgement, in this order; no aspect can be called so."""


@dataclass(frozen=True, slots=True)
class Ratings:
    """Whole numbers from `low` to `high` (0 <= low < high); r has the value r / high."""

    low: int
    high: int

    @property
    def ends(self) -> tuple[float, float]:
        """The lowest and the highest value."""
        return self.low / self.high, 1.0

    def raw(self, said: Said) -> float:
        """The rating itself."""
        return float(said)

    def value(self, raw: float) -> float:
        """Within `ends`."""
        return raw / self.high

    def turned(self, raw: float) -> float:
        """The value where low is good: the lowest rating has that of the highest."""
        return (self.low + self.high - raw) / self.high


@dataclass(frozen=True, slots=True)
class Share:
    """Any number from 0 to 1, which is its own value."""

    @property
    def ends(self) -> tuple[float, float]:
        """The lowest and the highest value."""
        return 0.0, 1.0

    def raw(self, said: Said) -> float:
        """The number itself."""
        return float(said)

    def value(self, raw: float) -> float:
        """The number itself."""
        return raw

    def turned(self, raw: float) -> float:
        """The value where low is good."""
        return 1.0 - raw


@dataclass(frozen=True, slots=True)
class Labels:
    """Words, each with its value within 0–1, such as yes: 1 and no: 0."""

    values: Mapping[str, float]

    @property
    def ends(self) -> tuple[float, float]:
        """The lowest and the highest value."""
        return min(self.values.values()), max(self.values.values())

    def raw(self, said: Said) -> float:
        """The number behind a word."""
        return self.values[str(said)]

    def value(self, raw: float) -> float:
        """The same number."""
        return raw

    def turned(self, raw: float) -> float:
        """The value where low is good."""
        return sum(self.ends) - raw


Scale = Ratings | Share | Labels
YES_NO = Labels({"yes": 1.0, "no": 0.0})


@dataclass(frozen=True, slots=True)
class Aspect:
    """One question to the judge.

    `name` is the metric's name; `anchors` say in words what some or all of the answers mean.
    `low_is_good` turns the value round, while raw stays as it was said. `right_if` (yes/no only):
    `yes` is neither good nor bad in itself, but right where the scenario has no answer to give,
    or where it has to be handed over, and wrong elsewhere; the value tells right from wrong.
    """

    name: str
    title: str
    question: str
    scale: Scale
    anchors: Mapping[Said, str] = field(default_factory=dict)
    low_is_good: bool = False
    right_if: RightIf | None = None

    def value(self, raw: float, *, yes_is_right: bool = True) -> float:
        """The value of a raw number, 0–1."""
        is_turned = self.low_is_good or (self.right_if is not None and not yes_is_right)
        return self.scale.turned(raw) if is_turned else self.scale.value(raw)


@dataclass(frozen=True, slots=True)
class Example:
    """A worked example: texts by the part of the evidence, and what is right to say of them.

    `said` holds an answer for each aspect, by name; none where the rubric does not apply.
    """

    evidence: Mapping[str, str]
    comment: str
    said: Mapping[str, Said]


@dataclass(frozen=True, slots=True)
class Rubric:
    """Questions that are asked about the same evidence.

    Attributes:
        sees: The parts of the evidence that the judge needs; any of `SEEN`.
        sha: SHA-256 (hex) of the file's text: a threshold is only worth something for the very
            wording it was found with.
        scope: Whether it speaks of each turn, or once of the whole conversation.
        may_not_apply: When the judge is to say that the rubric does not apply, in words; empty
            where it always does.
        needs: Those of `sees` without which it is not asked. What a scenario expects is always
            needed where it is seen.
        path: The file, as people are told of it.
    """

    id: str
    title: str
    sees: tuple[str, ...]
    instruction: str
    aspects: tuple[Aspect, ...]
    sha: str
    scope: Scope = "turn"
    may_not_apply: str = ""
    needs: tuple[str, ...] = ()
    examples: tuple[Example, ...] = ()
    path: str = field(default="", compare=False)
