"""What a metric is given when it is opened, and what one is that joins the judge's call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, Self

from simulator.core.health import Rubric, Scope
from simulator.core.outcome import MetricInfo, Outcomes
from simulator.core.persona import Language
from simulator.core.ports import Chat, Embedder, Evidence
from simulator.core.scenario import Scenario
from simulator.text.bm25 import Nearest

if TYPE_CHECKING:
    from simulator.files.prompts import Prompt
    from simulator.llm.structured import FormModel

Tokens = tuple[float, float, float]
"""Lowest, likely, highest."""


@dataclass(frozen=True, slots=True)
class MetricContext:
    """The tools of a metric. `chat` is None where no judge was named.

    `prompts` finds a prompt of the client's language by its name, such as `judge`.
    `votes` is 1 or more; `calls`: one judge call for all rubrics, or one for each.
    `secret` is the run's: the fences around what a bot said are derived from it.
    `joining` are plugins that are asked in the judge's call: see `Section`.
    `embedder` is None where no embedding model is called. `nearest` finds entries of the bot's
    knowledge base, where that is at hand. `reads_claims`: a judge also reads the claims.
    """

    chat: Chat | None
    prompts: Callable[[str], Prompt]
    rubrics: tuple[Rubric, ...]
    votes: int
    calls: Literal["together", "apart"]
    secret: str = field(repr=False)
    language: Language
    joining: tuple[type[Any], ...] = ()
    embedder: Embedder | None = None
    nearest: Nearest | None = None
    reads_claims: bool = True


class Computed:
    """A metric that calls nothing: it needs nothing of the context; `INFOS` is all it yields."""

    INFOS: ClassVar[tuple[MetricInfo, ...]]

    @classmethod
    def open(cls, context: MetricContext) -> Self:
        """The metric, ready to score."""
        return cls()

    @property
    def infos(self) -> Sequence[MetricInfo]:
        """What it yields."""
        return self.INFOS


class Section(Protocol):
    """A rubric, or whatever else is asked in the judge's call.

    A metric plugin whose classmethod `section(context)` returns one is asked together with the
    rubrics, and needs no `open` and no `score` of its own.
    """

    @property
    def id(self) -> str:
        """The key of its answer in the judge's JSON."""

    @property
    def infos(self) -> Sequence[MetricInfo]:
        """What it yields."""

    @property
    def sees(self) -> tuple[str, ...]:
        """The blocks of the evidence that it needs."""

    @property
    def scope(self) -> Scope:
        """Asked about each turn, or once about the whole conversation."""

    def instructions(self) -> str:
        """What the judge is told of it; the same in all turns of a run."""

    def why_not(self, scenario: Scenario, *, documents: bool) -> str:
        """Why there is nothing to ask about this scenario; empty where there is.

        `documents`: the target tells which documents it retrieved.
        """

    def form(self, scenario: Scenario) -> type[FormModel]:
        """The object that answers it. The JSON schema is the same for all scenarios."""

    def writes(self, scenario: Scenario) -> Tokens:
        """The tokens of such an object, as an estimate."""

    def outcomes(self, evidence: Evidence, answers: Sequence[FormModel]) -> Outcomes:
        """What one or more votes come to, where it was asked."""
