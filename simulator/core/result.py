"""Whether a conversation passed, and why: the one opinion that every figure and report shares."""

from dataclasses import dataclass
from enum import StrEnum


class Result(StrEnum):
    """What came of a conversation, by its expectations and flags."""

    PASSED = "passed"
    FAILED = "failed"
    UNDECIDED = "undecided"
    UNCHECKED = "unchecked"  # nothing was there to check


class Why(StrEnum):
    """The line that decided a result; judging/result.py has their order."""

    # a person's verdict
    SAID_NG = "said_ng"
    SAID_OK = "said_ok"
    DIFFER = "differ"  # two people who disagree, or one who is unsure
    # failed
    TARGET_FAILED = "target_failed"
    CONTRADICTS = "contradicts"  # an expectation or the documents
    ANSWERED = "answered"  # what has no answer
    NEVER_SAID = "never_said"  # an expected element, or anything of the expected answer
    REFUSED = "refused"  # to the end, what can be answered
    NEVER_REFUSED = "never_refused"
    NEVER_HANDED_OVER = "never_handed_over"
    JUDGED_LOW = "judged_low"  # the last answer, by a metric with a threshold
    UNSUPPORTED = "unsupported"  # where the client's fail_on says so
    LATE = "late"  # likewise: an element that did not come with the first answer
    # undecided
    UNSOUND = "unsound"  # the simulated user
    UNSCORED = "unscored"  # what could fail it has no score
    UNCLEAR = "unclear"  # an expectation that is neither plainly met nor plainly missed
    AT_ODDS = "at_odds"  # facts and judge
    JUDGE_IN_DOUBT = "judge_in_doubt"  # and nothing else tells
    # passed
    SAID = "said"  # all that is expected
    JUDGED_WELL = "judged_well"
    RIGHTLY_REFUSED = "rightly_refused"
    HANDED_OVER = "handed_over"
    # unchecked
    NOTHING_EXPECTED = "nothing_expected"


@dataclass(frozen=True, slots=True)
class Finding:
    """A conversation's result with the line that decided it.

    `turn` counts from 1: the answer that shows why, None where it is no single one. `detail` is
    what it is about, in the client's language: the elements that were never said, a metric, a tag.
    """

    result: Result
    why: Why
    turn: int | None = None
    detail: str = ""
