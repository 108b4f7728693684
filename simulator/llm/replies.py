"""What one attempt brought: an answer, or how it failed. Nothing is raised here."""

import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from typing import Any

from simulator.core.bounds import MAX_PIECES, MAX_SAID, TooMuch, json_data
from simulator.core.clean import clean, cut, is_page, visible, without_tags
from simulator.core.errors import ModelFault
from simulator.core.ports import Usage
from simulator.retries import finite, seconds_to_wait
from simulator.text.phrases import phrases

KEPT_BODY = 4096  # characters of a bad body that are kept for people

ERRORS = ("error", "__error__")
_LIKELY_KEYS = (
    *("message", "detail", "error_description", "description", "msg", "title", "reason"),
    "errors",  # watsonx, and others that list them
)
_MOST_TOKENS = 10**9  # no endpoint is believed more of one call

_REASONING = ("reasoning_content", "reasoning")  # where servers put what a model thinks
_JOINED = ("content", "refusal", *_REASONING)
_WHOLE = frozenset({"", "stop"})
_CUT = frozenset({"length", "max_tokens", "model_length"})
_ACCOUNT_STATUS = frozenset({401, 402, 403, 404, 405, 407, 410, 501})
_AGAIN_STATUS = frozenset({408, 409, 425, 498})


def says(name: str, text: str) -> bool:
    """True if a text of an endpoint says what `refusals.yaml` has under this name."""
    pattern = phrases("llm/refusals").pattern(name, re.IGNORECASE | re.DOTALL)
    return pattern.search(text) is not None


class FailureKind(StrEnum):
    """How an attempt failed."""

    UNREACHED = "unreached"  # no connection came about
    BROKEN = "broken"  # connected, then reset, closed or cut
    TIMEOUT = "timeout"
    CROWDED = "crowded"  # 429: too many requests, not too little money
    SERVER = "server"  # 408, 409, 425 and 5xx
    MALFORMED = "malformed"  # a 200 that is no completion
    GARBLED = "garbled"  # a 4xx or 500 about what the model wrote: it may write better
    ACCOUNT = "account"  # key, quota, model: no other call would fare better
    TOO_LONG = "too_long"  # a 4xx: the prompt does not fit into the model's context
    REJECTED = "rejected"  # any other 4xx: about this request, or about the account after all

    @property
    def passes(self) -> bool:
        """Whether another attempt may fare better."""
        return self not in _LASTING


# What a message may say, by the entries of `refusals.yaml`, and what that makes of it.
_Wordings = Mapping[str, FailureKind]
_REJECTIONS: _Wordings = {
    "garbled": FailureKind.GARBLED,
    "too_long": FailureKind.TOO_LONG,
    "no_model": FailureKind.ACCOUNT,
    "no_account": FailureKind.ACCOUNT,
    "over_budget": FailureKind.ACCOUNT,
}
_CROWDED: _Wordings = {
    "never_fits": FailureKind.TOO_LONG,
    "no_quota": FailureKind.ACCOUNT,
    "over_budget": FailureKind.ACCOUNT,
}
_WITHIN: _Wordings = {"filter": FailureKind.REJECTED, "no_path": FailureKind.ACCOUNT}
_FAULTS: _Wordings = {"garbled": FailureKind.GARBLED, "cannot_serve": FailureKind.ACCOUNT}
_LASTING = frozenset({FailureKind.ACCOUNT, FailureKind.TOO_LONG, FailureKind.REJECTED})


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """The model's own words, sanitised. `usage` None: the endpoint did not tell it.

    `reasoned`: it thought aloud first, beside its words.
    """

    text: str
    finish: str = ""
    fault: ModelFault | None = None
    usage: Usage | None = None
    reasoned: bool = False


@dataclass(frozen=True, slots=True)
class Failure:
    """No answer. `retry_after`: seconds that the endpoint asks to wait; `param`: what a 400 names.

    `message` is one line for people, `body` the first 4 kB of what came; `status` 0: none came.
    """

    trouble: FailureKind
    message: str
    body: str = ""
    retry_after: float | None = None
    param: str = ""
    status: int = 0

    @property
    def is_page(self) -> bool:
        """Whether a web page came where an answer should be."""
        return self.trouble is FailureKind.MALFORMED and is_page(self.body)

    @property
    def unexplained(self) -> bool:
        """Whether it is a 400, 404 or 422 that says nothing mogi knows: perhaps about the form."""
        if self.status == 404:
            return not says("no_place", self.message)
        return self.status in {400, 422} and self.trouble is FailureKind.REJECTED


Reader = Callable[[Any, Mapping[str, str], bytes], ModelAnswer | Failure]
"""What a sound JSON body means, by its data, the headers and the bytes it came in."""


def read_response(
    status: int, headers: Mapping[str, str], content: bytes, reader: Reader | None = None
) -> ModelAnswer | Failure:
    """What an HTTP response means; `headers` are looked up in lower case.

    `reader` says what a body under 2xx means; None: it is a chat completion.
    """
    try:
        data = json_data(content, finite=False)
    except (ValueError, RecursionError) as error:
        data = None
        if status < 300:
            kind = headers.get("content-type", "no content type")
            why = str(error) if isinstance(error, TooMuch) else type(error).__name__
            what = f"not a JSON body ({kind}; {why})" if content.strip() else "an empty body"
            if is_page(body := excerpt(content)):
                what = (
                    f"not a JSON body ({cut(kind, 40)}; a web page: {cut(without_tags(body), 120)})"
                )
            return Failure(FailureKind.MALFORMED, what, excerpt(content))
    if status < 300:
        return (reader or _completion)(data, headers, content)
    if status < 400 and (location := headers.get("location")):
        # Every call would end so: it stops the run, like a wrong account.
        to = visible(location)
        is_login = says("login", to)
        what = f"a login page, {to.partition('?')[0]}" if is_login else f"{to}; write that address"
        return Failure(FailureKind.ACCOUNT, f"it redirects to {what}")
    return _failure(status, data, headers, content)


def read_chat(status: int, headers: Mapping[str, str], content: bytes) -> ModelAnswer | Failure:
    """What an HTTP response to a chat request means (`read_response`).

    A stream is read though none was asked for. Where a completion has no text, the answer is
    looked for where some servers put it: in the arguments of a tool call, or, as JSON alone, at
    the end of the reasoning, which is never taken for words of the model.
    """
    try:
        content = _whole(content) if _is_stream(headers, content) else content
    except TooMuch as error:
        return Failure(FailureKind.MALFORMED, str(error), excerpt(content))
    answer = read_response(status, headers, content)
    if isinstance(answer, ModelAnswer) and answer.fault is ModelFault.EMPTY:
        text = _elsewhere(json_data(content)["choices"][0]["message"])
        whole = 0 < len(text) <= MAX_SAID
        return replace(answer, text=clean(text), fault=None) if whole else answer
    return answer


def _elsewhere(message: Mapping[str, Any]) -> str:
    call = _first(message, "tool_calls")
    function = mapping(call.get("function") or message.get("function_call"))
    arguments = function.get("arguments")
    if isinstance(arguments, dict):
        arguments = json.dumps(arguments, ensure_ascii=False)
    if isinstance(arguments, str) and arguments.strip():
        return arguments
    for name in _REASONING:
        thought = message.get(name)
        if isinstance(thought, str) and "{" in thought and thought.rstrip().endswith(("}", "```")):
            return thought
    return ""


def _is_stream(headers: Mapping[str, str], content: bytes) -> bool:
    is_declared = headers.get("content-type", "").startswith("text/event-stream")
    return is_declared or content.lstrip().startswith((b"data:", b"event:", b": "))


def _whole(content: bytes) -> bytes:
    """The completion that a stream amounts to; as it stands where it is none, or was cut off."""
    pieces: dict[str, list[str]] = {name: [] for name in _JOINED}
    called: list[str] = []
    finish = usage = error = None
    for number, event in enumerate(_events(content)):
        if number > MAX_PIECES:
            raise TooMuch(f"its stream is longer than {MAX_PIECES:,} events")
        error = event.get("error") or error
        usage = event.get("usage") or usage
        choice = _first(event, "choices")
        finish = choice.get("finish_reason") or finish
        delta = mapping(choice.get("delta") or choice.get("message"))
        for name in _JOINED:
            pieces[name].append(text_of(delta.get(name)))
        function = mapping(_first(delta, "tool_calls").get("function"))
        called.append(text_of(function.get("arguments")))
    if error is None and finish is None:
        return content
    message: dict[str, Any] = {name: "".join(p) or None for name, p in pieces.items()}
    arguments = "".join(called)
    message["tool_calls"] = [{"function": {"arguments": arguments}}] if arguments else None
    choice = {"message": message, "finish_reason": finish}
    whole = {"choices": [choice], "usage": usage, "error": error}
    return json.dumps(whole).encode()


def _events(content: bytes) -> Iterator[dict[str, Any]]:
    for line in io.BytesIO(content):
        if not line.startswith(b"data:"):
            continue
        try:
            event = json_data(line[5:])
        except (ValueError, RecursionError):  # [DONE], or half a line
            continue
        if isinstance(event, dict):
            yield event


def _completion(data: Any, headers: Mapping[str, str], content: bytes) -> ModelAnswer | Failure:
    choice = _first(data, "choices")
    error = mapping(data).get("error") or choice.get("error")
    if error:
        return error_within(error, headers, content)
    message = choice.get("message")
    if not isinstance(message, dict) or choice.get("finish_reason") == "error":
        return Failure(FailureKind.MALFORMED, "a completion without a message", excerpt(content))
    finish = _finish(str(choice.get("finish_reason") or ""))
    text, fault = _words(message, finish)
    if len(text) > MAX_SAID:
        what = f"a completion of more than {MAX_SAID:,} characters"
        return Failure(FailureKind.MALFORMED, what, excerpt(content))
    usage = usage_of(mapping(data).get("usage"))
    return ModelAnswer(clean(text), finish, fault, usage, _reasoned(message))


def error_within(error: Any, headers: Mapping[str, str], content: bytes) -> ModelAnswer | Failure:
    """What an error object under a 2xx means."""
    code = finite(mapping(error).get("code"))
    status = int(code) if code is not None and 400 <= code < 600 else 200
    return _failure(status, {"error": error}, headers, content)


@lru_cache(maxsize=32)  # there are three or four of them
def _finish(reason: str) -> str:
    return cut(visible(reason), 40)


def _words(message: dict[str, Any], finish: str) -> tuple[str, ModelFault | None]:
    refusal = message.get("refusal")
    if isinstance(refusal, str) and refusal.strip():
        return refusal, ModelFault.REFUSED
    text = text_of(message.get("content"))
    if finish.lower() in _CUT:
        return text, ModelFault.TRUNCATED
    if finish == "refusal":
        return text, ModelFault.REFUSED
    if finish not in _WHOLE and says("filtered", finish):
        return text, ModelFault.FILTERED
    return text, None if text.strip() else ModelFault.EMPTY


def _reasoned(message: dict[str, Any]) -> bool:
    """Whether it holds thoughts: as a text beside the words, or among their parts."""
    content = message.get("content")
    parts = content if isinstance(content, list) else []
    kinds = {mapping(part).get("type") for part in parts}
    return any(message.get(name) for name in _REASONING) or bool(kinds & {"thinking", "reasoning"})


def _failure(
    status: int, data: Any, headers: Mapping[str, str], content: bytes
) -> ModelAnswer | Failure:
    error = _error(data)
    message = _message(error, content)
    codes = " ".join(str(error.get(k) or "") for k in ("code", "type", "status"))
    trouble = _trouble(status, codes, message)
    is_refused = trouble in {FailureKind.ACCOUNT, FailureKind.REJECTED}
    if is_refused and says("filter", f"{codes} {message}"):
        return ModelAnswer("", f"{status}: {message}", ModelFault.FILTERED, Usage())
    param = error.get("param")
    return Failure(
        trouble,
        f"{status}: {message}" if status >= 300 else f"an error in a 200: {message}",
        excerpt(content),
        seconds_to_wait(headers),
        param if isinstance(param, str) else "",
        status,
    )


def _trouble(status: int, codes: str, message: str) -> FailureKind:
    if status in _ACCOUNT_STATUS or says("account_code", codes):
        return FailureKind.ACCOUNT
    if status == 413:
        return FailureKind.TOO_LONG
    message = f"{codes} {message}"
    known: _Wordings
    if status == 429:
        known, otherwise = _CROWDED, FailureKind.CROWDED
    elif status >= 500 or status in _AGAIN_STATUS:
        known, otherwise = _FAULTS, FailureKind.SERVER
    elif status < 300:
        known, otherwise = _WITHIN, FailureKind.MALFORMED
    else:
        known, otherwise = _REJECTIONS, FailureKind.REJECTED
    return next((kind for name, kind in known.items() if says(name, message)), otherwise)


def _error(data: Any) -> dict[str, Any]:
    """The error object: {"error": {…}}, [{"error": {…}}], {"error": "…"} or a bare object."""
    holder = data[0] if isinstance(data, list) and data else data
    error = mapping(holder).get("error", holder)
    return {"message": error} if isinstance(error, str) else mapping(error)


def words_in(data: Any) -> str:
    """What JSON says of an error: `error.message`, `detail`, `message` and their like."""
    match data:
        case str():
            return data
        case list():
            return ", and ".join(filter(None, map(words_in, data[:5])))
        case Mapping():
            error = next(filter(None, map(data.get, ERRORS)), None)
            words = next(filter(None, (words_in(data.get(key)) for key in _LIKELY_KEYS)), "")
            short = isinstance(error, str) and words and error not in words  # Spring, LangGraph
            text = f"{error}: {words}" if short else words_in(error) or words
            where = data.get("loc")  # FastAPI says where in the body
            place = ".".join(map(str, where)) if isinstance(where, list) else ""
            return f"{place}: {text}" if text and place else text
        case _:
            return ""


def _message(error: dict[str, Any], content: bytes) -> str:
    message = words_in(error)
    if not message:
        message = excerpt(content)
        message = without_tags(message) if is_page(message) else message
    raw = mapping(error.get("metadata")).get("raw")  # OpenRouter: what the provider behind it said
    if raw:
        message += f" ({raw if isinstance(raw, str) else json.dumps(raw, ensure_ascii=False)})"
    return cut(visible(message), 300) or "no message"


def text_of(content: Any) -> str:
    """A message's content: text, or a list of parts of which some are text."""
    if isinstance(content, list):
        return "".join(text_of(mapping(part).get("text")) for part in content)
    return content if isinstance(content, str) else ""


def usage_of(data: Any) -> Usage | None:
    """The tokens that a response says were used; None where it does not say.

    xAI and Gemini count thoughts in the total alone; they are paid for like words.
    """
    if not isinstance(data, dict) or "prompt_tokens" not in data:
        return None
    details = mapping(data.get("prompt_tokens_details"))
    cached = details.get("cached_tokens") or data.get("prompt_cache_hit_tokens")
    prompt = _count(data.get("prompt_tokens"))
    written = _count(data.get("completion_tokens"))
    thought = _count(mapping(data.get("completion_tokens_details")).get("reasoning_tokens"))
    apart = max(0, _count(data.get("total_tokens")) - prompt - written)
    written, thought = written + apart, max(thought, apart)
    return Usage(prompt, written, min(prompt, _count(cached)), min(written, thought))


def _count(value: Any) -> int:
    if type(value) is int:  # as nearly always
        return min(max(0, value), _MOST_TOKENS)
    number = finite(value)
    return int(min(max(0.0, number), _MOST_TOKENS)) if number is not None else 0


def _first(data: Any, name: str) -> dict[str, Any]:
    items = mapping(data).get(name)
    return mapping(items[0]) if isinstance(items, list) and items else {}


def mapping(value: Any) -> dict[str, Any]:
    """The value if it is a mapping, else an empty one."""
    return value if isinstance(value, dict) else {}


def excerpt(content: bytes) -> str:
    """The first 4 kB of a body, for people."""
    return clean(content[: 4 * KEPT_BODY].decode("utf-8", "replace"))[:KEPT_BODY]
