"""A bot behind a chat/completions server, such as a RAG service with OpenAI's interface."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Annotated, Any, Self
from urllib.parse import urlsplit, urlunsplit

from pydantic import AfterValidator, Field

from simulator.core.bounds import MAX_PIECES, json_data
from simulator.core.clean import cut, visible
from simulator.core.concurrency import beside
from simulator.core.errors import InputError, ModelFault, TargetError, TargetFault
from simulator.core.plan import Reached
from simulator.core.talk import Reply, Talk
from simulator.formats.fields import AnyText, EnvName, Text, Url
from simulator.llm.replies import Failure, ModelAnswer, read_response, text_of
from simulator.targets._context import TargetContext
from simulator.targets._shapes import history_of, invalid, noted
from simulator.targets._wire.client import (
    HINTS,
    CallRetries,
    HttpClient,
    HttpRequest,
    Incoming,
    headers_of,
    json_or_none,
)
from simulator.targets._wire.parts import Event, EventTooLong, SseDecoder, events_of
from simulator.targets._wire.reading import Paths
from simulator.targets._wire.secrets import Secrets
from simulator.targets._wire.settings import (
    BotSettings,
    check_body,
    check_headers,
    granted,
    reached,
)
from simulator.targets._wire.templates import Template

_PATH = "/chat/completions"
_ANSWER = "choices[0].message.content"
_PLACE = "check base_url, which usually ends in /v1"
_HINTS = {
    **HINTS,
    404: f"{_PLACE}, and model (for hayhooks, the name of a deployed pipeline)",
    405: _PLACE,
    422: "check model and the keys of extra_body",
}
_KEYLESS = "none"  # some servers want a key, whatever it is
_OWN = ("model", "messages", "stream", "temperature", "max_tokens")


def _headers(headers: dict[str, str]) -> dict[str, str]:
    check_headers(headers)
    return _without_placeholders(headers)


def _extra(body: dict[str, Any]) -> dict[str, Any]:
    own = [key for key in _OWN if key in body]
    if own:
        wanted = "leave it out" if own[0] == "messages" else "write it next to extra_body"
        raise ValueError(f"contains {own[0]}, which mogi sets itself; {wanted}")
    check_body(body, {})
    return _without_placeholders(body)


def _without_placeholders(written: dict[str, Any]) -> dict[str, Any]:
    used = sorted(Template(written).variables)
    if used:
        raise ValueError(f": {{{{ {used[0]} }}}} isn't filled in here; only ${{NAME}} is")
    return written


class OpenaiCompatible:
    """A chat/completions server: `base_url` and `model`; the conversation is sent as messages.

    mogi sends only the key that you set in `api_key_env`. Without one, it sends the word `none` as
    the key: OPENAI_API_KEY is the account of the judge and the users, and the bot's server may
    belong to someone else. (To send it, use `api_key_env: OPENAI_API_KEY`.) mogi doesn't send the
    SDK's other variables either (OPENAI_ORG_ID, OPENAI_CUSTOM_HEADERS, …), so it doesn't use the
    SDK's client here. `${NAME}` in `headers` and `extra_body` is an environment variable.

    `documents`, `document_ids` and `document_titles` are JMESPaths into the whole response, such as
    `choices[0].message.context.citations[].content` (Azure) or `search_results[].title`. With
    `stream: true`, they apply to the response as it would be without streaming: pieces of text
    joined, lists in deltas merged, and the last value of everything else. The message is in
    `choices[0].message`, and in `choices[0].delta` as well. So a path for the whole response also
    works for the stream, no matter which event has the citations.

    Anything else counts as a bot error: HTTP errors (with the server's message), no text, a
    response that isn't a completion, an interrupted stream. A refusal counts as an answer, and so
    does one that was cut off at the token limit; notes say so. mogi retries only questions that
    never arrived or were rejected (429, 503).
    """

    class Settings(BotSettings):
        """The keys of `target:` in a client file, for `kind: openai_compatible`."""

        TEMPLATES = ("headers", "extra_body")

        base_url: Url = Field(description="the server's URL, such as http://127.0.0.1:8000/v1")
        model: Text = Field(description="the name of the model")
        api_key_env: EnvName | None = Field(
            None, description="the environment variable with its key; default: no key"
        )
        system: Text | None = Field(None, description="a system message before the conversation")
        temperature: float | None = Field(None, ge=0, le=2, description="the model's temperature")
        max_tokens: int | None = Field(None, ge=1, description="maximum tokens per answer")
        headers: Annotated[dict[str, AnyText], AfterValidator(_headers)] = Field(
            {}, description="more headers, such as {X-Tenant: acme, api-key: ${BOT_KEY}}"
        )
        extra_body: Annotated[dict[str, Any], AfterValidator(_extra)] = Field(
            {}, description="more fields of the request, such as {top_k: 5, token: ${BOT_KEY}}"
        )
        stream: bool = Field(default=False, description="ask for the answer as a stream")

    def __init__(self, settings: Settings, secrets: Secrets, context: TargetContext) -> None:
        """Nothing is opened before the first question."""
        self._url = _url_of(settings.base_url)
        self._headers = _sent_headers(settings, secrets)
        self._secrets = secrets
        self._system = settings.system
        own = settings.model_dump(include={"model", "temperature", "max_tokens"}, exclude_none=True)
        self._body = own | Template(settings.extra_body).render({}, secrets.values)
        if settings.stream:
            self._body["stream"] = True
        self._paths = Paths.of(settings, context, _ANSWER)
        hosts = granted(self.reaches(settings), secrets.values)
        self._client = HttpClient(hosts, _HINTS, refuses_first=True)
        self._retries = CallRetries(settings.attempts, context.timeout_s)

    @classmethod
    def open(cls, settings: Settings, context: TargetContext) -> Self:
        """The bot behind this server; it is not called yet.

        Raises:
            InputError: a variable of the environment is not set, or holds what no header can.
        """
        key = [(settings.api_key_env, "api_key_env")] if settings.api_key_env is not None else []
        return cls(settings, Secrets.read([*key, *settings.environment()]), context)

    @classmethod
    def reaches(cls, settings: Settings) -> Iterator[Reached]:
        """The host, and where variables of the environment go."""
        named = settings.api_key_env
        key = [(named, "api_key_env, header Authorization")] if named else []
        return reached(settings.base_url, [*key, *settings.environment()], "base_url")

    async def answer(self, question: str, talk: Talk) -> Reply:
        """Ask the server.

        Raises:
            TargetError: it gave no answer; with its own words.
        """
        return await self._secrets.kept(self._answered(question, talk))

    async def close(self) -> None:
        """Close every connection."""
        await self._client.close()

    async def _answered(self, question: str, talk: Talk) -> Reply:
        messages = [*history_of(talk, "messages"), {"role": "user", "content": question}]
        if self._system is not None:
            messages.insert(0, {"role": "system", "content": self._system})
        body = json.dumps({**self._body, "messages": messages}, ensure_ascii=False)
        request = HttpRequest("POST", self._url, self._headers, body.encode("utf-8", "replace"))
        attempt = partial(self._client.attempt, request, self._read)
        reply, troubles = await self._retries(attempt, repeatable=False)
        again = [f"asked again: {trouble}" for trouble in troubles]
        return noted(reply, *again)

    async def _read(self, incoming: Incoming) -> Reply:
        return replace(await self._read_body(incoming), trace=incoming.trace)

    async def _read_body(self, incoming: Incoming) -> Reply:
        if incoming.content_type == "text/event-stream":
            stream = await streamed(incoming.chunks())
            return await beside(stream.size, self._of_stream, stream)
        body = await incoming.body()
        return await beside(len(body), self._of_body, body, incoming.content_type)

    def _of_body(self, body: bytes, content_type: str) -> Reply:
        text = body.decode("utf-8", "replace")
        stream = stream_in(text)
        return self._reply(text, content_type) if stream is None else self._of_stream(stream)

    def _of_stream(self, stream: Stream) -> Reply:
        return noted(self._reply(stream.text, "a stream"), *stream.notes)

    def _reply(self, text: str, content_type: str) -> Reply:
        return read_completion(self._secrets.hidden_in_answer(text), content_type, self._paths)


def _url_of(base_url: str) -> str:
    """The address that is called; who wrote it whole meant the same. A query stays at the end."""
    parts = urlsplit(base_url)
    path = parts.path.rstrip("/").removesuffix(_PATH) + _PATH
    return urlunsplit(parts._replace(path=path, fragment=""))


def _sent_headers(settings: OpenaiCompatible.Settings, secrets: Secrets) -> Mapping[str, str]:
    """The headers of every request; those of the client file come first.

    Raises:
        InputError: one holds what no header can.
    """
    key = secrets.values[settings.api_key_env] if settings.api_key_env else _KEYLESS
    own: dict[str, str] = Template(settings.headers).render({}, secrets.values)
    ours = {
        "Accept": "text/event-stream, application/json" if settings.stream else "application/json",
        "Content-Type": "application/json",
        "Authorization": f"Bearer {key}",
    }
    wrong = [n for n, v in {**ours, **own}.items() if not (v.isascii() and v.isprintable())]
    if wrong:
        where = "api_key_env" if wrong[0] not in own else f"headers.{wrong[0]}"
        raise InputError(
            f"target.{where}: its value contains characters that aren't allowed "
            "in a header (it isn't shown here); copy it again"
        )
    return headers_of(own, ours)


# The completion that came, whole or as a stream.


ROOT = "the response"  # what complaints call it
_SHOWN = 300  # characters of what came back instead of an answer
_END = "[DONE]"
_JOINED = ("content", "refusal")

_NOTES = {
    ModelFault.REFUSED: "the answer is a refusal (message.refusal)",
    ModelFault.TRUNCATED: "the answer was cut off at the token limit (finish_reason: length)",
    ModelFault.FILTERED: "a content filter cut the answer off (finish_reason: content_filter)",
}
_WITHOUT_TEXT = {
    ModelFault.TRUNCATED: (TargetFault.EMPTY, "it reached the token limit before any text"),
    ModelFault.FILTERED: (TargetFault.RAISED, "a content filter stopped the answer"),
}


def read_completion(text: str, content_type: str, paths: Paths) -> Reply:
    """The reply that the body of a successful response amounts to.

    Raises:
        TargetError: EMPTY without text, INVALID for what is no completion, RAISED where a content
            filter stopped the answer.
    """
    answer = read_response(200, {"content-type": content_type}, text.encode())
    if isinstance(answer, Failure):
        body = f"; the response was: {_cut(answer.body)}" if answer.body.strip() else ""
        raise invalid(f"{answer.message}{body}")
    data = json_data(text)
    if not answer.text.strip():
        raise _without_text(answer, data)
    reply = paths.documents_in(data, ROOT).reply(answer.text)
    return noted(reply, _NOTES[answer.fault]) if answer.fault else reply


def _without_text(answer: ModelAnswer, data: Any) -> TargetError:
    if answer.fault in _WITHOUT_TEXT:
        return TargetError(*_WITHOUT_TEXT[answer.fault])
    why = "without text"
    if data["choices"][0]["message"].get("tool_calls"):
        why = "with a tool call and no text; a bot must call its own tools"
    elif answer.finish:
        why = f"without text (finish_reason: {answer.finish})"
    return TargetError(TargetFault.EMPTY, f"it answered {why}")


def _cut(text: str) -> str:
    return cut(visible(text), _SHOWN)


@dataclass(slots=True)
class Stream:
    """A streamed completion, put together to what it would have been if it had come whole.

    The pieces of the text are joined. Of all else that a delta holds, lists grow, mappings are
    merged, and of other values the last one counts; beside the choices the last value counts. A
    value that is null says nothing. Only the first choice is read. The whole message stands under
    `choices[0].delta` as well as under `choices[0].message`. What comes as an event with a name of
    its own, and is no object, stands under that name.
    """

    _top: dict[str, Any] = field(default_factory=dict)
    _message: dict[str, Any] = field(default_factory=dict)
    _pieces: dict[str, list[str]] = field(default_factory=dict)
    _finish: Any = None
    _begun: bool = False
    _done: bool = False
    _count: int = 0
    size: int = 0  # characters so far

    def take(self, event: Event) -> bool:
        """Take one event in; whether it was the last one.

        Raises:
            TargetError: (INVALID) it is no piece of a completion.
        """
        if event.data.strip() == _END:
            self._done = True
            return True
        self._count += 1
        self.size += len(event.data)
        if self._count > MAX_PIECES:
            raise invalid(f"its stream has over {MAX_PIECES:,} events; mogi didn't read the rest")
        data = self._object(event)
        if event.name == "error" or data.get("error"):
            self._top["error"] = data.get("error") or data
            return True
        _merge(self._top, {k: v for k, v in data.items() if k != "choices"}, grow=False)
        choices = data.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            if isinstance(choice, dict) and not choice.get("index"):
                self._choice(choice)
        return False

    def _object(self, event: Event) -> dict[str, Any]:
        data = json_or_none(event.data)
        if isinstance(data, dict):
            return data
        if data is not None and event.name != "message":
            return {event.name: data}
        raise invalid(f"an event that isn't a JSON object{self.so_far}: {_cut(event.data)}")

    @property
    def text(self) -> str:
        """The completion as JSON text."""
        choices = []
        if self._begun:
            joined = {name: "".join(pieces) for name, pieces in self._pieces.items()}
            message = {**self._message, **joined}
            choices = [{"message": message, "delta": message, "finish_reason": self._finish}]
        return json.dumps({**self._top, "choices": choices})  # escaped: half a surrogate is borne

    @property
    def notes(self) -> tuple[str, ...]:
        """What a person should know of how it ended."""
        if self._done or self._finish is not None:
            return ()
        return ("the stream ended without [DONE] and without a finish_reason",)

    @property
    def so_far(self) -> str:
        """The words that came, for a sentence about what went wrong then."""
        text = _cut("".join(self._pieces.get("content", ())))
        return f' (after "{text}")' if text else ""

    def _choice(self, choice: Mapping[str, Any]) -> None:
        self._begun = True
        self._finish = choice.get("finish_reason") or self._finish
        whole, delta = choice.get("message"), choice.get("delta")
        for piece in (whole, delta):
            if isinstance(piece, dict):
                self._piece(piece, once_more=piece is whole)

    def _piece(self, piece: Mapping[str, Any], *, once_more: bool) -> None:
        for name in _JOINED:
            if words := text_of(piece.get(name)):
                if once_more:
                    self._pieces[name] = []
                self._pieces.setdefault(name, []).append(words)
        _merge(self._message, {k: v for k, v in piece.items() if k not in _JOINED}, grow=True)


async def streamed(chunks: AsyncIterator[bytes]) -> Stream:
    """The stream that these bytes are, read up to its end.

    Raises:
        TargetError: (INVALID) it broke off, or it is no stream of a completion.
    """
    import aiohttp

    stream = Stream()
    try:
        async with aclosing(events_of(chunks)) as events:
            async for event in events:
                if await beside(len(event.data), stream.take, event):
                    break
    except (aiohttp.ClientError, OSError):
        raise invalid(f"the stream ended early{stream.so_far}") from None
    except EventTooLong:
        raise invalid("an event of the stream is longer than any answer") from None
    return stream


def stream_in(text: str) -> Stream | None:
    """The stream that a whole body is, whatever it was called; None if it is none.

    Raises:
        TargetError: as `streamed`.
    """
    if not text.lstrip("\ufeff \r\n").startswith(("data:", "event:", ":")):
        return None
    stream, decoder = Stream(), SseDecoder()
    for event in (*decoder.feed(text.encode()), decoder.end()):
        if event is not None and stream.take(event):
            break
    return stream


def _merge(whole: dict[str, Any], piece: Mapping[str, Any], *, grow: bool) -> None:
    for key, value in piece.items():
        before = whole.get(key)
        if value is None:
            continue
        if grow and isinstance(before, dict) and isinstance(value, dict):
            _merge(before, value, grow=True)
        elif grow and isinstance(before, list) and isinstance(value, list):
            # Some send all that they have each time.
            whole[key] = value if value[: len(before)] == before else before + value
        else:
            whole[key] = value
