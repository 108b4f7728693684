"""Which functions that read a text take more than linear time, or long: each on hostile texts.

Every public function of `simulator.text`, `simulator.core.clean` and the checks of metrics that
takes a text (or several) and a language, and all that a turn's texts come to besides
(`benchmarks.readings_of_turns`). Rows repeat one thing; others hold a new word, number or sentence
each time, so that nothing is found in what was kept. Each row is tried short; the two that promise
to be the worst grow to 32,000 characters, each within a second. *Both*: all texts of a function are
that long at once. What is named a sentence is cut as `sentences` does it.
"""

import importlib
import inspect
import math
import pkgutil
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from itertools import islice
from typing import Any, NamedTuple, get_args, get_origin, get_type_hints

import simulator.text
from benchmarks import readings_of_turns
from benchmarks.process import cpu_seconds
from simulator.core.bounds import MAX_TEXT
from simulator.core.persona import Language
from simulator.text.sentences import LONGEST

Attack = Callable[[str], object]
_SHORT = 150, 600  # characters of a text on which each row is tried
_SIZES = 1_001, 2_000, 4_000, 8_000, 16_000, 32_000  # none has been read before
_MOST_S = 1.0  # then a text is broken off
_TRIED = 2  # rows of each attack that grow
_LINEAR = 1.3  # exponent, with what clocks and caches add; n log n is 1.1
_NOTICED_S = 0.05  # on the longest text; what takes less may grow as it likes
_LONG_S = 2.0  # on MAX_TEXT
_SENTENCE_S = _LONG_S * LONGEST / MAX_TEXT  # a text may be nothing but such sentences
_KNOWN = {
    "text.token_f1.legacy_overlap": "Sudachi, which takes no more than 49,149 bytes",
}
"""Functions that grow, and why that is no matter."""
_REPEATED = (
    *[
        "a",
        "1",
        "あ",
        "漢",
        "ア",
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
        "担当",
        "1,",
        "1.",
        "1-",
        "a.",
        "a@",
        "円",
        "1円",
        "1日",
        "¥1",
        "時",
        "ない",
        "から",
    ],
    *["https://", "一", "千", "はい、", "だけ", "申し訳ございません。", "A、", "、B"],
    *(" ", "\n", "'", "no ", "not ", "$1 ", "yes, ", "if ", "only "),
)
_FRESH = (
    *[
        "w{n}_",
        "語{n}",
        "{n}_",
        "{n}円、",
        "{n}日。",
        "W{n}._",
        "彼は{n}を見ない。",
        "I_do_not_see_{n}._",
    ],
    *[
        "「名{n}」",
        '"Name{n}"_',
        "a{n}@b.co_",
        "はい、{n}です。",
        "Is_it_{n}?_",
        "{n}-{n}-{n}_",
        "項{n}、",
    ],
)
_TEXTS = frozenset(("text", "texts", "sentence"))
ROWS = (*_REPEATED, *(part.replace("_", " ") for part in _FRESH))


def row(part: str, length: int) -> str:
    """A hostile text of this length: one thing repeated, or one with a new number each time."""
    if "{n}" in part:
        texts = (part.format(n=n) for n in range(length // (len(part) - 2) + 1))
        return "".join(texts)[:length]
    return (part * (length // len(part) + 1))[:length]


def functions() -> Iterator[tuple[str, Callable[..., Any], list[str]]]:
    """Those that take texts, with what kind of thing each of their parameters is.

    A *word* is what stands in a text: none is longer than a sentence.
    """
    names = [
        found.name for found in pkgutil.walk_packages(simulator.text.__path__, "simulator.text.")
    ]
    for name in (*names, "simulator.core.clean"):
        if name == "simulator.text.phrases":  # it reads files of ours
            continue
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
    of, holds = get_origin(hint), get_args(hint)[:1]
    if holds != (str,) or issubclass(of, Mapping):
        return "number" if hint is int else "?"
    return "words" if issubclass(of, Set) else "texts"


def attacks() -> Iterator[tuple[str, Attack, bool]]:
    """All, by name, and whether what is read is never longer than a sentence."""
    for name, function, kinds in functions():
        places = [at for at, kind in enumerate(kinds) if kind in _TEXTS]
        long = [at for at in places if kinds[at] in ("text", "texts")]
        for language in ("ja", "en") if "language" in kinds else ("ja",):
            for at in places:
                one = _one(function, kinds, language, (at,))
                yield f"{name} {language} {at + 1}", one, at not in long
            if len(long) > 1:
                yield f"{name} {language} both", _one(function, kinds, language, long), False
    for name, attack in readings_of_turns.attacks():
        yield name, attack, False


def _one(
    function: Callable[..., Any], kinds: list[str], language: str, long: Sequence[int]
) -> Attack:
    """The function with a text in these of its places; what stands in others begins like it."""

    def attack(text: str) -> object:
        begins = text[:LONGEST]
        given: list[Any] = []
        for at, kind in enumerate(kinds):
            said = text if at in long and kind in ("text", "texts") else begins
            of_kind = {
                "texts": (said,),
                "words": frozenset((said,)),
                "language": language,
                "number": 1_000_000,
            }
            given.append(of_kind.get(kind, said))
        found = function(*given)
        return deque(found, maxlen=0) if inspect.isgenerator(found) else found

    return attack


class Grown(NamedTuple):
    """How an attack with one row grows: seconds on each size, as far as it came in time."""

    part: str
    sizes: tuple[int, ...]
    seconds: tuple[float, ...]

    @property
    def broken_off(self) -> bool:
        """Whether the last of them was."""
        return self.seconds[-1] > _MOST_S

    @property
    def exponent(self) -> float:
        """By the last two doublings: 1 is linear; of what was broken off the least that it is."""
        last = self.seconds[-3:]
        if len(last) < 2:
            return math.nan
        took = min(last[-1], _MOST_S) / max(last[0], 1e-6)
        return math.log(max(took, 1e-6)) / math.log(self.sizes[-1] / self.sizes[-len(last)])

    @property
    def is_worse(self) -> bool:
        """Whether it is worse than n log n, or takes too long on the longest text."""
        if self.broken_off:
            return True
        slow = self.seconds[-1] > _NOTICED_S and self.exponent > _LINEAR
        return slow or self.seconds[-1] / self.sizes[-1] * MAX_TEXT > _LONG_S


def _seconds(attack: Attack, text: str) -> float:
    with suppress(ValueError):  # such a text is none of its
        return cpu_seconds(lambda: attack(text), _MOST_S)
    return 0.0


def _promise(attack: Attack, part: str) -> float:
    """What a row may take on the longest text, by what it takes on two short ones."""
    first, second = (max(_seconds(attack, row(part, size)), 1e-5) for size in _SHORT)
    grows = math.log(second / first) / math.log(_SHORT[1] / _SHORT[0])
    return second * float((_SIZES[-1] / _SHORT[1]) ** max(grows, 1.0))


def grown(attack: Attack, part: str) -> Grown:
    """How it grows with a row, until a size takes too long."""
    seconds: list[float] = []
    for size in _SIZES:
        seconds.append(_seconds(attack, row(part, size)))
        if seconds[-1] > _MOST_S:
            break
    return Grown(part, _SIZES[: len(seconds)], tuple(seconds))


def worst(attack: Attack, *, of_turns: bool = False) -> Grown:
    """The worst of its rows; a turn is read by so much that one short text has to do for each."""
    _seconds(attack, "a")  # what is read from files is read by now
    if of_turns:
        every = [grown(attack, max(ROWS, key=lambda part: _seconds(attack, row(part, _SHORT[0]))))]
    else:
        likely = sorted(ROWS, key=lambda part: _promise(attack, part), reverse=True)
        every = [grown(attack, part) for part in likely[:_TRIED]]
    found = max(every, key=lambda g: (g.is_worse, g.broken_off, g.seconds[-1]))
    if found.is_worse and not found.broken_off:  # once more: others use this machine
        again = grown(attack, found.part)
        found = min((found, again), key=lambda g: (g.is_worse, g.exponent))
    return found


def of_a_sentence(attack: Attack) -> Grown:
    """The worst of its rows, as long as a sentence may be."""
    _seconds(attack, "a")
    took = {part: _seconds(attack, row(part, LONGEST)) for part in ROWS}
    part = max(took, key=lambda part: took[part])
    again = min(took[part], _seconds(attack, row(part, LONGEST - 1)))
    return Grown(part, (LONGEST,), (again,))


def _line(number: int) -> tuple[str, float]:
    """What is shown of one attack, by its place; and what finding it took."""
    began = time.process_time()
    name, attack, is_sentence = next(islice(attacks(), number, None))
    of_turns = not name.startswith(("text.", "core."))
    found = of_a_sentence(attack) if is_sentence else worst(attack, of_turns=of_turns)
    spent = time.process_time() - began
    if found.seconds[-1] <= _SENTENCE_S if is_sentence else not found.is_worse:
        return "", spent
    shown = zip(found.sizes[-3:], found.seconds[-3:], strict=True)
    took = ", ".join(f"{size:,}: {1_000 * s:,.0f}" for size, s in shown)
    more = "over " if found.broken_off else ""
    why = _KNOWN.get(name.split()[0], "")
    return f"| {name} | `{found.part!r}` | {took} | {more}{found.exponent:.1f} | {why} |", spent


def main(rounds: int) -> None:
    """Show each attack that is worse than linear, or slow; `rounds` changes nothing."""
    del rounds
    count = sum(1 for _ in attacks())
    print("| reading | row | characters: ms | exponent | |\n|---|---|---|---|---|")
    spent = 0.0
    with ProcessPoolExecutor() as pool:
        for line, took in pool.map(_line, range(count)):
            spent += took
            if line:
                print(line, flush=True)
    print(f"{count} attacks, each with {len(ROWS)} rows, {spent:.0f} s of CPU")
