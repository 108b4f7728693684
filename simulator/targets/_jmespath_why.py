"""Why a JMESPath found nothing: the path is walked once more, and every missed step is kept."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from difflib import get_close_matches
from typing import Any

from jmespath.exceptions import JMESPathError, JMESPathTypeError
from jmespath.visitor import TreeInterpreter

from simulator.core.clean import cut, visible

_KEYS = 20
_TOLD = 2  # of `a || b` both sides are told
_SOMEWHERE = "@"  # a value that the path itself made


def why_nothing(parsed: Any, value: Any, root: str) -> str:
    """What was there instead, in one sentence; empty where no step missed anything.

    `parsed` is a compiled path's tree, `root` what the data is called: `the body`.
    """
    walker = _Walker(value, root)
    found = None
    try:
        found = walker.visit(parsed, value)
    except JMESPathTypeError as error:
        given = kind_of(error.current_value)
        walker.missed(f"{error.function_name}() cannot take {given}", depth=0)
    except (JMESPathError, TypeError, ValueError, ArithmeticError) as error:
        walker.missed(cut(visible(str(error)), 200), depth=0)
    return walker.told(found)


class _Walker(TreeInterpreter):  # type: ignore[misc, unused-ignore]
    """Evaluates a path as JMESPath does, and notes each step that leads nowhere.

    `_places` says, by identity, where in the data a value lies; what a step leads to is looked at
    by the next step at once, so that a later owner of the same identity takes its place.
    """

    def __init__(self, value: Any, root: str) -> None:
        super().__init__()
        self._root = root
        self._places: dict[int, str] = {id(value): ""}
        self._held: list[Any] = []  # an identity stays its owner's only while that one lives
        self._misses: dict[str, int] = {}
        self._quiet = False
        self._unmet = ""
        self._emptied = False

    def told(self, found: Any) -> str:
        """The misses that got furthest, or nothing; `found` is what came out in the end."""
        if found == [] and not self._emptied:  # the list itself was empty, or was filtered
            return ""
        if self._unmet and found is None:
            return self._unmet
        deepest = sorted(self._misses.items(), key=lambda miss: -miss[1])
        return ", and ".join(text for text, _ in deepest[:_TOLD])

    def missed(self, text: str, depth: int) -> None:
        if not self._quiet:
            self._misses.setdefault(text, depth)

    def visit_field(self, node: Any, value: Any) -> Any:
        name = node["value"]
        where = self._place(value)
        if isinstance(value, Mapping) and name in value:
            found = value[name]
            here = self._put(found, f"{where}.{name}".lstrip("."))
            if found is None:
                self._miss(f"`{here}` is null", here)
            return found
        if value is not None or where == "":  # of a null on the way its own step has told
            self._miss(_no_key(self._name(where), name, value), where)
        return None

    def visit_index(self, node: Any, value: Any) -> Any:
        found = super().visit_index(node, value)
        where, at = self._place(value), node["value"]
        if found is not None:
            self._put(found, f"{where}[{at}]")
        elif isinstance(value, list):
            self._miss(f"{self._name(where)} has {_count(len(value))}, no [{at}]", where)
        elif value is not None:
            self._miss(f"{self._name(where)} is {kind_of(value)}, not a list", where)
        return found

    def visit_projection(self, node: Any, value: Any) -> Any:
        base = self._list(node, value)
        if base is None:
            return None
        return self._wanted(node["children"][1], base, self._each(base))

    def visit_value_projection(self, node: Any, value: Any) -> Any:
        base = self.visit(node["children"][0], value)
        if not isinstance(base, Mapping):
            if base is not None:
                where = self._place(base)
                self._miss(f"{self._name(where)} is {kind_of(base)}, not a mapping", where)
            return None
        return self._wanted(node["children"][1], base, self._each_value(base))

    def visit_filter_projection(self, node: Any, value: Any) -> Any:
        base = self._list(node, value)
        if base is None:
            return None
        _, wanted, condition = node["children"]
        with self._silence():  # what a condition looks for may well be absent
            passed = [e for e in self._each(base) if _holds(self.visit(condition, e))]
        if base and not passed:
            where = self._place(base)
            self._unmet = f"none of the {_count(len(base))} of {self._name(where)} is let through"
        self._put(passed, self._place(base))
        return self._wanted(wanted, base, self._each(passed))

    def visit_flatten(self, node: Any, value: Any) -> Any:
        base = self._list(node, value)
        if base is None:
            return None
        where = self._place(base)
        merged: list[Any] = []
        for element in base:
            merged.extend(element if isinstance(element, list) else [element])
        self._put(merged, where)
        return merged

    def visit_comparator(self, node: Any, value: Any) -> Any:
        with self._silence():
            return super().visit_comparator(node, value)

    def _list(self, node: Any, value: Any) -> list[Any] | None:
        base = self.visit(node["children"][0], value)
        if isinstance(base, list):
            return base
        if base is not None:
            where = self._place(base)
            self._miss(f"{self._name(where)} is {kind_of(base)}, not a list", where)
        return None

    def _wanted(self, wanted: Any, base: Any, elements: Iterator[Any]) -> list[Any]:
        led = [self.visit(wanted, element) for element in elements]
        found = [value for value in led if value is not None]
        self._emptied = self._emptied or len(led) > len(found) == 0
        self._put(found, self._place(base))
        return found

    def _each(self, base: list[Any]) -> Iterator[Any]:
        where = self._place(base)
        for element in base:
            self._put(element, f"{where}[]")  # one sentence for all entries that lack a key
            yield element

    def _each_value(self, base: Mapping[Any, Any]) -> Iterator[Any]:
        where = self._place(base)
        for key, element in base.items():
            self._put(element, f"{where}.{key}".lstrip("."))
            yield element

    def _put(self, value: Any, where: str) -> str:
        if value is not None:
            self._places[id(value)] = where
            self._held.append(value)
        return where

    def _place(self, value: Any) -> str:
        return self._places.get(id(value), _SOMEWHERE)

    def _name(self, where: str) -> str:
        if where.startswith(_SOMEWHERE):
            return "what the path made"
        return f"`{cut(visible(where), 120)}`" if where else self._root

    def _miss(self, text: str, where: str) -> None:
        self.missed(text, where.count(".") + where.count("[") + bool(where))

    @contextmanager
    def _silence(self) -> Iterator[None]:
        before, self._quiet = self._quiet, True
        try:
            yield
        finally:
            self._quiet = before


def _holds(value: Any) -> bool:
    """What JMESPath takes for true: 0 as well."""
    return value not in ("", [], {}, None) and value is not False


def _no_key(where: str, name: str, value: Any) -> str:
    if value is None:
        return f"{where} is null"
    if isinstance(value, list):
        return f"{where} is a list of {_count(len(value))}, not a mapping; look into it with []"
    if not isinstance(value, Mapping):
        return f"{where} is {kind_of(value)}, not a mapping with a key {name}"
    keys = [cut(visible(str(key)), 40) for key in value]
    near = get_close_matches(name, keys, n=1, cutoff=0.6)
    more = f" and {len(keys) - _KEYS} more" if len(keys) > _KEYS else ""
    there = f"there are: {', '.join(keys[:_KEYS])}{more}" if keys else "it is empty"
    meant = f"did you mean {near[0]}? " if near else ""
    return f"{where} has no `{name}`; {meant}{there}"


def kind_of(value: Any) -> str:
    """What kind of JSON a value is, in words, and, short, what it holds."""
    match value:
        case None | bool():
            return json.dumps(value)
        case str():
            return f'text ("{cut(visible(value), 60)}")'
        case int() | float():
            return f"a number ({cut(str(value), 40)})"
    return "a list" if isinstance(value, list) else "a mapping"


def _count(n: int) -> str:
    return "1 entry" if n == 1 else f"{n} entries"
