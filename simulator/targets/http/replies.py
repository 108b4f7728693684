"""What a bot behind HTTP answers, as JSON, as text or as a stream of events, read into a Reply."""

from contextlib import aclosing
from dataclasses import replace
from typing import Any

from simulator.core.clean import cut, is_page, without_tags
from simulator.core.concurrency import beside
from simulator.core.errors import TargetError, TargetFault
from simulator.core.talk import Reply
from simulator.formats.jmespath import compiled, is_true
from simulator.targets._shapes import invalid, noted
from simulator.targets._wire.client import Incoming, excerpt, own_words
from simulator.targets._wire.parts import PartsForm, PartsReader
from simulator.targets._wire.reading import Paths, fail_on_error, json_or_text
from simulator.targets._wire.sse import Event, EventTooLong, events_of, lines_of
from simulator.targets.http.carry import AnswerIds, IdMatch, find_id
from simulator.targets.http.settings import PollCall

_ACCEPTED = 202


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
        raise invalid(f"it answered {request} with a web page: {page}; look at the url")
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
