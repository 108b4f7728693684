import pytest

from simulator.core.clean import is_number
from simulator.worksheets.book import CUT_MARK, LONGEST_CELL, cell


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


def test_reviewers_see_that_characters_are_hidden() -> None:
    assert "Yes.⟨U+E0067 ×3⟩" == cell("Yes.\U000e0067\U000e0069\U000e0076")
