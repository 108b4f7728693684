"""The page of a run, served on this machine, with verdicts written straight into the store.

Only who knows the token gets anything but the empty shell. It stands in the address's fragment,
which no browser sends, and in no log; names of other hosts that lead here are refused, and so is
what pages of others send.
"""

import asyncio
import hmac
import secrets
from collections.abc import Awaitable, Callable, Mapping
from io import BytesIO
from typing import Annotated, Literal, TypeVar

from aiohttp import web
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from simulator.core.clean import clean
from simulator.core.errors import InputError, StoreError
from simulator.core.run import Run, RunHeader
from simulator.core.talk import Reply
from simulator.core.verdict import Verdict, Word
from simulator.figures.stored_run import stored_run
from simulator.reports.html import lead_part, shell
from simulator.reports.html.data import answer_hash, write_json
from simulator.store.store import Store

HOST = "127.0.0.1"
_LONGEST = 100_000  # characters of what a person writes
_MOST = 16_000_000  # bytes of one request
_HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_Text = Annotated[str, Field(max_length=_LONGEST)]
T = TypeVar("T")
_Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class _Given(BaseModel):
    """A verdict as the page sends it, and as it writes it into a line of its file."""

    model_config = ConfigDict(extra="forbid")

    run: str
    episode: str
    turn: Annotated[int, Field(ge=1)]
    hash: str
    verdict: Literal["OK", "NG", "unsure", ""] = ""
    error_type: _Text = ""
    corrected: _Text = ""
    comment: _Text = ""
    reviewer: Annotated[str, Field(min_length=1, max_length=200)]
    at: str


_SEVERAL = TypeAdapter(list[_Given])


class View:
    """Serves one run."""

    def __init__(self, header: RunHeader, store: str) -> None:
        """`store`: the URL of the store that has the run, and into which verdicts go."""
        self.token = secrets.token_urlsafe(24)
        self._header, self._store = header, store
        self._port = 0
        self._one_at_a_time = asyncio.Lock()  # a run is held by one writer
        self._runner: web.AppRunner | None = None

    async def start(self, port: int) -> str:
        """Serve on loopback from now on, at `port` or, for 0, at any that is free; the address.

        Raises:
            InputError: the port is taken.
        """
        app = web.Application(middlewares=[self._guard], client_max_size=_MOST)
        app.add_routes([web.get("/", self._shell), web.get("/lead", self._lead)])
        app.add_routes([web.get("/data", self._data), web.post("/verdicts", self._verdicts)])
        self._runner = runner = web.AppRunner(app, access_log=None, handle_signals=False)
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
        given = request.headers.get("Authorization", "").removeprefix("Bearer ")
        if request.headers.get("Host") not in ours:
            raise web.HTTPForbidden(text="another host", headers=_HEADERS)
        if origin is not None and origin.removeprefix("http://") not in ours:
            raise web.HTTPForbidden(text="another origin", headers=_HEADERS)
        if request.path != "/" and not hmac.compare_digest(given.encode(), self.token.encode()):
            raise web.HTTPUnauthorized(
                text="open the address that `mogi view` printed", headers=_HEADERS
            )
        response = await handler(request)
        response.headers.update(_HEADERS)
        return response

    async def _shell(self, _: web.Request) -> web.Response:
        return web.Response(text="".join(shell(self._header.language)), content_type="text/html")

    async def _lead(self, _: web.Request) -> web.Response:
        text = await asyncio.to_thread(lambda: self._read(lead_part))
        return web.Response(text=text, content_type="text/html")

    async def _data(self, _: web.Request) -> web.Response:
        file = BytesIO()
        await asyncio.to_thread(lambda: self._read(lambda run: write_json(run, file)))
        headers = {"Content-Encoding": "gzip"}
        return web.Response(body=file.getvalue(), headers=headers, content_type="application/json")

    def _read(self, use: Callable[[Run], T]) -> T:
        """The run as it is by now, with what people said meanwhile."""
        with Store.read(self._store) as store:
            return use(stored_run(store, self._header))

    async def _verdicts(self, request: web.Request) -> web.Response:
        try:
            given = _SEVERAL.validate_json(await request.read())
            async with self._one_at_a_time:
                await asyncio.to_thread(self._add, given)
        except (ValidationError, InputError) as error:
            raise web.HTTPBadRequest(text=str(error), headers=_HEADERS) from error
        except StoreError as error:
            raise web.HTTPServiceUnavailable(text=str(error), headers=_HEADERS) from error
        return web.json_response({"added": len(given)})

    def _add(self, given: list[_Given]) -> None:
        """Add verdicts to the store.

        Raises:
            InputError: one is of another run, or was given on another answer.
            StoreError: another process holds the run, or nothing can be written.
        """
        header = self._header
        with Store.create(self._store) as store, store.lock(header.id):
            hashes = _hashes(store, header.id, {one.episode for one in given})
            for one in given:
                if one.run != header.id or hashes.get((one.episode, one.turn)) != one.hash:
                    raise InputError(f"{one.episode}, turn {one.turn}, is no answer of this run")
            store.add_verdicts(header.id, [_verdict(one) for one in given])


def _hashes(store: Store, run: str, episodes: set[str]) -> Mapping[tuple[str, int], str]:
    return {
        (episode.cell.key, turn.exchange.turn): answer_hash(turn.exchange.assistant)
        for episode, _ in store.reviewed(run, sorted(episodes))
        for turn in episode.turns
        if isinstance(turn.exchange.reply, Reply)
    }


def _verdict(one: _Given) -> Verdict:
    return Verdict(
        one.episode,
        one.turn,
        Word(one.verdict) if one.verdict else None,
        reviewer=" ".join(clean(one.reviewer).split()),
        source="view",
        at=one.at[:32],
        error_type=clean(one.error_type),
        corrected=clean(one.corrected),
        comment=clean(one.comment),
    )
