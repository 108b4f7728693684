"""What token F1 costs beside tokenising alone: pairs of texts per CPU second."""

import statistics
import time
from collections.abc import Callable
from typing import Any

from simulator import load
from simulator.metrics import sudachi_f1
from simulator.metrics.sudachi_f1 import match
from simulator.text.token_f1 import legacy_overlap

Pair = tuple[str, str]


def main(rounds: int) -> None:
    """Print pairs per CPU second, medians of the rounds, which take turns."""
    pairs = _pairs()
    length = statistics.mean(len(a) + len(b) for a, b in pairs) / 2
    print(f"\ntoken_f1: {len(pairs)} pairs of the demo, {length:.0f} characters a text")
    contenders = _contenders()
    taken: dict[str, list[float]] = {name: [] for name in contenders}
    for compare in contenders.values():
        compare(*pairs[0])  # builds the dictionary
    for _ in range(max(5, rounds)):
        for name, compare in contenders.items():
            taken[name].append(_seconds(compare, pairs))
    alone = statistics.median(taken["tokenising alone"])
    for name, seconds in taken.items():
        median = statistics.median(seconds)
        print(f"  {name:20} {len(pairs) / median:7,.0f} pairs/s  {median / alone:4.2f} x")


def _pairs() -> list[Pair]:
    """Each expected answer beside what the bot may say: its document, another, the answer twice."""
    loaded = load("demo")
    knowledge = loaded.knowledge
    texts = {d.id: d.text for d in knowledge.documents()} if knowledge else {}
    others = list(texts.values())
    found: list[Pair] = []
    for at, scenario in enumerate(loaded.scenarios.values()):
        truth = scenario.expected.answer
        if truth:
            said = [texts[i] for i in scenario.expected.documents if i in texts]
            said += [others[at % len(others)], f"ご質問ありがとうございます。{truth}"]
            found += [(text, truth) for text in said]
    return found * 10


def _afresh(answer: str, truth: str) -> object:
    sudachi_f1._read.cache_clear()
    return match(answer, truth, "ja")


def _contenders() -> dict[str, Callable[[str, str], object]]:
    from sudachipy import Dictionary, SplitMode  # type: ignore[import-untyped]

    tokenizer: Any = Dictionary(dict="core").tokenizer(mode=SplitMode.A)
    return {
        "tokenising alone": lambda a, b: (tokenizer.tokenize(a), tokenizer.tokenize(b)),
        "sudachi_f1": lambda a, b: match(a, b, "ja"),
        "  no text twice": _afresh,
        "sudachi_f1_legacy": legacy_overlap,
    }


def _seconds(compare: Callable[[str, str], object], pairs: list[Pair]) -> float:
    began = time.process_time()
    for answer, truth in pairs:
        compare(answer, truth)
    return time.process_time() - began
