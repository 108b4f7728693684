"""`mogi run` against a bot behind a chat/completions server, whole and as a stream."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from tests.e2e.conftest import Mogi
from tests.e2e.small_client import small_client
from tests.loopback.bot import BotServer, Heard, Sent, serving, stream
from tests.targets.openai_compatible.chat_bots import DONE, completion, piece

KEY = "bot-key-0123456789abcdef"
KNOWN = {
    "delivery": ("faq-1", "Delivery costs 5 euros and is free above 50 euros."),
    "return": ("faq-2", "You can return an article within 30 days."),
    "shop": ("faq-3", "The shop is open from 9 to 18 on weekdays."),
}


def _found(heard: Heard) -> tuple[str, str]:
    question = heard.json["messages"][-1]["content"].lower()
    found = (passage for word, passage in KNOWN.items() if word in question)
    return next(found, ("nothing", "I cannot tell you that."))


def _whole(heard: Heard) -> Sent:
    name, text = _found(heard)
    return completion(text, citations=[{"id": name, "content": text}])


async def _streamed(heard: Heard) -> Sent:
    name, text = _found(heard)
    pieces = [piece({"content": word}) for word in text.split(" ")]
    spaced = [p for one in pieces for p in (one, piece({"content": " "}))]
    cited = piece({"citations": [{"id": name, "content": text}]}, "stop")
    return await stream(heard, *spaced, cited, DONE)


@pytest.fixture
def bot(monkeypatch: pytest.MonkeyPatch) -> Iterator[BotServer]:
    monkeypatch.setenv("SHOP_KEY", KEY)
    with serving(_whole) as server:
        yield server


def shop(folder: Path, bot: BotServer, **more: Any) -> None:
    settings = {
        "kind": "openai_compatible",
        "base_url": f"{bot.url}/v1",
        "model": "shop-rag",
        "api_key_env": "SHOP_KEY",
        "documents": "choices[0].message.citations[].content",
        "document_ids": "choices[0].message.citations[].id",
        **more,
    }
    written = ", ".join(f'{key}: "{value}"' for key, value in settings.items())
    small_client(folder, f"{{{written}}}".replace('"True"', "true"))


@pytest.mark.parametrize("as_stream", [False, True])
def test_answers_and_citations_reach_the_metrics(
    mogi: Mogi, tmp_path: Path, bot: BotServer, as_stream: bool
) -> None:
    bot.act = _streamed if as_stream else _whole
    shop(tmp_path, bot, stream=True) if as_stream else shop(tmp_path, bot)
    done = mogi("run", "shop", "--json")
    assert 0 == done.status, done.err
    found = done.json
    assert (3, 0) == (found["conversations"], found["failures"]["target"])
    assert 1.0 == found["metrics"]["retrieval_hit"]["mean"]
    assert 1.0 == found["metrics"]["elements_lexical"]["mean"]
    assert {f"Bearer {KEY}"} == {heard.headers["Authorization"] for heard in bot.heard}
    assert [as_stream] * len(bot.heard) == [heard.json.get("stream", False) for heard in bot.heard]
    assert KEY.encode() not in (tmp_path / "mogi.db").read_bytes()


def test_its_errors_are_findings_with_its_words_and_the_run_goes_on(
    mogi: Mogi, tmp_path: Path, bot: BotServer
) -> None:
    def act(heard: Heard) -> Sent:
        if "return" in heard.json["messages"][-1]["content"].lower():
            return web.json_response({"error": {"message": "the index is gone"}}, status=500)
        return _whole(heard)

    bot.act = act
    shop(tmp_path, bot)
    done = mogi("run", "shop", "--json")
    assert 0 == done.status, done.err
    found = done.json
    assert {"target": 1, "user": 0, "judge": 0, "infrastructure": 0} == found["failures"]
    assert 1 == found["stops"]["target_failed"]
    assert "the index is gone" in mogi("show", "latest", "returns").out


def test_tried_alone_it_says_what_a_path_missed(mogi: Mogi, tmp_path: Path, bot: BotServer) -> None:
    shop(tmp_path, bot, documents="choices[0].message.sources")
    done = mogi("targets", "try", "shop", "What does delivery cost?")
    assert 0 == done.status
    assert "Delivery costs 5 euros" in done.out
    assert "has no `sources`" in " ".join(done.out.split())


def test_a_key_that_is_not_set_is_wrong_input_and_nothing_is_sent(
    mogi: Mogi, tmp_path: Path, bot: BotServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SHOP_KEY")
    shop(tmp_path, bot)
    done = mogi("run", "shop")
    assert (2, "", []) == (done.status, done.out, bot.heard)
    assert "scenarios/shop/client.yaml" in done.err
    assert "the environment variable SHOP_KEY is not set" in done.err


def test_what_is_written_wrongly_is_complained_of_with_its_line(
    mogi: Mogi, tmp_path: Path, bot: BotServer
) -> None:
    shop(tmp_path, bot, documents="sources[", extra_body="x", temprature=1)
    done = mogi("check", "shop")
    assert 2 == done.status
    for said in ("client.yaml:2: target.documents: ", "target.extra_body", "temprature"):
        assert said in done.err
