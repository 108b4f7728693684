"""What commands print as JSON: frozen dataclasses, and the JSON schemas generated from them."""

from typing import Any

CONTRACT: Any = {"use_attribute_docstrings": True, "extra": "forbid"}
"""The `__pydantic_config__` of such a dataclass: field docstrings are descriptions."""


def json_schema(kind: Any) -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of what `console.output.as_json` makes of such a value."""
    from pydantic import TypeAdapter

    schema: dict[str, Any] = TypeAdapter(kind).json_schema(mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
