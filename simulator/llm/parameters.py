"""Which parameters an endpoint bears: what a 400 names is renamed or left out from then on."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import lru_cache
from typing import Any, ClassVar

from simulator.core.ports import Form, Message
from simulator.llm.replies import Failure, FailureKind, ModelAnswer, Reader, says

_NAMES = {
    "response_format": re.compile(r"\b(response_format|json_schema|json_object)\b"),
    "temperature": re.compile(r"\btemperature\b"),
    # The older wording of vLLM: "… you requested 5000 tokens (1000 in the messages, 4000 in
    # the completion)": the prompt would fit if no length was asked for.
    "max_tokens": re.compile(r"\bmax_(completion_)?tokens\b|\bin the completion\b"),
    "encoding_format": re.compile(r"\bencoding_format\b"),
    "max_completion_tokens": re.compile(r"\bmax_(completion_)?tokens\b|\bin the completion\b"),
    "reasoning_effort": re.compile(r"\breasoning(_effort|\.effort)\b|does not support thinking"),
    "stream_options": re.compile(r"\bstream_options\b"),
}
_EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh")  # from the least
CHAT = "/chat/completions"
ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
"""Writes what is sent."""
_MAX_ITEMS = "maxItems"
_SAYS_WHY = frozenset({FailureKind.REJECTED, FailureKind.TOO_LONG})


class Rung(IntEnum):
    """The structured-output ladder, from its top."""

    SCHEMA = 0  # json_schema, strict
    OBJECT = 1  # json_object, the form in the prompt
    PROMPT = 2  # the prompt only


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One chat request before any dialect: what is asked, in which form.

    `path`: where it is sent, below the base URL. `reader`: what its answer is read by; None: it is
    a chat completion. `extra`: what else its body holds; what is named there counts.
    """

    path: ClassVar = CHAT
    reader: ClassVar[None] = None
    model: str
    messages: tuple[Message, ...]
    temperature: float | None = None
    form: Form | None = None
    max_tokens: int | None = None
    reasoning_effort: str | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class EmbeddingRequest:
    """One request for embeddings before any dialect; it has no form and no length.

    `joined` makes one answer of those to each of the texts, where they are asked for one by one.
    """

    path: ClassVar = "/embeddings"
    form: ClassVar = None
    max_tokens: ClassVar = None
    model: str
    texts: tuple[str, ...]
    reader: Reader
    joined: Callable[[Sequence[ModelAnswer]], ModelAnswer]
    extra: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Dialect:
    """How one model at one base URL wants to be asked. A new value for each thing learnt.

    `folded`: what a system message would say stands before the first message of the user.
    `streams`: it answers in streams only. `singly`: it embeds one text a request. `efforts`: the
    levels of reasoning_effort that it takes, where it named them.
    """

    rung: Rung = Rung.SCHEMA
    length_name: str = "max_tokens"
    dropped: frozenset[str] = frozenset()
    folded: bool = False
    streams: bool = False
    singly: bool = False
    efforts: tuple[str, ...] = ()

    def body(self, question: ChatRequest | EmbeddingRequest) -> dict[str, Any]:
        """The JSON body of a request."""
        if isinstance(question, EmbeddingRequest):
            body: dict[str, Any] = {"model": question.model, "input": list(question.texts)}
            return body | self._kept({"encoding_format": "float", **question.extra})
        form = question.form
        wanted: dict[str, Any] = {
            "temperature": question.temperature,
            self.length_name: question.max_tokens,
            "reasoning_effort": self._effort(question.reasoning_effort),
            "response_format": self._format(form) if form else None,
            "stream": self.streams or None,
            "stream_options": {"include_usage": True} if self.streams else None,
        }
        body = {"model": question.model, "messages": self._messages(question)}
        return body | self._kept({**wanted, **question.extra})

    def after(self, failure: Failure, sent: Mapping[str, Any]) -> "Dialect | None":
        """The dialect to try after what this failure says; None if it says nothing about that."""
        name = _named(failure, sent)
        if name == "response_format":
            simpler = self._simpler(sent)
            return None if simpler == self else simpler
        if name == "max_tokens" and self.length_name == name:
            return replace(self, length_name="max_completion_tokens")
        if name == "reasoning_effort" and not self.efforts:
            wanted = str(sent[name])
            efforts = tuple(e for e in _EFFORTS if e != wanted and _level(e, failure.message))
            if efforts and wanted in _EFFORTS:
                return replace(self, efforts=efforts)
        if name:
            return replace(self, dropped=self.dropped | {name})
        message = failure.message if failure.trouble is FailureKind.REJECTED else ""
        if says("no_system", message) and _has_system(sent):
            return replace(self, folded=True)
        may_stream = says("streams_only", message) and not self.streams
        return replace(self, streams=True) if may_stream else None

    def guess(self, failure: Failure, sent: Mapping[str, Any]) -> "Dialect | None":
        """The dialect to try after a failure that does not say why; None: there is nothing to try.

        What grammars, gateways and models cannot bear of a form they tell in endless wordings, and
        so what embedding servers say to several texts.
        """
        if failure.unexplained and isinstance(sent.get("input"), list) and not self.singly:
            return replace(self, singly=True)
        if not failure.unexplained or "response_format" not in sent or _is_elsewhere(failure):
            return None
        return self._simpler(sent) if self.rung < Rung.PROMPT else None

    def lower(self) -> "Dialect":
        """One rung down the structured-output ladder; the lowest stays."""
        return replace(self, rung=Rung(min(self.rung + 1, Rung.PROMPT)))

    def _simpler(self, sent: Mapping[str, Any]) -> "Dialect":
        """Without the length of lists, which strict modes may refuse; or else a rung lower."""
        if _MAX_ITEMS in str(sent.get("response_format")):
            return replace(self, dropped=self.dropped | {_MAX_ITEMS})
        return self.lower()

    def _kept(self, wanted: Mapping[str, Any]) -> dict[str, Any]:
        return {k: v for k, v in wanted.items() if v is not None and k not in self.dropped}

    def _effort(self, wanted: str | None) -> str | None:
        """The nearest level that the endpoint takes; of two the lower one, which costs less."""
        if wanted not in _EFFORTS or not self.efforts:
            return wanted
        at = _EFFORTS.index(wanted)
        return min(self.efforts, key=lambda level: abs(_EFFORTS.index(level) - at))

    def _format(self, form: Form) -> dict[str, Any] | None:
        if self.rung is Rung.SCHEMA:
            return _schema(form, _MAX_ITEMS not in self.dropped)
        return {"type": "json_object"} if self.rung is Rung.OBJECT else None

    def _messages(self, question: ChatRequest) -> list[dict[str, str]]:
        messages = [{"role": m.role, "content": m.content} for m in question.messages]
        form = question.form
        if form and form.instructions and self.rung is not Rung.SCHEMA:
            messages[0]["content"] += f"\n\n{form.instructions}"
        if self.folded and len(messages) > 1 and messages[0]["role"] == "system":
            system, first, *others = messages
            content = f"{system['content']}\n\n{first['content']}"
            messages = [{"role": "user", "content": content}, *others]
        return messages


@lru_cache(maxsize=64)  # a run has a form or two, each made once
def _schema(form: Form, bounded: bool) -> dict[str, Any]:  # noqa: FBT001 (one caller, above)
    shape = _bounded(form) if bounded else _unbounded(form.schema)
    described = {"name": form.name, "schema": shape, "strict": True}
    return {"type": "json_schema", "json_schema": described}


def _bounded(form: Form) -> dict[str, Any]:
    if form.most is None:
        return dict(form.schema)
    properties = {
        name: {**of, _MAX_ITEMS: form.most} if of.get("type") == "array" else of
        for name, of in form.schema["properties"].items()
    }
    return {**form.schema, "properties": properties}


def _unbounded(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema whose lists, and those inside them, may have any length."""
    return {
        key: _unbounded(value) if isinstance(value, Mapping) else value
        for key, value in schema.items()
        if key != _MAX_ITEMS
    }


def _named(failure: Failure, sent: Mapping[str, Any]) -> str | None:
    if failure.trouble not in _SAYS_WHY:
        return None
    stem = re.split(r"[.\[]", failure.param)[0]
    if stem in _NAMES and stem in sent:
        return stem
    names = (n for n, pattern in _NAMES.items() if n in sent and pattern.search(failure.message))
    return next(names, None)


def _level(name: str, message: str) -> bool:
    """Whether a message names this level of reasoning_effort."""
    return bool(re.search(rf"['\"`\s,(\[]{name}(?!\w)", message))


def _is_elsewhere(failure: Failure) -> bool:
    """It names a place in the request, which is not the form."""
    return re.split(r"[.\[]", failure.param)[0] in {"messages", "model", "input"}


def _has_system(sent: Mapping[str, Any]) -> bool:
    return any(message["role"] == "system" for message in sent.get("messages", ()))
