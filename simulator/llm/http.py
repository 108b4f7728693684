"""The requests of one account, given to aiohttp as they are."""

from collections.abc import AsyncIterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol
from urllib.parse import quote, urlsplit

from simulator import config
from simulator.core.bounds import BODY_LIMIT, TooMuch
from simulator.core.version import __version__
from simulator.llm.account import Account, check_granted
from simulator.llm.parameters import ENCODER

if TYPE_CHECKING:
    from ssl import SSLContext

    from aiohttp import ClientSession
    from multidict import CIMultiDict

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
            raise TooMuch(f"its answer is longer than {BODY_LIMIT // 1024**2} MB; not read")
    return b"".join(parts)
