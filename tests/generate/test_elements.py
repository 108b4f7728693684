import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.core.persona import Language
from simulator.generate.elements import grounded, key_phrases, phrases_for
from simulator.text.presence import missing

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


def test_there_are_never_more_than_four() -> None:
    text = "、".join(f"{n}日" for n in range(2, 20))
    assert 4 == len(key_phrases(text, "ja"))


@given(st.text(alphabet="0123456789,.:円日分GB「」→設定 abc@-", max_size=60))
def test_each_phrase_is_found_again_by_the_metric_that_looks_for_it(text: str) -> None:
    assert [] == missing(key_phrases(text, "ja"), [text], "ja")


def test_a_question_takes_the_phrases_of_the_sentence_that_it_is_about() -> None:
    assert ("5回",) == phrases_for("パスワードは何度間違えるとロックされる？", LOCK, "ja")
    assert ("30分",) == phrases_for("解除まで待つ時間は", LOCK, "ja")
    assert {"5回", "30分", "a@example.jp"} == set(phrases_for("どうすれば", LOCK, "ja"))


def test_a_models_phrases_count_only_where_the_text_holds_them() -> None:
    said = ["30分", "1時間", "", "  5回 ", "5回", "ロックされません", LOCK]
    assert ("30分", "5回") == grounded(said, [LOCK], "ja")
