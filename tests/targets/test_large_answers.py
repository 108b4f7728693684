"""Answers that take long to read are read beside the event loop, and too long ones not at all."""

import json
import threading
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from simulator.core import bounds
from simulator.core.bounds import CUT_MARK, LARGE, MAX_PIECES
from simulator.core.errors import TargetFault
from simulator.core.talk import Document, Reply, Talk, TargetFailure
from simulator.llm.account import Account
from simulator.llm.client import Transport
from simulator.llm.replies import Failure, FailureKind, ModelAnswer
from tests.loopback.bot import stream
from tests.loopback.server import ChatServer
from tests.targets.command import programs
from tests.targets.fakes import MemoryJournal, Scripted, guarded, talk_of
from tests.targets.http import bots
from tests.targets.openai_compatible import chat_bots
from tests.targets.websocket import sockets


async def _http(size: int, folder: Path) -> object:
    return await bots.reply_to(lambda _: {"answer": "x" * size})


async def _events(size: int, folder: Path) -> object:
    event = f"data: {json.dumps({'answer': 'x' * size})}\n\n"
    return await bots.reply_to(lambda heard: stream(heard, event), stream="sse")


async def _completion(size: int, folder: Path) -> object:
    return await chat_bots.reply_to(lambda _: chat_bots.completion("x" * size))


async def _pieces(size: int, folder: Path) -> object:
    said = chat_bots.piece({"content": "x" * size}) + chat_bots.DONE
    return await chat_bots.reply_to(lambda heard: stream(heard, said), stream=True)


async def _socket(size: int, folder: Path) -> object:
    async with sockets.socket_bot(sockets.says(json.dumps({"answer": "x" * size}))) as (target, _):
        return await target.answer("q", talk_of())


async def _command(size: int, folder: Path) -> object:
    program = f"{programs.ASKED}print(json.dumps('x' * {size}))\n"
    target = programs.opened(folder, program, per="turn")
    try:
        return await target.answer("q", talk_of())
    finally:
        await target.close()


async def _model(size: int, folder: Path) -> object:
    async with ChatServer(lambda _: "x" * size) as server:
        transport = Transport.open(Account(server.base_url, ""), 1)
        try:
            return await transport.post({"model": "m", "messages": []}, 60.0)
        finally:
            await transport.aclose()


@pytest.mark.parametrize(
    "ask",
    [_http, _events, _completion, _pieces, _socket, _command, _model],
    ids=lambda ask: ask.__name__,
)
async def test_a_large_body_is_parsed_in_a_thread_and_a_usual_one_where_it_came(
    ask: Callable[[int, Path], Awaitable[object]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[threading.Thread] = []
    check = bounds.check_json

    def watched(text: str) -> None:
        threads.append(threading.current_thread())
        check(text)

    monkeypatch.setattr(bounds, "check_json", watched)
    for size, here in ((1_000, True), (LARGE, False)):
        threads.clear()
        said = await ask(size, tmp_path)
        assert isinstance(said, Reply | ModelAnswer)
        assert "x" * size == said.text
        # What of a stream is no data, such as its end, is a few characters long.
        assert here is all(thread is threading.main_thread() for thread in threads), threads


async def test_an_expression_that_is_worked_out_apart_keeps_nobody_waiting(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    threads: list[threading.Thread] = []

    def watched(work: Callable[..., object], *args: object) -> object:
        threads.append(threading.current_thread())
        return work(*args)

    for place in ("simulator.formats.jmespath", "simulator.targets._wire.templates"):
        monkeypatch.setattr(f"{place}.confined", watched)
    body = {"q": "{% set a = question %}{{ a }}"}
    path = "answer | [@, @]" + " | [@, @]" * 5 + " | [0]" * 6
    async with bots.http_bot(lambda _: {"answer": "a"}, body=body, answer=path) as (target, _):
        threads.clear()  # of the settings, which are tried
        assert "a" == (await target.answer("q", Talk("e"))).text
    assert len(threads) > 1
    assert threading.main_thread() not in threads


async def test_words_that_no_model_writes_are_no_answer(tmp_path: Path) -> None:
    said = await _model(bounds.MAX_SAID + 1, tmp_path)
    assert isinstance(said, Failure)
    assert (FailureKind.MALFORMED, True) == (said.trouble, "4,000,000 characters" in said.message)


@pytest.mark.parametrize(
    "reply",
    [
        Reply("x" * (bounds.BODY_LIMIT + 1)),
        Reply("x", (Document("x" * bounds.BODY_LIMIT),)),
        Reply("x", (Document("x"),) * (MAX_PIECES + 1)),
    ],
    ids=["text", "document", "documents"],
)
async def test_more_than_any_answer_has_is_a_failure_of_the_bot(reply: Reply) -> None:
    async def act(_: str) -> Reply:
        return reply

    said = await guarded(Scripted(act)).answer("q", talk_of())
    assert isinstance(said, TargetFailure)
    assert (TargetFault.INVALID, True) == (said.fault, "mogi didn't read it" in said.message)


async def test_of_many_long_documents_the_first_are_looked_at_and_all_are_kept() -> None:
    documents = tuple(Document("x" * 90_000, str(n)) for n in range(6))

    async def act(_: str) -> Reply:
        return Reply("yes", documents)

    guard = guarded(Scripted(act))
    said = await guard.answer("q", talk_of())
    assert isinstance(said, Reply)
    assert [90_000, 90_000, 90_000, 30_000, 8, 8] == [len(d.text) for d in said.documents]
    assert list("012345") == [d.id for d in said.documents]
    assert CUT_MARK == said.documents[-1].text
    assert isinstance(guard.journal, MemoryJournal)
    [record] = guard.journal.records.values()
    assert 6 * 90_000 < len(record.response)
