"""A bot's answer read into a Reply: its text, its documents, and what was there instead."""

import json
import re
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from simulator.core.clean import cut, visible
from simulator.core.errors import TargetError, TargetFault
from simulator.core.talk import Reply
from simulator.targets._documents import DocumentPaths, FoundDocuments
from simulator.targets._http_client import Incoming
from simulator.targets._http_errors import excerpt, without_tags, words_in
from simulator.targets._jmespath import JmesPath, shown

_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LISTED = 5
_DEEPEST = 6


@dataclass(frozen=True, slots=True)
class Paths:
    """Where the answer and its documents stand.

    `answer` None: a text is the answer as it is, of a mapping it is `answer`; and where no path
    names documents, they are in `documents`, if that is there.
    """

    answer: JmesPath | None
    documents: DocumentPaths

    def documents_in(self, data: Any, root: str) -> FoundDocuments:
        """The documents in JSON-like data, called `root` where something is wrong."""
        if self.documents:
            return self.documents.read(data, root)
        if self.answer is None and isinstance(data, Mapping) and data.get("documents") is not None:
            return DocumentPaths(default_path("documents")).read(data, root)
        return FoundDocuments()


@cache
def default_path(key: str) -> JmesPath:
    """The path that is taken where none is named."""
    return JmesPath(key)


async def read_whole(incoming: Incoming, paths: Paths) -> Reply:
    """The reply in a body that comes at once.

    Raises:
        TargetError: EMPTY or INVALID, saying what came back; RAISED where that was an error.
    """
    data = await data_of(incoming, as_text=paths.answer is None)
    text = answer_in(data, paths.answer, "the body")
    found = paths.documents_in(data, "the body")
    reports = found.documents is not None
    return Reply(text, found.documents or (), reports_documents=reports, notes=found.notes)


async def data_of(incoming: Incoming, *, as_text: bool) -> Any:
    """The body as JSON; with `as_text`, a body that is none is text.

    Raises:
        TargetError: it is neither.
    """
    body = await incoming.body()
    kind, request = incoming.content_type, incoming.request
    if not body.strip():
        raise TargetError(TargetFault.EMPTY, f"it answered {request} with an empty body")
    if kind == "text/event-stream":
        raise invalid(f"it answered {request} with a stream of events ({kind}); write stream: sse")
    text = _decoded(body, incoming)
    # PHP and others send JSON as text/html, unless they are told.
    if "json" in kind or text.lstrip()[:1] in ("{", "[", '"'):
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            if "json" in kind:
                raise malformed(f"the JSON that it answered {request} with", text, error) from None
    if "html" in kind or text.lstrip()[:20].lower().startswith(("<!doctype html", "<html")):
        told = cut(without_tags(text), 120)
        raise invalid(f"it answered {request} with a web page: {told}; look at the url")
    if as_text:
        return text
    named = kind or "no content type"
    raise invalid(
        f"it answered {request} with {named}, which is not JSON: {excerpt(text)}; "
        "leave out `answer` to take the whole text as its answer"
    )


def answer_in(data: Any, path: JmesPath | None, root: str) -> str:
    """The answer's text in JSON-like data.

    Raises:
        TargetError: there is none; with the bot's words where it tells of an error instead.
    """
    if path is None and isinstance(data, str):
        return data
    looked = path or default_path("answer")
    found = looked.find(data, root)
    if isinstance(found.value, str):
        return found.value
    if isinstance(data, Mapping) and data.get("error") and found.value is None:
        told = cut(visible(words_in(data) or _json(data["error"])), 400)
        raise TargetError(TargetFault.RAISED, f"it answered with an error: {told}")
    came = f"it came back with {cut(_json(data), 200)}"
    if not found.why:
        from simulator.targets._jmespath_why import kind_of

        joined = f"; right is text, such as answer: join('', {looked.text})"
        hint = joined if isinstance(found.value, list) else "; right is text"
        raise invalid(f"answer: {shown(looked.text)} leads to {kind_of(found.value)}{hint}; {came}")
    raise invalid(f"answer: {found.why}{_elsewhere(data)}; {came}")


def malformed(what: str, text: str, error: BaseException) -> TargetError:
    """That JSON cannot be read, where, and how it begins."""
    where = "nested too deeply"
    if isinstance(error, json.JSONDecodeError):
        where = f"{error.msg}, line {error.lineno} column {error.colno}"
    return invalid(f"{what} is malformed ({where}): {excerpt(text)}")


def invalid(text: str) -> TargetError:
    """Something came back that is not an answer."""
    return TargetError(TargetFault.INVALID, text)


def _decoded(body: bytes, incoming: Incoming) -> str:
    name = incoming.charset
    try:
        return body.decode("utf-8-sig" if name.lower() in ("utf-8", "utf8") else name)
    except LookupError:
        return body.decode("utf-8", "replace")
    except UnicodeDecodeError as error:
        begins = excerpt(body[:1000].decode("utf-8", "replace"))
        raise invalid(
            f"what it answered {incoming.request} with is not {name} "
            f"(byte 0x{body[error.start]:02x} at {error.start}): {begins}"
        ) from None


def _elsewhere(data: Any) -> str:
    places = []
    for place in _texts_in(data):
        places.append(place)
        if len(places) == _LISTED:
            break
    return f"; texts are at: {', '.join(places)}" if places else ""


def _texts_in(data: Any) -> Iterator[str]:
    """The paths to texts in data, the shallowest first; of a list its first entry."""
    waiting: deque[tuple[str, Any, int]] = deque([("", data, 0)])
    while waiting:
        path, value, depth = waiting.popleft()
        if isinstance(value, str):
            if path and visible(value):
                yield path
        elif depth < _DEEPEST and isinstance(value, Mapping):
            waiting.extend(
                (f"{path}.{_key(name)}".lstrip("."), inner, depth + 1)
                for name, inner in value.items()
            )
        elif depth < _DEEPEST and isinstance(value, list) and value:
            waiting.append((f"{path}[0]", value[0], depth + 1))


def _key(name: str) -> str:
    return name if _PLAIN_KEY.fullmatch(name) else _json(name)


def _json(value: Any) -> str:
    return visible(json.dumps(value, ensure_ascii=False))
