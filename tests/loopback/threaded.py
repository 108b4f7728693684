"""The chat server in a thread of its own, for what runs an event loop of its own: the CLI."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tests.loopback.replies import Body
from tests.loopback.server import Answer, ChatServer


@contextmanager
def served(answer: Callable[[Body], Answer]) -> Iterator[ChatServer]:
    """A server that answers while the block lasts."""
    server = ChatServer(answer)
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    asyncio.run_coroutine_threadsafe(server.__aenter__(), loop).result(10)
    try:
        yield server
    finally:
        asyncio.run_coroutine_threadsafe(server.__aexit__(None, None, None), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
