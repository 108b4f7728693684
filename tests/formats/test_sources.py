from pathlib import Path

import pytest

from simulator.formats import sources
from simulator.formats.sources import Source, sha_of
from tests.formats.written import complaints


def _source(tmp_path: Path, content: bytes) -> Source:
    path = tmp_path / "a.txt"
    path.write_bytes(content)
    return Source.of(path, tmp_path)


def test_a_file_is_named_as_seen_from_the_working_directory(tmp_path: Path) -> None:
    assert "a/b.yaml" == Source.of(tmp_path / "a" / "b.yaml", tmp_path).name


def test_a_file_elsewhere_is_named_by_its_whole_path(tmp_path: Path) -> None:
    path = tmp_path / "b.yaml"
    assert path.as_posix() == Source.of(path, tmp_path / "a").name


def test_a_file_is_found_inside_a_working_directory_that_is_a_link(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.mkdir()
    (tmp_path / "link").symlink_to(real)
    assert "b.yaml" == Source.of(real / "b.yaml", tmp_path / "link").name


def test_a_byte_order_mark_is_no_text(tmp_path: Path) -> None:
    assert "あ" == _source(tmp_path, "\ufeffあ".encode()).text()


def test_a_broken_byte_is_named_with_its_line(tmp_path: Path) -> None:
    source = _source(tmp_path, b"ok\nbad \xff here")
    assert ["a.txt:2: byte 0xff (number 8) is not UTF-8; save the file as UTF-8"] == complaints(
        source.text
    )


def test_shift_jis_is_recognised(tmp_path: Path) -> None:
    source = _source(tmp_path, "質問です。\nはい。".encode("cp932"))
    assert ["a.txt:1: this is Shift_JIS (cp932), not UTF-8; save the file as UTF-8"] == complaints(
        source.text
    )


def test_utf_16_is_recognised(tmp_path: Path) -> None:
    source = _source(tmp_path, "質問".encode("utf-16"))
    assert ["a.txt:1: this is UTF-16, not UTF-8; save the file as UTF-8"] == complaints(source.text)


def test_a_table_may_be_saved_as_excel_in_japan_does(tmp_path: Path) -> None:
    assert "質問,①はい" == _source(tmp_path, "質問,①はい".encode("cp932")).table_text()


def test_a_table_in_an_unknown_encoding_is_a_complaint(tmp_path: Path) -> None:
    source = _source(tmp_path, "ok\r\nfiancéas".encode("latin-1"))
    assert [
        (
            "a.txt:2: byte 0xe9 (number 10) is neither UTF-8 nor Shift_JIS; "
            'save it as UTF-8 (in Excel: "CSV UTF-8")'
        )
    ] == complaints(source.table_text)


def test_a_workbook_is_no_text(tmp_path: Path) -> None:
    source = _source(tmp_path, b"PK\x03\x04rest")
    said = "a.txt: is a zip file or a workbook, not text; save it as"
    assert [f"{said} CSV (UTF-8), or rename it to .xlsx"] == complaints(source.table_text)
    assert [f"{said} text (UTF-8)"] == complaints(source.text)


def test_a_file_without_end_is_not_read_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sources, "MAX_BYTES", 2_000_000)
    source = _source(tmp_path, b"a" * 2_000_001)
    assert ["a.txt: is larger than 2 MB; split it"] == complaints(source.text)


def test_a_missing_file_and_a_folder_are_told_apart(tmp_path: Path) -> None:
    missing = Source.of(tmp_path / "b", tmp_path)
    assert ["b: file not found; check the name"] == complaints(missing.text)
    folder = Source.of(tmp_path, tmp_path.parent)
    assert [f"{tmp_path.name}: this is a folder; use a file"] == complaints(folder.text)


def test_a_name_that_no_file_can_have_is_a_complaint(tmp_path: Path) -> None:
    [complaint] = complaints(Source.of(tmp_path / ("a" * 300), tmp_path).text)
    assert "can't be read" in complaint


def test_the_hash_does_not_depend_on_line_ends() -> None:
    assert sha_of("a\nb\n") == sha_of("a\r\nb\r\n")
    assert sha_of("a\nb\n") != sha_of("a\nb")
