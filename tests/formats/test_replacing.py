"""A person's file is replaced whole, or stays as it was."""

from pathlib import Path

import pytest

from simulator.core.errors import InputError
from simulator.formats.sources import Source, replace_file


def test_the_file_holds_the_new_content_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "client.yaml"
    path.write_bytes(b"old")
    path.chmod(0o640)
    replace_file(Source.of(path), b"new")
    assert b"new" == path.read_bytes()
    assert [path] == list(tmp_path.iterdir())
    assert 0o640 == path.stat().st_mode & 0o777


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    real, link = tmp_path / "real.yaml", tmp_path / "link.yaml"
    real.write_bytes(b"old")
    link.symlink_to(real)
    replace_file(Source.of(link), b"new")
    assert link.is_symlink()
    assert b"new" == real.read_bytes()


def test_what_cannot_be_written_is_told_and_the_file_stays(tmp_path: Path) -> None:
    path = tmp_path / "client.yaml"
    path.write_bytes(b"old")
    (tmp_path / "client.yaml.part").mkdir()  # where the new content would be written first
    with pytest.raises(InputError, match=r"client\.yaml: can't be written \(Is a directory\)"):
        replace_file(Source.of(path), b"new")
    assert b"old" == path.read_bytes()
