"""Which parameters an endpoint bears: what a 400 names is renamed or left out from then on."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Any, ClassVar

from simulator.core.ports import Form, Message
from simulator.llm.replies import Failure, FailureKind, Reader

_NAMES = {
    "response_format": re.compile(r"\b(response_format|json_schema|json_object)\b"),
    "temperature": re.compile(r"\btemperature\b"),
    # The older wording of vLLM: "… you requested 5000 tokens (1000 in the messages, 4000 in
    # the completion)": the prompt would fit if no length was asked for.
    "max_tokens": re.compile(r"\bmax_(completion_)?tokens\b|\bin the completion\b"),
    "encoding_format": re.compile(r"\bencoding_format\b"),
    "max_completion_tokens": re.compile(r"\bmax_(completion_)?tokens\b|\bin the completion\b"),
}


class Rung(IntEnum):
    """The structured-output ladder, from its top."""

    SCHEMA = 0  # json_schema, strict
    OBJECT = 1  # json_object, the form in the prompt
    PROMPT = 2  # the prompt only


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One chat request before any dialect: what is asked, in which form.

    `path`: where it is sent, below the base URL. `reader`: what its answer is read by; None: it is
    a chat completion.
    """

    path: ClassVar = "/chat/completions"
    reader: ClassVar[None] = None
    model: str
    messages: tuple[Message, ...]
    temperature: float | None = None
    form: Form | None = None
    max_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class EmbeddingRequest:
    """One request for embeddings before any dialect; it has no form and no length."""

    path: ClassVar = "/embeddings"
    form: ClassVar = None
    max_tokens: ClassVar = None
    model: str
    texts: tuple[str, ...]
    reader: Reader


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one model at one base URL wants to be asked. A new value for each thing learnt."""

    rung: Rung = Rung.SCHEMA
    length_name: str = "max_tokens"
    dropped: frozenset[str] = frozenset()

    def body(self, question: ChatRequest | EmbeddingRequest) -> dict[str, Any]:
        """The JSON body of a request."""
        if isinstance(question, EmbeddingRequest):
            wanted = {"encoding_format": "float"}
            kept = {k: v for k, v in wanted.items() if k not in self.dropped}
            return {"model": question.model, "input": list(question.texts), **kept}
        return self._chat(question)

    def _chat(self, question: ChatRequest) -> dict[str, Any]:
        form = question.form
        wanted: dict[str, Any] = {
            "temperature": question.temperature,
            self.length_name: question.max_tokens,
            "response_format": self._format(form) if form else None,
        }
        return {
            "model": question.model,
            "messages": _messages(question, self.rung),
            **{k: v for k, v in wanted.items() if v is not None and k not in self.dropped},
        }

    def after(self, failure: Failure, sent: Mapping[str, Any]) -> "Dialect | None":
        """The dialect to try after this failure; None if it is about none of the parameters."""
        name = _named(failure, sent)
        if name == "response_format":
            return self.lower()
        if name == "max_tokens":
            return replace(self, length_name="max_completion_tokens")
        return replace(self, dropped=self.dropped | {name}) if name else None

    def lower(self) -> "Dialect":
        """One rung down the structured-output ladder; the lowest stays."""
        return replace(self, rung=Rung(min(self.rung + 1, Rung.PROMPT)))

    def _format(self, form: Form) -> dict[str, Any] | None:
        if self.rung is Rung.SCHEMA:
            schema = {"name": form.name, "schema": dict(form.schema), "strict": True}
            return {"type": "json_schema", "json_schema": schema}
        return {"type": "json_object"} if self.rung is Rung.OBJECT else None


def _named(failure: Failure, sent: Mapping[str, Any]) -> str | None:
    if failure.trouble is not FailureKind.REJECTED:
        return None
    stem = re.split(r"[.\[]", failure.param)[0]
    if stem in _NAMES and stem in sent:
        return stem
    found = (n for n, pattern in _NAMES.items() if n in sent and pattern.search(failure.message))
    return next(found, None)


def _messages(question: ChatRequest, rung: Rung) -> list[dict[str, str]]:
    messages = [{"role": m.role, "content": m.content} for m in question.messages]
    if question.form and question.form.instructions and rung is not Rung.SCHEMA:
        messages[0]["content"] += f"\n\n{question.form.instructions}"
    return messages
