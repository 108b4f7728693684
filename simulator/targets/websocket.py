"""A WebSocket bot: one connection per conversation, one message per question."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, model_validator

from simulator import config
from simulator.core.bounds import BODY_LIMIT, MAX_PIECES
from simulator.core.clean import cut, visible
from simulator.core.concurrency import beside
from simulator.core.errors import InputError, TargetError, TargetFault
from simulator.core.plan import Reached
from simulator.core.talk import Reply, Talk
from simulator.formats.fields import wrong_url
from simulator.formats.jmespath import PathText, compiled, is_true
from simulator.targets._context import TargetContext
from simulator.targets._shapes import invalid, noted, raised, talk_name, values_of
from simulator.targets._wire.client import (
    CallRetries,
    HttpRequest,
    excerpt,
    expect_granted,
    headers_of,
    new_session,
    refused,
    request_name,
    status_line,
    translated,
)
from simulator.targets._wire.parts import PartSettings, PartsForm, PartsReader
from simulator.targets._wire.reading import Paths, fail_on_error, json_or_text, to_json
from simulator.targets._wire.secrets import Secrets
from simulator.targets._wire.settings import (
    DEFAULT_BODY,
    EXAMPLES,
    IN_HEADER,
    TELLING,
    AnswerSettings,
    Headers,
    check_address,
    check_body,
    check_template,
    granted,
    reached,
)
from simulator.targets._wire.templates import Template

if TYPE_CHECKING:
    from types import SimpleNamespace

    from aiohttp import ClientSession, ClientWebSocketResponse, WSMessage

_OF_HTTP = {"session", "job", "callback", "callback_id"}
_KNOWN = {name: examples for name, examples in EXAMPLES.items() if name not in _OF_HTTP}
_FROM_THE_ENVIRONMENT = re.compile(r"([?&])[^=&#]{1,200}=\$\{[^}]{0,200}\}")
_RIGHT = "isn't the URL of a WebSocket; write one that begins with wss:// or ws://"


def _wrong_address(url: str) -> str:
    """What is wrong with an address that is filled in; empty where nothing is."""
    scheme, _, rest = url.partition("://")
    if scheme not in ("ws", "wss"):
        return _RIGHT
    wrong = wrong_url(f"http://{rest}", IN_HEADER)
    return _RIGHT if wrong.startswith("is not a URL") else wrong


def _address(text: str) -> str:
    check_template(text, url=True, known=_KNOWN)
    # Browsers cannot send headers to a WebSocket, so many take a token in the query.
    check_address(_FROM_THE_ENVIRONMENT.sub(r"\1x=x", text), _wrong_address)
    return text.strip()


def _message(written: Any) -> Any:
    check_template(written, known=_KNOWN)
    check_body(written, {})
    return written


class WebsocketSettings(AnswerSettings):
    """The keys of `target:` in a client file, for `kind: websocket`."""

    TEMPLATES = ("url", "send", "headers", "first")

    url: Annotated[str, AfterValidator(_address)] = Field(
        description="a URL that begins with wss:// or ws://"
    )
    headers: Headers = Field({}, description="such as {Authorization: Bearer ${BOT_TOKEN}}")
    first: Annotated[Any, AfterValidator(_message)] = Field(
        None, description="the message to send once, when the connection is open, such as a token"
    )
    ready: PathText | None = Field(
        None,
        description="a JMESPath that is true in the message after which the bot accepts questions; "
        "mogi skips earlier messages",
    )
    greeting: bool = Field(
        default=False, description="true: the bot's first message isn't an answer"
    )
    send: Annotated[Any, AfterValidator(_message)] = Field(
        DEFAULT_BODY,
        description="the message for a question: text is sent as is, anything else as JSON",
    )
    delta: PathText | None = Field(
        None, description="a JMESPath to the piece of text in each message; mogi joins them"
    )
    until: PathText | None = Field(
        None,
        description="a JMESPath that is true in the last message of an answer; "
        "default: an answer is one message",
    )

    @model_validator(mode="after")
    def _hangs_together(self) -> Self:
        if not Template(self.send).variables & TELLING:
            raise ValueError("doesn't send the question; add {{ question }} to `send`")
        opening = Template([self.url, self.headers, self.first])
        wrong = sorted(opening.variables - {"episode"})
        if wrong:
            raise ValueError(
                f"uses {{{{ {wrong[0]} }}}} where the connection is opened, once for a talk; "
                "there is: episode"
            )
        if self.delta is not None and self.until is None:
            raise ValueError(
                "has `delta`, but mogi can't tell which message is the last; "
                "add `until`, such as until: done"
            )
        return self


@dataclass(frozen=True, slots=True)
class _BotTalk:
    """A talk's connection. `name` is what the bot may know the talk by."""

    name: str
    connection: Connection


class Websocket:
    """A WebSocket bot: one connection per conversation, one message per question.

    mogi opens the connection with the first question of a conversation and closes it at the end;
    the bot keeps the conversation. `send` can contain Jinja2 placeholders; a value that is exactly
    one placeholder keeps its type. The placeholders are `question`, `turn` (its number, from 1),
    `history` (a list of {user, assistant}), `messages` (the same and the question, a list of {role,
    content}) and `episode` (the unique ID of the conversation), which you can also use in `url` and
    `headers`. `send` is JSON or, if it's text, that text. mogi sends `first` once, before all
    questions. `${NAME}` is an environment variable.

    An answer is one message, as text or as JSON (`answer`, `documents`, `document_ids` and
    `document_titles` are JMESPaths into it). With `until`, it's all messages up to the first one in
    which that is true: its text is the pieces at `delta`, joined, or the last text at `answer`.
    mogi skips other messages, such as typing indicators.

    mogi answers pings at any time, doesn't follow redirects, and reads binary messages as text.
    """

    Settings = WebsocketSettings

    def __init__(self, settings: WebsocketSettings, context: TargetContext) -> None:
        """Compile the settings; nothing is sent.

        Raises:
            InputError: a variable of the environment is not set, or a URL that it makes is none.
        """
        self._settings = settings
        self._url = Template(settings.url, url=True)
        self._headers = Template(settings.headers)
        self._send, self._first = Template(settings.send), Template(settings.first)
        self._secrets = self._read_secrets()
        self._paths = Paths.of(settings, context, settings.answer)
        self._form = _form(settings, self._paths) if settings.until else None
        self._retries = CallRetries(settings.attempts, context.timeout_s)
        self._session: ClientSession | None = None
        self._talks: dict[str, _BotTalk] = {}

    @classmethod
    def open(cls, settings: WebsocketSettings, context: TargetContext) -> Self:
        """The bot that the settings describe; it is not called yet.

        Raises:
            InputError: a variable of the environment is not set, or a URL that it makes is none.
        """
        return cls(settings, context)

    @classmethod
    def reaches(cls, settings: WebsocketSettings) -> Iterator[Reached]:
        """The host, and where variables of the environment go."""
        return reached(settings.url, settings.environment(), method="GET")

    @classmethod
    def keeps_talk(cls, settings: WebsocketSettings) -> bool:
        """The connection is the talk."""
        del settings
        return True

    async def answer(self, question: str, talk: Talk) -> Reply:
        """Ask the bot; its first answer of a talk includes the opening of the connection.

        Raises:
            TargetError: it refused, failed, closed the connection, or sent what is no answer.
            InputError: the settings cannot be filled in for this turn.
        """
        return await self._secrets.kept(self._answered(question, talk))

    async def leave(self, episode: str) -> None:
        """Close the connection of a talk."""
        if bot_talk := self._talks.pop(episode, None):
            await bot_talk.connection.close()

    async def close(self) -> None:
        """Close all connections."""
        talks, self._talks = tuple(self._talks.values()), {}
        await asyncio.gather(*(talk.connection.close() for talk in talks), return_exceptions=True)
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def _answered(self, question: str, talk: Talk) -> Reply:
        bot_talk, notes = await self._bot_talk(talk.episode)
        connection = bot_talk.connection
        self._pass_over(connection.unread())
        values = values_of(question, talk, bot_talk.name)
        message = await beside(0, self._send.render, values, self._secrets.values)
        await connection.say(_as_text(message, self._settings.send))
        reply = await self._read(connection)
        if self._settings.until is None and not connection.is_silent:
            more = "it sent more messages after its answer; if they are part of it, set `until`"
            notes = (*notes, more)
        return noted(reply, *notes)

    async def _read(self, connection: Connection) -> Reply:
        if self._form is None:
            message = await connection.next()
            return await beside(len(message), _read_message, message, self._paths)
        reader = PartsReader(self._form)
        is_over = False
        while not is_over:
            try:
                message = await connection.next()
            except TargetError as error:
                raise _broken_off(error, reader, self._form) from None
            is_over = await beside(len(message), reader.take, message)
        return reader.reply()

    async def _bot_talk(self, episode: str) -> tuple[_BotTalk, tuple[str, ...]]:
        """The talk, with a connection, and what a person should know of how that came about."""
        if episode in self._talks:
            return self._talks[episode], ()
        self._session = self._session or _new_session()
        name = talk_name(episode)
        hosts = granted(self.reaches(self._settings), self._secrets.values)
        request = await beside(0, self._request, name)
        attempt = partial(connected, self._session, request, hosts)
        # Nothing was said yet, so trying again does no harm.
        connection, troubles = await self._retries(attempt, repeatable=True)
        bot_talk = self._talks[episode] = _BotTalk(name, connection)
        await self._open(connection, name)
        note = f"connected only when tried again, after: {'; '.join(troubles)}"
        return bot_talk, (note,) if troubles else ()

    async def _open(self, connection: Connection, name: str) -> None:
        """Say what comes before all questions, and hear what comes before all answers."""
        settings = self._settings
        if settings.first is not None:
            values = {"episode": name}
            message = await beside(0, self._first.render, values, self._secrets.values)
            await connection.say(_as_text(message, settings.first))
        if settings.greeting:
            await connection.next()
        is_ready = settings.ready is None
        while not is_ready:
            message = await connection.next()
            is_ready = await beside(len(message), _is_ready, message, settings.ready or "")

    def _pass_over(self, unread: list[str]) -> None:
        """What came since the last answer: without `until` it would be taken for the next one."""
        if unread and self._settings.until is None:
            raise invalid(
                f"it sent an unexpected message: {excerpt(unread[0])}; where an answer "
                "is more than one message, write `until`; where one comes first of all, "
                "`greeting: true`"
            )

    def _request(self, name: str) -> HttpRequest:
        values: dict[str, Any] = {"episode": name}
        headers = headers_of(self._headers.render(values, self._secrets.values), {})
        return HttpRequest("GET", self._url.render(values, self._secrets.values), headers)

    def _read_secrets(self) -> Secrets:
        secrets = Secrets.read(self._settings.environment())
        address = self._url.render({"episode": "x"}, secrets.values)
        if wrong := _wrong_address(address.partition("?")[0]):
            raise InputError(f"target.url {wrong}")
        return secrets


def _is_ready(message: str, path: str) -> bool:
    """True if it is the message after which the bot takes questions."""
    data = json_or_text(message, "the JSON that it sent", required=False)
    fail_on_error(data)
    return is_true(compiled(path).search(data))


def _as_text(message: Any, written: Any) -> str:
    """A message as it is sent: text where it was written as text, else JSON."""
    is_text = isinstance(written, str) and isinstance(message, str)
    return message if is_text else json.dumps(message, ensure_ascii=False)


def _form(settings: WebsocketSettings, paths: Paths) -> PartsForm:
    """How messages make an answer: pieces that are joined, or the last text at `answer`."""
    joined = PartSettings(until=settings.until)
    if settings.delta is None:
        path = settings.answer or "answer"
        return PartsForm(
            paths, joined, settings.answer, unit="message", whole=path, whole_only=True
        )
    return PartsForm(
        paths, joined, settings.delta, unit="message", key="delta", whole=settings.answer
    )


def _read_message(message: str, paths: Paths) -> Reply:
    """The reply in one message, which is all of an answer."""
    if not message.strip():
        raise TargetError(TargetFault.EMPTY, "it sent an empty message")
    required = paths.answer is not None or message.lstrip().startswith("{")
    data = json_or_text(message, "the JSON that it sent", required=required)
    return paths.reply_in(data, "the message")


def _broken_off(error: TargetError, reader: PartsReader, form: PartsForm) -> TargetError:
    """The end of a connection in the middle of an answer."""
    if not reader.came:
        return error
    return TargetError(
        error.fault,
        f'{error} after {reader.came}, none of which made until: "{form.settings.until}" true; '
        f"the last: {excerpt(to_json(reader.last))}",
    )


# The connection: opened with care, heard all the time, closed in good order.


_PARTING_S = 1.0  # that a bot has to answer a close
_BROKEN_OFF = "it dropped the connection"
_MB = BODY_LIMIT // 1024**2


class Connection:
    """A connection that is heard all the time: pings are answered while nobody asks anything."""

    def __init__(self, socket: ClientWebSocketResponse) -> None:
        """Begin to listen."""
        self._socket = socket
        self._messages: asyncio.Queue[str | TargetError] = asyncio.Queue()
        self._waiting = 0  # characters
        self._listening = asyncio.create_task(self._listen())

    async def say(self, text: str) -> None:
        """Send a message.

        Raises:
            TargetError: the connection is no more.
        """
        import aiohttp

        try:
            await self._socket.send_str(text.encode("utf-8", "replace").decode("utf-8"))
        except (aiohttp.ClientError, OSError):
            await self.next()  # tells how it ended, if that is known by now
            raise raised(_BROKEN_OFF) from None

    async def next(self) -> str:
        """The next message, as text.

        Raises:
            TargetError: the connection has ended, with the bot's code and reason.
        """
        message = await self._messages.get()
        if isinstance(message, TargetError):
            self._messages.put_nowait(message)
            raise raised(str(message))
        self._waiting -= len(message)
        return message

    def unread(self) -> list[str]:
        """The messages that have come and nobody has read; they are taken."""
        messages: list[str] = []
        while not self._messages.empty():
            message = self._messages.get_nowait()
            if isinstance(message, TargetError):
                self._messages.put_nowait(message)
                break
            self._waiting -= len(message)
            messages.append(message)
        return messages

    @property
    def is_silent(self) -> bool:
        """Whether no message waits to be read."""
        return not self._waiting

    async def close(self) -> None:
        """Say goodbye; a bot that does not answer that is left."""
        await self._socket.close()
        self._listening.cancel()
        await asyncio.gather(self._listening, return_exceptions=True)

    async def _listen(self) -> None:
        over = raised(_BROKEN_OFF)
        try:
            while self._waiting <= BODY_LIMIT and self._messages.qsize() <= MAX_PIECES:
                text = _text(await self._socket.receive())
                self._waiting += len(text)
                self._messages.put_nowait(text)
            over = raised(
                f"it sent more than {_MB} million characters, or {MAX_PIECES:,} messages, "
                "without being asked"
            )
        except TargetError as error:
            over = error
        finally:
            self._messages.put_nowait(over)


def _text(message: WSMessage) -> str:
    from aiohttp import WSMsgType

    data: Any = message.data
    match message.type:
        case WSMsgType.TEXT:
            return str(data)
        case WSMsgType.BINARY:
            try:
                return bytes(data).decode("utf-8-sig")
            except UnicodeDecodeError:
                raise raised(f"it sent {len(data)} bytes that aren't UTF-8 text") from None
        case WSMsgType.CLOSE:
            reason = cut(visible(str(message.extra or "")), 200)
            raise raised(f"it closed the connection (code {data}{': ' if reason else ''}{reason})")
        case WSMsgType.ERROR:
            raise raised(f"mogi can't read its message: {cut(visible(str(data)), 200)}")
        case _:
            raise raised(_BROKEN_OFF)


async def connected(
    session: ClientSession, request: HttpRequest, hosts: Sequence[Reached]
) -> Connection:
    """A new connection.

    Raises:
        TargetError: there is none.
    """
    import aiohttp

    secure = request.url.startswith("wss:")
    host = urlsplit(request.url).hostname or ""
    expect_granted("GET", request.url, hosts)
    with translated("GET", request.url):
        try:
            socket = await session.ws_connect(
                request.url,
                headers=request.headers,
                proxy=config.proxy_for("https" if secure else "http", host),
                max_msg_size=BODY_LIMIT,
                timeout=aiohttp.ClientWSTimeout(ws_close=_PARTING_S),
            )
        except aiohttp.WSServerHandshakeError as error:
            raise _refused(error, request) from None
        except aiohttp.ClientConnectorSSLError:
            place = request.url.partition("?")[0]
            raise raised(f"{place} doesn't use TLS; does its URL begin with ws://?") from None
    return Connection(socket)


def _new_session() -> ClientSession:
    """The pool of connections of all talks."""
    from aiohttp import TraceConfig

    tracing = TraceConfig()
    tracing.on_request_redirect.append(_no_redirect)
    return new_session(trace_configs=[tracing])


async def _no_redirect(session: ClientSession, context: SimpleNamespace, params: Any) -> None:
    """A redirect is not followed: headers with keys would go where it leads."""
    where = visible(params.response.headers.get("Location", "")).partition("?")[0]
    raise raised(
        f"it redirects ({params.response.status}) to {cut(where, 200)}, which mogi doesn't "
        "follow; use the bot's own address as url"
    )


def _refused(error: Any, request: HttpRequest) -> TargetError:
    """An answer that opens no WebSocket."""
    name = request_name("GET", request.url)
    if error.status >= 300:
        return refused(name, error.status, None)
    status = status_line(error.status)
    if error.status == 101:
        status = f"101, but: {visible(error.message)}"
    return invalid(
        f"it answered {name} with {status}: that isn't a WebSocket; check the path of the URL, "
        "or use kind: http"
    )
