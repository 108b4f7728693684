"""What a user makes of a reply."""

from simulator.users.agenda.needs import read_reply


def test_what_a_reply_states_and_asks_is_kept_apart() -> None:
    found = read_reply(
        "承知しました。プランの変更は設定から行えます。どの端末をお使いですか？", "ja"
    )
    assert found.asks
    assert {"プラン", "変更", "設定"} <= found.stated
    assert "端末" not in found.stated
    assert "端末" in found.questioned


def test_a_request_in_words_asks_for_what_it_names() -> None:
    found = read_reply("Sure. Please tell me your order number.", "en")
    assert {"order", "number"} <= found.questioned


def test_a_reply_that_asks_nothing_has_nothing_asked() -> None:
    found = read_reply("設定から行えます。他にご不明な点はございますか？", "ja")
    assert (False, frozenset()) == (found.asks, found.questioned)


def test_passing_on_and_a_bare_pointer_state_nothing_of_the_matter() -> None:
    for text in ("返品は担当者におつなぎします。", "返品は窓口にお問い合わせください。"):
        found = read_reply(text, "ja")
        assert ("返品" in found.about, "返品" in found.stated) == (True, False)
    assert "返品" in read_reply("返品は窓口（03-1234-5678）にご連絡ください。", "ja").stated


def test_only_the_beginning_of_a_very_long_reply_is_read() -> None:
    assert 4000 == len(read_reply("長い。" * 100_000, "ja").text)
