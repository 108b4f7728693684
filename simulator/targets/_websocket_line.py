"""One WebSocket connection: opened with care, heard all the time, closed in good order."""

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from simulator import config
from simulator.core.clean import cut, visible
from simulator.core.errors import TargetError, TargetFault
from simulator.targets._http_client import BODY_LIMIT
from simulator.targets._http_errors import Refusal, Trouble, reason_of
from simulator.targets._http_requests import Request, shown

if TYPE_CHECKING:
    from types import SimpleNamespace

    from aiohttp import ClientSession, ClientWebSocketResponse, WSMessage

_PARTING_S = 1.0  # that a bot has to answer a close
_MB = BODY_LIMIT // 1024**2


@dataclass(frozen=True, slots=True)
class _Over:
    """The connection has ended; `how` says how."""

    how: str


class Line:
    """A connection that is heard all the time: pings are answered while nobody asks anything."""

    def __init__(self, socket: "ClientWebSocketResponse") -> None:
        """Begin to listen."""
        self._socket = socket
        self._heard: asyncio.Queue[str | _Over] = asyncio.Queue()
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
            raise _raised("it broke the connection off") from None

    async def next(self) -> str:
        """The next message, as text.

        Raises:
            TargetError: the connection has ended, with the bot's code and reason.
        """
        heard = await self._heard.get()
        if isinstance(heard, _Over):
            self._heard.put_nowait(heard)
            raise _raised(heard.how)
        self._waiting -= len(heard)
        return heard

    def unheard(self) -> list[str]:
        """The messages that have come and nobody has read; they are taken."""
        taken: list[str] = []
        while not self._heard.empty():
            heard = self._heard.get_nowait()
            if isinstance(heard, _Over):
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
        over = _Over("it broke the connection off")
        try:
            while self._waiting <= BODY_LIMIT:
                message = await self._socket.receive()
                text = _text(message)
                if isinstance(text, _Over):
                    over = text
                    return
                self._waiting += len(text)
                self._heard.put_nowait(text)
            over = _Over(f"it sent more than {_MB} million characters that nobody asked for")
        finally:
            self._heard.put_nowait(over)


def _text(message: "WSMessage") -> str | _Over:
    from aiohttp import WSMsgType

    data: Any = message.data
    match message.type:
        case WSMsgType.TEXT:
            return str(data)
        case WSMsgType.BINARY:
            try:
                return bytes(data).decode("utf-8-sig")
            except UnicodeDecodeError:
                return _Over(f"it sent {len(data)} bytes that are no text in UTF-8")
        case WSMsgType.CLOSE:
            reason = cut(visible(str(message.extra or "")), 200)
            return _Over(f"it closed the connection (code {data}{': ' if reason else ''}{reason})")
        case WSMsgType.ERROR:
            return _Over(f"what it sent cannot be read: {cut(visible(str(data)), 200)}")
        case _:
            return _Over("it broke the connection off")


class Lines:
    """Opens connections; one pool for all talks. Made on the event loop that uses it."""

    def __init__(self) -> None:
        """Nothing is opened yet."""
        self._session: ClientSession | None = None

    async def opened(self, request: Request) -> Line:
        """A new connection.

        Raises:
            Trouble: there is none.
        """
        import aiohttp

        from simulator.targets._http_faults import translated

        secure = request.url.startswith("wss:")
        host = urlsplit(request.url).hostname or ""
        with translated("GET", request.url):
            try:
                socket = await self._pool().ws_connect(
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
                raise _raised(f"{place} does not speak TLS; is it ws:// ?") from None
        return Line(socket)

    async def close(self) -> None:
        """Close what is left."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _pool(self) -> "ClientSession":
        if self._session is None:
            import aiohttp

            tracing = aiohttp.TraceConfig()
            tracing.on_request_redirect.append(_no_redirect)
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0),
                cookie_jar=aiohttp.DummyCookieJar(),  # talks would share their cookies
                timeout=aiohttp.ClientTimeout(total=None),  # the deadline is the guard's
                trace_configs=[tracing],
            )
        return self._session


async def _no_redirect(session: "ClientSession", context: "SimpleNamespace", params: Any) -> None:
    """A redirect is not followed: headers with keys would go where it leads."""
    where = visible(params.response.headers.get("Location", "")).partition("?")[0]
    raise _raised(
        f"it redirects ({params.response.status}) to {cut(where, 200)}, which is not followed; "
        "write the bot's own address as url"
    )


def _refused(error: Any, request: Request) -> Trouble:
    """An answer that opens no WebSocket."""
    name = shown("GET", request.url)
    if error.status >= 300:
        reason = reason_of(error.status, None)
        return Refusal(name, error.status, reason, "", b"").trouble()
    said = f"{error.status} {reason_of(error.status, None)}".strip()
    told = said if error.status != 101 else f"101, but: {visible(error.message)}"
    return Trouble(
        TargetError(
            TargetFault.INVALID,
            f"it answered {name} with {told}: that is no WebSocket; look at the path of the url, "
            "or write kind: http",
        )
    )


def _raised(text: str) -> TargetError:
    return TargetError(TargetFault.RAISED, text)
