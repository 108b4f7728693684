"""The address of a served run: the same the next time, kept in a file that is its owner's alone."""

import json
import os
import stat
from pathlib import Path

import pytest

from simulator.review.view import Address

RUN = "3f9ab2c1"
TOKEN = "t" * 32


def url_of(folder: Path) -> str:
    return f"sqlite:///{folder}/mogi.db"


def file_of(folder: Path) -> Path:
    return folder / "mogi.db.view"


def write(file: Path, text: str, mode: int = 0o600) -> None:
    file.write_text(text, "utf-8")
    file.chmod(mode)


def test_it_is_the_same_the_next_time_and_another_run_has_its_own(tmp_path: Path) -> None:
    url = url_of(tmp_path)
    first = Address.of(url, RUN)
    first.keep(4321)
    other = Address.of(url, "other")
    other.keep(4322)
    again = Address.of(url, RUN)
    assert (again.token, again.port) == (first.token, 4321)
    assert other.token != first.token


def test_nobody_else_may_read_the_file_or_what_becomes_of_it(tmp_path: Path) -> None:
    file = file_of(tmp_path)
    write(file, "{}", 0o644)
    Address.of(url_of(tmp_path), RUN).keep(4321)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert os.listdir(tmp_path) == [file.name]


@pytest.mark.parametrize(
    ("text", "mode"),
    [
        (json.dumps({RUN: [TOKEN, 4321]}), 0o644),  # others may know the token
        (json.dumps({RUN: [TOKEN, 4321]}), 0o620),  # or have written it
        (json.dumps({RUN: ["short", 4321]}), 0o600),
        (json.dumps({RUN: [TOKEN + "\n", 4321]}), 0o600),
        (json.dumps({RUN: [TOKEN, 70_000]}), 0o600),
        (json.dumps({RUN: [TOKEN, True]}), 0o600),
        (json.dumps({RUN: [TOKEN]}), 0o600),
        (json.dumps([RUN]), 0o600),
        ("[" * 100_000, 0o600),
        ('{"' + "x" * 200_000, 0o600),
        ("", 0o600),
    ],
)
def test_a_file_that_is_not_ours_alone_or_says_nothing_is_not_believed(
    tmp_path: Path, text: str, mode: int
) -> None:
    write(file_of(tmp_path), text, mode)
    found = Address.of(url_of(tmp_path), RUN)
    assert (found.token != TOKEN, found.port) == (True, 6644)
    found.keep(4321)
    assert Address.of(url_of(tmp_path), RUN).token == found.token


def test_no_link_and_no_pipe_is_followed(tmp_path: Path) -> None:
    elsewhere, file = tmp_path / "elsewhere", file_of(tmp_path)
    write(elsewhere, json.dumps({RUN: [TOKEN, 4321]}))
    file.symlink_to(elsewhere)
    found = Address.of(url_of(tmp_path), RUN)
    assert found.token != TOKEN
    found.keep(4321)
    assert TOKEN in elsewhere.read_text("utf-8")
    assert not file.is_symlink()
    file.unlink()
    os.mkfifo(file)
    assert Address.of(url_of(tmp_path), RUN).port == 6644


def test_where_nothing_can_be_written_there_is_an_address_all_the_same(tmp_path: Path) -> None:
    url = url_of(tmp_path / "nowhere" / "\N{SNOWMAN}")
    (tmp_path / "nowhere").write_text("a file", "utf-8")
    found = Address.of(url, RUN)
    found.keep(4321)
    assert len(found.token) == 32


def test_of_a_database_it_is_in_the_folder_of_states(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("psycopg")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    url = "postgresql://somebody:secret@db.example/mogi"
    Address.of(url, RUN).keep(4321)
    assert Address.of(url, RUN).port == 4321
    assert Address.of(url.replace("/mogi", "/other"), RUN).port == 6644
    [file] = tmp_path.rglob("*.view")
    assert (stat.S_IMODE(file.parent.stat().st_mode), "secret" in file.read_text()) == (
        0o700,
        False,
    )


def test_the_oldest_of_very_many_are_forgotten(tmp_path: Path) -> None:
    url = url_of(tmp_path)
    for number in range(103):
        Address.of(url, f"run{number}").keep(4321)
    kept = json.loads(file_of(tmp_path).read_text("utf-8"))
    assert (len(kept), "run0" in kept, "run102" in kept) == (100, False, True)
