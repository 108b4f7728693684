"""A metric's outcome in one place: a score, or the typed reason why there is none."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, TypeGuard


class Gap(StrEnum):
    """Why a score is missing. NOT_APPLICABLE is no gap: there was nothing to score."""

    JUDGE_UNPARSABLE = "judge_unparsable"
    JUDGE_REFUSED = "judge_refused"
    JUDGE_TRUNCATED = "judge_truncated"
    JUDGE_ERROR = "judge_error"
    METRIC_ERROR = "metric_error"
    TARGET_FAILED = "target_failed"
    SIMULATOR_INVALID = "simulator_invalid"
    BUDGET = "budget"
    UNREAD = "unread"  # no reader could tell
    NOT_APPLICABLE = "not_applicable"


@dataclass(frozen=True, slots=True)
class Score:
    """A metric's value in 0–1 and, in `raw`, what was said (a rating of 4 on 1–5: 0.8, raw 4).

    `parts` are finite numbers that explain the value, by name: precision, recall, coverage, ….
    `named` are the texts it is about: elements that are not said, sentences no document bears out.
    """

    value: float
    raw: float
    comment: str = ""
    parts: Mapping[str, float] = field(default_factory=dict)
    named: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unscored:
    """No score, and why. Never a number."""

    reason: Gap
    detail: str = ""


def is_bug(outcome: "Outcome") -> TypeGuard[Unscored]:
    """True if a metric or another check crashed."""
    return isinstance(outcome, Unscored) and outcome.reason is Gap.METRIC_ERROR


NO_DOCUMENTS = "no documents came with the reply"
"""Why nothing can be told to bear out what a reply states."""
Outcome = Score | Unscored
Outcomes = Mapping[str, Outcome]


@dataclass(frozen=True, slots=True)
class MetricInfo:
    """What a metric is: its name, its needs, and the ends of its `value` scale (within 0–1).

    `needs`: any of judge, embedding; elements, documents, answer, answerable of the scenario;
    context, the documents that the bot says it retrieved. `any_of`: one of these is enough.
    `rated`: the raw value is a rating that people read (reports show raw). `scope`: it speaks of
    one turn, or of a whole conversation, which then has one outcome. `parts`: the names of the
    numbers that may come with a score. `asked`: the texts in which a judge is asked for it; a
    comment that only says them back is none.
    """

    name: str
    title: str
    low: float = 0.0
    high: float = 1.0
    needs: tuple[str, ...] = ()
    rated: bool = False
    description: str = ""
    scope: Literal["turn", "talk"] = "turn"
    parts: tuple[str, ...] = ()
    any_of: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with its 95 % interval; the ends are None below 5 clusters."""

    mean: float | None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Count:
    """How many things are expected; 95 % of all counts lie from `low` to `high`."""

    mean: float
    low: int
    high: int
