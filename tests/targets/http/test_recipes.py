"""The recipes of docs/*/connect-a-bot.md, word for word, against servers like the real ones."""

import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import yaml

from simulator.core.errors import TargetError, TargetFault
from simulator.core.talk import Document, Reply, Talk, TargetFailure, Utterance
from simulator.targets.http import Http
from simulator.targets.openai_compatible import OpenaiCompatible
from simulator.targets.websocket import Websocket
from tests.loopback.bot import Act, BotServer, Heard, Sent, stream
from tests.loopback.memory_bots import PASSAGE, Dify, LangGraph, Rasa, Responses, hayhooks
from tests.loopback.websocket import Socket, SocketServer
from tests.pages import ROOT, parts
from tests.targets.fakes import guarded
from tests.targets.http.bots import context

PAGES = ["en", "ja"]
_INLINE = re.compile(r"`(\{kind: openai_compatible, base_url: \"http://127\.0\.0\.1:1416\".*?\})`")
_STREAMED = re.compile(r"`(sse: \{answer_event: values.*?\})`")


def page(language: str) -> str:
    return (ROOT / "docs" / language / "connect-a-bot.md").read_text("utf-8")


def recipe(language: str, name: str) -> dict[str, Any]:
    """The keys of `target:` in the block whose first comment names this bot."""
    [body] = [
        part.body for part in parts(page(language)) if re.search(f"target: +# .*{name}", part.body)
    ]
    target: dict[str, Any] = yaml.safe_load(body)["target"]
    if "http" == target["kind"]:
        del target["kind"]
    return target


@asynccontextmanager
async def opened(act: Act, settings: dict[str, Any]) -> AsyncIterator[Http | OpenaiCompatible]:
    """The target that a recipe makes, with the stand-in where the recipe has its server."""
    async with BotServer(act) as server:
        kind = OpenaiCompatible if settings.pop("kind", "") == "openai_compatible" else Http
        here = {key: _moved(value, server.url) for key, value in settings.items()}
        target = kind.open(kind.Settings(**here), context())  # type: ignore[arg-type]
        try:
            yield target
        finally:
            await target.close()


def _moved(value: Any, url: str) -> Any:
    if isinstance(value, dict):
        return {key: _moved(inner, url) for key, inner in value.items()}
    return re.sub(r"https?://[^/]+", url, value) if isinstance(value, str) else value


async def said(target: Any, *questions: str, episode: str = "e/p/1") -> list[Reply]:
    """The replies to these questions in one talk."""
    talk = Talk(episode)
    for question in questions:
        talk = talk.with_exchange(Utterance(question), await target.answer(question, talk))
    return [exchange.reply for exchange in talk.exchanges if isinstance(exchange.reply, Reply)]


@pytest.mark.parametrize("language", PAGES)
async def test_rasa_is_given_a_name_for_each_talk_and_all_its_texts_are_the_answer(
    language: str,
) -> None:
    bot = Rasa()
    async with opened(bot, recipe(language, "Rasa")) as target:
        replies = await said(target, "a", "b")
        other = await said(target, "x", episode="o/p/1")
        silent = await guarded(target).answer("黙って", Talk("s/p/1"))
    assert ["ご案内します。 a", "ご案内します。 a / b"] == [reply.text for reply in replies]
    assert "ご案内します。 x" == other[0].text
    assert isinstance(silent, TargetFailure)
    assert TargetFault.EMPTY is silent.fault


def _streamed(settings: dict[str, Any], language: str) -> dict[str, Any]:
    """The recipe as its page says how to have it streamed."""
    [sse] = _STREAMED.findall(page(language))
    url = settings["url"].replace("/runs/wait", "/runs/stream")
    body = {**settings["body"], "stream_mode": "values"}
    return {**settings, "url": url, "body": body, "stream": "sse", **yaml.safe_load(sse)}


@pytest.mark.parametrize("as_stream", [False, True])
@pytest.mark.parametrize("language", PAGES)
async def test_a_langgraph_server_keeps_each_talk_in_a_thread(
    language: str, as_stream: bool
) -> None:
    settings = recipe(language, "LangGraph")
    bot = LangGraph()
    async with opened(bot, _streamed(settings, language) if as_stream else settings) as target:
        replies = await said(target, "a", "b")
        other = await said(target, "x", episode="o/p/1")
        with pytest.raises(TargetError, match="ValueError: the index is gone") as caught:
            await said(target, "壊れて", episode="f/p/1")
    assert ["a", "a / b"] == [reply.text for reply in replies]
    assert ("x", 3) == (other[0].text, len(bot.talks))
    assert (Document(PASSAGE, "faq-1"),) == replies[-1].documents
    assert TargetFault.RAISED is caught.value.fault


@pytest.mark.parametrize("language", PAGES)
async def test_an_assistant_that_a_langgraph_server_does_not_have_is_told(language: str) -> None:
    settings = recipe(language, "LangGraph")
    settings["body"]["assistant_id"] = "nix"
    async with opened(LangGraph(), settings) as target:
        with pytest.raises(TargetError, match=r"422 .*Invalid assistant: 'nix'"):
            await said(target, "a")


@pytest.mark.parametrize("language", PAGES)
async def test_a_pipeline_behind_hayhooks_answers_with_documents_or_as_chat_completions(
    language: str,
) -> None:
    async with opened(hayhooks, recipe(language, "hayhooks")) as target:
        [reply] = await said(target, "a")
    assert ("a", (Document(PASSAGE, "faq-1"),)) == (reply.text, reply.documents)
    [written] = _INLINE.findall(page(language))
    async with opened(hayhooks, yaml.safe_load(written)) as target:
        assert ["a", "b"] == [reply.text for reply in await said(target, "a", "b")]
    async with opened(hayhooks, {**yaml.safe_load(written), "model": "nix"}) as target:
        with pytest.raises(TargetError, match="the name of a deployed pipeline"):
            await said(target, "a")


async def test_a_preset_needs_its_address_and_key_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DIFY_API_KEY", "app-0123456789")
    monkeypatch.setenv("BOT_TOKEN", "t0ken-0123456789")
    for language in PAGES:
        for name, bot in (("Dify", Dify()), ("Responses API", Responses())):
            async with opened(bot, recipe(language, name)) as target:
                replies = await said(target, "a", "b")
            assert ["a", "a / b"] == [reply.text for reply in replies]
            assert [PASSAGE] == [document.text for document in replies[-1].documents]


async def _shop(heard: Heard) -> Sent:
    """A bot of the other recipes' shapes, which answers with the question."""
    body = json.loads(heard.body or "{}")
    match heard.path.split("/")[1:]:
        case ["stream"]:
            sources = '{"sources": [{"id": "faq-1", "content": "500"}]}'
            piece = f'{{"text": "{body["question"]}"}}'
            return await stream(heard, f"data: {piece}\n\n", f"data: {sources}\n\n")
        case _:
            citation = {"id": "faq-1", "content": "500"}
            content = body["messages"][-1]["content"]
            message = {"content": content, "context": {"citations": [citation]}}
            return {"choices": [{"message": message}]}


SHAPES = {
    "en": ("server-sent", "OpenAI-compatible"),
    "ja": ("SSE", "OpenAI 互換"),
}


@pytest.mark.parametrize("language", PAGES)
async def test_each_other_shape_is_read(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOT_TOKEN", "t0ken-0123456789")
    for name in SHAPES[language]:
        settings = recipe(language, name)
        async with opened(_shop, settings) as target:
            replies = await said(target, "a", "b")
        assert ["a", "b"] == [reply.text for reply in replies], name
        assert [("faq-1", "500")] == [(d.id, d.text) for d in replies[-1].documents]


@pytest.mark.parametrize("language", PAGES)
async def test_a_websocket_is_read(language: str) -> None:
    async def act(wire: Socket, heard: str) -> None:
        answer = {"text": json.loads(heard)["question"], "sources": [{"id": "1", "text": "x"}]}
        await wire.send_json(answer)

    settings = recipe(language, "WebSocket")
    assert "websocket" == settings.pop("kind")
    async with SocketServer(act) as server:
        read = Websocket.Settings(**settings | {"url": server.url})
        target = Websocket.open(read, context())
        try:
            [first, second] = await said(target, "a", "b")
        finally:
            await target.close()
    assert ("a", "b", "1") == (first.text, second.text, second.documents[0].id)
