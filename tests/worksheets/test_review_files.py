import importlib
import json
from pathlib import Path

import pytest

from simulator.core.errors import InputError
from simulator.core.verdict import Word
from simulator.formats.sources import Source
from simulator.worksheets.files import csv_file
from simulator.worksheets.reading import Feedback, Odd, ReviewTable
from simulator.worksheets.review_files import read_review_file
from tests.worksheets.review_grids import IDS, RUN, cells_of, row

TABLE = cells_of(row(user="=1+1", verdict="NG", comment="-\n二行"), row(turn=2), language="ja")


def read(folder: Path, name: str) -> ReviewTable:
    return read_review_file(Source.of(folder / name, folder), "ja")


def lines(folder: Path, *items: object) -> ReviewTable:
    text = "\n".join(json.dumps(item, ensure_ascii=False) for item in items)
    (folder / "a.jsonl").write_text(text + "\n\n", "utf-8")
    return read(folder, "a.jsonl")


def test_a_csv_file_is_read_with_its_guards_taken_off(tmp_path: Path) -> None:
    with csv_file(tmp_path / "a.csv", marked=True) as write:
        for cells in TABLE:
            write(cells)
    found = read(tmp_path, "a.csv")
    assert ["=1+1", "Where is my parcel?"] == [r.cells["user"] for r in found.rows]
    assert Feedback(Word.NG, comment="-\n二行") == found.rows[0].feedback
    assert [2, 3] == [r.place.row for r in found.rows]  # as a spreadsheet counts them


@pytest.mark.parametrize("encoding", ["cp932", "utf-16", "utf-8"])
@pytest.mark.parametrize("parted_by", [",", "\t", ";"])
def test_as_spreadsheets_save_it(tmp_path: Path, encoding: str, parted_by: str) -> None:
    with csv_file(tmp_path / "a.csv", parted_by) as write:
        write(["十一月のレビュー"])
        for cells in TABLE:
            write(cells)
    text = (tmp_path / "a.csv").read_text("utf-8")
    (tmp_path / "a.csv").write_bytes(text.replace("\n", "\r\n").encode(encoding))
    found = read(tmp_path, "a.csv")
    assert [Word.NG, None] == [r.feedback.word for r in found.rows]
    assert [3, 4] == [r.place.row for r in found.rows]


def test_a_workbook_is_read_whatever_its_worksheets_are_called(tmp_path: Path) -> None:
    book = importlib.import_module("openpyxl").Workbook()
    book.active.append(["date", "user1"])
    for title in ("確認", "確認 (2)"):
        sheet = book.create_sheet(title)
        for cells in TABLE:
            sheet.append(cells)
    book["確認 (2)"].sheet_state = "hidden"
    book["確認 (2)"].cell(3, IDS.index("verdict") + 1).value = True
    book.save(tmp_path / "a.xlsx")
    found = read(tmp_path, "a.xlsx")
    assert ["確認", "確認", "確認 (2)", "確認 (2)"] == [r.place.sheet for r in found.rows]
    assert [Word.NG, None, Word.NG, Word.OK] == [r.feedback.word for r in found.rows]


def test_lines_are_named_by_run_episode_and_turn_or_by_a_key(tmp_path: Path) -> None:
    found = lines(
        tmp_path,
        {"run": RUN, "episode": "a/b/1", "turn": 1, "verdict": True, "scores": {"overall": 1}},
        {"key": f"{RUN}|a/b/1|2", "判定": "NG", "reviewer": "佐藤", "corrected": "はい"},
        {"run": RUN, "episode": "a/b/1", "turn": 3, "verdict": None},
        {"verdict": "OK"},
    )
    assert [("a/b/1", n) for n in (1, 2, 3)] == [(r.episode, r.turn) for r in found.rows]
    said = [Feedback(Word.OK), Feedback(Word.NG, corrected="はい"), Feedback()]
    assert said == [r.feedback for r in found.rows]
    assert found.is_printed
    assert [(Odd.BROKEN_KEY, 4)] == [(o.kind, o.place.row) for o in found.oddities if o.place]


TWICE = 'a.jsonl:1: isn\'t a JSON object (the key "verdict" appears twice)'


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.jsonl", '{"verdict"\n[1]\n', "a.jsonl:1: isn't a JSON"),
        ("a.jsonl", "[1]\n", "a.jsonl:1: isn't a JSON"),
        ("a.jsonl", '{"verdict": "ng", "verdict": "ok"}\n', TWICE),
        ("a.jsonl", "\n", "a.jsonl: empty file"),
        ("a.csv", "", "a.csv: empty file"),
        ("a.xlsx", "no zip", "a.xlsx: not an xlsx"),
        ("a.txt", "", "a.txt: this isn't an .xlsx, .csv or .jsonl file"),
    ],
)
def test_what_is_no_such_file_is_told(tmp_path: Path, name: str, content: str, says: str) -> None:
    (tmp_path / name).write_text(content, "utf-8")
    with pytest.raises(InputError) as caught:
        read(tmp_path, name)
    assert str(caught.value).startswith(says)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="file not found"):
        read(tmp_path, "a.csv")


@pytest.mark.parametrize("name", ["a.ods", "a.xls", "a.numbers"])
def test_a_sheet_of_another_program_is_said_to_be_one(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"PK")
    with pytest.raises(InputError, match="save it as an Excel workbook"):
        read_review_file(Source.of(tmp_path / name), "ja")


def test_a_line_of_the_page_may_be_about_one_claim(tmp_path: Path) -> None:
    line = '{"run": "r1", "episode": "s/calm/1", "turn": 1, "verdict": "NG", "reviewer": "Sato"'
    (tmp_path / "a.jsonl").write_text(f'{line}}}\n{line}, "claim": "says-1"}}\n', "utf-8")
    assert ["", "says-1"] == [row.claim for row in read(tmp_path, "a.jsonl").rows]
