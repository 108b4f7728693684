"""Filling a contract from a value that has fields of the same names."""

from dataclasses import fields
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T", bound="DataclassInstance")


def filled(kind: type[T], source: object, /, **more: object) -> T:
    """A contract with the values `more`; its other fields are those of that name in `source`."""
    names = [field.name for field in fields(kind) if field.name not in more]
    return kind(**{name: getattr(source, name) for name in names}, **more)
