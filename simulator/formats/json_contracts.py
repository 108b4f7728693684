"""What commands print as JSON: frozen dataclasses, and the JSON schemas generated from them."""

from typing import Annotated, Any

from pydantic import Field

CONTRACT: Any = {"use_attribute_docstrings": True, "extra": "forbid"}
"""The `__pydantic_config__` of such a dataclass: field docstrings are descriptions.

It holds for the dataclasses of its fields as well.
"""
Share = Annotated[float, Field(ge=0, le=1)]
"""A number in 0-1."""
Count = Annotated[int, Field(ge=0)]
"""A number of things."""
Ordinal = Annotated[int, Field(ge=1)]
"""A place, from 1."""
LEFT_OUT = {"left_out": True}
"""The metadata of a field (`default=None`) whose key is left out where its value is None."""


def json_schema(kind: Any) -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of what `console.output.as_json` makes of such a value."""
    from pydantic import TypeAdapter

    schema: dict[str, Any] = TypeAdapter(kind).json_schema(mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
