"""The file again with its scores: the same rows and columns, in every kind of file."""

import csv
import importlib
import json
from pathlib import Path
from typing import Any

import pytest

from simulator.core.errors import InputError
from simulator.execution.answer_file import check_scored_path, headings, write_scored
from simulator.files.answers import Answers
from tests.execution.recordings import FILE, answers, scored
from tests.files.answers.files import workbook

NEW = ["elements_lexical", "elements_lexical.unscored"]


async def written(cwd: Path, found: Answers, name: str, **said: Any) -> tuple[Path, str]:
    """The file that is written of a run over some answers, and what is told of it."""
    run = await scored(cwd, found, **said)
    told = write_scored(run, found, str(cwd / name))
    return cwd / name, told


def rows(path: Path, encoding: str = "utf-8", parted_by: str = ",") -> list[list[str]]:
    with path.open(encoding=encoding, newline="") as file:
        return list(csv.reader(file, delimiter=parted_by))


def scores(path: Path) -> list[list[str]]:
    """The rows without their results, which one test looks at."""
    head, *found = rows(path)
    kept = [place for place, name in enumerate(head) if name not in ("result", "why")]
    return [[row[place] for place in kept] for row in (head, *found)]


async def test_each_answer_has_its_result_and_why(tmp_path: Path) -> None:
    content = "回答,要素\n500円です,500円\nなし,500円\nはい,\n"
    path, _ = await written(tmp_path, answers(tmp_path, content), "out.csv")
    assert [
        ["result", "why"],
        ["passed", "正解の内容をすべて回答した"],
        ["failed", "「500円」を言っていない"],
        ["unchecked", "シナリオに正解がない"],
    ] == [row[2:4] for row in rows(path)]


async def test_the_rows_and_columns_stay_as_they_are(tmp_path: Path) -> None:
    content = '回答,備考,,要素\n500円です,"a,\nb",x,500円\n\n =1+1 ,,,\nなし, c ,,500円\n'
    path, told = await written(tmp_path, answers(tmp_path, content), "out.csv")
    assert [
        ["回答", "備考", "", "要素", *NEW],
        ["500円です", "a,\nb", "x", "500円", "1.0", ""],
        ["", "", "", "", "", ""],
        ["' =1+1 ", "", "", "", "", "not_applicable"],
        ["なし", " c ", "", "500円", "0.0", ""],
    ] == scores(path)
    assert f"wrote {path}" == told


@pytest.mark.parametrize(
    ("encoding", "starts", "says"),
    [
        ("utf-8", b"id", ""),
        ("utf-8-sig", b"\xef\xbb\xbfid", ""),
        ("cp932", b"\xef\xbb\xbfid", "a.csv is cp932"),
        ("utf-16", b"\xef\xbb\xbfid", "a.csv is utf-16"),
    ],
)
async def test_a_file_for_excel_stays_one(
    tmp_path: Path, encoding: str, starts: bytes, says: str
) -> None:
    path, told = await written(tmp_path, answers(tmp_path, FILE.encode(encoding)), "out.csv")
    assert path.read_bytes().startswith(starts)
    assert says in told
    assert "返品は" == rows(path, "utf-8-sig")[2][1]


async def test_what_parts_the_cells_stays(tmp_path: Path) -> None:
    found = answers(tmp_path, FILE.replace(",", ";"))
    path, _ = await written(tmp_path, found, "out.csv")
    assert ["送料は", "500円です"] == rows(path, parted_by=";")[1][1:3]
    path, _ = await written(tmp_path, found, "out.tsv")
    assert ["送料は", "500円です"] == rows(path, parted_by="\t")[1][1:3]


async def test_lines_of_json_stay_as_they_are_written(tmp_path: Path) -> None:
    lines = [
        '{"answer":"500円" , "elements": ["500円"], "n": 1.50, "x": {"y": null} }',
        '{"answer": "a"}',
    ]
    found = answers(tmp_path, "\n\n".join(lines), "a.jsonl")
    path, _ = await written(tmp_path, found, "out.jsonl")
    first, second = path.read_text("utf-8").splitlines()
    assert first.startswith(
        '{"answer":"500円" , "elements": ["500円"], "n": 1.50, "x": {"y": null}'
    )
    assert {"elements_lexical": 1.0, "elements_lexical.unscored": None}.items() <= (
        json.loads(first).items()
    )
    assert [None, "not_applicable"] == [json.loads(second)[name] for name in NEW]


async def test_a_table_becomes_lines_of_json_and_the_other_way(tmp_path: Path) -> None:
    lines, _ = await written(tmp_path, answers(tmp_path), "out.jsonl")
    first = json.loads(lines.read_text("utf-8").splitlines()[0])
    assert ["a", "500円です", "OK", 1.0] == [first[c] for c in ("id", "回答", "判定", NEW[0])]
    content = '{"answer": "a", "elements": ["a"]}\n{"answer": "b", "note": true}\n'
    path, _ = await written(tmp_path, answers(tmp_path, content, "b.jsonl"), "out.csv")
    assert [
        ["answer", "elements", "note", *NEW],
        ["a", '["a"]', "", "1.0", ""],
        ["b", "", "true", "", "not_applicable"],
    ] == scores(path)


async def test_a_workbook_comes_back_as_one(tmp_path: Path) -> None:
    workbook(tmp_path, ["回答", "要素", "単価"], ["-送料", "送料", 1200], ["500円", "500円", "007"])
    path, _ = await written(tmp_path, answers_of(tmp_path, "a.xlsx"), "out.xlsx")
    sheet = importlib.import_module("openpyxl").load_workbook(path).active
    first, second, third = sheet.iter_rows(values_only=True)
    assert ("回答", "要素", "単価", "result", "why", *NEW) == first
    assert (1200, 1, None) == (second[2], *second[5:])
    assert ("500円", "500円", "007", 1, None) == (*third[:3], *third[5:])


def answers_of(cwd: Path, name: str) -> Answers:
    return answers(cwd, (cwd / name).read_bytes(), name)


async def test_ratings_have_what_was_said_beside_their_value(tmp_path: Path) -> None:
    content = "回答,正解\n送料は500円です,500円\nなし,500円\n"
    found = answers(tmp_path, content)
    path, _ = await written(tmp_path, found, "out.csv", metrics=("sudachi_f1",))
    head = rows(path)[0]
    assert "sudachi_f1" == head[4]
    assert {"sudachi_f1.precision", "sudachi_f1.recall", "sudachi_f1.unscored"} <= set(head)
    assert "sudachi_f1.raw" not in head


async def test_rows_that_a_limit_left_out_say_so(tmp_path: Path) -> None:
    path, _ = await written(tmp_path, answers(tmp_path), "out.csv", limit=2)
    assert ["", "", "limit"] == [row[-1] for row in rows(path)[1:]]
    assert 4 == len(rows(path))


async def test_a_file_that_was_there_stays_until_the_new_one_is_whole(tmp_path: Path) -> None:
    found = answers(tmp_path)
    run = await scored(tmp_path, found)
    (tmp_path / "out.csv").write_text("old", "utf-8")
    answers(tmp_path, FILE + "d,a,b,c,,\n")
    with pytest.raises(InputError, match="changed in the meantime"):
        write_scored(run, found, str(tmp_path / "out.csv"))
    assert "old" == (tmp_path / "out.csv").read_text("utf-8")
    assert [] == list(tmp_path.glob("*.part"))


async def test_another_file_than_was_scored_is_noticed(tmp_path: Path) -> None:
    run = await scored(tmp_path, answers(tmp_path))
    other = answers(tmp_path, "回答,要素\na,b\n", "b.csv")
    with pytest.raises(InputError, match=r"b\.csv:2: isn't the row that was scored"):
        write_scored(run, other, str(tmp_path / "out.csv"))
    longer = answers(tmp_path, "id,回答,要素\na,a,b\n", "c.csv")
    with pytest.raises(InputError, match=r"c\.csv: isn't the file that was scored"):
        write_scored(run, longer, str(tmp_path / "out.csv"))


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("out.txt", "mogi can't write this type of file; use a .csv, .jsonl or .xlsx"),
        ("a.csv", "is the input file; use another one"),
        ("nowhere/out.csv", "its folder doesn't exist; create it, or use another one"),
        ("folder.csv", "is a folder; use a file in it"),
    ],
)
def test_where_the_scores_cannot_go_is_said_beforehand(
    tmp_path: Path, path: str, says: str
) -> None:
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(InputError) as caught:
        check_scored_path(str(tmp_path / path), answers(tmp_path))
    assert str(caught.value).endswith(says)


@pytest.mark.parametrize(
    ("column", "heading"),
    [
        ("note", "elements_lexical"),
        ("elements_lexical", "mogi.elements_lexical"),
        ("Elements_Lexical", "mogi.elements_lexical"),
        ("elements_lexical.unscored", "mogi.elements_lexical"),
        ("elements_lexical_2", "elements_lexical"),
        ("mogi.elements_lexical", "elements_lexical"),
    ],
)
async def test_a_metric_that_the_file_has_a_column_of_stands_behind_mogi(
    tmp_path: Path, column: str, heading: str
) -> None:
    found = answers(tmp_path, f"回答,要素,{column}\n500円,500円,0.5\n")
    path, told = await written(tmp_path, found, "out.csv")
    assert [
        ["回答", "要素", column, heading, f"{heading}.unscored"],
        ["500円", "500円", "0.5", "1.0", ""],
    ] == scores(path)
    assert ("the scores are in mogi.elements_lexical" in told) == ("mogi" in heading)


async def test_a_file_with_such_scores_is_scored_once_more(tmp_path: Path) -> None:
    content = "回答,要素\n500円,500円\n"
    for heading in ("elements_lexical", "mogi.elements_lexical", "mogi2.elements_lexical"):
        path, _ = await written(tmp_path, answers(tmp_path, content), "out.csv")
        assert [heading, f"{heading}.unscored"] == rows(path)[0][-2:]
        content = path.read_text("utf-8")


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
@pytest.mark.parametrize("column", ["elements", "要素", "expected_elements"])
def test_a_metric_is_not_called_as_what_the_file_holds(
    tmp_path: Path, name: str, column: str
) -> None:
    lines = {"a.csv": f"回答,{column}\na,a\n", "a.jsonl": f'{{"回答": "a", "{column}": ["a"]}}\n'}
    found = answers(tmp_path, lines[name], name)
    assert {"elements": "mogi.elements", "lexical": "lexical"} == dict(
        headings(("elements", "lexical"), found.columns)
    )
    others = [*found.columns, "mogi.elements_lexical"]
    assert {"elements": "mogi.elements"} == dict(headings(("elements",), others))
