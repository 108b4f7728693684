"""Rankings as searches write them: wide, long, in JSON lines, and wrong."""

from pathlib import Path

import pytest

from simulator.core.errors import InputError
from simulator.files.rankings import Rankings, read_rankings
from simulator.formats.sources import Source
from tests.formats.xlsx.written import row, text, workbook, worksheet


def read(folder: Path, name: str, content: str | bytes, *, empty: bool = True) -> Rankings:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_rankings(Source.of(path, folder), empty=empty)


@pytest.mark.parametrize(
    "content",
    [
        "query,id\n送料,faq-1|faq-2\n返品,faq-3\n",
        "質問,文書\n送料,faq-1｜faq-2\n返品,faq-3\n",
        "Question;Retrieved\n送料;faq-1, faq-2\n返品;faq-3\n",
        "query,id\n送料,faq-1\n送料,faq-2\n返品,faq-3\n",
        "query,id,rank\n返品,faq-3,1\n送料,faq-2,2\n送料,faq-1,1\n",
        "other,query_id,検索結果,x\n1,送料,faq-1、faq-2,\n2,返品,faq-3,\n",
    ],
)
def test_columns_are_found_by_name_and_rows_may_hold_one_or_all(
    tmp_path: Path, content: str
) -> None:
    expected = {"送料": ("faq-1", "faq-2"), "返品": ("faq-3",)}
    assert expected == read(tmp_path, "found.csv", content)


def test_cp932_and_xlsx_are_read(tmp_path: Path) -> None:
    expected = {"送料": ("faq-1", "faq-2")}
    assert expected == read(tmp_path, "a.csv", "質問,文書\n送料,faq-1|faq-2\n".encode("cp932"))
    rows = (row(1, text("質問"), text("文書")), row(2, text("送料"), text("faq-1|faq-2")))
    assert expected == read(tmp_path, "a.xlsx", workbook({"x": worksheet(*rows)}))


def test_json_lines_hold_lists_objects_numbers_or_text(tmp_path: Path) -> None:
    lines = (
        '{"query": "a", "ids": ["x", "y"]}\n'
        '{"query": "b", "retrieved": [{"id": "x", "score": 1.5}, {"id": 7}]}\n'
        '{"question": "c", "document": "x"}\n{"query": "d", "id": 12}\n{"query": "e", "ids": []}\n'
    )
    assert {
        "a": ("x", "y"), "b": ("x", "7"), "c": ("x",), "d": ("12",), "e": (),
    } == read(tmp_path, "found.jsonl", lines)  # fmt: skip


def test_what_the_formula_guard_put_there_is_no_part_of_the_query(tmp_path: Path) -> None:
    assert {"-5度になる": ("x",)} == read(tmp_path, "q.csv", "query,id\n'-5度になる,x\n")


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("a.csv", "a,b\n1,2\n3,4\n", "a.csv:1: no column for the query; name one query or 質問"),
        ("a.csv", "query,b\n1,2\n", "a.csv:1: no column for the documents; name one id or 文書"),
        ("a.csv", "query,id\n,2\n", "a.csv:2: query: the query is missing"),
        ("a.csv", "query,id,rank\na,2,first\n", "a.csv:2: rank: 'first' is not a number"),
        ("a.csv", "query,id\n", "a.csv: contains no"),
        ("a.csv", "", "a.csv: empty file"),
        ("a.jsonl", '{"query": "a"}\n', "a.jsonl:1: no column for the documents"),
        ("a.jsonl", '{"query": 3, "ids": []}\n', "a.jsonl:1: query: the query is missing"),
        ("a.jsonl", '{"query": "a", "ids": [{"text": "x"}]}', "an object without an id"),
        ("a.jsonl", "nonsense\n", "a.jsonl:1: this isn't JSON"),
        ("a.txt", "query,id\n", "a.txt: mogi can't score this"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(
    tmp_path: Path, name: str, content: str, complaint: str
) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, name, content)
    assert complaint in str(caught.value)
    assert 1 == len(caught.value.complaints)


def test_everything_wrong_is_said_at_once(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, "a.csv", "query,id\n,1\nb,\nc,\n", empty=False)
    assert ["a.csv:2", "a.csv:3", "a.csv:4"] == [
        str(complaint).partition(": ")[0] for complaint in caught.value.complaints
    ]
