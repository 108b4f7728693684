import importlib
from dataclasses import replace
from pathlib import Path

import pytest

from simulator.core.errors import InputError
from simulator.core.scenario import Expected, Scenario
from simulator.files.scenarios.expected import (
    Edit,
    find_scenarios,
    one_or_all,
    with_expected,
    with_scenario,
)
from simulator.files.scenarios.loading import load_scenarios
from simulator.formats.sources import Source

YAML = """\
# the shop
- id: shipping   # often asked
  query: 送料はいくらですか
  expected: {answer: 300円, elements: [300円]}
- {id: 12, query: 返品できますか}
"""
CSV = 'id,質問,期待する回答,タグ\r\nshipping,送料は,"300円、\r\n税込",a|b\r\nreturns,返品は\r\n'


def answers(folder: Path) -> dict[str, str]:
    return {name: found.expected.answer for name, found in load_scenarios(folder).items()}


def answered(source: Source, answers: dict[str, tuple[str, ...]]) -> Edit:
    return with_expected(source, {name: {"answer": one_or_all(a)} for name, a in answers.items()})


def test_in_yaml_only_the_answer_changes(tmp_path: Path) -> None:
    (tmp_path / "scenarios.yaml").write_bytes(YAML.encode())
    edit = answered(find_scenarios(tmp_path, None), {"shipping": ("500円です。",), "12": ("はい",)})
    assert YAML == (tmp_path / "scenarios.yaml").read_text("utf-8")  # not yet
    edit.write()
    expected = YAML.replace("answer: 300円", "answer: 500円です。").replace(
        "返品できますか}", "返品できますか, expected: {answer: はい}}"
    )
    assert expected == (tmp_path / "scenarios.yaml").read_text("utf-8") == edit.after


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp932", "utf-16"])
def test_in_csv_only_the_cell_changes_and_the_encoding_stays(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "scenarios.csv"
    path.write_bytes(CSV.encode(encoding))
    answered(
        find_scenarios(tmp_path, None), {"returns": ("はい,\n7日以内",), "shipping": ("500円",)}
    ).write()
    expected = CSV.replace("300円、\r\n税込", "500円").replace("返品は", '返品は,"はい,\n7日以内"')
    assert expected.encode(encoding) == path.read_bytes()
    assert {"shipping": "500円", "returns": "はい,\n7日以内"} == answers(tmp_path)


@pytest.mark.parametrize(
    ("head", "column"), [("id,質問", "期待する回答"), ("id,query", "expected.answer")]
)
def test_a_csv_without_the_column_gets_one(tmp_path: Path, head: str, column: str) -> None:
    (tmp_path / "scenarios.csv").write_text(f"{head}\na,b\nc,d\n", "utf-8")
    answered(find_scenarios(tmp_path, None), {"c": ("e",)}).write()
    assert f"{head},{column}\na,b\nc,d,e\n" == (tmp_path / "scenarios.csv").read_text("utf-8")


def test_a_letter_that_the_file_cannot_hold_is_told(tmp_path: Path) -> None:
    path = tmp_path / "scenarios.csv"
    path.write_bytes(CSV.encode("cp932"))
    with pytest.raises(
        InputError, match="is in Shift_JIS, which doesn't have 😀; save it as UTF-8 first"
    ):
        answered(Source.of(path, tmp_path), {"returns": ("😀",)})


@pytest.mark.parametrize("content", [YAML, CSV])
def test_a_file_that_was_changed_meanwhile_is_left_alone(tmp_path: Path, content: str) -> None:
    path = tmp_path / ("scenarios.yaml" if content is YAML else "scenarios.csv")
    path.write_bytes(content.encode())
    edit = answered(Source.of(path, tmp_path), {"shipping": ("x",)})
    path.write_bytes(b"- {id: other, query: q}\n")
    with pytest.raises(InputError, match="changed in the meantime"):
        edit.write()
    assert b"- {id: other, query: q}\n" == path.read_bytes()


def test_a_workbook_and_json_are_left_to_people(tmp_path: Path) -> None:
    importlib.import_module("openpyxl").Workbook().save(tmp_path / "a.xlsx")
    assert answered(Source.of(tmp_path / "a.xlsx", tmp_path), {"a": ("b",)}).after is None


def test_the_file_is_the_one_that_the_client_names(tmp_path: Path) -> None:
    assert "q.yaml" == find_scenarios(tmp_path, "q.yaml", tmp_path).name
    with pytest.raises(InputError, match=r"no scenarios\.yaml"):
        find_scenarios(tmp_path, None)


def test_several_answers_are_a_list_in_yaml(tmp_path: Path) -> None:
    (tmp_path / "scenarios.yaml").write_bytes(YAML.encode())
    answered(find_scenarios(tmp_path, None), {"12": ("はい", "7日以内")}).write()
    assert ("はい", "7日以内") == load_scenarios(tmp_path)["12"].expected.answers


def test_several_answers_have_a_line_between_them_in_csv(tmp_path: Path) -> None:
    (tmp_path / "scenarios.csv").write_bytes(CSV.encode())
    answered(find_scenarios(tmp_path, None), {"shipping": ("500円", "送料は\n500円")}).write()
    assert ("500円", "送料は\n500円") == load_scenarios(tmp_path)["shipping"].expected.answers


NEW = Scenario(
    "shipping-regression",
    "送料は、いくら？",
    goal="送料を知りたい",
    known=("大阪に送る", "3 kg"),
    expected=Expected(("500円", "五百円"), (("500円", "五百円"), ("税込",)), answerable=True),
    personas=("calm",),
    tags=("shop", "regression"),
)


def added(folder: Path, scenario: Scenario = NEW) -> Scenario:
    """What is read of the file after the scenario was put there."""
    with_scenario(find_scenarios(folder, None), scenario).write()
    return load_scenarios(folder)[scenario.id]


@pytest.mark.parametrize("end", ["\n", "\r\n", ""])
@pytest.mark.parametrize("indent", ["", "  "])
def test_a_scenario_is_put_at_the_end_of_a_yaml_file(tmp_path: Path, end: str, indent: str) -> None:
    lines = [f"{indent}{line}" for line in YAML.splitlines()]
    text = (end or "\n").join(lines) + end
    path = tmp_path / "scenarios.yaml"
    path.write_bytes(text.encode())
    assert NEW == added(tmp_path)
    assert path.read_bytes().startswith(text.encode())
    assert 3 == len(load_scenarios(tmp_path))


@pytest.mark.parametrize("encoding", ["utf-8", "cp932"])
def test_a_scenario_is_a_row_at_the_end_of_a_csv_file(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "scenarios.csv"
    path.write_bytes(CSV.encode(encoding))
    assert NEW == added(tmp_path)
    text = path.read_bytes().decode(encoding)
    first = "id,質問,期待する回答,タグ,目的,知っていること,期待する要素,回答可能,ペルソナ\r\n"
    assert text.startswith(first)
    assert CSV.partition("\n")[2] == text[len(first) :][: len(CSV.partition("\n")[2])]


def test_a_csv_whose_ids_are_made_of_questions_takes_none(tmp_path: Path) -> None:
    (tmp_path / "scenarios.csv").write_text("query\nWhere is it?\n", "utf-8")
    with pytest.raises(InputError, match="by hand"):
        with_scenario(find_scenarios(tmp_path, None), NEW)


def test_what_cannot_be_told_apart_afterwards_is_left_to_people(tmp_path: Path) -> None:
    (tmp_path / "scenarios.csv").write_text(CSV, "utf-8", newline="")
    barred = replace(NEW, known=("a|b",))
    with pytest.raises(InputError, match="by hand"):
        with_scenario(find_scenarios(tmp_path, None), barred)
    (tmp_path / "scenarios.csv").unlink()
    flow = "[{id: a, query: b}]\n"
    (tmp_path / "scenarios.yaml").write_text(flow, "utf-8")
    with pytest.raises(InputError, match="by hand"):
        with_scenario(find_scenarios(tmp_path, None), NEW)


def test_a_workbook_takes_no_scenario_from_a_program(tmp_path: Path) -> None:
    (tmp_path / "scenarios.xlsx").write_bytes(b"")
    assert with_scenario(find_scenarios(tmp_path, None), NEW).after is None
