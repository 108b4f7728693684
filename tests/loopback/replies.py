"""What the fake chat server can answer: words, and every way in which an endpoint fails."""

import asyncio
import json
import socket
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from aiohttp import web

Body = dict[str, Any]


class Reply(Protocol):
    """One way to answer a request."""

    async def send(self, request: web.Request, body: Body) -> web.StreamResponse: ...


@dataclass(frozen=True, slots=True)
class Says:
    """A completion. A mapping or list as `content` is sent as JSON text; None as null.

    `usage` None: counted from the texts (4 characters a token); an empty one: left out.
    """

    content: str | Mapping[str, Any] | list[Any] | None = "ok"
    finish: str | None = "stop"
    refusal: str | None = None
    usage: Mapping[str, Any] | None = None

    def payload(self, body: Body) -> Body:
        content = self.content
        if isinstance(content, Mapping | list):
            content = json.dumps(content, ensure_ascii=False)
        message = {"role": "assistant", "content": content, "refusal": self.refusal}
        return {
            "id": "chatcmpl-loopback",
            "object": "chat.completion",
            "model": body.get("model", ""),
            "choices": [{"index": 0, "message": message, "finish_reason": self.finish}],
            "usage": self._counted(body, content or "") if self.usage is None else self.usage,
        }

    async def send(self, request: web.Request, body: Body) -> web.StreamResponse:
        return web.json_response(self.payload(body))

    def _counted(self, body: Body, content: str) -> Mapping[str, Any]:
        asked = sum(len(m["content"]) for m in body.get("messages", ())) // 4 + 1
        said = len(content) // 4 + 1
        return {"prompt_tokens": asked, "completion_tokens": said, "total_tokens": asked + said}


@dataclass(frozen=True, slots=True)
class Vectors:
    """An embeddings response with these vectors, whatever was asked. `usage`: as in `Says`."""

    vectors: list[Any]
    usage: Mapping[str, Any] | None = None

    async def send(self, request: web.Request, body: Body) -> web.StreamResponse:
        tokens = sum(len(text) for text in body["input"]) // 4 + 1
        usage = {"prompt_tokens": tokens, "total_tokens": tokens}
        data = [
            {"object": "embedding", "index": index, "embedding": vector}
            for index, vector in enumerate(self.vectors)
        ]
        return web.json_response(
            {
                "object": "list",
                "model": body.get("model", ""),
                "data": data,
                "usage": usage if self.usage is None else self.usage,
            }
        )


def letters(text: str) -> list[float]:
    """A small vector of a text: how often each of 64 kinds of characters stands in it."""
    counts = [0.0] * 64
    for char in text:
        counts[ord(char) % 64] += 1
    return counts


@dataclass(frozen=True, slots=True)
class Status:
    """An HTTP error in OpenAI's form; `message` may be an error object of its own."""

    code: int
    message: str | Mapping[str, Any] = "as the script says"
    headers: Mapping[str, str] = field(default_factory=dict)

    async def send(self, request: web.Request, body: Body) -> web.StreamResponse:
        error = {"message": self.message} if isinstance(self.message, str) else self.message
        return web.json_response({"error": error}, status=self.code, headers=self.headers)


@dataclass(frozen=True, slots=True)
class Raw:
    """Any bytes under any status and content type."""

    data: bytes
    status: int = 200
    content_type: str = "application/json"

    async def send(self, request: web.Request, body: Body) -> web.StreamResponse:
        return web.Response(body=self.data, status=self.status, content_type=self.content_type)


@dataclass(frozen=True, slots=True)
class Hang:
    """Nothing comes until the caller or the server has gone."""

    async def send(self, request: web.Request, body: Body) -> web.StreamResponse:
        await _gone(request)
        raise ConnectionAbortedError


@dataclass(frozen=True, slots=True)
class Drip:
    """A slow-loris: the head at once, then one byte at a time, without end."""

    every_s: float = 0.3

    async def send(self, request: web.Request, body: Body) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "application/json"})
        await response.prepare(request)
        while request.transport is not None and not request.transport.is_closing():
            await response.write(b" ")
            await asyncio.sleep(self.every_s)
        return response


@dataclass(frozen=True, slots=True)
class Cut:
    """The connection closes in the middle of a body that promised to be longer."""

    async def send(self, request: web.Request, body: Body) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Length": "1000"})
        await response.prepare(request)
        await response.write(b'{"choices": [')
        _transport(request).close()
        return response


@dataclass(frozen=True, slots=True)
class Reset:
    """The connection is reset before any answer."""

    async def send(self, request: web.Request, body: Body) -> web.StreamResponse:
        transport = _transport(request)
        sock = transport.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        transport.abort()
        raise ConnectionAbortedError


@dataclass(frozen=True, slots=True)
class NotHttp:
    """Something answers, but it does not speak HTTP."""

    async def send(self, request: web.Request, body: Body) -> web.StreamResponse:
        transport = _transport(request)
        transport.write(b"SSH-2.0-OpenSSH_9.9\r\n")
        transport.close()
        raise ConnectionAbortedError


def _transport(request: web.Request) -> asyncio.Transport:
    transport = request.transport
    assert isinstance(transport, asyncio.Transport)
    return transport


async def _gone(request: web.Request) -> None:
    while request.transport is not None and not request.transport.is_closing():
        await asyncio.sleep(0.01)
