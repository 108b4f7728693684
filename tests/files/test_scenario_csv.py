from pathlib import Path

import pytest

from simulator.core.scenario import Scenario
from simulator.files.scenarios import load_scenarios
from tests.files.written import complaints, write


def _load(folder: Path, text: str) -> dict[str, Scenario]:
    return load_scenarios(write(folder, {"scenarios.csv": text}), cwd=folder)


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("true", True),
        ("TRUE", True),
        ("yes", True),
        ("はい", True),
        ("false", False),
        ("No", False),
        ("いいえ", False),
        ("ＴＲＵＥ", True),
        ("", None),
    ],
)
def test_yes_and_no_are_read_in_both_languages(
    tmp_path: Path, word: str, expected: bool | None
) -> None:
    found = _load(tmp_path, f"id,query,expected.answerable\na,b,{word}\n")
    assert expected is found["a"].expected.answerable


def test_every_complaint_names_the_row(tmp_path: Path) -> None:
    text = 'id,query,expected.escalate\na,"two\nlines",たぶん\na,,\n'
    assert [
        'scenarios.csv:2: expected.escalate: "たぶん" is not true or false; write true or false',
        "scenarios.csv:4: query is missing; write what the user asks first",
        'scenarios.csv:4: the id "a" stands on line 2 already; ids have to be unique',
    ] == complaints(lambda: _load(tmp_path, text))


def test_wrong_columns_are_complained_of_once(tmp_path: Path) -> None:
    columns = (
        "id, query, goal, known, unknown, turns, expected.answer, expected.elements, "
        "expected.documents, expected.answerable, expected.escalate, personas, tags"
    )
    assert [
        (
            f'scenarios.csv:1: no column "expected.element"; did you mean expected.elements? '
            f"there are: {columns}"
        ),
        "scenarios.csv:1: the column query is missing; add it",
    ] == complaints(lambda: _load(tmp_path, "ID,expected.element\na,b\nb,c\n"))


def test_a_table_without_rows_holds_no_scenarios(tmp_path: Path) -> None:
    assert ["scenarios.csv: holds no scenarios; write at least one"] == complaints(
        lambda: _load(tmp_path, "id,query\n")
    )
