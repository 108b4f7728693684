"""What a run says of those who measure it: its judge, and its simulated users."""

from collections.abc import Mapping
from dataclasses import dataclass, field

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
