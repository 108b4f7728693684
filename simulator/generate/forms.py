"""Questions and what may be wrong with them, the forms in which a model says both, and its lists.

Endpoints that are held to no schema answer in bullets, in a list parted by commas, or in JSON of
another form than was asked for: marks, numbers and labels are taken off.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from pydantic import Field

from simulator.core.clean import clean
from simulator.core.persona import Language
from simulator.generate.facts import Draft, Facts
from simulator.generate.units import Method
from simulator.llm.structured import CleanText, FormModel, after_reasoning
from simulator.text.acts import is_refusal, only_refuses
from simulator.text.phrases import phrases


class QuestionFault(StrEnum):
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
UNUSABLE = frozenset(
    {
        QuestionFault.UNCHECKED,
        QuestionFault.UNREADABLE,
        QuestionFault.REFUSED,
        QuestionFault.REJECTED,
    }
)


@dataclass(frozen=True, slots=True)
class CheckCounts:
    """How many checks of one question were usable, and how many of those found a fault."""

    usable: int = 0
    faulty: int = 0


@dataclass(frozen=True, slots=True)
class Candidate:
    """A question that nothing is known against so far."""

    question: str
    facts: Facts = field(default_factory=Facts)
    checked: CheckCounts = field(default_factory=CheckCounts)
    attempt: int = 1


@dataclass(frozen=True, slots=True)
class Rejected:
    """A question that was dropped, or (empty) an answer without a usable one; and why.

    `detail` is a sentence: the check's reason, the question that stands there already.
    """

    question: str
    fault: QuestionFault
    detail: str = ""
    attempt: int = 1
    checked: CheckCounts = field(default_factory=CheckCounts)


class Drafts(FormModel):
    """What is written for all methods but one."""

    questions: list[Draft]


class Lack(FormModel):
    """A question that the FAQ does not answer, and what it would have to say."""

    question: CleanText
    lacking: CleanText = ""


class Lacks(FormModel):
    """What is written where the FAQ is to hold no answer."""

    questions: list[Lack]


class CheckFinding(FormModel):
    """What one check says of one question; the reason comes before the verdicts."""

    number: int
    reason: CleanText = ""
    viewpoint: bool

    def faults(self) -> list[QuestionFault]:
        """The faults that it finds, the worst first."""
        return [fault for fault in QuestionFault if getattr(self, fault.value, False) is True]


class OfOne(CheckFinding):
    """Of a question about one entry; `wrong` are the numbers of its facts and near misses."""

    inconsistency: bool
    wrong: list[int] = Field(default_factory=list)


class OfTwo(OfOne):
    """Of a question about two entries."""

    one_entry: bool


class OfNone(CheckFinding):
    """Of a question that no entry is to answer."""

    answered: bool


class OneCheck(FormModel):
    """A check of questions about one entry each."""

    questions: list[OfOne]


class TwoCheck(FormModel):
    """A check of questions about two entries."""

    questions: list[OfTwo]


class NoneCheck(FormModel):
    """A check of questions that no entry is to answer."""

    questions: list[OfNone]


QuestionCheck = OneCheck | TwoCheck | NoneCheck


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


_pattern = phrases("generate/lists").pattern
_QUOTES = ("「」", "『』", '""', "“”", "''", "‘’", "``")
_TEXTS = ("question", "query", "text", "質問", "q")
_LONGEST_LINE = 2_000


def questions_in(text: str, wanted: int, language: Language) -> list[str]:
    """The questions that an answer lists, cleaned, each once; empty where it is no list.

    JSON of any form that holds texts; else the lines with a mark, or all lines but headings; else
    one line that is cut at its numbers, quotation marks or commas. Commas part questions where
    they follow a final mark; in Japanese everywhere, in English where they make as many as were
    `wanted` or more; 、 only where it makes just as many. Answers given with the questions are
    passed over; a refusal is no question.
    """
    text = after_reasoning(clean(text)).strip()
    stripped = (line.strip() for line in text.split("\n"))
    lines = [line for line in stripped if not _pattern("rule").fullmatch(line)]
    if not lines or (is_refusal(text, language) and only_refuses(text, language)):
        return []
    bare = "\n".join(lines)
    if bare[0] in "[{":
        items = list(_of_json(bare))
    elif len(lines) == 1:
        items = _of_line(lines[0], wanted, language)
    else:
        items = _of_lines([line[:_LONGEST_LINE] for line in lines])
    questions = (without_marks(item) for item in items)
    return list(dict.fromkeys(q for q in questions if any(c.isalnum() for c in q)))


def without_marks(item: str) -> str:
    """One item of a list without its mark, number, label and quotation marks; idempotent.

    `1.`, `質問1:`, `FAQ:`, `-`, `Q.` and `Q1.` go, one after the other (`- 質問1: …`); 1.5GB and
    10:00 are no numbers of a list.
    """
    before = None
    while item != before:
        before = item
        item = item.replace("**", "").strip().rstrip(",，、;；").strip()
        mark = _leading().match(item)
        item = _unquoted(item[mark.end() :] if mark else item)
    return item


def _leading() -> re.Pattern[str]:
    return _pattern("leading", re.IGNORECASE)


def _unquoted(text: str) -> str:
    for pair in _QUOTES:
        inner = text[1:-1]
        if len(text) > 2 and text[0] == pair[0] and text[-1] == pair[1]:
            return text if pair[0] in inner or pair[1] in inner else inner.strip()
    return text


def _of_json(text: str) -> Iterator[str]:
    """The texts of a JSON value; nothing of one that is broken off."""
    try:
        data = json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return
    if isinstance(data, dict):
        data = next((value for value in data.values() if isinstance(value, list)), [])
    for item in data if isinstance(data, list) else []:
        content = _text_of(item) if isinstance(item, dict) else item
        if isinstance(content, str):
            yield " ".join(clean(content).split())


def _text_of(item: Mapping[str, object]) -> object:
    known = {key.casefold(): value for key, value in item.items()}
    return next((known[name] for name in _TEXTS if name in known), None)


def _of_lines(lines: list[str]) -> list[str]:
    answer = _pattern("answer", re.IGNORECASE)
    question_lines = [line for line in lines if not answer.match(line)]
    marked = [line for line in question_lines if _leading().match(line.replace("**", ""))]
    return marked or [line for line in question_lines if line[-1] not in ":："]


def _of_line(line: str, wanted: int, language: Language) -> list[str]:
    if len(line) > _LONGEST_LINE:
        return []
    numbered = [part for part in _pattern("inline").split(line) if part.strip()]
    if len(numbered) > 1:
        return [part for part in numbered if _leading().match(part)] or numbered
    return _quoted(line) or _parted(line, wanted, language)


def _quoted(line: str) -> list[str]:
    """The questions in quotation marks, where nothing else stands between these."""
    quoted = _pattern("quoted")
    questions = [next(filter(None, groups)) for groups in quoted.findall(line)]
    alone = _pattern("between_quotes").fullmatch(quoted.sub("", line))
    return questions if len(questions) > 1 and alone else []


def _parted(line: str, wanted: int, language: Language) -> list[str]:
    by_marks = _pattern("after_a_mark").split(line)
    if len(by_marks) > 1:
        return by_marks
    parts = [part for part in _pattern("comma").split(line) if part.strip()]
    if len(parts) > 1 and (language == "ja" or len(parts) >= wanted > 1):
        return parts
    parts = [part for part in line.split("、") if part.strip()]
    return parts if len(parts) == wanted else [line]
