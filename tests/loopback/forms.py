"""A form filled in by a judge who likes everything: whatever a strict JSON schema asks for."""

import re
from collections.abc import Mapping
from typing import Any

_CLAIMS = re.compile(
    r"^(?:\[Claims to check\]|【確認項目】)\n.*?(?=^[\[【]|\Z)", re.MULTILINE | re.DOTALL
)
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
        claims, rest = _claims_and_rest(shown)
        return {
            name: filled_in(inner, claims if name == "claims" else rest)
            for name, inner in schema["properties"].items()
        }
    if kind == "array":
        numbers = [int(found) for found in _LISTED.findall(shown)] or [1]
        return [_item(schema["items"], number, shown) for number in numbers]
    return {"boolean": False, "integer": 1, "number": 1.0, "string": "よい。"}[kind]


def _claims_and_rest(shown: str) -> tuple[str, str]:
    """The list of claims, and all else that a judge is shown."""
    found = _CLAIMS.search(shown)
    return (found[0], shown.replace(found[0], "")) if found else ("", shown)


def _item(schema: Mapping[str, Any], number: int, shown: str) -> Any:
    item = filled_in(schema, shown)
    return {**item, "number": number} if isinstance(item, dict) and "number" in item else item
