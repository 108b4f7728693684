"""What a right answer looks like, written short: a text is an answer, or an element's one way."""

from collections.abc import Sequence

from simulator.core.scenario import Element, Expected


def expecting(
    answer: str | Sequence[str] = "",
    elements: Sequence[str | Element] = (),
    documents: Sequence[str] = (),
    answerable: bool | None = None,
    escalate: bool = False,
) -> Expected:
    answers = (answer,) if isinstance(answer, str) else answer
    ways = tuple((e,) if isinstance(e, str) else e for e in elements)
    return Expected(tuple(filter(None, answers)), ways, tuple(documents), answerable, escalate)
