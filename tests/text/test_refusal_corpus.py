"""What the rules reach on 1,060 replies: what was reached once must not get lost."""

import pytest

from simulator.core.persona import Language
from simulator.text.refusals import is_refusal
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
    ("fresh", "ja", "built_on", 0.96, 1.0),
    ("fresh", "ja", "unseen", 0.95, 1.0),
    ("fresh", "en", "built_on", 0.87, 1.0),
    ("fresh", "en", "unseen", 0.83, 1.0),
    # Before the weights of letters 8, 9, 13 and 7 of 30. Hard registers miss the goal of .9.
    ("hard", "ja", "built_on", 0.93, 1.0),
    ("hard", "ja", "unseen", 0.76, 1.0),
    ("hard", "en", "built_on", 1.0, 0.96),
    ("hard", "en", "unseen", 0.8, 0.96),
    ("last", "ja", "unseen", 0.75, 0.93),
    ("last", "en", "unseen", 0.6, 0.92),
]


@pytest.mark.parametrize(("name", "language", "half", "recall", "precision"), REACHED)
def test_what_was_reached_stays_reached(
    name: str, language: Language, half: str, recall: float, precision: float
) -> None:
    reached = figures(language, half, name)
    assert reached.recall >= recall
    assert reached.precision >= precision


@pytest.mark.parametrize("language", LANGUAGES)
def test_of_all_that_nothing_was_made_of_nine_tenths_are_read_rightly(language: Language) -> None:
    reached = [figures(language, "unseen", name) for name in SETS if name != "last"]
    found, mistaken = (sum(getattr(f, k) for f in reached) for k in ("found", "mistaken"))
    assert found >= 0.9 * sum(f.refusals for f in reached)
    assert found >= 0.95 * (found + mistaken)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("ja", "承知しました。ほかにご希望はございますでしょうか?"),
        (
            "ja",
            "それでは以下の条件でお調べしますので、よろしくお願いいたします。",
        ),
        ("ja", "お部屋の数ですが、シングルを2部屋でよろしいでしょうか?"),
        ("en", "Certainly, I'll look for a hotel near the station."),
        ("en", "Download it from our website."),
        ("en", "No."),
    ],
)
def test_what_a_desk_says_on_the_way_refuses_nothing(language: Language, text: str) -> None:
    assert not is_refusal(text, language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_reply_stands_in_the_corpus_twice(language: Language) -> None:
    sets = [replies(language, half, name) for half in HALVES for name in SETS]
    texts = [text for some in sets for kind in ("refusals", "others") for text in some[kind]]
    assert len(texts) >= 380
    assert len(set(texts)) == len(texts)
