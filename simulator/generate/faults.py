"""What may be wrong with a question, or with the answer that was to hold it."""

from dataclasses import dataclass, field
from enum import StrEnum

from simulator.core.ports import Vector


class Fault(StrEnum):
    """Why a question was dropped, or why an answer held none."""

    # Found by the check.
    VIEWPOINT = "viewpoint"  # worded as the operator asking the user
    INCONSISTENCY = "inconsistency"  # the FAQ does not hold the whole answer
    ONE_ENTRY = "one_entry"  # one of the two entries is enough
    ANSWERED = "answered"  # meant to be unanswerable, and an entry answers it
    UNCHECKED = "unchecked"  # no check gave a usable verdict
    # Found by rules.
    DUPLICATE = "duplicate"
    LANGUAGE = "language"
    TOO_LONG = "too_long"
    # Of the whole answer.
    UNREADABLE = "unreadable"
    REFUSED = "refused"
    TOO_FEW = "too_few"
    REJECTED = "rejected"  # the endpoint bears this request in no form
    NO_TITLE = "no_title"


# For want of a usable answer, not of a good question: the model may do better another time.
UNUSABLE = frozenset({Fault.UNCHECKED, Fault.UNREADABLE, Fault.REFUSED, Fault.REJECTED})


@dataclass(frozen=True, slots=True)
class Checked:
    """What the checks said of one question: how many were usable, and how many found a fault.

    `faults` are those that at least half of the usable checks found, or else the most frequent.
    """

    usable: int = 0
    faulty: int = 0
    faults: tuple[Fault, ...] = ()


@dataclass(frozen=True, slots=True)
class Candidate:
    """A question that nothing is known against so far; `vector` where there is an embedding."""

    question: str
    elements: tuple[str, ...] = ()
    checked: Checked = field(default_factory=Checked)
    attempt: int = 1
    vector: Vector | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Rejected:
    """A question that was dropped, or (empty) an answer without a usable one; and why.

    `detail` is a sentence: the check's reason, the question that stands there already.
    """

    question: str
    fault: Fault
    detail: str = ""
    attempt: int = 1
    checked: Checked = field(default_factory=Checked)
