"""The forms in which a model writes questions, and in which it checks them."""

from typing import Annotated

from pydantic import Field

from simulator.generate.faults import Fault
from simulator.generate.units import Method
from simulator.llm.structured import Answer, Text


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
