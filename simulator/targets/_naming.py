"""Which of a document's names is the one that people know it by."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID


def document_name(metadata: Mapping[str, Any], key: str | None, *others: object) -> str | None:
    """The name of a document, by its metadata and by its other names, the best first.

    With a `key` it is what the metadata holds there. Else it is the metadata's `id`, which an
    author wrote; else the first of `others` that is no UUID, since stores make one up for a
    document or passage without an id; else the first of them.
    """
    if key is not None:
        return _text(metadata.get(key))
    if metadata.get("id") is not None:
        return _text(metadata["id"])
    names = [name for name in map(_text, others) if name is not None]
    return next((name for name in names if not _is_uuid(name)), names[0] if names else None)


def _text(name: object) -> str | None:
    return None if name is None else str(name)


def _is_uuid(name: str) -> bool:
    try:
        UUID(name)
    except ValueError:
        return False
    return True
