"""Whether an expected element stands in an answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.core.persona import Language
from simulator.text.presence import missing


def holds(reply: str, element: str, language: Language) -> bool:
    return not missing([(element,)], [reply], language)


@pytest.mark.parametrize(
    ("element", "reply"),
    [
        ("返品できる", "商品は返品できます。"),
        ("返品できる", "30日以内なら返品することができます。"),
        ("返品できる", "返品可能です"),
        ("返品できる", "セール品は返品できませんが、通常の商品は返品できます。"),
        ("返品できません", "返品はできません"),
        ("返金されません", "途中で解約しても返金されません。"),
        ("返金されません", "返金はいたしておりません。"),
        ("返金されません", "返金を行っておりません"),
        ("返品できないわけではない", "返品できます"),
        ("返品しなければならない", "返品しなければなりません"),
        ("手数料なし", "手数料はありません"),
        ("無料", "登録は無料です。"),
        ("30日以内", "３０日 以内であれば、取り消せます。"),
        ("30日以内", "三十日以内に"),
        ("30日", "30日以内です"),
        ("1,480円", "月額1480円です"),
        ("1.5%", "手数料は１．５％です"),
        ("23:59", "前日の23：59まで"),
        ("0120-000-000", "0120ー000ー000へ"),
        ("security@example.jp", "窓口（security@example.jp）へ"),
        ("5GB", "5 GBまで"),
        ("カードを変更", "「お支払い」→「カードを変更」で入力してください。"),
        ("新しいアドレス", "アドレスを新しくしてください"),
        ("自動更新を止める", "自動更新を止めてください"),
        ("スタンダードプラン", "スタンダードプランでは使えません"),
        ("返品できます。手数料はかかりません。", "手数料はかかりません。いつでも返品できます。"),
        ("返品", "返品できません"),  # a bare noun says neither
        ("🎉", "おめでとう🎉"),
    ],
)
def test_a_japanese_element_is_there(element: str, reply: str) -> None:
    assert holds(reply, element, "ja")


@pytest.mark.parametrize(
    ("element", "reply"),
    [
        ("返品できる", "返品できません。"),
        ("返品できる", "返品することはできません"),
        ("返品できる", "返品についてはお問い合わせください"),
        ("返品できません", "返品できます"),
        ("返金されません", "全額返金されます"),
        ("退会を取り消す", "退会を取り消すことはできません"),
        ("自動更新を止める", "自動更新は止められません"),
        ("返品しなければならない", "返品しなくてもいい"),
        ("無料", "無料ではありません"),
        ("必要", "登録は必要ありません"),
        ("返品", "返品はありません"),
        ("30日以内", "130日以内"),
        ("3日", "30日"),
        ("30分", "30日後、3分で"),
        ("2営業日以内", "2日以内"),
        ("480円", "1,480円"),
        ("1.5%", "15%"),
        ("5%", "1.5%"),
        ("PDF", "PDFXを"),
        ("返品できます。手数料はかかりません。", "返品できます。"),
        ("返品できる", ""),
        ("返品できる", "返品は店舗で。配送できます。"),  # not within one sentence
    ],
)
def test_a_japanese_element_is_missing(element: str, reply: str) -> None:
    assert not holds(reply, element, "ja")


@pytest.mark.parametrize(
    ("element", "reply"),
    [
        ("30 days", "Within 30 days of the purchase."),
        ("30 days", "It is a 30-day trial."),
        ("seven days", "It works for 7 days."),
        ("can be returned", "You can return items."),
        ("not refunded", "Fees are not refunded when you cancel."),
        ("not refunded", "We don't refund monthly fees."),
        ("1,480 yen", "It is 1480 yen a month."),
        ("10%", "You get 10 percent off."),
        ("same e-mail address", "Use the same email address as before."),
        ("Change card", "Go to Settings > Payment > Change card."),
        ("share link", "Kids accounts cannot create share links."),
        ("23:59", "By 23:59 on the day before."),
    ],
)
def test_an_english_element_is_there(element: str, reply: str) -> None:
    assert holds(reply, element, "en")


@pytest.mark.parametrize(
    ("element", "reply"),
    [
        ("30 days", "Within 130 days."),
        ("30 days", "Within 30 minutes, or 3 days."),
        ("can be returned", "Items cannot be returned."),
        ("can be returned", "Items can’t be returned."),
        ("refunded", "Fees are not refunded."),
        ("not refunded", "It is refunded in full."),
        ("refund", "It is refundable."),
        ("480 yen", "It is 1,480 yen."),
        ("free", "It is not free."),
        ("free", "Nothing is without a fee."),
    ],
)
def test_an_english_element_is_missing(element: str, reply: str) -> None:
    assert not holds(reply, element, "en")


def test_any_of_the_replies_may_hold_an_element() -> None:
    replies = ["30日以内です。", "新しいアドレスを入力してください。"]
    elements = ["30日以内", "確認コード", "新しいアドレス"]
    assert [("確認コード",)] == missing([(element,) for element in elements], replies, "ja")


@pytest.mark.parametrize("language", ["ja", "en"])
@given(text=st.text(min_size=1))
def test_missing_elements_are_some_of_the_elements(text: str, language: Language) -> None:
    assert missing([(text,)], [], language) in ([], [(text,)])
    assert missing([(text,)], [text], language) in ([], [(text,)])


@pytest.mark.parametrize("language", ["ja", "en"])
@given(word=st.text(alphabet="返品交換料金30日円refund", min_size=1))
def test_a_text_holds_itself(word: str, language: Language) -> None:
    assert [] == missing([(word,)], [f"{word}"], language)


@pytest.mark.slow
@pytest.mark.parametrize("unit", ["で", "返品できません", "not a ", "30日"])
def test_a_very_long_reply_is_borne(unit: str) -> None:
    text = unit * (300_000 // len(unit))
    missing([("30日以内",)], [text], "ja")
    missing([("30 days",)], [text], "en")
