"""A bot behind a real WebSocket on 127.0.0.1; what it does is a function of each message."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Any, Self

from aiohttp import WSMsgType, web

from tests.loopback.threaded import in_a_thread

Socket = web.WebSocketResponse
Act = Callable[[Socket, str], Awaitable[None]]


class SocketServer:
    """`async with SocketServer(act) as bot: … bot.url …`; `act` answers each message.

    Attributes:
        greet: Called with each new connection.
        refuse: What is answered instead of opening a connection.
        requests: The requests that opened connections.
        open: How many connections are open now; `closes` are the codes of those that are closed.
    """

    def __init__(self, act: Act) -> None:
        self.act = act
        self.greet: Callable[[Socket], Awaitable[None]] | None = None
        self.refuse: Callable[[web.Request], web.StreamResponse] | None = None
        self.options: dict[str, Any] = {}
        self.requests: list[web.Request] = []
        self.open = 0
        self.closes: list[int | None] = []
        self.port = 0
        self._runner: web.AppRunner | None = None

    @property
    def url(self) -> str:
        return f"ws://127.0.0.1:{self.port}/chat"

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_get("/{path:.*}", self._handle)
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
        if self.refuse is not None:
            return self.refuse(request)
        socket = web.WebSocketResponse(max_msg_size=0, timeout=0.1, **self.options)
        await socket.prepare(request)
        self.requests.append(request)
        self.open += 1
        try:
            if self.greet is not None:
                await self.greet(socket)
            async for message in socket:
                if message.type is WSMsgType.TEXT:
                    await self.act(socket, message.data)
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self.open -= 1
            self.closes.append(socket.close_code)
        return socket


def serving(act: Act) -> AbstractContextManager[SocketServer]:
    """The same in a thread of its own."""
    return in_a_thread(SocketServer(act))
