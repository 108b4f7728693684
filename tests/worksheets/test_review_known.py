from typing import Any

import pytest

from simulator.core.verdict import Verdict, Word
from simulator.worksheets.reading import not_stored
from tests.worksheets.review_grids import RUN, cells_of, row, table

GIVEN = [Verdict("parcel/calm/1", 1, Word.OK, "Sato", "a.xlsx", corrected="Yes.", comment="x")]


@pytest.mark.parametrize(
    "people",
    [
        {},
        {"verdict": "OK"},
        {"verdict": "OK", "reviewer": "sato"},
        {"verdict": "○", "corrected": "Yes.", "comment": "x", "reviewer": "Sato"},
    ],
)
def test_what_the_run_has_is_known(people: dict[str, Any]) -> None:
    assert [] == list(not_stored(table(cells_of(row(**people))), RUN, GIVEN, {}))


@pytest.mark.parametrize(
    ("people", "run"),
    [
        ({"verdict": "NG"}, RUN),
        ({"verdict": "OK", "comment": "y"}, RUN),
        ({"verdict": "OK", "reviewer": "Suzuki"}, RUN),
        ({"verdict": "OK"}, "another"),
    ],
)
def test_anything_else_is_not(people: dict[str, Any], run: str) -> None:
    assert 1 == len(list(not_stored(table(cells_of(row(**people))), run, GIVEN, {})))


def test_what_was_kept_in_a_comment_is_known() -> None:
    given = [Verdict("parcel/calm/1", 1, None, "Sato", comment="(verdict cell) NG / OK")]
    rows = cells_of(row(verdict="OK", reviewer="Sato"), row(verdict="NG", reviewer="Sato"))
    assert [] == list(not_stored(table(rows), RUN, given, {}))


def test_a_word_that_merely_occurs_in_a_comment_is_not() -> None:
    given = [Verdict("parcel/calm/1", 1, Word.NG, "Sato", comment="OK in part\n(comment cell) OK")]
    rows = cells_of(row(verdict="OK", reviewer="Sato"))
    assert 1 == len(list(not_stored(table(rows), RUN, given, {})))


def test_white_space_makes_no_difference() -> None:
    given = [Verdict("parcel/calm/1", 1, Word.NG, corrected="a\nb", comment="x y\nz")]
    rows = cells_of(row(verdict="NG", corrected="a b", comment="x  y"))
    assert [] == list(not_stored(table(rows), RUN, given, {}))
