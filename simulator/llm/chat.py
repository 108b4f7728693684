"""A chat model as the other rooms know it: journal and budget around each call."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from simulator.core.clean import clean
from simulator.core.errors import HaltReason, ModelFault, StoreError
from simulator.core.halt import Halt
from simulator.core.plan import ModelSpec, Price
from simulator.core.ports import (
    CallId,
    CallRecord,
    Completion,
    Form,
    Journal,
    Message,
    Observer,
    Role,
    Usage,
)
from simulator.llm.caller import Caller, Got
from simulator.llm.ledger import Book
from simulator.llm.parameters import Question
from simulator.llm.prices import cost

# What providers add to the texts, in tokens: marks around messages, the form's frame.
_PER_MESSAGE = 8
_PER_CALL = 64


@dataclass(frozen=True, slots=True)
class ModelChat:
    """One model on behalf of one role (core.ports.Chat).

    A paid answer is committed before it is returned, also one with a fault in the model's own
    words, so that a resumed run repeats it. `price` None: unknown. `max_tokens` bounds an answer
    where there is a budget to keep. `reuse` holds the records of another run by part and digest;
    only the judge's calls look there.
    """

    spec: ModelSpec
    caller: Caller
    book: Book
    journal: Journal
    halt: Halt
    observer: Observer
    price: Price | None = None
    max_tokens: int | None = None
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
        self.halt.check()
        texts = _Texts.of(messages, form)
        digest = texts.digest(self.spec, fence)
        known = self.journal.recall(call, digest)
        if known is not None:
            self.observer.call_made(replace(known, attempts=0))
            return _completion(known)
        record = self._reused(call, digest)
        if record is not None:
            await self._commit(record)
            return _completion(record)
        spec = self.spec
        question = Question(spec.model, texts.messages, spec.temperature, form, self.max_tokens)
        return await self._paid(call, digest, question, texts.size)

    async def _paid(self, call: CallId, digest: str, question: Question, size: int) -> Completion:
        async with self.caller.gate:
            most = Usage(size, question.max_tokens or 0)
            hold = await self.book.reserve(cost(self.price, most) if self.price else 0.0)
            try:
                got = await self.caller.ask(question, size)
            except BaseException:
                hold.release()
                raise
        record = self._record(call, digest, got, size)
        hold.settle(record)
        await self._commit(record)
        return Completion(got.answer.text, record.usage, got.answer.fault, record.latency_ms)

    def _reused(self, call: CallId, digest: str) -> CallRecord | None:
        if not self.reuse or call.role is not Role.JUDGE:
            return None
        found = self.reuse.get((call.part, digest))
        if found is None:
            return None
        return replace(found, call=call, usage=Usage(), cost_usd=0.0, attempts=0, reused=True)

    async def _commit(self, record: CallRecord) -> None:
        try:
            await self.journal.record(record)
        except StoreError as error:
            self.halt.throw(HaltReason.STORE, str(error))
            raise
        self.observer.call_made(record)

    def _record(self, call: CallId, digest: str, got: Got, size: int) -> CallRecord:
        answer = got.answer
        # An endpoint that tells no usage is charged what it may have used at most.
        charged = answer.usage or Usage(size, len(answer.text.encode()))
        response = {"text": answer.text, "fault": answer.fault, "finish": answer.finish}
        return CallRecord(
            call=call,
            digest=digest,
            response=json.dumps(response, ensure_ascii=False),
            model=self.spec.model,
            usage=answer.usage or Usage(),
            cost_usd=cost(self.price, charged) if self.price else None,
            latency_ms=got.latency_ms,
            attempts=got.attempts,
        )


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
        """The hash of model, temperature, messages without the fence, and schema."""
        hidden = fence.encode()
        parts = [f"{spec.model}\n{spec.temperature}".encode(), self.schema]
        for message, text in zip(self.messages, self.encoded, strict=True):
            parts += [message.role.encode(), text.replace(hidden, b"") if hidden else text]
        lengths = ",".join(str(len(part)) for part in parts)  # so that no two inputs look alike
        return hashlib.sha256(b"".join([lengths.encode(), *parts])).hexdigest()


def _completion(record: CallRecord) -> Completion:
    response = json.loads(record.response)
    fault = ModelFault(response["fault"]) if response["fault"] else None
    return Completion(response["text"], record.usage, fault, record.latency_ms)


@lru_cache(maxsize=64)  # a run has a form or two, each made once
def _written(form: Form) -> tuple[bytes, bytes]:
    return json.dumps(form.schema, sort_keys=True).encode(), form.instructions.encode()


def _encoded(message: Message) -> tuple[Message, bytes]:
    """Cleaned only where it must be: a lone surrogate cannot be sent, and looking is cheap."""
    try:
        return message, message.content.encode()
    except UnicodeEncodeError:
        message = replace(message, content=clean(message.content))
        return message, message.content.encode()
