"""One question to one model: attempts under the limits, in the endpoint's dialect, to an end."""

import time
from dataclasses import dataclass
from typing import Any

from simulator.core.errors import HaltReason, ModelError, ModelFault
from simulator.core.halt import Halt
from simulator.llm.endpoint import Endpoint, Gate
from simulator.llm.parameters import Dialect, Inputs, Question
from simulator.llm.replies import Answer, Failure, Trouble
from simulator.llm.retry import Retries
from simulator.llm.transport import Transport

_BYTES_PER_TOKEN = 3  # of running text, English or Japanese, as a first estimate
_WRITTEN = 300  # tokens of one answer, as a first estimate
_UNHEARD = frozenset({Trouble.BROKEN, Trouble.TIMEOUT})  # perhaps nobody heard the request
_PATIENCE = 3  # attempts to connect to an endpoint that never answered


@dataclass(frozen=True, slots=True)
class Got:
    """An answer, the number of attempts, and how long the last of them took (milliseconds)."""

    answer: Answer
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

    async def ask(self, question: Question | Inputs, size: int) -> Got:
        """The model's answer to `question`, whose texts are `size` bytes long.

        Raises:
            ModelError: REJECTED or UNAVAILABLE.
            RunStopped: the run was halted, or this call's end halts it.
        """
        call = _Call(self, question, size // _BYTES_PER_TOKEN + _written(question))
        result, attempts = await self.retries(call)
        if isinstance(result, Failure):
            raise self._end(result, attempts)
        self.endpoint.served()
        self.gate.went_well()
        return Got(result, attempts, call.latency_ms)

    def _end(self, failure: Failure, attempts: int) -> Exception:
        endpoint = self.endpoint
        said = failure.message.rstrip(".")
        if failure.trouble is Trouble.ACCOUNT:
            hint = f"check the model's name, base_url and {endpoint.key_name}, then resume"
            return self.halt.throw(HaltReason.ACCOUNT, f"{endpoint} refuses: {said}; {hint}")
        if failure.trouble is Trouble.REJECTED:
            endpoint.served()
            told = f"{endpoint} rejects the request: {said}"
            return ModelError(ModelFault.REJECTED, told, failure.body)
        if not endpoint.answered and failure.trouble is Trouble.UNREACHED:
            hint = "is the server running, is base_url right?"
            told = f"nothing answers at {endpoint.where}: {said}; {hint}"
            return self.halt.throw(HaltReason.UNREACHABLE, told)
        told = f"{endpoint} gave no answer in {attempts} attempts, lastly: {said}"
        if failure.retry_after is not None:
            told += f" (it asks to wait {failure.retry_after:g} s)"
        if endpoint.failed():
            return self.halt.throw(HaltReason.UNREACHABLE, f"{told}; several calls ended so")
        return ModelError(ModelFault.UNAVAILABLE, told, failure.body)


def _written(question: Question | Inputs) -> int:
    return 0 if isinstance(question, Inputs) else _WRITTEN


class _Call:
    """One question's attempts (retry.Call)."""

    def __init__(self, caller: Caller, question: Question | Inputs, tokens: int) -> None:
        self.latency_ms = 0.0
        self._caller = caller
        self._question = question
        self._tokens = tokens
        self._unreached = 0

    async def admit(self) -> None:
        endpoint, halt = self._caller.endpoint, self._caller.halt
        turn = endpoint.admit(self._tokens)
        await (halt.unless_stopped(turn) if endpoint.is_limited else turn)
        halt.check()

    async def send(self, timeout_s: float) -> Answer | Failure:
        """One attempt; what a rejected parameter teaches is put to use within it."""
        endpoint = self._caller.endpoint
        while True:
            dialect = endpoint.dialect
            body = dialect.body(self._question)
            result = await self._post(body, timeout_s)
            better = dialect.after(result, body) if isinstance(result, Failure) else None
            if better is None:
                self._settle(result, dialect)
                return result
            endpoint.learn(dialect, better)
            self._caller.halt.check()

    def hopeless(self) -> bool:
        """Nobody is there, and nobody ever was."""
        return self._unreached >= _PATIENCE and not self._caller.endpoint.answered

    async def _post(self, body: dict[str, Any], timeout_s: float) -> Answer | Failure:
        epoch = self._caller.gate.epoch
        started = time.perf_counter()
        question = self._question
        result = await self._caller.transport.post(body, timeout_s, question.path, question.reader)
        self.latency_ms = (time.perf_counter() - started) * 1000
        trouble = result.trouble if isinstance(result, Failure) else None
        if trouble is Trouble.UNREACHED:
            self._unreached += 1
        elif trouble not in _UNHEARD:
            self._caller.endpoint.answered = True
        if trouble is Trouble.CROWDED:
            self._caller.gate.crowded(epoch)
        return result

    def _settle(self, result: Answer | Failure, dialect: Dialect) -> None:
        """The tokens that were used; and an answer to a schema that is not JSON is noticed."""
        endpoint = self._caller.endpoint
        if isinstance(result, Failure):
            endpoint.settle(self._tokens, 0)
            return
        used = result.usage
        endpoint.settle(self._tokens, used.input + used.output if used else self._tokens)
        if self._question.form and result.fault is None:
            endpoint.formed(dialect, as_asked=result.text.startswith("{"))
