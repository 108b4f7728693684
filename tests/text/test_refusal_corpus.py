"""What the rules reach on 740 replies: what was reached when it was measured must not get lost."""

import pytest

from simulator.core.persona import Language
from tests.text.refusal_corpus import HALVES, LANGUAGES, SETS, figures, replies

REACHED = [  # recall and precision; sought are .9 and .9 on `unseen`
    ("corpus", "ja", "built_on", 1.0, 1.0),
    ("corpus", "ja", "unseen", 0.9, 0.97),
    ("corpus", "en", "built_on", 1.0, 1.0),
    ("corpus", "en", "unseen", 0.96, 1.0),
    ("registers", "ja", "built_on", 0.98, 1.0),
    ("registers", "ja", "unseen", 0.87, 1.0),
    ("registers", "en", "built_on", 0.98, 1.0),
    ("registers", "en", "unseen", 0.95, 1.0),
    # At first look; idioms and chat are read half: goal .9 is missed.
    ("fresh", "ja", "built_on", 0.96, 1.0),
    ("fresh", "ja", "unseen", 0.5, 1.0),
    ("fresh", "en", "built_on", 0.87, 1.0),
    ("fresh", "en", "unseen", 0.58, 1.0),
]


@pytest.mark.parametrize(("name", "language", "half", "recall", "precision"), REACHED)
def test_what_was_reached_stays_reached(
    name: str, language: Language, half: str, recall: float, precision: float
) -> None:
    reached = figures(language, half, name)
    assert reached.recall >= recall
    assert reached.precision >= precision


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_reply_stands_in_the_corpus_twice(language: Language) -> None:
    sets = [replies(language, half, name) for half in HALVES for name in SETS]
    texts = [text for some in sets for kind in ("refusals", "others") for text in some[kind]]
    assert len(texts) >= 380
    assert len(set(texts)) == len(texts)
