"""One question to one model: attempts under the limits, again after a wait, to an end."""

import re
import time
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import Any

from simulator.core.concurrency import Halt
from simulator.core.errors import HaltReason, ModelError, ModelFault
from simulator.core.plan import ModelSpec
from simulator.core.traffic import Limit, Track
from simulator.llm.account import Door, Rejections
from simulator.llm.client import Endpoint, Gate, Transport
from simulator.llm.parameters import ChatRequest, Dialect, EmbeddingRequest, Rung
from simulator.llm.replies import Failure, FailureKind, ModelAnswer, says
from simulator.retries import Backoff, Clock
from simulator.text.phrases import phrases

# What never comes to an end for a reason that somebody can mend.
_HINTED = frozenset({FailureKind.CROWDED, FailureKind.MALFORMED})
_UNHEARD = frozenset({FailureKind.BROKEN, FailureKind.TIMEOUT})  # perhaps nobody heard the request
_BACKOFF = Backoff(first=2, most=60, more=1, most_more=10)
_LOOK_UP_S = 0.5  # how often a waiting call looks whether the run was halted
_GARBLED = 2  # answers of which the endpoint made no form: then it is asked for in words
_PATIENCE = 3  # attempts to connect to an endpoint that never answered, or to write the form
_PIECE = 16  # characters: what an endpoint repeats of a text is twice as long
_TEXT = 4  # characters: shorter ones stand in any message


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """`deadline_s`: seconds in which attempts of one call may begin; `attempts` None: until then.

    `attempt_s`: seconds for one attempt, from the request to the last byte of the answer. Each has
    as much, the last one too: what is too slow for the rest of a deadline would fail for certain.
    """

    deadline_s: float = 300.0
    attempt_s: float = 120.0
    attempts: int | None = None

    def of(self, spec: ModelSpec) -> "RetryPolicy":
        """The same with what is said of one model; slow attempts are given a second one."""
        attempt_s = spec.timeout_s or self.attempt_s
        usual_s = max(self.deadline_s, 2 * attempt_s) if spec.timeout_s else self.deadline_s
        return replace(self, attempt_s=attempt_s, deadline_s=spec.deadline_s or usual_s)


@dataclass(frozen=True, slots=True)
class Caller:
    """Calls one model on behalf of one role."""

    transport: Transport
    endpoint: Endpoint
    gate: Gate
    policy: RetryPolicy
    clock: Clock
    halt: Halt
    door: Door
    rejections: Rejections

    async def ask(
        self, question: ChatRequest | EmbeddingRequest, size: int, track: Track
    ) -> ModelAnswer:
        """The model's answer to `question`, whose texts are `size` bytes long.

        What happens to it on the way is noted on `track`: the attempts, and how long the last took.

        Raises:
            ModelError: REJECTED, UNAVAILABLE, or UNPARSABLE where the endpoint itself says that
                the response has the wrong format.
            RunStopped: the run was halted, or this call's end halts it.
        """
        kind, writes = _kind(question), isinstance(question, ChatRequest)
        tokens = self.endpoint.estimates.tokens(kind, size, writes=writes)
        call = Attempts(self, question, tokens, track)
        track.sent = size
        async with self.door.turn(self.halt, track):
            epoch = self.rejections.epoch
            result = await call.to_the_last()
            if isinstance(result, Failure):
                raise self._end(result, question, track)
            self.door.opened()
        self.rejections.answered(epoch)
        self.endpoint.served()
        self.gate.went_well()
        if result.usage:
            self.endpoint.counted(size, result.usage.input)
            self.endpoint.estimates.learn(kind, size, result.usage)
        return result

    def _end(
        self, failure: Failure, question: ChatRequest | EmbeddingRequest, track: Track
    ) -> Exception:
        endpoint, attempts, episode = self.endpoint, track.attempts, track.call.episode
        reason = failure.message.rstrip(".")
        if failure.trouble is FailureKind.GARBLED:
            message = (
                f"{endpoint} couldn't produce the requested format, {attempts} times: {reason}"
            )
            return ModelError(ModelFault.UNPARSABLE, message, failure.body)
        if not failure.trouble.passes:
            return self._refused(failure, reason, episode, question.extra)
        return self._in_vain(failure, reason, attempts)

    def _in_vain(self, failure: Failure, reason: str, attempts: int) -> Exception:
        """There was no answer, however often it was tried."""
        endpoint = self.endpoint
        if not endpoint.heard and failure.trouble is FailureKind.UNREACHED:
            hint = "is the server running, is base_url right?"
            message = f"no server responds at {endpoint.where}: {reason}; {hint}"
            return self.halt.throw(HaltReason.UNREACHABLE, message)
        message = f"{endpoint} didn't respond in {attempts} attempts; last error: {reason}"
        if failure.retry_after is not None:
            message += f" (it asks to wait {failure.retry_after:g} s)"
        if failure.trouble is FailureKind.TIMEOUT:
            message += "; if it needs longer, set timeout_s (and max_tokens) next to the model"
        self.door.shut()
        if endpoint.failed():
            return self.halt.throw(HaltReason.UNREACHABLE, f"{message}; several calls failed alike")
        is_over = self.policy.attempts is None and failure.retry_after is None  # it had its time
        if not self.door.answered and is_over:
            check = advice(reason, endpoint.key_name)
            hint = f"; {check}" if failure.trouble in _HINTED else ""
            never = f"{message}; it never responded{hint}"
            return self.halt.throw(HaltReason.UNREACHABLE, never)
        return ModelError(ModelFault.UNAVAILABLE, message, failure.body)

    def _refused(
        self, failure: Failure, reason: str, episode: str, extra: Collection[str]
    ) -> Exception:
        """Everybody's trouble, or one request's own, until it happens again and again.

        A prompt that is too long is its own, once the account has answered: others are shorter.
        """
        check = advice(reason, self.endpoint.key_name, extra)
        if failure.trouble is FailureKind.ACCOUNT:
            message = f"{self.endpoint} refuses: {reason}; {check}, then resume"
            return self.halt.throw(HaltReason.ACCOUNT, message)
        self.endpoint.served()
        message = f"{self.endpoint} rejects the request: {reason}"
        if failure.trouble is FailureKind.TOO_LONG and self.door.answered:
            text = f"{message}; {check}"
            return ModelError(ModelFault.REJECTED, text, failure.body, of_prompt=True)
        if many := self.rejections.too_many(episode, failure.message):
            message = f"{self.endpoint} {many}; last error: {reason}; {check}, then resume"
            return self.halt.throw(HaltReason.ACCOUNT, message)
        usual = _OTHERWISE.replace("{key}", self.endpoint.key_name)
        text = message if check == usual else f"{message}; {check}"
        of_prompt = failure.trouble is FailureKind.TOO_LONG
        return ModelError(ModelFault.REJECTED, text, failure.body, of_prompt=of_prompt)


@dataclass(slots=True)
class Attempts:
    """The attempts of one question: which failures are tried again, after what wait, until when."""

    caller: Caller
    question: ChatRequest | EmbeddingRequest
    tokens: int
    track: Track
    unreached: int = 0
    garbled: int = 0

    async def to_the_last(self) -> ModelAnswer | Failure:
        """The answer or the last failure.

        The deadline counts from the first request, not from the queue before it.

        Raises:
            RunStopped: the run was halted meanwhile.
        """
        policy, clock = self.caller.policy, self.caller.clock
        attempt_s = min(policy.attempt_s, policy.deadline_s)
        until: float | None = None
        while True:
            await self.admit()
            until = clock.now() + policy.deadline_s if until is None else until
            self.track.attempts += 1
            result = await self.send(attempt_s)
            if isinstance(result, ModelAnswer) or not result.trouble.passes:
                return result
            wait_s = _BACKOFF.seconds(self.track.attempts, result.retry_after)
            is_last = self.track.attempts == policy.attempts or clock.now() + wait_s >= until
            if is_last or self.hopeless(result):
                return result
            limit = Limit.RETRY if result.retry_after is None else Limit.RETRY_AFTER
            with self.track.wait(limit, wait_s):
                await self._sleep(wait_s)

    async def _sleep(self, seconds: float) -> None:
        clock = self.caller.clock
        until = clock.now() + seconds
        while (left := until - clock.now()) > 0:
            self.caller.halt.check()
            await clock.pause(min(left, _LOOK_UP_S))

    async def admit(self) -> None:
        """Return when the rate limits let one more request through."""
        endpoint, halt = self.caller.endpoint, self.caller.halt
        turn = endpoint.admit(self.tokens, self.track)
        await (halt.unless_stopped(turn) if endpoint.is_limited else turn)
        halt.check()

    async def send(self, timeout_s: float) -> ModelAnswer | Failure:
        """One attempt; what a rejected parameter teaches is put to use within it.

        What the endpoint says of a parameter is learnt at once; a lower rung that was tried
        without its word, when there is an answer.
        """
        endpoint = self.caller.endpoint
        known = dialect = self._known()
        guessed: list[Failure] = []
        while True:
            body = dialect.body(self.question)
            result = await self._posted(dialect, body, timeout_s)
            if not isinstance(result, Failure):
                endpoint.learn(known, dialect)
                break
            if better := dialect.after(result, body):
                if dialect is known:
                    endpoint.learn(known, better)
                    known = better
            elif better := endpoint.guess(dialect, result, body):
                guessed.append(result)
            else:
                break
            dialect = better
            self.caller.halt.check()
        if isinstance(result, Failure) and not result.trouble.passes:
            for failure in guessed:
                endpoint.not_the_form(failure)
        self._settle(result, dialect)
        self._note(result)
        return result

    def _known(self) -> Dialect:
        """How the endpoint wants to be asked; in words where it made no form of two answers."""
        dialect = self.caller.endpoint.dialect
        in_words = self.garbled >= _GARBLED and self.question.form is not None
        return replace(dialect, rung=Rung.PROMPT) if in_words else dialect

    def hopeless(self, failure: Failure) -> bool:
        """True if nobody is there, and nobody ever was; or if the model has had its tries.

        A web page where nothing was ever answered is another server, or wants somebody to log in.
        """
        if failure.is_page and not self.caller.door.answered:
            return True
        if self.garbled >= _PATIENCE:
            return True
        return self.unreached >= _PATIENCE and not self.caller.endpoint.heard

    def _note(self, result: ModelAnswer | Failure) -> None:
        if isinstance(result, Failure):
            kind, message = result.trouble.value, result.message
            if result.trouble is FailureKind.GARBLED:
                message = "the response has the wrong format"  # the endpoint may quote it
            elif _quotes(message, self.question):
                message = "it repeats the request"
            self.track.failed(f"{kind} ({message})")

    async def _posted(
        self, dialect: Dialect, body: dict[str, Any], timeout_s: float
    ) -> ModelAnswer | Failure:
        """One request, or one for each text; the first that brings no vector ends it."""
        if not dialect.singly or not isinstance(self.question, EmbeddingRequest):
            return await self._post(body, timeout_s)
        answers: list[ModelAnswer] = []
        for text in body["input"]:
            result = await self._post({**body, "input": text}, timeout_s)
            if isinstance(result, Failure) or result.fault:
                return result
            answers.append(result)
        return self.question.joined(answers)

    async def _post(self, body: dict[str, Any], timeout_s: float) -> ModelAnswer | Failure:
        epoch = self.caller.gate.epoch
        started = time.perf_counter()
        question = self.question
        result = await self.caller.transport.post(body, timeout_s, question.path, question.reader)
        self.track.latency_ms = (time.perf_counter() - started) * 1000
        trouble = result.trouble if isinstance(result, Failure) else None
        self.garbled += trouble is FailureKind.GARBLED
        if trouble is FailureKind.UNREACHED:
            self.unreached += 1
        elif trouble not in _UNHEARD:
            self.caller.endpoint.heard = True
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
            as_asked = result.text.startswith("{") and self.garbled < _GARBLED
            endpoint.formed(endpoint.dialect if self.garbled else dialect, as_asked=as_asked)


def _kind(question: ChatRequest | EmbeddingRequest) -> str:
    """What calls with such a question have in common: the user's are short, the judge's long."""
    return question.form.name if question.form else question.path


def _quotes(reason: str, question: ChatRequest | EmbeddingRequest) -> bool:
    """Whether a message of an endpoint holds a text of the request, whole or a piece of it."""
    texts: Iterable[str]
    if isinstance(question, ChatRequest):
        texts = [message.content for message in question.messages]
    else:
        texts = question.texts
    pieces = [reason[at : at + _PIECE] for at in range(0, len(reason) - _PIECE + 1, _PIECE)]
    return any(
        (len(text) >= _TEXT and text in reason) or any(piece in text for piece in pieces)
        for text in texts
    )


_OTHERWISE = "check the model's name, base_url and {key}; `mogi check` shows what is set"


def advice(message: str, key_name: str, extra: Collection[str] = ()) -> str:
    """What to check, in a clause. `message` begins with the status; `extra`: keys of extra_body."""
    for name in extra:
        if re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", message):
            return f"`{name}` is in extra_body: remove it there, or use a valid value"
    known = phrases("llm/advice").entries
    name = next((name for name in known if says(f"advice-{name}", message)), "")
    clause = known.get(name) or _parameter_advice(message) or _OTHERWISE
    return str(clause).replace("{key}", key_name)


def _parameter_advice(message: str) -> str:
    """What to do about a parameter that a 400 or 422 names."""
    if not re.match(r"(400|422)\b", message):
        return ""
    match = phrases("llm/refusals").pattern("parameter", re.IGNORECASE).search(message)
    name = next(filter(None, match.groups()), "") if match else ""
    if not name:
        return ""
    if re.search(r"\b(required|missing)\b", message, re.IGNORECASE):
        return f"it requires `{name}`: add it to extra_body, next to the model"
    return f"it rejects this value of `{name}`: change or remove it, next to the model"
