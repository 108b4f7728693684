"""A bot behind a WebSocket: a connection for each talk, a message for each question."""

import asyncio
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any, Self

from pydantic import AfterValidator, Field, model_validator

from simulator.core.concurrency import beside
from simulator.core.errors import InputError, TargetError, TargetFault
from simulator.core.plan import Reached
from simulator.core.talk import Reply, Talk
from simulator.formats.fields import wrong_url
from simulator.targets._context import TargetContext
from simulator.targets._shapes import invalid, noted, talk_name, values_of
from simulator.targets._wire.client import CallRetries, HttpRequest, headers_of
from simulator.targets._wire.errors import excerpt
from simulator.targets._wire.jmespath import PathText, compiled
from simulator.targets._wire.parts import PartSettings, PartsForm, PartsReader
from simulator.targets._wire.reading import Paths, answer_in, answer_paths, json_or_text, to_json
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
    reached,
)
from simulator.targets._wire.templates import Template
from simulator.targets.websocket.connection import Connection, Connections

_KNOWN = {name: examples for name, examples in EXAMPLES.items() if name != "session"}
_FROM_THE_ENVIRONMENT = re.compile(r"([?&])[^=&#]{1,200}=\$\{[^}]{0,200}\}")
_RIGHT = "is not the URL of a WebSocket; write one that begins with wss:// or ws://"


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

    TEMPLATES = ("url", "send", "headers")

    url: Annotated[str, AfterValidator(_address)] = Field(
        description="an address that begins with wss:// or ws://"
    )
    headers: Headers = Field({}, description="such as {Authorization: Bearer ${BOT_TOKEN}}")
    greeting: bool = Field(
        default=False, description="true: the bot's first message is none of its answers"
    )
    send: Annotated[Any, AfterValidator(_message)] = Field(
        DEFAULT_BODY,
        description="what is sent for a question, as JSON, or as it stands if text",
    )
    delta: PathText | None = Field(
        None, description="a JMESPath to the piece of text in each message; they are joined"
    )
    until: PathText | None = Field(
        None,
        description="a JMESPath that is true in the last message of an answer; "
        "default: an answer is one message",
    )

    @model_validator(mode="after")
    def _hangs_together(self) -> Self:
        if not Template(self.send).variables & TELLING:
            raise ValueError("sends the question nowhere; write {{ question }} in `send`")
        wrong = sorted(Template([self.url, self.headers]).variables - {"episode"})
        if wrong:
            raise ValueError(
                f"uses {{{{ {wrong[0]} }}}} where the connection is opened, once for a talk; "
                "there is: episode"
            )
        if self.delta is not None and self.until is None:
            raise ValueError(
                "has `delta`, but nothing says which message is the last; "
                "add `until`, such as until: done"
            )
        return self


@dataclass(frozen=True, slots=True)
class _Held:
    """A talk's connection. `name` is what the bot may know the talk by."""

    name: str
    connection: Connection


class Websocket:
    """A bot behind a WebSocket: a connection for each talk, a message for each question.

    The connection is opened with a talk's first question and closed when the talk is over; the bot
    keeps the talk. Texts of `send` hold Jinja2 placeholders; a value that is exactly one
    placeholder keeps its type. There are `question`, `turn` (its number, from 1), `history` (a
    list of {user, assistant}), `messages` (the same and the question, a list of {role, content})
    and `episode` (a name for this talk that no other has had), which `url` and `headers` may hold,
    too. `send` is JSON, or, where it is text, that text. `${NAME}` is a variable of the
    environment.

    An answer is one message, as text or as JSON (`answer`, `documents`, `document_ids` and
    `document_titles` are JMESPaths into it). With `until` it is all messages up to the first one
    in which that is true: its text is the pieces at `delta` joined, or what was last found at
    `answer`; other messages, such as a sign of typing, are passed over.

    Pings are answered at all times, redirects are not followed, binary messages are read as text.
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
        self._send = Template(settings.send)
        self._secrets = self._read_secrets()
        self._paths = answer_paths(settings, context)
        self._form = _form(settings, self._paths) if settings.until else None
        self._retries = CallRetries(settings.attempts, context.timeout_s)
        self._connections = Connections()
        self._talks: dict[str, _Held] = {}

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
        return reached(settings.url, settings.environment())

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
        held = self._talks.pop(episode, None)
        if held is not None:
            await held.connection.close()

    async def close(self) -> None:
        """Close all connections."""
        held, self._talks = tuple(self._talks.values()), {}
        await asyncio.gather(*(one.connection.close() for one in held), return_exceptions=True)
        await self._connections.close()

    async def _answered(self, question: str, talk: Talk) -> Reply:
        held, notes = await self._held(talk.episode)
        self._pass_over(held.connection.unheard())
        values = values_of(question, talk, held.name)
        message = self._send.render(values, self._secrets.values)
        is_text = isinstance(self._settings.send, str) and isinstance(message, str)
        await held.connection.say(message if is_text else json.dumps(message, ensure_ascii=False))
        reply = await self._read(held.connection)
        if self._settings.until is None and not held.connection.is_silent:
            more = "more messages came after its answer; if they belong to it, write `until`"
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

    async def _held(self, episode: str) -> tuple[_Held, tuple[str, ...]]:
        if episode in self._talks:
            return self._talks[episode], ()
        name = talk_name(episode)
        attempt = partial(self._connections.opened, self._request(name))
        # Nothing was said yet, so trying again does no harm.
        connection, troubles = await self._retries(attempt, repeatable=True)
        held = self._talks[episode] = _Held(name, connection)
        if self._settings.greeting:
            await connection.next()
        note = f"connected only when tried again, after: {'; '.join(troubles)}"
        return held, (note,) if troubles else ()

    def _pass_over(self, unheard: list[str]) -> None:
        """What came since the last answer: without `until` it would be taken for the next one."""
        if unheard and self._settings.until is None:
            raise invalid(
                f"it sent a message that nobody asked for: {excerpt(unheard[0])}; where an answer "
                "is more than one message, write `until`; where one comes first of all, "
                "`greeting: true`"
            )

    def _request(self, name: str) -> HttpRequest:
        values: dict[str, Any] = {"episode": name}
        headers = headers_of(self._headers.render(values, self._secrets.values), {})
        return HttpRequest("GET", self._url.render(values, self._secrets.values), headers)

    def _read_secrets(self) -> Secrets:
        found = Secrets.read(self._settings.environment())
        address = self._url.render({"episode": "x"}, found.values)
        wrong = _wrong_address(address.partition("?")[0])
        if wrong:
            raise InputError(f"target.url {wrong}")
        return found


def _form(settings: WebsocketSettings, paths: Paths) -> PartsForm:
    """How messages make an answer: pieces that are joined, or each with the text so far."""
    if settings.delta is None:
        last = PartSettings(until=settings.until, pieces="last")
        return PartsForm.of(last, paths, unit="message")
    joined = PartSettings(until=settings.until)
    pieces = replace(paths, answer=compiled(settings.delta))
    return PartsForm.of(joined, pieces, unit="message", key="delta", whole=paths.answer)


def _read_message(message: str, paths: Paths) -> Reply:
    """The reply in one message, which is all of an answer."""
    if not message.strip():
        raise TargetError(TargetFault.EMPTY, "it sent an empty message")
    plain = paths.answer is None and not message.lstrip().startswith("{")
    data = json_or_text(message, "the JSON that it sent", plain=plain)
    return paths.documents_in(data, "the message").reply(
        answer_in(data, paths.answer, "the message")
    )


def _broken_off(error: TargetError, reader: PartsReader, form: PartsForm) -> TargetError:
    """The end of a connection in the middle of an answer."""
    if not reader.came:
        return error
    return TargetError(
        error.fault,
        f'{error} after {reader.came}, none of which made until: "{form.settings.until}" true; '
        f"the last: {excerpt(to_json(reader.last))}",
    )
