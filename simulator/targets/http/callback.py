"""An address of this machine to which a bot sends its answers, in requests of its own."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from secrets import token_hex
from typing import TYPE_CHECKING

from simulator.core.bounds import BODY_LIMIT
from simulator.core.concurrency import beside
from simulator.core.errors import InputError
from simulator.formats.jmespath import compiled
from simulator.targets._wire.client import json_or_none
from simulator.targets.http.settings import CallbackSettings

if TYPE_CHECKING:
    from aiohttp import web

LISTENS_ON = "127.0.0.1"
_LOOKS = {"GET", "HEAD", "OPTIONS"}  # whether the address is there: they bring no answer


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
