"""Field masks: which parts of a body are meant."""

import re
from collections.abc import Mapping
from typing import Any

from .refusals import RefusedError
from .schema import schemas

Json = Any
Mask = dict[str, "Mask"]
"""A field mask as a tree; an empty one holds everything below it."""


def mask_of(text: str, name: str) -> Mask:
    """A field mask, whose names have to be fields of the schema `name`."""
    found = _parse_mask(text)
    _check_mask(found, {"$ref": name}, "")
    return found


def _parse_mask(text: str) -> Mask:
    tree: Mask = {}
    tokens = re.findall(r"[\w*]+|[(),./]", text)
    position = 0

    def entries() -> list[tuple[list[str], Mask]]:
        nonlocal position
        found = []
        while position < len(tokens):
            path = [tokens[position]]
            position += 1
            while position < len(tokens) and tokens[position] in "./":
                path.append(tokens[position + 1])
                position += 2
            inner: Mask = {}
            if position < len(tokens) and tokens[position] == "(":
                position += 1
                for names, below in entries():
                    _put(inner, names, below)
                position += 1
            found.append((path, inner))
            if position < len(tokens) and tokens[position] == ",":
                position += 1
            else:
                break
        return found

    for names, below in entries():
        _put(tree, names, below)
    return tree


def _put(tree: Mask, names: list[str], below: Mask) -> None:
    for name in names:
        tree = tree.setdefault(_camel(name), {})
    for name, inner in below.items():
        _put(tree, [name], inner)


def _camel(name: str) -> str:
    return re.sub(r"_([a-z])", lambda found: found[1].upper(), name)


def _check_mask(mask: Mask, schema: Mapping[str, Any], path: str) -> None:
    if "$ref" in schema:
        schema = schemas()[schema["$ref"]]
    if schema.get("type") == "array":
        _check_mask(mask, schema["items"], path)
        return
    for name, below in mask.items():
        known = schema.get("properties", {})
        if name != "*" and name not in known:
            raise RefusedError(400, f"Invalid field: {path}{name}")
        if name != "*":
            _check_mask(below, known[name], f"{path}{name}.")


def masked(value: Json, mask: Mask) -> Json:
    """What a mask leaves of a value."""
    if not mask or "*" in mask:
        return value
    if isinstance(value, list):
        return [masked(item, mask) for item in value]
    if not isinstance(value, dict):
        return value
    return {name: masked(value[name], below) for name, below in mask.items() if name in value}


def has(mask: Mask, *path: str) -> bool:
    """Whether a mask holds a field, or anything below it."""
    for name in path:
        if not mask or "*" in mask:
            return True
        if name not in mask:
            return False
        mask = mask[name]
    return True


def put(old: Json, new: Json, mask: Mask) -> Json:
    """`old` with the fields of the mask as `new` has them, and without those that it has not."""
    if not mask or "*" in mask:
        return new
    found = dict(old or {})
    for name, below in mask.items():
        inner = put(found.get(name), (new or {}).get(name), below)
        if inner is None or (inner == {} and below):
            found.pop(name, None)
        else:
            found[name] = inner
    return found
