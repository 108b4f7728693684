"""Where a model lives and which key opens it; one HTTP request to it, however it ends.

The SDK knows the account: where it lives, its key and headers. A request to it is written here and
given to aiohttp: the SDK's own way from a body to a request, and its HTTP client, take twice the
CPU of all the rest of a call. They go where they are needed: to Azure, and after a redirect.
"""

import asyncio
import errno
import os
import re
from collections.abc import AsyncIterable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple, cast
from urllib.parse import urlsplit

from simulator import config
from simulator.core.bounds import BODY_LIMIT, TooMuch
from simulator.core.concurrency import beside
from simulator.core.errors import InputError
from simulator.core.plan import ModelSpec
from simulator.llm.completions import read_chat
from simulator.llm.parameters import ENCODER, Shared
from simulator.llm.replies import Failure, FailureKind, ModelAnswer, Reader, read_response

if TYPE_CHECKING:
    from ssl import SSLContext

    from aiohttp import ClientConnectorError, ClientSession
    from httpx2 import AsyncClient, Response
    from openai import AsyncOpenAI

_OPENAI_KEY = "OPENAI_API_KEY"
_AZURE_KEY = "AZURE_OPENAI_API_KEY"
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


class _Whole(NamedTuple):
    """A response that was read to its end."""

    status_code: int
    headers: Mapping[str, str]
    content: bytes


@dataclass(frozen=True, slots=True)
class Account:
    """Whose models are called: where, and with which key.

    `base_url` None is the SDK's own default; with `azure`, the SDK's Azure variables say where.
    `key` is empty for endpoints that want none; `key_name` is the variable it comes from.
    `headers` go with each request, the environment's values filled in: those are `secrets`.
    """

    base_url: str | None
    key: str = field(repr=False)
    key_name: str = _OPENAI_KEY
    azure: bool = False
    api_version: str | None = None
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)


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
    found = _account_of(spec)
    return replace(found, api_version=spec.api_version, headers=headers, secrets=secrets)


def filled(spec: ModelSpec) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    """The headers with the values of the environment in place of `${NAME}`; and those values.

    Raises:
        InputError: variables that are not set, all at once.
    """
    values = {name: config.secret(name) for name in _names_in(spec.headers.values())}
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
        (name, _VARIABLE.sub(lambda found: known[found[1]], text))
        for name, text in spec.headers.items()
    )
    return headers, tuple(known.values())


def _names_in(texts: Iterable[str]) -> list[str]:
    return sorted({name for text in texts for name in _VARIABLE.findall(text)})


def _account_of(spec: ModelSpec) -> Account:
    base_url = spec.base_url or config.openai_base_url()
    if base_url is not None:
        _check_url(base_url)
    name = spec.api_key_env or _OPENAI_KEY
    key = config.model_key(name)
    of_azure = spec.api_version is not None and base_url is not None
    if key is not None:
        return Account(base_url, _checked(key, name), name, of_azure)
    if base_url is None:
        azure = None if spec.api_key_env else _azure(spec.api_version)
        if azure is None:
            raise _no_key(spec.model, name)
        return azure
    if spec.api_key_env:  # who names a variable means it to hold a key
        raise _no_key(spec.model, name)
    return Account(base_url, "", name, of_azure)


def _azure(api_version: str | None) -> Account | None:
    key = config.model_key(_AZURE_KEY)
    if key is None or not config.has_openai_settings(api_version):
        return None
    return Account(None, _checked(key, _AZURE_KEY), _AZURE_KEY, azure=True)


def _no_key(model: str, name: str) -> InputError:
    return InputError(
        f"no key for the model {model}: set {name} in the environment"
        " (or run with --offline, which calls no model but one of the bot's own)"
    )


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


_CONNECT_S = 10.0
_IDLE_S = 5.0
_MOVED = frozenset({301, 302, 303, 307, 308})
_HIDDEN = b"[key]"
_SHORTEST_KEY = 12  # bytes; what is shorter stands in for a key (none, ollama) and is no secret
_BARE = {"Content-Type": "application/json", "Authorization": "Bearer none"}
CHAT = "/chat/completions"


class Transport:
    """One account's HTTP client, for one event loop; to be closed."""

    def __init__(
        self, client: "AsyncOpenAI", account: Account, pool: int, tls: "SSLContext | None"
    ) -> None:
        self._client = client
        self._session: ClientSession | None = None
        self._pool, self._tls = pool, tls
        self._follows = tls is not None and not config.is_untrusted()
        self._azure = account.azure
        self._where = str(client.base_url).rstrip("/")
        keys = (account.key, *account.secrets)
        self._keys = [key.encode() for key in keys if len(key) >= _SHORTEST_KEY]
        said = {**client.default_headers, **client.auth_headers}
        # What the SDK leaves out stands there without a text.
        self._headers = {name: value for name, value in said.items() if isinstance(value, str)}
        if config.is_untrusted():  # the SDK reads variables of its own
            self._headers = {**_BARE, **dict(account.headers)}

    @classmethod
    def open(cls, account: Account, pool: int) -> "Transport":
        """A client for an account. `pool`: connections at once, more than will ever be asked."""
        import httpx2
        from openai import AsyncAzureOpenAI, AsyncOpenAI, DefaultAioHttpClient

        timeout = httpx2.Timeout(None, connect=_CONNECT_S)
        limits = httpx2.Limits(max_connections=pool, max_keepalive_connections=pool)
        # Loading the certificates takes 50 ms, and over plain http there is nothing to verify:
        # then a redirect, which might lead to https, is not followed.
        is_plain = (account.base_url or "").startswith("http://")
        tls = None if is_plain else httpx2.create_ssl_context()
        own = config.is_here(config.origin(account.base_url or ""))  # no business of a proxy
        http = _bounded(DefaultAioHttpClient)(
            limits=limits,
            timeout=timeout,
            verify=tls or False,
            follow_redirects=not is_plain,
            trust_env=not own,
        )
        common: dict[str, Any] = {"http_client": http, "timeout": timeout, "max_retries": 0}
        if account.headers:
            common["default_headers"] = dict(account.headers)
        key = account.key or "none"  # the SDK insists on one
        if account.azure:
            common |= {"api_key": key, "api_version": account.api_version}
            if account.base_url:
                common[_azure_name(account.base_url)] = account.base_url
            return cls(AsyncAzureOpenAI(**common), account, pool, tls)
        openai = AsyncOpenAI(api_key=key, base_url=account.base_url, **common)
        return cls(openai, account, pool, tls)

    @property
    def where(self) -> str:
        """The base URL that is really called."""
        return self._where

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
        import httpx2
        import openai

        try:
            async with asyncio.timeout(timeout_s):
                response = await self._send(body, path)
        except openai.APIStatusError as error:
            response = error.response
        except TimeoutError:
            return Failure(FailureKind.TIMEOUT, f"no whole answer within {timeout_s:g} s")
        except TooMuch as error:
            return Failure(FailureKind.MALFORMED, str(error))
        except (openai.APIConnectionError, httpx2.HTTPError, aiohttp.ClientError, OSError) as error:
            return _unanswered(error)
        return await beside(len(response.content), self._read, response, reader)

    async def aclose(self) -> None:
        """Close all connections."""
        await self._client.close()
        if self._session is not None:
            await self._session.close()

    async def _send(self, body: Mapping[str, Any], path: str) -> "_Whole | Response":
        import httpx2

        if not self._azure:  # its client makes the URL of what stands in the body
            session = self._session = self._session or self._opened()
            content = _json_of(body)
            url = self.where + path
            async with session.post(url, data=content, allow_redirects=False) as response:
                is_moved = response.status in _MOVED and "Location" in response.headers
                if not (is_moved and self._follows):
                    whole = await _joined(response.content.iter_any())
                    return _Whole(response.status, response.headers, whole)
        return await self._client.post(path, body=body, cast_to=httpx2.Response)

    def _opened(self) -> "ClientSession":
        import aiohttp

        place = urlsplit(self.where)
        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(
                limit=self._pool, ssl=self._tls or True, keepalive_timeout=_IDLE_S
            ),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=_CONNECT_S),
            headers=self._headers,
            proxy=config.proxy_for(place.scheme, place.hostname or ""),
        )

    def _read(self, response: "_Whole | Response", reader: Reader | None) -> ModelAnswer | Failure:
        content = self._without_key(response.content)
        if reader is None:
            return read_chat(response.status_code, response.headers, content)
        return read_response(response.status_code, response.headers, content, reader)

    def _without_key(self, content: bytes) -> bytes:
        """A careless endpoint may send the key back; it must not be stored or shown."""
        for key in self._keys:
            content = content.replace(key, _HIDDEN)
        return content


def _bounded(kind: "type[AsyncClient]") -> "type[AsyncClient]":
    """The kind of client whose answers end at `BODY_LIMIT`, whatever they were packed in."""
    import httpx2

    class Bounded(kind):  # type: ignore[valid-type,misc]
        async def send(self, request: Any, *, stream: bool = False, **options: Any) -> "Response":
            response = await super().send(request, stream=True, **options)
            if stream:
                return cast("Response", response)
            try:
                content = await _joined(response.aiter_bytes())
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


def _json_of(body: Mapping[str, Any]) -> bytes:
    """The body of a request; what a system says, most of it, is written once for many."""
    said = body.get("messages") or [{"role": "user"}]
    if said[0]["role"] != "system":
        return ENCODER.encode(body).encode()
    alike = {k: v for k, v in body.items() if isinstance(v, Shared)}
    others = ENCODER.encode({k: v for k, v in body.items() if k != "messages" and k not in alike})
    ends = "".join(f',"{name}":{value.json}' for name, value in alike.items())
    rest = b"," + ENCODER.encode(said[1:]).encode()[1:] if said[1:] else b"]"
    system, told = _system(said[0]["content"]), f"{others[1:-1]}{ends}}}"
    return b'{"messages":[%b%b,%b' % (system, rest, told.encode())


@lru_cache(maxsize=32)
def _system(content: str) -> bytes:
    return ENCODER.encode({"role": "system", "content": content}).encode()


async def _joined(body: AsyncIterable[bytes]) -> bytes:
    parts, size = [], 0
    async for part in body:
        parts.append(part)
        size += len(part)
        if size > BODY_LIMIT:
            raise TooMuch(f"its answer is longer than {BODY_LIMIT // 1024**2} MB; not read")
    return b"".join(parts)


def _azure_name(base_url: str) -> str:
    """What the SDK calls it: a resource, or an address below which its paths begin."""
    return "base_url" if "/openai" in urlsplit(base_url).path else "azure_endpoint"


def _unanswered(error: BaseException) -> Failure:
    """The SDK calls every such failure a timeout or a connection error; the causes tell more."""
    from aiohttp import ClientConnectorError, ConnectionTimeoutError

    for cause in _causes(error):
        if isinstance(cause, TooMuch):  # on its way through the SDK
            return Failure(FailureKind.MALFORMED, str(cause))
        if isinstance(cause, ClientConnectorError):
            return Failure(FailureKind.UNREACHED, _why(cause))
        if isinstance(cause, ConnectionTimeoutError):
            return Failure(FailureKind.UNREACHED, f"no connection within {_CONNECT_S:g} s")
        last = cause
    return Failure(FailureKind.BROKEN, f"the connection broke ({type(last).__name__})")


def _why(error: "ClientConnectorError") -> str:
    """Why there is no connection, without the objects that aiohttp puts into its text."""
    inner = error.os_error
    code = inner.errno
    if code is not None and code in errno.errorcode:
        return os.strerror(code).lower()
    return inner.strerror or str(inner) or type(inner).__name__


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
