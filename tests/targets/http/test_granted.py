"""What a bot says leads nowhere but where the manifest of its client leads."""

import pytest

from simulator import config
from simulator.core.errors import TargetError
from simulator.core.plan import Reached
from simulator.core.talk import Talk
from simulator.targets._wire.settings import granted, reached
from tests.loopback.bot import BotServer
from tests.targets.http.bots import context, failure_of, http_bot

BOT = Reached("host", "https://bot.example", method="POST", path="/v1/chat")


def _poll(port: str) -> dict[str, str]:
    return {"url": f"http://{{{{ job }}}}:{port}/", "job": "job", "until": "answer"}


async def test_attack_a_bot_names_the_host_that_is_asked_next() -> None:
    async with BotServer(lambda _: {"answer": "stolen"}) as other:
        poll = {
            "url": f"http://{{{{ job }}}}:{other.url.rpartition(':')[2]}/",
            "job": "job",
            "until": "answer",
        }
        error = await failure_of(lambda _: {"job": "127.0.0.1"}, poll=poll)
        assert f"GET {other.url}/ isn't in the manifest, which lists: POST http://" in str(error)
        assert [] == other.heard
        with config.reaching_only([config.host_and_port(other.url), "127.0.0.1:1"]):
            error = await failure_of(lambda _: {"job": "127.0.0.1"}, poll=poll)
        assert "--allow-host blocks http://127.0.0.1:" in str(error)
        assert [] == other.heard


async def test_a_host_that_the_talk_names_may_be_let_in_by_name() -> None:
    async with BotServer(lambda _: {"answer": "there"}) as other:
        port = other.url.rpartition(":")[2]
        poll = _poll(port)
        async with http_bot(lambda _: {"job": "127.0.0.1"}, poll=poll) as (target, server):
            with config.reaching_only([f"127.0.0.1:{port}", config.host_and_port(server.url)]):
                assert "there" == (await target.answer("q", Talk("e"))).text


async def test_attack_a_question_climbs_out_of_the_path() -> None:
    async with http_bot(lambda _: {"answer": "stolen"}, path="/safe/{{ question }}/jobs") as (
        target,
        server,
    ):
        with pytest.raises(TargetError, match="isn't in the manifest, which lists: POST http://"):
            await target.answer("..", Talk("e"))
        assert [] == server.heard


async def test_the_environment_fills_in_the_manifest(monkeypatch: pytest.MonkeyPatch) -> None:
    async with BotServer(lambda _: {"answer": "there"}) as bot:
        monkeypatch.setenv("BOT_URL", f"{bot.url}/base")
        settings = {"url": "${BOT_URL}/chat/{{ turn }}"}
        async with http_bot(lambda _: {}) as (other, _):
            target = type(other).open(other.Settings(**settings), context())
            try:
                assert "there" == (await target.answer("q", Talk("e"))).text
            finally:
                await target.close()
        assert "/base/chat/1" == bot.heard[0].path


@pytest.mark.parametrize(
    ("method", "url", "may"),
    [
        ("POST", "https://bot.example/v1/chat", True),
        ("POST", "https://bot.example:443/v1/chat/7?x=1", True),
        ("POST", "https://BOT.example/v1/%63hat", True),
        ("GET", "https://bot.example/v1/chat", False),
        ("POST", "http://bot.example/v1/chat", False),
        ("POST", "https://bot.example:8443/v1/chat", False),
        ("POST", "https://bot.example.evil.example/v1/chat", False),
        ("POST", "https://bot.example@evil.example/v1/chat", False),
        ("POST", "https://bot.example/v1/other", False),
        ("POST", "https://bot.example/v1/chatter", False),
        ("POST", "https://bot.example/v1/chat%2fer", True),
        ("POST", "https://bot.example/v1/chat/%2e%2e/%2e%2e/admin", False),
        ("POST", "https://bot.example/v1/chat/..", False),
        ("POST", "https://bot.example/v1/chat/%252e%252e/admin", False),
        ("POST", "https://bot.example/v1/chat/..;/admin", False),
        ("POST", "https://bot.example/v1/chat/..%5cadmin", False),
        ("POST", "https://bot.example/v1/chat/..%252fadmin", False),
        ("POST", "https://bot.example/v1/chat/a..b/...", True),
    ],
)
def test_scheme_host_port_method_and_path_have_to_be_in_it(
    method: str, url: str, may: bool
) -> None:
    why = config.refusal(method, url, [BOT])
    assert may == (not why), why
    if not may:
        assert why.endswith("which lists: POST https://bot.example/v1/chat")


@pytest.mark.parametrize(
    ("url", "path", "may"),
    [
        ("/users/{{ episode }}/chat", "/users/7/chat", True),
        ("/users/{{ episode }}/chat", "/users", False),
        ("/users/u{{ episode }}", "/users/u7", True),
        ("/users/u{{ episode }}", "/users/v7", False),
        ("/chat?user={{ episode }}", "/chatter", False),
    ],
)
def test_what_a_talk_fills_in_begins_where_the_url_says(url: str, path: str, may: bool) -> None:
    lines = reached(f"https://bot.example{url}", ())
    why = config.refusal("POST", f"https://bot.example{path}", granted(lines, {}))
    assert may == (not why), why
