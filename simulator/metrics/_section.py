"""A section of what a judge is asked: told in its instructions, answered in one object."""

from collections.abc import Sequence
from typing import Protocol

from simulator.core.outcome import MetricInfo, Outcomes
from simulator.core.ports import Evidence
from simulator.core.rubric import Scope
from simulator.core.scenario import Scenario
from simulator.llm.structured import FormModel

Tokens = tuple[float, float, float]
"""Lowest, likely, highest."""


class Section(Protocol):
    """A rubric, or whatever else is asked in the judge's call.

    A metric plugin whose classmethod `section(context)` returns one is asked together with the
    rubrics, and needs no `open` and no `score` of its own.
    """

    @property
    def id(self) -> str:
        """The key of its answer in the judge's JSON."""
        ...

    @property
    def infos(self) -> Sequence[MetricInfo]:
        """What it yields."""
        ...

    @property
    def sees(self) -> tuple[str, ...]:
        """The blocks of the evidence that it needs."""
        ...

    @property
    def scope(self) -> Scope:
        """Asked about each turn, or once about the whole conversation."""
        ...

    def told(self) -> str:
        """What the judge is told of it; the same in all turns of a run."""
        ...

    def why_not(self, scenario: Scenario, *, documents: bool) -> str:
        """Why there is nothing to ask about this scenario; empty where there is.

        `documents`: the target tells which documents it retrieved.
        """
        ...

    def form(self, scenario: Scenario) -> type[FormModel]:
        """The object that answers it. The JSON schema is the same for all scenarios."""
        ...

    def writes(self, scenario: Scenario) -> Tokens:
        """The tokens of such an object, as an estimate."""
        ...

    def outcomes(self, evidence: Evidence, answers: Sequence[FormModel]) -> Outcomes:
        """What one or more votes come to, where it was asked."""
        ...
