"""Requests sent and answers read: one pool of connections, redirects with care, safe retries."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import unquote_plus

from simulator import config
from simulator.core.bounds import BODY_LIMIT
from simulator.core.errors import TargetError
from simulator.core.version import __version__
from simulator.retries import Backoff, seconds_to_wait
from simulator.targets._shapes import invalid
from simulator.targets._wire.errors import (
    HINTS,
    FailedAttempt,
    own_words,
    refused,
    request_name,
    translated,
)
from simulator.targets._wire.templates import as_field

if TYPE_CHECKING:
    from aiohttp import ClientHandlerType, ClientRequest, ClientResponse, ClientSession, CookieJar
    from yarl import URL

T = TypeVar("T")
Read = Callable[["Incoming"], Awaitable[T]]

# Methods of which a second one changes nothing: RFC 9110, section 9.2.2.
REPEATABLE = frozenset({"GET", "HEAD", "OPTIONS", "PUT", "DELETE", "TRACE"})
_ERROR_LIMIT = 64 * 1024  # bytes of an error page
_CHUNK = 64 * 1024
_HOPS = 5
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
# Servers close idle connections after 2 s (gunicorn) or 5 s (uvicorn, Node) and more. A question
# that is sent while they do is lost, and cannot be asked again.
_IDLE_S = 1.5
_BACKOFF = Backoff(first=0.5, most=8, more=0.2, most_more=2, least=0)


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One HTTP request, filled in. `data` None: it has no body."""

    method: str
    url: str = field(repr=False)  # the environment's values are filled in: they may be keys
    headers: Mapping[str, str] = field(repr=False)
    data: bytes | None = field(default=None, repr=False)

    def text(self) -> str:
        """All that the bot is sent, as text."""
        body = (self.data or b"").decode("utf-8", "replace")
        return "\n".join((unquote_plus(self.url), *self.headers.values(), body))


@dataclass(frozen=True, slots=True)
class Incoming:
    """The head of a bot's answer (a status of 200 to 299); its body can be read once."""

    response: "ClientResponse"
    request: str

    @property
    def content_type(self) -> str:
        """Such as `application/json`, in lower case; empty where none was sent."""
        told = self.response.headers.get("Content-Type", "")
        return told.partition(";")[0].strip().lower()

    @property
    def charset(self) -> str:
        """The encoding that the bot names for its text, or UTF-8."""
        return self.response.charset or "utf-8"

    async def chunks(self) -> AsyncGenerator[bytes, None]:
        """The body, decompressed, as it comes.

        Raises:
            TargetError: it is longer than any answer.
        """
        size = 0
        async for chunk in self.response.content.iter_chunked(_CHUNK):
            size += len(chunk)
            if size > BODY_LIMIT:
                size_mb = BODY_LIMIT // 1024**2
                raise invalid(
                    f"its answer to {self.request} is longer than {size_mb} MB; "
                    "the rest was not read"
                )
            yield chunk

    async def body(self) -> bytes:
        """The whole body. Raises as `chunks`."""
        return b"".join([chunk async for chunk in self.chunks()])


def new_session(**options: Any) -> "ClientSession":
    """A pool of connections that keeps nothing of one talk for another."""
    import aiohttp

    return aiohttp.ClientSession(
        # The caps on concurrency are the guard's: nobody is to wait inside the pool.
        connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=_IDLE_S),
        cookie_jar=aiohttp.DummyCookieJar(),  # talks would share their cookies
        timeout=aiohttp.ClientTimeout(total=None),  # the deadline is the guard's
        **options,
    )


class HttpClient:
    """One pool of connections for all talks. Made on the event loop that uses it.

    `hints`: what to look at when the bot refuses, by its status.
    """

    def __init__(self, hints: Mapping[int, str] = HINTS) -> None:
        """Nothing is opened before the first request.

        What that needs is imported now: a quarter of a second that is not the bot's.
        """
        import aiohttp  # noqa: F401

        self._hints = hints
        self._session: ClientSession | None = None
        self._proxies: dict[tuple[str, str], str | None] = {}

    async def attempt(
        self, request: HttpRequest, read: Read[T], jar: "CookieJar | None" = None
    ) -> T:
        """Send a request once, follow its redirects, and read the answer.

        Raises:
            FailedAttempt: there was none, or it cannot be read.
        """
        with translated(request.method, request.url):
            return await self._followed(request, read, jar)

    async def close(self) -> None:
        """Close every connection."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def _followed(self, request: HttpRequest, read: Read[T], jar: "CookieJar | None") -> T:
        from yarl import URL

        if self._session is None:
            self._session = new_session(
                middlewares=(_asked_once,), skip_auto_headers=("Content-Type",)
            )
        url, method, data = URL(request.url), request.method, request.data
        for _ in range(_HOPS + 1):
            options = {"headers": request.headers, "data": data, **self._options(url, jar)}
            async with self._session.request(method, url, **options) as response:
                if jar is not None:
                    jar.update_cookies(response.cookies, url)
                name = request_name(method, str(url))
                if response.status in _REDIRECTS and "Location" in response.headers:
                    url = _next(url, response, method)
                    if response.status == 303 and method != "HEAD":
                        method, data = "GET", None
                    continue
                if not 200 <= response.status < 300:
                    raise await _refused(response, name, self._hints)
                return await read(Incoming(response, name))
        name = request_name(request.method, request.url)
        raise invalid(f"{name} is redirected more than {_HOPS} times")

    def _options(self, url: "URL", jar: "CookieJar | None") -> dict[str, Any]:
        options: dict[str, Any] = {"allow_redirects": False}
        place = (url.scheme, url.host or "")
        if place not in self._proxies:
            self._proxies[place] = config.proxy_for(*place)
        if (proxy := self._proxies[place]) is not None:
            options["proxy"] = proxy
        if jar is not None:
            options["cookies"] = jar.filter_cookies(url)
        return options


async def _asked_once(request: "ClientRequest", handler: "ClientHandlerType") -> "ClientResponse":
    """A middleware that keeps aiohttp from sending some requests a second time by itself.

    It does so when a connection breaks; what is tried again, and how often, is told elsewhere.
    """
    with translated(request.method, str(request.url)):
        return await handler(request)


def _next(url: "URL", response: "ClientResponse", method: str) -> "URL":
    """Where a redirect leads to, if that is the same host: keys in headers must not leave it."""
    from yarl import URL

    try:
        to = url.join(URL(response.headers["Location"]))
    except ValueError:
        raise invalid(f"{request_name(method, str(url))} is redirected to what is no url") from None
    status = f"it redirects {request_name(method, str(url))} ({response.status})"
    upgraded = (url.scheme, to.scheme) == ("http", "https")
    if to.host != url.host or (not upgraded and (to.scheme, to.port) != (url.scheme, url.port)):
        raise invalid(
            f"{status} from {url.origin()} to another host, {_origin(to)}, which is not followed: "
            "headers with keys would go there; if that is the bot, write its address as url"
        )
    if response.status in (301, 302) and method not in ("GET", "HEAD"):
        raise invalid(
            f"{status} to {_origin(to)}{to.path}, and a {method} that is redirected so loses its "
            "body; write that address as url"
        )
    return to


def _origin(url: "URL") -> str:
    return str(url.origin()) if url.scheme in ("http", "https") and url.host else url.scheme


async def _refused(
    response: "ClientResponse", request: str, hints: Mapping[int, str]
) -> FailedAttempt:
    body = b""
    async for chunk in response.content.iter_chunked(_CHUNK):
        body += chunk
        if len(body) >= _ERROR_LIMIT:
            break
    kind = response.headers.get("Content-Type", "").lower()
    told = own_words(body[:_ERROR_LIMIT], kind)
    wait_s = seconds_to_wait(response.headers)
    return refused(request, response.status, response.reason, told, wait_s, hints)


@dataclass(frozen=True, slots=True)
class CallRetries:
    """How often and how long a call is tried.

    A call is tried again where no connection came about, or the bot said that it did not begin
    (429 or 503 with Retry-After); a repeatable one also where the connection broke and where it
    answered 429, 502, 503 or 504. Never earlier than the bot asks for, and never when the wait
    would go beyond the target's timeout.

    `attempts` counts the first one; `timeout_s`: seconds for all of them and their waits.
    """

    attempts: int
    timeout_s: float

    async def __call__(
        self, attempt: Callable[[], Awaitable[T]], *, repeatable: bool
    ) -> tuple[T, tuple[str, ...]]:
        """What the last attempt brought, and what went wrong with those before it.

        Raises:
            TargetError: none brought anything.
        """
        troubles: list[str] = []
        deadline = monotonic() + self.timeout_s
        while True:
            try:
                return await attempt(), tuple(troubles)
            except FailedAttempt as error:
                trouble = error
            troubles.append(str(trouble))
            wait_s = _BACKOFF.seconds(len(troubles), trouble.wait_s)
            is_in_time = len(troubles) < self.attempts and monotonic() + wait_s < deadline
            if not (is_in_time and trouble.passes and (repeatable or not trouble.done)):
                tries = f" (tried {len(troubles)} times)" if len(troubles) > 1 else ""
                raise TargetError(trouble.error.fault, f"{trouble}{tries}")
            await asyncio.sleep(wait_s)


def headers_of(rendered: Mapping[str, Any], given: Mapping[str, str]) -> dict[str, str]:
    """The headers that are sent: those of the settings, and of `given` what these do not name."""
    own = {name: as_field(value) for name, value in rendered.items()}
    named = {name.lower() for name in own}
    given = {**given, "User-Agent": f"mogi/{__version__}"}
    kept = {name: value for name, value in given.items() if name.lower() not in named}
    # A line end would begin a header of its own.
    return kept | {n: " ".join(v.splitlines()) for n, v in own.items() if v is not None}
