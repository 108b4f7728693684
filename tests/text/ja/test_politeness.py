"""The polite form of plain Japanese, and how registers are told."""

import pytest

from simulator.text.ja.politeness import made_polite


@pytest.mark.parametrize(
    ("plain", "polite"),
    [
        ("人が対応する。", "人が対応します。"),
        ("電話で受ける", "電話で受けます"),
        ("所長が話を聞くよ。", "所長が話を聞きますよ。"),
        ("上に引き継いだ。", "上に引き継ぎました。"),
        ("係を呼んだ(内線12)。", "係を呼びました(内線12)。"),
        ("連絡が来る。", "連絡が来ます。"),
        ("調べている。", "調べています。"),
        ("営業部の担当だ。", "営業部の担当です。"),
        ("営業部の担当。", "営業部の担当です。"),
        ("すぐ逃げろ。", "すぐお逃げください。"),
        ("店に電話しろ。", "店に電話してください。"),
        ("電話してほしい。", "電話してください。"),
        ("店へ電話を。", "店へ電話をお願いします。"),
        ("市の保健所まで。", "市の保健所までお問い合わせください。"),
        ("人事部から。", "人事部からご連絡します。"),
        # What is denied, polite or says where something goes stays as it is.
        ("対応できない。", "対応できない。"),
        ("対応します。", "対応します。"),
        ("ご連絡ください。", "ご連絡ください。"),
        ("荷物は2階の事務所へ。", "荷物は2階の事務所へ。"),
        ("17時まで。", "17時まで。"),
        ("。", "。"),
        ("", ""),
    ],
)
def test_the_last_predicate_is_made_polite(plain: str, polite: str) -> None:
    assert made_polite(plain) == polite
