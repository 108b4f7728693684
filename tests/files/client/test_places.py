from pathlib import Path

import pytest

from simulator.core.scenario import Scenario
from simulator.files.client.folder import load_client
from tests.files.client.acme import LEAST, acme, acme_complaints
from tests.files.client.rooms import rooms
from tests.formats.written import complaints, write
from tests.formats.xlsx.written import row, text, workbook, worksheet

__all__ = ["rooms"]
pytestmark = pytest.mark.usefixtures("rooms")


@pytest.mark.parametrize(
    "written",
    [
        "tests/質問集.csv",
        "{file: tests/質問集.csv}",
        "{file: tests/b.xlsx, worksheet: 二}",
        "tests/c.yml",
    ],
)
def test_scenarios_may_lie_in_any_file(tmp_path: Path, written: str) -> None:
    sheet = worksheet(row(1, text("id"), text("質問")), row(2, text("s"), text("送料は？")))
    files: dict[str, str | bytes] = {
        "client.yaml": f"{LEAST}scenarios: {written}\n",
        "tests/質問集.csv": "id,質問\ns,送料は？\n".encode("cp932"),
        "tests/b.xlsx": workbook({"一": worksheet(row(1, text("x"))), "二": sheet}),
        "tests/c.yml": "- {id: s, query: 送料は？}",
    }
    assert {"s": Scenario("s", "送料は？")} == acme(tmp_path, files).scenarios


def test_scenarios_may_lie_outside_of_the_folder(tmp_path: Path) -> None:
    write(tmp_path, {"common/all.csv": "id,query\ns,x\n"})
    text = f"{LEAST}scenarios: ../../common/all.csv\n"
    assert ["s"] == list(acme(tmp_path, {"client.yaml": text}).scenarios)


def test_the_knowledge_may_lie_on_a_worksheet(tmp_path: Path) -> None:
    faq = worksheet(row(1, text("id"), text("回答")), row(2, text("k"), text("無料です。")))
    files: dict[str, str | bytes] = {
        "client.yaml": f"{LEAST}knowledge: {{file: all.xlsx, worksheet: FAQ}}\n",
        "all.xlsx": workbook({"一": worksheet(row(1, text("x"))), "FAQ": faq}),
    }
    loaded = acme(tmp_path, files)
    assert ("all.xlsx", 1) == (loaded.client.knowledge, len(loaded.knowledge or ()))


@pytest.mark.parametrize(
    ("written", "complaint"),
    [
        (
            "scenarios: a.csv",
            'scenarios: no file or folder "a.csv"; did you mean b.csv? choose from: b.csv, b.xlsx',
        ),
        (
            "scenarios: {sheet: KEY, worksheet: x}",
            'scenarios: unknown key "sheet"; did you mean worksheet? choose from: file, worksheet',
        ),
        (
            "scenarios: [b.csv]",
            (
                'scenarios: a list is not a mapping ("key: value"); '
                "write a csv, xlsx, yaml or json file, or {file, worksheet}"
            ),
        ),
        (
            "scenarios: {file: b.csv, worksheet: x}",
            'scenarios.worksheet: "b.csv" has no worksheets; remove the key',
        ),
        ("knowledge: {worksheet: x}", "knowledge.file is missing; write the path of a file"),
        ("knowledge: {file: b.xlsx, worksheet: y}", 'no worksheet "y"; choose from: x'),
        ("scenarios: bot.py", "isn't a .yaml, .csv, .xlsx or .json file; use one"),
        ("scenarios: folder", "isn't a .yaml, .csv, .xlsx or .json file; use one"),
    ],
)
def test_a_file_that_cannot_be_had_is_a_complaint(
    tmp_path: Path, written: str, complaint: str
) -> None:
    files: dict[str, str | bytes] = {
        "client.yaml": f"{LEAST}{written}\n",
        "b.csv": "id,query\n",
        "~$b.xlsx": "",
        "bot.py": "",
        "folder/x": "",
        "b.xlsx": workbook({"x": worksheet(row(1, text("id")))}),
    }
    assert [c for c in acme_complaints(tmp_path, files) if complaint in c]


def test_scenarios_without_the_usual_name_are_not_missed_beside_a_broken_client_file(
    tmp_path: Path,
) -> None:
    write(tmp_path / "scenarios" / "acme", {"client.yaml": "scenarios: [", "a.csv": "id,query\n"})
    assert ["scenarios/acme/client.yaml:2"] == [
        c.split(": ")[0] for c in complaints(lambda: load_client("acme", cwd=tmp_path))
    ]


def test_expected_documents_may_be_passages_of_a_folder(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "client.yaml": LEAST + "knowledge: docs",
        "docs/shop/fees.md": "# 送料\n無料です。\n",
        "scenarios.yaml": "- {id: a, query: b, expected: {documents: [shop/fees.md#送料]}}",
    }
    documents = acme(tmp_path, files).scenarios["a"].expected.documents
    assert ("shop/fees.md#送料",) == documents
