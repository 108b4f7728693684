"""The errors of aiohttp, put as what the bot, or the way to it, did."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import aiohttp

from simulator.core.clean import cut, visible
from simulator.core.errors import TargetError, TargetFault
from simulator.targets._http_errors import Trouble
from simulator.targets._http_requests import shown


async def asked_once(
    request: aiohttp.ClientRequest, handler: aiohttp.ClientHandlerType
) -> aiohttp.ClientResponse:
    """A middleware that keeps aiohttp from sending some requests a second time by itself.

    It does so when a connection breaks; what is tried again, and how often, is told elsewhere.
    """
    with translated(request.method, str(request.url)):
        return await handler(request)


@contextmanager
def translated(method: str, url: str) -> Iterator[None]:
    """Turn whatever sending a request raises into a Trouble.

    Never with its cause: aiohttp's texts may repeat a url or a header.
    """
    try:
        yield
    except TargetError as error:
        raise Trouble(error) from None
    except aiohttp.ClientConnectorError as error:
        raise _unreached(error, url) from None
    except (aiohttp.ClientError, OSError, ValueError) as error:
        raise _broken(error, shown(method, url)) from None


def _unreached(error: aiohttp.ClientConnectorError, url: str) -> Trouble:
    """No connection came about: the bot has not seen the question."""
    parts = urlsplit(url)
    place = f"{parts.scheme}://{parts.netloc}"
    match error:
        case aiohttp.ClientProxyConnectionError():
            text = f"the proxy of the environment ({parts.scheme}_proxy) cannot be reached"
        case aiohttp.ClientConnectorDNSError():
            text = f"no host {parts.hostname} is known; look at the url"
        case aiohttp.ClientConnectorCertificateError():
            why = visible(getattr(error.certificate_error, "verify_message", "") or "")
            return _trouble(f"the certificate of {place} is not to be trusted: {why}")
        case aiohttp.ClientConnectorSSLError():
            return _trouble(f"{place} does not speak TLS; is it http:// ?")
        case _:
            # The event loop's own text repeats the address, and differs from system to system.
            said = os.strerror(error.errno) if error.errno else type(error.os_error).__name__
            text = f"nothing answers at {place} ({said}); is the bot running?"
    return _trouble(text, passes=True, done=False)


# The first that fits; the last column says whether another attempt may fare better.
_BROKEN: tuple[tuple[type[Exception], str, bool], ...] = (
    (aiohttp.ServerDisconnectedError, "it closed the connection without an answer to {}", True),
    (aiohttp.ClientPayloadError, "it broke off in the middle of its answer to {}", True),
    (aiohttp.InvalidURL, "the url of {} is none once it is filled in", False),
    (aiohttp.ClientOSError, "the connection was reset before {} was answered", True),
    (OSError, "the connection broke before {} was answered", True),
)


def _broken(error: Exception, name: str) -> Trouble:
    """A connection was there: the bot may have taken the question."""
    if isinstance(error, aiohttp.ClientResponseError):
        said = cut(visible(error.message.partition("\n")[0]), 80)
        return _trouble(f"what it sent to {name} is not HTTP: {said}")
    for kind, text, passes in _BROKEN:
        if isinstance(error, kind):
            return _trouble(text.format(name), passes=passes)
    return _trouble(f"{name} cannot be sent, or its answer not read: {type(error).__qualname__}")


def _trouble(text: str, *, passes: bool = False, done: bool = True) -> Trouble:
    return Trouble(TargetError(TargetFault.RAISED, text), done=done, passes=passes)
