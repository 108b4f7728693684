"""What refusals are like by their letters, learnt from labelled replies.

`python -m tests.text.refusal_learning` prints how well each set is read that the weights and
phrases of all other sets were not made of; `--write` makes `simulator/text/*/refusals_like.json`
anew, from all but the halves that are called unseen.
"""

import json
import math
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import Normalizer

import simulator.text
from benchmarks.improve.faqs import faq
from simulator.core.form import folded
from simulator.core.persona import Language
from simulator.text.refusals import letters
from simulator.text.sentences import sentences
from tests.text import refusal_fourth_round, refusal_phrasings, refusal_rounds
from tests.text.handover_phrasings import HANDED_OVER
from tests.text.refusal_corpus import HALVES, LANGUAGES, SETS, replies

Labelled = tuple[str, bool]
_ROUNDS = (refusal_rounds, refusal_fourth_round, refusal_phrasings)
_FAQS: dict[Language, tuple[str, ...]] = {
    "ja": ("demo", "coding.ja"),
    "en": ("demo-en", "coding.en"),
}
_STRENGTH = 30  # of the fit, against the size of weights
_KEPT = 6000  # weights, the largest


def labelled(language: Language) -> dict[tuple[str, str], list[Labelled]]:
    """Replies by set and half, and whether each refuses."""
    found = {
        (name, half): [(text, kind == "refusals") for kind, some in given.items() for text in some]
        for name in SETS
        for half in HALVES
        if (given := replies(language, half, name))["refusals"]
    }
    for module in _ROUNDS:
        lists = {
            name: value
            for name, value in vars(module).items()
            if name.endswith(f"_{language.upper()}") and isinstance(value, tuple)
        }
        texts = [(text, "REFUS" in name) for name, some in lists.items() for text in some]
        found[module.__name__.rpartition(".")[2], "-"] = texts
    return found


def others(language: Language) -> Iterator[Labelled]:
    """What refuses nothing: sentences of knowledge bases, and hand-overs."""
    for name in _FAQS[language]:
        for entry in faq(name).entries:
            yield from ((text, False) for text in sentences(entry.content, language))
    yield from ((text, False) for text in HANDED_OVER[language])


def learnt(texts: Sequence[Labelled], language: Language) -> tuple[float, dict[str, float]]:
    """The bias and the weights."""
    counted = CountVectorizer(analyzer=lambda t: letters(folded(t), language), binary=True)
    there = Normalizer().fit_transform(counted.fit_transform([text for text, _ in texts]))
    model = LogisticRegression(C=_STRENGTH, class_weight="balanced", solver="liblinear")
    model.fit(there, [refuses for _, refuses in texts])
    weights = {g: float(model.coef_[0][at]) for g, at in counted.vocabulary_.items()}
    largest = sorted(weights, key=lambda g: (-abs(weights[g]), g))[:_KEPT]
    return round(float(model.intercept_[0]), 3), {g: round(weights[g], 2) for g in sorted(largest)}


def chance(text: str, bias: float, weights: dict[str, float], language: Language) -> float:
    """That a text refuses, by its letters, 0-1."""
    found = letters(folded(text), language)
    score = bias + sum(weights.get(g, 0.0) for g in found) / math.sqrt(len(found) or 1)
    return 1 / (1 + math.exp(-score))


def _print(language: Language) -> None:
    sets = labelled(language)
    for name in dict.fromkeys(name for name, _ in sets):
        held_out = [one for (of, _), some in sets.items() if of == name for one in some]
        rest = [one for (of, _), some in sets.items() if of != name for one in some]
        model = learnt([*rest, *others(language)], language)
        found = [(refuses, chance(t, *model, language) >= 0.5) for t, refuses in held_out]
        right = sum(a and b for a, b in found)
        recall, precision = right / sum(a for a, _ in found), right / sum(b for _, b in found)
        print(f"{name:20} {language} recall {recall:.2f} precision {precision:.2f}")  # noqa: T201


def _write(language: Language) -> None:
    texts = [
        one for (_, half), some in labelled(language).items() if half != "unseen" for one in some
    ]
    bias, weights = learnt([*texts, *others(language)], language)
    file = Path(simulator.text.__file__).parent / language / "refusals_like.json"
    data = {"bias": bias, "weights": weights}
    file.write_text(json.dumps(data, ensure_ascii=False, indent=0) + "\n", "utf-8")


if __name__ == "__main__":
    for one in LANGUAGES:
        (_write if "--write" in sys.argv else _print)(one)
