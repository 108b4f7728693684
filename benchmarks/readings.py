"""Which functions that read a text take more than linear time, or long: each on hostile texts.

Every public function of `simulator.text`, `simulator.core.clean` and the checks of metrics that
takes a text (or several) and a language. Rows repeat one thing; others hold a new word, number or
sentence each time, so that nothing is found in what was kept. Shown is what takes more than two
seconds on `MAX_TEXT`, as all does that is not linear in one of its texts. What is named a sentence
is cut as `sentences` does it, and shown if a text of that length, all of such sentences, took so
long.
"""

import importlib
import inspect
import pkgutil
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple, get_args, get_type_hints

import simulator.text
from benchmarks.process import cpu_seconds
from simulator.core.bounds import MAX_TEXT
from simulator.core.persona import Language
from simulator.text.sentences import LONGEST

_SHORT = 4_000
_SHORT_S = 0.02  # what takes less on a short text takes less than two seconds on any, if linear
_LONG_S = 2.0
_MOST_LONG = 2  # rows, the slowest ones, of which a long text is read
_MOST_S = 10.0  # then a text is broken off
_PAIRS = "each sentence of an expectation beside each of a reply; the long one is the client's own"
_KNOWN = {
    f"text.expectations.{name}": _PAIRS
    for name in ("element_state", "answer_state", "contradicts_element")
}
"""Functions that grow, and why."""
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
            kinds = _kinds(made)
            if not {"text", "texts", "sentence"}.isdisjoint(kinds) and "?" not in kinds:
                yield f"{name.removeprefix('simulator.')}.{key}", value, kinds


def _kinds(function: Callable[..., Any]) -> list[str]:
    hints = get_type_hints(function)
    needed = (p for p in inspect.signature(function).parameters.values() if p.default is p.empty)
    return [_kind(p.name, hints.get(p.name)) for p in needed]


def _kind(name: str, hint: Any) -> str:
    if hint is str:
        return "sentence" if name in ("sentence", "clause") else "text"
    if hint == Language:
        return "language"
    return "texts" if get_args(hint)[:1] == (str,) else "number" if hint is int else "?"


def _seconds(function: Callable[..., Any], kinds: list[str], text: str, language: str) -> float:
    """What it takes at most where one of its texts is this one, and others begin like it."""
    places = [at for at, kind in enumerate(kinds) if kind in ("text", "texts", "sentence")]
    return max(_with_one(function, kinds, text, language, place) for place in places)


def _with_one(
    function: Callable[..., Any], kinds: list[str], text: str, language: str, place: int
) -> float:
    begins = text[:LONGEST]
    given: list[Any] = []
    for at, kind in enumerate(kinds):
        said = text if at == place and kind != "sentence" else begins
        of_kind = {"texts": (said,), "language": language, "number": 1_000_000}
        given.append(of_kind.get(kind, said))

    def read() -> None:
        found = function(*given)
        if inspect.isgenerator(found):
            deque(found, maxlen=0)

    return cpu_seconds(read, _MOST_S)


class Worst(NamedTuple):
    """The row on which a function takes longest, of those that take long on a short text."""

    short_s: float
    long_s: float
    part: str


def worst(function: Callable[..., Any], kinds: list[str], language: str) -> Worst | None:
    """The worst row; None where a short text takes no time. A sentence is never long."""
    of_a_sentence = {"text", "texts"}.isdisjoint(kinds)
    took = []
    with suppress(ValueError):
        _seconds(function, kinds, "", language)  # what is read from files is read by now
    for part in (*_REPEATED, *_FRESH):
        with suppress(ValueError):  # such a text is none of its
            took.append((_seconds(function, kinds, row(part, _SHORT), language), part))
            if took[-1][0] > _MOST_S:
                break
    slow = sorted((each for each in took if each[0] > _SHORT_S), reverse=True)
    if of_a_sentence:
        return next((Worst(s, s * MAX_TEXT / LONGEST, part) for s, part in slow), None)
    long = (
        Worst(short_s, _seconds(function, kinds, row(part, MAX_TEXT), language), part)
        for short_s, part in slow[:_MOST_LONG]
    )
    return max(long, key=lambda each: each.long_s, default=None)


def main(rounds: int) -> None:
    """Show each function that is not linear, or slow; `rounds` changes nothing."""
    del rounds
    count = 0
    for name, function, kinds in functions():
        count += 1
        for language in ("ja", "en") if "language" in kinds else ("ja",):
            found = worst(function, kinds, language)
            if found is not None and found.long_s > _LONG_S:
                short_s, long_s, part = found
                why = _KNOWN.get(name, "")
                print(
                    f"| {name} {language} | {short_s:.2f} s | {long_s:.1f} s | `{part!r}` | {why} |"
                )
    print(f"{count} functions, texts of {_SHORT:,} and {MAX_TEXT:,} characters")
