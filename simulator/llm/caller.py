"""One question to one model: attempts under the limits, again after a wait, to an end."""

import time
from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from simulator.core.concurrency import Halt
from simulator.core.errors import HaltReason, ModelError, ModelFault
from simulator.core.traffic import Limit, Track
from simulator.llm.endpoint import Endpoint, Gate
from simulator.llm.parameters import ChatRequest, Dialect, EmbeddingRequest
from simulator.llm.replies import Failure, FailureKind, ModelAnswer
from simulator.llm.transport import Transport
from simulator.retries import Backoff, Clock

_UNHEARD = frozenset({FailureKind.BROKEN, FailureKind.TIMEOUT})  # perhaps nobody heard the request
_BACKOFF = Backoff(first=2, most=60, more=1, most_more=10)
_LOOK_UP_S = 0.5  # how often a waiting call looks whether the run was halted
_PIECE = 16  # characters: what an endpoint repeats of a text is twice as long
_TEXT = 4  # characters: shorter ones stand in any message
_PATIENCE = 3  # attempts to connect to an endpoint that never answered


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """`deadline_s`: seconds for one call with all its waits; `attempts` None: until then.

    `attempt_s`: seconds for one attempt, from the request to the last byte of the answer.
    """

    deadline_s: float = 300.0
    attempt_s: float = 120.0
    attempts: int | None = None


class Call(Protocol):
    """What is tried, perhaps more than once."""

    async def admit(self) -> None:
        """Return when the rate limits let one more request through."""
        ...

    async def send(self, timeout_s: float) -> ModelAnswer | Failure:
        """Make one attempt."""
        ...

    def hopeless(self) -> bool:
        """Whether to give up before the deadline."""
        ...

    def waits(self, failure: Failure, seconds: float) -> AbstractContextManager[None]:
        """Around the wait for another attempt after this failure."""
        ...


@dataclass(frozen=True, slots=True)
class Retries:
    """Which failures are tried again, after what wait, until when. Serves many calls at once."""

    policy: RetryPolicy
    clock: Clock
    halt: Halt

    async def __call__(self, call: Call) -> tuple[ModelAnswer | Failure, int]:
        """The answer or the last failure, and the number of attempts.

        The deadline counts from the first request, not from the queue before it.

        Raises:
            RunStopped: the run was halted meanwhile.
        """
        policy, attempts = self.policy, 0
        until: float | None = None
        while True:
            await call.admit()
            now = self.clock.now()
            until = now + policy.deadline_s if until is None else until
            attempts += 1
            result = await call.send(min(policy.attempt_s, max(1.0, until - now)))
            if isinstance(result, ModelAnswer) or not result.trouble.passes:
                return result, attempts
            wait_s = _BACKOFF.seconds(attempts, result.retry_after)
            if attempts == policy.attempts or call.hopeless():
                return result, attempts
            if self.clock.now() + wait_s >= until:
                return result, attempts
            with call.waits(result, wait_s):
                await self._sleep(wait_s)

    async def _sleep(self, seconds: float) -> None:
        until = self.clock.now() + seconds
        while (left := until - self.clock.now()) > 0:
            self.halt.check()
            await self.clock.pause(min(left, _LOOK_UP_S))


@dataclass(frozen=True, slots=True)
class CallResult:
    """An answer, the number of attempts, and how long the last of them took (milliseconds)."""

    answer: ModelAnswer
    attempts: int
    latency_ms: float


@dataclass(frozen=True, slots=True)
class Caller:
    """Calls one model on behalf of one role."""

    transport: Transport
    endpoint: Endpoint
    gate: Gate
    retries: Retries
    halt: Halt

    async def ask(
        self, question: ChatRequest | EmbeddingRequest, size: int, track: Track
    ) -> CallResult:
        """The model's answer to `question`, whose texts are `size` bytes long.

        What happens to it on the way is noted on `track`.

        Raises:
            ModelError: REJECTED or UNAVAILABLE.
            RunStopped: the run was halted, or this call's end halts it.
        """
        kind, writes = _kind(question), isinstance(question, ChatRequest)
        tokens = self.endpoint.estimates.tokens(kind, size, writes=writes)
        call = _Call(self, question, tokens, track)
        track.sent = size
        result, attempts = await self.retries(call)
        if isinstance(result, Failure):
            raise self._end(result, attempts)
        self.endpoint.served()
        self.gate.went_well()
        if result.usage:
            self.endpoint.estimates.learn(kind, size, result.usage)
        return CallResult(result, attempts, call.latency_ms)

    def _end(self, failure: Failure, attempts: int) -> Exception:
        endpoint = self.endpoint
        said = failure.message.rstrip(".")
        if failure.trouble is FailureKind.ACCOUNT:
            hint = f"check the model's name, base_url and {endpoint.key_name}, then resume"
            return self.halt.throw(HaltReason.ACCOUNT, f"{endpoint} refuses: {said}; {hint}")
        if failure.trouble is FailureKind.REJECTED:
            endpoint.served()
            told = f"{endpoint} rejects the request: {said}"
            return ModelError(ModelFault.REJECTED, told, failure.body)
        if not endpoint.answered and failure.trouble is FailureKind.UNREACHED:
            hint = "is the server running, is base_url right?"
            told = f"nothing answers at {endpoint.where}: {said}; {hint}"
            return self.halt.throw(HaltReason.UNREACHABLE, told)
        told = f"{endpoint} gave no answer in {attempts} attempts, lastly: {said}"
        if failure.retry_after is not None:
            told += f" (it asks to wait {failure.retry_after:g} s)"
        if endpoint.failed():
            return self.halt.throw(HaltReason.UNREACHABLE, f"{told}; several calls ended so")
        return ModelError(ModelFault.UNAVAILABLE, told, failure.body)


@dataclass(slots=True)
class _Call:
    """One question's attempts (`Call`)."""

    caller: Caller
    question: ChatRequest | EmbeddingRequest
    tokens: int
    track: Track
    latency_ms: float = 0.0
    unreached: int = 0

    async def admit(self) -> None:
        endpoint, halt = self.caller.endpoint, self.caller.halt
        turn = endpoint.admit(self.tokens, self.track)
        await (halt.unless_stopped(turn) if endpoint.is_limited else turn)
        halt.check()

    async def send(self, timeout_s: float) -> ModelAnswer | Failure:
        """One attempt; what a rejected parameter teaches is put to use within it."""
        endpoint = self.caller.endpoint
        self.track.attempts += 1
        while True:
            dialect = endpoint.dialect
            body = dialect.body(self.question)
            result = await self._post(body, timeout_s)
            better = dialect.after(result, body) if isinstance(result, Failure) else None
            if better is None:
                self._settle(result, dialect)
                self._note(result)
                return result
            endpoint.learn(dialect, better)
            self.caller.halt.check()

    def waits(self, failure: Failure, seconds: float) -> AbstractContextManager[None]:
        asked = failure.retry_after is not None
        return self.track.wait(Limit.RETRY_AFTER if asked else Limit.RETRY, seconds)

    def hopeless(self) -> bool:
        """Nobody is there, and nobody ever was."""
        return self.unreached >= _PATIENCE and not self.caller.endpoint.answered

    def _note(self, result: ModelAnswer | Failure) -> None:
        self.track.latency_ms = self.latency_ms
        if isinstance(result, Failure):
            kind, said = result.trouble.value, result.message
            quotes = _quotes(said, self.question)
            self.track.failed(f"{kind} ({'it quotes what was sent' if quotes else said})")

    async def _post(self, body: dict[str, Any], timeout_s: float) -> ModelAnswer | Failure:
        epoch = self.caller.gate.epoch
        started = time.perf_counter()
        question = self.question
        result = await self.caller.transport.post(body, timeout_s, question.path, question.reader)
        self.latency_ms = (time.perf_counter() - started) * 1000
        trouble = result.trouble if isinstance(result, Failure) else None
        if trouble is FailureKind.UNREACHED:
            self.unreached += 1
        elif trouble not in _UNHEARD:
            self.caller.endpoint.answered = True
        if trouble is FailureKind.CROWDED:
            self.caller.gate.crowded(epoch)
        return result

    def _settle(self, result: ModelAnswer | Failure, dialect: Dialect) -> None:
        """The tokens that were used; and an answer to a schema that is not JSON is noticed."""
        endpoint = self.caller.endpoint
        if isinstance(result, Failure):
            endpoint.settle(self.tokens, 0)
            return
        used = result.usage
        endpoint.settle(self.tokens, used.input + used.output if used else self.tokens)
        if self.question.form and result.fault is None:
            endpoint.formed(dialect, as_asked=result.text.startswith("{"))


def _kind(question: ChatRequest | EmbeddingRequest) -> str:
    """What calls with such a question have in common: the user's are short, the judge's long."""
    return question.form.name if question.form else question.path


def _quotes(said: str, question: ChatRequest | EmbeddingRequest) -> bool:
    """Whether a message of an endpoint holds a text of the request, whole or a piece of it."""
    texts: Iterable[str]
    if isinstance(question, ChatRequest):
        texts = [message.content for message in question.messages]
    else:
        texts = question.texts
    pieces = [said[at : at + _PIECE] for at in range(0, len(said) - _PIECE + 1, _PIECE)]
    return any(
        (len(text) >= _TEXT and text in said) or any(piece in text for piece in pieces)
        for text in texts
    )
