"""Filling a contract from values that have fields of the same names."""

from dataclasses import fields
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T", bound="DataclassInstance")


def filled(kind: type[T], *sources: object, **more: object) -> T:
    """A contract with the values `more`.

    Its other fields are those of the same names in the sources: in the first that has each.

    Raises:
        AttributeError: no source has one of them.
    """
    for name in [field.name for field in fields(kind) if field.name not in more]:
        source = next((each for each in sources if hasattr(each, name)), sources[-1])
        more[name] = getattr(source, name)
    return kind(**more)
