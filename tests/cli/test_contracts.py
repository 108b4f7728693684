"""Each type that is printed as JSON: its schema is whole, and so is what it is filled from."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from simulator.cli.contracts import CONTRACTS, schema_of
from simulator.formats.json_contracts import filled


@pytest.mark.parametrize("name", CONTRACTS)
def test_every_object_is_closed_and_everything_is_explained(name: str) -> None:
    schema = schema_of(name)
    assert schema["description"]
    objects = [node for node in _nodes(schema) if node.get("type") == "object"]
    assert [] == [node for node in objects if "additionalProperties" not in node]
    # Types that commands have anyway say what their fields mean in one text.
    assert [] == [node for node in objects if node.get("properties") and not _explains(node)]


def test_a_contract_is_filled_from_fields_of_the_same_names() -> None:
    @dataclass(frozen=True)
    class Source:
        a: int = 1
        b: int = 2
        c: int = 3

    @dataclass(frozen=True)
    class Printed:
        a: int
        b: int
        d: int

    assert Printed(1, 7, 8) == filled(Printed, Source(), b=7, d=8)
    with pytest.raises(AttributeError):
        filled(Printed, Source())


def _explains(node: dict[str, Any]) -> bool:
    """True if it says what each of its keys means; what is referred to says it itself."""
    keys = [key for key in node["properties"].values() if "$ref" not in key]
    explained = ["description" in key for key in keys]
    return all(explained) or ("description" in node and not any(explained))


def _nodes(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        yield node
    values = node.values() if isinstance(node, dict) else node if isinstance(node, list) else ()
    for value in values:
        yield from _nodes(value)
