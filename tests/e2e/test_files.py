"""Files as people keep them in spreadsheets: cp932, xlsx, folders of texts; and broken ones."""

from pathlib import Path

import pytest

from tests.e2e.conftest import Mogi
from tests.formats.xlsx.written import number, row, text, workbook, worksheet

CLIENT = "language: ja\ntarget: {kind: demo}\npersonas: [calm]\nmax_turns: 1\n"
# As Excel in Japan saves it: CRLF, quotes only where they are needed, empty cells to the end.
SCENARIOS = (
    "質問,期待する要素,期待する文書,回答可能,タグ,,\r\n"
    '送料はいくらですか？,"500円\n3,000円以上",k-1,○,料金、送料,,\r\n'
    '"①返品したいのですが、"",""は使えますか～",14日,k-2,はい,,,\r\n'
    "社長の名前は？,,,×,,,\r\n"
    ",,,,,,\r\n"
)
FEE, RETURN = "送料は500円です。3,000円以上は無料です。", "返品は14日以内にお申し出ください。"
FAQ = worksheet(
    row(1, text("id"), text("質問"), text("回答"), text("更新日")),
    row(2, text("k-1"), text("送料"), text(FEE), number("46327", 1)),
    row(3, text("k-2"), text("返品"), text(RETURN), number("46328", 1)),
)


def _client(folder: Path, files: dict[str, str | bytes]) -> None:
    for name, content in files.items():
        path = folder / "scenarios" / "acme" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def test_a_client_kept_in_excel_runs(mogi: Mogi, tmp_path: Path) -> None:
    book = workbook({"表紙": worksheet(), "FAQ": FAQ}, formats=("yyyy/m/d",), hidden=("表紙",))
    files: dict[str, str | bytes] = {
        "client.yaml": f"{CLIENT}knowledge: faq.xlsx\n",
        "scenarios.csv": SCENARIOS.encode("cp932"),
        "faq.xlsx": book,
    }
    _client(tmp_path, files)
    done = mogi("run", "acme", "--json")
    assert (0, 3, 3) == (done.status, done.json["conversations"], done.json["turns"]), done.err
    turns = mogi("export", "latest").out
    assert '①返品したいのですが、\\",\\"は使えますか～' in turns
    assert FEE in turns
    means = {name: m["mean"] for name, m in done.json["metrics"].items()}
    assert 1.0 == means["retrieval_hit"]


@pytest.mark.parametrize("shuffled", [False, True])
def test_the_ids_of_scenarios_do_not_depend_on_their_order(
    mogi: Mogi, tmp_path: Path, shuffled: bool
) -> None:
    lines = SCENARIOS.split("\r\n")
    rows = [lines[0], lines[2], lines[1]] if shuffled else lines[:3]
    files: dict[str, str | bytes] = {
        "client.yaml": f"{CLIENT}knowledge: faq.xlsx\nscenarios: 質問集.csv\n",
        "質問集.csv": "\r\n".join(rows).encode("cp932"),
        "faq.xlsx": workbook({"FAQ": FAQ}, formats=("yyyy/m/d",)),
    }
    _client(tmp_path, files)
    assert 0 == mogi("run", "acme", "--scenario", "送料はいくらですか-1ad673", "--quiet").status


def test_a_folder_of_texts_is_searched(mogi: Mogi, tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "client.yaml": f"{CLIENT}knowledge: docs\n",
        "scenarios.yaml": (
            "- {id: a, query: 送料はいくらですか, expected: {documents: [shop/料金.md#送料]}}\n"
        ),
        "docs/shop/料金.md": "# 料金\n## 送料\n送料は500円です。\n## 返品\n14日以内です。\n",
        "docs/memo.txt": "営業時間は10時から18時です。".encode("cp932"),
    }
    _client(tmp_path, files)
    assert 0 == mogi("run", "acme", "--json").status
    assert '"id": "shop/料金.md#送料"' in mogi("export", "latest").out


def test_all_that_is_wrong_is_told_with_its_rows(mogi: Mogi, tmp_path: Path) -> None:
    broken = worksheet(
        row(1, text("id"), text("質問"), text("回答")),
        row(2, text("k-1"), text("送料"), 't="e"><v>#N/A</v>'),
        row(5, text("k-2"), text("返品")),
    )
    scenarios = 'id,質問,回答可能,期待する文章\r\na,"一行目\n二行目",たぶん,\r\na,,,\r\nb,x,,\r\n'
    files: dict[str, str | bytes] = {
        "client.yaml": f"{CLIENT}knowledge: {{file: faq.xlsx, worksheet: FAQ}}\n",
        "scenarios.csv": scenarios.encode("cp932"),
        "faq.xlsx": workbook({"FAQ": broken, "旧": broken}),
    }
    _client(tmp_path, files)
    done = mogi("check", "acme")
    wanted = [
        "faq.xlsx[FAQ]:2: 回答: the cell contains the error #N/A; fix its formula, or clear it",
        "faq.xlsx[FAQ]:5: 回答 is empty; write the text, or remove the row",
        'scenarios.csv:1: no column "期待する文章"; did you mean 期待する文書?',
        'scenarios.csv:2: 回答可能: "たぶん" is not true or false; write true or false',
        'scenarios.csv:4: (row 3 of the sheet) the ID "a" is already on line 2',
        "scenarios.csv:4: (row 3 of the sheet) 質問 is missing; write what the user asks first",
    ]
    lines = [line.removeprefix("scenarios/acme/") for line in done.err.splitlines()]
    assert (2, len(wanted)) == (done.status, len(lines)), done.err
    assert wanted == [line[: len(w)] for line, w in zip(lines, wanted, strict=True)]


def test_a_teams_own_columns_are_named_once_and_the_run_goes_on(mogi: Mogi, tmp_path: Path) -> None:
    table = "担当,id,質問,メモ\r\n山田,a,送料は？,急ぎ\r\n"
    _client(tmp_path, {"client.yaml": CLIENT, "scenarios.csv": table.encode("cp932")})
    done = mogi("check", "acme")
    said = '担当", "メモ" are no columns of scenarios; left alone'
    assert (0, f'note: scenarios/acme/scenarios.csv:1: "{said}\n') == (done.status, done.err)
    assert "left alone" not in mogi("run", "acme", "--quiet").err
