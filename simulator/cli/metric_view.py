"""`mogi metrics NAME`: one metric or rubric on the screen, with all that it is made of."""

import inspect
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.cells import cell_len
from rich.text import Text

from simulator.cli.metrics import costs, needed, scale_of
from simulator.core.errors import InputError
from simulator.core.outcome import MetricInfo
from simulator.core.rubric import Aspect, Example, Labels, Ratings, Rubric
from simulator.metrics._rubric_section import aspect_info
from simulator.plugins import suggest
from simulator.reports._layout import wrap
from simulator.reports._out import screen, show
from simulator.reports._palette import BOLD, DIM

_LABEL = 11  # cells
_NEEDS = {
    "answer": "an expected answer",
    "elements": "expected elements",
    "documents": "expected documents",
    "answerable": "a scenario that says whether it can be answered, or has to be handed over",
    "context": "a bot that reports its documents",
}
_RIGHT_IF = {
    "unanswerable": "yes is right (1) where the scenario has no answer, and wrong (0) where it has",
    "escalate": "yes is right (1) where the scenario says escalate, and wrong (0) where it can be "
    "answered",
}


def show_metric(name: str, plugins: Mapping[str, type[Any]], rubrics: Mapping[str, Rubric]) -> None:
    """Print all about a metric, a plugin or a rubric of that name.

    Raises:
        InputError: there is none; the message lists those that are.
    """
    console = screen()
    view = _View(console.width)
    kind = plugins.get(name) or next((k for k in plugins.values() if name in _names(k)), None)
    if kind is not None:
        show(view.computed(kind), console)
        return
    asking = [r for r in rubrics.values() if name in (r.id, *(a.name for a in r.aspects))]
    if not asking:
        known = {*plugins, *rubrics, *(n for kind in plugins.values() for n in _names(kind))}
        known |= {aspect.name for rubric in rubrics.values() for aspect in rubric.aspects}
        raise InputError(f'no metric "{name}"; {suggest(name, tuple(sorted(known)))}')
    for number, rubric in enumerate(asking):
        show([Text("")] if number else [], console)
        show(view.rubric(rubric, name), console)


def _names(kind: type[Any]) -> list[str]:
    return [info.name for info in kind.INFOS]


class _View:
    """Lines of at most `width` cells."""

    def __init__(self, width: int) -> None:
        self._width = width

    def computed(self, kind: type[Any]) -> Iterator[Text]:
        """What a plugin yields, and how, in the words of its own documentation."""
        for info in kind.INFOS:
            yield from self._info(info)
            yield from self._line("says", info.description)
            yield from self._line("value", f"{info.low:g} to {info.high:g}")
            yield from self._line("parts", ", ".join(info.parts))
        yield from self._line("code", f"{kind.__module__}:{kind.__qualname__}")
        yield Text("")
        for paragraph in (inspect.getdoc(kind) or "").split("\n\n"):
            yield from self._paragraph(paragraph)

    def rubric(self, rubric: Rubric, name: str) -> Iterator[Text]:
        """What the judge is asked; of one aspect, if it was named."""
        aspects = [a for a in rubric.aspects if a.name == name] or list(rubric.aspects)
        for aspect in aspects:
            yield from self._aspect(aspect, aspect_info(rubric, aspect))
            yield Text("")
        others = ", ".join(a.name for a in rubric.aspects if a not in aspects)
        yield from self._line("rubric", f"{rubric.id}: {rubric.path} (sha {rubric.sha[:12]})")
        yield from self._line("with it", others)
        yield from self._line("sees", ", ".join(rubric.sees))
        yield from self._line("n/a where", rubric.may_not_apply)
        yield from self._line("judge", rubric.instruction)
        for number, example in enumerate(rubric.examples, start=1):
            yield from self._example(number, example)

    def _info(self, info: MetricInfo) -> Iterator[Text]:
        yield Text.assemble((info.name, BOLD), f"  {info.title}")
        about = "each turn" if info.scope == "turn" else "the whole conversation, once"
        yield from self._line("about", about)
        paid = costs(info) if info.scope == "turn" else f"{costs(info)}, at the end"
        yield from self._line("costs", _COSTS.get(paid, costs(info)))
        needs = [_NEEDS.get(need, need) for need in needed(info)]
        yield from self._line("needs", ", ".join(needs) or "nothing more")

    def _aspect(self, aspect: Aspect, info: MetricInfo) -> Iterator[Text]:
        yield from self._info(info)
        yield from self._line("question", aspect.question)
        yield from self._line("scale", scale_of(aspect.scale))
        for said, meaning in _anchors(aspect):
            yield from self._line("", f"{said}  {meaning}".rstrip())
        yield from self._line("value", _value(aspect))

    def _example(self, number: int, example: Example) -> Iterator[Text]:
        yield Text("")
        yield Text(f"example {number}", DIM)
        for part, text in example.evidence.items():
            yield from self._line(part, text)
        yield from self._line("comment", example.comment)
        said = ", ".join(f"{name} {answer}" for name, answer in example.said.items())
        yield from self._line("→", said or "does not apply")

    def _line(self, label: str, text: str) -> Iterator[Text]:
        """A label and its text, wrapped beside it; nothing where there is no text."""
        indent = max(_LABEL, cell_len(label) + 2)
        for number, line in enumerate(wrap(text, self._width - indent) if text else []):
            head = label if number == 0 else ""
            yield Text.assemble((head + " " * (indent - cell_len(head)), DIM), line)

    def _paragraph(self, text: str) -> Iterator[Text]:
        """Formulas, which are indented, keep their lines."""
        lines: Sequence[str] = text.split("\n")
        if not text.startswith(" "):
            lines = wrap(" ".join(lines), self._width)
        yield from map(Text, lines)
        yield Text("")


_COSTS = {
    "nothing": "nothing",
    "judge": "its part of the judge's call; with `calls: apart` a call of its own",
    "judge, at the end": "its part of one more call when a conversation has ended",
    "embedding": "embeddings",
}


def _anchors(aspect: Aspect) -> list[tuple[str, str]]:
    if isinstance(aspect.scale, Labels):
        values = aspect.scale.values.items()
        return [(f"{word} ({value:g})", aspect.anchors.get(word, "")) for word, value in values]
    return [(f"{said:g}", text) for said, text in sorted(aspect.anchors.items())]


def _value(aspect: Aspect) -> str:
    if aspect.right_if:
        return _RIGHT_IF[aspect.right_if]
    low = "low is good: "
    if isinstance(aspect.scale, Ratings):
        low_end, high = aspect.scale.low, aspect.scale.high
        turned = f"{low}({low_end + high} - rating) / {high}"
        return turned if aspect.low_is_good else f"rating / {high}"
    if isinstance(aspect.scale, Labels):
        return (
            f"{low}1 - the number behind the label" if aspect.low_is_good else "as the label says"
        )
    return f"{low}1 - the share" if aspect.low_is_good else "the share itself"
