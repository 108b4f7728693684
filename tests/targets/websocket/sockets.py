"""What the tests of the WebSocket target share: a target on a server, and one question asked."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from simulator.core.errors import TargetError
from simulator.core.ports import Knowledge
from simulator.core.talk import Reply, Talk
from simulator.files.prompts import Prompt
from simulator.targets._context import TargetContext
from simulator.targets.websocket import Websocket
from tests.loopback.websocket import Act, Socket, SocketServer


def _no_prompt(name: str) -> Prompt:
    raise AssertionError(name)


def context(knowledge: Knowledge | None = None) -> TargetContext:
    return TargetContext(Path(), "en", knowledge, None, _no_prompt, timeout_s=20.0)


def says(*messages: str | bytes) -> Act:
    """A bot that says these messages to every question."""

    async def act(socket: Socket, message: str) -> None:
        for text in messages:
            await (socket.send_str(text) if isinstance(text, str) else socket.send_bytes(text))

    return act


@asynccontextmanager
async def socket_bot(
    act: Act, *, around: TargetContext | None = None, query: str = "", **settings: Any
) -> AsyncIterator[tuple[Websocket, SocketServer]]:
    """A target and the server that it asks."""
    async with SocketServer(act) as server:
        read = Websocket.Settings(url=f"{server.url}{query}", **settings)
        target = Websocket.open(read, around or context())
        try:
            yield target, server
        finally:
            await target.close()


async def reply_to(act: Act, talk: Talk | None = None, **settings: Any) -> Reply:
    """What the target makes of the answer to the question `q`."""
    async with socket_bot(act, **settings) as (target, _):
        return await target.answer("q", talk or Talk("e/p/1"))


async def failure_of(act: Act, **settings: Any) -> TargetError:
    """How the target fails on the question `q`."""
    with pytest.raises(TargetError) as caught:
        await reply_to(act, **settings)
    return caught.value
