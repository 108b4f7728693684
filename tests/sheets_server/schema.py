"""Bodies against Google's published schema, as google-api-python-client ships it."""

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import googleapiclient  # type: ignore[import-untyped]

from .refusals import invalid

Json = Any


@cache
def schemas() -> dict[str, Any]:
    """Google's schemas, by name."""
    folder = Path(googleapiclient.__file__).parent / "discovery_cache" / "documents"
    found: dict[str, Any] = json.loads((folder / "sheets.v4.json").read_text("utf-8"))
    by_name: dict[str, Any] = found["schemas"]
    return by_name


def check(name: str, value: Json) -> None:
    """Refuse a value that is not of the schema `name`, as Google says it."""
    wrong = list(_wrong({"$ref": name}, value, ""))
    if wrong:
        raise invalid("\n".join(wrong))


def _wrong(schema: Mapping[str, Any], value: Json, path: str) -> list[str]:
    if value is None:
        return []
    if "$ref" in schema:
        return _wrong_object(schemas()[schema["$ref"]], value, path)
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
