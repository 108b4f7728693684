"""The names in a sentence."""

import pytest

from simulator.core.persona import Language
from simulator.text.proper_names import proper_names, stands_in


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
