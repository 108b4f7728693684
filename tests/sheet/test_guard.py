import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.sheet.guard import CUT_MARK, LONGEST_CELL, cell, guarded, is_number


@pytest.mark.parametrize(
    "text",
    ["=1+1", "+81 90", "-送料", "@SUM(A1)", "\tx", "\rx", "\nx", "＝1", "＠x", "--5", "-1e5"],
)
def test_what_looks_like_a_formula_is_guarded(text: str) -> None:
    assert f"'{text}" == guarded(text)


@pytest.mark.parametrize("text", ["", "送料", "500円", "-5", "0.5", "-0.25", "a=b", " =1", "'=1"])
def test_other_texts_and_numbers_stay_as_they_are(text: str) -> None:
    assert text == guarded(text)


@pytest.mark.parametrize("text", ["0", "-5", "1200", "0.5", "123456789012345", "0.1"])
def test_a_number_is_one_that_a_spreadsheet_shows_just_so(text: str) -> None:
    assert is_number(text)
    assert float(text) == cell(text)


@pytest.mark.parametrize(
    "text", ["", "007", "1.10", "+5", "-0", "1e5", "1,200", "1234567890123456", "nan", "５", "1."]
)
def test_what_would_be_changed_is_text(text: str) -> None:
    assert not is_number(text)
    assert text == cell(text)


def test_numbers_stay_numbers() -> None:
    assert [3, 0.25] == [cell(3), cell(0.25)]


@pytest.mark.parametrize("char", ["あ", "😀"])
def test_a_text_that_is_too_long_is_cut_with_a_mark(char: str) -> None:
    shown = cell(char * 40_000)
    assert isinstance(shown, str)
    assert shown.endswith(CUT_MARK)
    assert len(shown.encode("utf-16-le")) // 2 <= LONGEST_CELL


def test_what_a_workbook_cannot_hold_is_replaced() -> None:
    assert "a\ufffdb\nc" == cell("a\uffffb\r\nc\x00\x1b")


@given(st.text(max_size=30))
def test_no_guarded_text_begins_like_a_formula(text: str) -> None:
    shown = guarded(text)
    assert is_number(shown) or not shown.startswith(("=", "+", "-", "@", "\t", "\r", "\n"))
