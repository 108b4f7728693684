"""Asking again: only where the bot has not had the question, or may have it twice."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from aiohttp import web

from simulator.core.errors import TargetError
from simulator.core.talk import Reply, Talk
from simulator.targets.http import Http
from tests.loopback.bot import BotServer, Heard, Sent, drop
from tests.targets.http.bots import context, http_bot

Act = Callable[[Heard], Sent | Awaitable[Sent]]


def _status(status: int, **headers: str) -> Callable[[Heard], Sent]:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda _: web.json_response({"message": "later"}, status=status, headers=named)


def _then(*acts: Act) -> Act:
    """These, one a request, and then an answer."""
    left = list(acts)
    return lambda heard: left.pop(0)(heard) if left else {"answer": "ok"}


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize("wait", [{"Retry_After": "0"}, {"Retry_After_Ms": "20"}])
async def test_a_post_is_asked_again_where_the_bot_says_when(
    status: int, wait: dict[str, str]
) -> None:
    async with http_bot(_then(_status(status, **wait))) as (target, server):
        reply = await target.answer("q", Talk("e"))
        assert ("ok", 2) == (reply.text, len(server.heard))
        (note,) = reply.notes
        assert note.startswith("answered only when asked again, after: it answered POST /chat with")


async def test_it_never_comes_back_earlier_than_told() -> None:
    async with http_bot(_then(_status(429, Retry_After_Ms="300"))) as (target, server):
        await target.answer("q", Talk("e"))
        first, second = server.heard
        assert second.at - first.at >= 0.3


@pytest.mark.parametrize(
    "act", [_status(429), _status(500), _status(502), _status(503), _status(504), drop]
)
async def test_a_post_that_the_bot_may_have_taken_is_not_asked_again(act: Act) -> None:
    async with http_bot(_then(act)) as (target, server):
        with pytest.raises(TargetError):
            await target.answer("q", Talk("e"))
        assert 1 == len(server.heard)


@pytest.mark.parametrize("act", [_status(429), _status(502), _status(503), _status(504), drop])
async def test_a_get_may_be_asked_again(act: Act) -> None:
    settings = {"method": "GET", "params": {"q": "{{ question }}"}}
    async with http_bot(_then(act), **settings) as (target, server):  # type: ignore[arg-type]
        assert "ok" == (await target.answer("q", Talk("e"))).text
        assert 2 == len(server.heard)


@pytest.mark.parametrize("status", [400, 401, 404, 500, 501])
async def test_what_will_not_pass_is_not_tried_again(status: int) -> None:
    act = _then(_status(status))
    async with http_bot(act, method="GET", path="/{{ question }}") as (target, server):
        with pytest.raises(TargetError):
            await target.answer("q", Talk("e"))
        assert 1 == len(server.heard)


async def test_a_bot_that_keeps_the_talk_never_hears_a_question_twice() -> None:
    around = context(stateful=True)
    async with http_bot(_then(drop), method="GET", path="/{{ question }}", around=around) as (
        target,
        server,
    ):
        with pytest.raises(TargetError):
            await target.answer("q", Talk("e"))
        assert 1 == len(server.heard)


async def test_a_bot_that_is_still_starting_is_waited_for(unused_tcp_port: int) -> None:
    server = BotServer(_then())
    server.port = unused_tcp_port
    settings = Http.Settings(url=f"http://127.0.0.1:{unused_tcp_port}/chat", attempts=10)
    target = Http.open(settings, context())
    asked = asyncio.create_task(target.answer("q", Talk("e")))
    await asyncio.sleep(0.05)
    async with server:
        reply = await asked
    await target.close()
    assert "ok" == reply.text
    assert "no server responds at" in reply.notes[0]


async def test_attempts_have_an_end_that_is_told() -> None:
    acts = [_status(503, Retry_After="0")] * 9
    async with http_bot(_then(*acts), attempts=2) as (target, server):
        with pytest.raises(TargetError, match=r"asks to wait 0 s\) \(tried 2 times\)$"):
            await target.answer("q", Talk("e"))
        assert 2 == len(server.heard)


async def test_a_wait_beyond_the_timeout_is_not_begun() -> None:
    act = _then(_status(429, Retry_After="300"))
    async with http_bot(act, around=context(timeout_s=2.0)) as (target, server):
        with pytest.raises(TargetError, match=r"it asks to wait 300 s"):
            await target.answer("q", Talk("e"))
        assert 1 == len(server.heard)


async def test_a_clean_answer_has_no_notes() -> None:
    async with http_bot(_then()) as (target, _):
        assert Reply("ok") == await target.answer("q", Talk("e"))
