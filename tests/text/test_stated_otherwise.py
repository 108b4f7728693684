"""What says the same and what says otherwise, by sentences of `stated_otherwise.yaml`."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from simulator.core.persona import Language
from simulator.text.content import has_all_amounts
from simulator.text.expectations import State, answer_state, contradicts_answer
from simulator.text.grounding import statements


@cache
def _pairs() -> Any:
    return yaml.safe_load(Path(__file__).with_name("stated_otherwise.yaml").read_text("utf-8"))


def _against(right: str, said: str, language: Language) -> tuple[bool, bool]:
    """What the answer's check and the documents' say."""
    found = statements(said, [right], "", language)
    return contradicts_answer(said, [right], language), any(s.contradicted for s in found)


def _says(right: str, said: str, language: Language) -> bool:
    is_said = answer_state([right], [said], language).state is State.SAID
    return is_said and not contradicts_answer(said, [right], language)


def _invents(said: str, known: str, language: Language) -> bool:
    return any(s.invented for s in statements(said, [known], "", language))


def figures(half: str) -> dict[str, list[str]]:
    """What is read wrongly, of each kind."""
    pairs = _pairs()
    same = [(*_against(r, s, language), s) for language, r, s in pairs["same"][half]]
    turned = [(*_against(r, s, language), s) for language, r, s in pairs["turned"][half]]
    equal = pairs["equal"][half]
    both = [(language, *pair) for language, a, b in equal for pair in ((a, b), (b, a))]
    return {
        "same, answer": [s for by_answer, _, s in same if by_answer],
        "same, documents": [s for _, by_documents, s in same if by_documents],
        "turned, answer": [s for by_answer, _, s in turned if not by_answer],
        "turned, documents": [s for _, by_documents, s in turned if not by_documents],
        "turned, said": [s for language, r, s in pairs["turned"][half] if _says(r, s, language)],
        "equal, there": [f"{a} | {b}" for g, a, b in both if not has_all_amounts(a, [b], g)],
        "equal, invented": [f"{a} | {b}" for g, a, b in both if _invents(a, b, g)],
    }


# Wrong of `built_on` and of `unseen`, at most. Before the rules were changed: 7, 6, 9, 12, 10, 15
# and 7, 8, 8, 12, 12, 16.
MOST = {
    "same, answer": (1, 0),
    "same, documents": (1, 0),
    "turned, answer": (0, 1),
    "turned, documents": (1, 2),
    "turned, said": (0, 0),
    "equal, there": (0, 1),
    "equal, invented": (0, 2),
}


@pytest.mark.parametrize("kind", MOST)
def test_few_are_read_wrongly(kind: str) -> None:
    for half, most in zip(("built_on", "unseen"), MOST[kind], strict=True):
        wrong = figures(half)[kind]
        assert len(wrong) <= most, wrong


def test_one_person_is_no_number_from_nowhere() -> None:
    assert not _invents("ランプはひとりでに消えます。", "ランプは30分で自動的に消えます。", "ja")
    assert not _invents("お一人様でも入れます。", "どなたでも入れます。", "ja")
    assert _invents("3名様から入れます。", "どなたでも入れます。", "ja")


@pytest.mark.parametrize(
    ("answer", "reply", "language", "said"),
    [
        (
            "引っ越しや移動のあとは、2週間ほど置いてから調律してください。",
            "お移しになったあとは2週間ほど置いて、それから調律をお願いします。",
            "ja",
            True,
        ),
        (
            "見本帳の貸し出しは1週間までで、延長は1日100円です。",
            "見本帳の貸し出しは1週間までで、延長するときは1日につき100円です。",
            "ja",
            True,
        ),
        (
            "見本帳の貸し出しは1週間までで、延長は1日100円です。",
            "見本帳の貸し出しは1週間からで、延長は1日200円です。",
            "ja",
            False,
        ),
        (
            "Pick-up is free within 15 miles and costs £45 beyond that.",
            "If you live within 15 miles, pick-up is free; beyond that it costs £45.",
            "en",
            True,
        ),
        (
            "Parcels can be returned within 14 days at no charge.",
            "Parcels can only be returned after 14 days, at no charge.",
            "en",
            False,
        ),
    ],
)
def test_all_amounts_of_a_sentence_in_one_of_most_of_its_words_say_it(
    answer: str, reply: str, language: Language, *, said: bool
) -> None:
    assert (answer_state([answer], [reply], language).state is State.SAID) is said
