"""A bot behind HTTP: any request, answers as JSON, as text or as a stream of events."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from simulator.core.errors import TargetError
from simulator.core.talk import Reply, Talk
from simulator.targets._context import TargetContext
from simulator.targets._shapes import invalid, noted, talk_name, values_of
from simulator.targets._wire.client import REPEATABLE, CallRetries, HttpClient, Incoming, Read
from simulator.targets._wire.jmespath import JmesPath
from simulator.targets._wire.reading import answer_paths
from simulator.targets._wire.secrets import Secrets
from simulator.targets.http.reading import data_of, read_stream, read_whole
from simulator.targets.http.settings import CallTemplate, HttpSettings

if TYPE_CHECKING:
    from aiohttp import CookieJar


_Id = str | int | float


@dataclass(slots=True)
class _Held:
    """What is held for one talk. `name` is what the bot knows it by."""

    name: str
    session: _Id | None = None
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
    - `session`: what `session.id` found when the talk's session was opened.

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
        self._session_id = JmesPath(session.id) if session else None
        self._secrets = self._read_secrets()
        paths = answer_paths(settings, context)
        self._read: Read[Reply] = partial(read_whole, paths=paths)
        if streams:
            self._read = partial(read_stream, paths=paths, form=settings.sse)
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

    @classmethod
    def keeps_talk(cls, settings: HttpSettings) -> bool:
        """Whether the bot remembers the talk: a session, cookies, or the episode but no history."""
        return settings.stateful

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
        held = self._talks.get(talk.episode)
        if held is None:
            held = self._talks[talk.episode] = _Held(talk_name(talk.episode), jar=self._jar())
        values = values_of(question, talk, held.name)
        if held.session is None:
            held.session = await self._opened(values, held)
        values["session"] = held.session
        request = self._asking.fill(values, self._secrets)
        attempt = partial(self._client.attempt, request, self._read, held.jar)
        reply, troubles = await self._retries(attempt, repeatable=self._repeatable)
        if not troubles:
            return reply
        return noted(reply, f"answered only when asked again, after: {'; '.join(troubles)}")

    async def _opened(self, values: Mapping[str, Any], held: _Held) -> _Id | None:
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
        calls = [c for c in (self._asking, self._opening, self._closing) if c is not None]
        found = Secrets.read(pair for call in calls for pair in call.environment)
        for call in calls:
            call.check_url(found)
        return found


async def _session_id(incoming: Incoming, path: JmesPath) -> _Id:
    found = path.find(await data_of(incoming, as_text=True))
    if found.why:
        raise invalid(f"session.id: {found.why}")
    if isinstance(found.value, bool) or not isinstance(found.value, str | int | float):
        raise invalid(f'session.id: at "{path.text}" is no text or number')
    return found.value
