import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.core.persona import Language
from simulator.generate.elements import grounded, is_said, key_phrases, phrases_for

LOCK = "パスワードを5回間違えるとロックされます。30分で解除されます。窓口は a@example.jp です。"


@pytest.mark.parametrize(
    ("language", "text", "phrases"),
    [
        (
            "ja",
            "年額は14,800円か4,800円、月額1,480円です。",
            ("月額1,480円", "14,800円", "4,800円"),
        ),
        (
            "ja",
            "3営業日以内に返金します。平日10:00から18:00まで。",
            ("3営業日以内", "10:00から18:00"),
        ),
        ("ja", "「設定」→「プラン」→「解約する」を押します。", ("解約する",)),
        (
            "ja",
            "電話は 0120-000-000、詳しくは status.example.jp へ。",
            ("0120-000-000", "status.example.jp"),
        ),
        ("ja", "銀行振込には対応していません。", ()),
        ("en", "It costs 1,480 yen a month. Pay within 14 days.", ("1,480 yen", "14 days")),
        ("en", "We answer within three business days.", ("three business days",)),
        ("en", "Go to Settings > Payment > Change card and enter it.", ("Change card",)),
        ("en", 'Press "End trial" to stop.', ("End trial",)),
        ("en", "We do not take cash.", ()),
    ],
)
def test_amounts_deadlines_and_names_are_picked(
    language: Language, text: str, phrases: tuple[str, ...]
) -> None:
    assert set(phrases) <= set(key_phrases(text, language))
    assert bool(phrases) == bool(key_phrases(text, language))


PAYING = "口座振替、カード、コンビニ払込票の3種類がございます。口座振替なら毎月55円割引です。"
EN_PAYING = "You can pay by card, by bank transfer, or in cash. Cash costs an extra 2 pounds."


@pytest.mark.parametrize(
    ("language", "question", "text", "phrases"),
    [
        ("ja", "支払い方法は何がありますか", PAYING, ("口座振替", "カード", "コンビニ払込票")),
        ("ja", "支払いの割引はいくらですか", PAYING, ("毎月55円",)),
        (
            "ja",
            "払い方は？",
            "口座振替かカードかコンビニです。",
            ("口座振替", "カード", "コンビニ"),
        ),
        ("ja", "引っ越しはいつまで", "3日前までに、マイページかお電話で。", ("3日前まで",)),
        ("en", "Which payment methods are there?", EN_PAYING, ("card", "bank transfer", "cash")),
        ("en", "How much does paying in cash cost?", EN_PAYING, ("2 pounds",)),
        ("en", "Payment?", "We take cards, transfers and cash.", ("cards", "transfers", "cash")),
    ],
)
def test_what_is_enumerated_counts_where_the_question_asks_for_it(
    language: Language, question: str, text: str, phrases: tuple[str, ...]
) -> None:
    assert phrases == key_phrases(text, language, question=question)


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("変更は1年に1回までです。", "1年に1回まで"),
        ("1ポイント1円で使えます。", "1ポイント1円"),
        ("年10%の延滞利息がかかります。", "年10%"),
        ("毎月55円割引です。", "毎月55円"),
        ("午後11時から午前7時までが安くなります。", "午後11時から午前7時まで"),
        ("6桁の確認コードを入れます。", "6桁の確認コード"),
        ("10個の予備コードが出ます。", "10個の予備コード"),
        ("2026年9月に始めました。", "2026年9月"),
    ],
)
def test_a_number_is_picked_with_what_it_counts(text: str, phrase: str) -> None:
    assert (phrase,) == key_phrases(text, "ja")


def test_there_are_never_more_than_four() -> None:
    text = "、".join(f"{n}日" for n in range(2, 20))
    assert 4 == len(key_phrases(text, "ja"))


@given(st.text(alphabet="0123456789,.:円日分GB「」→設定 abc@-", max_size=60))
def test_each_phrase_is_met_by_its_own_text(text: str) -> None:
    assert all(is_said(phrase, [text], "ja") for phrase in key_phrases(text, "ja"))


def test_a_question_takes_the_phrases_of_the_sentence_that_it_is_about() -> None:
    assert ("5回",) == phrases_for("パスワードは何度間違えるとロックされる？", LOCK, "ja")
    assert ("30分",) == phrases_for("解除まで待つ時間は", LOCK, "ja")
    assert {"5回", "30分", "a@example.jp"} == set(phrases_for("どうすれば", LOCK, "ja"))


def test_a_models_phrases_count_only_where_the_text_holds_them() -> None:
    said = ["30分", "1時間", "", "  5回 ", "5回", "ロックされません", LOCK]
    assert ("30分", "5回") == grounded(said, [LOCK], "ja")
