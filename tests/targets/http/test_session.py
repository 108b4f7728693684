"""Sessions: opened once for each talk, named in every later call, closed when the talk is over."""

import itertools
from typing import Any

import pytest
from aiohttp import web

from simulator.core.errors import TargetError, TargetFault
from simulator.core.talk import Reply, Talk
from tests.loopback.bot import Heard, Sent
from tests.targets.fakes import guarded, talk_of
from tests.targets.http.bots import context, http_bot


class _Sessions:
    """A bot that counts sessions and remembers how often each was spoken in."""

    def __init__(self) -> None:
        self.open: dict[str, int] = {}
        self.closed: list[str] = []
        self._numbers = itertools.count(1)

    def __call__(self, heard: Heard) -> Sent:
        if heard.path == "/sessions":
            name = f"s/{next(self._numbers)}"
            self.open[name] = 0
            return {"data": {"id": name}}
        name = heard.path.split("/")[2].replace("%2F", "/")
        if heard.method == "DELETE":
            self.closed.append(name)
            return web.Response(status=204)
        self.open[name] += 1
        return {"answer": f"{name}: turn {self.open[name]}"}


async def test_each_talk_has_a_session_of_its_own_that_lasts(unused_tcp_port: int) -> None:
    bot = _Sessions()
    async with _bot(bot, unused_tcp_port) as (target, server):
        said = [
            (await target.answer("q", talk)).text
            for talk in (Talk("a/p/1"), Talk("b/p/1"), talk_of(("q", "x"), episode="a/p/1"))
        ]
    assert ["s/1: turn 1", "s/2: turn 1", "s/1: turn 2"] == said
    opening = server.heard[0]
    assert ("POST", "/sessions", "") == (opening.method, opening.path, opening.body)
    asking = server.heard[1]
    assert ("/talks/s%2F1/ask", {"q": "q"}) == (asking.path, asking.json)  # one step of the path


async def test_a_session_is_closed_when_the_talk_is_over(unused_tcp_port: int) -> None:
    bot = _Sessions()
    close = {"url": f"{_url(unused_tcp_port)}/talks/{{{{ session }}}}", "method": "DELETE"}
    async with _bot(bot, unused_tcp_port, close=close) as (target, _):
        guard = guarded(target, stateful=True)
        await guard.answer("q", Talk("a/p/1"))
        await guard.leave("a/p/1")
        await guard.leave("a/p/1")
        await guard.leave("never began")
        assert ["s/1"] == bot.closed
        assert "s/2: turn 1" == (await target.answer("q", Talk("a/p/1"))).text


async def test_the_opening_call_may_say_who_talks_and_with_what_key(
    unused_tcp_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOT_TOKEN", "canary-0123456789")
    opening = {
        "headers": {"Authorization": "Bearer ${BOT_TOKEN}"},
        "body": {"user": "{{ episode }}", "first": "{{ question }}"},
        "method": "PUT",
    }
    async with _bot(_Sessions(), unused_tcp_port, **opening) as (target, server):
        await target.answer("hello", Talk("a/p/1"))
    heard = server.heard[0]
    assert ("PUT", "Bearer canary-0123456789") == (heard.method, heard.headers["Authorization"])
    assert ("hello", "a-p-1-") == (heard.json["first"], heard.json["user"][:6])
    assert "Authorization" not in server.heard[1].headers


@pytest.mark.parametrize("opened", [7, "7"])
async def test_a_number_or_plain_text_may_be_the_id(
    opened: int | str, unused_tcp_port: int
) -> None:
    def act(heard: Heard) -> Sent:
        if heard.path == "/sessions":
            return str(opened) if isinstance(opened, str) else web.json_response(opened)
        return {"answer": "ok"}

    body = {"q": "{{ question }}", "s": "{{ session }}"}
    session = {"url": f"{_url(unused_tcp_port)}/sessions", "id": "@"}
    async with http_bot(act, port=unused_tcp_port, body=body, session=session) as (target, server):
        await target.answer("q", Talk("e"))
        assert opened == server.heard[-1].json["s"]


@pytest.mark.parametrize(
    ("opened", "said"),
    [
        ({"data": {"di": 1}}, 'session.id: "data.id" matches nothing: `data` has no `id`'),
        ({"data": {"id": True}}, 'session.id: at "data.id" isn\'t text or a number'),
        ({"data": {"id": None}}, "`data.id` is null"),
        (web.json_response({"detail": "full"}, status=503), "503 Service Unavailable: full"),
        (web.Response(), "it answered POST /sessions with an empty body"),
    ],
)
async def test_a_session_that_does_not_open_is_a_failure_of_the_bot(
    opened: Sent, said: str, unused_tcp_port: int
) -> None:
    async with _bot(lambda _: opened, unused_tcp_port) as (target, server):
        with pytest.raises(TargetError) as caught:
            await target.answer("q", Talk("e"))
        assert str(caught.value).startswith("opening a session: ")
        assert said in str(caught.value)
        assert ["/sessions"] == [heard.path for heard in server.heard]


async def test_a_bot_that_cannot_close_harms_nobody(unused_tcp_port: int) -> None:
    close = {"url": "http://bot.invalid/x"}
    async with _bot(_Sessions(), unused_tcp_port, close=close) as (target, _):
        guard = guarded(target, stateful=True)
        assert isinstance(await guard.answer("q", Talk("e")), Reply)
        await guard.leave("e")


async def test_cookies_are_kept_for_each_talk_apart() -> None:
    numbers = itertools.count(1)

    def act(heard: Heard) -> Sent:
        seen = heard.request.cookies.get("sid", "")
        response = web.json_response({"answer": seen or "new"})
        if not seen:
            response.set_cookie("sid", str(next(numbers)))
        return response

    talks = [Talk("a"), Talk("b"), Talk("a"), Talk("b"), Talk("a")]
    async with http_bot(act, cookies=True) as (target, _):
        assert ["new", "new", "1", "2", "1"] == [
            (await target.answer("q", talk)).text for talk in talks
        ]
        await target.leave("a")
        assert "new" == (await target.answer("q", Talk("a"))).text
    async with http_bot(act) as (target, _):
        assert ["new"] * 5 == [(await target.answer("q", talk)).text for talk in talks]


async def test_a_failing_turn_of_a_stateful_bot_is_not_repeated(unused_tcp_port: int) -> None:
    bot = _Sessions()

    def act(heard: Heard) -> Sent:
        if heard.path == "/sessions":
            return bot(heard)
        return web.json_response({"message": "no"}, status=502)

    async with _bot(act, unused_tcp_port) as (target, server):
        said = await guarded(target, stateful=True).answer("q", Talk("e"))
        assert TargetFault.RAISED == getattr(said, "fault", None)
        assert 2 == len(server.heard)


def _url(port: int) -> str:
    return f"http://127.0.0.1:{port}"


def _bot(act: Any, port: int, **session: Any) -> Any:
    """A bot at a port that is known beforehand: the settings name it in several places."""
    opened = {"url": f"{_url(port)}/sessions", "id": "data.id", **session}
    return http_bot(
        act,
        path="/talks/{{ session }}/ask",
        port=port,
        around=context(stateful=True),
        session=opened,
        body={"q": "{{ question }}"},
    )
