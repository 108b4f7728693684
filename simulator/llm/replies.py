"""What one attempt brought: an answer, or how it failed. Nothing is raised here."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any

from simulator.core.clean import clean, cut, visible
from simulator.core.errors import ModelFault
from simulator.core.ports import Usage
from simulator.retries import finite, seconds_to_wait

KEPT_BODY = 4096  # characters of a bad body that are kept for people

_MOST_TOKENS = 10**9  # no endpoint is believed more of one call

_FINISH_FAULT = {"content_filter": ModelFault.FILTERED, "length": ModelFault.TRUNCATED}
_ACCOUNT_STATUS = frozenset({401, 402, 403, 404})
_AGAIN_STATUS = frozenset({408, 409, 425})
_ACCOUNT_CODE = re.compile(r"insufficient_(quota|balance)|billing|invalid_api_key|model_not_found")
_NO_MODEL = re.compile(
    r"not a valid model|(unknown|invalid) model\b|\bmodel\b.{0,200}(does not exist|not found)",
    re.IGNORECASE | re.DOTALL,
)
_FILTER = re.compile(
    r"content_filter|content_policy|ResponsibleAIPolicyViolation|content management policy"
    r"|moderation.{0,200}flagged",
    re.IGNORECASE | re.DOTALL,
)


class FailureKind(StrEnum):
    """How an attempt failed."""

    UNREACHED = "unreached"  # no connection came about
    BROKEN = "broken"  # connected, then reset, closed or cut
    TIMEOUT = "timeout"
    CROWDED = "crowded"  # 429: too many requests, not too little money
    SERVER = "server"  # 408, 409, 425 and 5xx
    MALFORMED = "malformed"  # a 200 that is no completion
    ACCOUNT = "account"  # key, quota, model: no other call would fare better
    REJECTED = "rejected"  # a 4xx about this one request

    @property
    def passes(self) -> bool:
        """Whether another attempt may fare better."""
        return self not in {FailureKind.ACCOUNT, FailureKind.REJECTED}


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """The model's own words, sanitised. `usage` None: the endpoint did not tell it."""

    text: str
    finish: str = ""
    fault: ModelFault | None = None
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class Failure:
    """No answer. `retry_after`: seconds that the endpoint asks to wait; `param`: what a 400 names.

    `message` is one line for people, `body` the first 4 kB of what came.
    """

    trouble: FailureKind
    message: str
    body: str = ""
    retry_after: float | None = None
    param: str = ""


Reader = Callable[[Any, Mapping[str, str], bytes], ModelAnswer | Failure]
"""What a sound JSON body means, by its data, the headers and the bytes it came in."""


def read_response(
    status: int, headers: Mapping[str, str], content: bytes, reader: Reader | None = None
) -> ModelAnswer | Failure:
    """What an HTTP response means; `headers` are looked up in lower case.

    `reader` says what a body under 2xx means; None: it is a chat completion.
    """
    try:
        data = json.loads(content)
    except (ValueError, RecursionError) as error:
        data = None
        if status < 300:
            kind = headers.get("content-type", "no content type")
            what = f"not a JSON body ({kind}; {type(error).__name__})"
            return Failure(FailureKind.MALFORMED, what, excerpt(content))
    if status < 300:
        return (reader or _completion)(data, headers, content)
    if status < 400 and (location := headers.get("location")):
        # Every call would end so: it stops the run, like a wrong account.
        return Failure(
            FailureKind.ACCOUNT, f"it redirects to {visible(location)}; write that address"
        )
    return _failure(status, data, headers, content)


def _completion(data: Any, headers: Mapping[str, str], content: bytes) -> ModelAnswer | Failure:
    choice = _first(data, "choices")
    error = _dict(data).get("error") or choice.get("error")
    if error:
        return error_within(error, headers, content)
    message = choice.get("message")
    if not isinstance(message, dict) or choice.get("finish_reason") == "error":
        return Failure(FailureKind.MALFORMED, "a completion without a message", excerpt(content))
    finish = _finish(str(choice.get("finish_reason") or ""))
    text, fault = _words(message, finish)
    return ModelAnswer(clean(text), finish, fault, usage_of(_dict(data).get("usage")))


def error_within(error: Any, headers: Mapping[str, str], content: bytes) -> ModelAnswer | Failure:
    """What an error object under a 2xx means."""
    code = finite(_dict(error).get("code"))
    status = int(code) if code is not None and 400 <= code < 600 else 200
    return _failure(status, {"error": error}, headers, content)


@lru_cache(maxsize=32)  # there are three or four of them
def _finish(told: str) -> str:
    return cut(visible(told), 40)


def _words(message: dict[str, Any], finish: str) -> tuple[str, ModelFault | None]:
    refusal = message.get("refusal")
    if isinstance(refusal, str) and refusal.strip():
        return refusal, ModelFault.REFUSED
    text = _text(message.get("content"))
    if finish in _FINISH_FAULT:
        return text, _FINISH_FAULT[finish]
    return text, None if text.strip() else ModelFault.EMPTY


def _failure(
    status: int, data: Any, headers: Mapping[str, str], content: bytes
) -> ModelAnswer | Failure:
    error = _error(data)
    said = _message(error, content)
    codes = " ".join(str(error.get(k) or "") for k in ("code", "type"))
    trouble = _trouble(status, codes, said)
    if trouble in {FailureKind.ACCOUNT, FailureKind.REJECTED} and _FILTER.search(f"{codes} {said}"):
        return ModelAnswer("", "content_filter", ModelFault.FILTERED, Usage())
    param = error.get("param")
    return Failure(
        trouble,
        f"{status}: {said}" if status >= 300 else f"an error in a 200: {said}",
        excerpt(content),
        seconds_to_wait(headers),
        param if isinstance(param, str) else "",
    )


def _trouble(status: int, codes: str, said: str) -> FailureKind:
    if status in _ACCOUNT_STATUS or _ACCOUNT_CODE.search(codes):
        return FailureKind.ACCOUNT
    if status == 429:
        return FailureKind.CROWDED
    if status >= 500 or status in _AGAIN_STATUS:
        return FailureKind.SERVER
    if status == 400 and _NO_MODEL.search(said):
        return FailureKind.ACCOUNT
    if status < 300:
        return FailureKind.REJECTED if _FILTER.search(f"{codes} {said}") else FailureKind.MALFORMED
    return FailureKind.REJECTED


def _error(data: Any) -> dict[str, Any]:
    """The error object: {"error": {…}}, [{"error": {…}}], {"error": "…"} or a bare object."""
    holder = data[0] if isinstance(data, list) and data else data
    error = _dict(holder).get("error", holder)
    return {"message": error} if isinstance(error, str) else _dict(error)


def _message(error: dict[str, Any], content: bytes) -> str:
    said = error.get("message") or error.get("detail")
    if not isinstance(said, str):
        said = json.dumps(said, ensure_ascii=False) if said else excerpt(content)
    return cut(visible(said), 300) or "no message"


def _text(content: Any) -> str:
    """A message's content: text, or a list of parts of which some are text."""
    if isinstance(content, list):
        return "".join(_text(_dict(part).get("text")) for part in content)
    return content if isinstance(content, str) else ""


def usage_of(data: Any) -> Usage | None:
    """The tokens that a response says were used; None where it does not say."""
    if not isinstance(data, dict) or "prompt_tokens" not in data:
        return None
    details = _dict(data.get("prompt_tokens_details"))
    cached = details.get("cached_tokens") or data.get("prompt_cache_hit_tokens")
    asked = _count(data.get("prompt_tokens"))
    written = _count(data.get("completion_tokens"))
    thought = _count(_dict(data.get("completion_tokens_details")).get("reasoning_tokens"))
    return Usage(asked, written, min(asked, _count(cached)), min(written, thought))


def _count(value: Any) -> int:
    number = finite(value)
    return int(min(max(0.0, number), _MOST_TOKENS)) if number is not None else 0


def _first(data: Any, name: str) -> dict[str, Any]:
    items = _dict(data).get(name)
    return _dict(items[0]) if isinstance(items, list) and items else {}


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def excerpt(content: bytes) -> str:
    """The first 4 kB of a body, for people."""
    return clean(content[: 4 * KEPT_BODY].decode("utf-8", "replace"))[:KEPT_BODY]
