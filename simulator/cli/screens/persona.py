"""`mogi personas NAME`: one persona on the screen, in its own language, with two short talks."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.text import Text

from simulator.console.blocks import beside, paragraph, spaced
from simulator.console.layout import wrap
from simulator.console.output import screen, show
from simulator.console.palette import BOLD, DIM
from simulator.core.errors import InputError
from simulator.core.persona import Language, Persona
from simulator.core.talk import StopReason
from simulator.files.catalog import Catalog, shipped
from simulator.files.client.folder import load_client
from simulator.plugins import suggest
from simulator.users.persona_llm import style_of
from simulator.words import Words

if TYPE_CHECKING:
    from simulator.execution.trial import ExampleTalk

_SHOWN_ABOUT: Mapping[Language, str] = {"ja": "demo", "en": "demo-en"}
_FAREWELLS = (StopReason.DONE, StopReason.GAVE_UP)  # their detail is the last word of the person
_INDENT = 2


def show_persona(name: str, languages: Sequence[Language], catalog: Catalog) -> None:
    """Print one persona: who it is, how it writes, what it always does, and how that sounds.

    It is shown in the first of the languages in which it is there.

    Raises:
        InputError: there is none of that name, or its file is wrong.
    """
    from simulator.execution.trial import example_talks, scenario_to_show

    chosen, *others = _languages(catalog, name, languages)
    persona = catalog.persona(chosen, name)
    client = load_client(_SHOWN_ABOUT[chosen], cwd=shipped())
    scenario = scenario_to_show(client.scenarios)
    talks = asyncio.run(example_talks(persona, scenario))
    style = style_of(persona, catalog.prompt(chosen, "user")).splitlines()
    about = {"client": client.client.name, "scenario": scenario.id}
    console = screen()
    show(_View(persona, console.width).parts(style, talks, about), console)
    for other in others:
        also = Words(chosen, "persona")("also", id=name, language=other)
        show([Text(""), Text(also, DIM)], console)


def _languages(catalog: Catalog, name: str, wanted: Sequence[Language]) -> list[Language]:
    """Those of the languages in which there is such a persona."""
    spoken = [each for each in wanted if name in catalog.persona_ids(each)]
    if not spoken:
        known = sorted({other for each in wanted for other in catalog.persona_ids(each)})
        where = f" in {wanted[0]}" if len(wanted) == 1 else ""
        raise InputError(f'no persona "{name}"{where}; {suggest(name, tuple(known))}')
    return spoken


class _View:
    """Lines of at most `width` cells."""

    def __init__(self, persona: Persona, width: int) -> None:
        self._persona = persona
        self._words = Words(persona.language, "persona")
        self._width = width

    def parts(
        self, style: Sequence[str], talks: Sequence["ExampleTalk"], about: Mapping[str, str]
    ) -> Iterator[Text]:
        persona = self._persona
        yield Text.assemble((persona.name, BOLD), (f"  {persona.id} · {persona.language}", DIM))
        yield from paragraph(persona.description, self._width)
        yield from self._head("traits")
        for trait in persona.traits:
            yield from self._beside("", "· ", trait)
        yield from self._head("style")
        for line in style:
            yield from self._beside("", "· ", line.removeprefix("- "))
        if persona.behaviours:
            yield from self._head("behaviours")
        for behaviour in persona.behaviours:
            yield from self._beside("", "✓ ", behaviour.does)
            yield from self._beside("", "✗ ", behaviour.violation, dim=True)
        for talk in talks:
            yield from self._head(talk.kind, about)
            yield from self._talk(talk)

    def _talk(self, talk: "ExampleTalk") -> Iterator[Text]:
        for exchange in talk.exchanges:
            yield from self._line("user", exchange.user)
            yield from self._line("bot", exchange.assistant, dim=True)
        reason = talk.stop.reason
        last = self._words("quoted", said=talk.stop.detail) if reason in _FAREWELLS else ""
        yield from self._beside("", "→ ", self._words(reason.value) + last)

    def _line(self, who: str, text: str, *, dim: bool = False) -> Iterator[Text]:
        widest = max(cell_len(self._words("user")), cell_len(self._words("bot")))
        label = self._words(who)
        yield from self._beside(label + " " * (widest - cell_len(label)), "  ", text, dim=dim)

    def _head(self, key: str, about: Mapping[str, str] | None = None) -> Iterator[Text]:
        yield from spaced(*paragraph(self._words(key, **about or {}), self._width, BOLD))

    def _beside(self, label: str, mark: str, text: str, *, dim: bool = False) -> Iterator[Text]:
        """The text, wrapped, behind a label and a mark."""
        head = " " * _INDENT + label + mark
        lines = wrap(text, self._width - cell_len(head))
        return beside(head, [(line, DIM) for line in lines] if dim else lines, cell_len(head))
