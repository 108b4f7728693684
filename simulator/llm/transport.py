"""Where a model lives and which key opens it; one HTTP request to it, however it ends."""

import asyncio
import errno
import os
import re
from collections.abc import AsyncIterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol
from urllib.parse import quote, urlsplit

from simulator import config
from simulator.core.bounds import BODY_LIMIT, TooMuch
from simulator.core.concurrency import beside
from simulator.core.errors import InputError
from simulator.core.plan import ModelSpec
from simulator.core.version import __version__
from simulator.llm.parameters import CHAT, ENCODER
from simulator.llm.replies import (
    Failure,
    FailureKind,
    ModelAnswer,
    Reader,
    read_chat,
    read_response,
)

if TYPE_CHECKING:
    from ssl import SSLContext

    from aiohttp import ClientConnectorError, ClientSession
    from multidict import CIMultiDict

_OPENAI = "https://api.openai.com/v1"
_OPENAI_KEY = "OPENAI_API_KEY"
_AZURE_KEY = "AZURE_OPENAI_API_KEY"
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


@dataclass(frozen=True, slots=True)
class Account:
    """Whose models are called: where, and with which key.

    `base_url` None is OpenAI itself. `key` is empty for endpoints that want none; `key_name` is the
    variable it comes from. `headers` go with each request, the environment's values filled in:
    those are `secrets`. `api_version`: Azure's. `sdk`: it is called through the SDK.
    """

    base_url: str | None
    key: str = field(repr=False)
    key_name: str = _OPENAI_KEY
    azure: bool = False
    api_version: str | None = None
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)
    sdk: bool = False

    @property
    def where(self) -> str:
        """The base URL that is really called."""
        where = (self.base_url or _OPENAI).rstrip("/")
        is_resource = self.azure and "/openai" not in urlsplit(where).path
        return f"{where}/openai" if is_resource else where


def account_of(spec: ModelSpec) -> Account:
    """The account of a model: its own base URL and key, else the SDK's variables.

    A base URL without a variable of its own is called with OPENAI_API_KEY where that is set, as
    the SDK does; without any key where it is not (Ollama, vLLM, llama.cpp).

    Raises:
        InputError: no key, an unusable one, a base URL that is none, a variable in a header that
            is not set, or a host elsewhere where nothing is trusted.
    """
    if config.is_untrusted() and not config.is_here(config.origin(spec.base_url or "")):
        where = config.model_place(spec.base_url)
        raise InputError(f"--untrusted refuses the host {where} of the model {spec.model}")
    headers, secrets = filled(spec)
    base_url = spec.base_url or config.openai_base_url()
    key_name = spec.api_key_env or _OPENAI_KEY
    key = config.model_key(key_name)
    azure = spec.api_version is not None and base_url is not None
    api_version = spec.api_version
    resource = None if key or base_url or spec.api_key_env else config.azure_resource(api_version)
    if resource is not None:
        base_url, api_version = resource
        azure, key_name = True, _AZURE_KEY
        key = config.model_key(key_name)
    # Who names a variable means it to hold a key.
    if key is None and (base_url is None or spec.api_key_env):
        raise InputError(
            f"no key for the model {spec.model}: set {key_name} in the environment "
            "(or run with --offline, which calls no model but one of the bot's own)"
        )
    if base_url is not None:
        _check_url(base_url)
    return Account(
        base_url,
        _checked(key or "", key_name),
        key_name,
        azure,
        api_version,
        headers,
        secrets,
        sdk=spec.client == "sdk",
    )


def filled(spec: ModelSpec) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    """The headers with the values of the environment in place of `${NAME}`; and those values.

    Raises:
        InputError: variables that are not set, all at once.
    """
    names = {name for text in spec.headers.values() for name in _VARIABLE.findall(text)}
    values = {name: config.secret(name) for name in sorted(names)}
    unset = [name for name, value in values.items() if value is None]
    if unset:
        raise InputError(
            *(
                f"the headers of the model {spec.model}: the environment variable {name} is not "
                f"set; set it before you start mogi, such as with: export {name}=..."
                for name in unset
            )
        )
    known = {name: _checked(value, name, " ") for name, value in values.items() if value}
    headers = tuple(
        (name, _VARIABLE.sub(lambda variable: known[variable[1]], text))
        for name, text in spec.headers.items()
    )
    return headers, tuple(known.values())


def _checked(key: str, name: str, allowed: str = "") -> str:
    if not (key.isascii() and key.isprintable() and (allowed or " " not in key)):
        raise InputError(f"the value of {name} holds characters that no key has; copy it anew")
    return key


def _check_url(base_url: str) -> None:
    try:
        url = urlsplit(base_url)
        sound = url.scheme in {"http", "https"} and bool(url.hostname) and url.port != 0
    except ValueError:
        sound = False
    if not sound:
        raise InputError(
            "a model's base_url is no URL; right would be such as https://api.example.com/v1"
        )
    if url.username or url.password or url.query or url.fragment:
        raise InputError(
            "a model's base_url may hold no user, password or query: keys belong into the "
            "environment (api_key_env)"
        )


CONNECT_S = 10.0
_IDLE_S = 5.0
_HIDDEN = b"[key]"
_SHORTEST_KEY = 12  # bytes; what is shorter stands in for a key (none, ollama) and is no secret


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
            from simulator.llm.sdk import SdkClient

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
