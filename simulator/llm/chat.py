"""A chat model as the other rooms know it: journal and budget around each call."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from simulator.core.clean import clean
from simulator.core.errors import ModelFault
from simulator.core.plan import ModelSpec
from simulator.core.ports import CallId, CallRecord, Completion, Form, Message, Role, Usage
from simulator.llm.budget import Paid, input_hash
from simulator.llm.parameters import ChatRequest
from simulator.llm.replies import ModelAnswer

# What providers add to the texts, in tokens: marks around messages, the form's frame.
_PER_MESSAGE = 8
_PER_CALL = 64


_LONGEST = 16_384
_ENCODER = json.JSONEncoder(ensure_ascii=False)


@dataclass(slots=True)
class Length:
    """How many tokens an answer may have at most, where a budget has to be kept.

    What a role writes is short; a model that thinks first needs more, and says so by being cut off.
    """

    tokens: int

    def was_too_short(self) -> None:
        """An answer was cut off: later ones may be longer."""
        self.tokens = min(4 * self.tokens, _LONGEST)


@dataclass(frozen=True, slots=True)
class ModelChat:
    """One model on behalf of one role (core.ports.Chat).

    A paid answer is committed before it is returned, also one with a fault in the model's own
    words, so that a resumed run repeats it. `length` bounds an answer where there is a budget to
    keep and nobody said how long it may be. `reuse` holds the records of another run by part and
    digest; only the judge's calls look there.
    """

    paid: Paid
    length: Length | None = None
    reuse: Mapping[tuple[str, str], CallRecord] | None = None

    async def complete(
        self,
        call: CallId,
        messages: Sequence[Message],
        *,
        form: Form | None = None,
        fence: str = "",
    ) -> Completion:
        """See core.ports.Chat.

        Raises:
            ModelError: REJECTED or UNAVAILABLE.
            RunStopped: account refused, budget spent, nothing answers, interrupted.
            StoreError: the answer could not be saved; the run is halted.
        """
        paid, spec = self.paid, self.paid.spec
        texts = _Texts.of(messages, form)
        digest = texts.digest(spec, fence)
        if (record := paid.recalled(call, digest)) and not _asked_anew(call, record):
            return _completion(record)
        if record := self._reused(call, digest):
            await paid.take_over(record)
            return _completion(record)
        bound = self.length.tokens if self.length else None
        question = ChatRequest(
            spec.model,
            texts.messages,
            spec.temperature,
            form,
            spec.max_tokens or bound,
            spec.reasoning_effort,
            spec.extra_body,
        )

        said: list[ModelAnswer] = []  # the one that came

        def begun(answer: ModelAnswer) -> CallRecord:
            said.append(answer)
            response = {"text": answer.text, "fault": answer.fault, "finish": answer.finish}
            told = {**response, "reasoned": True} if answer.reasoned else response
            return CallRecord(call, digest, _ENCODER.encode(told))

        paid_for = await paid.ask(question, texts.size, call, begun)
        made = Completion(said[0].text, paid_for.usage, said[0].fault, paid_for.latency_ms)
        if self.length and made.fault is ModelFault.TRUNCATED:
            self.length.was_too_short()
        return made

    def _reused(self, call: CallId, digest: str) -> CallRecord | None:
        if not self.reuse or call.role is not Role.JUDGE:
            return None
        found = self.reuse.get((call.part, digest))
        if found is None:
            return None
        return replace(found, call=call, usage=Usage(), cost_usd=0.0, attempts=0, reused=True)


@dataclass(frozen=True, slots=True)
class _Texts:
    """The input of a call, encoded once: as it is sent, hashed and counted."""

    messages: tuple[Message, ...]
    encoded: tuple[bytes, ...]
    schema: bytes = b""
    instructions: bytes = b""

    @classmethod
    def of(cls, messages: Sequence[Message], form: Form | None) -> "_Texts":
        sendable, encoded = zip(*map(_encoded, messages), strict=True)
        if form is None:
            return cls(sendable, encoded)
        return cls(sendable, encoded, *_written(form))

    @property
    def size(self) -> int:
        """In bytes: at least as many as there are tokens, in every tokeniser of today."""
        texts = sum(map(len, self.encoded)) + len(self.schema) + len(self.instructions)
        return texts + _PER_MESSAGE * len(self.messages) + _PER_CALL

    def digest(self, spec: ModelSpec, fence: str) -> str:
        """The hash of model and settings, messages without the fence, and schema."""
        hidden = fence.encode()
        parts = [f"{spec.model}\n{spec.temperature}{_settings(spec)}".encode(), self.schema]
        for message, text in zip(self.messages, self.encoded, strict=True):
            parts += [message.role.encode(), text.replace(hidden, b"") if hidden else text]
        return input_hash(parts)


def _settings(spec: ModelSpec) -> str:
    """What else decides an answer, where it is set: runs of before had none of it."""
    said = {
        "max_tokens": spec.max_tokens,
        "reasoning_effort": spec.reasoning_effort,
        "extra_body": dict(spec.extra_body),
    }
    said = {name: value for name, value in said.items() if value}
    return f"\n{json.dumps(said, sort_keys=True, default=str)}" if said else ""


def _completion(record: CallRecord) -> Completion:
    response = json.loads(record.response)
    fault = ModelFault(response["fault"]) if response["fault"] else None
    return Completion(response["text"], record.usage, fault, record.latency_ms)


def _asked_anew(call: CallId, record: CallRecord) -> bool:
    """Whether a resume asks again: a filter left the conversation of this user unfinished."""
    return call.role is Role.USER and _completion(record).fault is ModelFault.FILTERED


@lru_cache(maxsize=64)  # a run has a form or two, each made once
def _written(form: Form) -> tuple[bytes, bytes]:
    return json.dumps(form.schema, sort_keys=True).encode(), form.instructions.encode()


def _encoded(message: Message) -> tuple[Message, bytes]:
    return _shared(message) if message.role == "system" else _as_bytes(message)


def _as_bytes(message: Message) -> tuple[Message, bytes]:
    """Cleaned only where it must be: a lone surrogate cannot be sent, and looking is cheap."""
    try:
        return message, message.content.encode()
    except UnicodeEncodeError:
        message = replace(message, content=clean(message.content))
        return message, message.content.encode()


_shared = lru_cache(maxsize=32)(_as_bytes)  # what a system says is the same in many calls
