"""Pairs of answers go to a person as a worksheet, and what was chosen comes back."""

from pathlib import Path

import pytest
from openpyxl import load_workbook  # type: ignore[import-untyped]

from simulator.core.errors import InputError
from simulator.core.persona import Language
from simulator.improve.pairs import (
    Choice,
    Pair,
    Right,
    pair_key,
    read_pairs,
    rights_of,
    write_pairs,
)
from simulator.improve.stored import keep_choices, place_of, read_choices

PAIRS = (
    Pair("How much?", "It is £55.", "=It is £45.", "words"),
    Pair("いつ?", "月曜です。", "火曜です。", "words"),
    Pair("", "", "The change says more.", "words"),
)


def choose(path: Path, chosen: list[str]) -> None:
    if path.suffix == ".csv":
        head, *lines = path.read_text("utf-8-sig").splitlines()
        filled = [line + text for line, text in zip(lines, chosen, strict=True)]
        path.write_text("\n".join([head, *filled]), "utf-8")
        return
    book = load_workbook(path)
    for number, text in enumerate(chosen, 2):
        book.active.cell(number, 6).value = text or None
    book.save(path)


@pytest.mark.parametrize("kind", ["csv", "xlsx"])
@pytest.mark.parametrize(
    ("language", "chosen"),
    [("en", ["after", "3", ""]), ("ja", ["変更後", "差はない", ""]), ("ja", ["2", "equal", ""])],
)
def test_what_was_chosen_comes_back(
    tmp_path: Path, language: Language, chosen: list[str], kind: str
) -> None:
    path = tmp_path / f"pairs.{kind}"
    assert 3 == write_pairs(PAIRS, {}, language, path)
    choose(path, chosen)
    choices = read_pairs(path, PAIRS, language)
    assert (Choice(PAIRS[0], Right.AFTER), Choice(PAIRS[1], Right.EQUAL)) == choices
    again = tmp_path / f"again.{kind}"
    write_pairs(PAIRS, rights_of(choices), language, again)
    assert choices == read_pairs(again, PAIRS, language)


def test_a_worksheet_that_people_wrote_in_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text("people's", "utf-8")
    with pytest.raises(InputError, match="already exists, so nothing was written;"):
        write_pairs(PAIRS, {}, "en", path)
    assert "people's" == path.read_text("utf-8")
    with pytest.raises(InputError, match=r"ends in \.csv or \.xlsx"):
        write_pairs(PAIRS, {}, "en", tmp_path / "pairs.pdf")


@pytest.mark.parametrize(
    ("rows", "problem"),
    [
        ("pair,question\n", 'lacks the column "which is right'),
        (
            f"pair,which is right?\n{PAIRS[0].key},yes\n",
            'pairs.csv:2: "yes" isn\'t valid: before',
        ),
        ("pair,which is right?\nx,after\n", 'pairs.csv:2: "x" isn\'t in'),
        (
            f"pair,which is right?\n{PAIRS[0].key},after\n{PAIRS[0].key},before\n",
            "pairs.csv:3: .*twice, with two choices",
        ),
    ],
)
def test_what_is_wrong_is_named_by_its_line(tmp_path: Path, rows: str, problem: str) -> None:
    path = tmp_path / "pairs.csv"
    path.write_text(rows, "utf-8")
    with pytest.raises(InputError, match=problem):
        read_pairs(path, PAIRS, "en")


def test_choices_stay_and_later_ones_win(tmp_path: Path) -> None:
    first, second, _ = PAIRS
    keep_choices("r", [Choice(first, Right.AFTER), Choice(second, Right.BEFORE)], tmp_path)
    keep_choices("r", [Choice(first, Right.BEFORE)], tmp_path)
    kept = rights_of(read_choices("r", tmp_path))
    assert {first.key: Right.BEFORE, second.key: Right.BEFORE} == kept
    assert () == read_choices("another", tmp_path)
    place_of("r", tmp_path, ".pairs.json").write_text("{", "utf-8")
    with pytest.raises(InputError, match="is damaged; move it, and"):
        keep_choices("r", [Choice(first, Right.AFTER)], tmp_path)


def test_a_pair_is_known_by_its_question_and_its_answers() -> None:
    key = pair_key("How much?", "It is £55.", "It is £45.")
    assert key == pair_key("How much?", " It is  £55.", "It is £45.")
    assert key != pair_key("How much?", "It is £45.", "It is £55.")
    assert key != pair_key("How much?", "It is £55.", "It is £4.5.")
