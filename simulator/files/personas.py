"""A persona's file: who asks, how it writes, and the stock phrases of the agenda user."""

import re
from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from pydantic import Field

from simulator.core.errors import Complaint, raise_all
from simulator.core.persona import (
    Behaviour,
    Disclosure,
    Language,
    Persona,
    Politeness,
    Slips,
    Style,
)
from simulator.formats.complaints import hint, shown
from simulator.formats.fields import Count, Name, Share, Text, Texts, Written
from simulator.formats.sources import Source
from simulator.formats.validation import validate
from simulator.formats.yaml.reading import Marked, read_yaml

# What the agenda user puts into the wordings of each act. Somebody vague names the matter by its
# keywords at first, and says what it needs when asked again.
_SLOTS: dict[str, tuple[str, ...]] = {
    "styled_query": ("query",),
    "ask": ("need", "keywords"),
    "rephrase": ("keywords", "need"),
    "tell": ("fact",),
}
# Without its slot such a wording would tell nothing, and count as told. A person may well ask
# again for "that thing", without naming it.
_HOLDS = ("styled_query", "tell")
_SLOT = re.compile(r"\{(\w+)\}")
_NoneOrMore = Annotated[int, Field(ge=0, description="a whole number of 0 or more")]


class StyleEntry(Written):
    """How a persona writes."""

    length: Annotated[Count, Field(description="the usual length of one message, 1 or more")]
    politeness: Literal["plain", "polite", "formal"]
    disclosure: Literal["open", "asked", "grudging"]
    dissatisfaction: Annotated[Text, Field(description="how dissatisfaction shows")]
    slips: Literal["none", "typing", "speech"] = "none"
    asides: Annotated[
        Share, Field(description="the share of turns with something beside the matter, 0 to 1")
    ] = 0.0


class BehaviourEntry(Written):
    """Something a persona does, and what one would see if it were not kept."""

    does: Annotated[Text, Field(description="what the persona does")]
    violation: Annotated[Text, Field(description="what one would see if it did not")]


class PhrasesEntry(Written):
    """Wordings of each act; `{query}`, `{need}`, `{keywords}`, `{fact}` are filled in."""

    styled_query: Texts = ()
    ask: Texts = ()
    rephrase: Texts = ()
    tell: Texts = ()
    cannot_tell: Texts = ()
    doubt: Texts = ()
    aside: Texts = ()
    dissatisfied: Texts = ()
    give_up: Texts = ()
    satisfied: Texts = ()


class PersonaEntry(Written):
    """A persona as people write it."""

    id: Annotated[Name, Field(description="the name of the file, without .yaml")]
    name: Annotated[Text, Field(description="what people call this persona")]
    description: Annotated[Text, Field(description="who this is, in one sentence")]
    traits: Annotated[Texts, Field(min_length=1, description="one sentence for each trait")]
    style: Annotated[
        StyleEntry, Field(description="length, politeness, disclosure and dissatisfaction")
    ]
    patience: Annotated[Count, Field(description="how many unhelpful answers it bears, 1 or more")]
    doubts: Annotated[
        _NoneOrMore,
        Field(description="how many settling answers it questions before one is taken, 0 or more"),
    ] = 0
    behaviours: Annotated[
        tuple[BehaviourEntry, ...],
        Field(strict=False, description="a list of does and violation"),
    ] = ()
    phrases: Annotated[PhrasesEntry, Field(description="lists of wordings")] = PhrasesEntry()


def load_persona(source: Source, language: Language) -> Persona:
    """The persona of one file; its `id` has to be the file's name.

    Raises:
        InputError: every complaint about the file at once.
    """
    marked = read_yaml(source)
    entry = validate(PersonaEntry, marked)
    raise_all(
        [*_misnamed(entry, marked), *_speechless(entry, marked), *_wrong_slots(entry, marked)]
    )
    style = entry.style
    return Persona(
        id=entry.id,
        language=language,
        name=entry.name,
        description=entry.description,
        traits=entry.traits,
        style=Style(
            length=style.length,
            politeness=Politeness(style.politeness),
            disclosure=Disclosure(style.disclosure),
            dissatisfaction=style.dissatisfaction,
            slips=Slips(style.slips),
            asides=style.asides,
        ),
        patience=entry.patience,
        behaviours=tuple(Behaviour(b.does, b.violation) for b in entry.behaviours),
        phrases={act: texts for act, texts in _phrases(entry) if texts},
        doubts=entry.doubts,
    )


def _phrases(entry: PersonaEntry) -> Iterator[tuple[str, tuple[str, ...]]]:
    for act in PhrasesEntry.model_fields:
        yield act, getattr(entry.phrases, act)


def _misnamed(entry: PersonaEntry, marked: Marked) -> Iterator[Complaint]:
    stem = marked.source.path.stem
    if entry.id != stem:
        yield marked.complaint(
            ("id",), f'the id "{entry.id}" is not the name of the file; write {stem}'
        )


def _speechless(entry: PersonaEntry, marked: Marked) -> Iterator[Complaint]:
    """What it is to say, and has no words for; nothing neutral could stand in for a character."""
    if entry.style.asides and not entry.phrases.aside:
        yield marked.complaint(
            ("style", "asides"),
            f"style.asides is {entry.style.asides:g}, but phrases has no aside; "
            "write what it says beside the matter, or asides: 0",
        )
    if entry.doubts and not entry.phrases.doubt:
        yield marked.complaint(
            ("doubts",),
            f"doubts is {entry.doubts}, but phrases has no doubt; "
            "write how it questions an answer, or doubts: 0",
        )


def _wrong_slots(entry: PersonaEntry, marked: Marked) -> Iterator[Complaint]:
    for act, texts in _phrases(entry):
        right = _SLOTS.get(act, ())
        for index, text in enumerate(texts):
            for message in _about_slots(act, text, right):
                yield marked.complaint(("phrases", act, index), message)


def _about_slots(act: str, text: str, right: Sequence[str]) -> Iterator[str]:
    found = _SLOT.findall(text)
    for slot in found:
        if slot not in right:
            yield f"nothing fills {{{slot}}} in {act}; {hint(slot, right)}"
    if act in _HOLDS and not found:
        yield f"{act} needs {{{right[0]}}}, and {shown(text)} has none; put it where it is to stand"
    for slot in right:
        if found.count(slot) > 1:
            yield f"{{{slot}}} stands {found.count(slot)} times in one wording; write it once"
