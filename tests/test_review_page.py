"""The page for reviewers says what stands in the worksheets: their names, choices and figures."""

import re
from typing import Literal

import pytest

from simulator.core.verdict import Word
from simulator.review.verdict_labels import FEWEST, FEWEST_OF_A_KIND
from simulator.words import Words
from simulator.worksheets.claim_marks import claim_marks
from simulator.worksheets.columns import COLUMNS
from tests.pages import ROOT

Language = Literal["en", "ja"]
_LANGUAGES: tuple[Language, ...] = ("en", "ja")


def _page(language: Language) -> str:
    return (ROOT / "docs" / language / "review.md").read_text("utf-8")


def _first_cells(language: Language) -> list[str]:
    """What the rows of its tables begin with."""
    return re.findall(r"^\| ([^|]+) \|", _page(language), re.MULTILINE)


@pytest.mark.parametrize("language", _LANGUAGES)
def test_every_worksheet_and_verdict_has_its_row(language: Language) -> None:
    words = Words(language, "sheet")
    verdicts = [words(f"how.{word}") for word in Word]
    expected = [words("how"), "Review", "Log", "Summary", "Config", *verdicts]
    assert [] == [text for text in expected if text not in _first_cells(language)]


@pytest.mark.parametrize("language", _LANGUAGES)
def test_it_tells_of_every_column_in_which_people_write(language: Language) -> None:
    page = _page(language)
    heads = [column.heads[language] for column in COLUMNS if column.people]
    assert [] == [text for text in heads if text not in page]


@pytest.mark.parametrize("language", _LANGUAGES)
def test_marks_on_claims_are_read_as_it_says(language: Language) -> None:
    cells = re.findall(r"`(\d[^`]+)`", _page(language))
    unread = [cell for cell in cells if claim_marks(cell)[1]]
    assert (True, 0) == (len(cells) > 3, len(unread)), unread


def test_it_says_how_many_verdicts_a_threshold_needs() -> None:
    assert f"判定が {FEWEST} 件（OK と NG がそれぞれ {FEWEST_OF_A_KIND} 件以上）" in _page("ja")
    several = f"including at least {FEWEST_OF_A_KIND} OK and {FEWEST_OF_A_KIND} NG"
    assert f"With {FEWEST} verdicts, {several}" in _page("en")
