"""Requests sent and answers read: one pool of connections, redirects with care, safe retries."""

import asyncio
import os
import re
from collections.abc import (
    AsyncGenerator,
    Awaitable,
    Callable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import unquote_plus, urlsplit

from simulator import config
from simulator.core.bounds import BODY_LIMIT, json_data
from simulator.core.clean import LONGEST_PAGE, cut, is_page, visible, without_tags
from simulator.core.errors import TargetError, TargetFault
from simulator.core.plan import Reached
from simulator.core.version import __version__
from simulator.llm.replies import words_in
from simulator.retries import Backoff, seconds_to_wait
from simulator.targets._shapes import invalid
from simulator.targets._wire.templates import as_field

if TYPE_CHECKING:
    import aiohttp
    from aiohttp import ClientHandlerType, ClientRequest, ClientResponse, ClientSession, CookieJar
    from yarl import URL

# https://www.w3.org/TR/trace-context/: version, trace, parent, flags.
TRACEPARENT = re.compile(r"[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}.*")
_WORDS = 400  # characters of a bot's own words
_PASSING = frozenset({429, 502, 503, 504})
_TURNED_AWAY = frozenset({429, 503})  # with Retry-After they say that nothing was done yet
HINTS: Mapping[int, str] = {
    401: "it requires authentication; check the header with its key, such as "
    'headers: {Authorization: "Bearer ${BOT_TOKEN}"}',
    403: "access is denied; check the header with its key, and what that key may do",
    404: "check the path of the URL",
    405: "look at `method`",
    415: "check the header Content-Type, or use `form` instead of `body`",
    422: "check the keys of `body`",
}


class FailedAttempt(TargetError):
    """An attempt that failed on the way to the bot, or that the bot turned down.

    `done`: the bot may have taken the question; `passes`: another attempt may fare better.
    `wait_s`: seconds that the bot asks to wait. `status` is that of its answer; None: it gave none.
    """

    def __init__(
        self,
        text: str,
        *,
        done: bool = True,
        passes: bool = False,
        wait_s: float | None = None,
        status: int | None = None,
    ) -> None:
        self.done, self.passes, self.wait_s, self.status = done, passes, wait_s, status
        super().__init__(TargetFault.RAISED, text)


def refused(
    request: str,
    status: int,
    reason: str | None,
    words: str = "",
    wait_s: float | None = None,
    hints: Mapping[int, str] = HINTS,
) -> FailedAttempt:
    """The failure that an answer of 400 or more is, or a redirect that leads nowhere.

    `words`: the bot's own; `hints`: what to look at, by the status.
    """
    text = f"it answered {request} with {status_line(status, reason)}"
    text += f": {words}" if words else ""
    text += f" (it asks to wait {wait_s:g} s)" if wait_s is not None else ""
    text += f"; {hints[status]}" if status in hints else ""
    return FailedAttempt(
        text,
        done=not (status in _TURNED_AWAY and wait_s is not None),
        passes=status in _PASSING,
        wait_s=wait_s,
        status=status,
    )


def status_line(status: int, reason: str | None = None) -> str:
    """A status and the bot's own words for it, or those that HTTP has for its number."""
    if not reason:
        reason = next((s.phrase for s in HTTPStatus if s == status), "")
    return f"{status} {visible(reason)}".rstrip()


def request_name(method: str, url: str) -> str:
    """A request as a complaint names it: `POST /chat`, without the query."""
    return f"{method} {visible(urlsplit(url).path) or '/'}"


def own_words(body: bytes, content_type: str = "") -> str:
    """A bot's own words in whatever it sent, on one line; empty where there are none."""
    text = body.decode("utf-8", "replace").strip()
    data = json_or_none(text)
    if data is not None:
        return cut(visible(words_in(data) or text), _WORDS)
    if "html" in content_type or is_page(text):
        return cut(without_tags(text), _WORDS)
    return cut(visible(text[:LONGEST_PAGE]), _WORDS)


def excerpt(text: str) -> str:
    """The beginning of what came back, as a complaint shows it."""
    return f'"{cut(visible(text[:LONGEST_PAGE]), 120)}"'


def json_or_none(text: str) -> Any:
    """The value of a JSON text; None for null, and for what is no JSON."""
    try:
        return json_data(text)
    except (ValueError, RecursionError):
        return None


@contextmanager
def translated(method: str, url: str) -> Iterator[None]:
    """Turn whatever sending a request raises into a FailedAttempt.

    Never with its cause: aiohttp's texts may repeat a url or a header.
    """
    import aiohttp

    try:
        yield
    except aiohttp.ClientConnectorError as error:
        raise _unreached(error, url) from None
    except (aiohttp.ClientError, OSError, ValueError) as error:
        raise _broken(error, request_name(method, url)) from None


def _unreached(error: "aiohttp.ClientConnectorError", url: str) -> FailedAttempt:
    """No connection came about: the bot has not seen the question."""
    import aiohttp

    parts = urlsplit(url)
    place = f"{parts.scheme}://{parts.netloc}"
    match error:
        case aiohttp.ClientProxyConnectionError():
            text = f"mogi can't reach the proxy in the environment variable {parts.scheme}_proxy"
        case aiohttp.ClientConnectorDNSError():
            text = f"unknown host {parts.hostname}; check the URL"
        case aiohttp.ClientConnectorCertificateError():
            why = visible(getattr(error.certificate_error, "verify_message", "") or "")
            return FailedAttempt(f"the certificate of {place} isn't trusted: {why}")
        case aiohttp.ClientConnectorSSLError():
            return FailedAttempt(f"{place} doesn't use TLS; does its URL begin with http://?")
        case _:
            # The event loop's own text repeats the address, and differs from system to system.
            why = os.strerror(error.errno) if error.errno else type(error.os_error).__name__
            text = f"no server responds at {place} ({why}); is the bot running?"
    return FailedAttempt(text, passes=True, done=False)


def _broken(error: Exception, name: str) -> FailedAttempt:
    """A connection was there: the bot may have taken the question."""
    import aiohttp

    match error:
        case aiohttp.ClientResponseError():
            why = cut(visible(error.message.partition("\n")[0]), 80)
            return FailedAttempt(f"its response to {name} isn't HTTP: {why}")
        case aiohttp.ServerDisconnectedError():
            text = f"it closed the connection without an answer to {name}"
        case aiohttp.ClientPayloadError():
            text = f"it stopped in the middle of its answer to {name}"
        case aiohttp.InvalidURL():
            return FailedAttempt(f"the filled-in url of {name} isn't valid")
        case aiohttp.ClientOSError():
            text = f"the connection was reset before {name} was answered"
        case OSError():
            text = f"the connection broke before {name} was answered"
        case _:
            kind = type(error).__qualname__
            return FailedAttempt(f"{name} can't be sent, or its response can't be read: {kind}")
    return FailedAttempt(text, passes=True)


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
    ends_at_redirect: bool = False  # as logins do, which answer with a cookie and lead to a page

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
        header = self.response.headers.get("Content-Type", "")
        return header.partition(";")[0].strip().lower()

    @property
    def trace(self) -> str:
        """The id of the bot's own trace in the header `traceparent`; empty without one."""
        match = TRACEPARENT.fullmatch(self.response.headers.get("traceparent", ""))
        return match[1] if match else ""

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
                    "mogi didn't read the rest"
                )
            yield chunk

    async def body(self) -> bytes:
        """The whole body. Raises as `chunks`."""
        return b"".join([chunk async for chunk in self.chunks()])


def expect_granted(method: str, url: str, granted: Iterable[Reached]) -> None:
    """Refuse what is not in a run's manifest, whatever led there.

    Raises:
        TargetError: it is not, or an option forbids its host.
    """
    if why := config.refusal(method, url, granted):
        raise invalid(why)


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

    `granted`: what it may ask; redirects may lead elsewhere on the same host. `hints`: what to
    look at when the bot refuses, by its status. `refuses_first`: it refuses (429, 503) before it
    does anything, also where it does not say when to come back.
    """

    def __init__(
        self,
        granted: Sequence[Reached],
        hints: Mapping[int, str] = HINTS,
        *,
        refuses_first: bool = False,
    ) -> None:
        """Nothing is opened before the first request.

        What that needs is imported now: a quarter of a second that is not the bot's.
        """
        import aiohttp  # noqa: F401

        self._granted, self._hints, self._refuses_first = granted, hints, refuses_first
        self._session: ClientSession | None = None

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
        granted = self._granted
        for _ in range(_HOPS + 1):
            expect_granted(method, str(url), granted)
            async with self._session.request(
                method,
                url,
                headers=request.headers,
                data=data,
                cookies=None if jar is None else jar.filter_cookies(url),
                proxy=config.proxy_for(url.scheme, url.host or ""),
                allow_redirects=False,
            ) as response:
                if jar is not None:
                    jar.update_cookies(response.cookies, url)
                name = request_name(method, str(url))
                leads_on = response.status in _REDIRECTS and "Location" in response.headers
                if leads_on and not (request.ends_at_redirect and method == "POST"):
                    url = _next(url, response, method)
                    granted = [Reached("host", str(url.origin()))]
                    if response.status == 303 and method != "HEAD":
                        method, data = "GET", None
                    continue
                if not (200 <= response.status < 300 or leads_on):
                    failed = await _refused(response, name, self._hints)
                    failed.done &= not (self._refuses_first and response.status in _TURNED_AWAY)
                    raise failed
                return await read(Incoming(response, name))
        name = request_name(request.method, request.url)
        raise invalid(f"{name} is redirected more than {_HOPS} times")


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
        raise invalid(f"{request_name(method, str(url))} redirects to an invalid URL") from None
    status = f"it redirects {request_name(method, str(url))} ({response.status})"
    upgraded = (url.scheme, to.scheme) == ("http", "https")
    if to.host != url.host or (not upgraded and (to.scheme, to.port) != (url.scheme, url.port)):
        raise invalid(
            f"{status} from {url.origin()} to another host, {_origin(to)}, which mogi doesn't "
            "follow, because headers with keys would go there; if that is the bot, use its URL"
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
    words = own_words(body[:_ERROR_LIMIT], kind)
    wait_s = seconds_to_wait(response.headers)
    return refused(request, response.status, response.reason, words, wait_s, hints)


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
            FailedAttempt: none brought anything.
        """
        troubles: list[str] = []
        deadline = monotonic() + self.timeout_s
        while True:
            try:
                return await attempt(), tuple(troubles)
            except FailedAttempt as error:
                failed = error
            troubles.append(str(failed))
            wait_s = _BACKOFF.seconds(len(troubles), failed.wait_s)
            is_in_time = len(troubles) < self.attempts and monotonic() + wait_s < deadline
            if not (is_in_time and failed.passes and (repeatable or not failed.done)):
                tries = f" (tried {len(troubles)} times)" if len(troubles) > 1 else ""
                raise FailedAttempt(f"{failed}{tries}", status=failed.status)
            await asyncio.sleep(wait_s)


def headers_of(rendered: Mapping[str, Any], defaults: Mapping[str, str]) -> dict[str, str]:
    """The headers that are sent: those of the settings, and `defaults` that these do not name."""
    own = {name: as_field(value) for name, value in rendered.items()}
    named = {name.lower() for name in own}
    ours = {**defaults, "User-Agent": f"mogi/{__version__}"}
    kept = {name: value for name, value in ours.items() if name.lower() not in named}
    # A line end would begin a header of its own.
    return kept | {n: " ".join(v.splitlines()) for n, v in own.items() if v is not None}
