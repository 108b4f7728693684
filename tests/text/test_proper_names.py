"""The names in a sentence."""

import pytest

from simulator.core.persona import Language
from simulator.text.proper_names import proper_names, spelled_out, stands_in


@pytest.mark.parametrize(
    ("sentence", "language", "found"),
    [
        ("ソフトバンクのサービスがお得です。", "ja", ("ソフトバンク",)),
        ("○○社のアプリもおすすめです。", "ja", ("○○社",)),
        ("LINEで予約できます。", "ja", ("line",)),
        ("田中様のご予約です。", "ja", ()),
        ("予約の変更は前日までです。", "ja", ()),
        ("I would recommend the app by Acme.", "en", ("acme",)),
        ("WhatsApp is faster.", "en", ("whatsapp",)),
        ("Google's product is better than Dropbox.", "en", ("dropbox",)),
        ("Returns are free. You pay nothing.", "en", ()),
        ("Yes, I can send the PDF.", "en", ()),
    ],
)
def test_names_are_found(sentence: str, language: Language, found: tuple[str, ...]) -> None:
    assert found == proper_names(sentence, language)


def test_a_name_stands_in_a_text_as_a_whole_word() -> None:
    assert stands_in("line", "lineで予約")
    assert not stands_in("line", "book online")
    assert stands_in("sticker", "stickers are sold")
    assert stands_in("みなと", "「みなと」で朝食")


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "Thu to Sat, 9-5", "Thursday, Friday, Saturday, 9-5"),
        ("en", "Friday through Monday", "Friday, Saturday, Sunday, Monday"),
        ("en", "between April and June", "April, May, June"),
        ("en", "on Monday and Friday", "on Monday and Friday"),
        ("ja", "月〜水の8:30", "月曜・火曜・水曜の8:30"),
        ("ja", "土曜日から月曜日まで", "土曜・日曜・月曜まで"),
        ("ja", "毎月から土日まで", "毎月から土日まで"),
    ],
)
def test_ranges_of_days_and_months_are_spelled_out(
    language: Language, text: str, expected: str
) -> None:
    assert expected == spelled_out(text, language)
