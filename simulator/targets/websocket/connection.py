"""One WebSocket connection: opened with care, heard all the time, closed in good order."""

import asyncio
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from simulator import config
from simulator.core.bounds import BODY_LIMIT, MAX_PIECES
from simulator.core.clean import cut, visible
from simulator.core.errors import TargetError
from simulator.targets._shapes import invalid, raised
from simulator.targets._wire.client import HttpRequest, new_session
from simulator.targets._wire.errors import (
    FailedAttempt,
    refused,
    request_name,
    status_line,
    translated,
)

if TYPE_CHECKING:
    from types import SimpleNamespace

    from aiohttp import ClientSession, ClientWebSocketResponse, WSMessage


_PARTING_S = 1.0  # that a bot has to answer a close
_BROKEN_OFF = "it broke the connection off"
_MB = BODY_LIMIT // 1024**2


class Connection:
    """A connection that is heard all the time: pings are answered while nobody asks anything."""

    def __init__(self, socket: "ClientWebSocketResponse") -> None:
        """Begin to listen."""
        self._socket = socket
        self._heard: asyncio.Queue[str | TargetError] = asyncio.Queue()
        self._waiting = 0  # characters
        self._listening = asyncio.create_task(self._listen())

    async def say(self, text: str) -> None:
        """Send a message.

        Raises:
            TargetError: the connection is no more.
        """
        import aiohttp

        try:
            await self._socket.send_str(text.encode("utf-8", "replace").decode("utf-8"))
        except (aiohttp.ClientError, OSError):
            await self.next()  # tells how it ended, if that is known by now
            raise raised(_BROKEN_OFF) from None

    async def next(self) -> str:
        """The next message, as text.

        Raises:
            TargetError: the connection has ended, with the bot's code and reason.
        """
        heard = await self._heard.get()
        if isinstance(heard, TargetError):
            self._heard.put_nowait(heard)
            raise raised(str(heard))
        self._waiting -= len(heard)
        return heard

    def unheard(self) -> list[str]:
        """The messages that have come and nobody has read; they are taken."""
        taken: list[str] = []
        while not self._heard.empty():
            heard = self._heard.get_nowait()
            if isinstance(heard, TargetError):
                self._heard.put_nowait(heard)
                break
            self._waiting -= len(heard)
            taken.append(heard)
        return taken

    @property
    def is_silent(self) -> bool:
        """Whether no message waits to be read."""
        return not self._waiting

    async def close(self) -> None:
        """Say goodbye; a bot that does not answer that is left."""
        await self._socket.close()
        self._listening.cancel()
        await asyncio.gather(self._listening, return_exceptions=True)

    async def _listen(self) -> None:
        over = raised(_BROKEN_OFF)
        try:
            while self._waiting <= BODY_LIMIT and self._heard.qsize() <= MAX_PIECES:
                text = _text(await self._socket.receive())
                self._waiting += len(text)
                self._heard.put_nowait(text)
            over = raised(
                f"it sent more than {_MB} million characters, or {MAX_PIECES:,} messages, "
                "that nobody asked for"
            )
        except TargetError as error:
            over = error
        finally:
            self._heard.put_nowait(over)


def _text(message: "WSMessage") -> str:
    from aiohttp import WSMsgType

    data: Any = message.data
    match message.type:
        case WSMsgType.TEXT:
            return str(data)
        case WSMsgType.BINARY:
            try:
                return bytes(data).decode("utf-8-sig")
            except UnicodeDecodeError:
                raise raised(f"it sent {len(data)} bytes that are no text in UTF-8") from None
        case WSMsgType.CLOSE:
            reason = cut(visible(str(message.extra or "")), 200)
            raise raised(f"it closed the connection (code {data}{': ' if reason else ''}{reason})")
        case WSMsgType.ERROR:
            raise raised(f"what it sent cannot be read: {cut(visible(str(data)), 200)}")
        case _:
            raise raised(_BROKEN_OFF)


class Connections:
    """Opens connections; one pool for all talks. Made on the event loop that uses it."""

    def __init__(self) -> None:
        """Nothing is opened yet."""
        self._session: ClientSession | None = None

    async def opened(self, request: HttpRequest) -> Connection:
        """A new connection.

        Raises:
            FailedAttempt: there is none.
        """
        import aiohttp

        if self._session is None:
            tracing = aiohttp.TraceConfig()
            tracing.on_request_redirect.append(_no_redirect)
            self._session = new_session(trace_configs=[tracing])
        secure = request.url.startswith("wss:")
        host = urlsplit(request.url).hostname or ""
        with translated("GET", request.url):
            try:
                socket = await self._session.ws_connect(
                    request.url,
                    headers=request.headers,
                    proxy=config.proxy_for("https" if secure else "http", host),
                    max_msg_size=BODY_LIMIT,
                    timeout=aiohttp.ClientWSTimeout(ws_close=_PARTING_S),
                )
            except aiohttp.WSServerHandshakeError as error:
                raise _refused(error, request) from None
            except aiohttp.ClientConnectorSSLError:
                place = request.url.partition("?")[0]
                raise raised(f"{place} does not speak TLS; is it ws:// ?") from None
        return Connection(socket)

    async def close(self) -> None:
        """Close what is left."""
        if self._session is not None:
            await self._session.close()
            self._session = None


async def _no_redirect(session: "ClientSession", context: "SimpleNamespace", params: Any) -> None:
    """A redirect is not followed: headers with keys would go where it leads."""
    where = visible(params.response.headers.get("Location", "")).partition("?")[0]
    raise raised(
        f"it redirects ({params.response.status}) to {cut(where, 200)}, which is not followed; "
        "write the bot's own address as url"
    )


def _refused(error: Any, request: HttpRequest) -> FailedAttempt:
    """An answer that opens no WebSocket."""
    name = request_name("GET", request.url)
    if error.status >= 300:
        return refused(name, error.status, None)
    told = (
        f"101, but: {visible(error.message)}" if error.status == 101 else status_line(error.status)
    )
    return FailedAttempt(
        invalid(
            f"it answered {name} with {told}: that is no WebSocket; look at the path of the url, "
            "or write kind: http"
        )
    )
