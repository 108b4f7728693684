"""How a model is called: the request and its retries, an endpoint's dialect and rates."""

import asyncio
import errno
import math
import os
from collections import deque
from collections.abc import AsyncIterable, Hashable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast
from urllib.parse import quote, urlsplit

from simulator import config
from simulator.core.bounds import BODY_LIMIT, TooMuch
from simulator.core.concurrency import beside
from simulator.core.plan import ModelCaps
from simulator.core.ports import Usage
from simulator.core.traffic import Limit, Track
from simulator.core.version import __version__
from simulator.llm.account import Account, alike, check_granted
from simulator.llm.parameters import CHAT, ENCODER, Dialect
from simulator.llm.replies import (
    Failure,
    FailureKind,
    ModelAnswer,
    Reader,
    read_chat,
    read_response,
)
from simulator.rates import Rate, Share

if TYPE_CHECKING:
    from ssl import SSLContext

    from aiohttp import ClientConnectorError, ClientSession
    from httpx2 import AsyncClient, Response
    from multidict import CIMultiDict
    from openai import AsyncOpenAI


CONNECT_S = 10.0
_IDLE_S = 5.0


class HttpResponse(NamedTuple):
    """A response that was read to its end."""

    status: int
    headers: Mapping[str, str]
    content: bytes


class HttpClient(Protocol):
    """Sends requests to one account, in one event loop.

    A redirect is not followed: a key is for nobody else.
    """

    async def post(self, path: str, body: Mapping[str, Any]) -> HttpResponse:
        """The response to a JSON body, whatever its status is."""
        ...

    async def aclose(self) -> None:
        """Close all connections."""
        ...


class OwnClient:
    """An account's requests, given to aiohttp as they are (HttpClient)."""

    def __init__(self, account: Account, pool: int) -> None:
        self._account = account
        self._pool = pool
        self._session: ClientSession | None = None

    async def post(self, path: str, body: Mapping[str, Any]) -> HttpResponse:
        """See `HttpClient`."""
        url = f"{self._account.where}{path}"
        if self._account.azure:
            url = _azure_url(self._account, path, str(body["model"]))
        check_granted(self._account, url)
        content = ENCODER.encode(body).encode()
        session = self._session = self._session or self._opened()
        async with session.post(url, data=content, allow_redirects=False) as response:
            whole = await joined(response.content.iter_any())
            return HttpResponse(response.status, response.headers, whole)

    async def aclose(self) -> None:
        """See `HttpClient`."""
        if self._session is not None:
            await self._session.close()

    def _opened(self) -> "ClientSession":
        import aiohttp

        place = urlsplit(self._account.where)
        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                limit=self._pool,
                ssl=certificates(self._account) or True,
                keepalive_timeout=_IDLE_S,
            ),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_S),
            headers=_headers(self._account),
            proxy=config.proxy_for(place.scheme, place.hostname or ""),
        )


def _headers(account: Account) -> "CIMultiDict[str]":
    """What the SDK sends as well; the account's own headers count most."""
    from multidict import CIMultiDict

    key = account.key or "none"
    headers = CIMultiDict(
        {
            "Accept": "application/json",
            "Content-Type": "application/json",
            "User-Agent": f"mogi/{__version__}",
            **({"api-key": key} if account.azure else {"Authorization": f"Bearer {key}"}),
        }
    )
    headers.update(config.openai_headers())
    headers.update(account.headers)
    return headers


def _azure_url(account: Account, path: str, model: str) -> str:
    """Where a deployment is called."""
    where = account.where
    if "/deployments" not in where:
        where = f"{where}/deployments/{quote(model, safe='')}"
    return f"{where}{path}?api-version={quote(account.api_version or '', safe='')}"


def certificates(account: Account) -> "SSLContext | None":
    """What verifies the host; None over plain http, as loading certificates takes 50 ms."""
    if account.where.startswith("http://"):
        return None
    import httpx2

    return httpx2.create_ssl_context()


async def joined(body: AsyncIterable[bytes]) -> bytes:
    """The whole of a body.

    Raises:
        TooMuch: it is longer than `BODY_LIMIT`.
    """
    parts, size = [], 0
    async for part in body:
        parts.append(part)
        size += len(part)
        if size > BODY_LIMIT:
            raise TooMuch(f"its response is longer than {BODY_LIMIT // 1024**2} MB; not read")
    return b"".join(parts)


# What goes by its name, for those who trace calls; all else of a body the SDK sends as it is.
# A stream is among that: its answer is read whole, as every other.
_NAMED = frozenset(
    {
        *("model", "messages", "input", "temperature", "max_tokens", "max_completion_tokens"),
        *("reasoning_effort", "response_format", "encoding_format"),
    }
)


class SdkClient:
    """See `HttpClient`; nothing is sent twice."""

    def __init__(self, account: Account, pool: int) -> None:
        import httpx2
        from openai import DefaultAioHttpClient

        timeout = httpx2.Timeout(None, connect=CONNECT_S)
        here = config.is_here(config.origin(account.where))  # no business of a proxy
        http = _bounded(DefaultAioHttpClient, account)(
            limits=httpx2.Limits(max_connections=pool, max_keepalive_connections=pool),
            timeout=timeout,
            verify=certificates(account) or False,
            follow_redirects=False,
            trust_env=not here,
        )
        self._sdk = _sdk(
            account,
            base_url=account.where,
            api_key=account.key or "none",  # the SDK insists on one
            default_headers=dict(account.headers),
            http_client=http,
            timeout=timeout,
            max_retries=0,
        )

    async def post(self, path: str, body: Mapping[str, Any]) -> HttpResponse:
        """See `HttpClient`.

        Raises:
            TooMuch: the answer is longer than `BODY_LIMIT`.
            aiohttp.ClientError, OSError: there was none.
        """
        import openai

        try:
            response = await self._response(path, body)
        except openai.APIStatusError as error:
            response = error.response
        except openai.APIConnectionError as error:
            raise _cause(error) from error
        return HttpResponse(response.status_code, response.headers, response.content)

    async def _response(self, path: str, body: Mapping[str, Any]) -> "Response":
        import httpx2

        named = {name: value for name, value in body.items() if name in _NAMED}
        others = {name: value for name, value in body.items() if name not in _NAMED}
        if path == CHAT:
            chat = self._sdk.chat.completions.with_raw_response
            raw = await chat.create(**named, extra_body=others)
        elif "encoding_format" in body:
            embeddings = self._sdk.embeddings.with_raw_response
            raw = await embeddings.create(**named, extra_body=others)
        else:  # `create` would ask for base64, which this endpoint does not know
            return await self._sdk.post(path, body=dict(body), cast_to=httpx2.Response)
        return cast("Response", raw.http_response)

    async def aclose(self) -> None:
        """See `HttpClient`."""
        await self._sdk.close()


def _sdk(account: Account, **settings: Any) -> "AsyncOpenAI":
    from openai import AsyncAzureOpenAI, AsyncOpenAI

    if account.azure:
        return AsyncAzureOpenAI(api_version=account.api_version, **settings)
    return AsyncOpenAI(**settings)


def _bounded(kind: "type[AsyncClient]", account: Account) -> "type[AsyncClient]":
    """The kind of client that asks this account alone; its answers end at `BODY_LIMIT`."""
    import httpx2

    class Bounded(kind):  # type: ignore[valid-type,misc]
        async def send(self, request: Any, *, stream: bool = False, **options: Any) -> "Response":
            check_granted(account, str(request.url))
            response = await super().send(request, stream=True, **options)
            if stream:
                return cast("Response", response)
            try:
                content = await joined(response.aiter_bytes())
            finally:
                await response.aclose()
            packed = ("content-encoding", "content-length", "transfer-encoding")
            headers = [h for h in response.headers.multi_items() if h[0].lower() not in packed]
            return httpx2.Response(
                response.status_code,
                headers=headers,
                content=content,
                request=response.request,
                extensions=response.extensions,
            )

    return Bounded


def _cause(error: BaseException) -> Exception:
    """The SDK calls every such failure a timeout or a connection error; its causes tell more."""
    import aiohttp

    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, TooMuch | aiohttp.ClientError):
            return cause
        cause = cause.__cause__ or cause.__context__
    return ConnectionError(str(error))


_HIDDEN = b"[key]"
_SHORTEST_KEY = 12  # bytes; what is shorter stands in for a key (none, ollama) and is no secret


class Transport:
    """One account's HTTP client, for one event loop; to be closed."""

    def __init__(self, account: Account, client: HttpClient) -> None:
        self.where = account.where
        self._client = client
        keys = (account.key, *account.secrets)
        self._keys = [key.encode() for key in keys if len(key) >= _SHORTEST_KEY]

    @classmethod
    def open(cls, account: Account, pool: int) -> "Transport":
        """A client for an account. `pool`: connections at once, more than will ever be asked."""
        if account.sdk and not config.is_untrusted():  # the SDK reads variables of its own
            return cls(account, SdkClient(account, pool))
        return cls(account, OwnClient(account, pool))

    async def post(
        self,
        body: Mapping[str, Any],
        timeout_s: float,
        path: str = CHAT,
        reader: Reader | None = None,
    ) -> ModelAnswer | Failure:
        """One request, ended after `timeout_s` seconds at the latest; for chat, or as it is told.

        Args:
            body: What is sent.
            timeout_s: Seconds until the last byte of the answer.
            path: Where to, below the base URL.
            reader: What the answer means; see `replies.read`.
        """
        import aiohttp

        try:
            async with asyncio.timeout(timeout_s):
                response = await self._client.post(path, body)
        except aiohttp.ConnectionTimeoutError as error:  # a TimeoutError, too
            return _unanswered(error)
        except TimeoutError:
            return Failure(FailureKind.TIMEOUT, f"no whole answer within {timeout_s:g} s")
        except TooMuch as error:
            return Failure(FailureKind.MALFORMED, str(error))
        except (aiohttp.ClientError, OSError) as error:
            return _unanswered(error)
        return await beside(len(response.content), self._read, response, reader)

    async def aclose(self) -> None:
        """Close all connections."""
        await self._client.aclose()

    def _read(self, response: HttpResponse, reader: Reader | None) -> ModelAnswer | Failure:
        status, headers, content = response
        for key in self._keys:  # a careless endpoint may send it back
            content = content.replace(key, _HIDDEN)
        if reader is None:
            return read_chat(status, headers, content)
        return read_response(status, headers, content, reader)


def _unanswered(error: Exception) -> Failure:
    from aiohttp import ClientConnectorError, ConnectionTimeoutError

    if isinstance(error, ClientConnectorError):
        return Failure(FailureKind.UNREACHED, _why(error))
    if isinstance(error, ConnectionTimeoutError):
        return Failure(FailureKind.UNREACHED, f"no connection within {CONNECT_S:g} s")
    return Failure(FailureKind.BROKEN, f"the connection broke ({type(error).__name__})")


def _why(error: "ClientConnectorError") -> str:
    """Why there is no connection, without the objects that aiohttp puts into its text."""
    inner = error.os_error
    code = inner.errno
    if code is not None and code in errno.errorcode:
        return os.strerror(code).lower()
    return inner.strerror or str(inner) or type(inner).__name__


_SLOW_START = 50
_CUT = 0.8
_BYTES_PER_TOKEN = 3  # of running text, English or Japanese, as a first estimate
_WRITTEN = 300  # tokens of one answer, as a first estimate


class TokenRate:
    """At most so many tokens per minute: reserved by an estimate, settled by what was used."""

    def __init__(self, per_minute: float, share: Share | None = None) -> None:
        self._rate = Rate(per_minute, share)
        self._turn = asyncio.Lock()
        self._owed = 0.0  # used, but not yet taken from the rate; negative: taken, not used

    async def admit(self, estimate: float) -> None:
        """Return when a call of about `estimate` tokens, and what is owed, may pass.

        One after the other: calls that shared what drips would all pass at once, late.
        """
        async with self._turn:
            due = max(0.0, estimate + self._owed)
            self._owed += estimate - due
            await self._rate.admit(due)

    def settle(self, estimate: float, used: float) -> None:
        """Correct the estimate; at most one second's share is ever given back."""
        self._owed = max(self._owed + used - estimate, -self._rate.burst)


class Gate:
    """How many calls of a role are in flight at once: `async with gate: …`.

    Starts small and doubles with each round trip; a burst of 429 cuts it to 0.8 once, and from
    then on it grows by one a round. It grows only while it is what holds calls back.

    Args:
        most: The cap, 1 or more.
        start: The width to begin with.
    """

    def __init__(self, most: int, start: int = _SLOW_START) -> None:
        self._most = float(most)
        self._width = float(min(most, start))
        self._busy = 0
        self._cuts = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def width(self) -> int:
        """How many calls may be in flight now."""
        return int(self._width)

    @property
    def epoch(self) -> int:
        """To be noted when a request starts, and given to `crowded` if it meets a 429."""
        return self._cuts

    def crowded(self, epoch: int) -> None:
        """A request that started in `epoch` met a 429. Those of one burst cut once."""
        if epoch == self._cuts:
            self._cuts += 1
            self._width = max(1.0, self._width * _CUT)

    def went_well(self) -> None:
        """A call succeeded; the gate widens if others wait at it."""
        if self._busy >= self.width:
            step = 1 / self._width if self._cuts else 1.0
            self._width = min(self._most, self._width + step)
            self._wake()

    async def __aenter__(self) -> None:
        if self._busy < self.width and not self._waiting:
            self._busy += 1
            return
        place = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():  # the place was given, and is not wanted
                self._leave()
            raise

    async def __aexit__(self, *_: object) -> None:
        self._leave()

    def _leave(self) -> None:
        self._busy -= 1
        self._wake()

    def _wake(self) -> None:
        while self._waiting and self._busy < self.width:
            place = self._waiting.popleft()
            if not place.done():
                self._busy += 1
                place.set_result(None)


_FORMLESS = 2  # answers that are not of the form, before any that was
_SPARE_TOKENS = 1.5  # other texts than those that were counted may need more
_BREAKER = 5  # calls in a row that ended without an answer


class Endpoint:
    """One model at one base URL.

    Args:
        where: The base URL, for people.
        model: Its name.
        key_name: The environment variable that holds its key, for people.
        caps: Requests and tokens per minute.
        share: How much of these is for this process.

    Attributes:
        dialect: How it wants to be asked, as far as that is known.
        heard: Whether it ever sent anything at all.
        estimates: How many tokens its calls use.
    """

    def __init__(
        self, where: str, model: str, key_name: str, caps: ModelCaps, share: Share | None = None
    ) -> None:
        self.model = model
        self.where = where
        self.key_name = key_name
        self.dialect = Dialect()
        self.heard = False
        self.estimates = Estimates()
        self._in_vain = 0
        self._formless = 0
        self._not_the_form: set[str] = set()
        self._tokens_per_byte = 0.0  # the most that was seen
        self._added = 0  # tokens of a prompt beyond its bytes, the most that was seen
        requests, tokens = caps.requests_per_minute, caps.tokens_per_minute
        self._requests = Rate(requests, share) if requests else None
        self._tokens = TokenRate(tokens, share) if tokens else None

    def __str__(self) -> str:
        return f"{self.model} at {self.where}"

    @property
    def is_limited(self) -> bool:
        """Whether there is anything to wait for in `admit`."""
        return bool(self._requests or self._tokens)

    async def admit(self, tokens: int, track: Track) -> None:
        """Return when one more request, of about so many tokens, may be sent."""
        if self._requests:
            with track.wait(Limit.REQUESTS):
                await self._requests.admit()
        if self._tokens:
            with track.wait(Limit.TOKENS):
                await self._tokens.admit(tokens)

    def settle(self, estimate: int, used: int) -> None:
        """Correct an estimate given to `admit`; `used` 0: the request cost no tokens."""
        if self._tokens:
            self._tokens.settle(estimate, used)

    def learn(self, used: Dialect, better: Dialect) -> None:
        """A request in the dialect `used` taught a better one; another may have learnt more."""
        if self.dialect == used:
            self.dialect = better

    def guess(self, used: Dialect, failure: Failure, sent: Mapping[str, Any]) -> Dialect | None:
        """A dialect to try after a failure that does not say why (`Dialect.guess`)."""
        known = alike(failure.message) in self._not_the_form
        return None if known else used.guess(failure, sent)

    def not_the_form(self, failure: Failure) -> None:
        """What an endpoint says on every rung is not about the form: once is enough to know."""
        self._not_the_form.add(alike(failure.message))

    def most_tokens(self, size: int) -> int:
        """How many tokens a request of so many bytes has at most, by what was counted before.

        As many as bytes before anything was: no tokeniser makes more of them. A gateway may put a
        prompt of its own before them.
        """
        seen = self._tokens_per_byte * _SPARE_TOKENS
        return math.ceil(size * min(seen or 1.0, 1.0)) + self._added

    def counted(self, size: int, tokens: int) -> None:
        """A request of so many bytes had so many tokens."""
        if size and tokens:
            self._tokens_per_byte = max(self._tokens_per_byte, tokens / size)
            self._added = max(self._added, tokens - size)

    def formed(self, used: Dialect, *, as_asked: bool) -> None:
        """An answer to a form was one, or was not: twice at once, and never yet, it climbs down.

        A model may say a wrong thing once; an endpoint that ignores the form does so each time.
        """
        if as_asked or self._formless < 0:
            self._formless = -1  # it can, and keeps its rung
            return
        self._formless += 1
        if self._formless >= _FORMLESS:
            self._formless = 0
            self.learn(used, used.lower())

    def served(self) -> None:
        """A call ended with an answer."""
        self._in_vain = 0

    def failed(self) -> bool:
        """A call ended without one; true when the breaker opens."""
        self._in_vain += 1
        return self._in_vain >= _BREAKER


@dataclass(slots=True)
class _Seen:
    calls: int = 0
    size: int = 0
    read: int = 0
    written: int = 0


class Estimates:
    """The tokens of calls to one model. Kinds are what writes alike, such as forms."""

    def __init__(self) -> None:
        self._seen: dict[Hashable, _Seen] = {}

    def tokens(self, kind: Hashable, size: int, *, writes: bool = True) -> int:
        """Of a call whose texts are `size` bytes long, read and written.

        `writes`: whether anything is written, where no call of the kind told it yet.
        """
        seen = self._seen.get(kind)
        if seen is None or not seen.size:
            return size // _BYTES_PER_TOKEN + (_WRITTEN if writes else 0)
        return round(size * seen.read / seen.size + seen.written / seen.calls)

    def learn(self, kind: Hashable, size: int, used: Usage) -> None:
        """A call of so many bytes used these tokens; a usage of nothing tells nothing."""
        if not used.input:
            return
        seen = self._seen.setdefault(kind, _Seen())
        seen.calls += 1
        seen.size += size
        seen.read += used.input
        seen.written += used.output
