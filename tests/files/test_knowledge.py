from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.core.talk import Document
from simulator.files.knowledge import Passages, load_knowledge
from tests.files.written import complaints, unclear, write


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


def test_without_an_id_column_the_rows_are_counted(tmp_path: Path) -> None:
    found = _load(tmp_path, "質問,回答\nq,a\n\nr,b\n")
    assert ["row-1", "row-2"] == [d.id for d in found.documents()]


def test_a_title_is_not_needed(tmp_path: Path) -> None:
    assert (Document("c", "a"),) == _load(tmp_path, "id,content\na,c\n").documents()
    assert (Document("c", "a"),) == _load(tmp_path, "id,title,content\na,,c\n").documents()


def test_a_table_as_excel_in_japan_saves_it_is_read(tmp_path: Path) -> None:
    found = _load(tmp_path, "id,質問,回答\r\na,送料は？,無料です。\r\n".encode("cp932"))
    assert (Document("無料です。", "a", "送料は？"),) == found.documents()


def test_everything_that_is_wrong_with_the_rows_is_said_at_once(tmp_path: Path) -> None:
    content = "id,title,content\na,t,c\na,t,c\nb,t,\n,t,c\n"
    assert [
        'faq.csv:3: the id "a" stands on line 2 already; ids have to be unique',
        "faq.csv:4: content is empty; write the text, or remove the row",
        "faq.csv:5: the id is empty; write one, or leave out the whole column",
    ] == complaints(lambda: _load(tmp_path, content))


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        (
            "id,title\na,t\n",
            (
                "faq.csv:1: no column holds the contents; name one of them content, answer, "
                "内容 or 回答 (there are: id, title)"
            ),
        ),
        (
            "id,title,content\n",
            "faq.csv: has no entries; write at least one row under the first line",
        ),
    ],
)
def test_a_table_without_contents_is_refused(tmp_path: Path, content: str, complaint: str) -> None:
    assert [complaint] == complaints(lambda: _load(tmp_path, content))


def test_a_folder_yields_the_passages_of_its_texts(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "docs/b.md": "# Fees\n\nShipping is free.\n\nReturns cost 3.\n",
            "docs/a.txt": "One.\n\nTwo.\n",
            "docs/sub/ja.txt": "送料は無料です。".encode("cp932"),
            "docs/.git/x.md": "hidden",
            "docs/logo.png": b"\x89PNG",
        },
    )
    assert (
        Document("One.", "a.txt#1", "a"),
        Document("Two.", "a.txt#2", "a"),
        Document("Shipping is free.", "b.md#1", "Fees"),
        Document("Returns cost 3.", "b.md#2", "Fees"),
        Document("送料は無料です。", "sub/ja.txt#1", "ja"),
    ) == load_knowledge(tmp_path / "docs").documents()


def test_every_bad_file_of_a_folder_is_complained_of(tmp_path: Path) -> None:
    write(tmp_path, {"docs/a.md": "# Only a title\n", "docs/b.txt": b"\xff\xfe", "docs/c.md": "x"})
    assert [
        "docs/a.md: holds no text; write some, or remove the file",
        "docs/b.txt:1: this is UTF-16, not UTF-8; save the file as UTF-8",
    ] == complaints(lambda: load_knowledge(tmp_path / "docs", cwd=tmp_path))


def test_a_folder_without_texts_is_refused(tmp_path: Path) -> None:
    write(tmp_path, {"docs/a.pdf": "x"})
    assert [
        "docs: no .md or .txt file in this folder; put some there, or name a csv"
    ] == complaints(lambda: load_knowledge(tmp_path / "docs", cwd=tmp_path))


def test_other_kinds_of_files_are_refused(tmp_path: Path) -> None:
    write(tmp_path, {"a.json": "[]"})
    assert ["a.json: is neither a csv file nor a folder; give one of those"] == complaints(
        lambda: load_knowledge(tmp_path / "a.json", cwd=tmp_path)
    )


def test_a_missing_file_is_a_complaint(tmp_path: Path) -> None:
    assert ["a.json: there is no such file; check the name"] == complaints(
        lambda: load_knowledge(tmp_path / "a.json", cwd=tmp_path)
    )


@given(content=st.binary(max_size=100).map(lambda b: b"id,title,content\n" + b))
def test_any_bytes_are_read_or_complained_of(
    content: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    assert [] == unclear(lambda: _load(tmp_path_factory.getbasetemp(), content))
