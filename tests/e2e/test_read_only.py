"""A finished store where nothing can be written: an archive, a mounted image, somebody's share."""

import os
import shutil
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.conftest import Mogi
from tests.e2e.process import ROOT, START
from tests.waiting import PATIENCE_S

# Root writes where it likes, but not on a read-only mount, which it may make for itself alone.
MOUNT = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"'


def read_only(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """`mogi COMMAND` in a process that cannot write in `folder`."""
    call = [sys.executable, "-c", START, *command]
    if os.geteuid() == 0:
        call = ["unshare", "--mount", "sh", "-c", MOUNT, str(folder), *call]
    else:
        folder.chmod(0o555)
    try:
        return subprocess.run(
            call,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE_S,
        )
    finally:
        folder.chmod(0o755)


@pytest.fixture
def archive(mogi: Mogi, tmp_path: Path) -> Path:
    """A folder with a store of two finished runs in it, and nothing else."""
    for seed in "1", "2":
        done = mogi("run", "demo-en", "--limit", "2", "--seed", seed, "--quiet")
        assert 0 == done.status
    folder = tmp_path / "archive"
    folder.mkdir()
    shutil.copy(tmp_path / "mogi.db", folder)
    if os.geteuid() == 0:
        can = subprocess.run(
            ["unshare", "--mount", "sh", "-c", MOUNT, str(folder), "true"],
            check=False,
            capture_output=True,
        )
        if can.returncode:
            pytest.skip("root cannot mount anything here")
    return folder


@pytest.mark.slow
def test_a_finished_store_is_read_where_nothing_can_be_written(
    archive: Path, tmp_path: Path
) -> None:
    report = tmp_path / "found.json"
    for command in (
        "runs",
        "show latest",
        "export latest",
        f"report latest --report json={report}",
        "compare previous latest",
    ):
        done = read_only(archive, *command.split())
        assert 0 == done.returncode, done.stderr
        assert done.stdout or report.is_file()
    assert ["mogi.db"] == [file.name for file in archive.iterdir()]


def test_a_run_there_is_refused(archive: Path) -> None:
    done = read_only(archive, "run", "demo-en", "--limit", "1", "--quiet")
    assert (2, "") == (done.returncode, done.stdout)
    assert "use another file with --store" in done.stderr or "is read-only" in done.stderr


def test_what_was_not_yet_written_into_the_file_is_not_left_out(archive: Path) -> None:
    """A store whose log was never written back is no finished one: it is not read without it."""
    working = archive.parent / "working.db"
    shutil.copy(archive / "mogi.db", working)
    with sqlite3.connect(working) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA wal_autocheckpoint=0")
        connection.execute("UPDATE runs SET client = 'other'")
        connection.commit()
        shutil.copy(working, archive / "mogi.db")
        shutil.copy(f"{working}-wal", archive / "mogi.db-wal")
    connection.close()
    done = read_only(archive, "runs")
    assert "demo-en" not in done.stdout
    assert 0 == done.returncode or "can't be opened" in done.stderr
