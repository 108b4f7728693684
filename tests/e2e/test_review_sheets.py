"""The circle of a review through Google Sheets: run, report, edited with gspread, pull, push."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import gspread
import pytest
from gspread.utils import ValueInputOption

from simulator.core.verdict import Word
from simulator.store.store import Store
from simulator.worksheets.google.credentials import find_account
from simulator.worksheets.google.http import SheetsHttp
from tests.e2e.conftest import Mogi
from tests.e2e.test_review import marks, place, words
from tests.sheets_server.server import GoogleServer, served
from tests.worksheets.google.signed_in import PAGES_KEY as KEY
from tests.worksheets.google.signed_in import signed_in


@pytest.fixture
def google(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[GoogleServer]:
    """The server, with an empty spreadsheet and an account that may write it."""
    with served() as server:
        server.add(KEY)
        signed_in(server, tmp_path, monkeypatch)
        yield server


def opened(run: str) -> gspread.Worksheet:
    """The Review worksheet as another program sees it."""
    client = gspread.Client(auth=find_account().credentials, http_client=SheetsHttp)
    return client.open_by_key(KEY).worksheet(f"Review {run}")


@pytest.mark.usefixtures("google")
def test_a_spreadsheet_goes_round(mogi: Mogi, tmp_path: Path) -> None:
    done = mogi(
        "run", "demo", "--limit", "9", "--audit", "1", "--report", f"sheets={KEY}", "--json"
    )
    assert 0 == done.status, done.err
    run, where = done.json["run"], f"sheets={KEY}"
    sheet = opened(run)
    head, *rows = sheet.get_all_values()
    columns = {name: at for at, name in enumerate(head, 1)}
    typed = [("NG", "佐藤", "よい"), ("TRUE", "佐藤", ""), ("たぶん", "", "")]
    for number, cells in enumerate(typed, 2):
        for name, text in zip(("判定", "判定者", "コメント"), cells, strict=True):
            sheet.update_cell(number, columns[name], text)
    sheet.insert_row(["メモ"], 3)
    sheet.sort((columns["回答"], "des"), range=f"A2:T{len(rows) + 2}")

    pulled = mogi("review", "pull", run, "--from", where, "--json").json
    keys = [place(row[0]) for row in rows]
    assert {
        (*keys[0], "佐藤"): (Word.NG, "", "よい"),
        (*keys[1], "佐藤"): (Word.OK, "", ""),
        (*keys[2], ""): (None, "", "（判定欄）たぶん"),
    } == words(tmp_path)
    assert (f"sheets:{KEY}", len(rows), 3) == tuple(pulled[k] for k in ("source", "rows", "new"))
    assert ["unknown_word"] == [odd["kind"] for odd in pulled["oddities"]]
    again = mogi("review", "pull", run, "--from", where, "--json").json
    assert (0, 0, 3) == (again["new"], again["changed"], again["unchanged"])

    # Somebody deletes a row that nobody had judged: it comes back, and nothing else changes but
    # what was hidden of the rows that are judged by now.
    before = sheet.get_all_values()
    gone = next(n for n, row in enumerate(before[1:], 2) if row[0] == rows[-1][0])
    sheet.delete_rows(gone)
    pushed = mogi("review", "push", run, "--to", KEY, "--json")
    assert 0 == pushed.status, pushed.err
    assert 1 == pushed.json["rows"][f"Review {run}"]
    after = sheet.get_all_values()
    hashed = columns["取り込み用 ID"] - 1
    for row, now in zip([*before[: gone - 1], *before[gone:]], after, strict=False):
        pairs = [*zip(row, now, strict=True)]
        assert all(was in ("", text) for at, (was, text) in enumerate(pairs) if at != hashed)
    assert rows[-1][0] == after[len(before) - 1][0]
    assert 0 == mogi("review", "pull", run, "--from", where, "--json").json["new"]


@pytest.mark.usefixtures("google")
def test_what_people_wrote_beside_the_review_is_told_and_not_written_over(mogi: Mogi) -> None:
    report = ("--audit", "1", "--report", f"sheets={KEY}", "--json")
    run = mogi("run", "demo", "--limit", "4", *report).json["run"]
    mogi("run", "demo", "--limit", "5", *report)
    where = ("review", "pull", run, "--from", f"sheets={KEY}", "--json")
    assert [] == mogi(*where).json["oddities"]

    book = opened(run).spreadsheet
    log = book.worksheet("Log")
    log.update_cell(2, 3, "OK")  # of this run
    log.add_cols(2)
    log.update_cell(3, 9, "あとで")
    log.update_cell(7, 2, "NG")  # of the other one
    summary = book.worksheet(f"Summary {run}")
    summary.update_cell(4, 6, "ここは誤り")
    summary.insert_note("B6", "先週は？")
    told = [odd["text"] for odd in mogi(*where).json["oddities"]]
    expected = ["Log: C2 は", "Log: I3 は", f"{summary.title}: B6 に", f"{summary.title}: F4 は"]
    assert all(text.startswith(place) for text, place in zip(sorted(told), expected, strict=True))
    pushed = mogi("review", "push", run, "--to", KEY)
    assert 2 == pushed.status
    assert f"{summary.title}, F4: ここは誤り" in pushed.err


@pytest.mark.usefixtures("google")
def test_where_people_see_the_results_notes_on_the_summary_are_not_written_over(
    mogi: Mogi, tmp_path: Path
) -> None:
    assert 0 == mogi("init", "shop", "--language", "ja").status
    file = tmp_path / "scenarios" / "shop" / "client.yaml"
    file.write_text(f"{file.read_text('utf-8')}\nreview: {{blind: false}}\n", "utf-8")
    where = f"sheets={KEY}"
    run = mogi("run", "shop", "--audit", "1", "--report", where, "--json").json["run"]
    sheet = opened(run)
    summary = sheet.spreadsheet.worksheet(f"Summary {run}")
    summary.update_cell(4, 6, "ここは誤り")
    sheet.update_cell(2, sheet.row_values(1).index("コメント") + 1, "確認した")
    pulled = mogi("review", "pull", run, "--from", where, "--json").json
    assert [f"{summary.title}: F4"] == [
        odd["text"][:20].split(" は")[0] for odd in pulled["oddities"]
    ]
    pushed = mogi("review", "push", run, "--to", KEY)
    assert (2, True) == (pushed.status, f"{summary.title}, F4: ここは誤り" in pushed.err)
    assert "ここは誤り" == summary.cell(4, 6).value


@pytest.mark.usefixtures("google")
def test_colours_and_notes_are_told_and_not_written_over(mogi: Mogi) -> None:
    report = ("--audit", "1", "--report", f"sheets={KEY}", "--json")
    run = mogi("run", "demo", "--limit", "4", *report).json["run"]
    mogi("run", "demo", "--limit", "5", *report)
    sheet = opened(run)
    book = sheet.spreadsheet
    yellow = {"backgroundColor": {"red": 1, "green": 1}}
    sheet.format("C2:D3", yellow)
    sheet.insert_note("D3", "要相談")
    book.worksheet("Log").format("A2", yellow)
    book.worksheet("Log").format("B8", yellow)  # of the other run
    where = ("review", "pull", run, "--from", f"sheets={KEY}", "--json")
    told = [(odd["kind"], odd["text"]) for odd in mogi(*where).json["oddities"]]
    assert [
        ("note", f"{sheet.title}: D3 に付けたメモ（セルのコメント）は取り込んでいません: 要相談"),
        (
            "painted",
            f"{sheet.title}: 色を付けたセルが 4 個あります（C2 D2 C3 など）。色は取り込みません",
        ),
        ("painted", "Log: 色を付けたセルが 1 個あります（A2 など）。色は取り込みません"),
    ] == told
    assert 0 == mogi("review", "push", run, "--to", KEY).status
    assert told == [(odd["kind"], odd["text"]) for odd in mogi(*where).json["oddities"]]

    summary = book.worksheet(f"Summary {run}")
    summary.format("B6", yellow)
    pushed = mogi("review", "push", run, "--to", KEY)
    assert 2 == pushed.status
    assert f"{summary.title}, B6 (1): coloured" in pushed.err


@pytest.mark.usefixtures("google")
def test_what_verdicts_change_is_nobodys_writing_in_the_log(mogi: Mogi) -> None:
    report = ("--audit", "1", "--report", f"sheets={KEY}", "--json")
    run = mogi("run", "demo", "--limit", "12", *report).json["run"]
    sheet = opened(run)
    head, *rows = sheet.get_all_values()
    at = head.index("判定") + 1
    for number in range(2, len(rows) + 2):
        sheet.update_cell(number, at, "OK")
    where = ("review", "pull", run, "--from", f"sheets={KEY}", "--json")
    before = mogi("show", run, "--json").json["failed"]
    pulled = mogi(*where).json
    assert len(rows) == pulled["new"]
    changed = {(c["before"], c["after"]): c["conversations"] for c in pulled["results"]}
    assert before == changed["failed", "passed"] > 0
    assert [] == mogi(*where).json["results"]
    assert 0 == mogi("show", run, "--json").json["failed"]
    assert [] == mogi(*where).json["oddities"]


@pytest.mark.usefixtures("google")
def test_what_was_kept_from_people_is_filled_in_where_they_judged(
    mogi: Mogi, tmp_path: Path
) -> None:
    assert 0 == mogi("init", "shop", "--language", "ja").status
    client = tmp_path / "scenarios" / "shop" / "client.yaml"
    client.write_text(client.read_text("utf-8") + "\nreview: {blind: true}\n", "utf-8")
    report = ("--audit", "1", "--report", f"sheets={KEY}", "--json")
    run = mogi("run", "shop", "--persona", "calm", *report).json["run"]
    sheet = opened(run)
    head, *rows = sheet.get_all_values()
    thought = [
        head.index(name) for name in ("選ばれた理由", "会話の結果", "指標", "点数", "しきい値")
    ]
    assert {""} == {row[at] for row in rows for at in thought}
    for name, text in (("判定", "OK"), ("判定者", "佐藤"), ("コメント", "よい")):
        sheet.update_cell(2, head.index(name) + 1, text)
    sheet.sort((head.index("回答") + 1, "des"), range=f"A2:V{len(rows) + 1}")

    where = ("review", "pull", run, "--from", f"sheets={KEY}", "--json")
    assert 1 == mogi(*where).json["new"]
    for _ in range(2):
        assert 0 == mogi("review", "push", run, "--to", KEY).status
        judged = [row for row in sheet.get_all_values()[1:] if row[head.index("判定")] == "OK"]
        assert [("佐藤", "よい")] == [
            (row[head.index("判定者")], row[head.index("コメント")]) for row in judged
        ]
        assert all(row[at] for row in judged for at in thought)
        others = [row for row in sheet.get_all_values()[1:] if row not in judged]
        assert {""} == {row[at] for row in others for at in thought}
        assert len(rows) == len(others) + 1
        pulled = mogi(*where).json
        assert (0, []) == (pulled["new"], pulled["oddities"])


@pytest.mark.usefixtures("google")
def test_a_run_that_is_not_in_the_spreadsheet_is_told(mogi: Mogi) -> None:
    mogi("run", "demo", "--limit", "1", "--quiet")
    done = mogi("review", "pull", "latest", "--from", f"sheets={KEY}")
    assert (2, "") == (done.status, done.out)
    assert "has no worksheet" in done.err


@pytest.mark.usefixtures("google")
def test_what_people_type_is_read_as_they_typed_it(mogi: Mogi, tmp_path: Path) -> None:
    done = mogi(
        "run", "demo", "--limit", "4", "--audit", "1", "--report", f"sheets={KEY}", "--json"
    )
    sheet = opened(done.json["run"])
    column = sheet.row_values(1).index("正しい回答") + 1
    typed = ["=電話でどうぞ", "0120", "1,000", "+81-3"]
    for number, text in enumerate(typed, 2):
        cell = gspread.utils.rowcol_to_a1(number, column)
        sheet.update([[text]], cell, value_input_option=ValueInputOption.user_entered)
    mogi("review", "pull", "latest", "--from", f"sheets={KEY}", "--json")
    assert sorted(typed) == sorted(said for _, said, _ in words(tmp_path).values())


@pytest.mark.usefixtures("google")
def test_a_spreadsheet_beyond_the_bound_is_told_and_nothing_of_it_taken(
    mogi: Mogi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = mogi(
        "run", "demo", "--limit", "2", "--audit", "1", "--report", f"sheets={KEY}", "--json"
    )
    sheet = opened(done.json["run"])
    columns = {name: at for at, name in enumerate(sheet.row_values(1), 1)}
    sheet.update_cell(2, columns["判定"], "NG")
    for number in range(2, 4):
        sheet.update_cell(number, columns["コメント"], "x" * 49_000)
    monkeypatch.setattr("simulator.worksheets.google.http.SHEETS_LIMIT", 60_000)
    pulled = mogi("review", "pull", "latest", "--from", f"sheets={KEY}")
    assert (2, "") == (pulled.status, pulled.out)
    assert "a Google Sheets response is longer than 0 MB; mogi didn't read the rest" in pulled.err
    assert {} == words(tmp_path)


@pytest.mark.usefixtures("google")
def test_verdicts_on_claims_go_twice_round(
    mogi: Mogi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("simulator.worksheets.google.http.Quota.admit", lambda _: None)
    report = ("--audit", "1", "--report", f"sheets={KEY}", "--json")
    run = mogi("run", "demo", "--limit", "9", *report).json["run"]
    sheet, where = opened(run), ("review", "pull", run, "--from", f"sheets={KEY}", "--json")
    head, *rows = sheet.get_all_values()
    at = {name: place for place, name in enumerate(head, 1)}
    have_two = [n for n, row in enumerate(rows, 2) if "\n2. " in row[at["正解"] - 1]]
    keys = [place(rows[n - 2][0]) for n in have_two]

    def write(number: int, text: str) -> None:
        cell = gspread.utils.rowcol_to_a1(have_two[number], at["項目ごとの判定"])
        sheet.update([[text]], cell, value_input_option=ValueInputOption.user_entered)
        sheet.update_cell(have_two[number], at["判定者"], "佐藤")

    for number, text in enumerate(("2 NG（2 日）\n① ○", "1/2", "2×")):
        write(number, text)
    pulled = mogi(*where).json
    assert (4, ["unknown_mark"]) == (pulled["new"], [odd["kind"] for odd in pulled["oddities"]])
    given = {
        (*keys[0], 1, "佐藤"): (Word.OK, ""),
        (*keys[0], 2, "佐藤"): (Word.NG, "2 日"),
        (*keys[2], 2, "佐藤"): (Word.NG, ""),
    }
    assert given == marks(tmp_path)
    # An empty cell takes back what was read from there, and not what was said on the page.
    with Store.create(f"sqlite:///{tmp_path / 'mogi.db'}") as store:
        on_first = next(v for v in store.verdicts(run, claims=True) if v.word is Word.OK)
        store.add_verdicts(
            run, [replace(on_first, episode=keys[1][0], turn=keys[1][1], source="view")]
        )
    write(0, "1 OK")
    sheet.update_cell(have_two[1], at["項目ごとの判定"], "")
    sheet.update_cell(have_two[1], at["判定"], "OK")
    assert {"mark_taken_back", "mark_elsewhere"} == {
        o["kind"] for o in mogi(*where).json["oddities"]
    }
    for _ in range(2):
        assert 0 == mogi("review", "push", run, "--to", KEY).status
        assert 0 == mogi(*where).json["new"]
    ours = {key: said for key, said in marks(tmp_path).items() if key[:2] != keys[1]}
    assert given | {(*keys[0], 2, "佐藤"): (None, "")} == ours
    (on_page,) = (said for key, said in marks(tmp_path).items() if key[:2] == keys[1])
    assert (Word.OK, "") == on_page
