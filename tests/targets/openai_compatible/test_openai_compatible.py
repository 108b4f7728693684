"""A bot behind a real chat/completions server: the contract, and what the server is sent."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any, ClassVar

import pytest
from aiohttp import web
from pydantic import ValidationError

from simulator.core.errors import InputError, TargetFault
from simulator.core.ports import Target
from simulator.core.talk import Document, Reply, Talk, TargetFailure
from simulator.files.knowledge import Passages
from simulator.targets.openai_compatible import OpenaiCompatible
from tests.loopback.bot import BotServer, Heard, Sent, drop, hang, stream
from tests.targets.contract import Bot, Contract
from tests.targets.fakes import guarded, talk_of
from tests.targets.openai_compatible.chat_bots import (
    DONE,
    chat_bot,
    completion,
    failure_of,
    opened,
    piece,
    reply_to,
)

KEY = "bot-key-0123456789abcdef"


class _Behind(Contract):
    settings: ClassVar[dict[str, Any]] = {}

    async def say(self, heard: Heard, text: str) -> Sent:
        raise NotImplementedError

    @pytest.fixture
    async def target(self, bot: Bot) -> AsyncIterator[Target]:
        async def act(heard: Heard) -> Sent:
            question = heard.json["messages"][-1]["content"]
            bot.enter(question)
            try:
                if question == "hang":
                    return await hang(heard)
                await asyncio.sleep(0.02 if question == "slow" else 0)
                try:
                    said = str(bot.say(question))
                except ValueError as error:
                    told = {"error": {"message": f"ValueError: {error}"}}
                    return web.json_response(told, status=500)
                return await self.say(heard, said)
            finally:
                bot.leave()

        async with chat_bot(act, **self.settings) as (target, _):
            yield target

    async def test_an_exception_is_a_failure_with_its_type_and_text(self, target: Target) -> None:
        said = await guarded(target).answer("raise", Talk("e"))
        assert isinstance(said, TargetFailure)
        assert TargetFault.RAISED == said.fault
        assert "with 500 Internal Server Error: ValueError: out of order \ufffd" in said.message


class TestWhole(_Behind):
    async def say(self, heard: Heard, text: str) -> Sent:
        return completion(text)


class TestStreamed(_Behind):
    settings: ClassVar[dict[str, Any]] = {"stream": True}

    async def say(self, heard: Heard, text: str) -> Sent:
        half = len(text) // 2
        words = (piece({"content": part}) for part in (text[:half], text[half:]))
        return await stream(heard, *words, piece({}, "stop"), DONE)


async def heard_by(talk: Talk | None = None, **settings: Any) -> Heard:
    """The request that one question makes."""
    async with chat_bot(lambda _: completion(), **settings) as (target, server):
        await target.answer("今日は？", talk or Talk("e"))
        return server.heard[0]


async def test_the_talk_so_far_is_sent_as_messages() -> None:
    heard = await heard_by(talk_of(("hello", "hi")))
    messages = [
        {"role": "user", "content": "hello"},
        {"role": "assistant", "content": "hi"},
        {"role": "user", "content": "今日は？"},
    ]
    assert ("POST", "/v1/chat/completions") == (heard.method, heard.path)
    assert {"model": "my-rag", "messages": messages} == heard.json


async def test_what_the_settings_name_is_sent_along(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOT_KEY", KEY)
    monkeypatch.setenv("TENANT", "acme")
    heard = await heard_by(
        api_key_env="BOT_KEY",
        system="Be brief.",
        temperature=0.2,
        max_tokens=50,
        headers={"X-Tenant": "${TENANT}", "X-Number": 7},
        extra_body={"top_k": 5, "filter": {"lang": ["ja"], "tenant": "${TENANT}"}},
        stream=True,
    )
    body = heard.json
    assert {"role": "system", "content": "Be brief."} == body["messages"][0]
    assert (0.2, 50, True) == (body["temperature"], body["max_tokens"], body["stream"])
    assert (5, {"lang": ["ja"], "tenant": "acme"}) == (body["top_k"], body["filter"])
    assert f"Bearer {KEY}" == heard.headers["Authorization"]
    assert ("acme", "7") == (heard.headers["X-Tenant"], heard.headers["X-Number"])


async def test_no_key_of_the_environment_is_sent_that_is_not_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("API_KEY", "ORG_ID", "PROJECT_ID", "ADMIN_KEY"):
        monkeypatch.setenv(f"OPENAI_{name}", "sk-canary-0123456789")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Canary: sk-canary-0123456789")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    heard = await heard_by()
    assert "Bearer none" == heard.headers["Authorization"]
    assert "canary" not in str(dict(heard.headers))
    named = await heard_by(api_key_env="OPENAI_API_KEY")
    assert "Bearer sk-canary-0123456789" == named.headers["Authorization"]


async def test_another_header_may_hold_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOT_KEY", KEY)
    heard = await heard_by(headers={"authorization": "Basic ${BOT_KEY}"})
    sent = [value for name, value in heard.headers.items() if name.lower() == "authorization"]
    assert [f"Basic {KEY}"] == sent


@pytest.mark.parametrize(
    ("written", "path", "query"),
    [
        ("/api", "/api/chat/completions", {}),
        ("/v1/", "/v1/chat/completions", {}),
        ("/v1/chat/completions", "/v1/chat/completions", {}),
        ("/d?api-version=1", "/d/chat/completions", {"api-version": "1"}),
    ],
)
async def test_the_address_may_be_written_in_several_ways(
    written: str, path: str, query: dict[str, str]
) -> None:
    async with BotServer(lambda _: completion()) as server:
        target = opened(f"{server.url}{written}")
        await target.answer("q", Talk("e"))
        await target.close()
    assert (path, query) == (server.heard[0].path, dict(server.heard[0].query))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"api_key_env": "BOT_KEY"}, r"target\.api_key_env: .* BOT_KEY is not set"),
        ({"headers": {"X-Key": "${BOT_KEY}"}}, r"target\.headers\.X-Key: .* BOT_KEY is not set"),
    ],
)
def test_a_variable_that_is_not_set_is_wrong_input(settings: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        opened("http://127.0.0.1:9/v1", **settings)


def test_a_key_that_no_header_can_hold_is_wrong_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BOT_KEY", "sk–0123")  # a dash that a word processor made
    with pytest.raises(InputError, match=r"target\.api_key_env: .* copy it again") as caught:
        opened("http://127.0.0.1:9/v1", api_key_env="BOT_KEY")
    assert "0123" not in str(caught.value)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"extra_body": {"messages": []}}, "contains messages, .* leave it out"),
        ({"extra_body": {"stream": True}}, "contains stream, .* next to extra_body"),
        ({"headers": {"X-Talk": "{{ episode }}"}}, "isn't filled in here"),
        ({"extra_body": {"user": "{{ episode }}"}}, "isn't filled in here"),
        ({"extra_body": {"token": KEY}}, "contains a"),
        ({"headers": {"Authorization": f"Bearer {KEY}"}}, "contains a"),
        ({"documents": "a["}, "isn't a JMESPath"),
        ({"base_url": "127.0.0.1"}, "not a URL"),
        ({"api_key_env": KEY}, "not the name of an environment variable"),
    ],
)
def test_wrong_settings_are_complained_of(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        OpenaiCompatible.Settings(**{"base_url": "http://127.0.0.1/v1", "model": "m", **settings})


async def test_documents_are_found_by_paths_on_the_whole_response() -> None:
    citations = [{"content": "送料は500円", "file": "a.md", "title": "送料"}, {"content": "返品"}]
    reply = await reply_to(
        lambda _: completion("500円です。", context={"citations": citations}),
        documents="choices[0].message.context.citations[].content",
        document_ids="choices[0].message.context.citations[].[file][]",
        document_titles="choices[0].message.context.citations[].title || ['送料', '返品']",
    )
    assert ("500円です。", True) == (reply.text, reply.reports_documents)
    assert ["送料は500円", "返品"] == [d.text for d in reply.documents]


async def test_of_ids_alone_the_text_is_taken_from_the_clients_knowledge() -> None:
    reply = await reply_to(
        lambda _: completion(top={"sources": ["faq-1"]}),
        document_ids="sources",
        knowledge=Passages((Document("送料は500円", "faq-1"),)),
    )
    assert (Document("送料は500円", "faq-1"),) == reply.documents


async def test_a_path_that_finds_nothing_is_noted_and_reaches_who_tries_the_bot() -> None:
    act = completion(context={"citation": []})
    async with chat_bot(lambda _: act, documents="choices[0].message.context.citations") as (t, _):
        said = await guarded(t).answer("q", Talk("e"))
    assert isinstance(said, Reply)
    assert not said.reports_documents
    assert "has no `citations`; did you mean citation?" in said.notes[0]


@pytest.mark.parametrize("status", [429, 503])
async def test_a_question_that_was_turned_away_is_asked_again(status: int) -> None:
    told: Iterator[Sent] = iter(
        [web.Response(status=status, text="slow down"), completion("at last")]
    )
    async with chat_bot(lambda _: next(told)) as (target, server):
        reply = await target.answer("q", Talk("e"))
    assert ("at last", 2) == (reply.text, len(server.heard))
    assert "asked again: " in reply.notes[0]


@pytest.mark.parametrize("status", [400, 401, 404, 500, 502, 504])
async def test_any_other_error_is_the_bots_with_its_words(status: int) -> None:
    def act(_: Heard) -> Sent:
        return web.json_response({"error": {"message": "no such index"}}, status=status)

    async with chat_bot(act) as (target, server):
        said = await guarded(target).answer("q", Talk("e"))
    assert isinstance(said, TargetFailure)
    assert (TargetFault.RAISED, 1) == (said.fault, len(server.heard))
    assert f"with {status} " in said.message
    assert ": no such index" in said.message


async def test_a_pipeline_that_hayhooks_does_not_have_is_told_with_what_would_be_right() -> None:
    said = {"detail": "Pipeline 'nix' not found or not a pipeline wrapper"}
    failure = await failure_of(lambda _: web.json_response(said, status=404))
    assert (
        "it answered POST /chat/completions with 404 Not Found: Pipeline 'nix' not found or not a "
        "pipeline wrapper; check base_url, which usually ends in /v1, and model (for hayhooks, the "
        "name of a deployed pipeline)"
    ) == str(failure).replace("/v1/chat", "/chat")


async def test_one_that_turns_all_away_fails_with_its_words() -> None:
    wait = {"Retry-After": "0"}
    failure = await failure_of(
        lambda _: web.Response(status=429, text="slow down", headers=wait), attempts=2
    )
    assert TargetFault.RAISED == failure.fault
    assert "slow down" in str(failure)


async def test_a_dropped_connection_is_not_tried_again() -> None:
    async with chat_bot(drop) as (target, server):
        said = await guarded(target).answer("q", Talk("e"))
    assert isinstance(said, TargetFailure)
    assert (TargetFault.RAISED, 1) == (said.fault, len(server.heard))


@pytest.mark.slow  # it waits between its attempts
async def test_where_nothing_answers_it_says_so() -> None:
    target = opened("http://127.0.0.1:9/v1")
    said = await guarded(target).answer("q", Talk("e"))
    await target.close()
    assert isinstance(said, TargetFailure)
    assert TargetFault.RAISED == said.fault
    assert "no server responds at http://127.0.0.1:9" in said.message


async def test_talks_do_not_share_cookies() -> None:
    def act(_: Heard) -> Sent:
        return web.json_response(completion(), headers={"Set-Cookie": "session=1"})

    async with chat_bot(act) as (target, server):
        for episode in "ab":
            await target.answer("q", Talk(episode))
    assert [None, None] == [heard.headers.get("Cookie") for heard in server.heard]


async def test_a_key_that_the_server_repeats_is_shown_nowhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("BOT_KEY", KEY)
    reply = await reply_to(lambda _: completion(f"your key is {KEY}"), api_key_env="BOT_KEY")
    assert "your key is ${BOT_KEY}" == reply.text
    failure = await failure_of(
        lambda _: web.Response(status=401, text=f"{KEY} is wrong"), api_key_env="BOT_KEY"
    )
    assert KEY not in str(failure)


async def test_a_header_names_the_bots_own_trace() -> None:
    trace = "4bf92f3577b34da6a3ce929d0e0e4736"

    def act(heard: Heard) -> Sent:
        headers = {"traceparent": f"00-{trace}-00f067aa0ba902b7-01"}
        return web.json_response(completion("a"), headers=headers)

    assert trace == (await reply_to(act)).trace
