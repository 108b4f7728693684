"""Bodies against Google's published schema, as google-api-python-client ships it."""

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import googleapiclient  # type: ignore[import-untyped]

from tests.sheets_server.refusals import RefusedError, invalid

Json = Any


@cache
def _document() -> dict[str, Any]:
    folder = Path(googleapiclient.__file__).parent / "discovery_cache" / "documents"
    found: dict[str, Any] = json.loads((folder / "sheets.v4.json").read_text("utf-8"))
    return found


def check(name: str, value: Json) -> None:
    """Refuse a value that is not of the schema `name`, as Google says it."""
    wrong = list(_wrong({"$ref": name}, value, ""))
    if wrong:
        raise invalid("\n".join(wrong))


def _wrong(schema: Mapping[str, Any], value: Json, path: str) -> list[str]:
    if value is None:
        return []
    if "$ref" in schema:
        return _wrong_object(_document()["schemas"][schema["$ref"]], value, path)
    kind = schema.get("type")
    if kind == "array":
        if not isinstance(value, list):
            return [f"Invalid value at '{_snake(path)}', {json.dumps(value)}"]
        parts = [_wrong(schema["items"], item, f"{path}[{n}]") for n, item in enumerate(value)]
        return [line for part in parts for line in part]
    if kind == "object":
        return _wrong_object(schema, value, path)
    return _wrong_scalar(schema, value, path)


def _wrong_object(schema: Mapping[str, Any], value: Json, path: str) -> list[str]:
    if not isinstance(value, dict):
        return [f"Invalid value at '{_snake(path)}', {json.dumps(value)}"]
    known, other = schema.get("properties", {}), schema.get("additionalProperties")
    lines = []
    for name, inner in value.items():
        if name in known:
            lines += _wrong(known[name], inner, f"{path}.{name}" if path else name)
        elif other is None:
            at = f" at '{_snake(path)}'" if path else ""
            lines.append(
                f'Invalid JSON payload received. Unknown name "{name}"{at}: Cannot find field.'
            )
    return lines


_SCALARS: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int, str),
    "number": (int, float),
    "boolean": (bool,),
    "any": (object,),
}


def _wrong_scalar(schema: Mapping[str, Any], value: Json, path: str) -> list[str]:
    kind = schema.get("type", "any")
    right = isinstance(value, _SCALARS[kind])
    if kind in {"integer", "number"} and isinstance(value, bool):
        right = False
    if kind == "integer" and isinstance(value, str):
        right = re.fullmatch(r"-?\d+", value) is not None
    if kind == "integer" and schema.get("format") == "int32" and right:
        right = -(2**31) <= int(value) < 2**31
    if right and "enum" in schema:
        right = value in schema["enum"]
    said = json.dumps(value, ensure_ascii=False)[:200]
    return [] if right else [f"Invalid value at '{_snake(path)}' (TYPE_{kind.upper()}), {said}"]


def _snake(path: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", lambda found: f"_{found[1].lower()}", path)


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
        schema = _document()["schemas"][schema["$ref"]]
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
