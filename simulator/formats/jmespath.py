"""JMESPath over what a bot sent: compiled once; a path that finds nothing says what was there."""

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import lru_cache
from typing import Annotated, Any

import jmespath
from jmespath.exceptions import JMESPathError
from jmespath.functions import Functions
from jmespath.visitor import TreeInterpreter
from pydantic import AfterValidator, Field

from simulator.core.bounds import MAX_PATH, MAX_WORK, TooMuch
from simulator.core.clean import cut, visible
from simulator.core.worker import HAS_CONFINED, confined
from simulator.plugins import suggest
from simulator.words import counted

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_STEP = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\\?$)|[^.\[\]|&(){}"\s]+')
_MAX_KEYS = 20
_MAX_MISSES = 2  # of `a || b` both sides
# What a step counts for, an entry that it makes, one that is looked at, and a letter.
_VISIT, _ENTRY, _LOOK, _CHARACTER = 50, 16, 100, 2
_DEEP = frozenset({"to_string", "contains"})  # functions that look into all that they are given
_SIDE_BY_SIDE = frozenset({"multi_select_list", "multi_select_dict"})
_OF_A_FUNCTION, _FEW_COPIES = 3, 32  # beyond them a path is worked out in a process of its own
_COMPUTED = "@"  # the place of a value that the path itself made
_FLATTEN = {"type": "flatten", "children": [{"type": "identity", "children": []}]}
# What a function raises that was given what it cannot take, and a path that is nested too deeply.
_ERRORS = (JMESPathError, TypeError, ValueError, ArithmeticError, RecursionError)
_Node = Any  # of a compiled path, as jmespath makes it


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

    __slots__ = ("_is_small", "_parsed", "text")

    def __init__(self, text: str) -> None:
        """Compile the path.

        Raises:
            ValueError: it is none; the text says what would be right, and begins with a colon.
        """
        if len(text) > MAX_PATH:
            longer = f"isn't a JMESPath: it's longer than {MAX_PATH:,} characters"
            raise ValueError(f": {quoted_path(text)} {longer}")
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
            raise ValueError(f": {quoted_path(text)} isn't a JMESPath: {wrong}")
        self.text = text
        self._is_small = _most_copies(self._parsed.parsed) <= _FEW_COPIES
        if not self._is_small:
            HAS_CONFINED.set()

    def search(self, value: Any) -> Any:
        """What the path leads to in JSON-like data; None where it leads nowhere. Raises nothing."""
        try:
            return self._searched(value)
        except TooMuch:
            return None  # `find` says so

    def _searched(self, value: Any) -> Any:
        return self.searched(value) if self._is_small else confined(_search, self.text, value)

    def searched(self, value: Any) -> Any:
        """As `search`, in this process.

        Raises:
            TooMuch: it makes too much.
        """
        interpreter = _Interpreter()
        try:
            found = interpreter.visit(self._parsed.parsed, value)
            interpreter.weigh(found)  # it may hold one list many times
        except TooMuch:
            raise
        except _ERRORS:
            return None  # a function was given what it cannot take; `find` says so
        return found

    def find(self, value: Any, root: str = "the body") -> PathMatch:
        """As `search`, with the reason where nothing was found; `root` names the data in it."""
        try:
            match = self._searched(value)
        except TooMuch as error:
            return PathMatch(None, f"{quoted_path(self.text)} {error}")
        if match is not None and match != []:
            return PathMatch(match)
        try:
            misses = (
                self.misses(value, root)
                if self._is_small
                else confined(_misses, self.text, value, root)
            )
        except TooMuch as error:
            return PathMatch(None, f"{quoted_path(self.text)} {error}")
        if match == [] and not misses:
            return PathMatch([])
        why = ", and ".join(misses) or "it leads to null"
        return PathMatch(None, f"{quoted_path(self.text)} matches nothing: {why}")

    def misses(self, value: Any, root: str) -> tuple[str, ...]:
        """Why the path leads nowhere, in sentences; worked out in this process.

        Raises:
            TooMuch: it makes too much.
        """
        return _Explainer(root).visit(self._parsed.parsed, _Outcome(value, "")).misses


def _search(text: str, value: Any) -> Any:
    return compiled(text).searched(value)


def _misses(text: str, value: Any, root: str) -> tuple[str, ...]:
    return compiled(text).misses(value, root)


def _most_copies(node: _Node) -> int:
    """How many copies of what it is given a path may make, whatever that is; functions count, too.

    What follows something is given what that made, so that the numbers multiply.
    """
    inner = [_most_copies(child) for child in node.get("children", ()) if isinstance(child, dict)]
    if node.get("type") in _SIDE_BY_SIDE:
        return max(1, sum(inner))
    own = _OF_A_FUNCTION if node.get("type") == "function_expression" else 1
    return min(own * math.prod(inner), _FEW_COPIES + 1)


class _Interpreter(TreeInterpreter):
    """Evaluates one path once, and counts: what a path makes grows with it like a power.

    Raises:
        TooMuch: it would make more than `MAX_WORK`.
    """

    def __init__(self) -> None:
        super().__init__()
        self._left = MAX_WORK

    def visit(self, node: _Node, *args: Any, **kwargs: Any) -> Any:
        value = super().visit(node, *args, **kwargs)
        self._spend(_VISIT + (_ENTRY * len(value) if isinstance(value, list | dict) else 0))
        return value

    def visit_flatten(self, node: _Node, value: Any) -> Any:
        base = self.visit(node["children"][0], value)
        for entry in base if isinstance(base, list) else ():
            self._spend(_ENTRY * len(entry) if isinstance(entry, list) else _ENTRY)
        return super().visit_flatten(_with(node, [base]), value)

    def visit_comparator(self, node: _Node, value: Any) -> Any:
        sides = [self.visit(child, value) for child in node["children"]]
        self.weigh(sides)
        return super().visit_comparator(_with(node, sides), value)

    def visit_function_expression(self, node: _Node, value: Any) -> Any:
        given = [self.visit(child, value) for child in node["children"]]
        texts = (t for each in given for t in (each if isinstance(each, list) else [each]))
        self._spend(sum(_CHARACTER * len(text) for text in texts if isinstance(text, str)))
        if node["value"] == "join" and all(map(isinstance, given, (str, list))):
            self._spend(_CHARACTER * len(given[0]) * len(given[1]))
        if node["value"] in _DEEP:
            self.weigh(given)
        return super().visit_function_expression(_with(node, given), value)

    def weigh(self, value: Any) -> None:
        """Count all that is in a value, twice if it is in it twice."""
        waiting = [value]
        while waiting:
            part = waiting.pop()
            if isinstance(part, str):
                self._spend(_CHARACTER * len(part))
            elif isinstance(part, list | dict):
                self._spend(_LOOK * len(part))
                waiting += part.values() if isinstance(part, dict) else part

    def _spend(self, weight: int) -> None:
        self._left -= weight
        if self._left < 0:
            raise TooMuch("creates a result that is too large; write a shorter path")


def _with(node: _Node, values: list[Any]) -> _Node:
    """The node with what its children came to in their place."""
    children = [{"type": "literal", "value": value, "children": []} for value in values]
    return {**node, "children": children}


def checked_path(text: str) -> str:
    """The text of a JMESPath, for a validator of settings.

    Raises:
        ValueError: it is none; see `JmesPath`.
    """
    return JmesPath(text).text


PathText = Annotated[
    str, AfterValidator(checked_path), Field(description="a JMESPath, such as data.answer")
]


@lru_cache(maxsize=256)
def compiled(text: str) -> JmesPath:
    """The path of a setting, compiled once."""
    return JmesPath(text)


def quoted_path(text: str) -> str:
    """A path as a sentence repeats it."""
    return f'"{cut(visible(text), 120)}"'


def _place(error: Exception, text: str) -> str:
    at = getattr(error, "lex_position", None)
    if not isinstance(at, int):
        return "it can't be parsed"
    if at >= len(text):
        return "it ends too early"
    return f'"{text[at]}" at column {at + 1} isn\'t allowed there'


def _right(text: str) -> str:
    """The path that was probably meant, if it is one, or where the form is described."""
    bare = re.sub(r"^\$\.?", "", text.strip())  # as JSONPath begins
    for candidate in (bare, _STEP.sub(_quoted, bare)):
        if candidate and candidate != text and _compiles(candidate):
            return f"did you mean {candidate} ?"
    return 'use paths such as data.answer, choices[0].text, data."with-hyphen", sources[].id'


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


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What a part of a path leads to: a value, and where in the data that lies.

    `misses` says, in sentences, why it leads nowhere; none where it leads somewhere, or to an empty
    list that the bot sent.
    """

    value: Any
    place: str
    misses: tuple[str, ...] = ()

    def missed(self, *sentences: str) -> "_Outcome":
        """That nothing is there, and why; of entries that say the same, one sentence is kept."""
        return replace(self, value=None, misses=tuple(dict.fromkeys(sentences))[:_MAX_MISSES])

    def below(self, key: str, value: Any) -> "_Outcome":
        """A value of this mapping."""
        return _Outcome(value, f"{self.place}.{key}".lstrip("."))


class _Explainer:
    """Evaluates a path as JMESPath does, and explains each step that leads nowhere.

    Each method applies a part of a compiled path to what the part before it led to.
    """

    def __init__(self, root: str) -> None:
        """`root` is what sentences call the data."""
        self._root = root

    def visit(self, node: _Node, base: _Outcome) -> _Outcome:
        method = getattr(self, f"visit_{node['type']}", None)
        if method is not None:
            outcome: _Outcome = method(node, base)
            return outcome
        try:
            return _Outcome(_Interpreter().visit(node, base.value), _COMPUTED)
        except _ERRORS as error:
            return _Outcome(None, _COMPUTED).missed(cut(visible(str(error)), 200))

    def visit_identity(self, node: _Node, base: _Outcome) -> _Outcome:
        del node
        return base

    def visit_field(self, node: _Node, base: _Outcome) -> _Outcome:
        key, value = node["value"], base.value
        if not isinstance(value, Mapping) or key not in value:
            return base.missed(_no_key(self._name(base), key, value))
        entry = base.below(key, value[key])
        return entry.missed(f"{self._name(entry)} is null") if entry.value is None else entry

    def visit_index(self, node: _Node, base: _Outcome) -> _Outcome:
        if not isinstance(base.value, list):
            return self._wrong_kind(base, "list")
        at, entry = node["value"], _evaluated(node, base.value)
        if entry is None:
            return base.missed(f"{self._name(base)} has {_count(len(base.value))}, no [{at}]")
        return _Outcome(entry, f"{base.place}[{at}]")

    def visit_subexpression(self, node: _Node, base: _Outcome) -> _Outcome:
        """Step after step, up to the first one that leads nowhere."""
        for step in node["children"]:
            base = self.visit(step, base)
            if base.misses:
                break
        return base

    visit_index_expression = visit_pipe = visit_subexpression

    def visit_or_expression(self, node: _Node, base: _Outcome) -> _Outcome:
        left, right = (self.visit(child, base) for child in node["children"])
        if is_true(left.value):
            return left
        return right if right.value is not None else right.missed(*left.misses, *right.misses)

    def visit_flatten(self, node: _Node, base: _Outcome) -> _Outcome:
        entries = self._entries(node, base, "list")
        return replace(entries, value=_evaluated(_FLATTEN, entries.value))

    def visit_projection(self, node: _Node, base: _Outcome) -> _Outcome:
        """What the right side of a projection leads to from each entry of the left one."""
        is_keyed = node["type"] == "value_projection"
        holder = self._entries(node, base, "mapping" if is_keyed else "list")
        if holder.misses:
            return holder
        if is_keyed:
            entries = [holder.below(key, value) for key, value in holder.value.items()]
        else:
            entries = [_Outcome(value, f"{holder.place}[]") for value in holder.value]
        _, wanted, *conditions = node["children"]
        for condition in conditions:
            entries = [e for e in entries if is_true(_evaluated(condition, e.value))]
        outcomes = [self.visit(wanted, entry) for entry in entries]
        values = [outcome.value for outcome in outcomes if outcome.value is not None]
        if entries and not values:
            return holder.missed(*(miss for outcome in outcomes for miss in outcome.misses))
        return _Outcome(values, holder.place)

    visit_value_projection = visit_filter_projection = visit_projection

    def _entries(self, node: _Node, base: _Outcome, kind: str) -> _Outcome:
        """The list or mapping that a projection looks into."""
        holder = self.visit(node["children"][0], base)
        if holder.misses or isinstance(holder.value, Mapping if kind == "mapping" else list):
            return holder
        return self._wrong_kind(holder, kind)

    def _wrong_kind(self, base: _Outcome, kind: str) -> _Outcome:
        return base.missed(f"{self._name(base)} is {kind_of(base.value)}, not a {kind}")

    def _name(self, outcome: _Outcome) -> str:
        if outcome.place.startswith(_COMPUTED):
            return "what the path made"
        return f"`{cut(visible(outcome.place), 120)}`" if outcome.place else self._root


def _evaluated(node: _Node, value: Any) -> Any:
    try:
        return _Interpreter().visit(node, value)
    except _ERRORS:
        return None


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
    more = f" and {len(keys) - _MAX_KEYS} more" if len(keys) > _MAX_KEYS else ""
    known = f"it has: {', '.join(keys[:_MAX_KEYS])}{more}" if keys else "it is empty"
    meant = f"did you mean {near[0]}? " if near else ""
    return f"{where} has no `{name}`; {meant}{known}"


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
