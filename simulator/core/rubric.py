"""What a judge is asked: a rubric, its aspects (each of which is a metric), and their scales."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

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
