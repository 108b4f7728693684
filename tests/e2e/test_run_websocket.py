"""`mogi run` with a bot behind a real WebSocket: whole answers and streams."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import Mogi
from tests.e2e.small_client import found, small_client
from tests.loopback.websocket import Socket, SocketServer, serving

WHOLE = """{kind: websocket, url: "URL", send: {text: "{{ question }}"}, answer: reply.text,
  documents: "reply.sources[].passage", document_ids: "reply.sources[].key"}"""
STREAM = """{kind: websocket, url: "URL", send: {text: "{{ question }}"}, greeting: true,
  delta: piece, until: done, documents: sources}"""


@contextmanager
def _bot(*, streams: bool) -> Iterator[SocketServer]:
    """A bot over the client's own knowledge."""

    async def act(socket: Socket, message: str) -> None:
        row = found(json.loads(message)["text"])
        for one in _stream(row) if streams else [_whole(row)]:
            await socket.send_json(one)

    async def greet(socket: Socket) -> None:
        await socket.send_str("Welcome to the shop!")

    with serving(act) as server:
        server.greet = greet if streams else None
        yield server


def _whole(row: dict[str, str]) -> dict[str, Any]:
    source = {"key": row["id"], "passage": row["content"]}
    return {"reply": {"text": row["content"], "sources": [source]}}


def _stream(row: dict[str, str]) -> list[dict[str, Any]]:
    pieces = [{"piece": f"{word} "} for word in row["content"].split()]
    return [*pieces, {"done": True, "sources": [{"id": row["id"], "text": row["content"]}]}]


@pytest.mark.parametrize(("target", "streams"), [(WHOLE, False), (STREAM, True)])
def test_a_bot_answers_and_its_documents_reach_the_metrics(
    mogi: Mogi, tmp_path: Path, target: str, streams: bool
) -> None:
    with _bot(streams=streams) as server:
        small_client(tmp_path, target.replace("URL", server.url))
        done = mogi("run", "shop", "--json")
        assert 0 == done.status, done.err
        told = done.json
        assert (3, 0) == (told["conversations"], told["failures"]["target"])
        assert 1.0 == told["metrics"]["retrieval_hit"]["mean"]
        assert 1.0 == told["metrics"]["elements_lexical"]["mean"]
        assert [1000] * 3 == server.closes


def test_a_path_that_finds_nothing_is_explained_when_the_bot_is_tried(
    mogi: Mogi, tmp_path: Path
) -> None:
    with _bot(streams=False) as server:
        target = WHOLE.replace("URL", server.url).replace("reply.sources", "reply.source")
        small_client(tmp_path, target)
        done = mogi("targets", "try", "shop", "What does delivery cost?")
    assert 0 == done.status, done.err
    assert "did you mean sources?" in " ".join(done.out.split())


def test_an_address_that_is_none_is_wrong_input(mogi: Mogi, tmp_path: Path) -> None:
    small_client(tmp_path, WHOLE.replace("URL", "https://bot.test/chat"))
    done = mogi("run", "shop")
    assert 2 == done.status
    assert "scenarios/shop/client.yaml:2: target.url" in done.err
    assert "wss:// or ws://" in done.err
