"""Which patterns take more than linear time: each on rows of what it is made of, n and 4 n long.

Linear is a ratio of 4, quadratic of 16. A pattern that passes 8 on some row is shown with it.
"""

import importlib
import itertools
import pkgutil
import re
import time
from collections.abc import Iterator
from typing import Any

import simulator

_ROOMS = ("core", "text", "targets", "formats", "files", "llm", "users", "metrics", "judging")
_SHORT, _TIMES = 2_000, 4
_LEAST_S = 0.03  # what is quicker than that on the long row harms nobody
_SUSPECT = 8.0
_COMMON = (" ", "\n", "a", "1", "あ", "。")
_MOST_SIGNS = 11


def _patterns() -> Iterator[tuple[str, re.Pattern[str]]]:
    """Every pattern of the rooms that read foreign text, once, with the name of where it is."""
    seen: set[str] = set()
    for found in pkgutil.walk_packages(simulator.__path__, "simulator."):
        if found.name.split(".")[1] not in _ROOMS:
            continue
        try:
            module = importlib.import_module(found.name)
        except ImportError:  # an extra that is not installed
            continue
        for name, value in list(vars(module).items()):
            for pattern in _within(value, 0):
                if pattern.pattern not in seen:
                    seen.add(pattern.pattern)
                    yield f"{found.name}.{name}", pattern


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
