"""What the tests of the chat/completions target share: what such a server sends."""

import json
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
from simulator.targets.openai_compatible import OpenaiCompatible
from tests.loopback.bot import Act, BotServer

DONE = "data: [DONE]\n\n"


def _no_prompt(name: str) -> Prompt:
    raise AssertionError(name)


def opened(
    base_url: str, *, knowledge: Knowledge | None = None, timeout_s: float = 20.0, **settings: Any
) -> OpenaiCompatible:
    context = TargetContext(Path(), "ja", knowledge, None, _no_prompt, timeout_s=timeout_s)
    read = OpenaiCompatible.Settings(**{"base_url": base_url, "model": "my-rag", **settings})
    return OpenaiCompatible.open(read, context)


@asynccontextmanager
async def chat_bot(act: Act, **settings: Any) -> AsyncIterator[tuple[OpenaiCompatible, BotServer]]:
    """A target and the server that it asks."""
    async with BotServer(act) as server:
        target = opened(f"{server.url}/v1", **settings)
        try:
            yield target, server
        finally:
            await target.close()


async def reply_to(act: Act, talk: Talk | None = None, **settings: Any) -> Reply:
    """What the target makes of one answer to the question `q`."""
    async with chat_bot(act, **settings) as (target, _):
        return await target.answer("q", talk or Talk("e/p/1"))


async def failure_of(act: Act, **settings: Any) -> TargetError:
    """How the target fails on the question `q`."""
    with pytest.raises(TargetError) as caught:
        await reply_to(act, **settings)
    return caught.value


def completion(
    content: object = "ok", finish: str | None = "stop", *, top: Any = None, **message: Any
) -> dict[str, Any]:
    """A whole completion; `top` stands beside its choices, `message` in its message."""
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": content, **message},
        "finish_reason": finish,
    }
    return {"object": "chat.completion", "choices": [choice], **(top or {})}


def piece(delta: dict[str, Any], finish: str | None = None, **top: Any) -> str:
    """One event of a streamed completion."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return event({"object": "chat.completion.chunk", "choices": [choice], **top})


def event(data: object) -> str:
    return f"data: {json.dumps(data)}\n\n"
