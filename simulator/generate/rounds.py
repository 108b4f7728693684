"""Rounds over all units: everybody makes an attempt, then questions are compared with each other.

Between rounds all wait for all. So what counts as a duplicate hangs on the FAQ's order alone, and
a session that was killed asks the very same questions again and finds the answers in its journal.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from simulator.core.concurrency import Halt, work_off
from simulator.core.errors import ModelError
from simulator.core.events import Event
from simulator.generate.attempts import Attempts, Progress
from simulator.generate.duplicates import Questions
from simulator.generate.forms import Candidate, QuestionFault, Rejected
from simulator.generate.units import AT_ONCE, Method, Unit

_IN_FLIGHT = "stopped in the middle of an attempt"


class Watcher(Protocol):
    """Whoever watches a session: a subscriber that also hears how far a round is."""

    def __call__(self, event: Event) -> None:
        """See core.events."""

    def went(self, round_: int, done: int, of: int) -> None:
        """Called from the event loop; must be quick. `round_` counts from 1."""
        ...


@dataclass(frozen=True, slots=True)
class Rounds:
    """How the units are worked off.

    `attempts` None: no model is at hand, and only titles and logs give questions. `known` are the
    questions that are there already. `asks` says which units the model is asked about; `retries`:
    how often it is asked again for faulty questions.
    """

    attempts: Attempts | None
    known: Questions
    halt: Halt
    watcher: Watcher
    asks: Callable[[Unit], bool] = lambda _: True
    retries: int = 2
    at_once: int = AT_ONCE

    async def play(self, units: Sequence[Progress]) -> None:
        """Work until every unit has its questions, nobody may try again, or the halt is thrown.

        A unit that infrastructure, or the halt, keeps from ending its attempt is `broken`. A fault
        in mogi itself is raised when the others have ended.
        """
        for round_ in range(1, self.retries + 2):
            left = [p for p in units if p.open and not p.broken and not p.hopeless]
            if not left:
                return
            try:
                await self._attempted(left, round_)
            finally:
                self._compared(left)
            if self.halt.reason is not None:
                return

    async def _attempted(self, left: Sequence[Progress], round_: int) -> None:
        through = 0

        async def attempt(progress: Progress) -> None:
            nonlocal through
            progress.broken = _IN_FLIGHT
            try:
                await self._attempt(progress)
            except ModelError as error:  # UNAVAILABLE: it is tried again when the command is
                progress.broken = str(error)
                raise
            progress.broken = ""
            through += 1
            self.watcher.went(round_, through, len(left))

        await work_off(left, attempt, self.halt, min(self.at_once, len(left)))

    async def _attempt(self, progress: Progress) -> None:
        if progress.unit.lacks:
            progress.hopeless = True
            progress.reject(Rejected("", QuestionFault.NO_TITLE, progress.unit.lacks))
        elif self.attempts is None or not self.asks(progress.unit):
            self._taken(progress)
        elif progress.unit.confirms:
            await self._confirmed(progress, self.attempts)
        else:
            await self.attempts.make(progress)

    async def _confirmed(self, progress: Progress, attempts: Attempts) -> None:
        """A customer's question with the facts of its entry, if a model has the entry answer it.

        Without a usable answer in any attempt, the question is taken without facts.
        """
        if progress.attempt == progress.spent:
            await attempts.confirm(progress)
        if progress.unit.entries:
            await attempts.make(progress)
        is_last = progress.attempt - progress.spent > self.retries
        is_last = is_last or progress.hopeless or not progress.unit.entries
        if is_last and not progress.candidates:
            self._taken(progress)

    def _taken(self, progress: Progress) -> None:
        progress.hopeless = True  # there is no other title, no other question
        progress.attempt = max(1, progress.attempt)
        progress.candidates = [Candidate(" ".join(progress.unit.question.split()))]

    def _compared(self, left: Sequence[Progress]) -> None:
        """Take what no other unit has, in the units' order; the others may try again."""
        for progress in left:
            if progress.broken:
                continue
            for candidate in progress.candidates:
                other = self._like(candidate, progress.unit)
                if other is None:
                    self.known.add(candidate.question, progress.unit.voice)
                    progress.accept(candidate)
                    continue
                question, attempt = candidate.question, candidate.attempt
                fault = QuestionFault.DUPLICATE
                progress.reject(Rejected(question, fault, other, attempt, candidate.checked))
            progress.candidates = []

    def _like(self, candidate: Candidate, unit: Unit) -> str | None:
        if unit.method is Method.TITLE:  # the FAQ itself tells its entries apart, if it can
            return self.known.same(candidate.question)
        return self.known.like(candidate.question, unit.voice)
