"""Servers in a thread of their own, for what runs an event loop of its own: the CLI."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, AbstractContextManager, contextmanager
from typing import Any, TypeVar

from tests.loopback.replies import Body
from tests.loopback.server import Answer, ChatServer
from tests.waiting import PATIENCE_S

Server = TypeVar("Server", bound=AbstractAsyncContextManager[Any])


@contextmanager
def in_a_thread(server: Server) -> Iterator[Server]:
    """A server that answers while the block lasts."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    asyncio.run_coroutine_threadsafe(_entered(server), loop).result(PATIENCE_S)
    try:
        yield server
    finally:
        asyncio.run_coroutine_threadsafe(_left(server), loop).result(PATIENCE_S)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _entered(server: Server) -> None:
    await server.__aenter__()


async def _left(server: Server) -> None:
    await server.__aexit__(None, None, None)


def served(answer: Callable[[Body], Answer]) -> AbstractContextManager[ChatServer]:
    """The chat server in a thread of its own."""
    return in_a_thread(ChatServer(answer))
