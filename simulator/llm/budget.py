"""What stands around every paid call: the journal before it, the budget, the journal after it."""

import asyncio
import hashlib
import math
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from simulator.core.concurrency import Halt
from simulator.core.errors import HaltReason, StoreError
from simulator.core.plan import Limits, ModelSpec, Price, Spending
from simulator.core.ports import CallId, CallRecord, Journal, Lease, Lender, Role, Usage
from simulator.core.run import Ledger
from simulator.core.traffic import Limit, Track, Traffic, status_of
from simulator.llm.caller import Caller
from simulator.llm.parameters import ChatRequest, EmbeddingRequest
from simulator.llm.prices import cost
from simulator.llm.replies import ModelAnswer

_AGAIN_S = 0.5  # between two looks whether others gave something back
_SPARE = 1.25  # answers may be longer than the longest that was seen


class Written:
    """How long a model's answers are on behalf of one role, and so how many may be in flight.

    A server may not heed `max_tokens`: then the longest answer says what the others may cost. At
    first, and after each that cost more than was set aside, one call goes alone; then no more than
    twice as many as have cost less since.
    """

    def __init__(self) -> None:
        self.in_flight = 0
        self._longest = 0
        self._is_heeded = True
        self._well = 0

    @property
    def has_room(self) -> bool:
        """Whether one more may go."""
        return self.in_flight < max(1, 2 * self._well)

    def most(self, requested: int) -> int:
        """The tokens of an answer that was asked to have at most so many."""
        return requested if self._is_heeded else max(requested, math.ceil(_SPARE * self._longest))

    def learn(self, requested: int, written: int, *, kept: bool) -> None:
        """An answer came; `kept`: it cost no more than was set aside for it."""
        self._longest = max(self._longest, written)
        self._is_heeded = self._is_heeded and written <= requested
        self._well = self._well + 1 if kept else 0


@dataclass(frozen=True, slots=True)
class Most:
    """What one call may cost: USD for what it reads; tokens that it is asked to write at most."""

    reads_usd: float
    tokens: int = 0
    token_usd: float = 0.0
    written: Written = field(default_factory=Written)

    @property
    def usd(self) -> float:
        """By all that is known by now."""
        return self.reads_usd + self.written.most(self.tokens) * self.token_usd


class Budget:
    """The ledger and its limits: reserve before a call, settle after it.

    Args:
        limits: `budget_usd` and `calls` are kept here.
        halt: Thrown with BUDGET when the next call does not fit.
        paid: What the run had paid before it was resumed.
        lender: Lends pieces of `limits` where other processes play the run, too.
    """

    def __init__(
        self, limits: Limits, halt: Halt, paid: Ledger, lender: Lender | None = None
    ) -> None:
        self._limits = limits
        self._halt = halt
        self._calls = Counter(paid.calls)
        self._tokens = [paid.input_tokens, paid.output_tokens, paid.cached_tokens]
        self._spent = paid.cost_usd or 0.0
        self._priced = paid.cost_usd is not None
        self._made = paid.model_calls
        self._begun = paid.model_calls
        self._open: list[Most] = []
        self._reserved = 0.0
        self._changed: asyncio.Future[None] | None = None
        self._lender = lender
        self._borrowing = asyncio.Lock()
        self._lease = Lease(Spending() if lender else limits.cap, limits.cap)

    @property
    def ledger(self) -> Ledger:
        """What was paid up to now."""
        read, written, cached = self._tokens
        spent = self._spent if self._priced else None
        return Ledger(dict(self._calls), read, written, cached, spent, self._made)

    async def reserve(self, most: Most) -> None:
        """Set money aside for one call; `settle` or `release` ends that.

        Where it does not fit only because others are in flight, it waits until they have
        cost less than was set aside for them.

        Raises:
            RunStopped: it does not fit even when nothing is in flight, or the number of calls
                is used up.
        """
        while True:
            self._halt.check()
            if not most.written.has_room and self._limits.budget_usd is not None:
                await self._change()
            elif self._is_covered(most):
                break
            else:
                await self._borrow(most)
        self._begun += 1
        self._open.append(most)
        self._reserved += most.usd
        most.written.in_flight += 1

    def settle(self, most: Most, record: CallRecord, written: int = 0) -> None:
        """The call was paid: what it really cost takes the place of what was set aside.

        `written`: the tokens of the answer that were charged.
        """
        self._count(record)
        kept = (record.cost_usd or 0.0) <= most.usd
        most.written.learn(most.tokens, written, kept=kept)
        self.release(most)

    def saved(self, record: CallRecord) -> None:
        """A call that was settled is in the journal."""
        if self._lender is not None:
            self._lender.saved(record)

    def release(self, most: Most) -> None:
        """The call is over, and nothing is set aside for it any more."""
        most.written.in_flight -= 1
        self._open.remove(most)
        if self._limits.budget_usd is not None:  # what is in flight may turn out to cost more
            self._reserved = sum(each.usd for each in self._open)
        if self._changed is not None and not self._changed.done():
            self._changed.set_result(None)

    def close(self) -> None:
        """Give back what was borrowed; if that fails, it comes back when this process ends."""
        if self._lender is not None:
            with suppress(StoreError):
                self._lender.settle(Spending(self._spent, self._made))

    def _needed(self, most: Most) -> Spending:
        return Spending(self._spent + self._reserved + most.usd, self._begun + 1)

    def _is_covered(self, most: Most) -> bool:
        usd, calls = self._needed(most)
        return usd <= self._lease.allowed.usd and calls <= self._lease.allowed.calls

    async def _borrow(self, most: Most) -> None:
        """Have the call covered by a lease, or wait until something has changed.

        Raises:
            RunStopped: nothing can be borrowed, now or later.
        """
        async with self._borrowing:
            needed = self._needed(most)
            if self._lender is not None and not self._is_covered(most):
                kept = Spending(self._spent + self._reserved, self._begun)
                self._lease = self._lease._replace(allowed=kept)  # nothing is reserved meanwhile
                paid = Spending(self._spent, self._begun)
                try:
                    self._lease = await self._lender.lease(paid, kept, needed)
                except StoreError as error:
                    raise self._halt.throw(HaltReason.STORE, str(error)) from error
            if self._halt.reason is not None or self._is_covered(most):
                return
            if self._needed(most) != needed:  # meanwhile a call in flight cost less than reserved
                return
            if not self._lease.may_return:
                self._check_calls()
            if self._open:
                await self._change()
            elif self._lease.may_return:
                await asyncio.sleep(_AGAIN_S)
            else:
                raise self._halt.throw(HaltReason.BUDGET, self._too_dear(most.usd))

    def _check_calls(self) -> None:
        if self._begun + 1 > self._lease.most.calls:
            made = self._begun + self._lease.elsewhere.calls
            message = f"{made:.0f} model calls were made, the limit{self._kept}"
            raise self._halt.throw(HaltReason.BUDGET, f"{message}; raise limits.calls and resume")

    def _too_dear(self, usd: float) -> str:
        spent = self._spent + self._lease.elsewhere.usd
        return (
            f"the budget of {self._limits.budget_usd:g} USD is too small for another call"
            f"{self._kept}: {spent:.4f} USD are spent and the next call may cost "
            f"{usd:.4f}; raise the budget and resume"
        )

    @property
    def _kept(self) -> str:
        """That the rest is for shards that may use other stores, if there is a rest."""
        known = map(sum, zip(self._lease.most, self._lease.elsewhere, strict=True))
        rest = any(k < 0.999 * c for k, c in zip(known, self._limits.cap, strict=True))
        return " (the rest is for shards that have not begun in this store)" if rest else ""

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
    price: Price | None = None
    traffic: Traffic = field(default_factory=Traffic)
    written: Written = field(default_factory=Written)

    def recalled(self, call: CallId, digest: str) -> CallRecord | None:
        """The record of this very call, if it was made before.

        Raises:
            RunStopped: the run was halted.
        """
        self.halt.check()
        known = self.journal.recall(call, digest)
        if known is not None:
            self.traffic.recalled(known)
        return known

    async def ask(
        self,
        question: ChatRequest | EmbeddingRequest,
        size: int,
        call: CallId,
        digest: str,
        response: Callable[[ModelAnswer], str],
    ) -> tuple[ModelAnswer, CallRecord]:
        """Make a call within the budget and commit its record.

        Args:
            question: What is asked; its texts are `size` bytes long.
            size: At least as many as there are tokens.
            call: On whose behalf.
            digest: The hash of its input.
            response: The answer as the journal keeps it.

        Raises:
            ModelError: REJECTED or UNAVAILABLE; UNPARSABLE as `Caller.ask` has it.
            RunStopped: account refused, budget spent, nothing answers, interrupted.
            StoreError: the answer could not be saved; the run is halted.
        """
        where = self.caller.transport.where
        track = self.traffic.begin(call, where, self.spec.model)
        try:
            most, answer = await self._admitted(question, size, track)
        except BaseException as error:
            track.end(status_of(error))
            raise
        # An endpoint that tells no usage is charged what it may have used at most.
        written = 0 if isinstance(question, EmbeddingRequest) else len(answer.text.encode())
        charged = answer.usage or Usage(size, written)
        record = CallRecord(
            call,
            digest,
            response(answer),
            model=self.spec.model,
            usage=answer.usage or Usage(),
            cost_usd=cost(self.price, charged) if self.price else None,
            latency_ms=track.latency_ms,
            attempts=track.attempts,
            endpoint=where,
            waited_ms=track.waited_ms,
        )
        self.book.settle(most, record, charged.output)
        track.end(answer.fault or "ok", answer.usage, record.cost_usd)
        await self._commit(record)
        self.book.saved(record)
        return answer, record

    async def take_over(self, record: CallRecord) -> None:
        """Save the record of a call that need not be made.

        Raises:
            StoreError: it could not be saved; the run is halted.
        """
        await self._commit(record)
        self.traffic.recalled(record)

    async def _admitted(
        self, question: ChatRequest | EmbeddingRequest, size: int, track: Track
    ) -> tuple[Most, ModelAnswer]:
        with track.wait(Limit.CONCURRENCY) as queue:
            async with self.caller.gate:
                queue.close()
                most = self._most(question, size)  # by what is known of the endpoint now
                with track.wait(Limit.BUDGET):
                    await self.book.reserve(most)
                try:
                    return most, await self.caller.ask(question, size, track)
                except BaseException:
                    self.book.release(most)
                    raise

    def _most(self, question: ChatRequest | EmbeddingRequest, size: int) -> Most:
        if self.price is None:
            return Most(0.0)
        reads = cost(self.price, Usage(self.caller.endpoint.most_tokens(size)))
        a_token = cost(self.price, Usage(output=1))
        return Most(reads, question.max_tokens or 0, a_token, self.written)

    async def _commit(self, record: CallRecord) -> None:
        try:
            await self.journal.record(record)
        except StoreError as error:
            self.halt.throw(HaltReason.STORE, str(error))
            raise


def input_hash(parts: Sequence[bytes]) -> str:
    """The hash of a call's input; their lengths are in it, so that no two inputs look alike."""
    lengths = ",".join(str(len(part)) for part in parts)
    return hashlib.sha256(b"".join([lengths.encode(), *parts])).hexdigest()
