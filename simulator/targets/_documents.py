"""The documents in what a bot sent: found by JMESPath, read leniently, never guessed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from simulator.core.errors import TargetError
from simulator.core.talk import Document
from simulator.targets._context import TargetContext
from simulator.targets._jmespath import JmesPath, compiled
from simulator.targets._shapes import as_reply


class Settings(Protocol):
    """The keys of a target that say where its documents stand, each a JMESPath."""

    documents: str | None
    document_ids: str | None
    document_titles: str | None


@dataclass(frozen=True, slots=True)
class FoundDocuments:
    """The documents of one answer, and what a person should know of how they were read.

    `documents` None: the bot did not say what it retrieved. An empty tuple: it said that it found
    nothing.
    """

    documents: tuple[Document, ...] | None = None
    notes: tuple[str, ...] = ()


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

    def read(self, data: Any, root: str = "the body") -> FoundDocuments:
        """The documents in JSON-like data, which complaints call `root`. Raises nothing."""
        notes: list[str] = []
        documents = self._texts(data, root, notes)
        ids = _values("document_ids", self.ids, data, root, notes)
        if ids is not None:
            documents = self._named(documents, ids, notes)
        titles = _values("document_titles", self.titles, data, root, notes)
        if (
            documents
            and titles is not None
            and _as_many("document_titles", titles, documents, notes)
        ):
            documents = tuple(
                replace(d, title=title or d.title)
                for d, title in zip(documents, titles, strict=True)
            )
        return FoundDocuments(documents, tuple(notes))

    def _texts(self, data: Any, root: str, notes: list[str]) -> tuple[Document, ...] | None:
        if self.documents is None:
            return None
        found = self.documents.find(data, root)
        if found.why:
            notes.append(f"documents: {found.why}")
            return None
        try:
            return as_reply(("", found.value)).documents
        except TargetError as error:
            notes.append(f'documents: at "{self.documents.text}" {error}')
            return None

    def _named(
        self, documents: tuple[Document, ...] | None, ids: Sequence[str | None], notes: list[str]
    ) -> tuple[Document, ...] | None:
        if documents is None:  # the ids are all that the bot tells
            return tuple(self.known.get(i, Document("", i)) for i in ids if i is not None)
        if not _as_many("document_ids", ids, documents, notes):
            return documents
        return tuple(
            replace(d, id=d.id if name is None else name)
            for d, name in zip(documents, ids, strict=True)
        )


def document_paths(settings: Settings, context: TargetContext) -> DocumentPaths:
    """The paths of a target's settings, and the client's passages where only ids will come."""
    only_ids = settings.document_ids is not None and settings.documents is None
    passages = context.knowledge.documents() if only_ids and context.knowledge else ()
    return DocumentPaths(
        compiled(settings.documents),
        compiled(settings.document_ids),
        compiled(settings.document_titles),
        known={d.id: d for d in passages if d.id is not None},
    )


def _as_many(
    key: str, values: Sequence[object], documents: Sequence[Document], notes: list[str]
) -> bool:
    """Whether each document has its value; which belongs to which is not guessed."""
    if len(values) == len(documents):
        return True
    notes.append(
        f"{key}: {len(values)} for {len(documents)} documents, so which belongs to which cannot "
        'be told; name both in one path, such as documents: "sources[].{id: id, text: text}"'
    )
    return False


def _values(
    key: str, path: JmesPath | None, data: Any, root: str, notes: list[str]
) -> list[str | None] | None:
    """Ids or titles as texts; None where there are none to be had."""
    if path is None:
        return None
    found = path.find(data, root)
    if found.why:
        notes.append(f"{key}: {found.why}")
        return None
    items = found.value if isinstance(found.value, list) else [found.value]
    if not all(_is_name(item) for item in items):
        notes.append(f'{key}: at "{path.text}" there is not a list of texts or numbers')
        return None
    return [None if item is None else str(item) for item in items]


def _is_name(value: object) -> bool:
    return value is None or (isinstance(value, str | int | float) and not isinstance(value, bool))
