"""Where in a pydantic model an error's path leads: what is wanted there, and which keys exist."""

import types
from dataclasses import dataclass
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from simulator.files.fields import Written


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a model: its type, what would be right there, and its parent's keys.

    `about` is what a field's description says in models that are not `Written`: there it tells
    what the field is for, not what to write.
    """

    annotation: Any
    right: str
    siblings: tuple[str, ...]
    about: str = ""


def place(model: type[BaseModel], loc: tuple[int | str, ...]) -> Place:
    """The place that `loc` leads to; steps that pydantic adds for itself are skipped."""
    here, right = _bare(model)
    siblings: tuple[str, ...] = ()
    for step in loc:
        if step == "[key]":  # an error about the key itself, which the step before named
            return Place(here, "", siblings)
        siblings = _keys(here)
        found = _step(here, step)
        if found is not None:
            here, right = found
    if right and not issubclass(model, Written):
        return Place(here, "", siblings, about=right)
    return Place(here, right, siblings)


def _step(annotation: Any, step: int | str) -> tuple[Any, str] | None:
    for arm in _arms(annotation):
        origin, args = get_origin(arm), get_args(arm)
        if isinstance(arm, type) and issubclass(arm, BaseModel):
            for name, info in arm.model_fields.items():
                if step in (name, info.alias):
                    inner, right = _bare(info.annotation)
                    return inner, info.description or right
        elif origin is dict and isinstance(step, str):
            return _bare(args[1])
        elif origin in (list, tuple) and isinstance(step, int):
            return _bare(args[0])
    return None


def _keys(annotation: Any) -> tuple[str, ...]:
    return tuple(
        info.alias or name
        for arm in _arms(annotation)
        if isinstance(arm, type) and issubclass(arm, BaseModel)
        for name, info in arm.model_fields.items()
    )


def _arms(annotation: Any) -> tuple[Any, ...]:
    if get_origin(annotation) in (Union, types.UnionType):
        return tuple(_bare(a)[0] for a in get_args(annotation) if a is not types.NoneType)
    return (annotation,)


def _bare(annotation: Any) -> tuple[Any, str]:
    """The type without `Annotated` and `| None`, and what its innermost field says is right."""
    right = ""
    while True:
        arms = [a for a in get_args(annotation) if a is not types.NoneType]
        if get_origin(annotation) is Annotated:
            infos = [m for m in get_args(annotation)[1:] if isinstance(m, FieldInfo)]
            right = next((m.description for m in reversed(infos) if m.description), right)
            annotation = get_args(annotation)[0]
        elif get_origin(annotation) in (Union, types.UnionType) and len(arms) == 1:
            annotation = arms[0]
        else:
            return annotation, right
