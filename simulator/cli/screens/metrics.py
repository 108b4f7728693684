"""`mogi metrics`: what can be measured, with what it needs and costs; `NAME`: one of them whole."""

import inspect
from collections.abc import Iterator, Mapping, Set
from pathlib import Path
from typing import Any

from rich.cells import cell_len
from rich.text import Text

from simulator.cli.runs import Metric
from simulator.console.blocks import beside, paragraph, spaced
from simulator.console.layout import wrap
from simulator.console.output import screen, show
from simulator.console.palette import BOLD, DIM
from simulator.core.errors import InputError
from simulator.core.health import Aspect, Example, Labels, Ratings, Rubric, Scale
from simulator.core.outcome import MetricInfo
from simulator.core.persona import Language
from simulator.files.catalog import shipped
from simulator.formats.json_contracts import filled
from simulator.metrics._judge.rubric import aspect_info
from simulator.plugins import suggest
from simulator.words import Words

_LABEL = 11  # cells
_PAID = ("judge", "embedding")


def show_metric(
    name: str, plugins: Mapping[str, type[Any]], rubrics: Mapping[str, Rubric], language: Language
) -> None:
    """Print all about a metric, a plugin or a rubric of that name; labels are in that language.

    Raises:
        InputError: there is none; the message lists those that are.
    """
    console = screen()
    view = _View(console.width, Words(language, "metric"))
    kind = plugins.get(name) or next((k for k in plugins.values() if name in _names(k)), None)
    if kind is not None:
        show(view.computed(kind), console)
        return
    asking = [r for r in rubrics.values() if name in (r.id, *(a.name for a in r.aspects))]
    if not asking:
        raise _no_metric(name, plugins, rubrics)
    for number, rubric in enumerate(asking):
        show([Text("")] if number else [], console)
        show(view.rubric(rubric, name), console)


def metric_heads(language: Language) -> list[str]:
    """What stands above the columns of `metric_rows`."""
    words = Words(language, "metric")
    return [words(f"head.{name}") for name in ("metric", "scope", "costs", "needs", "says")]


def metric_rows(
    plugins: Mapping[str, type[Any]],
    rubrics: Mapping[str, Rubric],
    marked: Set[str],
    language: Language,
) -> list[tuple[str, ...]]:
    """A row for each metric and aspect: name, scope, costs, needs, what it says."""
    words = Words(language, "metric")
    infos = [info for kind in plugins.values() for info in kind.INFOS]
    end = "。" if language == "ja" else ". "
    about = [(info, end.join(_says(info, words))) for info in infos]
    for rubric in rubrics.values():
        for aspect in rubric.aspects:
            scale = f"{rubric.id}{words.comma}{_scale(aspect.scale)}"
            title = words("aspect", title=aspect.title, scale=scale)
            about.append((aspect_info(rubric, aspect), title + aspect.question))
    rows: list[tuple[str, ...]] = []
    for info, what in about:
        name = f"{'*' if info.name in marked else ' '} {info.name}" if marked else info.name
        scope, costs, *needs = (
            words.name("short", of) for of in (info.scope, _costs(info), *_needed(info))
        )
        rows.append((name, scope, costs, words.comma.join(needs) or "-", what))
    return rows


def metrics_json(
    plugins: Mapping[str, type[Any]],
    rubrics: Mapping[str, Rubric],
    measured: Set[str],
    name: str | None,
) -> tuple[Metric, ...]:
    """Each metric and aspect; with `name` those that it stands for.

    Raises:
        InputError: it stands for none.
    """
    every = [
        (kind, info, "", info.description) for kind, of in plugins.items() for info in of.INFOS
    ]
    for rubric in rubrics.values():
        aspects = ((aspect_info(rubric, aspect), aspect) for aspect in rubric.aspects)
        every += [(rubric.id, info, _scale(a.scale), a.question) for info, a in aspects]
    chosen = [row for row in every if name in (None, row[0], row[1].name)]
    if not chosen:
        raise _no_metric(name or "", plugins, rubrics)
    return tuple(
        filled(
            Metric,
            info,
            of=of,
            scale=scale,
            about=about,
            costs=_costs(info),
            needs=tuple(_needed(info)),
            measured=info.name in measured,
        )
        for of, info, scale, about in chosen
    )


def _no_metric(
    name: str, plugins: Mapping[str, type[Any]], rubrics: Mapping[str, Rubric]
) -> InputError:
    known = {*plugins, *rubrics, *(n for kind in plugins.values() for n in _names(kind))}
    known |= {aspect.name for rubric in rubrics.values() for aspect in rubric.aspects}
    return InputError(f'no metric "{name}"; {suggest(name, tuple(sorted(known)))}')


def _says(info: MetricInfo, words: Words) -> tuple[str, str]:
    """Its title, and what it says; a client's own are in the client's words."""
    title, description = (words.find(f"{of}.{info.name}") for of in ("title", "description"))
    return title or info.title, description or info.description


def _names(kind: type[Any]) -> list[str]:
    return [info.name for info in kind.INFOS]


class _View:
    """Lines of at most `width` cells."""

    def __init__(self, width: int, words: Words) -> None:
        self._width = width
        self._words = words

    def computed(self, kind: type[Any]) -> Iterator[Text]:
        """What a plugin yields, and how, in the words of its own documentation."""
        for info in kind.INFOS:
            yield from self._info(info)
            yield from self._line("says", _says(info, self._words)[1])
            yield from self._line(
                "value", self._words("range", low=f"{info.low:g}", high=f"{info.high:g}")
            )
            yield from self._line("parts", ", ".join(info.parts))
        yield from self._line("code", f"{kind.__module__}:{kind.__qualname__}")
        yield Text("")
        for text in (inspect.getdoc(kind) or "").split("\n\n"):
            lines, is_formula = text.split("\n"), text.startswith(" ")  # formulas keep their lines
            yield from map(Text, lines) if is_formula else paragraph(" ".join(lines), self._width)
            yield Text("")

    def rubric(self, rubric: Rubric, name: str) -> Iterator[Text]:
        """What the judge is asked; of one aspect, if it was named."""
        aspects = [a for a in rubric.aspects if a.name == name] or list(rubric.aspects)
        for aspect in aspects:
            yield from self._aspect(aspect, aspect_info(rubric, aspect))
            yield Text("")
        place = _place(rubric, self._words)
        others = ", ".join(a.name for a in rubric.aspects if a not in aspects)
        yield from self._line("rubric", f"{rubric.id}: {place} (sha {rubric.sha[:12]})")
        yield from self._line("with_it", others)
        yield from self._line("sees", ", ".join(rubric.sees))
        yield from self._line("na", rubric.may_not_apply)
        yield from self._line("judge", rubric.instruction)
        for number, example in enumerate(rubric.examples, start=1):
            yield from self._example(number, example)

    def _info(self, info: MetricInfo) -> Iterator[Text]:
        yield Text.assemble((info.name, BOLD), f"  {_says(info, self._words)[0]}")
        yield from self._line("about", self._words(info.scope))
        paid = _costs(info) if info.scope == "turn" else f"{_costs(info)}, at the end"
        yield from self._line("costs", self._words.name("cost", paid))
        needs = [self._words.name("need", need) for need in _needed(info)]
        yield from self._line("needs", ", ".join(needs) or self._words("nothing_more"))

    def _aspect(self, aspect: Aspect, info: MetricInfo) -> Iterator[Text]:
        yield from self._info(info)
        yield from self._line("question", aspect.question)
        yield from self._line("scale", _scale(aspect.scale))
        for answer, meaning in _anchors(aspect):
            yield from self._beside("", f"{answer}  {meaning}".rstrip())
        yield from self._line("value", _value(aspect, self._words))

    def _example(self, number: int, example: Example) -> Iterator[Text]:
        yield from spaced(Text(self._words("example", number=number), DIM))
        for part, text in example.evidence.items():
            yield from self._beside(part, text)
        yield from self._line("comment", example.comment)
        answers = ", ".join(f"{name} {answer}" for name, answer in example.said.items())
        yield from self._beside("→", answers or self._words("does_not_apply"))

    def _line(self, label: str, text: str) -> Iterator[Text]:
        return self._beside(self._words(label), text)

    def _beside(self, label: str, text: str) -> Iterator[Text]:
        """A label and its text, wrapped beside it; nothing where there is no text."""
        indent = max(_LABEL, cell_len(label) + 2)
        return beside(label, wrap(text, self._width - indent) if text else [], indent)


def _anchors(aspect: Aspect) -> list[tuple[str, str]]:
    if isinstance(aspect.scale, Labels):
        values = aspect.scale.values.items()
        return [(f"{word} ({value:g})", aspect.anchors.get(word, "")) for word, value in values]
    return [(f"{rating:g}", text) for rating, text in sorted(aspect.anchors.items())]


def _value(aspect: Aspect, words: Words) -> str:
    if aspect.right_if:
        return words(f"right.{aspect.right_if}")
    low = ".low" if aspect.low_is_good else ""
    if isinstance(aspect.scale, Ratings):
        ends, high = aspect.scale.low + aspect.scale.high, aspect.scale.high
        return words(f"ratings{low}", ends=ends, high=high)
    return words(f"{'labels' if isinstance(aspect.scale, Labels) else 'share'}{low}")


def _place(rubric: Rubric, words: Words) -> str:
    """The rubric's file, as short as a person can find it by."""
    path = Path(rubric.path).absolute()
    if path.is_relative_to(Path.cwd()):
        return str(path.relative_to(Path.cwd()))
    if path.is_relative_to(shipped()):
        return words("shipped", file=path.relative_to(shipped()).as_posix())
    return rubric.path


def _costs(info: MetricInfo) -> str:
    """What has to be paid for it."""
    return ", ".join(need for need in _PAID if need in info.needs) or "nothing"


def _needed(info: MetricInfo) -> list[str]:
    """What has to be there for it."""
    return [need for need in info.needs if need not in _PAID]


def _scale(scale: Scale) -> str:
    """A scale in short."""
    if isinstance(scale, Ratings):
        return f"{scale.low}-{scale.high}"
    return "/".join(scale.values) if isinstance(scale, Labels) else "0-1"
