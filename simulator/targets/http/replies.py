"""What a bot behind HTTP answers, as JSON, as text or as a stream of events, read into a Reply.

Or in a request of its own, to an address of this machine.
"""

import asyncio
from collections.abc import Iterator
from contextlib import aclosing, contextmanager
from dataclasses import replace
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from simulator.core.bounds import BODY_LIMIT
from simulator.core.clean import cut, is_page, without_tags
from simulator.core.concurrency import beside
from simulator.core.errors import InputError, TargetError, TargetFault
from simulator.core.talk import Reply
from simulator.formats.jmespath import compiled, is_true
from simulator.targets._shapes import invalid, noted
from simulator.targets._wire.client import Incoming, excerpt, json_or_none, own_words
from simulator.targets._wire.parts import (
    Event,
    EventTooLong,
    PartsForm,
    PartsReader,
    events_of,
    lines_of,
)
from simulator.targets._wire.reading import Paths, fail_on_error, json_or_text
from simulator.targets.http.carry import AnswerIds, IdMatch, find_id
from simulator.targets.http.settings import CallbackSettings, PollCall

if TYPE_CHECKING:
    from aiohttp import web

_ACCEPTED = 202
LISTENS_ON = "127.0.0.1"
_LOOKS = {"GET", "HEAD", "OPTIONS"}  # whether the address is there: they bring no answer


async def read_whole(
    incoming: Incoming, handed: AnswerIds, paths: Paths, poll: PollCall | None = None
) -> Reply | IdMatch:
    """The reply in a body that comes at once, or the job that the bot is still working on.

    Raises:
        TargetError: EMPTY or INVALID, saying what came back; RAISED where that was an error.
    """
    body = await incoming.body()
    return await beside(len(body), _read_body, incoming, body, handed, paths, poll)


def _read_body(
    incoming: Incoming, body: bytes, handed: AnswerIds, paths: Paths, poll: PollCall | None
) -> Reply | IdMatch:
    later = poll is not None
    data = None
    if not later or body.strip():  # of a job, headers may say all
        data = data_of(incoming, body, as_text=later or paths.answer is None)
    handed.take(incoming, data)
    if poll is not None and (poll.stream != "none" or not _is_done(poll, incoming, data)):
        fail_on_error(data)
        return find_id(poll.job, incoming, data)
    if later and data is None:
        raise _empty(incoming)
    return _with_ids(paths.reply_in(data, "the body"), handed)


def _is_done(poll: PollCall, incoming: Incoming, data: Any) -> bool:
    if poll.until is None:
        return incoming.response.status != _ACCEPTED
    return is_true(compiled(poll.until).search(data))


def _with_ids(reply: Reply, handed: AnswerIds) -> Reply:
    handed.check()
    if handed.trace_why and not handed.trace:
        reply = noted(reply, handed.trace_why)
    return replace(reply, ids=handed.ids, unsent=handed.unsent, trace=handed.trace)


async def read_callback(body: bytes, incoming: Incoming, handed: AnswerIds, paths: Paths) -> Reply:
    """The reply in what a bot sent to the callback; `incoming`: what it answered before.

    Raises:
        TargetError: EMPTY or INVALID, saying what came; RAISED where that was an error.
    """

    def read() -> Reply:
        text = body.decode("utf-8", "replace")
        if not text.strip():
            raise TargetError(TargetFault.EMPTY, "it sent an empty body to the callback")
        data = json_or_text(text, "the JSON that it sent to the callback", required=False)
        handed.take(incoming, data)
        return _with_ids(paths.reply_in(data, "the body"), handed)

    return await beside(len(body), read)


def _empty(incoming: Incoming) -> TargetError:
    return TargetError(TargetFault.EMPTY, f"it answered {incoming.request} with an empty body")


def data_of(incoming: Incoming, body: bytes, *, as_text: bool) -> Any:
    """The body as JSON; with `as_text`, a body that is none is text.

    Raises:
        TargetError: it is neither.
    """
    kind, request = incoming.content_type, incoming.request
    if not body.strip():
        raise _empty(incoming)
    if kind == "text/event-stream":
        raise invalid(f"it answered {request} with a stream of events ({kind}); write stream: sse")
    text = _decoded(body, incoming)
    # PHP and others send JSON as text/html, unless they are told.
    what = f"the JSON that it answered {request} with"
    data = json_or_text(text, what, required="json" in kind)
    if data != text:
        return data
    if "html" in kind or is_page(text):
        page = cut(without_tags(text), 120)
        raise invalid(f"it answered {request} with a web page: {page}; check the URL")
    if as_text:
        return text
    named = kind or "no content type"
    raise invalid(
        f"it answered {request} with {named}, which isn't JSON: {excerpt(text)}; "
        "remove `answer` to use the whole text"
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
            f"its response to {incoming.request} isn't {name} "
            f"(byte 0x{body[error.start]:02x} at {error.start}): {begins}"
        ) from None


async def read_stream(
    incoming: Incoming, handed: AnswerIds, form: PartsForm, *, lines: bool
) -> Reply:
    """The reply that a stream of events, or of lines of JSON, amounts to.

    Raises:
        TargetError: EMPTY or INVALID, saying what came back; RAISED where that was an error.
    """
    if not lines and incoming.content_type != "text/event-stream":
        kind = incoming.content_type or "no content type"
        begins = own_words((await incoming.body())[:4096], kind)
        raise invalid(
            f"it answered {incoming.request} with {kind}, not with a stream of events: "
            f'"{cut(begins, 120)}"; write stream: none if it never sends one'
        )
    reader, split = PartsReader(form), lines_of if lines else events_of

    def take(event: Event) -> bool:
        is_last = reader.take(event.data, event.name)
        handed.take(incoming, reader.last, "the event")
        return is_last

    try:
        async with aclosing(incoming.chunks()) as chunks, aclosing(split(chunks)) as events:
            async for event in events:
                if await beside(len(event.data), take, event):
                    break
    except EventTooLong:
        raise invalid("one event of its stream is longer than any answer") from None
    return _with_ids(reader.reply(), handed)


class Callbacks:
    """A server on this machine; who waits for an answer is known by a number nobody guesses."""

    def __init__(self, settings: CallbackSettings) -> None:
        """Nothing is opened before the first question."""
        self._settings = settings
        self._runner: web.AppRunner | None = None
        self._opening = asyncio.Lock()
        self._waiting: dict[str, asyncio.Future[bytes]] = {}
        self._port = settings.port

    async def opened(self) -> None:
        """Listen, if it does not yet.

        Raises:
            InputError: the port is taken.
        """
        from aiohttp import web

        async with self._opening:
            if self._runner is not None:
                return
            app = web.Application(client_max_size=BODY_LIMIT)
            app.router.add_route("*", "/{path:.*}", self._take)
            runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
            await runner.setup()
            try:
                await web.TCPSite(runner, LISTENS_ON, self._settings.port).start()
            except OSError:
                await runner.cleanup()
                port = self._settings.port
                raise InputError(
                    f"target.callback.port: {port} is in use; write another, or 0"
                ) from None
            self._runner, self._port = runner, runner.addresses[0][1]

    @contextmanager
    def waiting(self) -> Iterator[tuple[str, str, asyncio.Future[bytes]]]:
        """The number and the address of one answer, and the body that will be sent there."""
        number = token_hex(12)
        answer = self._waiting[number] = asyncio.get_running_loop().create_future()
        try:
            yield number, f"http://{LISTENS_ON}:{self._port}/{number}", answer
        finally:
            del self._waiting[number]

    async def close(self) -> None:
        """Listen no more."""
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def _take(self, request: "web.Request") -> "web.Response":
        from aiohttp import web

        body = await request.read()
        number = request.path.strip("/")
        if self._settings.id is not None:
            number = await beside(len(body), _number_in, body, self._settings.id)
        answer = self._waiting.get(number)
        if answer is not None and not answer.done() and request.method not in _LOOKS:
            answer.set_result(body)
        return web.json_response({})


def _number_in(body: bytes, path: str) -> str:
    """The number by which an answer says what it answers."""
    return str(compiled(path).search(json_or_none(body.decode("utf-8", "replace"))))
