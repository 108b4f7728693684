"""A bot behind HTTP: any request, answers as JSON, as text or as a stream of events."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from simulator.core.concurrency import beside
from simulator.core.errors import TargetError
from simulator.core.plan import Reached
from simulator.core.talk import Id, Reply, Talk
from simulator.targets._context import Denied, Step, TargetContext
from simulator.targets._shapes import invalid, noted, talk_name, values_of, with_texts
from simulator.targets._wire.client import (
    REPEATABLE,
    CallRetries,
    FailedAttempt,
    HttpClient,
    HttpRequest,
    Incoming,
    Read,
    T,
    request_name,
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
from simulator.targets.http.carry import COOKIE, AnswerIds, IdMatch, find_id
from simulator.targets.http.presets import presets
from simulator.targets.http.replies import (
    LISTENS_ON,
    Callbacks,
    data_of,
    read_callback,
    read_stream,
    read_whole,
)
from simulator.targets.http.settings import CallTemplate, HttpCall, HttpSettings, SessionStep

if TYPE_CHECKING:
    from aiohttp import CookieJar


_DENIED, _MAX_STEPS = 401, 40
_EPISODE = "{{ episode }}"  # what a talk's own name is among its ids
_HIDDEN = "***"
_Read = Callable[..., Awaitable[Reply | IdMatch]]


class _Expired(FailedAttempt):
    """A question that was not let in, with what a step took."""


@dataclass(slots=True)
class _BotTalk:
    """What is kept for one talk. `name` is what the bot knows it by.

    What the bot handed out, what is `taken` and what is `carried`, opens the talk to whoever has
    it: it is sent back, and shown to nobody. `secrets`: all that was taken, also what was replaced.
    What the user `named`, such as the number of an order, is no secret of the bot: an answer is
    scored as it is stored, so it has to be kept there. `denied`: the bot still answers 401.
    """

    name: str
    jar: "CookieJar | None"
    taken: dict[str, Id] = field(default_factory=dict)
    carried: Mapping[str, Id] = field(default_factory=dict)
    secrets: set[str] = field(default_factory=set)
    named: str = ""
    opened: bool = False
    denied: bool = False
    steps: deque[Step] = field(default_factory=partial(deque, maxlen=_MAX_STEPS))

    def hidden(self, text: str, shortest: int = SHORTEST) -> str:
        """A text without what the bot handed out."""
        ids = {*map(str, self.carried.values()), *self.secrets}
        secret = (name for name in ids if name not in self.named)
        return without(text, dict.fromkeys(secret, _HIDDEN), shortest)

    def note(self, request: HttpRequest, status: int | None, took: Iterable[str] = ()) -> None:
        """Note what came of a request; the same one again and again, as of a poll, counts once."""
        step = Step(request_name(request.method, request.url), status or 0, tuple(took))
        if not (self.steps and self.steps[-1] == step):
            self.steps.append(step)

    def shown(self, reply: Reply) -> Reply:
        """A reply without it; of each id, that there is one."""
        ids = dict.fromkeys(self.carried, _HIDDEN)
        if self.carried:
            ids = {_EPISODE: self.name, **ids}
        ids |= {f"{{{{ {name} }}}}": _HIDDEN for name in self.taken}
        notes = tuple(map(self.hidden, reply.notes))
        bare = with_texts(reply, lambda text: self.hidden(text, SHORTEST_IN_ANSWERS))
        return replace(bare, ids=ids, notes=notes)


class Http:
    """A bot behind an HTTP API that returns JSON or server-sent events.

    `url`, `headers`, `params`, `body` and `form` can contain Jinja2 placeholders. If a value in the
    body is exactly one placeholder, it keeps its type. The placeholders are:

    - `question`: the user's current message; `turn`: its number, from 1;
    - `history`: the conversation so far, a list of {user, assistant};
    - `messages`: the same and the question, a list of {role, content};
    - `episode`: the ID of the conversation: ASCII letters, digits and hyphens, at most 64
      characters, safe in a URL. Each conversation has its own, and a retried conversation gets a
      new one;
    - `session`: the value at `session.id` when the session was opened; other values that the steps
      of `session` take are available by their names;
    - `job`: in `poll`, the value at `poll.job` in the first answer;
    - `callback`: a URL on this machine to which the bot sends its answer; `callback_id`: the number
      in it.

    If the bot answers with 401, mogi takes the values of the `session` steps once more: they may
    have expired.

    mogi finds the values in `carry` in each answer and sends them back with the next question. An
    interrupted conversation starts over: the bot may already have received a question under its old
    IDs whose answer was lost.

    `${NAME}` is an environment variable. mogi uses its value only in the request.
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
        self._closing, self._polling = calls.get("session.close"), calls.get("poll")
        self._steps = [
            (settings.steps[number], calls[key]) for number, key in enumerate(_step_keys(settings))
        ]
        self._callbacks = Callbacks(settings.callback) if settings.callback else None
        self._secrets = Secrets.read(
            variable for call in calls.values() for variable in call.environment
        )
        for call in calls.values():
            call.check_url(self._secrets)
        self._paths = paths = Paths.of(settings, context, settings.answer)
        whole: _Read = partial(read_whole, paths=paths, poll=settings.poll)
        form = PartsForm(paths, settings.sse, settings.answer)
        reads: dict[str, _Read] = {
            "none": whole,
            "sse": partial(read_stream, form=form, lines=False),
            "ndjson": partial(read_stream, form=form, lines=True),
        }
        self._read = reads[settings.stream]
        self._read_poll = reads[settings.poll.stream] if settings.poll else whole
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
        """Every host that is called, where variables go, and where answers are waited for."""
        for key, call in _calls(settings).items():
            prefix = f"{key}." if key else ""
            yield from reached(call.url, call.environment(prefix), f"{prefix}url", call.method)
        if settings.callback is not None:
            port = settings.callback.port
            yield Reached("port", f"{LISTENS_ON}:{port or '*'}", "target.callback")

    async def answer(self, question: str, talk: Talk) -> Reply:
        """Ask the bot; its first answer of a talk includes the opening of a session.

        Raises:
            TargetError: it refused, failed, or sent what cannot be read as an answer.
            InputError: the settings cannot be filled in for this turn.
        """
        bot_talk = self._bot_talk(talk.episode)
        bot_talk.named = "\n".join([*(each.user for each in talk.exchanges), question])
        try:
            reply = await self._secrets.kept(self._answered(question, talk, bot_talk))
        except TargetError as error:
            kind = Denied if bot_talk.denied else TargetError
            raise kind(error.fault, bot_talk.hidden(str(error))) from None
        return bot_talk.shown(reply)

    def steps(self, episode: str) -> tuple[Step, ...]:
        """The requests of a talk so far; none where it takes no more than its questions."""
        settings, bot_talk = self._settings, self._talks.get(episode)
        if bot_talk is None or not (settings.steps or settings.poll or settings.callback):
            return ()
        hidden = [bot_talk.hidden(self._secrets.hidden(step.request)) for step in bot_talk.steps]
        pairs = zip(bot_talk.steps, hidden, strict=True)
        return tuple(replace(step, request=request) for step, request in pairs)

    async def leave(self, episode: str) -> None:
        """Close the session of a talk, if it has one and the settings say how.

        Raises:
            TargetError: the bot refused; nobody needs to know.
        """
        bot_talk = self._talks.pop(episode, None)
        if bot_talk is not None and bot_talk.opened and self._closing is not None:
            ids = {"episode": bot_talk.name, **bot_talk.taken}
            request = await beside(0, self._closing.fill, ids, self._secrets)
            await self._sent(request, Incoming.body, bot_talk)

    async def close(self) -> None:
        """Close all connections."""
        self._talks.clear()
        if self._callbacks is not None:
            await self._callbacks.close()
        await self._client.close()

    async def _answered(self, question: str, talk: Talk, bot_talk: _BotTalk) -> Reply:
        values = values_of(question, talk, bot_talk.name)
        if roles := self._settings.history:
            values["messages"] = roles.of(values["messages"])
            values["history"] = values["messages"][:-1]
        if not bot_talk.opened:
            await self._take_steps(values, bot_talk)
            bot_talk.opened = True
        known = dict(bot_talk.carried) if len(talk) else {}
        try:
            reply, troubles = await self._asked(values, known, bot_talk)
        except _Expired:
            # A session that is opened anew has forgotten the talk.
            await self._take_steps(values, bot_talk, again=len(talk) > 0)
            try:
                reply, troubles = await self._asked(values, known, bot_talk)
            except _Expired as error:
                raise _denied_again(bot_talk, error) from None
        bot_talk.carried = reply.ids
        if not troubles:
            return reply
        return noted(reply, f"answered only when asked again, after: {'; '.join(troubles)}")

    def _bot_talk(self, episode: str) -> _BotTalk:
        if episode not in self._talks:
            self._talks[episode] = _BotTalk(talk_name(episode), self._jar())
        return self._talks[episode]

    def _jar(self) -> "CookieJar | None":
        if not self._settings.keeps_cookies:
            return None
        from aiohttp import CookieJar

        return CookieJar(unsafe=True)  # a bot may live at an IP address

    async def _take_steps(
        self, values: Mapping[str, Any], bot_talk: _BotTalk, *, again: bool = False
    ) -> None:
        """Make the calls that come before a question; `again`: those that open no session."""
        for number, (step, call) in enumerate(self._steps, 1):
            if again and step.id:
                continue
            known = {**values, **bot_talk.taken}
            request = await beside(0, call.fill, known, self._secrets)
            read = partial(_taken, step=step, jar=bot_talk.jar)
            try:
                taken, _ = await self._sent(request, read, bot_talk)
            except TargetError as error:
                bot_talk.denied = isinstance(error, FailedAttempt) and error.status == _DENIED
                which = f" (step {number} of {len(self._steps)})" if len(self._steps) > 1 else ""
                raise TargetError(error.fault, f"opening a session{which}: {error}") from None
            bot_talk.taken.update(taken)
            bot_talk.secrets.update(map(str, taken.values()))
            if taken:
                bot_talk.steps[-1] = replace(bot_talk.steps[-1], took=tuple(taken))

    async def _asked(
        self, values: Mapping[str, Any], known: dict[str, Id], bot_talk: _BotTalk
    ) -> tuple[Reply, tuple[str, ...]]:
        """The reply, once it is there, and what went wrong before it came."""
        values = {**values, **bot_talk.taken}
        if self._callbacks is None:
            return await self._asked_at(values, known, bot_talk)
        await self._callbacks.opened()
        with self._callbacks.waiting() as (number, address, answer):
            values |= {"callback": address, "callback_id": number}
            return await self._asked_at(values, known, bot_talk, answer)

    async def _asked_at(
        self,
        values: Mapping[str, Any],
        known: dict[str, Id],
        bot_talk: _BotTalk,
        called: "asyncio.Future[bytes] | None" = None,
    ) -> tuple[Reply, tuple[str, ...]]:
        """As `_asked`; `called`: what the bot sends to the callback."""
        request = await beside(0, self._asking.fill, values, self._secrets, known)
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
        try:
            if called is not None:
                heard, troubles = await self._sent(request, _heard, bot_talk)
                return await read_callback(await called, heard, handed, self._paths), troubles
            answer, troubles = await self._sent(
                request, read, bot_talk, repeatable=self._repeatable
            )
        except FailedAttempt as error:
            is_later = bool(values["history"])
            if error.status == _DENIED and any(not (is_later and s.id) for s, _ in self._steps):
                raise _Expired(str(error), status=error.status) from None
            raise
        if not isinstance(answer, IdMatch):
            return answer, troubles
        reply, more = await self._polled(answer, values, handed, bot_talk)
        return reply, troubles + more

    async def _polled(
        self, job: IdMatch, values: Mapping[str, Any], handed: AnswerIds, bot_talk: _BotTalk
    ) -> tuple[Reply, tuple[str, ...]]:
        """The reply that a job comes to; what a step took may expire meanwhile, once."""
        settings = self._settings.poll
        answer: Reply | IdMatch = job
        read, is_renewed = partial(self._read_poll, handed=handed), False
        troubles: tuple[str, ...] = ()
        while isinstance(answer, IdMatch):
            if settings is None or self._polling is None or job.id is None:
                raise invalid(f"poll.job: {answer.why}")
            await asyncio.sleep(settings.every_s)
            known = {**values, **bot_talk.taken, "job": job.id}
            poll = await beside(0, self._polling.fill, known, self._secrets)
            is_repeatable = poll.method in REPEATABLE
            try:
                answer, more = await self._sent(poll, read, bot_talk, repeatable=is_repeatable)
                troubles += more
            except FailedAttempt as error:
                if error.status != _DENIED or all(step.id for step, _ in self._steps):
                    raise
                if is_renewed:
                    raise _denied_again(bot_talk, error) from None
                is_renewed = True
                await self._take_steps(values, bot_talk, again=True)
        return answer, troubles

    async def _sent(
        self, request: HttpRequest, read: Read[T], bot_talk: _BotTalk, *, repeatable: bool = False
    ) -> tuple[T, tuple[str, ...]]:
        async def noting(incoming: Incoming) -> T:
            bot_talk.note(request, incoming.response.status)
            return await read(incoming)

        attempt = partial(self._client.attempt, request, noting, bot_talk.jar)
        try:
            return await self._retries(attempt, repeatable=repeatable)
        except FailedAttempt as error:
            if error.status:
                bot_talk.note(request, error.status)
            raise


def _denied_again(bot_talk: _BotTalk, error: FailedAttempt) -> TargetError:
    """A 401 though what the steps take is new."""
    bot_talk.denied = True
    return TargetError(error.fault, f"{error}; mogi had already repeated the session steps")


def _calls(settings: HttpSettings) -> dict[str, HttpCall]:
    """The calls of the settings, by their keys in them."""
    calls = {
        "": settings,
        **dict(zip(_step_keys(settings), settings.steps, strict=True)),
        "session.close": settings.closing,
        "poll": settings.polling,
    }
    return {key: call for key, call in calls.items() if call is not None}


def _step_keys(settings: HttpSettings) -> list[str]:
    """The keys of the steps of a session, as complaints name them."""
    if isinstance(settings.session, list):
        return [f"session[{number}]" for number in range(len(settings.session))]
    return ["session"] if settings.session else []


async def _taken(incoming: Incoming, step: SessionStep, jar: "CookieJar | None") -> dict[str, Id]:
    """What a step takes from an answer."""
    body = await incoming.body()
    return await beside(len(body), _taken_from, incoming, body, step, jar)


def _taken_from(
    incoming: Incoming, body: bytes, step: SessionStep, jar: "CookieJar | None"
) -> dict[str, Id]:
    data = data_of(incoming, body, as_text=True) if step.reads_body else None
    taken: dict[str, Id] = {}
    for name, place in step.takes.items():
        key = "session.id" if name == "session" else f"session.take.{name}"
        match = _cookie(place, incoming, jar) if jar is not None else None
        match = match or find_id(place, incoming, data)
        if match.id is None:
            raise invalid(f"{key}: {match.why}")
        taken[name] = match.id
    return taken


def _cookie(place: str, incoming: Incoming, jar: "CookieJar") -> IdMatch | None:
    """The cookie of a talk that `place` names; None: it names none."""
    if not place.startswith(COOKIE):
        return None
    name = place.removeprefix(COOKIE)
    cookie = jar.filter_cookies(incoming.response.url).get(name)
    return IdMatch(cookie.value if cookie else None, f"it set no cookie {name}")


async def _heard(incoming: Incoming) -> Incoming:
    """The head of an answer, whose body says nothing."""
    await incoming.body()
    return incoming
