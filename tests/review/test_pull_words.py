"""What is odd has words in both languages, and rows are told as the sheet shows them."""

import string
from typing import get_args

import pytest

from simulator.core.persona import Language
from simulator.review.pull_words import _WORDS, told, told_together
from simulator.tables.review_reading import Odd, Oddity, Place


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("key", _WORDS)
def test_both_languages_use_the_same_values(key: str) -> None:
    english, japanese = _WORDS[key]
    assert placeholders(english) == placeholders(japanese)


@pytest.mark.parametrize("kind", Odd)
@pytest.mark.parametrize("language", get_args(Language))
def test_everything_odd_can_be_told(kind: Odd, language: Language) -> None:
    values = dict.fromkeys(placeholders(_WORDS[kind][0]), "reason")
    assert told(Oddity(kind, Place(7), values), language)


@pytest.mark.parametrize(
    ("oddities", "sentences"),
    [
        ([Oddity(Odd.CLEARED, Place(3), {"column": "判定", "text": "OK"})],
         ["3 行目: 「判定」のセルが空になりました。前に取り込んだ内容は残ります: OK"]),
        ([Oddity(Odd.EDITED, Place(n, "控え"), {"columns": "user,score"}) for n in (3, 5)],
         [("控え の 3、5 行目: 書き出したあとに書き換えられています: 利用者、点数"
          "（保存されている内容は変わりません）")]),
        ([Oddity(Odd.GONE, None, {"n": "2"})],
         ["前にここから取り込んだ判定のうち 2 件が、今は見当たりません。保存した分は残ります"]),
    ],
)  # fmt: skip
def test_rows_of_which_the_same_is_said_are_told_together(
    oddities: list[Oddity], sentences: list[str]
) -> None:
    assert sentences == told_together(oddities, "ja")
