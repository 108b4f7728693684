"""What a bot sent, read into a Reply: its text, its documents, and what was there instead."""

import json
import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Self

from simulator.core.bounds import TooMuch, json_data
from simulator.core.clean import cut, visible
from simulator.core.errors import TargetError
from simulator.core.talk import Document, Reply
from simulator.formats.jmespath import compiled, kind_of, quoted_path
from simulator.llm.replies import ERRORS, words_in
from simulator.targets._context import TargetContext
from simulator.targets._shapes import TEXT_KEYS, as_reply, invalid, raised
from simulator.targets._wire.client import excerpt
from simulator.targets._wire.settings import BotSettings

_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LISTED = 5
# What says which document it is, and what holds its text.
_NAMING = {"id", "title", "url", "uri", "link", "href", "source", "type", "lang", *TEXT_KEYS}
_DEEPEST = 6


@dataclass(frozen=True, slots=True)
class RetrievedDocuments:
    """The documents of one answer, and what a person should know of how they were read.

    `documents` None: the bot did not say what it retrieved. An empty tuple: it said that it found
    nothing.
    """

    documents: tuple[Document, ...] | None = None
    notes: tuple[str, ...] = ()

    def reply(self, text: str) -> Reply:
        """The reply with this text that comes with them."""
        reports = self.documents is not None
        return Reply(text, self.documents or (), reports_documents=reports, notes=self.notes)


@dataclass(frozen=True, slots=True)
class Paths:
    """JMESPaths to where an answer and its documents are.

    `answer` None: a text is the answer as it is, of a mapping it is `answer`; and where no path
    names documents, they are in `documents`, if that is there.

    `documents` leads to texts, or to objects with `text`, `content` or `page_content` (and `id`,
    `title`, `metadata`); `ids` and `titles` to as many values as there are documents. Only an empty
    list says that the bot found nothing: a path that leads nowhere, or to null, says nothing
    about its search, and neither does what cannot be read as documents. A wrong path never makes
    a failure of the bot: a note says what was there instead.
    `passages` holds the client's own by id, `by_title` by title: of documents that come without
    their text, as ids or titles alone, it is taken from there.
    """

    answer: str | None = None
    documents: str | None = None
    ids: str | None = None
    titles: str | None = None
    passages: Mapping[str, Document] = field(default_factory=dict)
    by_title: Mapping[str, Document] = field(default_factory=dict)

    @classmethod
    def of(cls, settings: BotSettings, context: TargetContext, answer: str | None) -> Self:
        """The paths of a target's settings, and the client's passages for what lacks its text."""
        documents, ids = settings.documents, settings.document_ids
        passages = context.knowledge.documents() if context.knowledge else ()
        by_id = {d.id: d for d in passages if d.id is not None}
        by_title = {d.title: d for d in passages if d.title}
        return cls(answer, documents, ids, settings.document_titles, by_id, by_title)

    def reply_in(self, data: Any, root: str) -> Reply:
        """The reply in JSON-like data, which complaints call `root`.

        Raises:
            TargetError: it holds no answer.
        """
        text = answer_in(data, self.answer, root)
        return self.documents_in(data, root).reply(text)

    def documents_in(self, data: Any, root: str) -> RetrievedDocuments:
        """The documents in JSON-like data. Raises nothing."""
        notes: list[str] = []
        documents = self._documents(data, root, notes)
        came = documents is not None
        ids = _names("document_ids", self.ids, data, root, notes)
        if documents is None and ids is not None:  # the ids are all that the bot tells
            documents = tuple(self.passages.get(i, Document("", i)) for i in ids if i is not None)
        elif documents is not None and _are_as_many("document_ids", ids, documents, notes):
            pairs = zip(documents, ids or (), strict=True)
            documents = tuple(replace(d, id=d.id if name is None else name) for d, name in pairs)
        titles = _names("document_titles", self.titles, data, root, notes)
        if documents and _are_as_many("document_titles", titles, documents, notes):
            pairs = zip(documents, titles or (), strict=True)
            documents = tuple(replace(d, title=title or d.title) for d, title in pairs)
        if documents and came:
            documents = tuple(map(self._with_text, documents))
            bare = sum(not document.text for document in documents)
            if bare:
                notes.append(
                    f"documents: {bare} of {len(documents)} came without text, and `knowledge` "
                    "has none with that ID or title, so their text is unknown"
                )
        return RetrievedDocuments(documents, tuple(notes))

    def _with_text(self, document: Document) -> Document:
        """A document with the text that the client's own of its id or title has."""
        if document.text:
            return document
        own = self.passages.get(document.id or "") or self.by_title.get(document.title)
        return document if own is None else replace(document, text=own.text)

    def _documents(self, data: Any, root: str, notes: list[str]) -> tuple[Document, ...] | None:
        path = self.documents
        if path is None and self.ids is None and self.answer is None:
            is_usual = isinstance(data, Mapping) and data.get("documents") is not None
            path = "documents" if is_usual else None
        if path is None:
            return None
        match = compiled(path).find(data, root)
        if match.why:
            notes.append(f"documents: {match.why}")
            return None
        try:
            items = match.value if isinstance(match.value, list) else [match.value]
            return as_reply(("", [_with_key(item) for item in items])).documents
        except TargetError as error:
            notes.append(f'documents: at "{path}" {error}')
            return None


def _with_key(item: Any) -> Any:
    """A document as it came; with an empty text where it only says which one it is."""
    if not isinstance(item, Mapping) or any(item.get(key) for key in TEXT_KEYS):
        return item
    is_named = any(is_name(item.get(key)) for key in ("id", "title"))
    others = (value for key, value in item.items() if key not in _NAMING)
    return (
        {**item, "text": ""} if is_named and not any(isinstance(o, str) for o in others) else item
    )


def _are_as_many(
    key: str, names: Sequence[object] | None, documents: Sequence[Document], notes: list[str]
) -> bool:
    """True if each document has its name; which belongs to which is not guessed."""
    if names is not None and len(names) != len(documents):
        notes.append(
            f"{key}: {len(names)} for {len(documents)} documents, so mogi can't match them; "
            f'select both in one path, such as documents: "sources[].{{id: id, text: text}}"'
        )
    return names is not None and len(names) == len(documents)


def _names(
    key: str, path: str | None, data: Any, root: str, notes: list[str]
) -> list[str | None] | None:
    """Ids or titles as texts; None where there are none to be had."""
    if path is None:
        return None
    match = compiled(path).find(data, root)
    items = match.value if isinstance(match.value, list) else [match.value]
    if match.why:
        notes.append(f"{key}: {match.why}")
    elif all(item is None or is_name(item) for item in items):
        return [None if item is None else str(item) for item in items]
    else:
        notes.append(f'{key}: at "{path}" has no list of texts or numbers')
    return None


def is_name(value: object) -> bool:
    """True for what may be an id or a title: text or a number."""
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def answer_in(data: Any, path: str | None, root: str, key: str = "answer") -> str:
    """The answer's text in JSON-like data; `key` is the setting that names its path.

    Raises:
        TargetError: there is none; with the bot's words where it tells of an error instead.
    """
    if path is None and isinstance(data, str):
        return data
    path = path or "answer"
    match = compiled(path).find(data, root)
    if not match.value:
        fail_on_error(data)
    if isinstance(match.value, str):
        return match.value
    body = f"the response was {cut(to_json(data), 200)}"
    if not match.why:
        joined = f"; expected text, such as {key}: join('', {path})"
        hint = joined if isinstance(match.value, list) else "; expected text"
        raise invalid(f"{key}: {quoted_path(path)} leads to {kind_of(match.value)}{hint}; {body}")
    raise invalid(f"{key}: {match.why}{_elsewhere(data)}; {body}")


def fail_on_error(data: Any) -> None:
    """Raise what JSON tells of an error, if it does.

    Raises:
        TargetError: (RAISED) with the bot's own words.
    """
    error = next(filter(None, map(data.get, ERRORS)), None) if isinstance(data, Mapping) else None
    if error:
        words = cut(visible(words_in(data) or to_json(error)), 400)
        raise raised(f"it answered with an error: {words}")


def json_or_text(text: str, what: str, *, required: bool) -> Any:
    """What a text holds as JSON; one that does not look like JSON, or is none, as it is.

    Raises:
        TargetError: (INVALID) JSON is `required`, and `what` is malformed.
    """
    bare = text.strip()
    if not required and not bare.startswith(("{", "[", '"')):
        return text
    try:
        return json_data(bare)
    except (ValueError, RecursionError) as error:
        if required:
            raise _malformed(what, bare, error) from None
        return text


def _malformed(what: str, text: str, error: BaseException) -> TargetError:
    """That JSON cannot be read, where, and how it begins."""
    if isinstance(error, TooMuch):
        return invalid(f"{what} {error}: {excerpt(text)}")
    where = "nested too deeply"
    if isinstance(error, json.JSONDecodeError):
        where = f"{error.msg}, line {error.lineno} column {error.colno}"
    return invalid(f"{what} is malformed ({where}): {excerpt(text)}")


def _elsewhere(data: Any) -> str:
    places = list(islice(_texts_in(data), _LISTED))
    return f"; text is at: {', '.join(places)}" if places else ""


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
    return name if _PLAIN_KEY.fullmatch(name) else to_json(name)


def to_json(value: Any) -> str:
    """Data as a complaint shows it, on one line."""
    return visible(json.dumps(value, ensure_ascii=False))
