"""What stands around every paid call: the journal before it, the budget, the journal after it."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from simulator.core.errors import HaltReason, StoreError
from simulator.core.halt import Halt
from simulator.core.plan import ModelSpec, Price
from simulator.core.ports import CallId, CallRecord, Journal, Observer, Usage
from simulator.llm.caller import Caller
from simulator.llm.ledger import Book
from simulator.llm.parameters import Inputs, Question
from simulator.llm.prices import cost
from simulator.llm.replies import Answer


@dataclass(frozen=True, slots=True)
class Paid:
    """One model on behalf of one role. `price` None: it is not known."""

    spec: ModelSpec
    caller: Caller
    book: Book
    journal: Journal
    halt: Halt
    observer: Observer
    price: Price | None = None

    def recalled(self, call: CallId, digest: str) -> CallRecord | None:
        """The record of this very call, if it was made before.

        Raises:
            RunStopped: the run was halted.
        """
        self.halt.check()
        known = self.journal.recall(call, digest)
        if known is not None:
            self.observer.call_made(replace(known, attempts=0))
        return known

    async def ask(
        self, question: Question | Inputs, size: int, record: Callable[[Answer], CallRecord]
    ) -> CallRecord:
        """Make a call within the budget and commit its record, which `record` begins.

        Args:
            question: What is asked; its texts are `size` bytes long.
            size: At least as many as there are tokens.
            record: The answer as a record; model, usage, cost, latency and attempts are set here.

        Raises:
            ModelError: REJECTED or UNAVAILABLE.
            RunStopped: account refused, budget spent, nothing answers, interrupted.
            StoreError: the answer could not be saved; the run is halted.
        """
        async with self.caller.gate:
            most = Usage(size, question.max_tokens or 0)
            hold = await self.book.reserve(cost(self.price, most) if self.price else 0.0)
            try:
                got = await self.caller.ask(question, size)
            except BaseException:
                hold.release()
                raise
        answer = got.answer
        # An endpoint that tells no usage is charged what it may have used at most.
        written = 0 if isinstance(question, Inputs) else len(answer.text.encode())
        charged = answer.usage or Usage(size, written)
        made = replace(
            record(answer),
            model=self.spec.model,
            usage=answer.usage or Usage(),
            cost_usd=cost(self.price, charged) if self.price else None,
            latency_ms=got.latency_ms,
            attempts=got.attempts,
        )
        hold.settle(made)
        await self.commit(made)
        return made

    async def commit(self, record: CallRecord) -> None:
        """Save a record and tell the observer.

        Raises:
            StoreError: it could not be saved; the run is halted.
        """
        try:
            await self.journal.record(record)
        except StoreError as error:
            self.halt.throw(HaltReason.STORE, str(error))
            raise
        self.observer.call_made(record)
