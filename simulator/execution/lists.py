"""The lists in which a bot of ours is asked first questions together, as far as they are to come.

A kind of target says by its class method `together(settings)` how many questions one call answers.
"""

from collections.abc import Set
from dataclasses import dataclass
from typing import Self

from simulator import plugins
from simulator.core.plan import Plan
from simulator.execution.lengths import read_in_a_list
from simulator.files.client.loading import LoadedClient


@dataclass(frozen=True, slots=True)
class Lists:
    """Lists of questions that are still to be asked.

    `answer_first`: first questions are answered from a list. They are not where users word their
    first question themselves: then no list is needed, as a rule. `asked`: so many of these were
    surely asked before the run was taken up again.
    """

    questions: tuple[tuple[str, ...], ...] = ()
    asked: int = 0
    answer_first: bool = False

    @classmethod
    def of(cls, plan: Plan, complete: Set[str]) -> Self:
        """The lists that the cells of a plan need which are not `complete`."""
        spec = plan.client.target
        kind = plugins.find("targets", spec.kind)
        size = kind.together(kind.Settings(**spec.settings)) if hasattr(kind, "together") else 0
        if not size or plan.target_model is None:
            return cls()
        cells = [(plan.scenarios[c.scenario].query, c.key in complete) for c in plan.cells()]
        every = tuple(dict.fromkeys(query for query, _ in cells))
        lists = [every[at : at + size] for at in range(0, len(every), size)]
        left = {query for query, done in cells if not done}
        played = {query for query, done in cells if done}
        needed = tuple(some for some in lists if left.intersection(some))
        asked = sum(1 for some in needed if played.intersection(some))
        return cls(needed, asked, plan.client.user.open == "exact")

    def __bool__(self) -> bool:
        return bool(self.questions)

    @property
    def needed(self) -> int:
        """How many lists there are."""
        return len(self.questions)

    @property
    def lowest(self) -> int:
        """How many of them are surely asked."""
        return self.needed - self.asked if self.answer_first else 0

    def mean(self, plan: Plan, loaded: LoadedClient) -> tuple[float, float]:
        """The characters that the call of one list reads, and the questions that it holds."""
        read = sum(read_in_a_list(plan, loaded, some) for some in self.questions)
        return read / self.needed, sum(map(len, self.questions)) / self.needed
