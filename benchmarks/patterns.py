"""Which patterns take more than linear time: each on rows of what it is made of.

Every pattern that modules hold, that stands in a call of `re`, or is made of the phrases of a
language is set upon texts made from its own parse tree: what comes before a repeat once or again
and again, what is repeated within it many times, and an end that does not match. On a row four
times as long a linear pattern takes 4 times as long, a quadratic one 16 times. What is only ever
matched at one place, or on a text with a bound of its own, may be shown and harm nobody: `_KNOWN`
says why.
"""

import ast
import importlib
import inspect
import itertools
import math
import pkgutil
import re
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from re import _parser  # type: ignore[attr-defined]
from types import ModuleType
from typing import Any

import simulator
from benchmarks.process import cpu_seconds
from simulator.text.phrases import phrases

_SHORT, _TIMES = 1_000, 4
_LEAST_S = 0.01  # what is quicker than that on the long row harms nobody
_ENOUGH_S = 1.0  # a row like that is bad enough to be shown without looking for a worse one
_OFTEN = 12
_MOST_S = 5.0  # then a row is broken off
_SUSPECT = 8.0
_COMMON = (" ", "\n", "a", "1", "あ", "。")
_MOST_ROWS = 24  # of one pattern; the first of each kind come first
_MOST_WAYS = 3  # through a choice
_KNOWN = {
    "generate/elements": "8,000 characters",
    "generate/lists": "2,000 characters of a line",
    "text/en/personal": "masks a text of 100,000 characters in .3 s",
    "text/ja/personal": "masks a text of 100,000 characters in .3 s",
    "simulator.files.dialogs.keys._NUMBER": "a name's last 20 characters",
    "simulator.formats.xlsx.number_formats._TOKEN": "MAX_FORMAT: 255 characters",
    "simulator.formats.xlsx.number_formats:`\\B(?=(?:\\d{3})+$)`": "a number's digits",
    "simulator.worksheets.google.planning._REFERENCE": "formulas that mogi makes",
    "simulator.targets._wire.settings._PLACEHOLDER": "2,000 characters of one",
    "simulator.text.tokens._ABBREVIATION": "12 characters",
    "simulator.users.agenda.wording._ENDS": "40 characters",
    "simulator.users.agenda.en.matter._CONTRACTED": "200 characters",
    "simulator.users.agenda.en.matter._BEFORE_SUBJECT": "200 characters",
}
"""Patterns, or files of phrases, that grow, and why that harms nobody."""
_IN_SENTENCES = ("text/", "generate/asked", "users/agenda/")
"""Files of phrases that are searched in one sentence."""


_Found = tuple[str, re.Pattern[str], str]
"""Where a pattern is, the pattern, and how it is used: `finditer` where that is not told."""


def _patterns() -> Iterator[_Found]:
    """Every pattern of mogi, once for each way it is used in."""
    seen: set[tuple[str, str]] = set()
    for name, pattern, way in itertools.chain(_of_modules(), _of_phrases()):
        if (pattern.pattern, way) not in seen:
            seen.add((pattern.pattern, way))
            yield name, pattern, way


def _way(name: str, source: str) -> str:
    """How a module uses a pattern that it holds."""
    ways = set(re.findall(rf"\b{name}\.(\w+)\(", source))
    return ways.pop() if ways in ({"match"}, {"fullmatch"}) else "finditer"


def _of_modules() -> Iterator[_Found]:
    for found in pkgutil.walk_packages(simulator.__path__, "simulator."):
        try:
            module = importlib.import_module(found.name)
        except ImportError:  # an extra that is not installed
            continue
        source = inspect.getsource(module) or ""
        for name, value in list(vars(module).items()):
            for pattern in itertools.chain(_within(value, 0), _made_by(value, module)):
                yield f"{found.name}.{name}", pattern, _way(name, source)
        for name, pattern, way in _in_calls(source):
            yield f"{found.name}:{name}", pattern, way


def _of_phrases() -> Iterator[_Found]:
    home = Path(simulator.__path__[0])
    for file in sorted(home.rglob("*.yaml")):
        name = file.relative_to(home).with_suffix("").as_posix()
        entries = phrases(name).entries
        for entry in entries if isinstance(entries, dict) else ():
            try:
                yield f"{name}.{entry}", phrases(name).pattern(entry), "finditer"
            except (AttributeError, KeyError, re.error):  # words, or a table
                continue


def _made_by(value: Any, module: ModuleType) -> Iterator[re.Pattern[str]]:
    """What a function gives that makes one pattern for each language, or one in all."""
    made = inspect.unwrap(value) if hasattr(value, "cache_info") else None
    if not inspect.isfunction(made) or made.__module__ != module.__name__:
        return
    if "Pattern" in str(made.__annotations__.get("return")):
        languages = (("ja",), ("en",)) if inspect.signature(made).parameters else ((),)
        yield from (made(*each) for each in languages)


def _in_calls(source: str) -> Iterator[_Found]:
    """The patterns that are written where they are used."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="re"), attr=way),
                args=[ast.Constant(value=str(text)), *_],
            ) if way != "compile":  # a module holds that
                way = way if way in ("match", "fullmatch") else "finditer"
                yield f"`{text[:20]}`", re.compile(text), way


def _within(value: Any, depth: int) -> Iterator[re.Pattern[str]]:
    match value:
        case re.Pattern() if isinstance(value.pattern, str):
            yield value
        case dict() if depth < 3:
            for inner in (*value.keys(), *value.values()):
                yield from _within(inner, depth + 1)
        case list() | tuple() | set() | frozenset() if depth < 3:
            for inner in value:
                yield from _within(inner, depth + 1)


def _texts(tree: Any, depth: int = 0) -> list[str]:
    """A few texts that a part of a parse tree matches, or nearly."""
    found = [""]
    for kind, value in tree:
        each = _text_of(str(kind), value, depth)
        found = [one + other for one, other in itertools.product(found, each)][:_MOST_WAYS]
    return found


def _text_of(kind: str, value: Any, depth: int) -> list[str]:
    found = [""]  # an assertion, a place, a reference
    match kind:
        case "LITERAL":
            found = [chr(value)]
        case "NOT_LITERAL" | "ANY":
            found = ["b" if value == ord("a") else "a"]
        case "IN":
            found = _of_set(value)
        case "BRANCH":
            ways = [text for way in value[1][:20] for text in _texts(way, depth + 1)[:1]]
            found = ways[:_MOST_WAYS] if depth else ways
        case "SUBPATTERN":
            found = _texts(value[-1], depth)
        case "ATOMIC_GROUP":
            found = _texts(value, depth)
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            found = [text * (min(value[0], 5) or 1) for text in _texts(value[2], depth + 1)]
    return found


def _of_set(members: Any) -> list[str]:
    if str(members[0][0]) == "NEGATE":
        barred = {value for kind, value in members[1:] if str(kind) == "LITERAL"}
        return [next((sign for sign in "a1 あ。(" if ord(sign) not in barred), "z")]
    signs = {"CATEGORY_DIGIT": "1", "CATEGORY_SPACE": " ", "CATEGORY_WORD": "a"}
    found = []
    for kind, value in members:
        if str(kind) == "LITERAL":
            found.append(chr(value))
        elif str(kind) == "RANGE":
            found.append(chr(value[0]))
        else:
            found.append(signs.get(str(value), "."))
    return list(dict.fromkeys(found))[:_MOST_WAYS]


def _pumps(tree: Any, before: str = "") -> Iterator[tuple[str, str]]:
    """What stands before each repeat, and what is repeated."""
    for kind, value in tree:
        inner = list[Any]()
        match str(kind):
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                inner = [value[2]]
                yield from ((before, text) for text in _texts(value[2]) if text)
            case "SUBPATTERN":
                inner = [value[-1]]
            case "BRANCH":
                inner = list(value[1])
            case "ATOMIC_GROUP":
                inner = [value]
            case "ASSERT" | "ASSERT_NOT":
                inner = [value[1]]
        for each in inner:
            yield from _pumps(each, before)
        before += _text_of(str(kind), value, 1)[0]


def _rows(pattern: re.Pattern[str]) -> Iterator[tuple[str, str]]:
    """A beginning, and what is repeated after it."""
    tree = _parser.parse(pattern.pattern, pattern.flags)
    pumps = dict.fromkeys(itertools.islice(_pumps(tree), _MOST_ROWS))
    signs = [text for _, text in pumps]
    rows = [("", sign) for sign in (*_COMMON, *signs)]
    rows += [pair for before, text in pumps for pair in ((before, text), ("", before + text))]
    rows += [("", whole) for whole in _texts(tree)]
    rows += [("", one + other) for one, other in itertools.permutations(dict.fromkeys(signs), 2)]
    yield from itertools.islice(dict.fromkeys(row for row in rows if row[1]), 3 * _MOST_ROWS)


def _seconds(pattern: re.Pattern[str], text: str, way: str) -> float:
    if way == "finditer":
        return cpu_seconds(lambda: deque(pattern.finditer(text), maxlen=0), _MOST_S)
    return cpu_seconds(lambda: getattr(pattern, way)(text), _MOST_S)


def _worst(pattern: re.Pattern[str], way: str) -> tuple[float, float, str] | None:
    """The row on which it grows most: ratio, seconds on the long one, the row."""
    worst = None
    for before, part in _rows(pattern):
        count = max(1, _SHORT // len(part))
        short, long = (f"{before}{part * n}\0" for n in (count, count * _TIMES))
        least = _seconds(pattern, short, way)
        if least > _MOST_S:  # for ever, as likely as not
            return math.inf, least, f"{before}({part})*"
        if least < _LEAST_S / _TIMES**3:  # if it takes the cube, it is still quick on the long row
            continue
        took = _seconds(pattern, long, way)
        if took < _LEAST_S or (worst is not None and took <= worst[1]):
            continue
        often = [_seconds(pattern, short, way) for _ in range(_OFTEN)]  # clocks are coarse
        ratio = took / max(sum(often) / _OFTEN, 1e-4)
        if ratio > _SUSPECT:
            worst = ratio, took, f"{before}({part})*"
        if took > _ENOUGH_S:
            break
    return worst


def main(rounds: int) -> None:
    """Show each pattern that is not linear; `rounds` changes nothing."""
    del rounds
    count = 0
    for name, pattern, way in _patterns():
        count += 1
        if found := _worst(pattern, way):
            ratio, took, row = found
            why = _KNOWN.get(name, _KNOWN.get(name.partition(".")[0], ""))
            if not why and name.startswith(_IN_SENTENCES):
                why = "one sentence"
            print(f"| {name} | ×{ratio:.0f} | {took:.2f} s | `{row[:60]!r}` | {why} |", flush=True)
    print(f"{count} patterns, rows of {_SHORT:,} and {_SHORT * _TIMES:,} characters")
