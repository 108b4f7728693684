"""A bot behind HTTP: any request, answers as JSON, as text or as a stream of events."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from simulator.core.errors import TargetError
from simulator.core.plan import Reached
from simulator.core.talk import Id, Reply, Talk
from simulator.targets._context import TargetContext
from simulator.targets._shapes import invalid, noted, talk_name, values_of, with_texts
from simulator.targets._wire.client import (
    REPEATABLE,
    CallRetries,
    HttpClient,
    HttpRequest,
    Incoming,
    Read,
    T,
)
from simulator.targets._wire.parts import PartsForm
from simulator.targets._wire.reading import Paths
from simulator.targets._wire.secrets import (
    SHORTEST,
    SHORTEST_IN_ANSWERS,
    Secrets,
    without,
)
from simulator.targets._wire.settings import granted, reached
from simulator.targets.http.carry import AnswerIds, IdMatch, find_id
from simulator.targets.http.presets import presets
from simulator.targets.http.replies import data_of, read_stream, read_whole
from simulator.targets.http.settings import CallTemplate, HttpCall, HttpSettings

if TYPE_CHECKING:
    from aiohttp import CookieJar


_EPISODE = "{{ episode }}"  # what a talk's own name is among its ids
_HIDDEN = "***"
_Read = Callable[..., Awaitable[Reply | IdMatch]]


@dataclass(slots=True)
class _BotTalk:
    """What is kept for one talk. `name` is what the bot knows it by.

    What the bot handed out, `session` and what is `carried`, opens the talk to whoever has it: it
    is sent back, and shown to nobody.
    """

    name: str
    jar: "CookieJar | None"
    session: Id | None = None
    carried: Mapping[str, Id] = field(default_factory=dict)

    def hidden(self, text: str, shortest: int = SHORTEST) -> str:
        """A text without what the bot handed out."""
        ids = (*self.carried.values(), *((self.session,) if self.session is not None else ()))
        return without(text, {str(each): _HIDDEN for each in ids}, shortest)

    def shown(self, reply: Reply) -> Reply:
        """A reply without it; of each id, that there is one."""
        ids = dict.fromkeys(self.carried, _HIDDEN)
        if self.carried:
            ids = {_EPISODE: self.name, **ids}
        if self.session is not None:
            ids["{{ session }}"] = _HIDDEN
        notes = tuple(map(self.hidden, reply.notes))
        bare = with_texts(reply, lambda text: self.hidden(text, SHORTEST_IN_ANSWERS))
        return replace(bare, ids=ids, notes=notes)


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
        self._settings = settings
        calls = {key: CallTemplate(call, key) for key, call in _calls(settings).items()}
        self._asking = calls[""]
        self._opening, self._closing = calls.get("session"), calls.get("session.close")
        self._polling = calls.get("poll")
        self._session_id = settings.session.id if settings.session else ""
        self._secrets = Secrets.read(
            variable for call in calls.values() for variable in call.environment
        )
        for call in calls.values():
            call.check_url(self._secrets)
        paths = Paths.of(settings, context, settings.answer)
        self._read: _Read = partial(read_whole, paths=paths, poll=settings.poll)
        if settings.stream == "sse":
            self._read = partial(read_stream, form=PartsForm(paths, settings.sse, settings.answer))
        # A bot that remembers the talk would hear the question twice, whatever the method says.
        keeps_talk = context.stateful or settings.stateful
        self._repeatable = settings.method in REPEATABLE and not keeps_talk
        self._retries = CallRetries(settings.attempts, context.timeout_s)
        self._client = HttpClient(granted(self.reaches(settings), self._secrets.values))
        self._talks: dict[str, _BotTalk] = {}

    @classmethod
    def open(cls, settings: HttpSettings, context: TargetContext) -> Self:
        """The bot that the settings describe; it is not called yet. Raises as `__init__`."""
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
        for key, call in _calls(settings).items():
            prefix = f"{key}." if key else ""
            yield from reached(call.url, call.environment(prefix), f"{prefix}url", call.method)

    async def answer(self, question: str, talk: Talk) -> Reply:
        """Ask the bot; its first answer of a talk includes the opening of a session.

        Raises:
            TargetError: it refused, failed, or sent what cannot be read as an answer.
            InputError: the settings cannot be filled in for this turn.
        """
        bot_talk = self._bot_talk(talk.episode)
        try:
            reply = await self._secrets.kept(self._answered(question, talk, bot_talk))
        except TargetError as error:
            raise TargetError(error.fault, bot_talk.hidden(str(error))) from None
        return bot_talk.shown(reply)

    async def leave(self, episode: str) -> None:
        """Close the session of a talk, if it has one and the settings say how.

        Raises:
            TargetError: the bot refused; nobody needs to know.
        """
        bot_talk = self._talks.pop(episode, None)
        if bot_talk is not None and bot_talk.session is not None and self._closing is not None:
            ids = {"episode": bot_talk.name, "session": bot_talk.session}
            await self._sent(self._closing.fill(ids, self._secrets), Incoming.body, bot_talk)

    async def close(self) -> None:
        """Close all connections."""
        self._talks.clear()
        await self._client.close()

    async def _answered(self, question: str, talk: Talk, bot_talk: _BotTalk) -> Reply:
        values = values_of(question, talk, bot_talk.name)
        if bot_talk.session is None and self._opening is not None:
            bot_talk.session = await self._opened(
                self._opening.fill(values, self._secrets), bot_talk
            )
        values["session"] = bot_talk.session
        known = dict(bot_talk.carried) if len(talk) else {}
        reply, troubles = await self._asked(values, known, bot_talk)
        bot_talk.carried = reply.ids
        if not troubles:
            return reply
        return noted(reply, f"answered only when asked again, after: {'; '.join(troubles)}")

    def _bot_talk(self, episode: str) -> _BotTalk:
        if episode not in self._talks:
            self._talks[episode] = _BotTalk(talk_name(episode), self._jar())
        return self._talks[episode]

    def _jar(self) -> "CookieJar | None":
        if not self._settings.cookies:
            return None
        from aiohttp import CookieJar

        return CookieJar(unsafe=True)  # a bot may live at an IP address

    async def _opened(self, request: HttpRequest, bot_talk: _BotTalk) -> Id:
        """Open a session, and return its id."""
        read = partial(_session_id, place=self._session_id)
        try:
            return (await self._sent(request, read, bot_talk))[0]
        except TargetError as error:
            raise TargetError(error.fault, f"opening a session: {error}") from None

    async def _asked(
        self, values: Mapping[str, Any], known: dict[str, Id], bot_talk: _BotTalk
    ) -> tuple[Reply, tuple[str, ...]]:
        """The reply, once it is there, and what went wrong before it came."""
        request = self._asking.fill(values, self._secrets, known)
        # A bot that is told the talk needs no id of it.
        settings = self._settings
        needs_ids = not (settings.carry or settings.cookies or settings.tells_talk)
        handed = AnswerIds(
            settings.carry,
            dict(known),
            request.text() if needs_ids else None,
            trace_at=settings.trace,
        )
        read = partial(self._read, handed=handed)
        answer, troubles = await self._sent(request, read, bot_talk, repeatable=self._repeatable)
        job = answer.id if isinstance(answer, IdMatch) else None
        while isinstance(answer, IdMatch):
            if settings.poll is None or self._polling is None or job is None:
                raise invalid(f"poll.job: {answer.why}")
            await asyncio.sleep(settings.poll.every_s)
            poll = self._polling.fill({**values, "job": job}, self._secrets)
            is_repeatable = poll.method in REPEATABLE
            answer, more = await self._sent(poll, read, bot_talk, repeatable=is_repeatable)
            troubles += more
        return answer, troubles

    async def _sent(
        self, request: HttpRequest, read: Read[T], bot_talk: _BotTalk, *, repeatable: bool = False
    ) -> tuple[T, tuple[str, ...]]:
        attempt = partial(self._client.attempt, request, read, bot_talk.jar)
        return await self._retries(attempt, repeatable=repeatable)


def _calls(settings: HttpSettings) -> dict[str, HttpCall]:
    """The calls of the settings, by their keys in them."""
    session = settings.session
    calls = {
        "": settings,
        "session": session,
        "session.close": session and session.close,
        "poll": settings.polling,
    }
    return {key: call for key, call in calls.items() if call is not None}


async def _session_id(incoming: Incoming, place: str) -> Id:
    data = data_of(incoming, await incoming.body(), as_text=True)
    match = find_id(place, incoming, data)
    if match.id is None:
        raise invalid(f"session.id: {match.why}")
    return match.id
