"""What the rules reach on 1,060 replies: what was reached once must not get lost."""

import pytest

from simulator.core.persona import Language
from simulator.text.acts import is_refusal
from tests.text.refusal_corpus import HALVES, LANGUAGES, SETS, figures, replies

REACHED = [  # recall and precision
    ("corpus", "ja", "built_on", 1.0, 1.0),
    ("corpus", "ja", "unseen", 0.9, 1.0),
    ("corpus", "en", "built_on", 1.0, 1.0),
    ("corpus", "en", "unseen", 0.94, 1.0),
    ("registers", "ja", "built_on", 0.98, 1.0),
    ("registers", "ja", "unseen", 0.87, 1.0),
    ("registers", "en", "built_on", 0.98, 1.0),
    ("registers", "en", "unseen", 0.95, 1.0),
    ("fresh", "ja", "built_on", 0.96, 1.0),
    ("fresh", "ja", "unseen", 0.7, 1.0),
    ("fresh", "en", "built_on", 0.87, 1.0),
    ("fresh", "en", "unseen", 0.58, 1.0),
    # Odd ways of refusing, which real bots hardly use: what finds more of them (letters, learnt)
    # takes 175 of 9,248 short right answers of real models for refusals, and finds 3 in them.
    ("hard", "ja", "built_on", 0.9, 1.0),
    ("hard", "ja", "unseen", 0.56, 1.0),
    ("hard", "en", "built_on", 0.96, 1.0),
    ("hard", "en", "unseen", 0.33, 1.0),
    ("last", "ja", "unseen", 0.25, 1.0),
    ("last", "en", "unseen", 0.15, 1.0),
]


@pytest.mark.parametrize(("name", "language", "half", "recall", "precision"), REACHED)
def test_what_was_reached_stays_reached(
    name: str, language: Language, half: str, recall: float, precision: float
) -> None:
    reached = figures(language, half, name)
    assert reached.recall >= recall
    assert reached.precision >= precision


def test_short_answers_and_what_a_desk_says_on_the_way_refuse_nothing() -> None:
    cases: list[tuple[Language, str]] = [
        ("ja", "承知しました。ほかにご希望はございますでしょうか?"),
        (
            "ja",
            "それでは以下の条件でお調べしますので、よろしくお願いいたします。",
        ),
        ("ja", "お部屋の数ですが、シングルを2部屋でよろしいでしょうか?"),
        ("en", "Certainly, I'll look for a hotel near the station."),
        ("en", "Download it from our website."),
        ("en", "No."),
        ("en", "Taipei"),
        ("en", "Kangoo vehicle maker: Renault."),
        ("en", "The hyoid bone is the only one that is not connected to any other bone."),
        ("ja", "はい、それでお願いします。"),
    ]
    assert [] == [(language, text) for language, text in cases if is_refusal(text, language)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_reply_stands_in_the_corpus_twice(language: Language) -> None:
    sets = [replies(language, half, name) for half in HALVES for name in SETS]
    texts = [text for some in sets for kind in ("refusals", "others") for text in some[kind]]
    assert len(texts) >= 380
    assert len(set(texts)) == len(texts)
