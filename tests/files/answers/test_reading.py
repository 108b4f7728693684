import csv
import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.core.errors import InputError
from simulator.core.talk import Document, Reply
from simulator.core.verdict import Word
from simulator.files.answers import Answers, read_answers
from tests.expecting import expecting
from tests.files.answers.files import file, read, workbook, wrong

FULL = (
    "id,質問,回答,正解,文脈,要素,文書,判定,判定者,タグ,備考\n"
    "q1,送料は,500円です,500円,送料は500円|返品可,500円|税込,faq-1,○,田中,料金,x\n"
    "q2,返品は,できます,30日以内,,,,×,,,\n"
)


def replies(answers: Answers) -> list[Reply]:
    return [r for row in answers.rows() if isinstance(r := row.exchange.reply, Reply)]


def test_a_row_becomes_a_scenario_and_an_exchange(tmp_path: Path) -> None:
    found = read(tmp_path, FULL)
    first, second = found.rows()
    assert ("q1", "送料は", ("料金",)) == (
        first.scenario.id,
        first.scenario.query,
        first.scenario.tags,
    )
    assert expecting("500円", ("500円", "税込"), ("faq-1",)) == first.scenario.expected
    documents = (Document("送料は500円"), Document("返品可"))
    assert Reply("500円です", documents) == first.exchange.reply
    assert (Word.OK, "田中") == (first.word, first.reviewer)
    assert (Word.NG, "") == (second.word, second.reviewer)
    assert Reply("できます", reports_documents=True) == second.exchange.reply


def test_what_a_file_gives_is_told(tmp_path: Path) -> None:
    found = read(tmp_path, FULL)
    assert (2, "ja") == (found.count, found.language)
    assert {
        "question",
        "answer",
        "ground_truth",
        "context",
        "elements",
        "documents",
        "verdict",
    } == (set(found.gives))
    assert "備考" == found.columns[-1]


def test_rows_are_named_by_their_numbers_in_the_sheet(tmp_path: Path) -> None:
    table = read(tmp_path, '質問,回答\na,"b\nc"\n\nd,e\n')
    lines = read(
        tmp_path,
        '{"question": "a", "answer": "b"}\n\n{"question": "d", "answer": "e"}\n',
        "a.jsonl",
    )
    assert ["row-2", "row-4"] == [row.scenario.id for row in table.rows()]
    assert ["row-1", "row-3"] == [row.scenario.id for row in lines.rows()]


def test_a_workbook_is_read_as_it_is_shown(tmp_path: Path) -> None:
    source = workbook(
        tmp_path, ["質問", "回答", "判定"], ["送料は", 500, True], ["返品は", "30日", 0]
    )
    first, second = read_answers(source).rows()
    assert ("500", Word.OK) == (first.exchange.assistant, first.word)
    assert ("30日", Word.NG) == (second.exchange.assistant, second.word)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp932", "utf-16"])
@pytest.mark.parametrize("parted_by", [",", ";", "\t"])
def test_every_way_in_which_excel_saves_is_read(
    tmp_path: Path, encoding: str, parted_by: str
) -> None:
    text = FULL.replace("○", "OK").replace("×", "NG").replace(",", parted_by)
    assert 2 == read(tmp_path, text.encode(encoding)).count


def test_json_has_lists_and_objects(tmp_path: Path) -> None:
    row = {
        "question": "送料は",
        "answer": "500円です",
        "context": ["送料は500円", {"id": "d1", "text": "税込"}],
        "elements": ["500円", "税|込"],
        "documents": ["d1"],
        "verdict": False,
    }
    (found,) = read(tmp_path, json.dumps(row), "a.jsonl").rows()
    assert (Document("送料は500円"), Document("税込", "d1")) == found.exchange.documents
    assert (("500円",), ("税|込",)) == found.scenario.expected.elements
    assert Word.NG is found.word


def test_numbers_keep_their_spelling(tmp_path: Path) -> None:
    (found,) = read(
        tmp_path, '{"id": 007.10, "answer": 1.50}'.replace("007", "7"), "a.jsonl"
    ).rows()
    assert ("7.10", "1.50") == (found.scenario.id, found.exchange.assistant)


def test_an_empty_answer_is_an_answer(tmp_path: Path) -> None:
    table = read(tmp_path, "質問,回答,正解\n送料は,,500円\n")
    lines = read(tmp_path, '{"answer": null, "ground_truth": "a"}', "a.jsonl")
    assert ["", ""] == [reply.text for reply in (*replies(table), *replies(lines))]


def test_ids_and_passages_in_two_columns_belong_together(tmp_path: Path) -> None:
    as_many = read(tmp_path, "answer,retrieved,context\na,d1|d2,x|y\n")
    others = read(tmp_path, "answer,retrieved,context\na,d1|d2,x\n", "b.csv")
    (pairs,), (apart,) = replies(as_many), replies(others)
    assert (Document("x", "d1"), Document("y", "d2")) == pairs.documents
    assert (Document("", "d1"), Document("", "d2"), Document("x")) == apart.documents


def test_a_search_alone_can_be_scored(tmp_path: Path) -> None:
    found = read(tmp_path, "question,retrieved,documents\n送料,d1|d2,d2\n")
    assert {"question", "retrieved", "documents"} == set(found.gives)


def test_a_guarded_cell_is_read_as_it_was_meant(tmp_path: Path) -> None:
    (found,) = read(tmp_path, "answer\n'=1+1\n").rows()
    assert "=1+1" == found.exchange.assistant


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("It costs 5 euros", "en"),
        ("東京都", "ja"),
        ("送料は500円です", "ja"),
        ("Wi-Fi の設定 (SSID: mogi-guest)", "ja"),
    ],
)
def test_the_language_is_that_of_the_answers(tmp_path: Path, text: str, language: str) -> None:
    assert language == read(tmp_path, f"answer\n{text}\n").language


def test_the_hash_is_that_of_the_file(tmp_path: Path) -> None:
    assert read(tmp_path, FULL).sha == read(tmp_path, FULL, "b.csv").sha
    assert read(tmp_path, FULL).sha != read(tmp_path, f"{FULL}q3,a,b\n").sha


def test_a_file_that_changes_while_it_is_read_is_noticed(tmp_path: Path) -> None:
    found = read(tmp_path, FULL)
    rows = found.rows()
    next(rows)
    file(tmp_path, f"{FULL}q3,a,b\n")
    with pytest.raises(InputError, match=r"a\.csv: was changed while it was read; start again"):
        list(rows)
    with pytest.raises(InputError, match=r"a\.csv: changed in the meantime; start again"):
        list(found.rows())


def test_everything_that_is_wrong_is_said_at_once(tmp_path: Path) -> None:
    content = "id,question,answer,verdict\nq1,,a,OK\nq2,b,c,maybe\nq2,d,e,\nq3,f,g,NG,more\n"
    assert [
        "a.csv:2: the question is empty; write it, or remove the row",
        'a.csv:3: verdict: "maybe" isn\'t a verdict; use OK, NG or unsure',
        "a.csv:5: has 5 cells where the first line names 4 columns; put text that contain",
    ] == [complaint[:80].split(" (")[0] for complaint in wrong(tmp_path, content)]


def test_an_id_stands_there_once_for_each_persona(tmp_path: Path) -> None:
    assert ['a.csv:3: the ID "q1" is already on line 2; IDs must be unique'] == wrong(
        tmp_path, "id,answer\nq1,a\nq1,b\n"
    )
    assert 2 == read(tmp_path, "id,persona,answer\nq1,calm,a\nq1,angry,b\n").count


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('{"answer": NaN}', "a.jsonl:2: NaN is not JSON; write a number, null, or a text in"),
        ('{"answer": "a"', "a.jsonl:2: this isn't JSON (Expecting ',' delimiter); write one"),
        ("[1]", "a.jsonl:2: a list is not an object; write one a line: {…}"),
        ('{"anwser": "a"}', 'a.jsonl:2: no column contains answers; call it answer or'),
        ('{"answer": "a", "response": "b"}', 'a.jsonl:2: the columns "answer" and "response" cou'),
        ('{"answer": {"text": "a"}}', "a.jsonl:2: answer: a mapping is not text; write text, in"),
    ],
)  # fmt: skip
def test_a_broken_line_of_json_is_said(tmp_path: Path, line: str, says: str) -> None:
    (complaint,) = wrong(tmp_path, f'{{"answer": "fine"}}\n{line}\n', "a.jsonl")
    assert complaint.startswith(says)


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.csv", "", "a.csv: empty file; write the names of the columns in the first line"),
        ("a.csv", "質問,回答\n", "a.csv: there are no rows; add at least one answer"),
        ("a.jsonl", "\n", "a.jsonl: there are no rows; add at least one answer"),
        ("a.csv", "質問,正解\na,b\n", 'a.csv:1: no column contains answers; call it answer or'),
        ("a.csv", "answer,Answer\na,b\n", 'a.csv:1: the column "answer" appears twice; keep'),
        ("a.csv", 'answer\n"a\n', "a.csv:2: a double quote opens in this row and never closes"),
        ("a.csv", b"answer\n\xff\xfe\xfa\n", "a.csv:2: byte 0xff (number 8) is neither UTF-8 nor"),
        ("a.csv", b"PK\x03\x04", "a.csv: is a zip file or workbook; rename it"),
        ("a.xlsx", "answer\na", "a.xlsx: not an xlsx file; save it in Excel as .xlsx, or"),
        ("a.json", "[]", "a.json: is an empty list; write at least one object"),
        ("a.txt", "a", "a.txt: mogi can't score this type of file; use a .csv, .jsonl, .json"),
    ],
)  # fmt: skip
def test_a_file_that_is_of_no_use_is_said(
    tmp_path: Path, name: str, content: str | bytes, says: str
) -> None:
    (complaint,) = wrong(tmp_path, content, name)
    assert complaint.startswith(says)


def test_very_many_complaints_are_counted(tmp_path: Path) -> None:
    found = wrong(tmp_path, "answer,verdict\n" + "a,maybe\n" * 1_000)
    assert 51 == len(found)
    assert "and 950 more errors in a.csv" == found[-1]


def test_a_broken_cell_of_a_workbook_is_said_where_it_matters(tmp_path: Path) -> None:
    source = workbook(tmp_path, ["answer", "備考"], ["a", "=1/0"], ["=1/0", "b"])
    with pytest.raises(InputError) as caught:
        read_answers(source)
    assert ["a.xlsx:3: answer: the cell contains a formula without a result"] == [
        str(c).partition(";")[0] for c in caught.value.complaints
    ]


@given(rows=st.lists(st.tuples(st.text(max_size=20), st.text(max_size=20)), min_size=1, max_size=5))
def test_what_python_writes_as_csv_is_read_back(
    rows: list[tuple[str, str]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    written = io.StringIO()
    writer = csv.writer(written)
    writer.writerow(["answer", "note"])
    writer.writerows([(f"a{answer}z", note) for answer, note in rows])
    text = written.getvalue().encode("utf-8", "replace").decode()
    found = read(tmp_path_factory.mktemp("csv"), text)
    assert len(rows) == found.count == len(list(found.rows()))
