"""What the tests of the HTTP target share: a context, a target on a server, one question asked."""

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
from simulator.targets.http import Http
from tests.loopback.bot import Act, BotServer


def _no_prompt(name: str) -> Prompt:
    raise AssertionError(name)


def context(
    *, timeout_s: float = 20.0, stateful: bool = False, knowledge: Knowledge | None = None
) -> TargetContext:
    return TargetContext(
        Path(), "ja", knowledge, None, _no_prompt, timeout_s=timeout_s, stateful=stateful
    )


@asynccontextmanager
async def http_bot(
    act: Act,
    *,
    path: str = "/chat",
    port: int = 0,
    around: TargetContext | None = None,
    **settings: Any,
) -> AsyncIterator[tuple[Http, BotServer]]:
    """A target and the server that it asks."""
    async with BotServer(act, port) as server:
        read = Http.Settings(url=f"{server.url}{path}", **settings)
        target = Http.open(read, around or context())
        try:
            yield target, server
        finally:
            await target.close()


async def reply_to(act: Act, talk: Talk | None = None, **settings: Any) -> Reply:
    """What the target makes of one answer to the question `q`."""
    async with http_bot(act, **settings) as (target, _):
        return await target.answer("q", talk or Talk("e/p/1"))


async def failure_of(act: Act, **settings: Any) -> TargetError:
    """How the target fails on the question `q`."""
    with pytest.raises(TargetError) as caught:
        await reply_to(act, **settings)
    assert caught.value.__cause__ is None
    return caught.value
