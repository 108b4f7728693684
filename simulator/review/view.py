"""The page of a run, served on this machine, with verdicts written straight into the store.

Only who knows the token gets anything but the empty shell. It stands in the address's fragment,
which no browser sends, and in no log; names of other hosts that lead here are refused, and so is
what pages of others send.
"""

import asyncio
import hmac
import logging
import secrets
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict
from io import BytesIO
from typing import Annotated, Literal, TypeVar

from aiohttp import web
from aiohttp.http_exceptions import HttpProcessingError
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from simulator.core.clean import clean
from simulator.core.errors import InputError, StoreError
from simulator.core.run import Run, RunHeader
from simulator.core.talk import Reply
from simulator.core.verdict import Verdict, Word
from simulator.reports.html import lead_part, shell
from simulator.reports.html.data import Beside, answer_hash, write_json
from simulator.review.expectation_page import PageState, SentJudgement, judge, page_state
from simulator.review.expectations import Expectations
from simulator.store.store import Store
from simulator.view.compare_view import CompareView
from simulator.view.stored_run import stored_run

HOST = "127.0.0.1"
_LONGEST = 100_000  # characters of what a person writes
_LARGEST_REQUEST = 16_000_000  # bytes
_AT_ONCE = 1_000  # verdicts of one request; the page sends half as many
_PATIENCE_S = 10.0  # for one request to come in, and for those under way at the end
_ANY = ("utf-8", "surrogateescape")  # a header may hold any byte
_HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_Text = Annotated[str, Field(max_length=_LONGEST)]
_Name = Annotated[str, Field(max_length=4_000)]
T = TypeVar("T")
_Compare = Callable[[Run], CompareView | None]
_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


_LOG = logging.getLogger(__name__)
_LOG.addFilter(lambda record: not _is_theirs(record))


def _is_theirs(record: logging.LogRecord) -> bool:
    """Whether it tells of somebody who sent no HTTP, or left; a terminal needs no traceback."""
    error = record.exc_info[1] if record.exc_info else None
    return isinstance(error, HttpProcessingError | ConnectionError)


async def _harden(_: web.Request, response: web.StreamResponse) -> None:
    response.headers.update(_HEADERS)


class _SentVerdict(BaseModel):
    """A verdict as the page sends it, and as it writes it into a line of its file."""

    model_config = ConfigDict(extra="forbid")

    run: _Name
    episode: _Name
    turn: Annotated[int, Field(ge=1)]
    hash: _Name
    verdict: Literal["OK", "NG", "unsure", ""] = ""
    error_type: _Text = ""
    corrected: _Text = ""
    comment: _Text = ""
    reviewer: Annotated[str, Field(min_length=1, max_length=200)]
    at: _Name


_SEVERAL = TypeAdapter(Annotated[list[_SentVerdict], Field(max_length=_AT_ONCE)])


class View:
    """Serves one run."""

    def __init__(
        self,
        header: RunHeader,
        store: str,
        since: _Compare = lambda _: None,
        expectations: Callable[[], Expectations] | None = None,
    ) -> None:
        """What it serves.

        Args:
            header: of the run.
            store: the URL of the store that has the run, and into which verdicts go.
            since: says what became of the run since the one before; None: there is none.
            expectations: reads those of the run's client; None: they are not at hand.
        """
        self.token = secrets.token_urlsafe(24)
        self._header, self._store, self._since = header, store, since
        self._expectations = expectations
        self._port = 0
        self._one_at_a_time = asyncio.Lock()  # a run is held by one writer
        self._runner: web.AppRunner | None = None

    async def start(self, port: int) -> str:
        """Serve on loopback from now on, at `port` or, for 0, at any that is free; the address.

        Raises:
            InputError: the port is taken.
        """
        app = web.Application(middlewares=[self._guard], client_max_size=_LARGEST_REQUEST)
        app.on_response_prepare.append(_harden)
        app.add_routes([web.get("/", self._shell), web.get("/lead", self._lead)])
        app.add_routes([web.get("/data", self._data), web.post("/verdicts", self._verdicts)])
        if self._expectations is not None:
            app.add_routes([web.get("/expectations", self._claims)])
            app.add_routes([web.post("/expectations", self._judge)])
        self._runner = runner = web.AppRunner(
            app, access_log=None, logger=_LOG, handle_signals=False, shutdown_timeout=_PATIENCE_S
        )
        await runner.setup()
        try:
            await web.TCPSite(runner, HOST, port).start()
        except OSError as error:
            await self.close()
            raise InputError(f"port {port} is taken; name another one, or none") from error
        self._port = runner.addresses[0][1]
        return f"http://{HOST}:{self._port}/#token={self.token}"

    async def close(self) -> None:
        """Serve no longer; a verdict that is being written is."""
        if self._runner is not None:
            await self._runner.cleanup()

    @web.middleware
    async def _guard(self, request: web.Request, handler: _Handler) -> web.StreamResponse:
        """What is asked under another name, by another page or without the token is refused."""
        ours = {f"{name}:{self._port}" for name in (HOST, "localhost")}
        origin = request.headers.get("Origin")
        token = request.headers.get("Authorization", "").removeprefix("Bearer ").encode(*_ANY)
        if request.headers.get("Host") not in ours:
            raise web.HTTPForbidden(text="another host")
        if origin is not None and origin.removeprefix("http://") not in ours:
            raise web.HTTPForbidden(text="another origin")
        if request.path != "/" and not hmac.compare_digest(token, self.token.encode()):
            raise web.HTTPUnauthorized(text="open the address that `mogi view` printed")
        return await handler(request)

    async def _shell(self, _: web.Request) -> web.Response:
        return web.Response(text="".join(shell(self._header.language)), content_type="text/html")

    async def _lead(self, _: web.Request) -> web.Response:
        text = await asyncio.to_thread(self._read, lambda run: lead_part(run, self._since(run)))
        return web.Response(text=text, content_type="text/html")

    async def _data(self, _: web.Request) -> web.Response:
        file = BytesIO()
        await asyncio.to_thread(
            self._read, lambda run: write_json(run, file, Beside.of(self._since(run)))
        )
        headers = {"Content-Encoding": "gzip"}
        return web.Response(body=file.getvalue(), headers=headers, content_type="application/json")

    def _read(self, use: Callable[[Run], T]) -> T:
        """The run as it is by now, with what people said meanwhile."""
        with Store.read(self._store) as store:
            return use(stored_run(store, self._header))

    async def _claims(self, _: web.Request) -> web.Response:
        return await self._answered(asyncio.to_thread(self._state, None))

    async def _judge(self, request: web.Request) -> web.Response:
        async with self._one_at_a_time:
            return await self._answered(self._judged(request))

    async def _judged(self, request: web.Request) -> PageState:
        async with asyncio.timeout(_PATIENCE_S):
            body = await request.read()
        return await asyncio.to_thread(self._state, SentJudgement.model_validate_json(body))

    def _state(self, sent: SentJudgement | None) -> PageState:
        """The expectations as they are by now, or once what was sent is taken."""
        if self._expectations is None:
            raise InputError("the client is not at hand")
        known = self._expectations()
        return page_state(known) if sent is None else judge(known, sent)

    async def _answered(self, state: Awaitable[PageState]) -> web.Response:
        try:
            return web.json_response(asdict(await state))
        except (ValidationError, InputError) as error:
            raise web.HTTPBadRequest(text=str(error)) from error
        except TimeoutError as error:
            raise web.HTTPRequestTimeout(text="too slow") from error

    async def _verdicts(self, request: web.Request) -> web.Response:
        try:
            async with asyncio.timeout(_PATIENCE_S):
                body = await request.read()
            verdicts = await asyncio.to_thread(_SEVERAL.validate_json, body)
            async with self._one_at_a_time:
                await asyncio.to_thread(self._add, verdicts)
        except (ValidationError, InputError) as error:
            raise web.HTTPBadRequest(text=str(error)) from error
        except StoreError as error:
            raise web.HTTPServiceUnavailable(text=str(error)) from error
        except TimeoutError as error:
            raise web.HTTPRequestTimeout(text="too slow") from error
        return web.json_response({"added": len(verdicts)})

    def _add(self, verdicts: list[_SentVerdict]) -> None:
        """Add verdicts to the store.

        Raises:
            InputError: one is of another run, or was given on another answer.
            StoreError: another process holds the run, or nothing can be written.
        """
        header = self._header
        with Store.create(self._store) as store, store.lock(header.id):
            hashes = _hashes(store, header.id, {sent.episode for sent in verdicts})
            for sent in verdicts:
                if sent.run != header.id or hashes.get((sent.episode, sent.turn)) != sent.hash:
                    raise InputError(f"{sent.episode}, turn {sent.turn}, is no answer of this run")
            store.add_verdicts(header.id, [_verdict(sent) for sent in verdicts])


def _hashes(store: Store, run: str, episodes: set[str]) -> Mapping[tuple[str, int], str]:
    return {
        (episode.cell.key, turn.exchange.turn): answer_hash(turn.exchange.assistant)
        for episode, _ in store.reviewed(run, sorted(episodes))
        for turn in episode.turns
        if isinstance(turn.exchange.reply, Reply)
    }


def _verdict(sent: _SentVerdict) -> Verdict:
    return Verdict(
        sent.episode,
        sent.turn,
        Word(sent.verdict) if sent.verdict else None,
        reviewer=" ".join(clean(sent.reviewer).split()),
        source="view",
        at=sent.at[:32],
        error_type=clean(sent.error_type),
        corrected=clean(sent.corrected),
        comment=clean(sent.comment),
    )
