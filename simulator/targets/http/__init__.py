"""A bot behind HTTP: any request, answers as JSON, as text or as a stream of events."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from simulator.core.errors import TargetError
from simulator.core.plan import Reached
from simulator.core.talk import Id, Reply, Talk
from simulator.targets._context import TargetContext
from simulator.targets._shapes import invalid, noted, talk_name, values_of
from simulator.targets._wire.client import (
    REPEATABLE,
    CallRetries,
    HttpClient,
    HttpRequest,
    Incoming,
)
from simulator.targets._wire.jmespath import JmesPath, compiled
from simulator.targets._wire.parts import PartsForm
from simulator.targets._wire.reading import answer_paths
from simulator.targets._wire.secrets import Secrets
from simulator.targets._wire.settings import reached
from simulator.targets.http.carry import HandedOut, Place
from simulator.targets.http.presets import presets
from simulator.targets.http.replies import Job, Poll, data_of, read_stream, read_whole
from simulator.targets.http.settings import CallTemplate, HttpCall, HttpSettings

if TYPE_CHECKING:
    from aiohttp import CookieJar


_EPISODE = "{{ episode }}"  # what a talk's own name is among its ids
_Reads = Callable[[Incoming, HandedOut], Awaitable[Reply | Job]]


@dataclass(slots=True)
class _Held:
    """What is held for one talk. `name` is what the bot knows it by."""

    name: str
    session: Id | None = None
    jar: "CookieJar | None" = None


class Http:
    """A bot behind HTTP: any request, answers as JSON or as server-sent events.

    Texts of `url`, `headers`, `params`, `body` and `form` hold Jinja2 placeholders; a value of the
    body that is exactly one placeholder keeps its type. There are:

    - `question`: what the user says now; `turn`: its number, from 1;
    - `history`: what was said before, a list of {user, assistant};
    - `messages`: the same and the question, a list of {role, content};
    - `episode`: a name for this talk, ASCII letters, digits and hyphens, at most 64 characters, fit
      for a URL. Each talk has its own, and a talk that is held again a new one;
    - `session`: what `session.id` found when the talk's session was opened;
    - `job`: in `poll`, what `poll.job` found in the first answer.

    What `carry` names is found in each answer and sent back with the next question. A talk that was
    cut off begins anew: under its old ids the bot may have heard a question whose answer was lost.

    `${NAME}` is a variable of the environment. Its value goes nowhere but into the request.
    """

    Settings = HttpSettings

    def __init__(self, settings: HttpSettings, context: TargetContext) -> None:
        """Compile the settings; nothing is sent.

        Raises:
            InputError: a variable of the environment is not set, or a URL that it makes is none.
        """
        streams, session = settings.stream == "sse", settings.session
        closing = session.close if session else None
        self._asking = CallTemplate(settings, sse=streams)
        self._opening = CallTemplate(session, "session") if session else None
        self._closing = CallTemplate(closing, "session.close") if closing else None
        poll = settings.polling
        self._polling = CallTemplate(poll, "poll") if poll else None
        self._poll = Poll(Place(poll.job), compiled(poll.until), poll.every_s) if poll else None
        self._carry = {name: Place(place) for name, place in settings.carry.items()}
        # A bot that is told the talk needs no id of it.
        self._wants_ids = not (settings.carry or settings.cookies or settings.tells_talk)
        self._session_id = JmesPath(session.id) if session else None
        self._secrets = self._read_secrets()
        paths = answer_paths(settings, context)
        self._reads: _Reads = partial(read_whole, paths=paths, poll=self._poll)
        if streams:
            self._reads = partial(read_stream, form=PartsForm.of(settings.sse, paths))
        # A bot that remembers the talk would hear the question twice, whatever the method says.
        keeps_talk = context.stateful or settings.stateful
        self._repeatable = settings.method in REPEATABLE and not keeps_talk
        self._cookies = settings.cookies
        self._retries = CallRetries(settings.attempts, context.timeout_s)
        self._client = HttpClient()
        self._talks: dict[str, _Held] = {}

    @classmethod
    def open(cls, settings: HttpSettings, context: TargetContext) -> Self:
        """The bot that the settings describe; it is not called yet.

        Raises:
            InputError: a variable of the environment is not set, or a URL that it makes is none.
        """
        return cls(settings, context)

    @staticmethod
    def presets() -> Mapping[str, str]:
        """What a line says of each preset, by its name."""
        return {name: preset["description"] for name, preset in presets().items()}

    @classmethod
    def keeps_talk(cls, settings: HttpSettings) -> bool:
        """Whether the bot remembers the talk: by a session, cookies, its own ids or our name."""
        return settings.stateful

    @classmethod
    def reaches(cls, settings: HttpSettings) -> Iterator[Reached]:
        """Every host that is called, and where variables of the environment go."""
        session = settings.session
        calls: dict[str, HttpCall | None] = {
            "": settings,
            "session.": session,
            "session.close.": session and session.close,
            "poll.": settings.polling,
        }
        for key, call in calls.items():
            if call is not None:
                yield from reached(call.url, call.environment(key), f"{key}url")

    async def answer(self, question: str, talk: Talk) -> Reply:
        """Ask the bot; its first answer of a talk includes the opening of a session.

        Raises:
            TargetError: it refused, failed, or sent what cannot be read as an answer.
            InputError: the settings cannot be filled in for this turn.
        """
        return await self._secrets.kept(self._answered(question, talk))

    async def leave(self, episode: str) -> None:
        """Close the session of a talk, if it has one and the settings say how.

        Raises:
            TargetError: the bot refused; nobody needs to know.
        """
        held = self._talks.pop(episode, None)
        if held is None or held.session is None or self._closing is None:
            return
        request = self._closing.fill({"episode": held.name, "session": held.session}, self._secrets)
        attempt = partial(self._client.attempt, request, Incoming.body, held.jar)
        await self._retries(attempt, repeatable=False)

    async def close(self) -> None:
        """Close all connections."""
        self._talks.clear()
        await self._client.close()

    async def _answered(self, question: str, talk: Talk) -> Reply:
        held = self._held(talk)
        values = values_of(question, talk, held.name)
        if held.session is None:
            held.session = await self._opened(values, held)
        values["session"] = held.session
        known = {name: i for name, i in talk.ids.items() if name in self._carry}
        request = self._asking.fill(values, self._secrets, known)
        sent = request.told() if self._wants_ids else None
        handed = HandedOut(self._carry, dict(known), sent)
        reply, troubles = await self._asked(request, handed, held, values)
        if self._carry:
            reply = replace(reply, ids={_EPISODE: held.name, **reply.ids})
        if held.session is not None:
            reply = replace(reply, ids={**reply.ids, "{{ session }}": held.session})
        if not troubles:
            return reply
        return noted(reply, f"answered only when asked again, after: {'; '.join(troubles)}")

    def _held(self, talk: Talk) -> _Held:
        held = self._talks.get(talk.episode)
        if held is None:
            name = talk_name(talk.episode)
            held = self._talks[talk.episode] = _Held(name, jar=self._jar())
        return held

    async def _asked(
        self, request: HttpRequest, handed: HandedOut, held: _Held, values: Mapping[str, Any]
    ) -> tuple[Reply, tuple[str, ...]]:
        """The reply, once it is there, and what went wrong before it came."""

        async def read(incoming: Incoming) -> Reply | Job:
            return await self._reads(incoming, handed)

        attempt = partial(self._client.attempt, request, read, held.jar)
        came, troubles = await self._retries(attempt, repeatable=self._repeatable)
        job = came.id if isinstance(came, Job) else None
        while isinstance(came, Job):
            if self._poll is None or self._polling is None or job is None:
                raise invalid(f"poll.job: {came.why}")
            await asyncio.sleep(self._poll.every_s)
            looking = self._polling.fill({**values, "job": job}, self._secrets)
            attempt = partial(self._client.attempt, looking, read, held.jar)
            came, more = await self._retries(attempt, repeatable=looking.method in REPEATABLE)
            troubles += more
        return came, troubles

    async def _opened(self, values: Mapping[str, Any], held: _Held) -> Id | None:
        """Open a session, and return its id; None where the bot has none."""
        if self._opening is None or self._session_id is None:
            return None
        request = self._opening.fill(values, self._secrets)
        read = partial(_session_id, path=self._session_id)
        attempt = partial(self._client.attempt, request, read, held.jar)
        try:
            found, _ = await self._retries(attempt, repeatable=False)
        except TargetError as error:
            raise TargetError(error.fault, f"opening a session: {error}") from None
        return found

    def _jar(self) -> "CookieJar | None":
        if not self._cookies:
            return None
        from aiohttp import CookieJar

        return CookieJar(unsafe=True)  # a bot may live at an IP address

    def _read_secrets(self) -> Secrets:
        every = (self._asking, self._opening, self._closing, self._polling)
        calls = [call for call in every if call is not None]
        found = Secrets.read(pair for call in calls for pair in call.environment)
        for call in calls:
            call.check_url(found)
        return found


async def _session_id(incoming: Incoming, path: JmesPath) -> Id:
    found = path.find(data_of(incoming, await incoming.body(), as_text=True))
    if found.why:
        raise invalid(f"session.id: {found.why}")
    if isinstance(found.value, bool) or not isinstance(found.value, str | int | float):
        raise invalid(f'session.id: at "{path.text}" is no text or number')
    return found.value
