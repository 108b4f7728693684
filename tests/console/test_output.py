"""A report's file is whole or not there, whatever breaks off its writing."""

from pathlib import Path

import pytest

from simulator.core.errors import InputError
from simulator.formats.own_files import text_file


def test_a_report_that_breaks_off_leaves_the_one_before_it_whole(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text("whole", "utf-8")
    with pytest.raises(ZeroDivisionError):
        _break_off(str(path))
    assert "whole" == path.read_text("utf-8")
    assert [path] == list(tmp_path.iterdir())


def _break_off(path: str) -> None:
    with text_file(path) as file:
        file.write("ha")
        file.flush()
        raise ZeroDivisionError


def test_a_report_takes_the_place_of_the_one_before_it(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_text("before, and longer", "utf-8")
    with text_file(str(path)) as file:
        file.write("after")
    assert "after" == path.read_text("utf-8")
    assert [path] == list(tmp_path.iterdir())


def test_what_is_no_plain_file_is_written_to_directly() -> None:
    with text_file("/dev/null") as file:
        file.write("gone")
    assert not Path("/dev/null").is_file()


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    behind, link = tmp_path / "behind.json", tmp_path / "link.json"
    link.symlink_to(behind)
    with text_file(str(link)) as file:
        file.write("through")
    assert link.is_symlink()
    assert "through" == behind.read_text("utf-8")


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    path = str(tmp_path / "nowhere" / "report.json")
    with pytest.raises(InputError, match="nowhere"), text_file(path):
        pass
