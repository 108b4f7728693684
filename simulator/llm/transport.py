"""One HTTP request to an account, however it ends."""

import asyncio
import errno
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from simulator import config
from simulator.core.bounds import TooMuch
from simulator.core.concurrency import beside
from simulator.llm.account import Account
from simulator.llm.http import CONNECT_S, HttpClient, HttpResponse, OwnClient
from simulator.llm.parameters import CHAT
from simulator.llm.replies import (
    Failure,
    FailureKind,
    ModelAnswer,
    Reader,
    read_chat,
    read_response,
)
from simulator.llm.sdk import SdkClient

if TYPE_CHECKING:
    from aiohttp import ClientConnectorError

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
