"""A persona's file: who asks, how it writes, and the stock phrases of the agenda user."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal

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
from simulator.formats.fields import Count, Name, Share, Text, Texts, Written
from simulator.formats.sources import Source, hint, shown
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


class StyleEntry(Written):
    """How a persona writes."""

    length: Count = Field(description="the usual length of one message, 1 or more")
    politeness: Literal["plain", "polite", "formal"]
    disclosure: Literal["open", "asked", "grudging"]
    dissatisfaction: Text = Field(description="how dissatisfaction shows")
    slips: Literal["none", "typing", "speech"] = "none"
    asides: Share = Field(
        0.0, description="the share of turns with something beside the matter, 0 to 1"
    )


class BehaviourEntry(Written):
    """Something a persona does, and what one would see if it were not kept."""

    does: Text = Field(description="what the persona does")
    violation: Text = Field(description="what one would see if it did not")


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

    id: Name = Field(description="the name of the file, without .yaml")
    name: Text = Field(description="what people call this persona")
    description: Text = Field(description="who this is, in one sentence")
    traits: Texts = Field(min_length=1, description="one sentence for each trait")
    style: StyleEntry = Field(description="length, politeness, disclosure and dissatisfaction")
    patience: Count = Field(description="how many unhelpful answers it bears, 1 or more")
    doubts: int = Field(
        0, ge=0, description="how many settling answers it questions before one is taken, 0 or more"
    )
    behaviours: tuple[BehaviourEntry, ...] = Field(
        (), strict=False, description="a list of does and violation"
    )
    phrases: PhrasesEntry = Field(PhrasesEntry(), description="lists of wordings")


def load_persona(source: Source, language: Language) -> Persona:
    """The persona of one file; its `id` has to be the file's name.

    Raises:
        InputError: every complaint about the file at once.
    """
    marked = read_yaml(source)
    entry = validate(PersonaEntry, marked)
    phrases = {act: texts for act, texts in entry.phrases if texts}
    raise_all([*_complaints(entry, marked), *_wrong_slots(phrases, marked)])
    style = entry.style.to(
        Style,
        politeness=Politeness(entry.style.politeness),
        disclosure=Disclosure(entry.style.disclosure),
        slips=Slips(entry.style.slips),
    )
    behaviours = tuple(b.to(Behaviour) for b in entry.behaviours)
    return entry.to(Persona, language=language, style=style, behaviours=behaviours, phrases=phrases)


def _complaints(entry: PersonaEntry, marked: Marked) -> Iterator[Complaint]:
    """A wrong id, and what it is to say, and has no words for; nothing neutral could stand in."""
    stem = marked.source.path.stem
    if entry.id != stem:
        yield marked.complaint(
            ("id",), f'the id "{entry.id}" is not the name of the file; write {stem}'
        )
    if entry.style.asides and not entry.phrases.aside:
        yield marked.complaint(
            ("style", "asides"),
            f"style.asides is {entry.style.asides:g}, but phrases has no aside; "
            "add what it says off topic, or set asides: 0",
        )
    if entry.doubts and not entry.phrases.doubt:
        yield marked.complaint(
            ("doubts",),
            f"doubts is {entry.doubts}, but phrases has no doubt; "
            "write how it questions an answer, or doubts: 0",
        )


def _wrong_slots(phrases: Mapping[str, tuple[str, ...]], marked: Marked) -> Iterator[Complaint]:
    for act, texts in phrases.items():
        for index, text in enumerate(texts):
            for message in _about_slots(act, text, _SLOTS.get(act, ())):
                yield marked.complaint(("phrases", act, index), message)


def _about_slots(act: str, text: str, right: Sequence[str]) -> Iterator[str]:
    slots = _SLOT.findall(text)
    for slot in slots:
        if slot not in right:
            yield f"nothing fills {{{slot}}} in {act}; {hint(slot, right)}"
    if act in _HOLDS and not slots:
        yield f"{act} needs {{{right[0]}}}, but {shown(text)} has none; add it"
    for slot in right:
        if slots.count(slot) > 1:
            yield f"{{{slot}}} is {slots.count(slot)} times in one wording; write it once"
