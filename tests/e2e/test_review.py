"""The circle of a review: run, report, what people write, and back into the store."""

import csv
import importlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from simulator.core.scenario import Scenario
from simulator.core.verdict import Verdict, Word
from simulator.formats.sources import Source
from simulator.formats.xlsx.workbook import read_worksheets
from simulator.store.store import Store
from simulator.worksheets.claim_marks import numbered_claims
from tests.e2e import libreoffice
from tests.e2e.conftest import Mogi

WRITTEN = {
    "verdict": "判定",
    "corrected": "正しい回答",
    "comment": "コメント",
    "reviewer": "判定者",
}


def stored(folder: Path) -> list[Verdict]:
    with Store.read(f"sqlite:///{folder / 'mogi.db'}") as store:
        return list(store.verdicts(store.resolve("latest")))


def words(folder: Path) -> dict[tuple[str, int, str], tuple[Word | None, str, str]]:
    """By turn and reviewer: word, corrected answer, comment; what was written on the turn itself.

    Which turns have others folded with them hangs on who was drawn for the audit.
    """
    return {
        (v.episode, v.turn, v.reviewer): (v.word, v.corrected, v.comment)
        for v in stored(folder)
        if not v.folded_from
    }


def marks(folder: Path) -> dict[tuple[str, int, int, str], tuple[Word | None, str]]:
    """By turn, number of the claim and reviewer: what was said last, and the remark."""
    with Store.read(f"sqlite:///{folder / 'mogi.db'}") as store:
        run = store.resolve("latest")
        scenarios = {episode.cell.key: episode.scenario for episode in store.episodes(run)}
        return {
            (v.episode, v.turn, _number(scenarios[v.episode], v.claim), v.reviewer): (
                v.word,
                v.comment,
            )
            for v in store.verdicts(run, claims=True)
            if not v.folded_from
        }


def _number(scenario: Scenario | None, claim: str) -> int:
    claims = numbered_claims(scenario.expected) if scenario else ()
    return [each.id for each in claims].index(claim) + 1


def review_rows(path: Path) -> tuple[dict[str, int], list[dict[int, str]]]:
    """The columns of Review by their heads, and its rows below the head."""
    head, *rows = read_worksheets(Source.of(path))["Review"]
    return {text: at for at, text in head.cells.items()}, [dict(row.cells) for row in rows]


def place(key: str) -> tuple[str, int]:
    _, episode, turn = key.split("|")
    return episode, int(turn)


def test_a_csv_goes_round(mogi: Mogi, tmp_path: Path) -> None:
    done = mogi(
        "run", "demo-en", "--limit", "9", "--audit", "1", "--report", "csv=a.csv", "--quiet"
    )
    assert 0 == done.status, done.err
    with (tmp_path / "a.csv").open(encoding="utf-8-sig", newline="") as file:
        head, *rows = list(csv.reader(file))
    at = head.index("verdict")
    for number, row in enumerate(rows):
        row[at] = ("OK", "NG", "maybe", "")[number % 4]
    marked = next(row for row in rows if "\n2. " in row[head.index("expected answer")])
    marked[head.index("verdict per claim")] = "2 NG (says 3 days, not 2)"
    with (tmp_path / "b.csv").open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file).writerows([head, *reversed(rows)])
    pulled = mogi(
        "review", "pull", "latest", "--from", "b.csv", "--reviewer", "Sato", "--json"
    ).json
    typed = [row for row in rows if row[at]]
    new = len(typed) + 1
    assert (len(rows), new, 0, 0) == tuple(
        pulled[name] for name in ("rows", "new", "changed", "unchanged")
    )
    assert {"Sato": {"new": new, "changed": 0, "unchanged": 0}} == pulled["reviewers"]
    assert {"unknown_word"} == {odd["kind"] for odd in pulled["oddities"]}
    known = {"OK": (Word.OK, "", ""), "NG": (Word.NG, "", "")}
    kept = (None, "", "(verdict cell) maybe")
    assert {(*place(r[0]), "Sato"): known.get(r[at], kept) for r in typed} == words(tmp_path)
    again = mogi("review", "pull", "latest", "--from", "b.csv", "--reviewer", "Sato", "--json").json
    assert (0, 0, new) == (again["new"], again["changed"], again["unchanged"])
    on_claim = {(*place(marked[0]), 2, "Sato"): (Word.NG, "says 3 days, not 2")}
    assert on_claim == marks(tmp_path)
    mogi("report", "latest", "--report", "csv=c.csv")
    again = mogi("review", "pull", "latest", "--from", "c.csv", "--json").json
    assert (0, 0, []) == (again["new"], again["changed"], again["oddities"])
    status = mogi("review", "status", "latest", "--json").json
    said = sum(row[at] in known for row in typed)
    assert (len(rows), len(rows) - said) == (status["shown"], status["open"])


def test_lines_of_export_go_round(mogi: Mogi, tmp_path: Path) -> None:
    mogi("run", "demo-en", "--limit", "2", "--quiet")
    lines = [json.loads(line) for line in mogi("export", "latest").out.splitlines()]
    lines[0] |= {"verdict": "NG", "comment": "No.", "reviewer": "Sato"}
    for name in ("a.jsonl", "b.jsonl"):
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (tmp_path / name).write_text(text, "utf-8")
        assert 0 == mogi("review", "pull", "latest", "--from", name).status
        lines = [json.loads(line) for line in mogi("export", "latest").out.splitlines()]
    first = lines[0]
    assert {(first["episode"], first["turn"], "Sato"): (Word.NG, "", "No.")} == words(tmp_path)
    assert "NG" == first["verdict"]


def test_a_report_is_filled_in_with_what_was_said_and_pulled_again_it_is_nothing_new(
    mogi: Mogi, tmp_path: Path
) -> None:
    mogi("run", "demo", "--limit", "4", "--audit", "1", "--report", "xlsx=a.xlsx", "--quiet")
    book = importlib.import_module("openpyxl").load_workbook(tmp_path / "a.xlsx")
    sheet = book["Review"]
    columns = {cell.value: cell.column for cell in sheet[1]}
    people = [
        {
            "判定": "NG",
            "誤りの種類": "検索漏れ",
            "正しい回答": "=1+1",
            "コメント": "-\n",
            "判定者": "佐藤",
        },
        {"判定": "OK"},
        {"コメント": "あとで"},
    ]
    for number, cells in enumerate(people, 2):
        for name, value in cells.items():
            sheet.cell(number, columns[name]).value = value
            sheet.cell(number, columns[name]).data_type = "s"
    book.save(tmp_path / "b.xlsx")
    assert 0 == mogi("review", "pull", "latest", "--from", "b.xlsx").status
    assert 3 == len(stored(tmp_path))
    for file in ("c.csv", "d.xlsx", "b.xlsx"):  # what stands in the last is safe by now
        report = f"{file[-4:].lstrip('.')}={file}"
        assert 0 == mogi("report", "latest", "--report", report).status
        pulled = mogi("review", "pull", "latest", "--from", file, "--json").json
        assert (0, 0, 3) == (pulled["new"], pulled["changed"], pulled["unchanged"])
        assert {"repeated"} >= {odd["kind"] for odd in pulled["oddities"]}
    assert 3 == len(stored(tmp_path))


def test_a_file_is_written_over_once_it_was_pulled_whoever_was_said_to_have_written_it(
    mogi: Mogi, tmp_path: Path
) -> None:
    mogi("run", "demo-en", "--limit", "9", "--audit", "1", "--report", "csv=a.csv", "--quiet")
    with (tmp_path / "a.csv").open(encoding="utf-8-sig", newline="") as file:
        head, *rows = list(csv.reader(file))
    at = head.index("verdict")
    rows[0][at], rows[1][at], rows[2][at] = "NG", "maybe", "OK"
    rows.append([*rows[2][:at], "NG", *rows[2][at + 1 :]])
    with (tmp_path / "a.csv").open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file).writerows([head, *rows])
    report = ("report", "latest", "--report", "csv=a.csv")
    assert 2 == mogi(*report).status
    mogi("review", "pull", "latest", "--from", "a.csv", "--reviewer", "Sato")
    done = mogi(*report)
    assert 0 == done.status, done.err
    head[head.index("comment")] = "notes"
    with (tmp_path / "a.csv").open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file).writerows([head, *rows])
    refused = mogi(*report)
    assert (2, True) == (
        refused.status,
        "the head has no column comment; fix these" in refused.err,
    )


def test_corrected_answers_become_expected_ones(mogi: Mogi, tmp_path: Path) -> None:
    mogi("init", "acme")
    path = tmp_path / "scenarios" / "acme" / "scenarios.yaml"
    mogi("run", "acme", "--audit", "1", "--report", "csv=a.csv", "--quiet")
    with (tmp_path / "a.csv").open(encoding="utf-8-sig", newline="") as file:
        head, *rows = list(csv.reader(file))
    turn, corrected = (head.index(name) for name in ("往復", "正しい回答"))
    first = next(row for row in rows if row[turn] == "1")
    first[corrected] = "こう答えます。"
    with (tmp_path / "a.csv").open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file).writerows([head, *rows])
    mogi("review", "pull", "latest", "--from", "a.csv")
    before = path.read_text("utf-8")
    done = mogi("review", "apply", "acme")
    assert before == path.read_text("utf-8")
    assert "+    answer: こう答えます。" in done.out
    assert "差分を確認したら" in done.err
    assert 0 == mogi("review", "apply", "acme", "--write").status
    assert "answer: こう答えます。" in path.read_text("utf-8")
    assert 0 == mogi("check", "acme").status
    assert [] == mogi("review", "apply", "acme", "--json").json["proposals"]


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["pull", "latest", "--from", "none.xlsx"], "none.xlsx: file not found"),
        (["pull", "latest", "--from", "a.txt"], "a.txt: this isn't an .xlsx, .csv or .jsonl file"),
        (["pull", "latest", "--from", "sheets"], "no spreadsheet is set for demo-en"),
        (["pull", "nothing", "--from", "a.csv"], "no run"),
        (["status", "nothing"], "no run"),
        (["push", "latest"], "no spreadsheet is set for demo-en"),
        (["apply", "nothing"], "no client"),
    ],
)
def test_wrong_input_is_told_in_a_sentence(
    mogi: Mogi, tmp_path: Path, args: Sequence[str], says: str
) -> None:
    mogi("run", "demo-en", "--limit", "1", "--quiet")
    (tmp_path / "a.txt").write_text("x", "utf-8")
    done = mogi("review", *args)
    assert (2, "") == (done.status, done.out)
    assert says in done.err
    assert "Traceback" not in done.err


# What somebody types in LibreOffice: word, corrected answer, comment, reviewer; and what is meant.
ENTRIES: tuple[tuple[str, str, str, str, Word | None], ...] = (
    ("NG", "「設定」から\n変更できます。", "", "佐藤", Word.NG),
    ("TRUE", "", "=よい", "佐藤", Word.OK),
    ("×", "", "", "高橋", Word.NG),
    ("保留", "", "+1", "", Word.UNSURE),
    ("0", "", "", "高橋", Word.NG),
    ("", "", "読めない", "佐藤", None),
    ("ok", "", "", "", Word.OK),
)
# What somebody types of single claims, and what is meant: by number, word and remark.
MARKED: tuple[tuple[str, dict[int, tuple[Word, str]]], ...] = (
    ("2 NG（期限、2 日と言った）", {2: (Word.NG, "期限、2 日と言った")}),
    ("1、2 ○", {1: (Word.OK, ""), 2: (Word.OK, "")}),
    ("２×\n① 分からない", {2: (Word.NG, ""), 1: (Word.UNSURE, "")}),
    ("1/2", {}),  # what many a spreadsheet takes for a day
)
SHEET = 'sheet = book.Sheets.getByName("Review")'


def typing(columns: Mapping[str, int]) -> Iterator[str]:
    """Statements of Basic that type the entries into the first rows."""
    for number, entry in enumerate(ENTRIES, 1):
        for name, value in zip(WRITTEN.values(), entry[:4], strict=True):
            # What looks like a number or a truth value becomes one, as if it was typed.
            how = "FormulaLocal" if value in ("TRUE", "0") else "String"
            cell = f"sheet.getCellByPosition({columns[name]}, {number})"
            if value:
                yield f"{cell}.{how} = {libreoffice.text(value)}"


def marking(columns: Mapping[str, int], rows: Sequence[int]) -> Iterator[str]:
    """Statements that type marks on claims into these rows."""
    for number, (typed, _) in zip(rows, MARKED, strict=False):
        for name, value in (("項目ごとの判定", typed), ("判定者", "佐藤")):
            cell = f"sheet.getCellByPosition({columns[name]}, {number})"
            yield f"{cell}.FormulaLocal = {libreoffice.text(value)}"


def moving(columns: Mapping[str, int], rows: int) -> list[str]:
    """Statements that sort the rows, put in rows and a column, take one out, rename the sheet."""
    return [
        f"area = sheet.getCellRangeByPosition(0, 1, {len(columns) - 1}, {rows})",
        "Dim field(0) As New com.sun.star.table.TableSortField",
        f"field(0).Field = {columns['回答']}",
        "field(0).IsAscending = False",
        "Dim order(0) As New com.sun.star.beans.PropertyValue",
        'order(0).Name = "SortFields"',
        "order(0).Value = field()",
        "area.sort(order())",
        "sheet.Rows.insertByIndex(4, 1)",
        "sheet.Rows.insertByIndex(0, 1)",
        'sheet.getCellByPosition(1, 0).String = "十一月のレビュー"',
        "sheet.Columns.insertByIndex(6, 1)",
        'sheet.getCellByPosition(6, 1).String = "メモ"',
        f"sheet.Columns.removeByIndex({columns['ペルソナ']}, 1)",
        'sheet.Name = "確認した分"',
    ]


@pytest.mark.slow
def test_what_is_edited_in_libreoffice_is_what_the_store_holds(mogi: Mogi, tmp_path: Path) -> None:
    if not libreoffice.installed():
        pytest.skip("LibreOffice is not installed")
    done = mogi("run", "demo", "--audit", "0.1", "--report", "xlsx=a.xlsx", "--quiet")
    assert 0 == done.status, done.err
    columns, rows = review_rows(tmp_path / "a.xlsx")
    statements = [SHEET, *typing(columns), *moving(columns, len(rows))]
    profile = tmp_path / "lo"
    libreoffice.edit(tmp_path / "a.xlsx", tmp_path / "b.xlsx", statements, profile)

    pulled = mogi("review", "pull", "latest", "--from", "b.xlsx", "--json").json
    keys = [place(row[columns["キー"]]) for row in rows]
    expected = {
        (*key, reviewer): (word, corrected, comment)
        for key, (_, corrected, comment, reviewer, word) in zip(keys, ENTRIES, strict=False)
    }
    assert expected == words(tmp_path)
    assert (len(rows), len(ENTRIES), []) == (pulled["rows"], pulled["new"], pulled["oddities"])
    again = mogi("review", "pull", "latest", "--from", "b.xlsx", "--json").json
    assert (0, 0, len(ENTRIES)) == (again["new"], again["changed"], again["unchanged"])

    # And once more from there: what was pulled stands in the next report, is edited and pulled.
    mogi("report", "latest", "--report", "xlsx=c.xlsx")
    columns, rows = review_rows(tmp_path / "c.xlsx")
    at = next(n for n, row in enumerate(rows, 1) if row.get(columns["判定者"]) == "佐藤")
    word = f'sheet.getCellByPosition({columns["判定"]}, {at}).String = "OK"'
    libreoffice.edit(tmp_path / "c.xlsx", tmp_path / "d.xlsx", [SHEET, word], profile)
    pulled = mogi("review", "pull", "latest", "--from", "d.xlsx", "--json").json
    changed = (*place(rows[at - 1][columns["キー"]]), "佐藤")
    assert (0, 1) == (pulled["new"], pulled["changed"])
    assert expected | {changed: (Word.OK, *expected[changed][1:])} == words(tmp_path)


@pytest.mark.slow
def test_verdicts_on_claims_go_twice_round_through_libreoffice(mogi: Mogi, tmp_path: Path) -> None:
    if not libreoffice.installed():
        pytest.skip("LibreOffice is not installed")
    mogi("run", "demo", "--audit", "0.1", "--report", "xlsx=a.xlsx", "--quiet")
    columns, rows = review_rows(tmp_path / "a.xlsx")
    have_two = [n for n, row in enumerate(rows, 1) if "\n2. " in row.get(columns["正解"], "")]
    statements = [SHEET, *marking(columns, have_two)]
    statements += moving(columns, len(rows))
    libreoffice.edit(tmp_path / "a.xlsx", tmp_path / "b.xlsx", statements, tmp_path / "lo")
    keys = [place(rows[number - 1][columns["キー"]]) for number in have_two]
    given = {
        (*key, number, "佐藤"): mark
        for key, (_, meant) in zip(keys, MARKED, strict=False)
        for number, mark in meant.items()
    }
    pulled = mogi("review", "pull", "latest", "--from", "b.xlsx", "--json").json
    assert given == marks(tmp_path)
    assert ["unknown_mark"] == [odd["kind"] for odd in pulled["oddities"]]
    unread = (*keys[len(MARKED) - 1], "佐藤")
    assert {unread: (None, "", "（項目ごとの判定欄）1/2")} == words(tmp_path)
    again = mogi("review", "pull", "latest", "--from", "b.xlsx", "--json").json
    assert (0, 0, len(given) + 1) == (again["new"], again["changed"], again["unchanged"])

    # Once more: the report shows what was pulled, and what is emptied there is taken back.
    mogi("report", "latest", "--report", "xlsx=c.xlsx")
    columns, rows = review_rows(tmp_path / "c.xlsx")
    cells = {place(row[columns["キー"]]): (n, row) for n, row in enumerate(rows, 1)}
    at, row = cells[keys[0]]
    assert "2 NG (期限、2 日と言った)" == row[columns["項目ごとの判定"]]
    cell = f"sheet.getCellByPosition({columns['項目ごとの判定']}, {at})"
    edits = [SHEET, f'{cell}.String = "1 OK"']
    libreoffice.edit(tmp_path / "c.xlsx", tmp_path / "d.xlsx", edits, tmp_path / "lo")
    pulled = mogi("review", "pull", "latest", "--from", "d.xlsx", "--json").json
    assert (1, ["mark_taken_back"]) == (pulled["new"], [odd["kind"] for odd in pulled["oddities"]])
    changed = {(*keys[0], 1, "佐藤"): (Word.OK, ""), (*keys[0], 2, "佐藤"): (None, "")}
    assert given | changed == marks(tmp_path)
