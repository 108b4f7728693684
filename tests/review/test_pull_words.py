"""What is odd has words in both languages, and rows are told as the sheet shows them."""

import string
from typing import get_args

import pytest

from simulator.core.persona import Language
from simulator.review.pull import oddity_text, oddity_texts
from simulator.words import table
from simulator.worksheets.reading import Odd, Oddity, RowPlace

GONE = "前にこのファイルから取り込んだ判定のうち 2 件が見当たりません。保存済みの判定は残ります"


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("language", get_args(Language))
def test_everything_odd_can_be_told(language: Language) -> None:
    for kind in Odd:
        values = dict.fromkeys(placeholders(table("en", "pull")[kind]), "reason")
        assert oddity_text(Oddity(kind, RowPlace(7), values), language), kind


@pytest.mark.parametrize(
    ("kind", "told_of_it"),
    [
        (Odd.BROKEN_CELL, ("がエラー #NAME? になっていて、内容を読めません。"
                           "先頭に ' を付けて、書き直してください")),
        (Odd.NO_RESULT, ("の数式に結果がなく、読めません。"
                         "表計算ソフトで開いて保存し直してください")),
        (Odd.NO_DAY, ("は、書式が日付なのに日付ではない（####）ため、読めません。"
                      "書式を「標準」に変えてください")),
    ],
)  # fmt: skip
def test_a_cell_that_cannot_be_read_is_told_in_one_language(kind: Odd, told_of_it: str) -> None:
    values = {"column": "コメント", "error": "#NAME?"}
    assert f"4 行目: 「コメント」のセル{told_of_it}" == oddity_text(
        Oddity(kind, RowPlace(4), values), "ja"
    )


@pytest.mark.parametrize(
    ("kind", "one", "two"),
    [
        (Odd.GONE, "kept 1 verdict that", "kept 2 verdicts that"),
        (Odd.NAMED, "to 1 verdict that had none", "to 2 verdicts that had none"),
        (Odd.PRINTED, "1 row repeats a verdict", "2 rows repeat a verdict"),
        (Odd.REPEATED, ": 1 verdict without", ": 2 verdicts without"),
    ],
)
def test_one_is_said_in_the_singular(kind: Odd, one: str, two: str) -> None:
    said = [oddity_text(Oddity(kind, None, {"n": n}), "en") for n in ("1", "2")]
    assert [True, True] == [text in found for text, found in zip((one, two), said, strict=True)]


@pytest.mark.parametrize(
    ("oddities", "sentences"),
    [
        ([Oddity(Odd.CLEARED, RowPlace(3), {"column": "判定", "text": "OK"})],
         ["3 行目: 「判定」のセルが空になりました。前に取り込んだ内容は残ります: OK"]),
        ([Oddity(Odd.EDITED, RowPlace(n, "控え"), {"columns": "user,score", "texts": "?"})
          for n in (3, 5)],
         [("控え の 3、5 行目: 書き出したあとに書き換えられています: 質問、点数"
          "（今は「?」。保存済みの内容は変わらず、この変更は取り込みません）")]),
        ([Oddity(Odd.GONE, None, {"n": "2"})],
         [GONE]),
    ],
)  # fmt: skip
def test_rows_of_which_the_same_is_said_are_told_together(
    oddities: list[Oddity], sentences: list[str]
) -> None:
    assert sentences == oddity_texts(oddities, "ja")
