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
        messages = tuple(map(_sendable, messages))
        of_form = _form_texts(form) if form else ()
        digest = _digest(spec, messages, of_form, fence)
        if (record := paid.recalled(call, digest)) and not _asked_anew(call, record):
            return _completion(record)
        if record := self._reused(call, digest):
            await paid.take_over(record)
            return _completion(record)
        bound = self.length.tokens if self.length else None
        question = ChatRequest(
            spec.model,
            messages,
            spec.temperature,
            form,
            spec.max_tokens or bound,
            spec.reasoning_effort,
            spec.extra_body,
        )
        texts = [*(message.content.encode() for message in messages), *of_form]
        size = sum(map(len, texts)) + _PER_MESSAGE * len(messages) + _PER_CALL
        answer, record = await paid.ask(question, size, call, digest, _response)
        if self.length and answer.fault is ModelFault.TRUNCATED:
            self.length.was_too_short()
        return Completion(answer.text, record.usage, answer.fault, record.latency_ms, answer.finish)

    def _reused(self, call: CallId, digest: str) -> CallRecord | None:
        if not self.reuse or call.role is not Role.JUDGE:
            return None
        record = self.reuse.get((call.part, digest))
        if record is None:
            return None
        return replace(record, call=call, usage=Usage(), cost_usd=0.0, attempts=0, reused=True)


def _response(answer: ModelAnswer) -> str:
    response = {"text": answer.text, "fault": answer.fault, "finish": answer.finish}
    return _ENCODER.encode({**response, "reasoned": True} if answer.reasoned else response)


def _digest(
    spec: ModelSpec, messages: Sequence[Message], of_form: Sequence[bytes], fence: str
) -> str:
    """The hash of model and settings, messages without the fence, and schema."""
    settings = f"{spec.model}\n{spec.temperature}{_settings(spec)}"
    parts = [settings.encode(), of_form[0] if of_form else b""]
    for message in messages:
        text = message.content.replace(fence, "") if fence else message.content
        parts += [message.role.encode(), text.encode()]
    return input_hash(parts)


def _settings(spec: ModelSpec) -> str:
    """What else decides an answer, where it is set: runs of before had none of it."""
    settings = {
        "max_tokens": spec.max_tokens,
        "reasoning_effort": spec.reasoning_effort,
        "extra_body": dict(spec.extra_body),
    }
    settings = {name: value for name, value in settings.items() if value}
    return f"\n{json.dumps(settings, sort_keys=True, default=str)}" if settings else ""


def _completion(record: CallRecord) -> Completion:
    response = json.loads(record.response)
    fault = ModelFault(response["fault"]) if response["fault"] else None
    finish = response.get("finish", "")
    return Completion(response["text"], record.usage, fault, record.latency_ms, finish)


def _asked_anew(call: CallId, record: CallRecord) -> bool:
    """Whether a resume asks again: a filter left the conversation of this user unfinished."""
    return call.role is Role.USER and _completion(record).fault is ModelFault.FILTERED


@lru_cache(maxsize=64)  # a run has a form or two, each made once
def _form_texts(form: Form) -> tuple[bytes, bytes]:
    return json.dumps(form.schema, sort_keys=True).encode(), form.instructions.encode()


def _sendable(message: Message) -> Message:
    """Cleaned only where it must be: a lone surrogate cannot be sent, and looking is cheap."""
    try:
        message.content.encode()
    except UnicodeEncodeError:
        return replace(message, content=clean(message.content))
    return message
