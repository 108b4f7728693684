"""Token F1: the published formula to the last digit, and its sound variant."""

import re
import string
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.core.persona import Language
from simulator.metrics.sudachi_f1 import match
from simulator.text.token_f1 import Overlap, content_words, legacy_overlap, squad_words

ROWS = [
    ("パスワードを再設定してください。", "パスワードは、設定画面から再設定できます。"),
    ("確認して、また確認して、もう一度確認する。", "確認する。"),
    ("返品返品返品返品", "返品"),
    ("返品できます", "返品できません"),
    ("1.5%の手数料", "15%の手数料"),
    ("「A」プランです", "「B」プランです"),
    ("THE プラン an", "プラン"),
    ("お問い合わせは support@example.jp まで", "support@example.jp"),
    ("03-1234-5678", "0312345678"),
    ("はがのをに", "とへでは"),
    ("", ""),
    ("", "返品は30日以内です。"),
    (" \u3000\n\t", "返品は30日以内です。"),
    ("国民健康保険料を納める", "健康保険の料金を納めた"),
    ("引越の手続", "引っ越しの手続き"),
    ("サーバーに接続", "サーバに接続する"),
    ("三十日以内に届きます", "30日以内に届く"),
    ("😀返品😀", "返品"),
    ("パス\u200bワード", "パスワード"),
    ("私は彼に言った", "彼は私に言う"),
    ("The refund takes 5 days.", "the refund takes five days"),
    ("\x00返品\x07", "返品"),
    ("ＦＡＱをご覧ください", "FAQをご覧ください"),
    ("株式会社㍿", "株式会社"),
]


def overlap(answer: str, truth: str, language: Language) -> Overlap | None:
    found = match(answer, truth, language)
    return found.overlap if found else None


@cache
def _tokenizer() -> Any:
    from sudachipy import Dictionary, SplitMode  # type: ignore[import-untyped]

    return Dictionary(dict="core").tokenizer(mode=SplitMode.C)


def published(answer: str, truth: str) -> tuple[float, float, float]:
    """The formula as it was published, written down once more and apart."""

    def words(text: str) -> list[str]:
        text = "".join(c for c in text.lower() if c not in set(string.punctuation))
        text = " ".join(re.sub(r"\b(a|an|the)\b", " ", text).split())
        kept = _tokenizer().tokenize(text)
        return [
            m.normalized_form() for m in kept if m.part_of_speech()[0] in ["名詞", "代名詞", "動詞"]
        ]

    p, r = words(answer), words(truth)
    common = len(set(p) & set(r))
    if common == 0:
        return 0.0, 0.0, 0.0
    precision, recall = common / len(p), common / len(r)
    return 2 * precision * recall / (precision + recall), precision, recall


def figures(found: Overlap) -> tuple[float, float, float]:
    return found.f1, found.precision, found.recall


@pytest.mark.parametrize(("answer", "truth"), ROWS)
def test_legacy_is_the_published_formula(answer: str, truth: str) -> None:
    assert published(answer, truth) == figures(legacy_overlap(answer, truth))
    assert published(truth, answer) == figures(legacy_overlap(truth, answer))


PIECES = [
    *"返品不可なし。、A a 1%５「」\n\u3000",
    "できません",
    "手続き",
    "the ",
    "確認して",
    "サーバー",
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


@given(TEXTS, TEXTS)
def test_legacy_is_the_published_formula_on_anything_made_of_words(a: str, b: str) -> None:
    assert published(a, b) == figures(legacy_overlap(a, b))


@given(st.text(), st.text())
def test_legacy_is_the_published_formula_on_any_text(a: str, b: str) -> None:
    assert published(a, b) == figures(legacy_overlap(a, b))


def test_legacy_is_the_published_formula_up_to_what_sudachi_takes() -> None:
    answer = "返品は購入から30日以内に、設定画面の返品ボタンからお申し込みください。" * 400
    assert 40_000 < len(answer.encode()) < 49_149
    truth = "返品は30日以内です。"
    assert published(answer, truth) == figures(legacy_overlap(answer, truth))


def test_legacy_bears_longer_texts_and_lone_surrogates() -> None:
    sentence = "返品は30日以内です。"
    assert 0 < legacy_overlap(sentence * 5_000, sentence).f1 < 0.01
    assert legacy_overlap("返品\ud800", "返品").recall == 1.0


def f1(answer: str, truth: str, language: Language = "ja") -> float:
    found = overlap(answer, truth, language)
    assert found is not None
    return found.f1


@pytest.mark.parametrize(
    "text",
    [
        "返品は30日以内です。",
        "返品できません。" * 20,
        "です。",
        "🎉",
        "。",
        "「A」",
        "静かだ",
        "とても",
        "a",
    ],
)
@pytest.mark.parametrize("language", ["ja", "en"])
def test_a_text_matches_itself(text: str, language: Language) -> None:
    assert 1.0 == f1(text, text, language)


def test_words_are_counted_as_often_as_they_stand_there() -> None:
    found = overlap("返品、返品、交換", "返品、交換、交換、配送", "ja")
    assert found == Overlap(2 * (2 / 3) * (2 / 4) / (2 / 3 + 2 / 4), 2 / 3, 2 / 4)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("返品できます", "返品できません"),
        ("送料は高いです", "送料は安いです"),
        ("すぐに届きます", "ゆっくり届きます"),
        ("静かな部屋", "便利な部屋"),
        ("1.5%", "15%"),
        ("「A」プラン", "「B」プラン"),
    ],
)
def test_what_makes_a_difference_lowers_it(one: str, other: str) -> None:
    assert 0 < f1(one, other) < 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ＦＡＱ　１２３", "FAQ 123"),
        ("三十日以内", "30日以内"),
        ("1万円", "10,000円"),
        ("10GB", "10gb"),
        ("パス\u200bワード", "パスワード"),
        ("引越の手続", "引っ越しの手続き"),
        ("できない", "できません"),
        ("ｶﾞｲﾄﾞ", "ガイド"),
        ("返品\ud800", "返品\ufffd"),
    ],
)
def test_what_makes_no_difference_does_not(one: str, other: str) -> None:
    assert 1.0 == f1(one, other)


def test_content_words_are_these() -> None:
    assert ["返品", "為る", "ない", "方", "早い", "確認", "者"] == content_words(
        "返品しない方は、早く確認者へ"
    )
    assert ["ない", "ない", "ない"] == content_words("ない。なし。無い。")


def test_an_empty_truth_has_no_overlap_and_an_empty_answer_none_with_a_real_one() -> None:
    assert overlap("返品", "", "ja") is None
    assert overlap("", " \n\u3000", "ja") is None
    assert overlap("返品", "\u200b", "ja") is None
    assert Overlap(0.0, 0.0, 0.0) == overlap("", "返品", "ja")


def test_texts_without_words_are_the_same_if_their_normal_forms_are() -> None:
    assert 1.0 == f1("です！", "です。")
    assert 0.0 == f1("ます。", "です。")
    assert 0.0 == f1("🎂", "🎉")
    assert 0.0 == f1("？", "。")
    assert 0.0 == f1("返品", "です。")


def test_english_text_has_the_words_of_squad() -> None:
    assert ["its", "refund", "takes", "15", "days"] == squad_words(
        "It's  a refund: takes 1.5 days!"
    )
    assert 0.8 == pytest.approx(f1("The refund takes days", "A refund takes two days", "en"), 0.08)


@pytest.mark.parametrize(
    ("answer", "truth", "language", "expected"),
    [
        ("Take the A train", "take train", "ja", 1.0),  # no letter is Japanese: an article
        ("電車 A", "電車", "ja", 2 / 3),  # Japanese: A is a word
        ("Kyoto (京都), the old capital", "Kyoto, an old capital", "en", 6 / 7),
        ("京都は、古い都です。", "京都です。", "en", 2 / 4),
    ],
)
def test_the_letters_say_how_words_are_found(
    answer: str, truth: str, language: Language, expected: float
) -> None:
    assert expected == pytest.approx(f1(answer, truth, language))


@given(st.text(alphabet=st.characters(codec=None)), st.text(alphabet=st.characters(codec=None)))
def test_any_two_texts_have_figures_within_their_scale(answer: str, truth: str) -> None:
    languages: tuple[Language, ...] = ("ja", "en")
    for language in languages:
        found = overlap(answer, truth, language)
        if found is not None:
            assert all(0.0 <= figure <= 1.0 for figure in figures(found))
            assert (found.f1 == 0) == (found.precision == 0) == (found.recall == 0)


@given(TEXTS, TEXTS)
def test_precision_and_recall_change_places_with_the_texts(a: str, b: str) -> None:
    there, back = overlap(a, b, "ja"), overlap(b, a, "ja")
    if there is not None and back is not None:
        assert (there.precision, there.recall) == (back.recall, back.precision)


@given(TEXTS, TEXTS)
def test_the_overlap_is_that_of_counters(a: str, b: str) -> None:
    a, b = f"電車{a}", f"電車{b}"  # never without words
    words, right = content_words(a), content_words(b)
    common = (Counter(words) & Counter(right)).total()
    found = overlap(a, b, "ja")
    assert found is not None
    assert (common / len(words), common / len(right)) == (found.precision, found.recall)


@pytest.mark.slow
def test_any_length_from_any_thread() -> None:
    sentence = "返品は購入から30日以内に、設定画面からお申し込みください。"
    texts = [sentence * n for n in (1, 700, 3_000)] * 4
    alone = [f1(text, sentence) for text in texts]
    with ThreadPoolExecutor(6) as pool:
        assert alone == list(pool.map(lambda text: f1(text, sentence), texts))
