"""Which functions that read a text take more than linear time, or long: each on hostile texts.

Every public function of `simulator.text`, `simulator.core.clean` and the checks of metrics that
takes a text (or several) and a language. Rows repeat one thing; others hold a new word, number or
sentence each time, so that nothing is found in what was kept. Shown is what grows to more than
3 times on twice the length, twice in a row, or takes more than a second on `MAX_TEXT`.
"""

import importlib
import inspect
import pkgutil
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, get_args, get_type_hints

import simulator.text
from simulator.core.bounds import MAX_TEXT
from simulator.core.persona import Language

_LENGTHS = (2_000, 4_000, 8_000)
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


def row(part: str, length: int) -> str:
    """A hostile text of this length: one thing repeated, or one with a new number each time."""
    if "{n}" in part:
        texts = (part.format(n=n) for n in range(length // (len(part) - 2) + 1))
        return "".join(texts)[:length]
    return (part * (length // len(part) + 1))[:length]


def functions() -> Iterator[tuple[str, Callable[..., Any], list[str]]]:
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
    return min(took[2] / took[1], took[1] / max(took[0], 1e-6)) > _GROWS


_Worst = tuple[bool, list[float], str]
"""Whether it grows, what each length took, and of what the row is."""


def _worst(function: Callable[..., Any], kinds: list[str], language: str) -> _Worst | None:
    """The row on which it grows, or else takes longest; None where none takes long."""
    worst = None
    for part in (*_REPEATED, *_FRESH):
        with suppress(ValueError):  # such a text is none of its
            last = _seconds(function, kinds, row(part, _LENGTHS[2]), language)
            if last < _LEAST_S or (worst is not None and last <= worst[1][2]):
                continue
            took = [_seconds(function, kinds, row(part, each), language) for each in _LENGTHS[:2]]
            found = _grown([*took, last]), [*took, last], part
            worst = found if worst is None else max(worst, found, key=lambda each: each[:2])
    return worst


def main() -> None:
    """Show each function that is not linear, or slow."""
    count = 0
    for name, function, kinds in functions():
        count += 1
        for language in ("ja", "en") if "language" in kinds else ("ja",):
            if (found := _worst(function, kinds, language)) is None:
                continue
            grown, took, part = found
            long = 0.0
            if not grown:
                long = _seconds(function, kinds, row(part, MAX_TEXT), language)
            if grown or long > _LONG_S:
                shown = " ".join(f"{s:.2f}" for s in took)
                print(f"| {name} {language} | {shown} | {long:.1f} s | {part!r} |", flush=True)
    print(f"{count} functions, texts of {_LENGTHS} and {MAX_TEXT:,} characters")
