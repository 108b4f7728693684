"""Which patterns take more than linear time: each on rows of what it is made of, n and 4 n long.

Linear is a ratio of 4, quadratic of 16. A pattern that passes 8 on some row is shown with it;
what is only ever matched at one place may be. Looked at are those that modules hold, those that
stand in a call of `re`, those made of the phrases of a language. It takes half an hour.
"""

import ast
import importlib
import inspect
import itertools
import pkgutil
import re
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import simulator
from simulator.text.phrases import phrases

_SHORT, _TIMES = 2_000, 4
_LEAST_S = 0.03  # what is quicker than that on the long row harms nobody
_SUSPECT = 8.0
_COMMON = (" ", "\n", "a", "1", "あ", "。")
_MOST_SIGNS = 9


def _patterns() -> Iterator[tuple[str, re.Pattern[str]]]:
    """Every pattern of mogi, once, with the name of where it is."""
    seen: set[str] = set()
    for name, pattern in itertools.chain(_of_modules(), _of_phrases()):
        if pattern.pattern not in seen:
            seen.add(pattern.pattern)
            yield name, pattern


def _of_modules() -> Iterator[tuple[str, re.Pattern[str]]]:
    for found in pkgutil.walk_packages(simulator.__path__, "simulator."):
        try:
            module = importlib.import_module(found.name)
        except ImportError:  # an extra that is not installed
            continue
        for name, value in list(vars(module).items()):
            for pattern in itertools.chain(_within(value, 0), _made_by(value, module)):
                yield f"{found.name}.{name}", pattern
        for line, pattern in _in_calls(module):
            yield f"{found.name}:{line}", pattern


def _of_phrases() -> Iterator[tuple[str, re.Pattern[str]]]:
    home = Path(simulator.__path__[0])
    for file in sorted(home.rglob("*.yaml")):
        name = file.relative_to(home).with_suffix("").as_posix()
        entries = phrases(name).entries
        for entry in entries if isinstance(entries, dict) else ():
            try:
                yield f"{name}.{entry}", phrases(name).pattern(entry)
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


def _in_calls(module: ModuleType) -> Iterator[tuple[int, re.Pattern[str]]]:
    """The patterns that are written where they are used."""
    for node in ast.walk(ast.parse(inspect.getsource(module) or "")):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="re")),
                args=[ast.Constant(value=str(text)), *_],
            ):
                yield node.lineno, re.compile(text)


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


def _rows(pattern: str) -> Iterator[str]:
    """What is repeated: words and signs of the pattern itself, alone and in pairs."""
    words = sorted(set(re.findall(r"[a-z]{3,12}", pattern)), key=len)[:4]
    signs = dict.fromkeys([c for c in re.sub(r"\\[a-zA-Z]", "", pattern) if not c.isalnum()])
    parts = [*dict.fromkeys([*_COMMON, *signs])][:_MOST_SIGNS] + words
    yield from parts
    for one, other in itertools.permutations(parts, 2):
        yield one + other


def _seconds(pattern: re.Pattern[str], text: str) -> float:
    began = time.process_time()
    for _ in pattern.finditer(text):
        pass
    return time.process_time() - began


def _worst(pattern: re.Pattern[str]) -> tuple[float, float, str] | None:
    """The row on which it grows most: ratio, seconds on the long one, the row."""
    worst = None
    for part in _rows(pattern.pattern):
        row = part * (_SHORT // len(part))
        for text, longer in ((row, row * _TIMES), (f"x{row}\0", f"x{row * _TIMES}\0")):
            took = _seconds(pattern, longer)
            if took < _LEAST_S:
                continue
            ratio = min(_seconds(pattern, longer), took) / max(_seconds(pattern, text), 1e-6)
            if ratio > _SUSPECT and (worst is None or took > worst[1]):
                worst = ratio, took, part
    return worst


def main(rounds: int) -> None:
    """Show each pattern that is not linear; `rounds` changes nothing."""
    del rounds
    count = 0
    for name, pattern in _patterns():
        count += 1
        if found := _worst(pattern):
            ratio, took, part = found
            print(f"{name}: ×{ratio:.0f}, {took:.2f} s on {part!r} ({pattern.pattern[:70]!r})")
    print(f"{count} patterns, rows of {_SHORT:,} and {_SHORT * _TIMES:,} characters")
