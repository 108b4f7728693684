"""A real HTTP server on 127.0.0.1 with /chat/completions and /embeddings; does what a test says."""

import asyncio
import json
import re
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from tests.loopback.replies import Body, Reply, Says, Status, Vectors, letters

Answer = str | Mapping[str, Any] | Reply


@dataclass(frozen=True, slots=True)
class Asked:
    """One request as it arrived; `at` is the event loop's time in seconds."""

    path: str
    headers: Mapping[str, str]
    body: Body
    at: float

    @property
    def said(self) -> str:
        """The text of the last message."""
        return str(self.body["messages"][-1]["content"])


class ChatServer:
    """An endpoint for tests: `async with ChatServer() as server: … server.base_url …`.

    Args:
        answer: What is said to a parsed request body: text, a mapping (sent as JSON text) or
            a `Reply`. Replies given to `script` come first, one a request, in their order.
        latency_s: Seconds before each answer.

    Attributes:
        embed: What vector an embeddings request gets for each of its texts.
        refuses: Parameters that are answered with a 400 that names them.
        forms: Types of `response_format` that are borne; others get a 400.
        requests: The latest 10,000 requests; `count` counts them all.
        peak: The most requests that were in flight at once.
    """

    def __init__(
        self, answer: Callable[[Body], Answer] | None = None, *, latency_s: float = 0.0
    ) -> None:
        self.answer: Callable[[Body], Answer] = answer or (lambda body: "ok")
        self.embed: Callable[[str], list[float]] = letters
        self.latency_s = latency_s
        self.refuses: set[str] = set()
        self.forms: set[str] = {"json_schema", "json_object"}
        self.requests: deque[Asked] = deque(maxlen=10_000)
        self.count = 0
        self.peak = 0
        self.port = 0
        self._in_flight = 0
        self._script: deque[Reply] = deque()
        self._runner: web.AppRunner | None = None

    @property
    def url(self) -> str:
        """Where the server listens, without a path (an Azure endpoint, for instance)."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def base_url(self) -> str:
        """What an OpenAI client takes as its base URL."""
        return f"{self.url}/v1"

    def script(self, *replies: Answer) -> None:
        """Answer the next requests with these, one each, before `answer` is asked again."""
        self._script.extend(map(_reply, replies))

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=64 * 1024**2)
        app.router.add_post("/{path:.*}", self._handle)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.05)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", self.port)
        await site.start()
        self.port = self._runner.addresses[0][1]
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        body: Body = json.loads(await request.read())
        loop = asyncio.get_running_loop()
        self.requests.append(Asked(request.path_qs, dict(request.headers), body, loop.time()))
        self.count += 1
        self._in_flight += 1
        self.peak = max(self.peak, self._in_flight)
        try:
            if self.latency_s:
                await asyncio.sleep(self.latency_s)
            return await self._choose(request, body).send(request, body)
        except ConnectionAbortedError:
            return web.Response()  # nobody is there any more to read it
        finally:
            self._in_flight -= 1

    def _choose(self, request: web.Request, body: Body) -> Reply:
        path = re.search(
            r"/(?:v1|openai|deployments/[^/]+)/(chat/completions|embeddings)$", request.path
        )
        if path is None:
            return Status(404, "Not Found")
        if self._script:
            return self._script.popleft()
        if path[1] == "embeddings":
            texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
            vectors = [self.embed(text) for text in texts]
            return self._refusal(body) or Vectors(vectors)
        return self._refusal(body) or _reply(self.answer(body))

    def _refusal(self, body: Body) -> Reply | None:
        for name in sorted(self.refuses & body.keys()):
            return _unsupported(name, f"Unsupported parameter: '{name}' with this model.")
        form = body.get("response_format", {}).get("type")
        if form and form not in self.forms:
            return _unsupported("response_format", f"'{form}' is not supported by this model.")
        return None


def _reply(answer: Answer) -> Reply:
    return Says(answer) if isinstance(answer, str | Mapping) else answer


def _unsupported(param: str, message: str) -> Status:
    code = "unsupported_parameter"
    kind = "invalid_request_error"
    return Status(400, {"message": message, "param": param, "code": code, "type": kind})
