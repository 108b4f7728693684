from pathlib import Path

import pytest

from simulator.core.errors import Complaint
from simulator.core.scenario import Scenario
from simulator.files.scenarios.loading import load_scenarios
from simulator.formats.own_files import made_id
from tests.expecting import expecting
from tests.formats.written import complaints, write
from tests.formats.xlsx.written import row, text, workbook, worksheet


def _load(folder: Path, table: str) -> dict[str, Scenario]:
    return load_scenarios(write(folder, {"scenarios.csv": table}), cwd=folder)


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
        ("○", True),
        ("〇", True),
        ("×", False),
        ("", None),
    ],
)
def test_yes_and_no_are_read_in_both_languages(
    tmp_path: Path, word: str, expected: bool | None
) -> None:
    found = _load(tmp_path, f"id,query,expected.answerable\na,b,{word}\n")
    assert expected is found["a"].expected.answerable


def test_columns_have_names_in_japanese_too(tmp_path: Path) -> None:
    text = (
        "ＩＤ, 質問 ,目的,知っていること,知らないこと,発話,期待する回答,期待する要素,期待する文書,"
        "言ってはいけないこと,回答可能,引き継ぎ,ペルソナ,タグ\n"
        "a,b,c,d,e,f,g,h,i,l,○,×,j,k\n"
    )
    expected = expecting("g", ("h",), ("i",), answerable=True, must_not=("l",))
    whole = Scenario("a", "b", "c", ("d",), ("e",), ("f",), expected, ("j",), ("k",))
    assert {"a": whole} == _load(tmp_path, text)


@pytest.mark.parametrize("name", ["question", "QUESTION", "質問"])
def test_the_question_may_be_called_so(tmp_path: Path, name: str) -> None:
    assert "b" == _load(tmp_path, f"id,{name}\na,b\n")["a"].query


@pytest.mark.parametrize("cell", ["x、1|y, 2", "x、1｜y, 2", '"x、1\ny, 2"', '" x、1 \n\n|y, 2"'])
def test_lists_are_parted_by_bars_or_line_ends(tmp_path: Path, cell: str) -> None:
    cell = cell if cell.startswith('"') else f'"{cell}"'
    text = f"id,query,known,turns\na,b,{cell},{cell}\n"
    assert ("x、1", "y, 2") == _load(tmp_path, text)["a"].known == _load(tmp_path, text)["a"].turns


@pytest.mark.parametrize("cell", ["x|y", '"x\ny"', '"x, y"', "x、y", "x，y"])
def test_lists_of_names_are_parted_by_commas_as_well(tmp_path: Path, cell: str) -> None:
    text = f"id,query,tags,personas,expected.documents\na,b,{cell},{cell},{cell}\n"
    found = _load(tmp_path, text)["a"]
    assert [("x", "y")] * 3 == [found.tags, found.personas, found.expected.documents]


def test_without_a_column_for_ids_they_are_made_of_the_questions(tmp_path: Path) -> None:
    ids = [made_id("送料は？"), made_id("返品できますか")]
    assert ids == list(_load(tmp_path, "質問\n送料は？\n返品できますか\n"))
    assert ids[::-1] == list(_load(tmp_path, "質問\n返品できますか\n送料は？\n"))


def test_without_ids_no_question_may_stand_there_twice(tmp_path: Path) -> None:
    text = "質問,回答可能\n送料は？,○\n返品は？,\n送料は?,たぶん\n,\n"
    assert [
        (
            "scenarios.csv:4: the question is already on line 2; "
            "keep one of them, or add a column id"
        ),
        'scenarios.csv:4: 回答可能: "たぶん" is not true or false; write true or false',
    ] == complaints(lambda: _load(tmp_path, text))


def test_a_column_for_ids_wants_them_all(tmp_path: Path) -> None:
    assert [
        "scenarios.csv:3: id is missing; write a short, unique name, such as login-fails"
    ] == complaints(lambda: _load(tmp_path, "id,質問\na,b\n,c\n"))


def test_every_complaint_names_the_row(tmp_path: Path) -> None:
    text = 'id,query,expected.escalate\na,"two\nlines",たぶん\na,,\n'
    assert [
        'scenarios.csv:2: expected.escalate: "たぶん" is not true or false; write true or false',
        "scenarios.csv:4: (row 3 of the sheet) query is missing; write what the user asks first",
        (
            'scenarios.csv:4: (row 3 of the sheet) the ID "a" is already on line 2; '
            "IDs must be unique"
        ),
    ] == complaints(lambda: _load(tmp_path, text))


def test_wrong_columns_are_complained_of_once(tmp_path: Path) -> None:
    columns = (
        "id, query, goal, known, unknown, turns, expected.answer, expected.elements, "
        "expected.must_not, expected.documents, expected.answerable, expected.escalate, "
        "expected.quotes, expected.approved, personas, tags"
    )
    assert [
        (
            f'scenarios.csv:1: no column "expected.element"; did you mean expected.elements? '
            f"choose from: {columns} (for your own column, use a name that's less similar)"
        ),
        (
            "scenarios.csv:1: no column contains questions; "
            "name the columns here, one of them query or 質問"
        ),
    ] == complaints(lambda: _load(tmp_path, "ID,expected.element\na,b\nb,c\n"))


def test_a_wrong_column_does_not_hide_wrong_rows(tmp_path: Path) -> None:
    found = complaints(lambda: _load(tmp_path, "id,質問,期待する解答,query\na,,x,y\n"))
    assert [
        (
            'scenarios.csv:1: no column "期待する解答"; did you mean 期待する回答? choose from: '
            "id, "
            "質問, 目的, 知っていること, 知らないこと, 発話, 期待する回答, 期待する要素, "
            "言ってはいけないこと, 期待する文書, 回答可能, 引き継ぎ, 根拠, 確認済み, "
            "ペルソナ, タグ "
            "(for your own column, use a name that's less similar)"
        ),
        'scenarios.csv:1: the columns "質問" and "query" are the same; keep one of them',
        "scenarios.csv:2: 質問 is missing; write what the user asks first",
    ] == found


@pytest.mark.parametrize(
    ("column", "meant"),
    [
        ("expcted.answer", "expected.answer"),
        ("answer", "expected.answer"),
        ("Expected.answr", "expected.answer"),
        ("expected.notes", "expected.quotes"),
        ("persona", "personas"),
        ("tag", "tags"),
        ("文書", "期待する文書"),
        ("回答", "期待する回答"),
        ("知ってること", "知っていること"),
        ("期待する返事", "期待する回答"),
    ],
)
def test_a_column_whose_name_is_a_slip_is_complained_of(
    tmp_path: Path, column: str, meant: str
) -> None:
    (found,) = complaints(lambda: _load(tmp_path, f"id,query,{column}\na,b,c\n"))
    assert found.startswith(f'scenarios.csv:1: no column "{column}"; did you mean {meant}? ')


@pytest.mark.parametrize(
    "column", ["メモ", "備考", "担当", "質問者", "質問日", "owner", "note", "date", "Reviewed by"]
)
def test_a_teams_own_columns_are_left_alone_and_named(tmp_path: Path, column: str) -> None:
    folder = write(tmp_path, {"scenarios.csv": f"id,query,{column}\na,b,c\n"})
    notes: list[Complaint] = []
    assert {"a": Scenario("a", "b")} == load_scenarios(folder, cwd=folder, notes=notes)
    said = f'scenarios.csv:1: "{column}" is no column of scenarios; left alone'
    assert [said] == [str(note) for note in notes]


def test_several_columns_of_a_team_are_named_in_one_note(tmp_path: Path) -> None:
    folder = write(tmp_path, {"scenarios.csv": "担当,id,query,備考\n山田,a,b,\n"})
    notes: list[Complaint] = []
    load_scenarios(folder, cwd=folder, notes=notes)
    assert ['"担当", "備考" are no columns of scenarios; left alone'] == [n.message for n in notes]


def test_where_no_column_holds_the_questions_those_that_might_are_named(tmp_path: Path) -> None:
    assert [
        (
            'scenarios.csv:1: no column has questions, only "お客様の声", "メモ"; '
            "call the one with the questions query or 質問"
        )
    ] == complaints(lambda: _load(tmp_path, "id,お客様の声,メモ\na,b,c\n"))


def test_a_cell_of_a_workbook_that_cannot_be_read_is_named_with_its_row(tmp_path: Path) -> None:
    broken = 't="e"><v>#N/A</v>'
    sheet = worksheet(
        row(1, text("id"), text("質問"), text("期待する要素"), text("回答可能")),
        row(3, text("a"), broken, broken, text("たぶん")),
        row(4, text("a"), text("x")),
    )
    write(tmp_path, {"scenarios.xlsx": workbook({"一覧": sheet, "旧": sheet})})
    said = "the cell contains the error #N/A; fix its formula, or clear it"
    assert [
        'scenarios.xlsx[一覧]:3: 回答可能: "たぶん" is not true or false; write true or false',
        f"scenarios.xlsx[一覧]:3: 期待する要素: {said}",
        f"scenarios.xlsx[一覧]:3: 質問: {said}",
        'scenarios.xlsx[一覧]:4: the ID "a" is already in row 3; IDs must be unique',
    ] == sorted(complaints(lambda: load_scenarios(tmp_path, cwd=tmp_path)))


def test_a_table_without_rows_holds_no_scenarios(tmp_path: Path) -> None:
    assert ["scenarios.csv: there are no scenarios; add at least one"] == complaints(
        lambda: _load(tmp_path, "id,query\n")
    )


def test_a_cell_may_hold_alternatives(tmp_path: Path) -> None:
    (tmp_path / "scenarios.csv").write_text(
        'id,query,expected.answer,expected.elements\na,q,"Six cents.\n//\n$0.06 // each.",'
        "km/h|6 cents // $0.06\n",
        "utf-8",
    )
    (found,) = load_scenarios(tmp_path).values()
    assert ("Six cents.", "$0.06 // each.") == found.expected.answers
    assert (("km/h",), ("6 cents", "$0.06")) == found.expected.elements
