"""The worksheet of expectations: what people see, and what they wrote, read back."""

import importlib
from pathlib import Path
from typing import Any

import pytest

from simulator.core.claim import ClaimKind
from simulator.core.errors import InputError
from simulator.formats.sources import Source
from simulator.review.expectation_sheet import (
    COLUMNS,
    Sheet,
    expectation_book,
    heads,
    read_worksheet,
    row_key,
    write_worksheet,
)
from simulator.review.expectations import NEW, WORDED, Decision, Judgement, take, write
from tests.review.test_expectations import (
    WORDLESS,
    folder,
    judged,
    read,
    says,
    text_of,
    word,
)

__all__ = ["folder"]
NAMES: list[str] = list(COLUMNS)


class Worksheet:
    """The worksheet as a person edits it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.path = folder, folder.parent / "e.xlsx"
        write_worksheet(read(folder), str(self.path))
        self.book = importlib.import_module("openpyxl").load_workbook(self.path)
        self.sheet = self.book.worksheets[0]

    def row(self, key: str) -> int:
        """The number of the row with this key."""
        return next(int(r[0].row) for r in self.sheet.iter_rows() if r[0].value == key)

    def fill(self, name: str, /, **texts: str) -> None:
        """Type into the cells of a row."""
        row = self.row(name)
        for column, text in texts.items():
            self.put(row, NAMES.index(column), text)

    def put(self, row: int, column: int, text: str) -> None:
        """Type into a cell."""
        self.sheet.cell(row, column + 1).value = text

    def read(self, reviewer: str = "") -> Sheet:
        """What the program reads of it."""
        self.book.save(self.path)
        return read_worksheet(Source.of(self.path), read(self.folder), reviewer)


def key(n: int, text: str) -> str:
    return f"q{n}|{says(text)}"


def test_a_worksheet_that_nobody_filled_in_says_nothing(folder: Path) -> None:
    sheet = Worksheet(folder)
    assert Sheet() == sheet.read()
    first = [cell.value for cell in sheet.sheet[2]]
    texts = dict(zip(NAMES, first, strict=True))
    assert "sampled" == texts["drawn"]
    assert "says" == texts["kind"]
    assert texts["claim"] in texts["quote"]
    assert texts["quote"] in texts["entry"]


@pytest.mark.parametrize(
    ("texts", "decision", "after"),
    [
        ({"check": "OK"}, Decision.OK, ()),
        ({"check": "○"}, Decision.OK, ()),
        ({"check": "strike"}, Decision.STRIKE, ()),
        ({"check": "削除"}, Decision.STRIKE, ()),
        ({"check": "NG"}, Decision.STRIKE, ()),
        ({"corrected": "9 pounds // £9"}, Decision.CHANGE, ("9 pounds", "£9")),
        ({"check": "OK", "corrected": "9 pounds"}, Decision.CHANGE, ("9 pounds",)),
        ({"claim": "9 pounds"}, Decision.CHANGE, ("9 pounds",)),  # written over
        ({"alternative": "£1"}, Decision.OK, ("1 pounds", "£1")),
        ({"comment": "who says so?"}, Decision.REMARK, ()),
    ],
)
def test_what_a_row_says(
    folder: Path, texts: dict[str, str], decision: Decision, after: tuple[str, ...]
) -> None:
    sheet = Worksheet(folder)
    sheet.fill(key(1, "1 pounds"), reviewer="Sato ", **texts)
    (judgement,) = sheet.read().judgements
    assert (decision, after, "Sato") == (judgement.decision, judgement.after, judgement.reviewer)
    assert ("q1", says("1 pounds")) == (judgement.scenario, judgement.claim)


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        ({"corrected": "by card"}, ClaimKind.SAYS),
        ({"claim": "by card"}, ClaimKind.SAYS),
        ({"corrected": "by card", "kind": "must not"}, ClaimKind.MUST_NOT),
        ({"corrected": "by card", "kind": "言ってはいけない"}, ClaimKind.MUST_NOT),
    ],
)
def test_a_row_for_a_new_claim(folder: Path, texts: dict[str, str], kind: ClaimKind) -> None:
    sheet = Worksheet(folder)
    sheet.fill(f"q1|{NEW}", **texts)
    added = Judgement(
        "q1", NEW, kind, Decision.ADD, after=("by card",), reviewer="Abe", source="e.xlsx"
    )
    assert [added] == sheet.read("Abe").judgements


@pytest.mark.parametrize(
    ("texts", "remark"),
    [
        ({"check": "perhaps"}, "unknown_word"),
        ({"check": "strike", "corrected": "9 pounds"}, "both"),
        ({"question": "Another one?"}, "edited"),
        ({"key": "", "check": "OK"}, "no_key"),
        ({"key": "q1|nonsense-1", "check": "OK"}, "no_key"),
        ({"check": "#NAME?"}, "broken"),
    ],
)
def test_what_cannot_be_taken_is_remarked(folder: Path, texts: dict[str, str], remark: str) -> None:
    sheet = Worksheet(folder)
    row = sheet.row(key(1, "1 pounds"))
    sheet.fill(key(1, "1 pounds"), **texts)
    assert [(remark, row)] == [(r.key, r.row) for r in sheet.read().remarks]


def test_a_column_of_somebodys_own_is_remarked(folder: Path) -> None:
    sheet = Worksheet(folder)
    sheet.put(1, len(NAMES), "owner")
    sheet.put(2, len(NAMES), "Abe")
    (remark,) = sheet.read().remarks
    assert ("own", True) == (remark.key, "owner" in remark.text and "Abe" in remark.text)


def test_a_head_of_an_earlier_version_is_no_column_of_somebodys_own(folder: Path) -> None:
    sheet = Worksheet(folder)
    sheet.put(1, NAMES.index("drawn"), "抽出")
    assert Sheet() == sheet.read()


def test_moved_columns_sorted_rows_and_heads_of_the_other_language(folder: Path) -> None:
    sheet = Worksheet(folder)
    sheet.fill(key(1, "1 pounds"), check="OK")
    sheet.fill(key(2, "2 days"), check="strike")
    rows = [[cell.value for cell in row] for row in sheet.sheet.iter_rows()]
    japanese = list(heads("ja").values())
    moved = [row[::-1] for row in [japanese, *sorted(rows[1:], key=str)]]
    for at, row in enumerate(moved, 1):
        for place, value in enumerate(row):
            sheet.put(at, place, value or "")
    said = {(j.scenario, j.decision) for j in sheet.read().judgements}
    assert {("q1", Decision.OK), ("q2", Decision.STRIKE)} == said


def test_a_worksheet_goes_into_the_file_once(folder: Path) -> None:
    sheet = Worksheet(folder)
    sheet.fill(key(1, "1 pounds"), check="OK", reviewer="Sato")
    sheet.fill(key(1, "1 days"), corrected="2 days", reviewer="Sato")
    write(take(read(folder), sheet.read().judgements))
    text = text_of(folder)
    assert 1 == text.count("approved: true")
    again = take(read(folder), sheet.read().judgements)
    assert (2, (), (), ()) == (again.same, again.new, again.conflicts, again.edits)
    newer = _next(folder)
    assert Sheet() == newer


def test_an_alternative_that_is_edited_in_the_claim_itself_is_a_change(folder: Path) -> None:
    judged(folder, word("q1", says("1 pounds"), Decision.OK, "1 pounds", "£1", who="Abe"))
    sheet = Worksheet(folder)
    sheet.fill(key(1, "1 pounds"), claim="1 pounds // 1 GBP", reviewer="Sato")
    (judgement,) = (j for j in sheet.read().judgements if j.reviewer == "Sato")
    assert (Decision.CHANGE, ("1 pounds", "1 GBP")) == (judgement.decision, judgement.after)
    write(take(read(folder), [judgement]))
    again = take(read(folder), sheet.read().judgements)
    assert ((), ()) == (again.new, again.conflicts)


def test_a_worksheet_from_before_an_alternative_came_changes_nothing(folder: Path) -> None:
    sheet = Worksheet(folder)
    judged(folder, word("q1", says("1 pounds"), Decision.OK, "1 pounds", "£1", who="Abe"))
    assert Sheet() == sheet.read()


def test_a_wording_that_looks_like_two_is_no_change_of_anybodys(folder: Path) -> None:
    text = text_of(folder).replace("- 1 pounds", "- 1 // 2 pounds", 1)
    (folder / "scenarios.generated.yaml").write_text(text, "utf-8")
    sheet = Worksheet(folder)
    assert Sheet() == sheet.read()
    sheet.fill(key(1, "1 // 2 pounds"), check="strike")
    taken = take(read(folder), sheet.read().judgements)
    assert ((), [("1 // 2 pounds",)]) == (taken.conflicts, [j.before for j in taken.new])


def test_claims_without_a_wording_are_struck(folder: Path) -> None:
    (folder / "scenarios.yaml").write_text(WORDLESS, "utf-8")
    sheet = Worksheet(folder)
    for row in read(folder).rows():
        if row.claim and row.claim.kind not in WORDED:
            sheet.fill(row_key(row), check="strike")
    taken = take(read(folder), sheet.read("Abe").judgements)
    assert (3, ()) == (len(taken.new), taken.conflicts)


def test_what_was_judged_already_is_filled_in_and_nothing_new(folder: Path) -> None:
    judged(folder, word("q1", says("1 pounds"), Decision.CHANGE, "9 pounds"))
    sheet = Worksheet(folder)
    row = [cell.value for cell in sheet.sheet[sheet.row(key(1, "9 pounds"))]]
    assert ("OK", "Sato") == (row[NAMES.index("check")], row[NAMES.index("reviewer")])
    taken = take(read(folder), sheet.read().judgements)
    assert (1, ()) == (taken.same, taken.new)


def test_a_file_with_words_that_nobody_took_is_not_written_over(folder: Path) -> None:
    sheet = Worksheet(folder)
    sheet.fill(key(1, "1 pounds"), check="OK")
    words = sheet.read()
    with pytest.raises(InputError, match="contains entries that you haven't"):
        write_worksheet(read(folder), str(sheet.path))
    write(take(read(folder), words.judgements))
    write_worksheet(read(folder), str(sheet.path))


def test_a_file_that_nobody_filled_in_is_written_anew_though_the_knowledge_changed(
    folder: Path,
) -> None:
    sheet = Worksheet(folder)
    faq = folder / "faq.csv"
    faq.write_text(faq.read_text("utf-8").replace("Title", "Heading"), "utf-8")
    assert Sheet() == sheet.read()
    write_worksheet(read(folder), str(sheet.path))
    renewed = Worksheet(folder)
    assert "Heading" in str(renewed.sheet.cell(2, NAMES.index("entry") + 1).value)
    renewed.fill(key(1, "1 pounds"), entry="It was 2 pounds.")
    assert ["edited"] == [remark.key for remark in renewed.read().remarks]
    with pytest.raises(InputError, match="contains entries that you haven't"):
        write_worksheet(read(folder), str(sheet.path))


def test_another_file_is_not_written_over(folder: Path) -> None:
    path = folder.parent / "other.xlsx"
    importlib.import_module("openpyxl").Workbook().save(path)
    with pytest.raises(InputError, match="already exists, and isn't such a"):
        write_worksheet(read(folder), str(path))


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_book_has_its_columns_in_both_languages(folder: Path, language: Any) -> None:
    book = expectation_book(read(folder))
    assert list(heads("en").values()) == [column.head for column in book.worksheets[0].columns]
    assert len(set(heads(language).values())) == len(COLUMNS)


def _next(folder: Path) -> Sheet:
    """The next worksheet, which has what was said already."""
    path = folder.parent / "next.xlsx"
    write_worksheet(read(folder), str(path))
    return read_worksheet(Source.of(path), read(folder))
