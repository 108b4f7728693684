"""`mogi personas`: who can ask; with --measure how simulated users write, beside real ones."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from simulator.checks.realism import FEWEST_TALKS, Difference, Manner, Realism, Separation
from simulator.console.blocks import beside, figure, labelled, paragraph, spaced, table
from simulator.console.layout import wrap
from simulator.console.output import as_json, screen, show
from simulator.console.palette import BOLD, DIM
from simulator.core.clean import visible
from simulator.core.errors import InputError
from simulator.core.outcome import Interval
from simulator.core.persona import Language, Persona
from simulator.core.run import RunHeader
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


_WIDE = 118  # cells; from here on there is room for all columns and for intervals
_HEADS = (
    "turns", "first", "length", "plain", "polite", "formal", "questions", "repeats", "follow_ups",
)  # fmt: skip
_WIDE_HEADS = (
    "talks", *_HEADS[:3], "median", *_HEADS[3:7], "orders", *_HEADS[7:],
)  # fmt: skip
_EXPLAINED = (
    "turns", "first", "length", "plain", "questions", "orders", "repeats", "follow_ups",
)  # fmt: skip
_COUNTS = ("talks", "turns", "first", "median", "neither", "orders")
_MEANS = ("length", "plain", "polite", "formal", "questions", "repeats", "follow_ups")
_COUNTED = ("length", "sentences", "questions", "lines", "commas")  # features with a mean, no share


def realism_view(header: RunHeader, measured: Realism, width: int) -> Iterator[RenderableType]:
    """The manners of the personas and of real customers, and what tells them apart."""
    words, snapshot = Words(header.language, "measure"), header.snapshot
    yield Text(words("title", run=header.id, client=visible(header.client)), BOLD)
    if model := snapshot.get("client.user.chat.model"):
        yield Text(words("model", model=visible(str(model))), DIM)
    else:
        kind = snapshot.get("client.user.kind") or "agenda"
        yield Text(words("kind", kind=visible(str(kind))), DIM)
    yield Text("")
    if not any(manner.turns for manner in measured.personas):
        yield Text(words("short"))
    heads = _WIDE_HEADS if width >= _WIDE else _HEADS
    yield _rows(measured, heads, words)
    explained = [name for name in _EXPLAINED if name in heads]
    yield from spaced(
        labelled([(words(name), Text(words(f"legend.{name}"))) for name in explained])
    )
    yield Text("")
    if all(style.chance is None for style in (measured.style, *measured.styles.values())):
        yield from paragraph(words("few", n=FEWEST_TALKS), width)
        return
    yield Text(words("apart"), BOLD)
    yield from paragraph(words("legend.apart"), width)
    yield labelled(_separations(measured, words))


def _separations(measured: Realism, words: Words) -> Iterator[tuple[str, Text]]:
    """All personas and each of them: the AUC with its interval, and what differs most."""
    styles = {visible(name): style for name, style in measured.styles.items()}
    if len(styles) > 1:
        styles = {words("all"): measured.style, **styles}
    for who, style in styles.items():
        yield who, Text(_separation(style, words))


def _separation(style: Separation, words: Words) -> str:
    auc, chance = style.auc, style.chance
    if auc.mean is None or auc.low is None or auc.high is None or chance is None:
        return words("few", n=FEWEST_TALKS)
    differences = [_difference(each, words) for each in style.differences]
    return words(
        "auc", auc=f"{auc.mean:.2f}", low=f"{auc.low:.2f}", high=f"{auc.high:.2f}",
        chance=f"{chance:.2f}", differences=words("beside").join(differences),
    )  # fmt: skip


def _difference(each: Difference, words: Words) -> str:
    """*begins with "well": 12% / 3%*: simulated, then real."""
    kind, form = each.feature.kind, each.feature.form
    what = words(form if kind == "register" else f"feature.{kind}", form=visible(form))
    both = (each.simulated, each.real)
    simulated, real = (f"{n:.1f}" if kind in _COUNTED else f"{n:.0%}" for n in both)
    return words("difference", what=what, simulated=simulated, real=real)


def _rows(measured: Realism, heads: tuple[str, ...], words: Words) -> Table:
    wide = heads == _WIDE_HEADS
    columns = table([words(h) for h in ("who", *heads)], gap=1, no_wrap=True)
    for manner in (*measured.personas, measured.real):
        is_real = manner is measured.real
        cells = _cells(manner, wide=wide)
        who = words("real") if is_real else visible(manner.name)
        columns.add_row(who, *(cells[head] for head in heads), style=BOLD if is_real else "")
    return columns


def _cells(row: Manner, *, wide: bool) -> dict[str, str]:
    return {
        "talks": f"{row.talks:,}",
        "turns": f"{row.turns:,}",
        "first": figure(row.first, ".0f"),
        "length": _number(row.length, ".1f", wide=True),
        "median": figure(row.median, "g"),
        "plain": _share(row.plain, wide=wide),
        "polite": _share(row.polite, wide=wide),
        "formal": _share(row.formal, wide=wide),
        "questions": _number(row.questions, ".2f", wide=wide),
        "orders": f"{row.orders:,}",
        "repeats": figure(row.repeats.mean, ".0%"),
        "follow_ups": figure(row.follow_ups.mean, ".0%"),
    }


def _number(value: Interval, form: str, *, wide: bool) -> str:
    mean = figure(value.mean, form)
    if not wide or value.high is None or value.mean is None:
        return mean
    return f"{mean} ±{value.high - value.mean:{form}}"


def _share(value: Interval, *, wide: bool) -> str:
    """A share; its ends are cut at 0 and 100 %, so they need not lie alike."""
    mean = figure(value.mean, ".0%")
    if not wide or value.low is None or value.high is None or value.low == value.high:
        return mean
    return f"{mean} {100 * value.low:.0f}–{100 * value.high:.0f}"


def realism_json(header: RunHeader, measured: Realism) -> dict[str, Any]:
    """The figures of each persona and of real customers, and how well style tells them apart."""
    user = {"kind": "client.user.kind", "model": "client.user.chat.model"}
    return {
        "run": header.id,
        **as_json(header, "client", "language"),
        "user": {name: header.snapshot.get(key) for name, key in user.items()},
        "unit": "characters" if header.language == "ja" else "words",
        "personas": {
            manner.name: {
                **as_json(manner, *_COUNTS, *_MEANS),
                "style": as_json(measured.styles[manner.name]),
            }
            for manner in measured.personas
        },
        "beside": as_json(measured.real, *_COUNTS, *_MEANS),
        "style": as_json(measured.style),
    }
