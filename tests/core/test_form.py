"""The normal form of a text."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from simulator.core.clean import normal_form


@pytest.mark.parametrize(
    ("text", "normal"),
    [
        ("登録 画面「設定」", "登録画面設定"),
        ("E-mail  address.", "e mail address"),
        ("月額 １，４８０ 円", "月額1480円"),
        ("1.5％", "1.5%"),
        ("23：59", "23:59"),
        ("0120ー000−000", "0120-000-000"),
        ("３〜５日", "3-5日"),
        ("5 GB", "5gb"),
        ("Plan 2", "plan 2"),
        ("10, 20", "10 20"),
        ("サーバー", "サーバー"),
        ("「設定」→「お支払い」", "設定→お支払い"),
        ("。、！", ""),
        ("", ""),
        ("\ud800\x00a", "\ufffda"),
    ],
)
def test_writing_habits_are_taken_away(text: str, normal: str) -> None:
    assert normal == normal_form(text)


def test_numbers_stay_different() -> None:
    assert normal_form("1.5%") != normal_form("15%")
    assert normal_form("1-2") != normal_form("12")


@given(st.text(alphabet=st.characters(codec=None)))
@example("0~-0")
@example("0ー-0")
def test_a_normal_form_is_its_own_normal_form(text: str) -> None:
    assert normal_form(text) == normal_form(normal_form(text))
