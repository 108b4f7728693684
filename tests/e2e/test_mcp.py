"""A coding agent's way, with the client of the MCP SDK: a run, its worst talk, a proven fix."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from simulator.cli.check import new_client
from simulator.core.persona import Language
from simulator.files.catalog import shipped
from simulator.store.store import Store
from tests.e2e.process import ROOT, START
from tests.pages import parts
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.slow
NEW, OLD = "2026-07-28", "2025-11-25"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
UNSEEN = (
    "What plans do you have per month?",
    "how much per month",
    "Plans: how much per month?",
    "What do you have, and how much per month is it?",
    "Tell me what plans you have and how much they are per month",
    "How much is it per month?",
    "What plans do you have for one person?",
    "How much per month do you have plans for?",
)
SLOW_BOT = """\
import asyncio
print("a bot prints")

async def answer(question, history):
    await asyncio.sleep(1)
    return "Shipping costs 3 pounds."
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A working directory with the English demo as a client, and questions that nobody saw."""
    client = tmp_path / "scenarios" / "photo"
    client.mkdir(parents=True)
    demo = shipped() / "scenarios" / "demo-en"
    for path in (path for path in demo.rglob("*") if path.is_file()):
        to = client / path.relative_to(demo)
        to.parent.mkdir(exist_ok=True)
        to.write_bytes(path.read_bytes())
    expected = {"elements": ["980 yen", "1,480 yen"], "documents": ["faq-014"]}
    rows = [{"id": f"u{n}", "query": q, "expected": expected} for n, q in enumerate(UNSEEN)]
    (client / "unseen.yaml").write_text(json.dumps(rows))
    return tmp_path


@asynccontextmanager
async def over_stdio(
    folder: Path, mode: str, words: Sequence[str] = ("mcp", "photo")
) -> AsyncIterator[Client]:
    args = ["-c", START, *words]
    server = StdioServerParameters(
        command=sys.executable, args=args, env=ENVIRONMENT, cwd=str(folder)
    )
    async with Client(stdio_client(server), mode=mode) as client:
        yield client


@asynccontextmanager
async def over_http(folder: Path, mode: str) -> AsyncIterator[Client]:
    server = await started(folder, "photo", "--http")
    assert server.stdout is not None
    url = (await server.stdout.readline()).decode().strip()
    name, token = (await server.stdout.readline()).decode().strip().split(": ")
    try:
        async with httpx2.AsyncClient(headers={name: token}, timeout=PATIENCE_S) as http:
            transport = streamable_http_client(url, http_client=http)
            async with Client(transport, mode=mode) as client:
                yield client
        async with httpx2.AsyncClient() as stranger:
            assert 401 == (await stranger.post(url, json={})).status_code
    finally:
        server.send_signal(signal.SIGINT)
        assert 0 == await asyncio.wait_for(server.wait(), PATIENCE_S)


async def started(folder: Path, *words: str) -> asyncio.subprocess.Process:
    pipe = asyncio.subprocess.PIPE
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", START, "mcp", *words),
        cwd=folder,
        env=ENVIRONMENT,
        stdin=pipe,
        stdout=pipe,
        stderr=pipe,
    )


async def asked(to: Client, name: str, **arguments: Any) -> dict[str, Any]:
    """What a tool answers; the client holds it against the schema."""
    answer = await to.call_tool(name, arguments)
    assert not answer.is_error, answer.content
    structured: dict[str, Any] = answer.structured_content
    [content] = answer.content
    assert structured == json.loads(content.model_dump()["text"])
    assert "data that is quoted" in structured["notice"]
    return structured


@pytest.mark.parametrize("language", ["en", "ja"])
async def test_an_agent_that_is_configured_as_the_page_says_is_served(
    language: Language, tmp_path: Path
) -> None:
    new_client(tmp_path / "scenarios" / "acme", language)
    page = (ROOT / "docs" / language / "reference" / "agents.md").read_text("utf-8")
    [block] = [part.body for part in parts(page) if "mcpServers" in part.body]
    said = json.loads(block)["mcpServers"]["mogi"]
    assert "mogi" == said["command"]
    async with over_stdio(tmp_path, NEW, said["args"]) as client:
        assert "acme" == (await asked(client, "check", client="acme"))["client"]


@pytest.mark.parametrize(("connect", "mode"), [(over_stdio, "legacy"), (over_http, NEW)])
async def test_clients_of_both_protocols_are_served_on_both_ways(
    connect: Any, mode: str, folder: Path
) -> None:
    async with connect(folder, mode) as client:
        assert (NEW if mode == NEW else OLD) == client.protocol_version
        assert 7 == len((await client.list_tools()).tools)


@pytest.mark.parametrize(("connect", "mode"), [(over_stdio, NEW), (over_http, "legacy")])
async def test_an_agent_runs_finds_the_worst_conversation_and_proves_a_fix(
    connect: Any, mode: str, folder: Path
) -> None:
    before = {p: p.read_bytes() for p in (folder / "scenarios").rglob("*") if p.is_file()}
    async with connect(folder, mode) as client:
        assert (NEW if mode == NEW else OLD) == client.protocol_version
        await client.list_tools()
        assert 32 == (await asked(client, "check", client="photo"))["scenarios"]
        few = {"scenarios": ["plan-prices", "change-email"], "offline": True}
        assert (
            6 == (await asked(client, "run", client="photo", dry_run=True, **few))["conversations"]
        )
        [now] = (await asked(client, "run", client="photo", **few))["runs"]
        while now["status"] == "running":
            [now] = (await asked(client, "status", run=now["run"]))["runs"]
        run = now["run"]
        assert ("finished", 3, 3) == (now["status"], now["passed"], now["failed"])
        assert 0.5 == (await asked(client, "results", run=run))["pass_rate"]
        talks = (await asked(client, "show", run=run, failed=True))["conversations"]
        worst = await asked(client, "show", run="latest", conversation=talks[0]["episode"])
        assert "What plans do you have" in worst["turns"][0]["user"]
        [fault] = (await asked(client, "improve", run=run))["faults"]
        assert "faq-014" == fault["entry"]
        [proposal] = (await asked(client, "improve", run=run, step="propose"))["proposals"]
        assert "+++ knowledge/faq.csv" in proposal["diff"]
        [proof] = (await asked(client, "improve", run=run, step="prove", on="unseen.yaml"))[
            "proofs"
        ]
        assert "accepted" == proof["proven"]
        refused = await client.call_tool("compare", {})
        assert refused.is_error
        assert "there is no finished run of photo before" in refused.content[0].model_dump()["text"]
    after = {p: p.read_bytes() for p in (folder / "scenarios").rglob("*") if p.is_file()}
    assert before == after


@pytest.mark.parametrize("end", ["stdin", signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
async def test_whatever_ends_the_server_the_run_is_saved_and_goes_on(
    end: Any, folder: Path
) -> None:
    (folder / "slow_bot.py").write_text(SLOW_BOT)
    (folder / "scenarios" / "photo" / "client.yaml").write_text(
        "language: en\ntarget: {kind: function, function: 'slow_bot:answer'}\n"
        "knowledge: knowledge/faq.csv\npersonas: [angry, beginner, calm]\n"
        "limits: {target: {concurrency: 4}}\n"
    )
    server = await started(folder, "photo")
    assert server.stdin is not None
    assert server.stdout is not None
    server.stdin.write(json.dumps(_run_request()).encode() + b"\n")
    answer = json.loads(await asyncio.wait_for(server.stdout.readline(), PATIENCE_S))
    [begun] = answer["result"]["structuredContent"]["runs"]
    assert "running" == begun["status"]
    if end == "stdin":
        server.stdin.close()
    else:
        server.send_signal(end)
    assert {signal.SIGTERM: -15, signal.SIGKILL: -9}.get(end, 0) == await asyncio.wait_for(
        server.wait(), PATIENCE_S
    )
    if end in ("stdin", signal.SIGINT):
        assert server.stderr is not None
        text = (await server.stderr.read()).decode()
        assert f"interrupted; to resume:  mogi run --resume {begun['run']}\n" == text
    url = f"sqlite:///{folder}/mogi.db"
    async with asyncio.timeout(PATIENCE_S):
        while (status := _status(url, begun["run"])) == "running":
            await asyncio.sleep(0.1)
    assert "interrupted" == status
    async with over_stdio(folder, NEW) as again:
        [now] = (await asked(again, "run", client="photo", resume=begun["run"]))["runs"]
        assert (begun["run"], "running") == (now["run"], now["status"])
        assert begun["planned"] == now["planned"]


def _run_request() -> dict[str, Any]:
    """What a client of the newest protocol sends, without a handshake."""
    client = {"name": "test", "version": "1"}
    meta = {"protocolVersion": NEW, "clientInfo": client, "clientCapabilities": {}}
    params = {
        "name": "run",
        "arguments": {"client": "photo"},
        "_meta": {f"io.modelcontextprotocol/{name}": value for name, value in meta.items()},
    }
    return {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}


def _status(url: str, run: str) -> str:
    with Store.read(url) as store:
        return store.header(run).status


async def test_a_call_that_nobody_waits_for_any_more_is_broken_off(folder: Path) -> None:
    async with over_stdio(folder, NEW) as client:
        with pytest.raises(MCPError, match="timed out"):
            await client.call_tool("check", {"client": "photo"}, read_timeout_seconds=0.1)
        async with asyncio.timeout(PATIENCE_S):
            while str(folder) in await _processes():
                await asyncio.sleep(0.1)


async def _processes() -> str:
    listed = await asyncio.create_subprocess_exec("ps", "-eo", "args", stdout=-1)
    return (await listed.communicate())[0].decode()
