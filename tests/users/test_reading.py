"""What a user makes of a reply."""

import pytest

from simulator.core.persona import Language
from simulator.users._reading import read


def test_what_a_reply_states_and_asks_is_kept_apart() -> None:
    found = read("承知しました。プランの変更は設定から行えます。どの端末をお使いですか？", "ja")
    assert found.asks
    assert {"プラン", "変更", "設定"} <= found.told
    assert "端末" not in found.told
    assert "端末" in found.asked


def test_a_request_in_words_asks_for_what_it_names() -> None:
    found = read("Sure. Please tell me your order number.", "en")
    assert {"order", "number"} <= found.asked


def test_a_reply_that_asks_nothing_has_nothing_asked() -> None:
    found = read("設定から行えます。他にご不明な点はございますか？", "ja")
    assert (False, frozenset()) == (found.asks, found.asked)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("分かりかねますので、サポート窓口にお問い合わせください。", "ja"),
        ("担当者が折り返しご連絡します。", "ja"),
        ("オペレーターにおつなぎします。", "ja"),
        ("法務担当（legal@example.jp）が承ります。", "ja"),
        ("Please contact our support team.", "en"),
        ("A human agent will get back to you.", "en"),
        ("I am transferring you to a colleague.", "en"),
        ("Call the fraud desk at once.", "en"),
    ],
)
def test_being_sent_to_a_person_is_seen(text: str, language: Language) -> None:
    assert read(text, language).passes_on


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("直らない場合は、サポート窓口にお問い合わせください。", "ja"),
        ("「設定」から変更できます。", "ja"),
        ("If that does not help, contact our support team.", "en"),
        ("Your contact list is under Settings.", "en"),
    ],
)
def test_a_person_in_some_case_only_is_not(text: str, language: Language) -> None:
    assert not read(text, language).passes_on


def test_only_the_beginning_of_a_very_long_reply_is_read() -> None:
    assert 4000 == len(read("長い。" * 100_000, "ja").text)
