"""A bot behind a real HTTP server: the contract, and the requests that it gets."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any, ClassVar

import pytest
from aiohttp import web

from simulator.core.errors import TargetFault
from simulator.core.ports import Target
from simulator.core.talk import Document, Reply, Talk, TargetFailure
from simulator.targets.http import Http
from tests.loopback.bot import BotServer, Heard, Sent, hang, stream
from tests.targets.contract import Bot, Contract
from tests.targets.fakes import guarded, talk_of
from tests.targets.http.bots import context, http_bot, reply_to


class _Behind(Contract):
    """The contract, for a bot that a server runs."""

    settings: ClassVar[dict[str, Any]]

    async def say(self, heard: Heard, text: str) -> Sent:
        raise NotImplementedError

    @pytest.fixture
    async def target(self, bot: Bot) -> AsyncIterator[Target]:
        async def act(heard: Heard) -> Sent:
            question = str(heard.json["question"])
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

        async with http_bot(act, **self.settings) as (target, _):
            yield target

    async def test_an_exception_is_a_failure_with_its_type_and_text(self, target: Target) -> None:
        said = await guarded(target).answer("raise", Talk("e"))
        assert isinstance(said, TargetFailure)
        expected = (
            "it answered POST /chat with 500 Internal Server Error: ValueError: out of order \ufffd"
        )
        assert (TargetFault.RAISED, expected) == (said.fault, said.message)


class TestJson(_Behind):
    settings: ClassVar[dict[str, Any]] = {"answer": "data.answer"}

    async def say(self, heard: Heard, text: str) -> Sent:
        return {"data": {"answer": text}}


class TestSse(_Behind):
    settings: ClassVar[dict[str, Any]] = {"stream": "sse", "answer": "delta"}

    async def say(self, heard: Heard, text: str) -> Sent:
        half = len(text) // 2
        events = [f"data: {json.dumps({'delta': part})}\n\n" for part in (text[:half], text[half:])]
        return await stream(heard, *events, "data: [DONE]\n\n")


def _echo(heard: Heard) -> Sent:
    return {"answer": "ok"}


async def _heard(talk: Talk | None = None, question: str = "q", **settings: Any) -> Heard:
    """The request that one question makes."""
    async with http_bot(_echo, **settings) as (target, server):
        await target.answer(question, talk or Talk("e/p/1"))
        (heard,) = server.heard
        return heard


async def test_without_settings_question_and_history_are_posted_as_json() -> None:
    heard = await _heard(talk_of(("a", "b")), 'He said "no"\n質問')
    assert ("POST", "/chat", "application/json") == (
        heard.method,
        heard.path,
        heard.headers["Content-Type"],
    )
    history = [{"user": "a", "assistant": "b"}]
    assert {"question": 'He said "no"\n質問', "history": history} == heard.json


async def test_a_value_that_is_one_placeholder_keeps_its_type_and_keys_their_order() -> None:
    body = {
        "z": "{{ question }}",
        "messages": "{{ messages }}",
        "turn": "{{ turn }}",
        "a": {"text": "{{ turn }}: {{ question }}", "list": [1, None, True, "{{ history }}"]},
    }
    heard = await _heard(talk_of(("u", "a")), body=body)
    assert {
        "z": "q",
        "messages": [
            {"role": "user", "content": "u"},
            {"role": "assistant", "content": "a"},
            {"role": "user", "content": "q"},
        ],
        "turn": 2,
        "a": {"text": "2: q", "list": [1, None, True, [{"user": "u", "assistant": "a"}]]},
    } == heard.json
    assert ["z", "messages", "turn", "a"] == list(heard.json)


@pytest.mark.parametrize(
    "question", ['"}, "admin": true, {"', "{{ 7 * 7 }} ${HOME}", "\\", "日\r\n本"]
)
async def test_a_question_is_data_in_every_place(question: str) -> None:
    heard = await _heard(
        question=question,
        path="/talk/{{ question }}",
        params={"q": "{{ question }}"},
        headers={"X-Asked": "{{ question }}"},
        body='{"q": {{ question | tojson }}}',
    )
    assert {"q": question} == heard.json
    assert {"q": question} == dict(heard.query)
    assert " ".join(question.splitlines()) == heard.headers["X-Asked"]
    assert 2 == heard.path.count("/")
    assert "admin" not in heard.headers


async def test_a_get_puts_the_question_into_the_query() -> None:
    heard = await _heard(
        question="送料 & 返品?",
        method="get",
        path="/ask?lang=ja",
        params={"q": "{{ question }}", "n": 3, "deep": True, "none": None},
    )
    assert ("GET", "", False) == (heard.method, heard.body, "Content-Type" in heard.headers)
    assert {"lang": "ja", "q": "送料 & 返品?", "n": "3", "deep": "true"} == dict(heard.query)


async def test_what_is_urlencoded_by_habit_is_not_encoded_twice() -> None:
    heard = await _heard(method="GET", question="a b/c", path="/ask?q={{ question | urlencode }}")
    assert {"q": "a b/c"} == dict(heard.query)


async def test_a_form_is_sent_as_a_browser_does() -> None:
    heard = await _heard(question="a&b=c 日", form={"q": "{{ question }}", "h": "{{ history }}"})
    assert "application/x-www-form-urlencoded" == heard.headers["Content-Type"]
    assert "q=a%26b%3Dc+%E6%97%A5&h=%5B%5D" == heard.body


@pytest.mark.parametrize(
    ("body", "headers", "sent", "kind"),
    [
        ("Q: {{ question }}\n", {}, "Q: q\n", "text/plain; charset=utf-8"),
        ('{"q": {{ question|tojson }}}', {}, '{"q": "q"}', "application/json"),
        ("<q>{{ question|e }}</q>", {"content-type": "text/xml"}, "<q>q</q>", "text/xml"),
        ("{{ question }}", {}, "q", "text/plain; charset=utf-8"),
    ],
)
async def test_a_body_that_is_text_goes_as_it_stands(
    body: str, headers: dict[str, str], sent: str, kind: str
) -> None:
    heard = await _heard(body=body, headers=headers)
    assert (sent, kind) == (heard.body, heard.headers["Content-Type"])


async def test_other_methods_and_own_headers_are_used() -> None:
    heard = await _heard(method="PATCH", headers={"accept": "application/vnd.bot+json", "X-N": 1})
    assert ("PATCH", "1") == (heard.method, heard.headers["X-N"])
    assert ["application/vnd.bot+json"] == heard.request.headers.getall("Accept")


async def test_one_connection_serves_turn_after_turn() -> None:
    async with http_bot(_echo) as (target, server):
        for _ in range(5):
            await target.answer("q", Talk("e"))
        peers = {
            h.request.transport.get_extra_info("peername")
            for h in server.heard
            if h.request.transport
        }
        assert 1 == len(peers)


async def test_a_target_that_was_closed_can_be_asked_again() -> None:
    async with http_bot(_echo) as (target, _):
        await target.answer("q", Talk("e"))
        await target.close()
        assert Reply("ok") == await target.answer("q", Talk("e"))


async def test_the_bots_name_for_a_talk_is_its_own_and_fits_into_a_url() -> None:
    async with http_bot(_echo, body={"q": "{{ question }}", "id": "{{ episode }}"}) as (
        target,
        server,
    ):
        for episode in ("送料/怒り/1", "送料/怒り/1", f"{'long-' * 40}/calm/1"):
            await target.answer("q", Talk(episode))
        await target.leave("送料/怒り/1")
        await target.answer("q", Talk("送料/怒り/1"))
        names = [heard.json["id"] for heard in server.heard]
    assert names[0] == names[1]
    assert 3 == len(set(names))  # a talk that is held again has another one
    assert all(len(name) <= 64 and name.replace("-", "a").isalnum() for name in names)
    assert all(name.isascii() for name in names)


async def test_the_default_answer_comes_with_its_documents() -> None:
    reply = await reply_to(lambda _: {"answer": "a", "documents": [{"id": 1, "text": "t"}]})
    assert Reply("a", (Document("t", "1"),)) == reply
    assert Reply("a", reports_documents=True) == await reply_to(
        lambda _: {"answer": "a", "documents": []}
    )
    assert Reply("a") == await reply_to(lambda _: {"answer": "a", "documents": None})


@pytest.mark.parametrize(
    ("sent", "text"),
    [
        ("plain text", "plain text"),
        ("{not json", "{not json"),
        (web.Response(text='"a JSON text"', content_type="application/json"), "a JSON text"),
        (web.Response(body=b'\xef\xbb\xbf{"answer": "a"}', content_type="text/html"), "a"),
        (
            web.Response(
                body="送料".encode("cp932"), content_type="text/plain", charset="shift_jis"
            ),
            "送料",
        ),
        (web.Response(body=b"a", content_type="text/plain", charset="nonsense"), "a"),
    ],
)
async def test_without_a_path_text_is_the_answer(sent: Sent, text: str) -> None:
    assert Reply(text) == await reply_to(lambda _: sent)


async def test_documents_ids_and_titles_are_found_by_their_paths() -> None:
    sources = [{"key": "a", "body": "x", "name": "X"}, {"key": 2, "body": "y", "name": None}]
    reply = await reply_to(
        lambda _: {"data": {"text": "t", "sources": sources}},
        answer="data.text",
        documents="data.sources[].body",
        document_ids="data.sources[].key",
        document_titles="data.sources[].name || `[]`",
    )
    assert (Document("x", "a"), Document("y", "2")) == tuple(
        Document(d.text, d.id) for d in reply.documents
    )
    assert 1 == len(reply.notes)  # of two titles one is missing


async def test_a_compressed_answer_is_read() -> None:
    def act(heard: Heard) -> Sent:
        response = web.json_response({"answer": "a" * 1000})
        response.enable_compression()
        return response

    assert 1000 == len((await reply_to(act)).text)


def test_a_bot_that_is_told_the_talk_but_not_what_was_said_remembers_it() -> None:
    def keeps(**settings: Any) -> bool:
        return Http.keeps_talk(Http.Settings(url="http://h/c", **settings))

    assert not keeps()
    assert not keeps(body={"m": "{{ messages }}", "trace": "{{ episode }}"})
    assert keeps(body={"q": "{{ question }}", "id": "{{ episode }}"})
    assert keeps(cookies=True)
    assert keeps(session={"url": "http://h/s", "id": "id"})


async def test_it_opens_without_a_loop_and_sends_nothing_by_itself() -> None:
    async with BotServer(_echo) as server:
        Http.open(Http.Settings(url=server.url), context())
        assert [] == server.heard
