"""What a bot behind HTTP, or the way to it, did instead of answering, in its own words."""

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import KW_ONLY, dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from simulator.core.bounds import json_data
from simulator.core.clean import LONGEST_PAGE, cut, is_page, visible, without_tags
from simulator.core.errors import TargetError
from simulator.llm.replies import words_in
from simulator.targets._shapes import raised

if TYPE_CHECKING:
    import aiohttp

_WORDS = 400  # characters of a bot's own words
_PASSING = frozenset({429, 502, 503, 504})
_TURNED_AWAY = frozenset({429, 503})  # with Retry-After they say that nothing was done yet
HINTS: Mapping[int, str] = {
    401: "it wants to know who asks; look at the header with its key, such as "
    'headers: {Authorization: "Bearer ${BOT_TOKEN}"}',
    403: "who asks may not; look at the header with its key, and at what that key may do",
    404: "look at the path of the url",
    405: "look at `method`",
    415: "look at the header Content-Type, or write `form` in place of `body`",
    422: "look at the keys of `body`",
}


@dataclass(eq=False)
class FailedAttempt(Exception):
    """One attempt that brought no answer.

    `done`: the bot may have taken the question; `passes`: another attempt may fare better.
    `wait_s`: seconds that the bot asks to wait. `status` is that of its answer; None: it gave none.
    """

    error: TargetError
    _: KW_ONLY
    done: bool = True
    passes: bool = False
    wait_s: float | None = None
    status: int | None = None

    def __str__(self) -> str:
        return str(self.error)


def refused(
    request: str,
    status: int,
    reason: str | None,
    told: str = "",
    wait_s: float | None = None,
    hints: Mapping[int, str] = HINTS,
) -> FailedAttempt:
    """The failure that an answer of 400 or more is, or a redirect that leads nowhere.

    `told`: the bot's own words; `hints`: what to look at, by the status.
    """
    text = f"it answered {request} with {status_line(status, reason)}"
    text += f": {told}" if told else ""
    text += f" (it asks to wait {wait_s:g} s)" if wait_s is not None else ""
    text += f"; {hints[status]}" if status in hints else ""
    return FailedAttempt(
        raised(text),
        done=not (status in _TURNED_AWAY and wait_s is not None),
        passes=status in _PASSING,
        wait_s=wait_s,
        status=status,
    )


def status_line(status: int, reason: str | None = None) -> str:
    """A status and the bot's own words for it, or those that HTTP has for its number."""
    if not reason:
        reason = next((known.phrase for known in HTTPStatus if known == status), "")
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
    except TargetError as error:
        raise FailedAttempt(error) from None
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
            text = f"the proxy of the environment ({parts.scheme}_proxy) cannot be reached"
        case aiohttp.ClientConnectorDNSError():
            text = f"no host {parts.hostname} is known; look at the url"
        case aiohttp.ClientConnectorCertificateError():
            why = visible(getattr(error.certificate_error, "verify_message", "") or "")
            return _failed(f"the certificate of {place} is not to be trusted: {why}")
        case aiohttp.ClientConnectorSSLError():
            return _failed(f"{place} does not speak TLS; is it http:// ?")
        case _:
            # The event loop's own text repeats the address, and differs from system to system.
            said = os.strerror(error.errno) if error.errno else type(error.os_error).__name__
            text = f"nothing answers at {place} ({said}); is the bot running?"
    return _failed(text, passes=True, done=False)


def _broken(error: Exception, name: str) -> FailedAttempt:
    """A connection was there: the bot may have taken the question."""
    import aiohttp

    match error:
        case aiohttp.ClientResponseError():
            said = cut(visible(error.message.partition("\n")[0]), 80)
            return _failed(f"what it sent to {name} is not HTTP: {said}")
        case aiohttp.ServerDisconnectedError():
            text = f"it closed the connection without an answer to {name}"
        case aiohttp.ClientPayloadError():
            text = f"it broke off in the middle of its answer to {name}"
        case aiohttp.InvalidURL():
            return _failed(f"the url of {name} is none once it is filled in")
        case aiohttp.ClientOSError():
            text = f"the connection was reset before {name} was answered"
        case OSError():
            text = f"the connection broke before {name} was answered"
        case _:
            kind = type(error).__qualname__
            return _failed(f"{name} cannot be sent, or its answer not read: {kind}")
    return _failed(text, passes=True)


def _failed(text: str, *, passes: bool = False, done: bool = True) -> FailedAttempt:
    return FailedAttempt(raised(text), done=done, passes=passes)
