"""A rubric's file: what the judge is asked, aspect by aspect."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from simulator.core.errors import Complaint, raise_all
from simulator.core.rubric import Aspect, Rubric
from simulator.files.border import validate
from simulator.files.fields import Name, Text, Written
from simulator.files.sources import Source, sha_of
from simulator.files.yaml_marks import Loc, Marked, parse_yaml

Sees = Literal[
    "persona",
    "goal",
    "documents",
    "talk",
    "question",
    "answer",
    "expected_answer",
    "expected_elements",
]
# An aspect's name is a key of the JSON that the judge writes.
_METRIC = "^[a-z][a-z0-9_]*$"


class ScaleEntry(Written):
    """The lowest and the highest rating."""

    low: Annotated[int, Field(ge=0, description="the lowest rating, a whole number, 0 or more")]
    high: Annotated[int, Field(ge=1, description="the highest rating, a whole number")]


class AspectEntry(Written):
    """One question to the judge."""

    name: Annotated[
        Name, Field(pattern=_METRIC, description="small letters, digits and _, a letter first")
    ]
    title: Annotated[Text, Field(description="its name for people")]
    question: Annotated[Text, Field(description="what the judge is asked")]
    scale: Annotated[ScaleEntry, Field(description="{low: 1, high: 5}")]
    anchors: Annotated[
        dict[Annotated[int, Field(strict=False)], Text],
        Field(description="what each rating means, such as 1: useless"),
    ] = Field(default_factory=dict)


class RubricEntry(Written):
    """A rubric as people write it."""

    id: Annotated[Name, Field(description="the name of the file, without .yaml")]
    title: Annotated[Text, Field(description="its name for people")]
    sees: Annotated[
        tuple[Sees, ...],
        Field(strict=False, min_length=1, description="a list such as [question, answer]"),
    ]
    instruction: Annotated[Text, Field(description="how the judge is to proceed")]
    aspects: Annotated[
        tuple[AspectEntry, ...],
        Field(strict=False, min_length=1, description="a list of at least one aspect"),
    ]


def load_rubric(source: Source) -> Rubric:
    """The rubric of one file; its `id` has to be the file's name.

    Raises:
        InputError: every complaint about the file at once.
    """
    text = source.text()
    marked = parse_yaml(text, source)
    entry = validate(RubricEntry, marked)
    raise_all([*_misnamed(entry, marked), *_wrong_aspects(entry, marked)])
    return Rubric(
        id=entry.id,
        title=entry.title,
        sees=entry.sees,
        instruction=entry.instruction,
        aspects=tuple(_aspect(a) for a in entry.aspects),
        sha=sha_of(text),
    )


def _aspect(entry: AspectEntry) -> Aspect:
    low, high = entry.scale.low, entry.scale.high
    return Aspect(entry.name, entry.title, entry.question, low, high, dict(entry.anchors))


def _misnamed(entry: RubricEntry, marked: Marked) -> Iterator[Complaint]:
    stem = marked.source.path.stem
    if entry.id != stem:
        yield marked.complaint(
            ("id",), f'the id "{entry.id}" is not the name of the file; write {stem}'
        )


def _wrong_aspects(entry: RubricEntry, marked: Marked) -> Iterator[Complaint]:
    lines: dict[str, int] = {}
    for index, aspect in enumerate(entry.aspects):
        here: Loc = ("aspects", index)
        low, high = aspect.scale.low, aspect.scale.high
        if aspect.name in lines:
            yield marked.complaint(
                (*here, "name"),
                f'the aspect "{aspect.name}" stands on line {lines[aspect.name]} already; '
                "give it another name",
            )
        lines.setdefault(aspect.name, marked.line((*here, "name")))
        if low >= high:
            yield marked.complaint(
                (*here, "scale"), f"scale: {low} is not below {high}; write low, then high"
            )
        for rating in aspect.anchors:
            if not low <= rating <= high:
                yield marked.complaint(
                    (*here, "anchors", str(rating)),
                    f"anchors: {rating} is not on the scale; write ratings from {low} to {high}",
                )
