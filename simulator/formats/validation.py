"""Data that is not trusted yet against a pydantic model; complaints in people's words."""

import types
from collections.abc import Collection, Mapping
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from simulator.core.errors import Complaint, InputError
from simulator.formats.fields import Written
from simulator.formats.sources import hint, shown
from simulator.formats.yaml.reading import Loc, Marked
from simulator.formats.yaml.scalars import EMPTY, plain

M = TypeVar("M", bound=BaseModel)

_NOT = {
    "string_type": "text",
    **dict.fromkeys(("int_type", "int_from_float", "int_parsing"), "a whole number"),
    **dict.fromkeys(("float_type", "float_parsing", "finite_number"), "a number"),
    **dict.fromkeys(("bool_type", "bool_parsing"), "true or false"),
    **dict.fromkeys(("list_type", "tuple_type"), "a list"),
    **dict.fromkeys(("model_type", "dict_type"), 'a mapping ("key: value")'),
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


def validate(model: type[M], marked: Marked, at: Loc = ()) -> M:
    """The marked data at `at` as a model.

    Raises:
        InputError: every complaint at once, sorted by line.
    """
    data = marked.data
    for step in at:
        data = data[step]
    try:
        return model.model_validate(data)
    except ValidationError as error:
        # Without its cause: pydantic repeats values, and a pasted key may be among them.
        raise InputError(*sorted(complaints_of(error, model, marked, at))) from None


def complaints_of(
    error: ValidationError,
    model: type[BaseModel],
    marked: Marked,
    at: Loc = (),
    also: Collection[str] = (),
) -> list[Complaint]:
    """What is wrong with the data at `at`, in words; `also` are keys known beside the model's."""
    complaints = []
    for item in error.errors(include_url=False):
        loc: Loc = item["loc"]
        if item["type"] == "too_short" and len(item["input"]) >= item["ctx"]["min_length"]:
            continue  # pydantic counts right entries only; the wrong ones are complained of
        is_empty = marked.left_empty((*at, *loc))
        steps = marked.written((*at, *loc))
        if item["type"] == "missing" and not is_empty:
            steps = (*steps, loc[-1])
        value = EMPTY if is_empty else item["input"]
        wrong = _Wrong(model, item, value, _path(steps, marked.names))
        if len(loc) == 1:
            wrong.siblings += tuple(also)
        complaints.append(marked.complaint((*at, *loc), wrong.message()))
    return complaints


def _path(loc: Loc, called: Mapping[str, str]) -> str:
    names = [step for step in loc if isinstance(step, str) and step != "[key]"]
    dotted = ".".join(names)
    dotted = called.get(dotted, dotted)
    if loc and isinstance(loc[-1], int):
        return f"an entry of {dotted}" if dotted else "an entry"
    return dotted


class _Wrong:
    """One of pydantic's errors, with all that a sentence about it may need.

    Beside the error: the type that is wanted at its place, what would be `right` there, and the
    keys of its parent. `about` is what a field's description says in models that are not
    `Written`: there it tells what the field is for, not what to write.
    """

    def __init__(self, model: type[BaseModel], item: Any, value: Any, path: str) -> None:
        self.item = item
        self.value = value
        self.path = path
        self.annotation, self.right = _bare(model)
        self.about = ""
        self.siblings: tuple[str, ...] = ()
        for step in item["loc"]:
            if step == "[key]":  # an error about the key itself, which the step before named
                self.right = ""
                return
            self.siblings = _keys(self.annotation)
            if inner := _step(self.annotation, step):
                self.annotation, self.right = inner
        if not issubclass(model, Written):
            self.about, self.right = self.right, ""

    def message(self) -> str:
        """What is wrong, and after a semicolon what would be right."""
        special = {
            "missing": self._missing,
            "extra_forbidden": self._unknown_key,
            "literal_error": self._choice,
            "value_error": self._own_words,
        }
        return special.get(self.item["type"], self._plain)()

    def _plain(self) -> str:
        kind = self.item["type"]
        if self.value is EMPTY:
            return f"{self.path} is empty; {self._advice(kind)}"
        subject = f"{self.path}: {shown(self.value)}" if self.path else shown(self.value)
        if kind in _NOT:
            return f"{subject} is not {_NOT[kind]}; {self._advice(kind)}"
        if kind in _OUTSIDE:
            word, bound = _OUTSIDE[kind]
            return f"{subject} is {word}; {self._write(bound.format(**self.item['ctx']))}"
        problem = self.item["msg"]
        problem = problem[:1].lower() + problem[1:]
        return f"{subject} is not valid; {self._write('') if self.right else problem}"

    def _advice(self, kind: str) -> str:
        """What to do, after the semicolon."""
        type_name = _NOT.get(kind, "a value")
        if isinstance(self.value, str) and type_name in _named(plain(self.value)):
            return f"{self._write(type_name)}, without quotes"
        if self.value is EMPTY or self.right not in ("", type_name):
            return self._write(type_name)
        if type_name == "text" and not isinstance(self.value, list | dict):
            return "put it in quotes"
        return _HOW.get(type_name) or self._write(type_name)

    def _write(self, otherwise: str) -> str:
        about = f" ({self.about})" if self.about else ""
        return f"write {self.right or otherwise}{about}"

    def _missing(self) -> str:
        problem, otherwise = ("empty", "a value") if self.value is EMPTY else ("missing", "it")
        return f"{self.path} is {problem}; {self._write(self._choices(' or ') or otherwise)}"

    def _unknown_key(self) -> str:
        parent, _, _ = self.path.rpartition(".")
        key = str(self.item["loc"][-1])
        inside = f"{parent}: " if parent else ""
        return f"{inside}unknown key {shown(key)}; {hint(key, self.siblings)}"

    def _choice(self) -> str:
        if self.value is EMPTY:
            return f"{self.path} is empty; write {self._choices(' or ')}"
        if isinstance(self.value, str):
            known = [str(c) for c in get_args(self.annotation)]
            return f"{self.path}: no {shown(self.value)}; {hint(self.value, known)}"
        return f"{self.path}: {shown(self.value)} isn't valid; choose from: {self._choices(', ')}"

    def _choices(self, between: str) -> str:
        """The values of a Literal; empty for any other type."""
        is_choice = get_origin(self.annotation) is Literal
        return between.join(map(str, get_args(self.annotation))) if is_choice else ""

    def _own_words(self) -> str:
        words = str(self.item["ctx"]["error"])
        return f"{self.path}{words}" if words.startswith(":") else f"{self.path} {words}".strip()


def _named(value: Any) -> tuple[str, ...]:
    """What a word would be if it stood there without quotes."""
    if isinstance(value, bool):
        return ("true or false",)
    if isinstance(value, int):
        return ("a whole number", "a number")
    return ("a number",) if isinstance(value, float) else ()


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
