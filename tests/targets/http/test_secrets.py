"""A key of the environment goes into the request and nowhere else."""

import json
import logging
from collections.abc import Callable

import pytest
from aiohttp import web

from simulator.core.errors import TargetError
from simulator.core.talk import Document, Reply, Talk
from tests.loopback.bot import Heard, Sent, stream
from tests.targets.fakes import MemoryJournal, guarded
from tests.targets.http.bots import http_bot

CANARY = 'canary/"0123456"=='
AUTH = {"Authorization": "Bearer ${BOT_TOKEN}"}


def _echoes(heard: Heard) -> str:
    return f"who is {heard.headers['Authorization']}?"


@pytest.fixture(autouse=True)
def _key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOT_TOKEN", CANARY)
    monkeypatch.setenv("BOT_TENANT", "hotel")


@pytest.mark.parametrize(
    "act",
    [
        lambda h: web.json_response({"message": _echoes(h)}, status=401),
        lambda h: web.Response(text=f"<p>{_echoes(h)}", status=500, content_type="text/html"),
        lambda h: web.json_response({"odd": {"nested": _echoes(h)}}, status=500),
        lambda h: {"data": {"echo": _echoes(h)}},
        lambda h: {"error": {"message": _echoes(h)}},
        lambda h: {"answer": [_echoes(h)]},
        _echoes,
        lambda h: web.Response(text=_echoes(h), content_type="application/json"),
        lambda h: web.Response(text=_echoes(h), content_type="text/html"),
        lambda h: stream(h, f"event: error\ndata: {_echoes(h)}\n\n"),
        lambda h: web.Response(status=307, headers={"Location": "http://evil/?k=" + CANARY}),
    ],
)
async def test_a_bot_that_repeats_it_does_not_make_it_known(
    act: Callable[[Heard], Sent], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with http_bot(act, headers=AUTH, answer="answer") as (target, server):
        journal = MemoryJournal()
        said = await guarded(target, journal=journal).answer("q", Talk("e"))
        assert f"Bearer {CANARY}" == server.heard[0].headers["Authorization"]
    told = repr(said) + caplog.text + "".join(r.response for r in journal.records.values())
    assert "0123456" not in told  # fewer digits may stand in a latency


async def test_in_an_answer_the_key_is_hidden_and_nothing_else_is_changed() -> None:
    def act(heard: Heard) -> Sent:
        told = heard.json["token"]
        return {"answer": f"hotel {told}", "documents": [{"id": told, "text": f"hotel {told}"}]}

    body = {"q": "{{ question }}", "token": "${BOT_TOKEN}", "tenant": "${BOT_TENANT}"}
    async with http_bot(act, body=body) as (target, server):
        reply = await target.answer("q", Talk("e"))
        assert (CANARY, "hotel") == (server.heard[0].json["token"], server.heard[0].json["tenant"])
    hidden = "hotel ${BOT_TOKEN}"
    assert Reply(hidden, (Document(hidden, "${BOT_TOKEN}"),)) == reply


async def test_a_key_that_is_an_ordinary_word_changes_no_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("BOT_TOKEN", "test")
    async with http_bot(lambda _: {"answer": "the latest test"}, headers=AUTH) as (target, _):
        assert "the latest test" == (await target.answer("q", Talk("e"))).text


async def test_what_a_variable_holds_is_no_template(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOT_TENANT", "{{ question }} ${BOT_TOKEN}")
    body = {"q": "{{ question }}", "tenant": "${BOT_TENANT}"}
    async with http_bot(lambda _: "ok", body=body) as (target, server):
        await target.answer("q", Talk("e"))
        assert "{{ question }} ${BOT_TOKEN}" == server.heard[0].json["tenant"]


async def test_an_address_of_the_environment_is_used_and_hidden_in_messages(
    unused_tcp_port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    from simulator.targets.http import Http
    from tests.targets.http.bots import context

    monkeypatch.setenv("BOT_URL", f"http://127.0.0.1:{unused_tcp_port}/hooks/abcdefgh")
    settings = Http.Settings(url="${BOT_URL}/{{ question }}", attempts=1)
    async with http_bot(lambda _: {"x": 1}, port=unused_tcp_port) as (_, server):
        target = Http.open(settings, context())
        with pytest.raises(TargetError):
            await target.answer("a/b", Talk("e"))
        assert "/hooks/abcdefgh/a%2Fb" == server.heard[0].path
        await target.close()


def test_settings_hold_the_name_alone() -> None:
    from simulator.targets.http import Http

    settings = Http.Settings(url="http://h/c", headers=AUTH)
    assert CANARY not in json.dumps(settings.model_dump(mode="json"))
