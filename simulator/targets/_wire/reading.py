"""What a bot sent, read into a Reply: its text, its documents, and what was there instead."""

import json
import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any

from simulator.core.bounds import TooMuch, json_data
from simulator.core.clean import cut, visible
from simulator.core.errors import TargetError
from simulator.core.talk import Document, Reply
from simulator.llm.replies import ERRORS, words_in
from simulator.targets._context import TargetContext
from simulator.targets._shapes import as_reply, invalid, raised
from simulator.targets._wire.client import excerpt
from simulator.targets._wire.jmespath import JmesPath, PathMatch, compiled, kind_of, quoted_path
from simulator.targets._wire.settings import AnswerSettings, BotSettings

_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LISTED = 5
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
class DocumentPaths:
    """Where documents, their ids and their titles stand; each path may be left out.

    `documents` leads to texts, or to objects with `text`, `content` or `page_content` (and `id`,
    `title`, `metadata`); `ids` and `titles` to as many values as there are documents. Only an empty
    list says that the bot found nothing: a path that leads nowhere, or to null, says nothing
    about its search, and neither does what cannot be read as documents. A wrong path never makes
    a failure of the bot: a note says what was there instead.
    `known` holds the client's own passages by id: of documents that come as ids alone, the text is
    taken from there.
    """

    documents: JmesPath | None = None
    ids: JmesPath | None = None
    titles: JmesPath | None = None
    known: Mapping[str, Document] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return self.documents is not None or self.ids is not None

    def read(self, data: Any, root: str = "the body") -> RetrievedDocuments:
        """The documents in JSON-like data, which complaints call `root`. Raises nothing."""
        notes: list[str] = []
        documents = self._documents(data, root, notes)
        id_match = self.ids.find(data, root) if self.ids else None
        ids = _names("document_ids", id_match, notes)
        if documents is None and ids is not None:  # the ids are all that the bot tells
            documents = tuple(self.known.get(i, Document("", i)) for i in ids if i is not None)
        elif documents is not None and _are_as_many("document_ids", ids, documents, notes):
            pairs = zip(documents, ids or (), strict=True)
            documents = tuple(replace(d, id=d.id if name is None else name) for d, name in pairs)
        titles = _names(
            "document_titles", self.titles.find(data, root) if self.titles else None, notes
        )
        if documents and _are_as_many("document_titles", titles, documents, notes):
            pairs = zip(documents, titles or (), strict=True)
            documents = tuple(replace(d, title=title or d.title) for d, title in pairs)
        return RetrievedDocuments(documents, tuple(notes))

    def _documents(self, data: Any, root: str, notes: list[str]) -> tuple[Document, ...] | None:
        if self.documents is None:
            return None
        match = self.documents.find(data, root)
        if match.why:
            notes.append(f"documents: {match.why}")
            return None
        try:
            return as_reply(("", match.value)).documents
        except TargetError as error:
            notes.append(f'documents: at "{self.documents.text}" {error}')
            return None


def document_paths(settings: BotSettings, context: TargetContext) -> DocumentPaths:
    """The paths of a target's settings, and the client's passages where only ids will come."""
    only_ids = settings.document_ids is not None and settings.documents is None
    passages = context.knowledge.documents() if only_ids and context.knowledge else ()
    return DocumentPaths(
        compiled(settings.documents),
        compiled(settings.document_ids),
        compiled(settings.document_titles),
        known={d.id: d for d in passages if d.id is not None},
    )


def _are_as_many(
    key: str, names: Sequence[object] | None, documents: Sequence[Document], notes: list[str]
) -> bool:
    """True if each document has its name; which belongs to which is not guessed."""
    if names is not None and len(names) != len(documents):
        notes.append(
            f"{key}: {len(names)} for {len(documents)} documents, so which belongs to which cannot "
            'be told; name both in one path, such as documents: "sources[].{id: id, text: text}"'
        )
    return names is not None and len(names) == len(documents)


def _names(key: str, match: PathMatch | None, notes: list[str]) -> list[str | None] | None:
    """Ids or titles as texts; None where there are none to be had."""
    if match is None:
        return None
    items = match.value if isinstance(match.value, list) else [match.value]
    if match.why:
        notes.append(f"{key}: {match.why}")
    elif all(item is None or is_name(item) for item in items):
        return [None if item is None else str(item) for item in items]
    else:
        notes.append(f"{key}: there is not a list of texts or numbers")
    return None


def is_name(value: object) -> bool:
    """True for what may be an id or a title: text or a number."""
    return isinstance(value, str | int | float) and not isinstance(value, bool)


@dataclass(frozen=True, slots=True)
class Paths:
    """Where the answer and its documents stand.

    `answer` None: a text is the answer as it is, of a mapping it is `answer`; and where no path
    names documents, they are in `documents`, if that is there.
    """

    answer: JmesPath | None
    documents: DocumentPaths

    def documents_in(self, data: Any, root: str) -> RetrievedDocuments:
        """The documents in JSON-like data, called `root` where something is wrong."""
        if self.documents:
            return self.documents.read(data, root)
        if self.answer is None and isinstance(data, Mapping) and data.get("documents") is not None:
            return DocumentPaths(compiled("documents")).read(data, root)
        return RetrievedDocuments()


def answer_paths(settings: AnswerSettings, context: TargetContext) -> Paths:
    """The paths of a target's settings, that of its answer too."""
    return Paths(compiled(settings.answer), document_paths(settings, context))


def answer_in(data: Any, path: JmesPath | None, root: str, key: str = "answer") -> str:
    """The answer's text in JSON-like data; `key` is the setting that names its path.

    Raises:
        TargetError: there is none; with the bot's words where it tells of an error instead.
    """
    if path is None and isinstance(data, str):
        return data
    path = path or compiled("answer")
    match = path.find(data, root)
    if not match.value:
        fail_on_error(data)
    if isinstance(match.value, str):
        return match.value
    body = f"it came back with {cut(to_json(data), 200)}"
    if not match.why:
        joined = f"; right is text, such as {key}: join('', {path.text})"
        hint = joined if isinstance(match.value, list) else "; right is text"
        raise invalid(
            f"{key}: {quoted_path(path.text)} leads to {kind_of(match.value)}{hint}; {body}"
        )
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


def json_or_text(text: str, what: str, *, plain: bool) -> Any:
    """What a text holds as JSON; one that does not look like JSON is taken as it is.

    `plain`: so is one that looks like it and is none.

    Raises:
        TargetError: (INVALID) `what` is malformed JSON.
    """
    bare = text.strip()
    if not bare.startswith(("{", "[", '"')):
        return text
    try:
        return json_data(bare)
    except (ValueError, RecursionError) as error:
        if plain:
            return text
        raise malformed(what, bare, error) from None


def malformed(what: str, text: str, error: BaseException) -> TargetError:
    """That JSON cannot be read, where, and how it begins."""
    if isinstance(error, TooMuch):
        return invalid(f"{what} {error}: {excerpt(text)}")
    where = "nested too deeply"
    if isinstance(error, json.JSONDecodeError):
        where = f"{error.msg}, line {error.lineno} column {error.colno}"
    return invalid(f"{what} is malformed ({where}): {excerpt(text)}")


def _elsewhere(data: Any) -> str:
    places = list(islice(_texts_in(data), _LISTED))
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
    return name if _PLAIN_KEY.fullmatch(name) else to_json(name)


def to_json(value: Any) -> str:
    """Data as a complaint shows it, on one line."""
    return visible(json.dumps(value, ensure_ascii=False))
