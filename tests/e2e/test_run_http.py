"""`mogi run` against a bot behind real HTTP: JSON and a stream of events, with sessions."""

import asyncio
import itertools
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from tests.e2e.conftest import Mogi
from tests.loopback.bot import BotServer, Heard, Sent, serving, stream

CANARY = "canary-0123456789-abcdef"
LIMITS = "limits: {target: {concurrency: 20, per_minute: null}}\n"
PASSAGES = {
    "shipping": ("送料", "送料は全国一律500円です。"),
    "returns": ("返品", "返品は到着から8日以内に承ります。"),
}


class _Bot:
    """Answers from two passages, keeps sessions, and wants a key."""

    def __init__(self, *, streams: bool) -> None:
        self.open: Counter[str] = Counter()
        self.turns: Counter[str] = Counter()
        self.closed: list[str] = []
        self._streams = streams
        self._numbers = itertools.count(1)

    async def __call__(self, heard: Heard) -> Sent:
        if heard.headers.get("Authorization") != f"Bearer {CANARY}":
            return web.json_response({"message": "who are you?"}, status=401)
        if heard.path == "/sessions":
            session = f"s{next(self._numbers)}"
            self.open[session] += 1
            return {"session": {"id": session}}
        if heard.method == "DELETE":
            self.closed.append(heard.path.rpartition("/")[2])
            return web.Response(status=204)
        return await self._answer(heard)

    async def _answer(self, heard: Heard) -> Sent:
        told = heard.json
        self.turns[told["session"]] += 1
        found = [
            {"id": name, "body": text}
            for name, (word, text) in PASSAGES.items()
            if word in told["question"]
        ]
        answer = found[0]["body"] if found else "申し訳ございません。分かりかねます。"
        if not self._streams:
            return {"data": {"answer": answer, "sources": found}}
        pieces = [f"data: {json.dumps({'delta': c})}\n\n" for c in answer]
        sources = f"event: sources\ndata: {json.dumps({'sources': found})}\n\n"
        return await stream(heard, sources, *pieces, "event: end\ndata: {}\n\n")


JSON = (
    "  answer: data.answer\n"
    '  documents: "data.sources[].body"\n'
    '  document_ids: "data.sources[].id"\n'
)
SSE = (
    "  stream: sse\n"
    "  answer: delta\n"
    '  documents: "sources[].{id: id, text: body}"\n'
    "  sse: {documents_event: sources, end: end}\n"
)


def _client(folder: Path, url: str, reading: str) -> None:
    folder.mkdir(parents=True)
    (folder / "client.yaml").write_text(
        "language: ja\n"
        "target:\n"
        "  kind: http\n"
        f"  url: {url}/chat\n"
        '  headers: {Authorization: "Bearer ${BOT_TOKEN}"}\n'
        '  body: {question: "{{ question }}", session: "{{ session }}", turn: "{{ turn }}"}\n'
        f"{reading}"
        "  session:\n"
        f"    url: {url}/sessions\n"
        '    headers: {Authorization: "Bearer ${BOT_TOKEN}"}\n'
        "    id: session.id\n"
        "    close:\n"
        f'      url: "{url}/sessions/{{{{ session }}}}"\n'
        "      method: DELETE\n"
        '      headers: {Authorization: "Bearer ${BOT_TOKEN}"}\n'
        f"{LIMITS}"
        "personas: [angry, calm]\n",
        "utf-8",
    )
    (folder / "scenarios.yaml").write_text(
        "- {id: shipping, query: 送料はいくらですか,"
        " expected: {elements: [500円], documents: [shipping]}}\n"
        "- {id: returns, query: 返品できますか,"
        " expected: {elements: [8日以内], documents: [returns]}}\n"
        "- {id: parking, query: 駐車場はありますか,"
        " expected: {documents: [shipping]}}\n",
        "utf-8",
    )


@pytest.fixture(params=["json", "sse"])
def bot(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[_Bot]:
    monkeypatch.setenv("BOT_TOKEN", CANARY)
    acting = _Bot(streams=request.param == "sse")
    with serving(acting) as server:
        reading = SSE if request.param == "sse" else JSON
        _client(tmp_path / "scenarios" / "acme", server.url, reading)
        yield acting


def test_a_bot_behind_http_is_tested_and_its_documents_reach_the_metrics(
    mogi: Mogi, bot: _Bot
) -> None:
    done = mogi("run", "acme", "--json")
    assert 0 == done.status, done.err
    found = done.json
    assert (6, 0) == (found["conversations"], found["failures"]["target"])
    metrics = found["metrics"]
    assert metrics["retrieval_hit"]["mean"] == pytest.approx(2 / 3)
    assert 1 == metrics["elements_lexical"]["mean"]
    turns = [json.loads(line) for line in mogi("export", found["run"]).out.splitlines()]
    first = {t["scenario"]: t for t in turns if t["turn"] == 1}
    assert "送料は全国一律500円です。" == first["shipping"]["assistant"]
    assert [{"id": "shipping", "text": PASSAGES["shipping"][1]}] == [
        {"id": d["id"], "text": d["text"]} for d in first["shipping"]["documents"]
    ]
    assert [] == first["parking"]["documents"]
    assert 0 == first["parking"]["scores"]["retrieval_hit"]["value"]  # a miss, and no unknown
    assert 6 == len(bot.open) == len(bot.turns) == len(bot.closed)
    assert found["turns"] == bot.turns.total()


def test_the_key_is_nowhere(mogi: Mogi, bot: _Bot, tmp_path: Path) -> None:
    outs = [mogi("run", "acme"), mogi("show", "latest"), mogi("export", "latest")]
    outs.append(mogi("run", "acme", "--json", "--report", "json=run.json"))
    assert all(CANARY not in done.out + done.err for done in outs)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert any(path.name == "mogi.db" for path in files)
    assert [] == [path.name for path in files if CANARY.encode() in path.read_bytes()]


def test_trying_it_shows_what_was_read(mogi: Mogi, bot: _Bot) -> None:
    done = mogi("targets", "try", "acme", "送料はいくらですか", "--json")
    assert 0 == done.status, done.err
    (turn,) = done.json["turns"]
    assert PASSAGES["shipping"][1] == turn["answer"]
    assert ["shipping"] == [d["id"] for d in turn["documents"]]
    assert [] == turn["notes"]


def test_a_wrong_key_is_nobodys_finding_and_leaves_the_run_unfinished(
    mogi: Mogi, bot: _Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOT_TOKEN", "wrong-0123456789")
    done = mogi("run", "acme", "--json")
    assert (3, {}) == (done.status, done.json["stops"])
    assert "401 Unauthorized: who are you?" in done.err


def test_an_unset_key_is_wrong_input(
    mogi: Mogi, bot: _Bot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("BOT_TOKEN")
    done = mogi("run", "acme")
    assert 2 == done.status
    assert "target.headers.Authorization: the environment variable BOT_TOKEN is not set" in done.err
    assert 0 == mogi("check", "acme").status


def test_a_path_that_finds_nothing_is_explained_by_try(mogi: Mogi, tmp_path: Path) -> None:
    with serving(lambda _: {"reply": "はい", "sources": [{"id": 1, "txt": "x"}]}) as server:
        folder = tmp_path / "scenarios" / "acme"
        _client(folder, server.url, "")
        _plain(folder, server, "answer: reply, documents: 'sources[].text'")
        done = mogi("targets", "try", "acme", "質問")
        assert 0 == done.status
        assert "did you mean txt?" in " ".join(done.out.split())
        _plain(folder, server, "answer: answer")
        done = mogi("targets", "try", "acme", "質問")
        assert 1 == done.status
        assert "the body has no `answer`; it has: reply, sources" in " ".join(done.out.split())


def _plain(folder: Path, server: BotServer, reading: str) -> None:
    (folder / "client.yaml").write_text(
        f"language: ja\ntarget: {{kind: http, url: '{server.url}/c', {reading}}}\n", "utf-8"
    )


def test_many_talks_at_once_keep_to_their_sessions(
    mogi: Mogi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BOT_TOKEN", CANARY)
    bot = _Bot(streams=False)

    async def slowly(heard: Heard) -> Any:
        await asyncio.sleep(0.01)
        return await bot(heard)

    with serving(slowly) as server:
        _client(tmp_path / "scenarios" / "acme", server.url, JSON)
        done = mogi("run", "acme", "--repeat", "10", "--json")
    assert (60, 60) == (done.json["conversations"], len(bot.turns))
    assert done.json["turns"] == bot.turns.total()
