"""Data that is not trusted yet against a pydantic model; complaints in people's words."""

import types
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from simulator.core.errors import Complaint, InputError
from simulator.formats.complaints import hint, shown
from simulator.formats.fields import Written
from simulator.formats.yaml.reading import Loc, Marked
from simulator.formats.yaml.scalars import EMPTY, plain

M = TypeVar("M", bound=BaseModel)


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


_NOT = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "int_parsing": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "list_type": "a list",
    "tuple_type": "a list",
    "model_type": 'a mapping ("key: value")',
    "dict_type": 'a mapping ("key: value")',
}
_OUTSIDE = {
    "greater_than_equal": ("too small", "{ge} or more"),
    "greater_than": ("too small", "more than {gt}"),
    "less_than_equal": ("too large", "at most {le}"),
    "less_than": ("too large", "less than {lt}"),
    "too_short": ("too short", "at least {min_length}"),
}
# Where "write a list" would not help.
_HOW = {
    "text": "write text, in quotes if it begins with [ or {",
    "a list": "write it in brackets, [a, b], or with - before each entry",
    'a mapping ("key: value")': "write one key: value a line",
}


@dataclass(frozen=True, slots=True)
class _Wrong:
    """One of pydantic's errors, with all that a sentence about it may need."""

    kind: str
    value: Any
    context: Mapping[str, Any]
    said: str
    where: Place
    path: str
    key: str
    also: Collection[str]


def validate(model: type[M], marked: Marked) -> M:
    """The marked data as a model.

    Raises:
        InputError: every complaint at once, sorted by line.
    """
    try:
        return model.model_validate(marked.data)
    except ValidationError as error:
        # Without its cause: pydantic repeats values, and a pasted key may be among them.
        raise InputError(*sorted(complaints_of(error, model, marked))) from None


def complaints_of(
    error: ValidationError,
    model: type[BaseModel],
    marked: Marked,
    at: Loc = (),
    also: Collection[str] = (),
) -> list[Complaint]:
    """What is wrong with the data at `at`, in words; `also` are keys known beside the model's."""
    found = []
    for item in error.errors(include_url=False):
        loc: Loc = item["loc"]
        if item["type"] == "too_short" and len(item["input"]) >= item["ctx"]["min_length"]:
            continue  # pydantic counts right entries only; the wrong ones are complained of
        steps = marked.written((*at, *loc))
        if item["type"] == "missing" and not marked.left_empty((*at, *loc)):
            steps = (*steps, loc[-1])
        wrong = _Wrong(
            kind=item["type"],
            value=EMPTY if marked.left_empty((*at, *loc)) else item["input"],
            context=item.get("ctx", {}),
            said=item["msg"],
            where=place(model, loc),
            path=_path(steps, marked.names),
            key=str(loc[-1]) if loc else "",
            also=also if len(loc) == 1 else (),
        )
        message = _SPECIAL.get(wrong.kind, _plain_message)(wrong)
        found.append(marked.complaint((*at, *loc), message))
    return found


def _path(loc: Loc, called: Mapping[str, str]) -> str:
    names = [step for step in loc if isinstance(step, str) and step != "[key]"]
    dotted = ".".join(names)
    dotted = called.get(dotted, dotted)
    if loc and isinstance(loc[-1], int):
        return f"an entry of {dotted}" if dotted else "an entry"
    return dotted


def _plain_message(wrong: _Wrong) -> str:
    if wrong.value is EMPTY:
        return f"{wrong.path} is empty; {_right(wrong)}"
    subject = f"{wrong.path}: {shown(wrong.value)}" if wrong.path else shown(wrong.value)
    if wrong.kind in _NOT:
        return f"{subject} is not {_NOT[wrong.kind]}; {_right(wrong)}"
    if wrong.kind in _OUTSIDE:
        word, bound = _OUTSIDE[wrong.kind]
        return f"{subject} is {word}; {_write(wrong, bound.format(**wrong.context))}"
    said = wrong.said[:1].lower() + wrong.said[1:]
    return f"{subject} is not valid; {_write(wrong, '') if wrong.where.right else said}"


def _right(wrong: _Wrong) -> str:
    """What to do, after the semicolon."""
    type_name = _NOT.get(wrong.kind, "a value")
    if isinstance(wrong.value, str) and type_name in _named(plain(wrong.value)):
        return f"{_write(wrong, type_name)}, without quotes"
    if wrong.value is EMPTY or wrong.where.right not in ("", type_name):
        return _write(wrong, type_name)
    if type_name == "text" and not isinstance(wrong.value, list | dict):
        return "put it in quotes"
    return _HOW.get(type_name) or _write(wrong, type_name)


def _write(wrong: _Wrong, otherwise: str) -> str:
    about = f" ({wrong.where.about})" if wrong.where.about else ""
    return f"write {wrong.where.right or otherwise}{about}"


def _named(value: Any) -> tuple[str, ...]:
    """What a word would be if it stood there without quotes."""
    if isinstance(value, bool):
        return ("true or false",)
    if isinstance(value, int):
        return ("a whole number", "a number")
    return ("a number",) if isinstance(value, float) else ()


def _missing(wrong: _Wrong) -> str:
    if wrong.value is EMPTY:
        return f"{wrong.path} is empty; {_write(wrong, _choices(wrong, ' or ') or 'a value')}"
    return f"{wrong.path} is missing; {_write(wrong, _choices(wrong, ' or ') or 'it')}"


def _unknown_key(wrong: _Wrong) -> str:
    parent, _, _ = wrong.path.rpartition(".")
    inside = f"{parent}: " if parent else ""
    known = hint(wrong.key, (*wrong.where.siblings, *wrong.also))
    return f"{inside}no key {shown(wrong.key)}; {known}"


def _choice(wrong: _Wrong) -> str:
    if wrong.value is EMPTY:
        return f"{wrong.path} is empty; write {_choices(wrong, ' or ')}"
    if isinstance(wrong.value, str):
        known = [str(c) for c in get_args(wrong.where.annotation)]
        return f"{wrong.path}: no {shown(wrong.value)}; {hint(wrong.value, known)}"
    return f"{wrong.path}: {shown(wrong.value)} is no choice; there are: {_choices(wrong, ', ')}"


def _choices(wrong: _Wrong, between: str) -> str:
    """The values of a Literal; empty for any other type."""
    is_choice = get_origin(wrong.where.annotation) is Literal
    return between.join(map(str, get_args(wrong.where.annotation))) if is_choice else ""


def _own_words(wrong: _Wrong) -> str:
    said = str(wrong.context["error"])
    return f"{wrong.path}{said}" if said.startswith(":") else f"{wrong.path} {said}".strip()


_SPECIAL: dict[str, Callable[[_Wrong], str]] = {
    "missing": _missing,
    "extra_forbidden": _unknown_key,
    "literal_error": _choice,
    "value_error": _own_words,
}


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
