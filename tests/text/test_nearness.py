"""Nearness by words, against scikit-learn's tf-idf."""

import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from simulator.core.persona import Language
from simulator.text.bm25 import NearestTexts, WordWeights
from simulator.text.tokens import content_tokens

TEXTS = {
    "en": ["How do I reset my password?", "Delivery costs 5 pounds", "password password delivery"],
    "ja": ["パスワードを忘れました", "送料はいくらですか", "送料と返品とパスワード、送料"],
}


@pytest.mark.parametrize("language", ["ja", "en"])
def test_cosines_are_those_of_scikit_learn(language: Language) -> None:
    texts = TEXTS[language]
    weights = WordWeights(texts, language)
    model = TfidfVectorizer(analyzer=lambda t: content_tokens(t, language), sublinear_tf=True)
    vectors = model.fit_transform(texts)
    cosines = (vectors @ vectors.T).toarray()
    for at, text in enumerate(texts):
        for other, theirs in enumerate(texts):
            found = NearestTexts([weights.vector(theirs)]).nearest(weights.vector(text))
            assert cosines[at][other] == pytest.approx(found[1] if found else 0.0)


def test_the_nearest_text_is_found_and_the_first_of_equal_ones() -> None:
    weights = WordWeights(TEXTS["en"], "en")
    texts = NearestTexts([weights.vector(text) for text in TEXTS["en"]])
    found = texts.nearest(weights.vector("delivery costs"))
    assert found is not None
    assert (1, 0.664) == (found[0], round(found[1], 3))
    assert 3 == texts.add(weights.vector(TEXTS["en"][1]))
    same = texts.nearest(weights.vector("Delivery costs 5 pounds"))
    assert same is not None
    assert (1, 1.0) == (same[0], round(same[1], 6))
    assert [1, 3] == texts.ranked(weights.vector("Delivery costs 5 pounds"), 2)
    assert [0, 2] == texts.ranked(weights.vector("reset a password"), 9)


@pytest.mark.parametrize("text", ["", "🎉", "はい、です。", "\ud800"])
def test_a_text_without_content_is_near_to_nothing(text: str) -> None:
    weights = WordWeights(TEXTS["ja"], "ja")
    texts = NearestTexts([weights.vector(each) for each in TEXTS["ja"]])
    assert {} == weights.vector("")
    assert texts.nearest(weights.vector("")) is None
    assert 0.0 == weights.held("", text)


def test_the_share_of_a_text_that_another_holds_is_weighed() -> None:
    weights = WordWeights(["a rare word", "common", "common", "common"], "en")
    assert 1.0 == weights.held("rare common", "common and rare")
    assert weights.held("rare common", "common") < 0.5 < weights.held("rare common", "rare")


KNOWN = {
    "en": ["Look in your spam folder first. Parcels are sent on Mondays, for 5 euros."],
    "ja": ["迷惑メールフォルダーを確認してください。荷物は月曜日に500円で発送します。"],
}
