"""A rubric's file: what the judge is asked, aspect by aspect."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from simulator.core.errors import Complaint, raise_all
from simulator.core.rubric import Aspect, Example, RightIf, Rubric, Scope, Seen
from simulator.files.border import complaints_of
from simulator.files.fields import Name, Text, Written, YesNo
from simulator.files.hints import shown
from simulator.files.rubric_aspects import ReadAspects, read_aspects
from simulator.files.rubric_examples import ReadExamples, read_examples
from simulator.files.scales import RIGHT_SCALE
from simulator.files.sources import Source, sha_of
from simulator.files.yaml_marks import Marked, parse_yaml

# An aspect's name is a key of the JSON that the judge writes.
_METRIC = "^[a-z][a-z0-9_]*$"
# A whole conversation has no last question, no one answer and no one set of documents.
_OF_TURNS = frozenset({"documents", "question", "answer"})


class AspectEntry(Written):
    """One question to the judge."""

    name: Annotated[
        Name, Field(pattern=_METRIC, description="small letters, digits and _, a letter first")
    ]
    title: Annotated[Text, Field(description="its name for people")]
    question: Annotated[Text, Field(description="what the judge is asked")]
    scale: Annotated[Any, Field(description=RIGHT_SCALE)]  # see scales.py
    anchors: Annotated[
        dict[str, Text], Field(description="what each answer means, such as 1: useless")
    ] = Field(default_factory=dict)
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
    comment: Annotated[Text, Field(description="what a good judge would say of it")]
    rating: Annotated[Any, Field(description="the answer, where the rubric has one aspect")] = None
    ratings: Annotated[
        dict[str, Any], Field(description="aspects and their answers, such as {overall: 2}")
    ] = Field(default_factory=dict)
    not_applicable: YesNo = False


class RubricEntry(Written):
    """A rubric as people write it."""

    id: Annotated[Name, Field(description="the name of the file, without .yaml")]
    title: Annotated[Text, Field(description="its name for people")]
    scope: Scope = "turn"
    sees: Annotated[
        tuple[Seen, ...],
        Field(strict=False, min_length=1, description="a list such as [question, answer]"),
    ]
    needs: Annotated[
        tuple[Literal["documents"], ...], Field(strict=False, description="the list [documents]")
    ] = ()
    may_not_apply: (
        Annotated[Text, Field(description='when it does not apply, such as "the user only greets"')]
        | None
    ) = None
    instruction: Annotated[Text, Field(description="how the judge is to proceed")]
    aspects: Annotated[
        tuple[AspectEntry, ...],
        Field(strict=False, min_length=1, description="a list of at least one aspect"),
    ]
    examples: Annotated[
        tuple[ExampleEntry, ...], Field(strict=False, description="a list of examples")
    ] = ()


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
    aspects = read_aspects(marked, computed or {})
    examples = read_examples(marked, aspects)
    complaints = [*_misnamed(marked, computed or {}), *aspects.complaints, *examples.complaints]
    try:
        entry = RubricEntry.model_validate(marked.data)
    except ValidationError as error:
        raise_all([*complaints, *complaints_of(error, RubricEntry, marked)])
        raise
    raise_all([*complaints, *_ill_seen(entry, marked)])
    return Rubric(
        id=entry.id,
        title=entry.title,
        sees=entry.sees,
        instruction=entry.instruction,
        aspects=tuple(_aspect(e, n, aspects) for n, e in enumerate(entry.aspects)),
        sha=sha_of(text),
        scope=entry.scope,
        may_not_apply=entry.may_not_apply or "",
        needs=entry.needs,
        examples=tuple(_example(e, n, examples) for n, e in enumerate(entry.examples)),
        path=source.name,
    )


def _aspect(entry: AspectEntry, index: int, read: ReadAspects) -> Aspect:
    return Aspect(
        name=entry.name,
        title=entry.title,
        question=entry.question,
        scale=read.scales[index],
        anchors={said: entry.anchors[key] for said, key in read.anchors[index].items()},
        low_is_good=entry.low_is_good,
        right_if=entry.right_if,
    )


def _example(entry: ExampleEntry, index: int, read: ReadExamples) -> Example:
    evidence = {part: getattr(entry, part) for part in read.shown[index]}
    return Example(evidence, entry.comment, read.said[index])


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
                f'sees: "{name}" is of one turn, and scope is talk; write talk, which holds '
                "all turns",
            )
    for index, name in enumerate(entry.needs):
        if name not in entry.sees:
            yield marked.complaint(("needs", index), f'needs: "{name}" is not seen; add it to sees')
    for index, aspect in enumerate(entry.aspects):
        if entry.scope == "talk" and aspect.right_if:
            yield marked.complaint(
                ("aspects", index, "right_if"),
                "right_if speaks of one answer, and scope is talk; remove one of the two",
            )
