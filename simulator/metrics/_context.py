"""What a metric is given when it is opened."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from simulator.core.persona import Language
from simulator.core.ports import Chat, Embedder

if TYPE_CHECKING:
    from simulator.core.rubric import Rubric
    from simulator.files.prompts import Prompt


@dataclass(frozen=True, slots=True)
class MetricContext:
    """The tools of a metric. `chat` is None where no judge was named.

    `prompts` finds a prompt of the client's language by its name, such as `judge`.
    `votes` is 1 or more; `calls`: one judge call for all rubrics, or one for each.
    `secret` is the run's: the fences around what a bot said are derived from it.
    `joining` are plugins that are asked in the judge's call: see `_section.py`.
    `embedder` is None where no embedding model is called.
    """

    chat: Chat | None
    prompts: Callable[[str], Prompt]
    rubrics: tuple[Rubric, ...]
    votes: int
    calls: Literal["together", "apart"]
    secret: str
    language: Language
    joining: tuple[type[Any], ...] = ()
    embedder: Embedder | None = None
