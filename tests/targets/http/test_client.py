"""The way to a bot: connections that break, proxies, and what is sent by itself."""

import pytest

from simulator.core.errors import TargetError
from simulator.core.talk import Reply, Talk
from simulator.targets.http import Http
from tests.loopback.bot import BotServer, Heard, Sent, reset
from tests.targets.http.bots import context, failure_of, http_bot
from tests.waiting import settle


def _echo(heard: Heard) -> Sent:
    return {"answer": "ok"}


async def test_a_reset_connection_is_told_and_not_tried_again() -> None:
    async with http_bot(reset) as (target, server):
        with pytest.raises(TargetError, match="reset before POST /chat was answered"):
            await target.answer("q", Talk("e"))
        assert 1 == len(server.heard)


async def test_a_reset_in_the_middle_of_an_answer_is_told() -> None:
    async def act(heard: Heard) -> Sent:
        from aiohttp import web

        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        await response.prepare(heard.request)
        await response.write(b'{"answer": ')
        await settle()
        reset(heard)
        return response

    assert "POST /chat" in str(await failure_of(act))


async def test_a_bot_that_restarts_between_two_turns_is_asked_on_a_new_connection() -> None:
    async with http_bot(_echo) as (target, server):
        await target.answer("q", Talk("e"))
        await server.__aexit__(None, None, None)
        async with BotServer(_echo, server.port) as again:
            await settle()  # its end of the old connection has been heard of
            assert Reply("ok") == await target.answer("q", Talk("e"))
            assert 1 == len(again.heard)


async def test_the_proxy_of_the_environment_is_used_for_other_hosts_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with BotServer(lambda h: {"answer": f"by way of the proxy: {h.path}"}) as proxy:
        monkeypatch.setenv("http_proxy", proxy.url)
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.delenv("NO_PROXY", raising=False)
        target = Http.open(Http.Settings(url="http://bot.example/chat"), context())
        reply = await target.answer("q", Talk("e"))
        assert "by way of the proxy: http://bot.example/chat" == reply.text
        await target.close()
        async with http_bot(_echo) as (local, _):
            assert Reply("ok") == await local.answer("q", Talk("e"))
        assert 1 == len(proxy.heard)


async def test_a_proxy_that_is_not_there_is_told(
    monkeypatch: pytest.MonkeyPatch, unused_tcp_port: int
) -> None:
    monkeypatch.setenv("http_proxy", f"http://user:canary@127.0.0.1:{unused_tcp_port}")
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    target = Http.open(Http.Settings(url="http://bot.example/chat", attempts=1), context())
    with pytest.raises(TargetError) as caught:
        await target.answer("q", Talk("e"))
    await target.close()
    assert "mogi can't reach the proxy in the environment variable http_proxy" == str(caught.value)


async def test_it_says_who_asks_and_sends_nothing_of_the_machine(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with http_bot(_echo) as (target, server):
        await target.answer("q", Talk("e"))
        sent = {name.lower() for name in server.heard[0].headers}
        assert {
            *("host", "user-agent", "accept", "accept-encoding", "content-type", "content-length")
        } == sent
        assert server.heard[0].headers["User-Agent"].startswith("mogi/")
