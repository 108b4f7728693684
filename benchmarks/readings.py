"""Which functions that read a text take more than linear time, or long: each on hostile texts.

Every public function of `simulator.text`, `simulator.core.clean` and the checks of metrics that
takes a text (or several) and a language. Rows repeat one thing; others hold a new word, number or
sentence each time, so that nothing is found in what was kept. Shown is what grows to more than
3 times on twice the length, twice in a row, or takes more than a second on `MAX_TEXT`.
"""

import importlib
import inspect
import itertools
import pkgutil
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, get_args, get_type_hints

import simulator.text
from simulator.core.bounds import MAX_TEXT
from simulator.core.persona import Language

_SHORT = 2_000
_LEAST_S = 0.05
_GROWS = 3.0
_LONG_S = 1.0
_REPEATED = (
    *(
        "a",
        "1",
        "あ",
        "漢",
        "ア",
        " ",
        "\n",
        "。",
        "、",
        ".",
        ",",
        "-",
        "?",
        "「",
        "」",
        "(",
        '"',
        "'",
    ),
    *(
        "1,",
        "1.",
        "1-",
        "a.",
        "a@",
        "no ",
        "not ",
        "円",
        "1円",
        "1日",
        "¥1",
        "$1 ",
        "時",
        "ない",
        "から",
    ),
    *(
        "https://",
        "一",
        "千",
        "はい、",
        "yes, ",
        "if ",
        "だけ",
        "only ",
        "申し訳ございません。",
        "A、",
        "、B",
    ),
)
_FRESH = (
    *(
        "w{n} ",
        "語{n}",
        "{n} ",
        "{n}円、",
        "{n}日。",
        "W{n}. ",
        "彼は{n}を見ない。",
        "I do not see {n}. ",
    ),
    *(
        "「名{n}」",
        '"Name{n}" ',
        "a{n}@b.co ",
        "はい、{n}です。",
        "Is it {n}? ",
        "{n}-{n}-{n} ",
        "項{n}、",
    ),
)


def rows(length: int) -> Iterator[tuple[str, str]]:
    """Hostile texts of a length, each with what it is made of."""
    for part in _REPEATED:
        yield part, (part * (length // len(part) + 1))[:length]
    for part in _FRESH:
        made = itertools.accumulate(part.format(n=n) for n in range(length // len(part) + 1))
        yield part, next((text for text in made if len(text) >= length), "")[:length]


def _functions() -> Iterator[tuple[str, Callable[..., Any], list[str]]]:
    """Those that take texts, with what kind of thing each of their parameters is."""
    names = [
        found.name for found in pkgutil.walk_packages(simulator.text.__path__, "simulator.text.")
    ]
    for name in (*names, "simulator.core.clean"):
        module = importlib.import_module(name)
        for key, value in list(vars(module).items()):
            made = inspect.unwrap(value) if callable(value) else None
            if not inspect.isfunction(made) or key.startswith("_") or made.__module__ != name:
                continue
            kinds = [_kind(hint) for hint in _hints(made)]
            if ("text" in kinds or "texts" in kinds) and "?" not in kinds:
                yield f"{name.removeprefix('simulator.')}.{key}", value, kinds


def _hints(function: Callable[..., Any]) -> list[Any]:
    hints = get_type_hints(function)
    needed = (p for p in inspect.signature(function).parameters.values() if p.default is p.empty)
    return [hints.get(p.name) for p in needed]


def _kind(hint: Any) -> str:
    if hint is str:
        return "text"
    if hint == Language:
        return "language"
    return "texts" if get_args(hint)[:1] == (str,) else "number" if hint is int else "?"


def _seconds(function: Callable[..., Any], kinds: list[str], text: str, language: str) -> float:
    given = {"text": text, "texts": (text,), "language": language, "number": 1_000_000}
    began = time.process_time()
    found = function(*(given[kind] for kind in kinds))
    if inspect.isgenerator(found):
        list(found)
    return time.process_time() - began


def _grown(took: list[float]) -> bool:
    return took[2] > _LEAST_S and min(took[2] / took[1], took[1] / took[0]) > _GROWS


def main() -> None:
    """Show each function that is not linear, or slow."""
    count = 0
    lengths = (_SHORT, 2 * _SHORT, 4 * _SHORT)
    texts = [list(rows(length)) for length in (*lengths, MAX_TEXT)]
    for name, function, kinds in _functions():
        count += 1
        for language in ("ja", "en") if "language" in kinds else ("ja",):
            found = []
            for each in zip(*texts, strict=True):
                with suppress(ValueError):  # such a text is none of its
                    took = [_seconds(function, kinds, text, language) for _, text in each[:3]]
                    found.append((_grown(took), took[2], took, each[3]))
            if not found:
                continue
            grown, _, took, (part, whole) = max(found, key=lambda each: each[:2])
            long = 0.0 if grown else _seconds(function, kinds, whole, language)
            if grown or long > _LONG_S:
                shown = " ".join(f"{s:.2f}" for s in took)
                print(f"| {name} {language} | {shown} | {long:.1f} s | {part!r} |", flush=True)
    print(f"{count} functions, texts of {lengths} and {MAX_TEXT:,} characters")
