"""Bombs that bots, models and spreadsheets send, and those in the templates of requests."""

import asyncio
import sys
import zlib
from collections.abc import Awaitable, Callable
from itertools import repeat
from pathlib import Path
from typing import Any

from aiohttp import web

from simulator.formats.jmespath import JmesPath
from simulator.llm.account import Account
from simulator.llm.client import Transport
from simulator.targets._wire.settings import EXAMPLES
from simulator.targets._wire.templates import Template, check
from simulator.targets.command import Command
from tests.bombs import Bomb
from tests.loopback.bot import Heard
from tests.loopback.server import ChatServer
from tests.loopback.websocket import Socket
from tests.targets.fakes import guarded, talk_of
from tests.targets.http import bots
from tests.targets.openai_compatible import chat_bots
from tests.targets.websocket import sockets

MB = 10**6


def _gzipped(start: bytes, part: bytes, times: int) -> list[bytes]:
    """A gzip stream whose middle is one compressed block again and again."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    head = packer.compress(start) + packer.flush(zlib.Z_FULL_FLUSH)
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = packer.compress(part) + packer.flush(zlib.Z_FULL_FLUSH)
    return [head, *repeat(block, times)]


async def _sent(
    request: web.Request, parts: list[bytes], kind: str, encoding: str = ""
) -> web.StreamResponse:
    headers = {"Content-Type": kind} | ({"Content-Encoding": encoding} if encoding else {})
    response = web.StreamResponse(headers=headers)
    await response.prepare(request)
    try:
        for part in parts:
            await response.write(part)
    except (ConnectionError, asyncio.CancelledError):
        pass  # nobody wants to hear more
    return response


def _bot(
    said: str, parts: Callable[[], list[bytes]], kind: str, encoding: str = "", **settings: Any
) -> Bomb:
    async def act(heard: Heard) -> web.StreamResponse:
        return await _sent(heard.request, parts(), kind, encoding)

    async def ask() -> object:
        async with bots.http_bot(act, **settings) as (target, _):
            return await guarded(target, timeout_s=120.0).answer("q", talk_of())

    return Bomb(said, lambda _: asyncio.run(ask()))


class _Parts:
    """A reply of the chat server, part by part."""

    def __init__(self, parts: list[bytes], kind: str, encoding: str) -> None:
        self._sent = (parts, kind, encoding)

    async def send(self, request: web.Request, body: dict[str, Any]) -> web.StreamResponse:
        del body
        return await _sent(request, *self._sent)


async def _grown_lists() -> object:
    """A list that grows by one with each event, told of by how long it is in the end."""

    async def act(heard: Heard) -> web.StreamResponse:
        pieces = [chat_bots.piece({"content": "", "tools": [n]}).encode() for n in range(90_000)]
        last = chat_bots.piece({"content": "pieces"}, "stop").encode()
        return await _sent(heard.request, [*pieces, last], "text/event-stream")

    return await chat_bots.reply_to(act, stream=True, timeout_s=120.0)


def _model(
    said: str, parts: Callable[[], list[bytes]], kind: str = "application/json", encoding: str = ""
) -> Bomb:
    async def ask() -> object:
        async with ChatServer(lambda _: _Parts(parts(), kind, encoding)) as server:
            transport = Transport.open(Account(server.base_url, ""), 1)
            try:
                return await transport.post({"model": "m", "messages": []}, 60.0)
            finally:
                await transport.aclose()

    return Bomb(said, lambda _: asyncio.run(ask()))


def _command(said: str, program: str, **settings: Any) -> Bomb:
    async def ask(folder: Path) -> object:
        (folder / "bot.py").write_text(program, "utf-8")
        command = (sys.executable, "-S", "-u", "bot.py")
        target = Command(command, folder, Command.Settings(command="bot", **settings))
        try:
            return await guarded(target, timeout_s=120.0).answer("q", talk_of())
        finally:
            await target.close()

    return Bomb(said, lambda folder: asyncio.run(ask(folder)))


def _socket(said: str, act: Callable[[Socket, str], Awaitable[None]], **settings: Any) -> Bomb:
    async def ask() -> object:
        async with sockets.socket_bot(act, **settings) as (target, _):
            return await guarded(target, timeout_s=120.0).answer("q", talk_of())

    return Bomb(said, lambda _: asyncio.run(ask()))


async def _flood(socket: Socket, _: str) -> None:
    for _n in range(2_000):
        await socket.send_str('{"delta": "' + "x" * 100_000 + '"}')


async def _drizzle(socket: Socket, _: str) -> None:
    for _n in range(150_000):
        await socket.send_str("{}")


def _template(said: str, written: object) -> Bomb:
    examples = {name: tuple(values) for name, values in EXAMPLES.items()}
    return Bomb(said, lambda _: check(Template(written), examples))


_DOUBLED = "{% set a = question %}" + "{% set a = a ~ a %}" * 60 + "{{ a }}"
_REPLACED = "{{ 'x'" + ".replace('x', 'xxxxxxxxxx')" * 12 + " }}"
_LOOPS = "{% set s = 'abcdefghijklmnopqrstuvwxyz' %}"
_LOOPS += "".join(f"{{% for {c} in s %}}" for c in "abcdefgh") + "x" + "{% endfor %}" * 8
_FLOOD = "import sys\nsys.stdin.readline()\nwhile True: sys.stdout.write({!r} * 10000)\n"
_TITLES = b"<html>" + b"<title>" * (2 * MB // 7)

# Each makes a little less than what is too much.
_MANY = ["{% for a in 'abcdefghij' %}" * 4 + "{{ question }}" + "{% endfor %}" * 4] * 50
_IN = "{% set a = question %}" + "{% set a = a ~ a %}" * 14
_IN += "".join(f"{{% for {c} in 'abcdefghij' %}}" for c in "bcdef") + "{{ 'x' in a }}"
_IN += "{% endfor %}" * 5


def _path(path: str) -> Bomb:
    return Bomb("creates a result that is to", lambda _: JmesPath(path).find({"a": ["x"]}).why)


BOMBS = {
    "path-lists": _path("@" + " | [@, @]" * 60),
    "path-flat": _path("[@]" + " | [@, @][]" * 60),
    "path-join": _path("'xx'" + " | join(@, [@, @, @])" * 40),
    "path-text": _path("@" + " | [@, @]" * 60 + " | to_string(@)"),
    "path-equal": _path("[" + ", ".join(["@" + " | [@, @]" * 40] * 2) + "] | [0] == [1]"),
    "template-in": _template("makes more than", _IN),
    "template-test": _template("makes more than", _IN.replace("'x' in a", "'x' is in a")),
    "template-many": _template("makes more than", _MANY),
    "template-long": _template("placeholders of more than", "{{ question" + "~a" * 100_000 + "}}"),
    "template-loops": _template("makes more than", _LOOPS),
    "template-doubled": _template("makes more than", _DOUBLED),
    "template-replaced": _template("makes more than", _REPLACED),
    "template-infinite": _template("too large", "{{ 1e999 }}"),
    "template-power": _template("nested too deeply", "{{ 9" + " * 99999999999999" * 400 + " }}"),
    "bot-titles": _bot("web page", lambda: [_TITLES], "text/html"),
    "bot-scripts": _bot(
        "web page", lambda: [b"<html>" + b"<script>" * (30 * MB // 8)], "text/html"
    ),
    "bot-gzip": _bot(
        "longer than", lambda: _gzipped(b'"', b"x" * MB, 5000), "application/json", "gzip"
    ),
    "bot-nodes": _bot(
        "is too large:",
        lambda: [b"[", *repeat(b"[]," * 10_000, 1_000), b"[]]"],
        "application/json",
        answer="a",
    ),
    "bot-depth": _bot(
        "nested too deep",
        lambda: [b'{"a":' * 900, b"1", b"}" * 900],
        "application/json",
        answer="b",
    ),
    "bot-number": _bot(
        "is null", lambda: [b'{"answer": 1e999, "scores": [NaN]}'], "application/json"
    ),
    "bot-long-answer": _bot(
        "cut", lambda: [b'"', *repeat("あ\\n、".encode() * 1000, 3_500), b'"'], "application/json"
    ),
    "bot-events": _bot(
        "events",
        lambda: [*repeat(b"data: x\n\n" * 10_000, 350)],
        "text/event-stream",
        stream="sse",
    ),
    "bot-event-names": _bot(
        "events",
        lambda: [f"event: {n}\ndata: x\n\n".encode() for n in range(110_000)],
        "text/event-stream",
        stream="sse",
    ),
    "bot-pieces": Bomb("pieces", lambda _: asyncio.run(_grown_lists())),
    "bot-event": _bot(
        "longer than",
        lambda: [*repeat(b"data: x\n" * 10_000, 5000)],
        "text/event-stream",
        stream="sse",
    ),
    "model-gzip": _model(
        "longer than", lambda: _gzipped(b'{"a": "', b"x" * MB, 5200), encoding="gzip"
    ),
    "model-long": _model("longer than", lambda: [b'"', *repeat(b"x" * MB, 200)]),
    "model-nodes": _model("is too large:", lambda: [b"[", *repeat(b"[]," * 10_000, 1_000), b"[]]"]),
    "model-events": _model(
        "longer than",
        lambda: [
            *repeat(b'data: {"choices": [{"delta": {"content": "xx"}}]}\n\n' * 1000, 600),
            b'data: {"choices": [{"finish_reason": "stop"}]}\n\n',
        ],
        "text/event-stream",
    ),
    "command-flood": _command("without `answer`", _FLOOD.format("{}\n")),
    "command-flood-turn": _command("more than", _FLOOD.format("{}\n"), per="turn"),
    "command-flood-line": _command("more than", _FLOOD.format("xxxxxxxx")),
    "command-flood-blank": _command("more than", _FLOOD.format("\n")),
    "command-flood-stderr": _command(
        "exit status 3",
        "import sys\nfor _ in range(3000): sys.stderr.write('x' * 100000)\nsys.exit(3)\n",
    ),
    "websocket-flood": _socket("longer than", _flood, until="done", delta="delta"),
    "websocket-drizzle": _socket("messages", _drizzle, until="done", delta="delta"),
}
