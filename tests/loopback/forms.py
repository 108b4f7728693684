"""A form filled in by a judge who likes everything: whatever a strict JSON schema asks for."""

import re
from collections.abc import Mapping
from typing import Any

_LISTED = re.compile(r"^(\d+)\. ", re.MULTILINE)


def filled_in(schema: Mapping[str, Any], shown: str = "") -> Any:
    """A value that fits the schema: the highest rating, the first of several words, `false`.

    A list has one item for each line of `shown` that is numbered (`1. `), with its number where
    the items have one, and one item where no line is.
    """
    if "enum" in schema:
        choices = schema["enum"]
        return max(choices) if isinstance(choices[0], int) else choices[0]
    kind = schema["type"]
    if kind == "object":
        return {name: filled_in(inner, shown) for name, inner in schema["properties"].items()}
    if kind == "array":
        numbers = [int(found) for found in _LISTED.findall(shown)] or [1]
        return [_item(schema["items"], number, shown) for number in numbers]
    return {"boolean": False, "integer": 1, "number": 1.0, "string": "よい。"}[kind]


def _item(schema: Mapping[str, Any], number: int, shown: str) -> Any:
    item = filled_in(schema, shown)
    return {**item, "number": number} if isinstance(item, dict) and "number" in item else item
