"""The name of a document, among those that a store and its author gave it."""

from typing import Any

import pytest

from simulator.targets._shapes import document_name

UUID = "75c1ba14-7b6c-435f-9d3b-432c9694b4db"


@pytest.mark.parametrize(
    ("metadata", "key", "others", "name"),
    [
        ({"id": "faq-1"}, None, ("own",), "faq-1"),
        ({"id": UUID}, None, ("own",), UUID),
        ({"id": 7}, None, (), "7"),
        ({}, None, ("own", "file.md"), "own"),
        ({}, None, (UUID, "file.md"), "file.md"),
        ({}, None, (UUID, None), UUID),
        ({}, None, (None, None), None),
        ({}, None, (), None),
        ({"id": "faq-1", "page": 3}, "page", ("own",), "3"),
        ({"id": "faq-1"}, "page", ("own",), None),
    ],
)
def test_an_author_is_believed_before_a_store(
    metadata: dict[str, Any], key: str | None, others: tuple[Any, ...], name: str | None
) -> None:
    assert name == document_name(metadata, key, *others)
