"""What a bot behind HTTP did instead of answering, in sentences that keep its own words."""

import html
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from simulator.core.clean import cut, visible
from simulator.core.errors import TargetError, TargetFault

_WORDS = 400  # characters of a bot's own words
_PASSING = frozenset({429, 502, 503, 504})
_TURNED_AWAY = frozenset({429, 503})  # with Retry-After they say that nothing was done yet
_HINTS = {
    401: "it wants to know who asks; look at the header with its key, such as "
    'headers: {Authorization: "Bearer ${BOT_TOKEN}"}',
    403: "who asks may not; look at the header with its key, and at what that key may do",
    404: "look at the path of the url",
    405: "look at `method`",
    415: "look at the header Content-Type, or write `form` in place of `body`",
    422: "look at the keys of `body`",
}
_LIKELY_KEYS = ("message", "detail", "error_description", "description", "msg", "title", "reason")
_HIDDEN = re.compile(r"<(script|style|head|title)\b.*?</\1\s*>", re.DOTALL | re.IGNORECASE)
_TITLE = re.compile(r"<title[^>]*>(.*?)</title", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"<[^<>]{0,2000}>")


class Trouble(Exception):
    """One attempt that brought no answer.

    `done`: the bot may have taken the question; `passes`: another attempt may fare better.
    `wait_s`: seconds that the bot asks to wait. `status` is that of its answer; None: it gave none.
    """

    def __init__(
        self,
        error: TargetError,
        *,
        done: bool = True,
        passes: bool = False,
        wait_s: float | None = None,
        status: int | None = None,
    ) -> None:
        self.error = error
        self.done = done
        self.passes = passes
        self.wait_s = wait_s
        self.status = status
        super().__init__(str(error))


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer of 400 or more, or a redirect that leads nowhere; `body` is its beginning."""

    request: str  # POST /chat
    status: int
    reason: str
    content_type: str
    body: bytes
    wait_s: float | None = None

    def trouble(self) -> Trouble:
        """The failure that it is, with its own words and what to look at."""
        told = words(self.body, self.content_type)
        text = f"it answered {self.request} with {self.status} {visible(self.reason)}".rstrip()
        text += f": {told}" if told else ""
        text += f" (it asks to wait {self.wait_s:g} s)" if self.wait_s is not None else ""
        hint = _HINTS.get(self.status)
        text += f"; {hint}" if hint else ""
        return Trouble(
            TargetError(TargetFault.RAISED, text),
            done=not (self.status in _TURNED_AWAY and self.wait_s is not None),
            passes=self.status in _PASSING,
            wait_s=self.wait_s,
            status=self.status,
        )


def reason_of(status: int, said: str | None) -> str:
    """The words of a status line, or those that HTTP has for its number."""
    if said:
        return said
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""


def words(body: bytes, content_type: str = "") -> str:
    """A bot's own words in whatever it sent, on one line; empty where there are none."""
    text = body.decode("utf-8", "replace").strip()
    data = _json(text)
    if data is not None:
        return cut(visible(words_in(data) or text), _WORDS)
    if "html" in content_type or text[:200].lower().startswith(("<!doctype html", "<html")):
        return cut(without_tags(text), _WORDS)
    return cut(visible(text), _WORDS)


def words_in(data: Any) -> str:
    """What JSON says of an error: `error.message`, `detail`, `message` and their like."""
    match data:
        case str():
            return data
        case list():
            return ", and ".join(filter(None, map(words_in, data[:5])))
        case Mapping():
            found = (words_in(data.get(key)) for key in ("error", *_LIKELY_KEYS))
            text = next(filter(None, found), "")
            place = _place(data.get("loc"))  # FastAPI says where in the body
            return f"{place}: {text}" if text and place else text
        case _:
            return ""


def without_tags(page: str) -> str:
    """What a person would read of a web page, its title first."""
    title = _TITLE.search(page)
    text = _TAG.sub(" ", _HIDDEN.sub(" ", page))
    return visible(html.unescape(f"{title[1]} - {text}" if title else text)).strip(" -")


def excerpt(text: str) -> str:
    """The beginning of what came back, as a complaint shows it."""
    return f'"{cut(visible(text), 120)}"'


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _place(value: Any) -> str:
    return ".".join(map(str, value)) if isinstance(value, list) else ""
