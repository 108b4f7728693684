"""A bot behind a real HTTP server on 127.0.0.1; what it does is a function of the request."""

import asyncio
import inspect
import json
import socket
import struct
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from tests.loopback.threaded import in_a_thread


@dataclass(frozen=True, slots=True)
class Heard:
    """One request as it arrived; `path` is still encoded, `at` the event loop's time."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: str
    at: float
    request: web.Request

    @property
    def json(self) -> Any:
        return json.loads(self.body)


Sent = web.StreamResponse | str | bytes | list[Any] | dict[str, Any] | None
Act = Callable[[Heard], Sent | Awaitable[Sent]]


class BotServer:
    """`async with BotServer(act) as bot: … bot.url …`; `act` sees each request.

    It returns a response, or text or JSON that becomes one. All that arrived is in `heard`.
    """

    def __init__(self, act: Act, port: int = 0) -> None:
        self.act = act
        self.heard: list[Heard] = []
        self.port = port
        self._runner: web.AppRunner | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=64 * 1024**2)
        app.router.add_route("*", r"/{path:[\s\S]*}", self._handle)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.05)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self.port)
        await site.start()
        self.port = self._runner.addresses[0][1]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        heard = Heard(
            request.method,
            request.raw_path.partition("?")[0],
            request.query,
            request.headers,
            await request.text(),
            asyncio.get_running_loop().time(),
            request,
        )
        self.heard.append(heard)
        sent = self.act(heard)
        if inspect.isawaitable(sent):
            sent = await sent
        match sent:
            case web.StreamResponse():
                return sent
            case bytes():
                return web.Response(body=sent)
            case str():
                return web.Response(text=sent)
            case _:
                return web.json_response(sent)


def serving(act: Act) -> AbstractContextManager[BotServer]:
    """The same in a thread of its own."""
    return in_a_thread(BotServer(act))


async def hang(heard: Heard) -> web.StreamResponse:
    """Say nothing until whoever asked has gone."""
    while heard.request.transport is not None and not heard.request.transport.is_closing():
        await asyncio.sleep(0.01)
    return web.Response()


def drop(heard: Heard) -> web.Response:
    """Close the connection without an answer."""
    assert heard.request.transport is not None
    heard.request.transport.close()
    return web.Response()


def reset(heard: Heard) -> web.StreamResponse:
    """Reset the connection."""
    transport = heard.request.transport
    assert isinstance(transport, asyncio.Transport)
    linger = struct.pack("ii", 1, 0)
    transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    transport.abort()
    return web.Response()


async def cut(heard: Heard, body: bytes, content_type: str) -> web.StreamResponse:
    """Close the connection after these bytes of a longer body."""
    headers = {"Content-Type": content_type, "Content-Length": str(len(body) + 100)}
    response = web.StreamResponse(headers=headers)
    await response.prepare(heard.request)
    await response.write(body)
    drop(heard)
    return response


async def stream(heard: Heard, *chunks: str | bytes, pause: float = 0.0) -> web.StreamResponse:
    """Server-sent events, in these pieces."""
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream; charset=utf-8"})
    await response.prepare(heard.request)
    for chunk in chunks:
        await response.write(chunk.encode() if isinstance(chunk, str) else chunk)
        if pause:
            await asyncio.sleep(pause)
    return response
