"""Redirects: followed on the same host alone, and never without their body."""

from typing import Any

import pytest
from aiohttp import web

from simulator import config
from simulator.core.errors import TargetError
from simulator.core.talk import Talk
from tests.loopback.bot import BotServer, Heard, Sent
from tests.targets.http.bots import failure_of, http_bot


def _to(place: str, status: int = 307) -> web.Response:
    return web.Response(status=status, headers={"Location": place})


@pytest.mark.parametrize("status", [307, 308])
async def test_on_the_same_host_method_body_and_headers_go_along(status: int) -> None:
    def act(heard: Heard) -> Sent:
        return _to("/chat/?v=2", status) if heard.path == "/chat" else {"answer": "ok"}

    async with http_bot(act, headers={"X-Own": "1"}) as (target, server):
        assert "ok" == (await target.answer("q", Talk("e"))).text
        first, second = server.heard
        assert ("POST", "/chat/", "1") == (second.method, second.path, second.headers["X-Own"])
        assert first.body == second.body


async def test_see_other_is_looked_up_with_get() -> None:
    def act(heard: Heard) -> Sent:
        return _to("/result", 303) if heard.path == "/chat" else {"answer": heard.method}

    async with http_bot(act) as (target, server):
        assert "GET" == (await target.answer("q", Talk("e"))).text
        assert "" == server.heard[1].body


@pytest.mark.parametrize("status", [301, 302])
async def test_a_post_that_would_lose_its_body_is_told_where_to_go(status: int) -> None:
    error = await failure_of(lambda _: _to("/chat/", status))
    assert f"it redirects POST /chat ({status}) to http://127.0.0.1:" in str(error)
    assert "/chat/, and a POST that is redirected so loses its body; write that" in str(error)


@pytest.mark.parametrize("status", [301, 302])
async def test_a_get_follows_every_redirect(status: int) -> None:
    def act(heard: Heard) -> Sent:
        return _to("/there", status) if heard.path == "/q" else {"answer": "ok"}

    async with http_bot(act, method="GET", path="/{{ question }}") as (target, _):
        assert "ok" == (await target.answer("q", Talk("e"))).text


async def test_another_host_gets_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOT_TOKEN", "canary-0123456789")
    async with BotServer(lambda _: {"answer": "stolen"}) as other:
        async with http_bot(
            lambda _: _to(f"{other.url}/chat?token=abc"),
            headers={"Authorization": "Bearer ${BOT_TOKEN}"},
        ) as (target, server):
            with pytest.raises(TargetError) as caught:
                await target.answer("q", Talk("e"))
            assert (
                f"it redirects POST /chat (307) from {server.url} to another host, {other.url}, "
                "which mogi doesn't follow, because headers with keys would "
                "go there; if that is the bot, use its URL"
            ) == str(caught.value)
        assert [] == other.heard


@pytest.mark.parametrize(
    "place",
    ["https://user:pw@evil.example/?key=k", "//evil.example/", "ftp://127.0.0.1/", "http://["],
)
async def test_odd_places_are_not_gone_to_nor_repeated(place: str) -> None:
    error = await failure_of(lambda _: _to(place))
    assert "pw" not in str(error)
    assert "key=" not in str(error)


async def test_a_circle_has_an_end() -> None:
    error = await failure_of(lambda _: _to("/chat"))
    assert "POST /chat is redirected more than 5 times" == str(error)


async def test_attack_a_bot_names_the_host_that_is_asked_next() -> None:
    """Who is let in is looked at with each request, not only in the files."""
    poll = {"url": "http://{{ job }}/x", "job": "job", "until": "done", "every_s": 0.01}
    settings: dict[str, Any] = {"poll": poll, "answer": "a"}
    async with http_bot(lambda heard: {"job": "evil.localhost"}, **settings) as (target, server):
        with (
            config.reaching_only([server.url.removeprefix("http://")]),
            pytest.raises(TargetError, match=r"--allow-host blocks http://evil\.localhost"),
        ):
            await target.answer("q", Talk("e"))
