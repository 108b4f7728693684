"""A bot behind HTTP: any request, answers as JSON, as text or as a stream of events."""

import json
from collections import Counter
from collections.abc import Mapping
from contextlib import aclosing
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from simulator.core.clean import cut, visible
from simulator.core.errors import TargetError, TargetFault
from simulator.core.talk import Reply, Talk
from simulator.targets._context import TargetContext
from simulator.targets._shapes import invalid, noted, raised, talk_name, values_of
from simulator.targets._wire.client import REPEATABLE, CallRetries, HttpClient, Incoming, Read
from simulator.targets._wire.errors import excerpt, own_words, without_tags, words_in
from simulator.targets._wire.jmespath import JmesPath
from simulator.targets._wire.reading import (
    Paths,
    Pieces,
    answer_in,
    answer_paths,
    default_path,
    malformed,
)
from simulator.targets._wire.secrets import Secrets
from simulator.targets._wire.sse import Event, EventTooLong, events_of
from simulator.targets.http.settings import CallTemplate, HttpSettings, Sse

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


_DONE = "[DONE]"
_ERROR = "error"
_UNNAMED = "message"


async def read_whole(incoming: Incoming, paths: Paths) -> Reply:
    """The reply in a body that comes at once.

    Raises:
        TargetError: EMPTY or INVALID, saying what came back; RAISED where that was an error.
    """
    data = await data_of(incoming, as_text=paths.answer is None)
    text = answer_in(data, paths.answer, "the body")
    return paths.documents_in(data, "the body").reply(text)


async def data_of(incoming: Incoming, *, as_text: bool) -> Any:
    """The body as JSON; with `as_text`, a body that is none is text.

    Raises:
        TargetError: it is neither.
    """
    body = await incoming.body()
    kind, request = incoming.content_type, incoming.request
    if not body.strip():
        raise TargetError(TargetFault.EMPTY, f"it answered {request} with an empty body")
    if kind == "text/event-stream":
        raise invalid(f"it answered {request} with a stream of events ({kind}); write stream: sse")
    text = _decoded(body, incoming)
    # PHP and others send JSON as text/html, unless they are told.
    if "json" in kind or text.lstrip()[:1] in ("{", "[", '"'):
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            if "json" in kind:
                raise malformed(f"the JSON that it answered {request} with", text, error) from None
    if "html" in kind or text.lstrip()[:20].lower().startswith(("<!doctype html", "<html")):
        told = cut(without_tags(text), 120)
        raise invalid(f"it answered {request} with a web page: {told}; look at the url")
    if as_text:
        return text
    named = kind or "no content type"
    raise invalid(
        f"it answered {request} with {named}, which is not JSON: {excerpt(text)}; "
        "leave out `answer` to take the whole text as its answer"
    )


def _decoded(body: bytes, incoming: Incoming) -> str:
    name = incoming.charset
    try:
        return body.decode("utf-8-sig" if name.lower() in ("utf-8", "utf8") else name)
    except LookupError:
        return body.decode("utf-8", "replace")
    except UnicodeDecodeError as error:
        begins = excerpt(body[:1000].decode("utf-8", "replace"))
        raise invalid(
            f"what it answered {incoming.request} with is not {name} "
            f"(byte 0x{body[error.start]:02x} at {error.start}): {begins}"
        ) from None


async def read_stream(incoming: Incoming, paths: Paths, form: Sse) -> Reply:
    """The reply that a stream of events amounts to.

    Raises:
        TargetError: EMPTY or INVALID, saying what came back; RAISED where that was an error.
    """
    if incoming.content_type != "text/event-stream":
        kind = incoming.content_type or "no content type"
        begins = own_words((await incoming.body())[:4096], kind)
        raise invalid(
            f"it answered {incoming.request} with {kind}, not with a stream of events: "
            f'"{cut(begins, 120)}"; write stream: none if it never sends one'
        )
    reading = _Stream(paths, form)
    try:
        async with aclosing(incoming.chunks()) as chunks, aclosing(events_of(chunks)) as events:
            async for event in events:
                if reading.take(event):
                    break
    except EventTooLong:
        raise invalid("one event of its stream is longer than any answer") from None
    return reading.reply()


@dataclass(slots=True)
class _Stream:
    """What a stream has brought so far."""

    paths: Paths
    form: Sse
    names: Counter[str] = field(default_factory=Counter)
    pieces: Pieces = field(default_factory=Pieces)
    ended: bool = False
    # Data without a piece, by its keys, and how often such came: the commonest is told of.
    others: Counter[str] = field(default_factory=Counter)
    example: dict[str, Any] = field(default_factory=dict)

    def take(self, event: Event) -> bool:
        """Read one event; True if it is the end."""
        self.names[event.name] += 1
        if event.data.strip() in (_DONE, self.form.end):
            self.ended = True
            return True
        self.ended = event.name == self.form.end
        data = self._data(event)
        if event.name == _ERROR or (isinstance(data, Mapping) and data.get(_ERROR)):
            told = cut(visible(words_in(data) or event.data), 400)
            raise raised(f"its stream ended with an error: {told}")
        if self._may_answer(event, data):
            self._piece(event, data)
        wanted = self.form.documents_event
        if event.name == wanted or (wanted is None and not isinstance(data, str)):
            self.pieces.take(self.paths.documents_in(data, "the event"))
        return self.ended

    def reply(self) -> Reply:
        """The reply, when the stream is over."""
        if not self.names:
            raise TargetError(TargetFault.EMPTY, "its stream ended without an event")
        if self.form.end is not None and not self.ended:
            raise invalid(
                f'its stream broke off: no "{self.form.end}" came after {self._came()}; '
                "leave out sse.end if it does not always send that"
            )
        texts = self.pieces.texts
        if not texts:
            raise self._no_piece()
        return self.pieces.reply(texts[-1] if self.form.pieces == "last" else "".join(texts))

    def _data(self, event: Event) -> Any:
        text = event.data.strip()
        if not text.startswith(("{", "[", '"')):
            return event.data
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            if self.paths.answer is None or not text.startswith("{"):
                return event.data  # a piece of plain text may begin so
            raise malformed(f"event {self.names.total()} of its stream", text, error) from None

    def _may_answer(self, event: Event, data: Any) -> bool:
        """Whether an event may hold text; plain text of `ping` or `end` is not the answer's."""
        if self.form.answer_event is not None:
            return event.name == self.form.answer_event
        return isinstance(data, Mapping | list) or event.name == _UNNAMED

    def _piece(self, event: Event, data: Any) -> None:
        path = self.paths.answer
        if path is None and not isinstance(data, Mapping | str):
            data = event.data  # plain text that happens to be a JSON list
        if path is None and isinstance(data, str):
            self.pieces.texts.append(data)
            return
        piece = (path or default_path("answer")).search(data)
        if isinstance(piece, str):
            self.pieces.texts.append(piece)
        elif piece is not None:
            answer_in(data, path, "the event")  # raises, saying what is there instead
        elif not self.pieces.texts:
            keys = str(sorted(data)) if isinstance(data, Mapping) else ""
            self.others[keys] += 1
            self.example[keys] = data

    def _no_piece(self) -> TargetError:
        wanted = self.form.answer_event
        if wanted is not None and not self.names[wanted]:
            return invalid(f'its stream has no event "{wanted}"; there came {self._came()}')
        if not self.others:
            return invalid(
                f"its stream has no text in events without a name; there came {self._came()}; "
                "name those with the text: sse: {answer_event: ...}"
            )
        [(commonest, _)] = self.others.most_common(1)
        try:
            answer_in(self.example[commonest], self.paths.answer, "the event")
        except TargetError as error:
            return TargetError(error.fault, f"{error}; in all there came {self._came()}")
        return invalid(f"its stream has no text; there came {self._came()}")

    def _came(self) -> str:
        """Such as `message ×3, end ×1`."""
        counted = self.names.most_common(8)
        return ", ".join(f"{cut(visible(name), 40)} ×{n}" for name, n in counted) or "no event"
