from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.core.talk import Document
from simulator.files.knowledge import Passages, load_knowledge
from simulator.formats.own_files import made_id
from tests.formats.written import complaints, unclear, write
from tests.formats.xlsx.written import number, row, text, workbook, worksheet


def _load(folder: Path, content: str | bytes) -> Passages:
    write(folder, {"faq.csv": content})
    return load_knowledge(folder / "faq.csv", cwd=folder)


@pytest.mark.parametrize(
    "header",
    [
        "id,title,content",
        "ID, Question ,ANSWER",
        "id,質問,回答",
        "id,タイトル,内容",
        "id,question,content",
        "id,title,text",
    ],
)
def test_columns_are_found_by_name(tmp_path: Path, header: str) -> None:
    found = _load(tmp_path, f"{header}\na,t,c\n")
    assert (Document("c", "a", "t"),) == found.documents()
    assert 1 == len(found)


def test_other_columns_are_ignored_wherever_they_stand(tmp_path: Path) -> None:
    found = _load(tmp_path, "key,question,id,note,answer\nk,q,a,n,c\n")
    assert (Document("c", "a", "q"),) == found.documents()


def test_columns_that_belong_together_are_taken_together(tmp_path: Path) -> None:
    found = _load(tmp_path, "id,title,question,answer\na,t,q,c\n")
    assert (Document("c", "a", "q"),) == found.documents()


def test_without_an_id_column_ids_are_made_of_the_titles(tmp_path: Path) -> None:
    first = [d.id for d in _load(tmp_path, "質問,回答\n送料は？,a\n\n返品は？,b\n").documents()]
    later = [d.id for d in _load(tmp_path, "質問,回答\n新,x\n返品は？,c\n送料は？,d\n").documents()]
    assert [made_id("送料は？"), made_id("返品は？")] == first == later[:0:-1]


@pytest.mark.parametrize("head", ["番号", "No.", "ＮＯ", "faq_id"])
def test_a_column_that_numbers_the_entries_holds_their_ids(tmp_path: Path, head: str) -> None:
    entries = _load(tmp_path, f"{head},質問,回答\nD01,a,b\nD02,c,d\n").entries
    assert [entry.id for entry in entries] == ["D01", "D02"]


@pytest.mark.parametrize("second", ["D01", ""])
def test_numbers_that_do_not_tell_the_entries_apart_are_none(tmp_path: Path, second: str) -> None:
    entries = _load(tmp_path, f"番号,質問,回答\nD01,a,b\n{second},c,d\n").entries
    assert [entry.id for entry in entries] == [made_id("a"), made_id("c")]


def test_ids_made_of_the_same_title_are_counted(tmp_path: Path) -> None:
    name = made_id("q")
    assert [name, f"{name}-2", made_id("c")] == [
        d.id for d in _load(tmp_path, "質問,回答\nq,a\nq,b\n,c\n").documents()
    ]


def test_a_title_is_not_needed(tmp_path: Path) -> None:
    assert (Document("c", "a"),) == _load(tmp_path, "id,content\na,c\n").documents()
    assert (Document("c", "a"),) == _load(tmp_path, "id,title,content\na,,c\n").documents()


def test_a_table_as_excel_in_japan_saves_it_is_read(tmp_path: Path) -> None:
    found = _load(tmp_path, "id,質問,回答\r\na,送料は？,無料です。\r\n".encode("cp932"))
    assert (Document("無料です。", "a", "送料は？"),) == found.documents()


def test_everything_that_is_wrong_with_the_rows_is_said_at_once(tmp_path: Path) -> None:
    content = "id,title,content\na,t,c\na,t,c\nb,t,\n,t,c\n"
    assert [
        'faq.csv:3: the ID "a" is already on line 2; IDs must be unique',
        "faq.csv:4: content is empty; write the text, or remove the row",
        "faq.csv:5: the ID is empty; write one, or remove the whole column",
    ] == complaints(lambda: _load(tmp_path, content))


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (
            "id,title\na,t\n",
            (
                "faq.csv:1: no column has the content; rename one to content, answer, 内容 or "
                "回答 (columns: id, title)"
            ),
        ),
        (
            "id,title,content\n",
            "faq.csv: no entries; add at least one row under the first line",
        ),
    ],
)
def test_a_table_without_contents_is_refused(tmp_path: Path, content: str, complaint: str) -> None:
    assert [complaint] == complaints(lambda: _load(tmp_path, content))


def test_a_workbook_is_read_as_it_is_shown(tmp_path: Path) -> None:
    sheet = worksheet(
        row(1, text("番号"), text("id"), text("質問"), text("回答")),
        row(2, 't="e"><v>#REF!</v>', text("a"), text("送料は？"), number("500", 1)),
        row(3, "", text("b"), text("返品は？"), text("できます。")),
    )
    book = workbook({"旧": worksheet(row(1, text("x"))), "FAQ": sheet}, formats=('0"円"',))
    write(tmp_path, {"faq.xlsx": book})
    found = load_knowledge(tmp_path / "faq.xlsx", worksheet="FAQ", cwd=tmp_path).documents()
    assert (Document("500円", "a", "送料は？"), Document("できます。", "b", "返品は？")) == found


def test_a_broken_cell_of_a_workbook_is_told_with_all_else(tmp_path: Path) -> None:
    sheet = worksheet(
        row(1, text("id"), text("回答")),
        row(2, text("a"), 't="e"><v>#REF!</v>'),
        row(3, text("b")),
        row(5, text("b"), text("c")),
        row(6, text("b"), text("c")),
    )
    write(tmp_path, {"faq.xlsx": workbook({"x": sheet})})
    assert [
        "faq.xlsx:2: 回答: the cell contains the error #REF!; fix its formula, or clear it",
        "faq.xlsx:3: 回答 is empty; write the text, or remove the row",
        'faq.xlsx:6: the ID "b" is already in row 5; IDs must be unique',
    ] == complaints(lambda: load_knowledge(tmp_path / "faq.xlsx", cwd=tmp_path))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        (
            "a.json",
            '[{"id": 7, "title": "t", "content": "c", "x": []}, {"id": "b", "content": 1.10}]',
        ),
        ("a.yaml", "- {id: 7, title: t, content: c, x: []}\n- {id: b, title: ~, content: 1.10}"),
        ("a.yml", "- {ID: 7, 質問: t, 回答: c}\n- ID: b\n  質問:\n  回答: 1.10"),
    ],
)
def test_a_list_of_mappings_is_a_table(tmp_path: Path, name: str, content: str) -> None:
    found = load_knowledge(write(tmp_path, {name: content}) / name).documents()
    assert (Document("c", "7", "t"), Document("1.10", "b")) == found


@pytest.mark.parametrize(
    ("content", "wanted"),
    [
        ("[]", ["a.json: no entries; add at least one {id, title, content}"]),
        (
            '[1,\n{"id": "a", "content": "b"}]',
            ["a.json:1: an entry: 1 is not a mapping; write {id, title, content}"],
        ),
        (
            '[{"id": "a", "content": ["b"]},\n{"id": "a"}]',
            [
                "a.json:1: content: a list is not text; write text, in quotes",
                "a.json:2: content is empty; write the text, or remove the row",
            ],
        ),
        ("{}", ["a.json: this must be a list of {id, title, content}; begin with ["]),
    ],
)
def test_a_list_of_anything_else_is_a_complaint(
    tmp_path: Path, content: str, wanted: list[str]
) -> None:
    path = write(tmp_path, {"a.json": content}) / "a.json"
    assert wanted == complaints(lambda: load_knowledge(path, cwd=tmp_path))


def test_a_text_alone_is_cut_into_passages(tmp_path: Path) -> None:
    write(tmp_path, {"guide.md": "# Fees\n\nFree.\n", "notes.txt": "One.\n"})
    assert (Document("Free.", "guide.md#fees", "Fees"),) == (
        load_knowledge(tmp_path / "guide.md").documents()
    )
    assert (Document("One.", "notes.txt", "notes"),) == (
        load_knowledge(tmp_path / "notes.txt").documents()
    )


def test_a_folder_yields_the_passages_of_its_texts(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "docs/b.md": "# Fees\n\nShipping is free.\n\n## Returns\nReturns cost 3.\n",
            "docs/a.txt": "One.\n\nTwo.\n",
            "docs/sub/ja.txt": "送料は無料です。".encode("cp932"),
            "docs/sub/memo.txt": "返品できます。".encode("utf-16"),
            "docs/.git/x.md": "hidden",
            "docs/logo.png": b"\x89PNG",
            "docs/faq.csv": "not read",
        },
    )
    assert (
        Document("One.\n\nTwo.", "a.txt", "a"),
        Document("Shipping is free.", "b.md#fees", "Fees"),
        Document("Returns cost 3.", "b.md#returns", "Fees > Returns"),
        Document("送料は無料です。", "sub/ja.txt", "ja"),
        Document("返品できます。", "sub/memo.txt", "memo"),
    ) == load_knowledge(tmp_path / "docs").documents()


def test_every_bad_file_of_a_folder_is_complained_of(tmp_path: Path) -> None:
    write(tmp_path, {"docs/a.md": "# Only a title\n", "docs/b.txt": b"\xff\xfea", "docs/c.md": "x"})
    assert [
        "docs/a.md: contains no text; add some, or remove the file",
        "docs/b.txt: starts as UTF-16 but is incomplete; save it again as UTF-8",
    ] == complaints(lambda: load_knowledge(tmp_path / "docs", cwd=tmp_path))


def test_a_folder_of_tables_is_not_read(tmp_path: Path) -> None:
    write(tmp_path, {"docs/sub/faq.xlsx": b""})
    assert [
        "docs: no .md or .txt file in this folder; name the file itself, such as sub/faq.xlsx"
    ] == complaints(lambda: load_knowledge(tmp_path / "docs", cwd=tmp_path))


def test_a_folder_without_texts_is_refused(tmp_path: Path) -> None:
    write(tmp_path, {"docs/a.pdf": "x"})
    assert ["docs: no .md or .txt file in this folder; put some there"] == complaints(
        lambda: load_knowledge(tmp_path / "docs", cwd=tmp_path)
    )


def test_other_kinds_of_files_are_refused(tmp_path: Path) -> None:
    write(tmp_path, {"a.pdf": "%PDF"})
    assert [
        (
            "a.pdf: mogi can't read this type of file; use a .csv, .xlsx, .json, .yaml, .md or "
            ".txt file, or a folder of texts"
        )
    ] == complaints(lambda: load_knowledge(tmp_path / "a.pdf", cwd=tmp_path))


def test_a_missing_file_is_a_complaint(tmp_path: Path) -> None:
    assert ["a.json: file not found; check the name"] == complaints(
        lambda: load_knowledge(tmp_path / "a.json", cwd=tmp_path)
    )


@given(content=st.binary(max_size=100).map(lambda b: b"id,title,content\n" + b))
def test_any_bytes_are_read_or_complained_of(
    content: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert [] == unclear(lambda: _load(tmp_path_factory.getbasetemp(), content))
