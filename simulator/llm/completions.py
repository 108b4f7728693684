"""A chat completion as servers really send it: as a stream, as a tool call, among the reasoning."""

import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from simulator.core.bounds import MAX_PIECES, MAX_SAID, TooMuch, json_data
from simulator.core.clean import clean
from simulator.core.errors import ModelFault
from simulator.llm.replies import (
    REASONING,
    Failure,
    FailureKind,
    ModelAnswer,
    excerpt,
    mapping,
    read_response,
)

_JOINED = ("content", "refusal", *REASONING)


def read_chat(status: int, headers: Mapping[str, str], content: bytes) -> ModelAnswer | Failure:
    """What an HTTP response to a chat request means (`replies.read_response`).

    A stream is read though none was asked for. Where a completion has no text, the answer is
    looked for where some servers put it: in the arguments of a tool call, or, as JSON alone, at
    the end of the reasoning, which is never taken for words of the model.
    """
    try:
        content = _whole(content) if _is_stream(headers, content) else content
    except TooMuch as error:
        return Failure(FailureKind.MALFORMED, str(error), excerpt(content))
    found = read_response(status, headers, content)
    if isinstance(found, ModelAnswer) and found.fault is ModelFault.EMPTY:
        text = _elsewhere(json_data(content)["choices"][0]["message"])
        whole = 0 < len(text) <= MAX_SAID
        return replace(found, text=clean(text), fault=None) if whole else found
    return found


def _elsewhere(message: Mapping[str, Any]) -> str:
    call = mapping(_first(message.get("tool_calls")))
    function = mapping(call.get("function") or message.get("function_call"))
    arguments = function.get("arguments")
    if isinstance(arguments, dict):
        arguments = json.dumps(arguments, ensure_ascii=False)
    if isinstance(arguments, str) and arguments.strip():
        return arguments
    for name in REASONING:
        thought = message.get(name)
        if isinstance(thought, str) and "{" in thought and thought.rstrip().endswith(("}", "```")):
            return thought
    return ""


def _is_stream(headers: Mapping[str, str], content: bytes) -> bool:
    said = headers.get("content-type", "").startswith("text/event-stream")
    return said or content.lstrip().startswith((b"data:", b"event:", b": "))


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
        choice = mapping(_first(event.get("choices")))
        finish = choice.get("finish_reason") or finish
        delta = mapping(choice.get("delta") or choice.get("message"))
        for name in _JOINED:
            pieces[name].append(_text(delta.get(name)))
        function = mapping(mapping(_first(delta.get("tool_calls"))).get("function"))
        called.append(_text(function.get("arguments")))
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


def _first(items: Any) -> Any:
    return items[0] if isinstance(items, list) and items else None


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
