"""A bot behind a chat/completions server, such as a RAG service with OpenAI's interface."""

import json
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Annotated, Any, Self
from urllib.parse import urlsplit, urlunsplit

from pydantic import AfterValidator, Field

from simulator.core.concurrency import beside
from simulator.core.errors import InputError
from simulator.core.plan import Reached
from simulator.core.talk import Reply, Talk
from simulator.formats.fields import AnyText, EnvName, Text, Url
from simulator.targets._context import TargetContext
from simulator.targets._shapes import history_of, noted
from simulator.targets._wire.client import (
    CallRetries,
    HttpClient,
    HttpRequest,
    Incoming,
    headers_of,
)
from simulator.targets._wire.errors import HINTS, FailedAttempt
from simulator.targets._wire.reading import document_paths
from simulator.targets._wire.secrets import Secrets
from simulator.targets._wire.settings import BotSettings, check_body, check_headers, reached
from simulator.targets._wire.templates import Template
from simulator.targets.openai_compatible.completion import (
    Stream,
    read_completion,
    stream_in,
    streamed,
)

_PATH = "/chat/completions"
_PLACE = "look at base_url, which mostly ends in /v1"
_HINTS = {
    **HINTS,
    404: f"{_PLACE}, and at model, which is at hayhooks the name of a deployed pipeline",
    405: _PLACE,
    422: "look at model and at the keys of extra_body",
}
_KEYLESS = "none"  # some servers want a key, whatever it is
# A server of this kind says so before it asks its model, also without a Retry-After.
_TURNED_AWAY = (429, 503)
_OWN = ("model", "messages", "stream", "temperature", "max_tokens")


def _headers(headers: dict[str, str]) -> dict[str, str]:
    check_headers(headers)
    return _without_placeholders(headers)


def _extra(body: dict[str, Any]) -> dict[str, Any]:
    own = [key for key in _OWN if key in body]
    if own:
        wanted = "leave it out" if own[0] == "messages" else "write it beside extra_body"
        raise ValueError(f"holds {own[0]}, which mogi sends itself; {wanted}")
    check_body(body, {})
    return _without_placeholders(body)


def _without_placeholders(written: dict[str, Any]) -> dict[str, Any]:
    used = sorted(Template(written).variables)
    if used:
        raise ValueError(f": {{{{ {used[0]} }}}} is not filled in here; there is only ${{NAME}}")
    return written


class OpenaiCompatible:
    """A chat/completions server: `base_url` and `model`, the talk so far sent as messages.

    Only the key that `api_key_env` names is sent. Without it the server gets the word `none` in
    its place: OPENAI_API_KEY is the account of the judge and the users, and a bot's server may
    belong to anybody. (`api_key_env: OPENAI_API_KEY` sends it.) Nor are the SDK's other variables
    (OPENAI_ORG_ID, OPENAI_CUSTOM_HEADERS, …) sent, which is why the SDK's client is not used here.
    `${NAME}` in `headers` and `extra_body` is a variable of the environment.

    `documents`, `document_ids` and `document_titles` are JMESPaths on the whole response, such as
    `choices[0].message.context.citations[].content` (Azure) or `search_results[].title`. With
    `stream: true` they look at the response as it would have come in one piece: pieces of text
    joined, lists of a delta put together, of everything else the last value; the message stands
    under `choices[0].message`, and under `choices[0].delta` as well. So a path that fits the
    whole response fits the stream, in whichever event the citations come.

    What the server answers instead is the bot's failure: HTTP errors with their words, no text,
    what is no completion, a stream that broke off. A refusal is the bot's answer, and so is one
    that was cut off at the token limit; notes say so. Only a question that never arrived, or was
    turned away (429, 503), is asked again.
    """

    class Settings(BotSettings):
        """The keys of `target:` in a client file, for `kind: openai_compatible`."""

        TEMPLATES = ("headers", "extra_body")

        base_url: Url = Field(description="where the server is, such as http://127.0.0.1:8000/v1")
        model: Text = Field(description="the name of the model that it is asked for")
        api_key_env: EnvName | None = Field(
            None, description="the environment variable that holds its key; default: no key"
        )
        system: Text | None = Field(None, description="a system message before the talk")
        temperature: float | None = Field(None, ge=0, le=2, description="its temperature")
        max_tokens: int | None = Field(None, ge=1, description="tokens of an answer, at most")
        headers: Annotated[dict[str, AnyText], AfterValidator(_headers)] = Field(
            {}, description="more headers, such as {X-Tenant: acme, api-key: ${BOT_KEY}}"
        )
        extra_body: Annotated[dict[str, Any], AfterValidator(_extra)] = Field(
            {}, description="what else the request holds, such as {top_k: 5, token: ${BOT_KEY}}"
        )
        stream: bool = Field(default=False, description="ask for the answer as a stream")

    def __init__(self, settings: Settings, secrets: Secrets, context: TargetContext) -> None:
        """Nothing is opened before the first question."""
        self._url = _url_of(settings.base_url)
        self._headers = _sent_headers(settings, secrets)
        self._secrets = secrets
        self._system = settings.system
        told = settings.model_dump(include={"model", "temperature", "max_tokens"})
        extra = Template(settings.extra_body).render({}, secrets.values)
        self._body = {k: v for k, v in told.items() if v is not None} | extra
        if settings.stream:
            self._body["stream"] = True
        self._paths = document_paths(settings, context)
        self._client = HttpClient(_HINTS)
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
        reply, troubles = await self._retries(partial(self._attempt, request), repeatable=False)
        again = [f"asked again: {trouble}" for trouble in troubles]
        return noted(reply, *again)

    async def _attempt(self, request: HttpRequest) -> Reply:
        try:
            return await self._client.attempt(request, self._read)
        except FailedAttempt as trouble:
            if trouble.status in _TURNED_AWAY:
                trouble.done = False
            raise

    async def _read(self, incoming: Incoming) -> Reply:
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
    given = {
        "Accept": "text/event-stream, application/json" if settings.stream else "application/json",
        "Content-Type": "application/json",
        "Authorization": f"Bearer {key}",
    }
    wrong = [n for n, v in {**given, **own}.items() if not (v.isascii() and v.isprintable())]
    if wrong:
        where = "api_key_env" if wrong[0] not in own else f"headers.{wrong[0]}"
        raise InputError(
            f"target.{where}: its value holds characters that no header can have "
            "(it is not repeated here); copy it anew"
        )
    return headers_of(own, given)
