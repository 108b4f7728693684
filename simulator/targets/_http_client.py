"""Requests sent and answers read: one pool of connections, redirects with care, safe retries."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from simulator import config
from simulator.core.errors import TargetError, TargetFault
from simulator.retries import seconds_to_wait
from simulator.targets._http_errors import Refusal, Trouble, reason_of
from simulator.targets._http_requests import Request, shown

if TYPE_CHECKING:
    from aiohttp import ClientResponse, ClientSession, CookieJar
    from yarl import URL

T = TypeVar("T")
Read = Callable[["Incoming"], Awaitable[T]]

BODY_LIMIT = 32 * 1024 * 1024  # bytes
_ERROR_LIMIT = 64 * 1024  # bytes of an error page
_CHUNK = 64 * 1024
_HOPS = 5
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
# Servers close idle connections after 2 s (gunicorn) or 5 s (uvicorn, Node) and more. A question
# that is sent while they do is lost, and cannot be asked again.
_IDLE_S = 1.5


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
                raise TargetError(
                    TargetFault.INVALID,
                    f"its answer to {self.request} is longer than {BODY_LIMIT // 1024**2} MB; "
                    "the rest was not read",
                )
            yield chunk

    async def body(self) -> bytes:
        """The whole body. Raises as `chunks`."""
        return b"".join([chunk async for chunk in self.chunks()])


class HttpClient:
    """One pool of connections for all talks. Made on the event loop that uses it."""

    def __init__(self) -> None:
        """Nothing is opened before the first request.

        What that needs is imported now: a quarter of a second that is not the bot's.
        """
        from simulator.targets import _http_faults

        self._faults = _http_faults
        self._session: ClientSession | None = None
        self._proxies: dict[tuple[str, str], str | None] = {}

    async def attempt(self, request: Request, read: Read[T], jar: "CookieJar | None") -> T:
        """Send a request once, follow its redirects, and read the answer.

        Raises:
            Trouble: there was none, or it cannot be read.
        """
        with self._faults.translated(request.method, request.url):
            return await self._followed(request, read, jar)

    async def close(self) -> None:
        """Close every connection."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def _followed(self, request: Request, read: Read[T], jar: "CookieJar | None") -> T:
        from yarl import URL

        url, method, data = URL(request.url), request.method, request.data
        for _ in range(_HOPS + 1):
            options = {"headers": request.headers, "data": data, **self._options(url, jar)}
            async with self._pool().request(method, url, **options) as response:
                if jar is not None:
                    jar.update_cookies(response.cookies, url)
                name = shown(method, str(url))
                if response.status in _REDIRECTS and "Location" in response.headers:
                    url = _next(url, response, method)
                    if response.status == 303 and method != "HEAD":
                        method, data = "GET", None
                    continue
                if not 200 <= response.status < 300:
                    raise await _refused(response, name)
                return await read(Incoming(response, name))
        raise _invalid(
            f"{shown(request.method, request.url)} is redirected more than {_HOPS} times"
        )

    def _pool(self) -> "ClientSession":
        if self._session is None:
            import aiohttp

            self._session = aiohttp.ClientSession(
                # The caps on concurrency are the guard's: nobody is to wait inside the pool.
                connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=_IDLE_S),
                cookie_jar=aiohttp.DummyCookieJar(),  # talks would share their cookies
                timeout=aiohttp.ClientTimeout(total=None),  # the deadline is the guard's
                middlewares=(self._faults.asked_once,),
                skip_auto_headers=("Content-Type",),
            )
        return self._session

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


def _next(url: "URL", response: "ClientResponse", method: str) -> "URL":
    """Where a redirect leads to, if that is the same host: keys in headers must not leave it."""
    from yarl import URL

    try:
        to = url.join(URL(response.headers["Location"]))
    except ValueError:
        raise _invalid(f"{shown(method, str(url))} is redirected to what is no url") from None
    status = f"it redirects {shown(method, str(url))} ({response.status})"
    upgraded = (url.scheme, to.scheme) == ("http", "https")
    if to.host != url.host or (not upgraded and (to.scheme, to.port) != (url.scheme, url.port)):
        raise _invalid(
            f"{status} from {url.origin()} to another host, {_origin(to)}, which is not followed: "
            "headers with keys would go there; if that is the bot, write its address as url"
        )
    if response.status in (301, 302) and method not in ("GET", "HEAD"):
        raise _invalid(
            f"{status} to {_origin(to)}{to.path}, and a {method} that is redirected so loses its "
            "body; write that address as url"
        )
    return to


def _origin(url: "URL") -> str:
    return str(url.origin()) if url.scheme in ("http", "https") and url.host else url.scheme


async def _refused(response: "ClientResponse", request: str) -> Trouble:
    body = b""
    async for chunk in response.content.iter_chunked(_CHUNK):
        body += chunk
        if len(body) >= _ERROR_LIMIT:
            break
    kind = response.headers.get("Content-Type", "").lower()
    reason = reason_of(response.status, response.reason)
    wait_s = seconds_to_wait(response.headers)
    return Refusal(request, response.status, reason, kind, body[:_ERROR_LIMIT], wait_s).trouble()


def _invalid(text: str) -> Trouble:
    return Trouble(TargetError(TargetFault.INVALID, text))
