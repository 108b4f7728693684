"""Whether a conversation passed, and why: the one opinion that every figure and report shares."""

from dataclasses import dataclass
from enum import StrEnum

from simulator.core.claim import Reader
from simulator.core.plan import Cell


class Result(StrEnum):
    """What came of a conversation, by its expectations and flags."""

    PASSED = "passed"
    FAILED = "failed"
    UNDECIDED = "undecided"
    UNCHECKED = "unchecked"  # nothing was there to check


class Why(StrEnum):
    """The line of the verdict table that decided a result; results/verdict.py has their order.

    `result` is the result that it leads to.
    """

    result: Result

    def __new__(cls, value: str, result: Result) -> "Why":
        """A line by its name and result."""
        line = str.__new__(cls, value)
        line._value_, line.result = value, result
        return line

    # a person's verdict
    SAID_NG = "said_ng", Result.FAILED
    SAID_OK = "said_ok", Result.PASSED
    DIFFER = "differ", Result.UNDECIDED  # people do not agree on an answer, or cannot tell
    # failed
    TARGET_FAILED = "target_failed", Result.FAILED
    CONTRADICTS = "contradicts", Result.FAILED  # what is expected
    FORBIDDEN = "forbidden", Result.FAILED  # it says what it must not
    ANSWERED = "answered", Result.FAILED  # what has no answer
    NEVER_SAID = "never_said", Result.FAILED  # an expected element, or the expected answer
    REFUSED = "refused", Result.FAILED  # what can be answered
    NEVER_REFUSED = "never_refused", Result.FAILED
    NEVER_HANDED_OVER = "never_handed_over", Result.FAILED
    # the last answer, by a judged metric or one that a client limits
    SCORED_LOW = "scored_low", Result.FAILED
    UNSUPPORTED = "unsupported", Result.FAILED  # where the client's fail_on says so
    LATE = "late", Result.FAILED  # likewise: not all of it came with the first answer
    # undecided
    UNSOUND = "unsound", Result.UNDECIDED  # the simulated user
    UNREAD = "unread", Result.UNDECIDED  # a run from before readings were stored
    UNSCORED = "unscored", Result.UNDECIDED  # a rating is missing
    UNCLEAR = "unclear", Result.UNDECIDED  # no reader could tell
    AT_ODDS = "at_odds", Result.UNDECIDED  # a model calls met what words prove to be violated
    # what is missing may belong to a question that the user never asked
    UNASKED = "unasked", Result.UNDECIDED
    JUDGE_IN_DOUBT = "judge_in_doubt", Result.UNDECIDED  # and nothing else tells
    # passed
    SAID = "said", Result.PASSED  # all that is expected
    NOT_REFUSED = "not_refused", Result.PASSED  # and nothing else is expected
    RIGHTLY_REFUSED = "rightly_refused", Result.PASSED
    HANDED_OVER = "handed_over", Result.PASSED
    SCORED_WELL = "scored_well", Result.PASSED
    # unchecked
    NOTHING_EXPECTED = "nothing_expected", Result.UNCHECKED


class Because(StrEnum):
    """What makes an answer differ from what is expected, or leaves open whether it does."""

    MISSED = "missed"  # the document that says it was not retrieved
    DENIED = "denied"  # it stands in the answer, in a sentence that denies something


@dataclass(frozen=True, slots=True)
class Finding:
    """A conversation's result with the line of the verdict table that decided it.

    Attributes:
        turn: from 1: the answer that shows why; None where it is no single one.
        metric: the metric that shows it there, if any.
        about: the texts or names that it speaks of: claims as people read them, tags, gaps.
        claim: the id of the claim that decided, if one did.
        decided_by: the weakest authority that the result needed; None where it is undecided or
            unchecked, or the bot failed instead of answering.
        because: what led to it, where that is known.
        alone: of an answer that people call NG: what shows without their word that it fails.
    """

    result: Result
    why: Why
    turn: int | None = None
    metric: str = ""
    about: tuple[str, ...] = ()
    claim: str = ""
    decided_by: Reader | None = None
    because: Because | None = None
    alone: "Finding | None" = None


@dataclass(frozen=True, slots=True)
class FaultGroup:
    """Failing conversations that one thing would mend: one `blame` about one `entry`.

    `entry` is the id of the first document that is expected; where none is, that of the scenario
    (`of_scenario`). `question` is what the first of their scenarios asks, `answer` what shows the
    failure there: the words that decided it, or the whole answer. `later`: further conversations
    that passed, since their user asked again after an answer that failed in the same way.
    """

    blame: str
    entry: str
    of_scenario: bool
    conversations: int
    question: str
    answer: str = ""
    later: int = 0

    @property
    def weight(self) -> int:
        """How many failed; where none did, how many were answered only when asked again."""
        return self.conversations or self.later


@dataclass(frozen=True, slots=True)
class WeakTurn:
    """A turn as the list of the worst shows it; `score` None where there is none.

    `finding`: that of its conversation, where this turn shows why it failed or is undecided.
    Where answers of a file were scored by a metric without a threshold, the lowest are `flagged`
    False. It stands for `alike` other turns of its scenario with the same answer, which those
    `alike_personas` got. `against`: how the judge's readings differ from what words prove
    (view/judge_health.py), whether the turn is flagged or not; empty where they do not.
    `quote`: where it shows why, the words of the answer that the deciding reading quotes, if any.
    `of_group`: it is the one that is quoted of a group of failures that one thing would mend.
    """

    cell: Cell
    turn: int
    user: str
    assistant: str
    score: float | None
    reason: str
    blame: str | None
    raw: float | None = None
    flagged: bool = True
    alike: int = 0
    alike_personas: tuple[str, ...] = ()
    against: str = ""
    finding: Finding | None = None
    quote: str = ""
    of_group: bool = False
