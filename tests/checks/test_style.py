"""What style alone says: content is masked, and two samples of one manner are not told apart."""

import random

import pytest

from simulator.checks.realism import (
    FEWEST_TALKS,
    Feature,
    features,
    separation,
    style_words,
)
from simulator.core.outcome import Interval

THINGS = ["送料", "返品", "予約", "領収書", "解約", "住所", "写真", "荷物", "会員証", "割引"]


def talks(*wordings: str, seed: int, count: int = 40) -> list[list[str]]:
    """Talks of two turns in these wordings, about different things."""
    rng = random.Random(seed)
    return [
        [rng.choice(wordings).format(rng.choice(THINGS)) for _ in range(2)] for _ in range(count)
    ]


@pytest.mark.parametrize(
    ("sentence", "language", "masked"),
    [
        ("送料を教えてください。", "ja", "~ を ~ て ください 。"),
        ("返品を助けてください。", "ja", "~ を ~ て ください 。"),
        ("はい、山田で2名です", "ja", "はい 、 ~ で ~ です"),
        ("まだ届かないんですけど", "ja", "まだ ~ ない ん です けど"),
        ("hi, could you send 3 parcels to leeds?", "en", "hi , could you ~ to ~ ?"),
        ("i don't get it, sorry", "en", "i don't ~ it , sorry"),
    ],
)
def test_content_words_are_masked(sentence: str, language: str, masked: str) -> None:
    assert masked == " ".join(style_words(sentence, "en" if language == "en" else "ja"))


def test_what_is_counted() -> None:
    counts = features("はい、そうです。\nあと、送料はいくらですか？", "ja")
    assert (2, 2, 1, 1) == tuple(
        counts[Feature(kind)] for kind in ("sentences", "commas", "questions", "lines")
    )
    for kind, form in (("opening", "はい"), ("word", "そう"), ("register", "polite")):
        assert 1 == counts[Feature(kind, form)]
    assert 1 == counts[Feature("ending", "ですか?")]


def test_writing_a_mark_wide_or_narrow_makes_no_difference() -> None:
    assert features("送料は？", "ja") == features("送料は?", "ja")


def test_one_manner_about_other_things_is_not_told_apart() -> None:
    wordings = ("{}はいくらですか。", "{}が届きません。", "はい、{}です。", "{}をお願いします。")
    apart = separation(talks(*wordings, seed=1), talks(*wordings, seed=2), "ja")
    assert (apart.auc.mean or 0.0) <= (apart.chance or 0.0) < 0.7


def test_two_manners_are_told_apart_and_the_greatest_difference_is_named() -> None:
    blunt = talks("{}なんだけど？", "{}が届かないんだけど？", seed=1)
    polite = talks("はい、{}です。", "はい、{}をお願いします。", seed=2)
    apart = separation(blunt, polite, "ja")
    assert apart.auc.mean is not None
    assert apart.auc.mean > 0.99
    assert 3 == len(apart.differences)
    assert {0.0, 1.0} == {apart.differences[0].simulated, apart.differences[0].real}


@pytest.mark.parametrize(("simulated", "real"), [(FEWEST_TALKS - 1, 40), (40, FEWEST_TALKS - 1)])
def test_too_few_conversations_say_nothing(simulated: int, real: int) -> None:
    few = separation(
        talks("{}です。", seed=1, count=simulated), talks("{}", seed=2, count=real), "ja"
    )
    assert (Interval(None), ()) == (few.auc, few.differences)


def test_conversations_without_a_later_turn_do_not_count() -> None:
    silent: list[list[str]] = [[] for _ in range(40)]
    assert Interval(None) == separation(silent, talks("{}です。", seed=1), "ja").auc
