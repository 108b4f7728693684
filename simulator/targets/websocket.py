"""A bot behind a WebSocket: a connection for each talk, a message for each question."""

import asyncio
import json
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

from simulator.core.errors import InputError, TargetError
from simulator.core.talk import Reply, Talk
from simulator.core.version import __version__
from simulator.targets._context import TargetContext
from simulator.targets._documents import document_paths
from simulator.targets._http_errors import excerpt
from simulator.targets._http_reading import Paths, invalid
from simulator.targets._http_requests import Request, headers_of
from simulator.targets._http_retry import Retries
from simulator.targets._jmespath import compiled
from simulator.targets._secrets import Secrets, variables_in
from simulator.targets._templates import Template, TemplateError
from simulator.targets._told import name_of, values_of, without_secrets
from simulator.targets._websocket_line import Line, Lines
from simulator.targets._websocket_reading import Form, read_answer
from simulator.targets._websocket_settings import WebsocketSettings, wrong_address


@dataclass(frozen=True, slots=True)
class _Held:
    """A talk's connection. `name` is what the bot may know the talk by."""

    name: str
    line: Line


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
        self._form = _form(settings, context)
        self._retries = Retries(settings.attempts, context.timeout_s)
        self._lines = Lines()
        self._talks: dict[str, _Held] = {}

    @classmethod
    def open(cls, settings: WebsocketSettings, context: TargetContext) -> Self:
        """The bot that the settings describe; it is not called yet.

        Raises:
            InputError: a variable of the environment is not set, or a URL that it makes is none.
        """
        return cls(settings, context)

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
        try:
            reply = await self._answered(question, talk)
        except TargetError as error:
            raise TargetError(error.fault, self._secrets.hidden(str(error))) from None
        except (InputError, TemplateError) as error:
            raise InputError(f"target: {self._secrets.hidden(str(error))}") from None
        return without_secrets(reply, self._secrets)

    async def leave(self, episode: str) -> None:
        """Close the connection of a talk."""
        held = self._talks.pop(episode, None)
        if held is not None:
            await held.line.close()

    async def close(self) -> None:
        """Close all connections."""
        held, self._talks = tuple(self._talks.values()), {}
        await asyncio.gather(*(one.line.close() for one in held), return_exceptions=True)
        await self._lines.close()

    async def _answered(self, question: str, talk: Talk) -> Reply:
        held, notes = await self._held(talk.episode)
        self._pass_over(held.line.unheard())
        values = values_of(question, talk, held.name)
        message = self._send.render(values, self._secrets.values)
        is_text = isinstance(self._settings.send, str) and isinstance(message, str)
        await held.line.say(message if is_text else json.dumps(message, ensure_ascii=False))
        reply = await read_answer(held.line.next, self._form)
        if self._settings.until is None and not held.line.is_silent:
            more = "more messages came after its answer; if they belong to it, write `until`"
            notes = (*notes, more)
        return replace(reply, notes=(*reply.notes, *notes))

    async def _held(self, episode: str) -> tuple[_Held, tuple[str, ...]]:
        if episode in self._talks:
            return self._talks[episode], ()
        name = name_of(episode)
        attempt = partial(self._lines.opened, self._request(name))
        # Nothing was said yet, so trying again does no harm.
        line, troubles = await self._retries(attempt, repeatable=True)
        held = self._talks[episode] = _Held(name, line)
        if self._settings.greeting:
            await line.next()
        notes = (f"connected only when tried again, after: {'; '.join(troubles)}",)
        return held, notes if troubles else ()

    def _pass_over(self, unheard: list[str]) -> None:
        """What came since the last answer: without `until` it would be taken for the next one."""
        if unheard and self._settings.until is None:
            raise invalid(
                f"it sent a message that nobody asked for: {excerpt(unheard[0])}; where an answer "
                "is more than one message, write `until`; where one comes first of all, "
                "`greeting: true`"
            )

    def _request(self, name: str) -> Request:
        values: dict[str, Any] = {"episode": name}
        rendered = self._headers.render(values, self._secrets.values)
        headers = headers_of(rendered, {"User-Agent": f"mogi/{__version__}"})
        url = self._url.render(values, self._secrets.values)
        return Request("GET", url, headers, None)

    def _read_secrets(self) -> Secrets:
        headers = {f"headers.{name}": value for name, value in self._settings.headers.items()}
        written = {"url": self._settings.url, "send": self._settings.send, **headers}
        found = Secrets.read(variables_in(written))
        address = self._url.render({"episode": "x"}, found.values)
        wrong = wrong_address(address.partition("?")[0])
        if wrong:
            raise InputError(f"target.url {wrong}")
        return found


def _form(settings: WebsocketSettings, context: TargetContext) -> Form:
    paths = Paths(compiled(settings.answer), document_paths(settings, context))
    return Form(paths, compiled(settings.delta), compiled(settings.until))
