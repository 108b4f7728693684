"""JMESPath over what a bot sent: compiled once; a path that finds nothing says what was there."""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Annotated, Any

import jmespath
from jmespath.exceptions import JMESPathError, JMESPathTypeError
from jmespath.functions import Functions
from jmespath.visitor import TreeInterpreter
from pydantic import AfterValidator, Field

from simulator.core.clean import cut, visible
from simulator.plugins import suggest
from simulator.words import counted

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_STEP = re.compile(r'"(?:[^"\\]|\\.)*"|[^.\[\]|&(){}"\s]+')
_KEYS = 20
_TOLD = 2  # of `a || b` both sides are told
_SOMEWHERE = "@"  # a value that the path itself made


@dataclass(frozen=True, slots=True)
class PathMatch:
    """What a path found. `why` is empty where it found something, an honest empty list too.

    Otherwise `value` is None and `why` says, in a sentence for people, what was there instead. A
    list that came out empty because nothing in it has the key asked for is nothing found: it must
    not pass for a search without a hit.
    """

    value: Any
    why: str = ""


class JmesPath:
    """A JMESPath, compiled once; any number of calls may share it.

    `text` is the path as it was written.
    """

    __slots__ = ("_parsed", "text")

    def __init__(self, text: str) -> None:
        """Compile the path.

        Raises:
            ValueError: it is none; the text says what would be right, and begins with a colon.
        """
        try:
            self._parsed = jmespath.compile(text)
            wrong = _wrong_function(self._parsed.parsed)
        except RecursionError:
            wrong = "it is nested too deeply; write a shorter one"
        except (JMESPathError, ValueError) as error:
            wrong = f"{_place(error, text)}; {_right(text)}"
        if not text.strip():
            wrong = "it is empty; write where in the answer to look, such as data.answer"
        if wrong:
            raise ValueError(f": {quoted_path(text)} is no JMESPath: {wrong}")
        self.text = text

    def search(self, value: Any) -> Any:
        """What the path leads to in JSON-like data; None where it leads nowhere. Raises nothing."""
        try:
            return self._parsed.search(value)
        except (JMESPathError, TypeError, ValueError, ArithmeticError):
            return None  # a function was given what it cannot take; `find` says so

    def find(self, value: Any, root: str = "the body") -> PathMatch:
        """As `search`, with the reason where nothing was found; `root` names the data in it."""
        found = self.search(value)
        if found is not None and found != []:
            return PathMatch(found)
        why = why_nothing(self._parsed.parsed, value, root)
        if found == [] and not why:
            return PathMatch([])
        return PathMatch(
            None, f"{quoted_path(self.text)} found nothing: {why or 'it leads to null'}"
        )


def checked_path(text: str) -> str:
    """The text of a JMESPath, for a validator of settings.

    Raises:
        ValueError: it is none; see `JmesPath`.
    """
    return JmesPath(text).text


PathText = Annotated[
    str, AfterValidator(checked_path), Field(description="a JMESPath, such as data.answer")
]


def compiled(text: str | None) -> JmesPath | None:
    """The path of a setting, or None where there is none."""
    return None if text is None else JmesPath(text)


def quoted_path(text: str) -> str:
    """A path as a sentence repeats it."""
    return f'"{cut(visible(text), 120)}"'


def _place(error: Exception, text: str) -> str:
    at = getattr(error, "lex_position", None)
    if not isinstance(at, int):
        return "it cannot be read"
    if at >= len(text):
        return "it ends too early"
    return f'"{text[at]}" at column {at + 1} cannot stand there'


def _right(text: str) -> str:
    """The path that was probably meant, if it is one, or where the form is described."""
    bare = re.sub(r"^\$\.?", "", text.strip())  # as JSONPath begins
    for candidate in (bare, _STEP.sub(_quoted, bare)):
        if candidate and candidate != text and _compiles(candidate):
            return f"did you mean {candidate} ?"
    return 'right are paths such as data.answer, choices[0].text, data."with-hyphen", sources[].id'


def _quoted(match: re.Match[str]) -> str:
    step = match.group()
    plain = step.startswith(('"', "`", "'", "?", "*", "@", "-")) or step.isdigit()
    return step if plain or _IDENTIFIER.fullmatch(step) else f'"{step}"'


def _compiles(text: str) -> bool:
    try:
        jmespath.compile(text)
    except (JMESPathError, ValueError):
        return False
    return True


def _wrong_function(node: Any) -> str:
    """JMESPath itself tells of an unknown function only when an answer is there."""
    if not isinstance(node, dict):
        return ""
    if node.get("type") == "function_expression":
        table = Functions.FUNCTION_TABLE
        name, given = node["value"], len(node["children"])
        if name not in table:
            return f"no function {name}(); {suggest(name, tuple(sorted(table)))}"
        signature = table[name]["signature"]
        variadic = bool(signature) and bool(signature[-1].get("variadic"))
        if given < len(signature) or (given > len(signature) and not variadic):
            return f"{name}() takes {counted(len(signature), 'argument')}, not {given}"
    return next(filter(None, map(_wrong_function, node.get("children", ()))), "")


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
        else:
            self._is_no(value, "list")
        return found

    def visit_projection(self, node: Any, value: Any) -> Any:
        return self._projected(node, self._base(node, value))

    def visit_value_projection(self, node: Any, value: Any) -> Any:
        return self._projected(node, self._base(node, value, Mapping, "mapping"))

    def _projected(self, node: Any, base: Any) -> Any:
        return None if base is None else self._wanted(node["children"][1], base, self._each(base))

    def visit_filter_projection(self, node: Any, value: Any) -> Any:
        base = self._base(node, value)
        if base is None:
            return None
        _, wanted, condition = node["children"]
        with self._silence():  # what a condition looks for may well be absent
            passed = [e for e in self._each(base) if is_true(self.visit(condition, e))]
        if base and not passed:
            where = self._place(base)
            self._unmet = f"none of the {_count(len(base))} of {self._name(where)} is let through"
        self._put(passed, self._place(base))
        return self._wanted(wanted, base, self._each(passed))

    def visit_flatten(self, node: Any, value: Any) -> Any:
        base = self._base(node, value)
        if base is None:
            return None
        merged = [v for one in base for v in (one if isinstance(one, list) else [one])]
        self._put(merged, self._place(base))
        return merged

    def visit_comparator(self, node: Any, value: Any) -> Any:
        with self._silence():
            return super().visit_comparator(node, value)

    def _base(self, node: Any, value: Any, kind: Any = list, called: str = "list") -> Any:
        base = self.visit(node["children"][0], value)
        if isinstance(base, kind):
            return base
        self._is_no(base, called)
        return None

    def _is_no(self, value: Any, wanted: str) -> None:
        if value is not None:
            where = self._place(value)
            self._miss(f"{self._name(where)} is {kind_of(value)}, not a {wanted}", where)

    def _wanted(self, wanted: Any, base: Any, elements: Iterator[Any]) -> list[Any]:
        led = [self.visit(wanted, element) for element in elements]
        found = [value for value in led if value is not None]
        self._emptied = self._emptied or len(led) > len(found) == 0
        self._put(found, self._place(base))
        return found

    def _each(self, base: Any) -> Iterator[Any]:
        """The entries of a list, for which there is one sentence, or the values of a mapping."""
        where, keyed = self._place(base), isinstance(base, Mapping)
        for key, element in base.items() if keyed else enumerate(base):
            self._put(element, f"{where}.{key}".lstrip(".") if keyed else f"{where}[]")
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


def is_true(value: object) -> bool:
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
