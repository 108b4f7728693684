"""Whether an answer refuses."""

from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from simulator.core.persona import Language
from simulator.text.refusals import advises, is_refusal, only_refuses, states_nothing
from tests.text import refusal_fourth_round as fourth
from tests.text import refusal_phrasings as phrasings
from tests.text import refusal_rounds as rounds


@pytest.mark.parametrize(
    ("language", "reply", "nothing"),
    [
        ("en", "We are happy to say that the pool is open.", False),
        ("en", "I can tell you that it opens at nine.", False),
        ("en", "I'd be happy to help.", True),
        ("en", "I can help you with that.", True),
        ("ja", "プールは営業しておりますので、ご案内できます。", False),
        ("ja", "ご案内いたします。", True),
    ],
)
def test_to_state_nothing(language: Language, reply: str, nothing: bool) -> None:
    assert nothing is states_nothing(reply, language)


@pytest.mark.parametrize(
    ("language", "reply", "only"),
    [
        ("ja", "申し訳ございませんが、医療のことはお答えできません。", True),
        ("ja", "医療のことはお答えできませんが、氷で冷やして様子を見てください。", False),
        ("en", "I'm sorry, I cannot give medical advice. Please contact our desk.", True),
        ("en", "I cannot give medical advice, but put ice on it.", False),
    ],
)
def test_to_refuse_and_nothing_more(language: Language, reply: str, only: bool) -> None:
    assert is_refusal(reply, language)
    assert only is only_refuses(reply, language)


@pytest.mark.parametrize(
    "text",
    phrasings.EARLY_REFUSALS_JA
    + phrasings.LATE_REFUSALS_JA
    + rounds.REFUSALS_JA
    + fourth.REFUSALS_JA,
)
def test_polite_japanese_refusals_are_seen(text: str) -> None:
    assert is_refusal(text, "ja")


@pytest.mark.parametrize(
    "text",
    phrasings.EARLY_REFUSALS_EN
    + phrasings.LATE_REFUSALS_EN
    + rounds.REFUSALS_EN
    + fourth.REFUSALS_EN,
)
def test_english_refusals_are_seen(text: str) -> None:
    assert is_refusal(text, "en")


@pytest.mark.parametrize(
    "text",
    phrasings.EARLY_OTHERS_JA + phrasings.LATE_OTHERS_JA + rounds.OTHERS_JA + fourth.OTHERS_JA,
)
def test_japanese_answers_that_say_cannot_are_no_refusals(text: str) -> None:
    assert not is_refusal(text, "ja")


@pytest.mark.parametrize(
    "text",
    phrasings.EARLY_OTHERS_EN + phrasings.LATE_OTHERS_EN + rounds.OTHERS_EN + fourth.OTHERS_EN,
)
def test_english_answers_that_say_cannot_are_no_refusals(text: str) -> None:
    assert not is_refusal(text, "en")


@pytest.mark.parametrize("text", ["", " ", "。", "?", "🎉"])
def test_nothing_refuses_nothing(text: str) -> None:
    assert not is_refusal(text, "ja")
    assert not is_refusal(text, "en")


def test_a_refusal_stays_one_whatever_related_facts_follow() -> None:
    refusal = "I couldn't find any information about student discounts."
    facts = "The Standard plan is 480 yen a month. Yearly billing saves two months."
    assert is_refusal(f"{refusal} However, {facts}", "en")
    assert not is_refusal(f"{facts} {refusal}", "en")


def test_a_refusal_of_exactness_is_undone_by_what_is_known() -> None:
    assert is_refusal("正確な日数は分かりかねます。", "ja")
    assert not is_refusal("正確な日数は分かりかねます。3日ほどで届きます。", "ja")


@pytest.mark.parametrize(
    ("text", "language", "matter"),
    [
        (
            "他社のサービスについてはお答えできません。アドレスは「設定」で変更できます。",
            "ja",
            "メールアドレスを変えたい",
        ),
        (
            "内部の指示についてはお答えできませんが、メールアドレスは「設定」から変えられます。",
            "ja",
            "メールアドレスを変えたい",
        ),
        (
            "申し訳ございません。そのご要望にはお答えできません。\nアドレスの変更は「設定」からです。",
            "ja",
            "メールアドレスを変えたい",
        ),
        (
            "I can't discuss other companies. You can change your e-mail address under Settings.",
            "en",
            "I want to change my e-mail address",
        ),
        (
            "I'm sorry, I cannot share any information on that. To cancel your plan, see Settings.",
            "en",
            "I want to cancel my paid plan.",
        ),
    ],
)
def test_declining_what_is_beside_the_matter_and_answering_that_is_none(
    text: str, language: Language, matter: str
) -> None:
    assert is_refusal(text, language)
    assert not is_refusal(text, language, matter=matter)


@pytest.mark.parametrize(
    ("text", "language", "matter"),
    [
        ("他社のサービスについてはお答えできません。", "ja", "メールアドレスを変えたい"),
        (
            "他社のサービスとの比較はお答えできません。料金は月480円です。",
            "ja",
            "他社の写真サービスと比べて安いですか",
        ),
        (
            "他社のことはお答えできません。メールアドレスの変更についても分かりかねます。",
            "ja",
            "メールアドレスを変えたい",
        ),
        (
            "その件は分かりかねます。メールアドレスの変更はサポート窓口にお問い合わせください。",
            "ja",
            "メールアドレスを変えたい",
        ),
        (
            "I can't discuss my instructions. I don't know how to change the e-mail address.",
            "en",
            "I want to change my e-mail address",
        ),
        (
            "I can't discuss other companies. Our office is in Tokyo.",
            "en",
            "I want to change my e-mail address",
        ),
    ],
)
def test_the_matter_itself_refused_is_a_refusal_also_beside_something_else(
    text: str, language: Language, matter: str
) -> None:
    assert is_refusal(text, language, matter=matter)


@pytest.mark.parametrize("language", ["ja", "en"])
@given(text=st.text(alphabet=st.characters(codec=None)))
def test_any_text_is_borne(text: str, language: Language) -> None:
    assert is_refusal(text, language) in (True, False)


@pytest.mark.parametrize(
    "unit", ["分かり", "I can't find ", "情報が、", "no information ", "ヘルプには"]
)
def test_a_megabyte_is_read_only_at_its_beginning(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    is_refusal(text, "ja")
    is_refusal(text, "en")


@pytest.mark.parametrize("language", ["ja", "en"])
def test_advice_beside_a_refusal_is_told_from_where_to_turn(language: Language) -> None:
    file = Path(__file__).with_name("refusal_advice.yaml")
    said = yaml.safe_load(file.read_text("utf-8"))[language]
    for half in (slice(0, None, 2), slice(1, None, 2)):
        advice = sum(advises(text, language) for text in said["advice"][half])
        assert advice >= 5  # of 8
        assert not any(advises(text, language) for text in said["refusal"][half])
