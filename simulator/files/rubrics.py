"""A rubric's file: what the judge is asked, aspect by aspect."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from pydantic import Field

from simulator.core.errors import Complaint, InputError
from simulator.core.health import (
    OWN_WORDS,
    SEEN,
    YES_NO,
    Aspect,
    Example,
    Labels,
    RightIf,
    Rubric,
    Said,
    Scale,
    Scope,
    Seen,
)
from simulator.files.scales import RIGHT_SCALE, answer_on, number_of, read_scale, right_answers
from simulator.formats.fields import Name, Text, Written, YesNo
from simulator.formats.sources import Complaints, Source, hint, sha_of, shown
from simulator.formats.validation import validate
from simulator.formats.yaml.reading import Loc, Marked, parse_yaml
from simulator.formats.yaml.scalars import EMPTY

# An aspect's name is a key of the JSON that the judge writes.
_METRIC = "^[a-z][a-z0-9_]*$"
# A whole conversation has no last question, no one answer and no one set of documents.
_OF_TURNS = frozenset({"documents", "question", "answer"})


class AspectEntry(Written):
    """One question to the judge."""

    name: Name = Field(pattern=_METRIC, description="small letters, digits and _, a letter first")
    title: Text = Field(description="its name for people")
    question: Text = Field(description="what the judge is asked")
    scale: Any = Field(description=RIGHT_SCALE)  # see scales.py
    anchors: dict[str, Text] = Field({}, description="what each answer means, such as 1: useless")
    low_is_good: YesNo = False
    right_if: RightIf | None = None


class ExampleEntry(Written):
    """A worked example; its parts are those that the rubric sees."""

    persona: Text | None = None
    goal: Text | None = None
    documents: Text | None = None
    talk: Text | None = None
    question: Text | None = None
    answer: Text | None = None
    expected_answer: Text | None = None
    expected_elements: Text | None = None
    comment: Text = Field(description="what a good judge would say of it")
    rating: Any = Field(None, description="the answer, where the rubric has one aspect")
    ratings: dict[str, Any] = Field(
        {}, description="aspects and their answers, such as {overall: 2}"
    )
    not_applicable: YesNo = False


class RubricEntry(Written):
    """A rubric as people write it."""

    id: Name = Field(description="the name of the file, without .yaml")
    title: Text = Field(description="its name for people")
    scope: Scope = "turn"
    sees: tuple[Seen, ...] = Field(
        strict=False, min_length=1, description="a list such as [question, answer]"
    )
    needs: tuple[Literal["documents"], ...] = Field(
        (), strict=False, description="the list [documents]"
    )
    may_not_apply: Text | None = Field(
        None, description='when it does not apply, such as "the user only greets"'
    )
    instruction: Text = Field(description="how the judge is to proceed")
    aspects: tuple[AspectEntry, ...] = Field(
        strict=False, min_length=1, description="a list of at least one aspect"
    )
    examples: tuple[ExampleEntry, ...] = Field((), strict=False, description="a list of examples")


def load_rubric(source: Source, computed: Mapping[str, str] | None = None) -> Rubric:
    """The rubric of one file; its `id` has to be the file's name.

    Args:
        source: The file.
        computed: Metrics that are computed, and the plugins that yield them: names that neither
            the rubric nor an aspect can have.

    Raises:
        InputError: every complaint about the file at once.
    """
    text = source.text()
    marked = parse_yaml(text, source)
    read = _Parts(marked, computed or {})
    complaints = Complaints([*_misnamed(marked, computed or {}), *read.complaints])
    entry = complaints.attempt(validate, RubricEntry, marked)
    if entry is not None:
        complaints += _ill_seen(entry, marked)
    if entry is None or complaints:
        raise InputError(*sorted(set(complaints)))
    return entry.to(
        Rubric,
        aspects=tuple(
            e.to(
                Aspect,
                scale=read.scales[n],
                anchors={answer: e.anchors[key] for answer, key in read.anchors[n].items()},
            )
            for n, e in enumerate(entry.aspects)
        ),
        sha=sha_of(text),
        may_not_apply=entry.may_not_apply or "",
        examples=tuple(
            Example({part: getattr(e, part) for part in read.parts[n]}, e.comment, read.answers[n])
            for n, e in enumerate(entry.examples)
        ),
        path=source.name,
    )


def _misnamed(marked: Marked, computed: Mapping[str, str]) -> Iterator[Complaint]:
    stem = marked.source.path.stem
    written = marked.data.get("id") if isinstance(marked.data, dict) else None
    if isinstance(written, str) and written.strip() != stem:
        yield marked.complaint(
            ("id",), f"the id {shown(written)} is not the name of the file; write {stem}"
        )
    elif stem in computed:
        yield marked.complaint(
            ("id",), f'"{stem}" is the name of a computed metric; rename the file and its id'
        )


def _ill_seen(entry: RubricEntry, marked: Marked) -> Iterator[Complaint]:
    """`sees`, `needs`, `scope` and `right_if` against each other."""
    for index, name in enumerate(entry.sees):
        if entry.scope == "talk" and name in _OF_TURNS:
            yield marked.complaint(
                ("sees", index),
                f'sees: "{name}" covers one turn, but scope is talk; write talk, which has '
                "all turns",
            )
    for index, name in enumerate(entry.needs):
        if name not in entry.sees:
            yield marked.complaint(("needs", index), f'needs: "{name}" is missing in sees; add it')
    for index, aspect in enumerate(entry.aspects):
        if entry.scope == "talk" and aspect.right_if:
            yield marked.complaint(
                ("aspects", index, "right_if"),
                "right_if is about one answer, but scope is talk; remove one of the two",
            )


class _Parts:
    """The aspects and examples of a file, as far as their keys fit one another.

    They are looked at as they were written, so that one wrong key does not hide the others. Names
    of aspects have their places in the file; all else is found by that place: scales, anchors
    (with their keys), the parts of the evidence that an example shows, its answer to each aspect.
    """

    def __init__(self, marked: Marked, computed: Mapping[str, str]) -> None:
        self.complaints: list[Complaint] = []
        self.scales: dict[int, Scale] = {}
        self.anchors: dict[int, dict[Said, str]] = {}
        self.parts: dict[int, tuple[str, ...]] = {}
        self.answers: dict[int, dict[str, Said]] = {}
        self._names: dict[str, int] = {}
        self._marked = marked
        self._computed = computed
        data = marked.data if isinstance(marked.data, dict) else {}
        sees = data.get("sees")
        self._sees = [part for part in sees if part in SEEN] if isinstance(sees, list) else []
        for index, entry in _mappings(data.get("aspects")):
            self._aspect(index, entry)
        for index, entry in _mappings(data.get("examples")):
            self._example(index, entry)

    def _complain(self, loc: Loc, message: str) -> None:
        self.complaints.append(self._marked.complaint(loc, message))

    def _aspect(self, index: int, entry: Mapping[str, Any]) -> None:
        here: Loc = ("aspects", index)
        if isinstance(name := entry.get("name"), str):
            self._name(name, index)
        if (written := entry.get("scale", EMPTY)) is EMPTY:
            return
        scale = read_scale(written, lambda at, why: self._complain((*here, "scale", *at), why))
        if scale is not None:
            self.scales[index] = scale
            self._anchors(entry.get("anchors"), scale, index)
            self._direction(entry, scale, here)

    def _name(self, name: str, index: int) -> None:
        here: Loc = ("aspects", index, "name")
        if name in self._names:
            line = self._marked.line(("aspects", self._names[name], "name"))
            self._complain(
                here, f'the aspect "{name}" is already on line {line}; give it another name'
            )
        elif name in OWN_WORDS:
            self._complain(here, f'"{name}" is reserved for the judge\'s comments; rename it')
        elif name in self._computed:
            self._complain(
                here,
                f'"{name}" is computed by the metric {self._computed[name]}; rename the aspect',
            )
        self._names.setdefault(name, index)

    def _anchors(self, written: Any, scale: Scale, index: int) -> None:
        known = self.anchors[index] = {}
        for key in written if isinstance(written, dict) else ():
            answer = answer_on(scale, key if isinstance(scale, Labels) else number_of(key))
            if answer is None:
                self._complain(
                    ("aspects", index, "anchors", key),
                    f"anchors: {key} is not on the scale; write {right_answers(scale, 'ratings')}",
                )
            else:
                known[answer] = key

    def _direction(self, entry: Mapping[str, Any], scale: Scale, here: Loc) -> None:
        low, right = entry.get("low_is_good") is True, _is_given(entry, "right_if")
        if low and isinstance(scale, Labels) and scale != YES_NO:
            self._complain(
                (*here, "low_is_good"),
                "low_is_good: labels have their own values; give the high value to what's good",
            )
        if right and scale != YES_NO:
            self._complain((*here, "right_if"), "right_if: the scale is different; write yes/no")
        elif right and low:
            self._complain((*here, "low_is_good"), "low_is_good: right_if decides that; remove it")

    def _example(self, index: int, entry: Mapping[str, Any]) -> None:
        here: Loc = ("examples", index)
        self.parts[index] = tuple(part for part in SEEN if _is_given(entry, part))
        self.answers[index] = {}
        self._shown(self.parts[index], here)
        if entry.get("not_applicable") is True:
            self._not_applicable(entry, here)
        else:
            self._ratings(entry, index)

    def _shown(self, parts: tuple[str, ...], here: Loc) -> None:
        for part in parts:
            if self._sees and part not in self._sees:
                self._complain(
                    (*here, part),
                    f"an example has \"{part}\", which isn't in the rubric's sees; "
                    f"{hint(part, self._sees)}",
                )
        if not parts:
            self._complain(
                here, f"an example is empty; write {' and '.join(self._sees) or 'answer'}"
            )

    def _not_applicable(self, entry: Mapping[str, Any], here: Loc) -> None:
        if _is_given(entry, "rating") or entry.get("ratings"):
            self._complain(here, "an example that doesn't apply can't have ratings; remove them")
        if not _is_given(self._marked.data, "may_not_apply"):
            self._complain(
                (*here, "not_applicable"),
                "the rubric always applies; add may_not_apply: and when it doesn't apply",
            )

    def _ratings(self, entry: Mapping[str, Any], index: int) -> None:
        here: Loc = ("examples", index)
        names = list(self._names)
        ratings = entry.get("ratings")
        many = ratings if isinstance(ratings, dict) else {}
        if (one := entry.get("rating", EMPTY)) is not EMPTY:
            if many or len(names) != 1:
                self._complain(
                    (*here, "rating"),
                    "rating: is only for rubrics with one aspect; write only ratings: {aspect: …}",
                )
            else:
                self._answer(names[0], one, (*here, "rating"), index)
            return
        for name, value in many.items():
            self._answer(name, value, (*here, "ratings", name), index)
        if lacking := [name for name in names if name not in many]:
            right = "rating: …" if len(names) == 1 else f"ratings: {{{lacking[0]}: …}}"
            self._complain(here, f"an example lacks {', '.join(lacking)}; write {right}")

    def _answer(self, name: str, value: Any, at: Loc, index: int) -> None:
        if name not in self._names:
            self._complain(at, f"ratings: no aspect {shown(name)}; {hint(name, self._names)}")
            return
        scale = self.scales.get(self._names[name])
        if scale is None:
            return  # what is wrong with it was complained of where it stands
        answer = answer_on(scale, value)
        if answer is None:
            problem = "is empty" if value is EMPTY else f"{shown(value)} is not on the scale"
            self._complain(at, f"ratings.{name}: {problem}; write {right_answers(scale)}")
        else:
            self.answers[index][name] = answer


def _mappings(written: Any) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The mappings in a list, with their places in it."""
    for index, entry in enumerate(written if isinstance(written, list) else []):
        if isinstance(entry, dict):
            yield index, entry


def _is_given(entry: Mapping[str, Any], key: str) -> bool:
    """Whether a key stands there with something behind it."""
    return entry.get(key) not in (None, EMPTY)
