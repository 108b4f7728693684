"""What commands print as JSON: frozen dataclasses, and the JSON schemas generated from them."""

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, dataclass_transform

from pydantic import Field

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T")
Filled = TypeVar("Filled", bound="DataclassInstance")
_CONFIG: Any = {"use_attribute_docstrings": True, "extra": "forbid"}
Share = Annotated[float, Field(ge=0, le=1)]
"""A number in 0-1."""
Count = Annotated[int, Field(ge=0)]
"""A number of things."""
Ordinal = Annotated[int, Field(ge=1)]
"""A place, from 1."""
LEFT_OUT = {"left_out": True}
"""The metadata of a field (`default=None`) whose key is left out where its value is None."""


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def contract(kind: type[T]) -> type[T]:
    """The class as a frozen dataclass that is printed as JSON.

    The docstrings of its fields are their descriptions, also where a field is a plain dataclass.
    """
    kind.__pydantic_config__ = _CONFIG  # type: ignore[attr-defined]
    return dataclass(frozen=True, slots=True)(kind)


def filled(kind: type[Filled], *sources: object, **more: object) -> Filled:
    """A contract with the values `more`.

    Its other fields are those of the same names in the sources: in the first that has each.

    Raises:
        AttributeError: no source has one of them.
    """
    for name in {key.name for key in fields(kind)} - more.keys():
        source = next((each for each in sources if hasattr(each, name)), sources[-1])
        more[name] = getattr(source, name)
    return kind(**more)


def json_schema(kind: Any) -> dict[str, Any]:
    """The JSON schema (draft 2020-12) of what `console.output.as_json` makes of such a value."""
    from pydantic import TypeAdapter

    schema: dict[str, Any] = TypeAdapter(kind).json_schema(mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
