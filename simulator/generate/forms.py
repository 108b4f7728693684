"""Questions and what may be wrong with them, and the forms in which a model says both."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from simulator.core.ports import Vector
from simulator.generate.units import Method
from simulator.llm.structured import Answer, Text


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


class Draft(Answer):
    """A question, and the phrases that a right answer to it has to hold."""

    question: Text
    elements: Annotated[list[Text], Field(default_factory=list)]


class Drafts(Answer):
    """What is written for all methods but one."""

    questions: list[Draft]


class Lack(Answer):
    """A question that the FAQ does not answer, and what it would have to say."""

    question: Text
    lacking: Text = ""


class Lacks(Answer):
    """What is written where the FAQ is to hold no answer."""

    questions: list[Lack]


class Finding(Answer):
    """What one check says of one question; the reason comes before the verdicts."""

    number: int
    reason: Text = ""
    viewpoint: bool

    def faults(self) -> list[Fault]:
        """The faults that it finds, the worst first."""
        return [fault for fault in Fault if getattr(self, fault.value, False) is True]


class OfOne(Finding):
    """Of a question about one entry."""

    inconsistency: bool


class OfTwo(OfOne):
    """Of a question about two entries."""

    one_entry: bool


class OfNone(Finding):
    """Of a question that no entry is to answer."""

    answered: bool


class OneCheck(Answer):
    """A check of questions about one entry each."""

    questions: list[OfOne]


class TwoCheck(Answer):
    """A check of questions about two entries."""

    questions: list[OfTwo]


class NoneCheck(Answer):
    """A check of questions that no entry is to answer."""

    questions: list[OfNone]


Check = OneCheck | TwoCheck | NoneCheck


def draft_form(method: Method) -> type[Drafts] | type[Lacks]:
    """The form in which questions of a method are written."""
    return Lacks if method is Method.UNANSWERABLE else Drafts


def check_form(method: Method) -> type[OneCheck] | type[TwoCheck] | type[NoneCheck]:
    """The form in which questions of a method are checked."""
    special: dict[Method, type[TwoCheck] | type[NoneCheck]] = {
        Method.TWO_ENTRIES: TwoCheck,
        Method.UNANSWERABLE: NoneCheck,
    }
    return special.get(method, OneCheck)
