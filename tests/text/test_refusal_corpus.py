"""What the rules reach on 400 replies: what was reached when it was measured must not get lost."""

import pytest

from simulator.core.persona import Language
from tests.text.refusal_corpus import HALVES, LANGUAGES, figures, replies

REACHED = [  # recall and precision; sought are .9 and .9 on `unseen`
    ("ja", "built_on", 1.0, 1.0),
    ("ja", "unseen", 0.86, 0.97),
    ("en", "built_on", 1.0, 1.0),
    ("en", "unseen", 0.94, 1.0),
]


@pytest.mark.parametrize(("language", "half", "recall", "precision"), REACHED)
def test_what_was_reached_stays_reached(
    language: Language, half: str, recall: float, precision: float
) -> None:
    reached = figures(language, half)
    assert reached.recall >= recall
    assert reached.precision >= precision


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_reply_stands_in_the_corpus_twice(language: Language) -> None:
    both = [replies(language, half) for half in HALVES]
    texts = [text for half in both for kind in ("refusals", "others") for text in half[kind]]
    assert len(texts) >= 200
    assert len(set(texts)) == len(texts)
