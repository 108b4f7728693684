"""What stands around every paid call: the journal before it, the budget, the journal after it."""

import asyncio
import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace

from simulator.core.concurrency import Halt
from simulator.core.errors import HaltReason, StoreError
from simulator.core.plan import Limits, ModelSpec, Price
from simulator.core.ports import CallId, CallRecord, Journal, Observer, Role, Usage
from simulator.core.run import Ledger
from simulator.core.traffic import Limit, Track, Traffic, status_of
from simulator.llm.caller import Caller, CallResult
from simulator.llm.parameters import ChatRequest, EmbeddingRequest
from simulator.llm.prices import cost
from simulator.llm.replies import ModelAnswer


@dataclass(frozen=True, slots=True)
class Hold:
    """Money set aside for one call in flight. Ends once, by `settle` or by `release`."""

    usd: float
    end: Callable[["Hold", CallRecord | None], None]

    def settle(self, record: CallRecord) -> None:
        """The call was paid: what it really cost takes the place of what was set aside."""
        self.end(self, record)

    def release(self) -> None:
        """The call came to nothing."""
        self.end(self, None)


class Budget:
    """The ledger and its limits: reserve before a call, settle after it.

    Args:
        limits: `budget_usd` and `calls` are kept here.
        halt: Thrown with BUDGET when the next call does not fit.
        paid: What the run had paid before it was resumed.
    """

    def __init__(self, limits: Limits, halt: Halt, paid: Ledger) -> None:
        self._limits = limits
        self._halt = halt
        self._calls = Counter(paid.calls)
        self._tokens = [paid.input_tokens, paid.output_tokens, paid.cached_tokens]
        self._spent = paid.cost_usd or 0.0
        self._priced = paid.cost_usd is not None
        self._made = paid.model_calls
        self._begun = paid.model_calls
        self._open = 0
        self._held = 0.0
        self._changed: asyncio.Future[None] | None = None

    @property
    def ledger(self) -> Ledger:
        """What was paid up to now."""
        read, written, cached = self._tokens
        spent = self._spent if self._priced else None
        return Ledger(dict(self._calls), read, written, cached, spent, self._made)

    async def reserve(self, most_usd: float) -> Hold:
        """Set money aside for one call, which costs at most `most_usd`.

        Where it does not fit only because others are in flight, it waits until they have
        cost less than was set aside for them.

        Raises:
            RunStopped: it does not fit even when nothing is in flight, or the number of calls
                is used up.
        """
        while True:
            self._halt.check()
            self._check_calls()
            if self._fits(most_usd):
                break
            if not self._open:
                raise self._halt.throw(HaltReason.BUDGET, self._too_dear(most_usd))
            await self._change()
        self._begun += 1
        self._open += 1
        self._held += most_usd
        return Hold(most_usd, self._end)

    def _fits(self, usd: float) -> bool:
        budget = self._limits.budget_usd
        return budget is None or self._spent + self._held + usd <= budget

    def _check_calls(self) -> None:
        most = self._limits.calls
        if most is not None and self._begun >= most:
            said = f"{self._begun} model calls were made, the limit; raise limits.calls and resume"
            raise self._halt.throw(HaltReason.BUDGET, said)

    def _too_dear(self, usd: float) -> str:
        return (
            f"the budget of {self._limits.budget_usd:g} USD has no room for another call: "
            f"{self._spent:.4f} USD are paid and the next call may cost {usd:.4f}; "
            "raise it and resume"
        )

    def _end(self, hold: Hold, record: CallRecord | None) -> None:
        self._open -= 1
        self._held = self._held - hold.usd if self._open else 0.0  # no rounding is left over
        if record is not None:
            self._count(record)
        if self._changed is not None and not self._changed.done():
            self._changed.set_result(None)

    def _count(self, record: CallRecord) -> None:
        usage = record.usage
        self._made += 1
        if record.call.role is not Role.TARGET:  # there, calls are questions put to the bot
            self._calls[record.call.role.value] += 1
        for place, count in enumerate((usage.input, usage.output, usage.cached)):
            self._tokens[place] += count
        if record.cost_usd is None:
            self._priced = False
        else:
            self._spent += record.cost_usd

    async def _change(self) -> None:
        if self._changed is None or self._changed.done():
            self._changed = asyncio.get_running_loop().create_future()
        await asyncio.shield(self._changed)


@dataclass(frozen=True, slots=True)
class Paid:
    """One model on behalf of one role. `price` None: it is not known."""

    spec: ModelSpec
    caller: Caller
    book: Budget
    journal: Journal
    halt: Halt
    observer: Observer
    price: Price | None = None
    traffic: Traffic = field(default_factory=Traffic)

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
        self,
        question: ChatRequest | EmbeddingRequest,
        size: int,
        call: CallId,
        record: Callable[[ModelAnswer], CallRecord],
    ) -> CallRecord:
        """Make a call within the budget and commit its record, which `record` begins.

        Args:
            question: What is asked; its texts are `size` bytes long.
            size: At least as many as there are tokens.
            call: On whose behalf.
            record: The answer as a record; model, usage, cost, latency and attempts are set here.

        Raises:
            ModelError: REJECTED or UNAVAILABLE; UNPARSABLE as `Caller.ask` has it.
            RunStopped: account refused, budget spent, nothing answers, interrupted.
            StoreError: the answer could not be saved; the run is halted.
        """
        track = self.traffic.begin(call, self.caller.transport.where, self.spec.model)
        try:
            hold, got = await self._admitted(question, size, track)
        except BaseException as error:
            track.end(status_of(error))
            raise
        answer = got.answer
        # An endpoint that tells no usage is charged what it may have used at most.
        written = 0 if isinstance(question, EmbeddingRequest) else len(answer.text.encode())
        charged = answer.usage or Usage(size, written)
        made = replace(
            record(answer),
            model=self.spec.model,
            usage=answer.usage or Usage(),
            cost_usd=cost(self.price, charged) if self.price else None,
            latency_ms=got.latency_ms,
            attempts=got.attempts,
            endpoint=self.caller.transport.where,
            waited_ms=track.waited_ms,
        )
        hold.settle(made)
        track.end(answer.fault or "ok", answer.usage)
        await self.commit(made)
        return made

    async def _admitted(
        self, question: ChatRequest | EmbeddingRequest, size: int, track: Track
    ) -> tuple[Hold, CallResult]:
        with ExitStack() as queue:
            queue.enter_context(track.wait(Limit.CONCURRENCY))
            async with self.caller.gate:
                queue.close()
                most = Usage(self.caller.endpoint.most_tokens(size), question.max_tokens or 0)
                with track.wait(Limit.BUDGET):
                    hold = await self.book.reserve(cost(self.price, most) if self.price else 0.0)
                try:
                    return hold, await self.caller.ask(question, size, track)
                except BaseException:
                    hold.release()
                    raise

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


def input_hash(parts: Sequence[bytes]) -> str:
    """The hash of a call's input; their lengths are in it, so that no two inputs look alike."""
    lengths = ",".join(str(len(part)) for part in parts)
    return hashlib.sha256(b"".join([lengths.encode(), *parts])).hexdigest()
