"""A client's scenarios, from a yaml, csv, xlsx or json file."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from simulator.core.bounds import MAX_EXPECTED, MAX_UTTERANCE, MAX_WAYS
from simulator.core.errors import Complaint, InputError, raise_all
from simulator.core.scenario import Approval, Expected, Quote, Scenario
from simulator.files.scenarios.expected import read_entries, scenarios_file
from simulator.formats.fields import (
    Answers,
    AnyText,
    Elements,
    Name,
    Names,
    Text,
    Texts,
    Written,
    YesNo,
)
from simulator.formats.sources import Complaints, Source, hint, inside, shown
from simulator.formats.validation import validate
from simulator.formats.yaml.reading import Loc, Marked
from simulator.formats.yaml.scalars import spelling

_TEXTS: tuple[Loc, ...] = (
    ("known",),
    ("unknown",),
    ("turns",),
    ("expected", "elements"),
    ("expected", "must_not"),
)
_NAMED = {
    ("personas",): "the client has no persona",
    ("expected", "documents"): "the knowledge has no document",
}
SAMPLES = frozenset({("shipping-fee", "faq-001"), ("return-used-pen", "faq-003")})
"""Scenarios that `mogi init` writes, with the documents that they expect."""
_SAMPLE = "; this scenario is a sample of mogi init: delete the samples once the knowledge is yours"
_BEFORE_COMMA = re.compile(r"(?<!\d)\d{1,3}$")
_AFTER_COMMA = re.compile(r"\d{3}(?!\d)")


_APPROVALS = {"true": Approval.CONFIRMED, "false": Approval.OPEN, "bulk": Approval.BULK}


Approved = Annotated[
    Literal["true", "false", "bulk"],
    BeforeValidator(lambda value: str(value).lower() if isinstance(value, bool) else value),
]


class QuoteEntry(Written):
    """The words of a document that support what is expected."""

    document: Text = Field(description="the id of the document")
    text: Text = Field(description="its words")


Quotes = Annotated[
    tuple[QuoteEntry, ...],
    Field(strict=False, description='a list, such as [{document: faq-001, text: "its words"}]'),
]


class ExpectedEntry(Written):
    """What a right answer looks like, as people write it."""

    answer: Answers = ()
    elements: Elements = ()
    must_not: Texts = ()
    documents: Texts = ()  # not names: passages of a folder have the paths of their files in theirs
    answerable: YesNo | None = None
    escalate: YesNo = False
    quotes: Quotes = ()
    approved: Approved = "true"


class ScenarioEntry(Written):
    """A scenario as people write it."""

    id: Name = Field(description="a short, unique name, such as login-fails")
    query: Text = Field(description="what the user asks first")
    goal: AnyText = ""
    known: Texts = ()
    unknown: Texts = ()
    turns: Texts = ()
    expected: ExpectedEntry = Field(
        ExpectedEntry(), description="answer, elements, must_not, documents, answerable or escalate"
    )
    personas: Names = ()
    tags: Names = ()


@dataclass(frozen=True, slots=True)
class Known:
    """The names that scenarios may use; None: not at hand, so nothing is checked.

    `personas` are the client's; `documents` what the entries of its knowledge base may be called,
    with their ids.
    """

    personas: AbstractSet[str] | None = None
    documents: Mapping[str, str] | None = None


def load_scenarios(
    folder: Path,
    known: Known | None = None,
    *,
    file: Path | None = None,
    worksheet: str | None = None,
    cwd: Path | None = None,
    notes: list[Complaint] | None = None,
) -> dict[str, Scenario]:
    """The scenarios of the client in `folder`, by id, in the file's order.

    `file` None means the one of `NAMES` that is in the folder; `worksheet` names one of a
    workbook's, None the first. Complaints name files relative to `cwd` (None: the real one).
    What is not wrong, but may not be what was meant, is added to `notes`.

    Raises:
        InputError: no scenarios file or several; every complaint about it at once.
    """
    path = file or scenarios_file(folder, cwd)
    marked = read_entries(Source.of(path, cwd, inside(folder, cwd)), worksheet)
    if not isinstance(marked.data, list):
        no_list = marked.complaint((), 'this must be a list; begin each scenario with "- id: …"')
        raise InputError(*marked.complaints, no_list)
    if not marked.data:
        raise marked.source.error(0, "there are no scenarios; add at least one")
    if notes is not None:
        notes += marked.notes
    return _Checker(marked, known or Known()).scenarios()


class _Checker:
    """Makes scenarios of the entries of one file and gathers what is wrong with them."""

    def __init__(self, marked: Marked, known: Known) -> None:
        self._marked = marked
        self._known = known
        self._complaints = Complaints(marked.complaints)
        self._lines: dict[str, int] = {}
        self._hints: dict[tuple[str, str], str] = {}
        self._told: set[str] = set()

    def scenarios(self) -> dict[str, Scenario]:
        """Every scenario; raises every complaint at once."""
        scenarios = {}
        for index, data in enumerate(self._marked.data):
            self._complaints += self._twice(index, data)
            if self._marked.mark.children[index].children:  # a table has no commas to split at
                for path in (*_TEXTS, *_alternatives(data)):
                    self._complaints += _split_numbers(self._marked, (index, *path))
            entry = self._complaints.attempt(validate, ScenarioEntry, self._marked, (index,))
            if entry is None:
                self._complaints += self._unknown(index, *(_names(data, path) for path in _NAMED))
                continue
            self._complaints += self._unknown(index, entry.personas, entry.expected.documents)
            self._complaints += self._contrary(index, entry)
            self._complaints += self._too_long(index, entry)
            self._complaints += self._too_much(index, entry.expected)
            expected = _expected(entry.expected)
            if known := self._known.documents:
                ids = tuple(known.get(name, name) for name in expected.documents)
                expected = replace(expected, documents=ids)
            scenarios[entry.id] = entry.to(Scenario, expected=expected)
        raise_all(self._complaints)
        return scenarios

    def _twice(self, index: int, data: Any) -> Iterator[Complaint]:
        name = data.get("id") if isinstance(data, dict) else None
        if not isinstance(name, str | int | float):
            return
        name = name if isinstance(name, str) else spelling(name)
        line = self._marked.line((index, "id"))
        if name in self._lines:
            first = self._marked.source.where(self._lines[name])
            yield self._marked.complaint(
                (index, "id"), f"the ID {shown(name)} is already {first}; IDs must be unique"
            )
        self._lines.setdefault(name, line)

    def _contrary(self, index: int, entry: ScenarioEntry) -> Iterator[Complaint]:
        expected = entry.expected
        if expected.answerable is False and expected.elements:
            elements, answerable = (
                self._marked.names.get(key, key)
                for key in ("expected.elements", "expected.answerable")
            )
            yield self._marked.complaint(
                (index, "expected", "elements"),
                f"{elements}: the question can't be answered ({answerable}), so no answer can "
                "contain these; remove one of the two (put what a refusal must say in the "
                "guidelines)",
            )

    def _too_long(self, index: int, entry: ScenarioEntry) -> Iterator[Complaint]:
        """Complaints about what is longer than a user says, and is worked out of."""
        said = {"known": entry.known, "unknown": entry.unknown, "turns": entry.turns}
        for key, texts in {"query": (entry.query,), "goal": (entry.goal,), **said}.items():
            if (most := max(map(len, texts), default=0)) > MAX_UTTERANCE:
                problem = f"{key}: a text of {most:,} characters; the maximum is {MAX_UTTERANCE:,}"
                yield self._marked.complaint((index, key), f"{problem}; write what a user says")

    def _too_much(self, index: int, expected: ExpectedEntry) -> Iterator[Complaint]:
        """Complaints about what is longer than is held against a reply, or judged."""
        ways = tuple(way for element in expected.elements for way in element)
        for key, texts, right in (
            (
                "answer",
                expected.answer,
                "write what the answer must say as elements",
            ),
            ("elements", ways, "write what the answer must say, in a sentence or a few words"),
            ("must_not", expected.must_not, "write what would be wrong in a sentence"),
        ):
            name = self._marked.names.get(f"expected.{key}", f"expected.{key}")
            if (most := max(map(len, texts), default=0)) > MAX_EXPECTED:
                problem = f"{name}: a text of {most:,} characters; the maximum is {MAX_EXPECTED:,}"
                yield self._marked.complaint((index, "expected", key), f"{problem}; {right}")
            if len(texts) > MAX_WAYS:
                problem = f"{name}: {len(texts):,} texts; the maximum is {MAX_WAYS:,}"
                problem += "; split it into several scenarios"
                yield self._marked.complaint((index, "expected", key), problem)

    def _unknown(self, index: int, *named: Sequence[str]) -> Iterator[Complaint]:
        """A complaint about each persona and each document that stands for nothing."""
        kinds = zip(
            _NAMED.items(), named, (self._known.personas, self._known.documents), strict=True
        )
        for (path, what), names, known in kinds:
            for number, name in enumerate(names):
                if known is None or name in known:
                    continue
                own_id = self._marked.data[index].get("id")
                is_sample = any(sample == (own_id, name) for sample in SAMPLES)
                problem = f"{what} {shown(name)}"
                problem += _SAMPLE if is_sample else self._hint(what, name, known)
                yield self._marked.complaint((index, *path, number), problem)

    def _hint(self, what: str, name: str, known: Collection[str]) -> str:
        """What would be right; what there is, where no name is near, is told once."""
        if (what, name) not in self._hints:
            names = known.values() if isinstance(known, Mapping) else known
            self._hints[what, name] = hint(name, sorted(set(names)))
        advice = self._hints[what, name]
        if not advice.startswith("did you mean"):
            if what in self._told:
                return ""
            self._told.add(what)
        return f"; {advice}"


def _expected(entry: ExpectedEntry) -> Expected:
    quotes = tuple(quote.to(Quote) for quote in entry.quotes)
    return entry.to(
        Expected, answers=entry.answer, quotes=quotes, approved=_APPROVALS[entry.approved]
    )


def _alternatives(data: Any) -> Iterator[Loc]:
    """The places of elements that have several, as far as they are lists."""
    expected = data.get("expected") if isinstance(data, dict) else None
    elements = expected.get("elements") if isinstance(expected, dict) else None
    for at, element in enumerate(elements if isinstance(elements, list) else ()):
        if isinstance(element, list):
            yield "expected", "elements", at


def _names(data: Any, path: Sequence[str]) -> Sequence[str]:
    """The names at a place of an entry that is wrong elsewhere; none where these are no list."""
    for step in path:
        data = data.get(step) if isinstance(data, dict) else None
    is_list = isinstance(data, list) and all(isinstance(name, str) for name in data)
    return data if is_list and data else ()


def _split_numbers(marked: Marked, at: Loc) -> Iterator[Complaint]:
    """A complaint for each number of a list in brackets whose comma YAML took for its own."""
    data, mark = marked.data, marked.mark
    for step in at:
        if step not in mark.children:  # left out, or the file is no YAML
            return
        data, mark = data[step], mark.children[step]
    last = None
    for number in mark.glued:
        first, second = _word(data[number - 1]), _word(data[number])
        if not (_BEFORE_COMMA.search(first) and _AFTER_COMMA.match(second)):
            continue
        if last != number - 1:  # 1,480,000 is one number
            yield marked.complaint(
                (*at, number - 1),
                f"{shown(first)} and {shown(second)} look like one number split at its comma; "
                "put quotes around the text",
            )
        last = number


def _word(value: Any) -> str:
    """What stands there without quotes, as far as a number may be part of it."""
    if isinstance(value, int | float):
        return spelling(value)
    return value if isinstance(value, str) else ""
