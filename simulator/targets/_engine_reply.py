"""What a LlamaIndex engine comes back with, read into one Reply."""

from collections.abc import Mapping
from typing import Any

from simulator.core.clean import cut
from simulator.core.errors import TargetError, TargetFault
from simulator.core.talk import Document, Reply
from simulator.targets._naming import document_name

# LlamaIndex's own words where its retriever found nothing: no model was asked.
_NOTHING_FOUND = "Empty Response"
_RIGHT = "right is what LlamaIndex's engines return: an object with `response` and `source_nodes`"


def reply_of(value: object, document_id: str | None, *, searches: bool) -> Reply:
    """The reply that a response amounts to, not yet sanitised; its latency is 0.

    `document_id` is the metadata key that names a document; None: see `document_name`.
    `searches`: the engine always retrieves, so that no documents means that it found none.

    Raises:
        TargetError: EMPTY for no response, INVALID for something that is none.
    """
    if isinstance(value, str):
        return Reply(value)
    if not hasattr(value, "response"):
        raise _invalid("None" if value is None else f"{_shown(value)} as its response")
    nodes = getattr(value, "source_nodes", None) or ()
    # A chat engine without a retriever has neither nodes nor sources.
    reports = searches or bool(getattr(value, "sources", None))
    text = _text(value.response)
    notes = (f"{text!r} is what LlamaIndex says where no document was found",)
    return Reply(
        text,
        tuple(_document(node, document_id) for node in nodes),
        reports_documents=reports,
        notes=notes if text == _NOTHING_FOUND else (),
    )


def _text(response: object) -> str:
    if response is None:
        raise TargetError(TargetFault.EMPTY, "it answered with None")
    if isinstance(response, str):
        return response
    if hasattr(response, "model_dump_json"):  # a structured response
        return str(response.model_dump_json())
    raise _invalid(f"{_shown(response)} as its answer")


def _document(found: Any, document_id: str | None) -> Document:
    """A node, with or without its score; a passage may be known by its document's id."""
    node = getattr(found, "node", found)
    metadata = getattr(node, "metadata", None)
    known = metadata if isinstance(metadata, Mapping) else {}
    names = (getattr(node, "node_id", None), getattr(node, "ref_doc_id", None))
    name = document_name(known, document_id, *names, known.get("file_name"))
    title = next((known[k] for k in ("title", "file_name") if known.get(k) is not None), "")
    try:
        text = str(node.get_content())
    except Exception as error:
        raise _invalid(f"{_shown(found)} among its source_nodes") from error
    return Document(text, name, str(title))


def _invalid(what: str) -> TargetError:
    return TargetError(TargetFault.INVALID, f"it came back with {what}; {_RIGHT}")


def _shown(value: object) -> str:
    return f"{type(value).__name__} ({cut(repr(value), 80)})"
