import asyncio
import gzip
import logging
import os
import socket
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import pytest
from aiohttp import web
from openai.resources.chat import AsyncCompletions

from simulator.core.errors import ModelFault
from simulator.llm import client as tested
from simulator.llm.account import Account
from simulator.llm.client import HttpResponse, Transport
from simulator.llm.replies import Failure, FailureKind, ModelAnswer
from tests.loopback.replies import Body, Cut, Drip, Hang, NotHttp, Raw, Reply, Reset, Says, Status
from tests.loopback.server import ChatServer
from tests.waiting import until

CANARY = "sk-canary-7f3a"


@dataclass(frozen=True)
class Packed:
    """An answer in gzip."""

    content: bytes

    async def send(self, request: web.Request, body: Body) -> web.StreamResponse:
        headers = {"Content-Encoding": "gzip", "Content-Type": "application/json"}
        return web.Response(body=self.content, headers=headers)


@dataclass(frozen=True)
class Moved:
    """A redirect."""

    to: str

    async def send(self, request: web.Request, body: Body) -> web.StreamResponse:
        return web.Response(status=307, headers={"Location": self.to})


BODY = {"model": "m", "messages": [{"role": "user", "content": "hello"}]}


@pytest.fixture(params=[False, True], ids=["own", "sdk"])
async def transport(
    chat_server: ChatServer, request: pytest.FixtureRequest
) -> AsyncIterator[Transport]:
    account = Account(chat_server.base_url, CANARY, sdk=request.param)
    opened = Transport.open(account, pool=8)
    yield opened
    await opened.aclose()


async def test_an_answer_comes(chat_server: ChatServer, transport: Transport) -> None:
    chat_server.answer = lambda body: f"to {body['messages'][-1]['content']}"
    result = await transport.post(BODY, 5.0)
    assert isinstance(result, ModelAnswer)
    assert "to hello" == result.text
    assert f"Bearer {CANARY}" == chat_server.requests[-1].headers["Authorization"]
    assert chat_server.base_url == transport.where


@pytest.mark.parametrize(
    ("reply", "trouble"),
    [
        (Status(400), FailureKind.REJECTED),
        (Status(401), FailureKind.ACCOUNT),
        (Status(408), FailureKind.SERVER),
        (Status(429), FailureKind.CROWDED),
        (Status(500), FailureKind.SERVER),
        (Raw(b"<html>", 502, "text/html"), FailureKind.SERVER),
        (Raw(b"<html>", 200, "text/html"), FailureKind.MALFORMED),
        (Raw(b'{"choices": ['), FailureKind.MALFORMED),
        (Raw(b""), FailureKind.MALFORMED),
        (Raw(b'{"choices": [{"message": {"content": "\xff"}}]}'), FailureKind.MALFORMED),
        (Cut(), FailureKind.BROKEN),
        (Reset(), FailureKind.BROKEN),
        (NotHttp(), FailureKind.BROKEN),
    ],
)
async def test_each_fault_is_a_value_and_the_next_call_is_served(
    reply: Reply, trouble: FailureKind, chat_server: ChatServer, transport: Transport
) -> None:
    chat_server.script(reply)
    result = await transport.post(BODY, 5.0)
    assert isinstance(result, Failure)
    assert trouble is result.trouble
    assert 1 == chat_server.count  # no client retries on its own
    assert isinstance(await transport.post(BODY, 5.0), ModelAnswer)


@pytest.mark.parametrize("reply", [Hang(), Drip(0.01)])
async def test_neither_silence_nor_a_drip_of_bytes_outlasts_the_attempt(
    reply: Reply, chat_server: ChatServer, transport: Transport
) -> None:
    chat_server.script(reply)
    result = await transport.post(BODY, 0.1)
    assert isinstance(result, Failure)
    assert FailureKind.TIMEOUT is result.trouble


async def test_broken_attempts_leave_no_open_files(
    chat_server: ChatServer, transport: Transport
) -> None:
    await transport.post(BODY, 5.0)
    before = len(os.listdir("/dev/fd"))
    faults: list[Reply] = [Hang(), Drip(0.01), Cut(), Reset(), NotHttp()]
    chat_server.script(*faults * 4)
    await asyncio.gather(*(transport.post(BODY, 0.05) for _ in range(20)))
    # The server's own ends close a little later.
    await until(lambda: len(os.listdir("/dev/fd")) <= before)


async def test_a_cancelled_call_is_cancelled(chat_server: ChatServer, transport: Transport) -> None:
    chat_server.script(Hang())
    task = asyncio.create_task(transport.post(BODY, 60.0))
    await until(lambda: chat_server.count)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.parametrize("sdk", [False, True])
@pytest.mark.parametrize(
    ("where", "why"),
    [
        ("http://127.0.0.1:{port}/v1", "connection refused"),
        ("http://mogi.invalid/v1", ""),  # each resolver has its own words
        ("https://127.0.0.1:{tls}/v1", ""),
    ],
)
async def test_no_connection_is_told_from_a_broken_one(
    where: str,
    why: str,
    sdk: bool,
) -> None:
    async with ChatServer() as plain:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        base_url = where.format(port=port, tls=plain.port)
        opened = Transport.open(Account(base_url, "", sdk=sdk), pool=2)
        result = await opened.post(BODY, 20.0)
        await opened.aclose()
    assert isinstance(result, Failure)
    assert FailureKind.UNREACHED is result.trouble
    assert why in result.message
    assert " at 0x" not in result.message


async def test_a_connection_that_takes_too_long_is_none() -> None:
    class Unreachable:
        async def post(self, path: str, body: object) -> HttpResponse:
            raise aiohttp.ConnectionTimeoutError

        async def aclose(self) -> None:
            raise AssertionError("nothing is open")

    result = await Transport(Account(None, ""), Unreachable()).post(BODY, 5.0)
    assert isinstance(result, Failure)
    assert FailureKind.UNREACHED is result.trouble


async def test_a_key_that_the_endpoint_sends_back_is_hidden(
    chat_server: ChatServer, transport: Transport
) -> None:
    chat_server.script(Status(500, f"cannot use {CANARY}"), Says(f"your key is {CANARY}"))
    failure = await transport.post(BODY, 5.0)
    answer = await transport.post(BODY, 5.0)
    assert CANARY not in f"{failure!r} {answer!r} {transport!r}"
    assert isinstance(answer, ModelAnswer)
    assert "your key is [key]" == answer.text


@pytest.mark.parametrize("key", ["none", "x", "ollama"])
async def test_a_word_that_only_stands_in_for_a_key_is_left_where_it_is_said(
    chat_server: ChatServer, key: str
) -> None:
    chat_server.script(Says({"message": f"about {key}", "stop": "none"}))
    transport = Transport.open(Account(chat_server.base_url, key), 1)
    answer = await transport.post(BODY, 5)
    await transport.aclose()
    assert isinstance(answer, ModelAnswer)
    assert f'{{"message": "about {key}", "stop": "none"}}' == answer.text
    assert answer.usage is not None


@pytest.mark.parametrize("said", ["system", "system user", "system user assistant", "user"])
async def test_what_is_sent_is_what_was_asked(
    said: str, chat_server: ChatServer, transport: Transport
) -> None:
    messages = [{"role": role, "content": f'"{role}"\n日本語 {{'} for role in said.split()]
    body = {"model": "m", "messages": messages, "temperature": 0.5, "stream": None}
    await transport.post(body, 5.0)
    assert body == chat_server.requests[-1].body


async def test_a_refusal_is_an_answer(chat_server: ChatServer, transport: Transport) -> None:
    chat_server.script(Says(None, refusal="never"))
    result = await transport.post(BODY, 5.0)
    assert isinstance(result, ModelAnswer)
    assert ModelFault.REFUSED is result.fault


async def test_a_redirect_is_told_and_not_followed(
    chat_server: ChatServer, transport: Transport
) -> None:
    chat_server.script(Moved("/v1/elsewhere"))
    result = await transport.post(BODY, 5.0)
    assert isinstance(result, Failure)
    assert "it redirects to /v1/elsewhere; write that address" == result.message
    assert 1 == chat_server.count


def _azure(server: ChatServer, *, sdk: bool) -> Account:
    return Account(server.url, CANARY, azure=True, api_version="2024-10-21", sdk=sdk)


@pytest.mark.parametrize("sdk", [False, True])
@pytest.mark.parametrize("azure", [False, True])
async def test_an_answer_ends_at_its_bound(
    azure: bool,
    sdk: bool,
    chat_server: ChatServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tested, "BODY_LIMIT", 2_000)
    account = Account(chat_server.base_url, CANARY, sdk=sdk)
    opened = Transport.open(_azure(chat_server, sdk=sdk) if azure else account, pool=2)
    chat_server.script(Packed(gzip.compress(b'"' + b"x" * 1_000_000 + b'"')))
    result = await opened.post(BODY, 5.0)
    await opened.aclose()
    assert isinstance(result, Failure)
    assert FailureKind.MALFORMED is result.trouble
    assert "longer than" in result.message


@pytest.mark.parametrize("sdk", [False, True])
async def test_azure_is_called_by_deployment(
    sdk: bool,
    chat_server: ChatServer,
) -> None:
    opened = Transport.open(_azure(chat_server, sdk=sdk), pool=2)
    result = await opened.post(BODY | {"model": "my-gpt"}, 5.0)
    await opened.aclose()
    assert isinstance(result, ModelAnswer)
    asked = chat_server.requests[-1]
    path = "/openai/deployments/my-gpt/chat/completions?api-version=2024-10-21"
    assert path == asked.path
    assert CANARY == asked.headers["api-key"]
    assert CANARY not in repr(opened)


@pytest.mark.parametrize("sdk", [False, True])
async def test_headers_of_the_environment_and_of_the_model_are_sent(
    sdk: bool,
    chat_server: ChatServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_ORG_ID", "org")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "X-Team: shop\nX-Both: environment")
    headers = (("authorization", "Basic own"), ("X-Both", "model"))
    opened = Transport.open(Account(chat_server.base_url, CANARY, headers=headers, sdk=sdk), 1)
    await opened.post(BODY, 5.0)
    await opened.aclose()
    sent = sorted((name.lower(), value) for name, value in chat_server.requests[-1].headers.items())
    names = ("authorization", "openai-organization", "openai-project", "x-both", "x-team")
    found = [value for name, value in sent if name in names]
    assert ["Basic own", "org", "project", "model", "shop"] == found


async def test_where_nothing_is_trusted_no_variable_of_the_sdk_is_read(
    chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOGI_UNTRUSTED", "1")
    monkeypatch.setenv("MOGI_ALLOW_HOST", urlsplit(chat_server.base_url).netloc)
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", f"X-Team: {CANARY}")
    opened = Transport.open(Account(chat_server.base_url, "", sdk=True), 1)
    await opened.post(BODY, 5.0)
    await opened.aclose()
    assert CANARY not in str(chat_server.requests[-1].headers)


@pytest.mark.parametrize(
    ("path", "body"),
    [
        (
            "/chat/completions",
            {
                "model": "m",
                "messages": [{"role": "user", "content": "hello"}],
                "temperature": 0.5,
                "max_tokens": 9,
                "top_p": 0.9,
                "vendor": {"deep": [1]},
                "response_format": {
                    "type": "json_schema",
                    "json_schema": {"name": "F", "schema": {"type": "object"}, "strict": True},
                },
            },
        ),
        ("/chat/completions", BODY | {"stream": True, "stream_options": {"include_usage": True}}),
        ("/embeddings", {"model": "m", "input": ["a"], "encoding_format": "float", "user": "u"}),
        ("/embeddings", {"model": "m", "input": ["a"]}),
    ],
)
async def test_the_sdk_sends_what_it_is_given(
    path: str, body: Body, chat_server: ChatServer
) -> None:
    opened = Transport.open(Account(chat_server.base_url, CANARY, sdk=True), 1)
    await opened.post(body, 5.0, path)
    await opened.aclose()
    assert body == chat_server.requests[-1].body
    assert f"/v1{path}" == chat_server.requests[-1].path


async def test_what_hooks_into_the_sdk_sees_the_call(
    chat_server: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[object] = []
    create = AsyncCompletions.create

    async def traced(self: AsyncCompletions, **asked: Any) -> object:
        seen.append((asked["model"], asked["messages"]))
        return await create(self, **asked)

    monkeypatch.setattr(AsyncCompletions, "create", traced)
    opened = Transport.open(Account(chat_server.base_url, CANARY, sdk=True), 1)
    result = await opened.post(BODY, 5.0)
    await opened.aclose()
    assert isinstance(result, ModelAnswer)
    assert [("m", BODY["messages"])] == seen


async def test_the_sdk_logs_no_key(
    chat_server: ChatServer, caplog: pytest.LogCaptureFixture
) -> None:
    secret = "canary-of-a-header"
    account = Account(
        chat_server.base_url, CANARY, headers=(("X-Key", secret),), secrets=(secret,), sdk=True
    )
    with caplog.at_level(logging.DEBUG):
        opened = Transport.open(account, 1)
        chat_server.script(Says("ok"), Status(401, "wrong key"), Reset())
        for _ in range(3):
            await opened.post(BODY, 5.0)
        await opened.aclose()
    assert caplog.records
    assert CANARY not in caplog.text
    assert secret not in caplog.text
