"""What bots are told of a talk, and the shapes in which they answer or fail."""

import re
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal
from uuid import UUID

from simulator.core.bounds import BODY_LIMIT, MAX_PIECES
from simulator.core.clean import clean, cut
from simulator.core.errors import MogiError, TargetError, TargetFault
from simulator.core.talk import Document, Reply, Talk

HistoryShape = Literal["pairs", "messages"]

_RIGHT = "expected text, (text, documents), {answer, documents}, or a Reply"
TEXT_KEYS = ("text", "content", "page_content")
_RIGHT_DOCUMENT = (
    "expected text, {id}, {id, text}, {id, content}, or an object with page_content and metadata"
)
# A document of these alone has the text of its entry in the knowledge base.
_BESIDE_AN_ID = {"title", "score"}
_RIGHT_RAG = "expected (anything, history, documents), with this turn as its last entry"
_RIGHT_ENTRY = "expected a (user, assistant) pair or {role: assistant, content: text}"


def as_reply(value: object) -> Reply:
    """The reply that a bot's answer amounts to, not yet sanitised; its latency is 0.

    A list of documents, even an empty one, says that the bot reports what it retrieved; None in
    its place does not. A pair is a tuple: a plain list is not an answer.

    Raises:
        TargetError: EMPTY for None, INVALID for something that is not an answer.
    """
    match value:
        case Reply():
            return replace(
                value,
                text=_text(value.text),
                documents=_documents(value.documents),
                latency_ms=0.0,
                reports_documents=bool(value.reports_documents),
                notes=tuple(map(str, value.notes)),
                ids=dict(value.ids),
                trace=str(value.trace),
                at=0.0,
            )
        case Mapping():
            if "answer" not in value:
                keys = ", ".join(map(str, value)) or "nothing"
                raise came_with(f"a mapping without `answer` (its keys: {keys}); {_RIGHT}")
            reply = _reply(value["answer"], value.get("documents"))
            return replace(reply, trace=str(value.get("trace") or ""))
        case (text, documents) if isinstance(value, tuple):
            return _reply(text, documents)
        case _:
            return _reply(value, None)


def as_rag_reply(value: object, given: Sequence[object], shape: HistoryShape) -> Reply:
    """The reply of the older form `rag(query, history, prompt) -> (_, history, documents)`.

    The answer is the assistant's text in the history's last entry. Where the bot returned a
    history without an entry for this turn, it is the first item, if that is text. `given` is the
    history as the bot received it, `shape` its shape.

    Raises:
        TargetError: EMPTY or INVALID, as for `as_reply`.
    """
    match value:
        case (first, history, documents):
            return _reply(_rag_answer(first, history, given, shape), documents)
        case _:
            raise came_with(f"{shown_value(value)}; {_RIGHT_RAG}")


def history_of(talk: Talk, shape: HistoryShape) -> list[Any]:
    """What was said before, oldest first, as a list of its own: a bot may change what it is given.

    `pairs` are (user, assistant) tuples, `messages` are {role, content} dicts.
    """
    if shape == "pairs":
        return talk.history
    return [
        {"role": role, "content": text}
        for pair in talk.history
        for role, text in zip(("user", "assistant"), pair, strict=True)
    ]


def _reply(text: object, documents: object) -> Reply:
    reports = documents is not None
    return Reply(_text(text), _documents(documents), reports_documents=reports)


def _rag_answer(
    first: object, history: object, given: Sequence[object], shape: HistoryShape
) -> str:
    entries = [] if history is None else _items(history)
    if entries is None:
        raise came_with(f"{shown_value(history)} as its history; {_RIGHT_RAG}")
    if entries and not _unchanged(entries, given):
        return _text(_last_answer(entries[-1], shape))
    if isinstance(first, str):
        return first
    raise came_with(f"a history without an entry for this turn; {_RIGHT_RAG}")


def _unchanged(entries: Sequence[object], given: Sequence[object]) -> bool:
    # A bot that trims its history may return no more entries than it got: the last one tells.
    return len(entries) <= len(given) and entries[-1] == given[-1]


def _last_answer(entry: object, shape: HistoryShape) -> object:
    entry_shape: HistoryShape
    match entry:
        case {"role": "assistant", "content": text}:
            entry_shape = "messages"
        case (str(), text):
            entry_shape = "pairs"
        case _:
            raise came_with(f"a history that ends with {shown_value(entry)}; {_RIGHT_ENTRY}")
    if entry_shape != shape:
        # Said in turn 1 already: in turn 2 the bot would trip over a history it cannot read.
        raise came_with(
            f"a history of {entry_shape}; add `history: {entry_shape}` to the target's settings"
        )
    return text


def _text(value: object) -> str:
    if value is None:
        raise TargetError(TargetFault.EMPTY, "it answered with None")
    if not isinstance(value, str):
        raise came_with(f"{shown_value(value)} as its answer; {_RIGHT}")
    return value


def _documents(value: object) -> tuple[Document, ...]:
    if value is None:
        return ()
    if isinstance(value, str | Mapping | Document) or hasattr(value, "page_content"):
        return (_document(value),)
    items = _items(value)
    if items is None:
        raise came_with(f"{shown_value(value)} as its documents; expected a list of documents")
    return tuple(map(_document, items))


def _document(value: object) -> Document:
    match value:
        case str():
            return Document(value)
        case Document():
            return _checked(value.text, value.id, value.title)
        case Mapping() if key := next((k for k in TEXT_KEYS if k in value), None):
            return _loaded(value[key], value, value.get("metadata"))
        case {"id": str() | int() as name, **rest} if rest.keys() <= _BESIDE_AN_ID:
            return _checked("", name, rest.get("title"))
        case _ if hasattr(value, "page_content"):
            own = {"id": getattr(value, "id", None)}
            return _loaded(value.page_content, own, getattr(value, "metadata", None))
        case _:
            raise came_with(f"{shown_value(value)} as a document; {_RIGHT_DOCUMENT}")


def _loaded(text: object, own: Mapping[Any, Any], metadata: object) -> Document:
    """A document that names itself, or, as LangChain's do, in its metadata."""
    known = metadata if isinstance(metadata, Mapping) else {}
    names = (own.get("id"), known.get("id"), known.get("source"))
    titles = (own.get("title"), known.get("title"))
    name, title = (next((v for v in each if v is not None), None) for each in (names, titles))
    return _checked(text, name, title)


def _checked(text: object, name: object, title: object) -> Document:
    if not isinstance(text, str):
        raise came_with(f"{shown_value(text)} as the text of a document; {_RIGHT_DOCUMENT}")
    return Document(text, None if name is None else str(name), "" if title is None else str(title))


def _items(value: object) -> list[object] | None:
    """What a list-like thing holds; None where it is not one. Text is not a list of letters."""
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        return None
    return list(value)


def invalid(text: str) -> TargetError:
    """Something came back that is not an answer."""
    return TargetError(TargetFault.INVALID, text)


def raised(text: str) -> TargetError:
    """A bot failed, or said so."""
    return TargetError(TargetFault.RAISED, text)


def came_with(what: str) -> TargetError:
    """As `invalid`, of what a bot in this process returned."""
    return invalid(f"it returned {what}")


def shown_value(value: object) -> str:
    """A value's type and, short, the value: `int (42)`."""
    return f"{type(value).__name__} ({cut(repr(value), 80)})"


def document_name(metadata: Mapping[str, Any], key: str | None, *others: object) -> str | None:
    """The name of a document, by its metadata and by its other names, the best first.

    With a `key` it is what the metadata holds there. Else it is the metadata's `id`, which an
    author wrote; else the first of `others` that is no UUID, since stores make one up for a
    document or passage without an id; else the first of them.
    """
    if key is not None:
        return _name(metadata.get(key))
    if metadata.get("id") is not None:
        return _name(metadata["id"])
    names = [name for name in map(_name, others) if name is not None]
    return next((name for name in names if not _is_uuid(name)), names[0] if names else None)


def _name(name: object) -> str | None:
    return None if name is None else str(name)


def _is_uuid(name: str) -> bool:
    try:
        UUID(name)
    except ValueError:
        return False
    return True


# Enough for a provider's error text; a page of HTML in an exception is not kept whole.
MESSAGE_LIMIT = 2000


def as_target_error(error: BaseException) -> TargetError:
    """The failure that an error raised by a bot amounts to, with the error as its cause."""
    match error:
        case TargetError():
            return error
        case SystemExit():
            failure = TargetError(TargetFault.EXITED, f"it called sys.exit({error.code!r})")
        case _:
            # mogi's own errors are sentences already; their types tell a reader nothing.
            text = str(error) if isinstance(error, MogiError) else described(error)
            failure = TargetError(TargetFault.RAISED, text)
    failure.__cause__ = error
    return failure


def described(error: BaseException) -> str:
    """The error's type and text, such as `openai.RateLimitError: slow down`; no traceback."""
    kind = type(error)
    name = kind.__qualname__
    if kind.__module__ not in {"builtins", "__main__"}:
        name = f"{kind.__module__}.{name}"
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - the error is the bot's own class, and may be broken too
        text = "(its text can't be read)"
    return message(f"{name}: {text}" if text else name)


def message(text: str) -> str:
    """A failure's text, sanitised and cut to what is kept of it."""
    return cut(clean(text), MESSAGE_LIMIT)


def check_size(reply: Reply) -> int:
    """The characters of a reply and its documents, with their titles and ids.

    Raises:
        TargetError: (INVALID) they are more than any answer has.
    """
    documents = sum(len(d.text) + len(d.title) + len(d.id or "") for d in reply.documents)
    size = len(reply.text) + len(reply.trace) + documents
    if size > BODY_LIMIT or len(reply.documents) > MAX_PIECES:
        raise invalid(
            f"its answer has more than {BODY_LIMIT // 1024**2} million characters, or more than "
            f"{MAX_PIECES:,} documents; mogi didn't read it"
        )
    return size


def noted(reply: Reply, *notes: str) -> Reply:
    """The reply, and what else a person should know of it."""
    return replace(reply, notes=(*reply.notes, *notes))


def with_texts(reply: Reply, change: Callable[[str], str]) -> Reply:
    """The reply with each text in it changed, those of its documents and ids too; not its notes."""
    documents = (
        Document(change(d.text), None if d.id is None else change(d.id), change(d.title))
        for d in reply.documents
    )
    ids = {name: change(i) if isinstance(i, str) else i for name, i in reply.ids.items()}
    text, trace = change(reply.text), change(reply.trace)
    return replace(reply, text=text, documents=tuple(documents), ids=ids, trace=trace)


def reply_values(reply: Reply) -> dict[str, Any]:
    """A reply as JSON values, without its latency and its notes."""
    documents = [{"id": d.id, "title": d.title, "text": d.text} for d in reply.documents]
    return {
        "text": reply.text,
        "documents": documents,
        "reports_documents": reply.reports_documents,
        **({"ids": dict(reply.ids)} if reply.ids else {}),
        **({"unsent": reply.unsent} if reply.unsent else {}),
        **({"trace": reply.trace} if reply.trace else {}),
        **({"at": reply.at} if reply.at else {}),
    }


def reply_of(values: Mapping[str, Any], latency_ms: float = 0.0) -> Reply:
    """The reply that `reply_values` made these values of."""
    more = {key: value for key, value in values.items() if key not in ("documents", "notes")}
    documents = tuple(Document(**document) for document in values["documents"])
    notes = tuple(values.get("notes", ()))
    return Reply(documents=documents, latency_ms=latency_ms, notes=notes, **more)


def talk_name(episode: str) -> str:
    """A name that no other talk has had, of this run or another: bots remember names."""
    readable = re.sub("[^A-Za-z0-9]+", "-", episode).strip("-")[:48].rstrip("-")
    return "-".join(filter(None, (readable, secrets.token_hex(6))))


def values_of(question: str, talk: Talk, name: str) -> dict[str, Any]:
    """What the placeholders of a request stand for; `name` is the talk's, for the bot."""
    return {
        "question": question,
        "history": [{"user": user, "assistant": assistant} for user, assistant in talk.history],
        "messages": [*history_of(talk, "messages"), {"role": "user", "content": question}],
        "episode": name,
        "turn": talk.next_turn,
    }
