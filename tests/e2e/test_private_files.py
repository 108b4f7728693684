"""Every file that mogi writes is its owner's alone, whatever the umask lets others read."""

import os
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from simulator.store.store import Store
from tests.e2e.conftest import Mogi

pytestmark = pytest.mark.skipif(os.name != "posix", reason="modes of files are POSIX's")


@pytest.fixture(autouse=True)
def _open_to_all() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def _readable(folder: Path) -> dict[str, str]:
    """The files that somebody else may read, and how they may be used."""
    modes = {p: stat.S_IMODE(p.stat().st_mode) for p in folder.rglob("*") if p.is_file()}
    return {str(p.relative_to(folder)): oct(mode) for p, mode in modes.items() if mode != 0o600}


def test_a_run_its_reports_its_log_and_its_exports(mogi: Mogi, tmp_path: Path) -> None:
    paths = {"json": "r.json", "junit": "r.xml", "csv": "r.csv", "xlsx": "r.xlsx", "terminal": "r"}
    reports = [part for name, file in paths.items() for part in ("--report", f"{name}={file}")]
    done = mogi("run", "demo-en", "--limit", "1", "--log", "calls.jsonl", "--quiet", *reports)
    assert 0 == done.status
    assert {*paths.values(), "calls.jsonl", "mogi.db"} <= {p.name for p in tmp_path.iterdir()}
    assert {} == _readable(tmp_path)


def test_the_store_while_it_is_written(tmp_path: Path) -> None:
    path = tmp_path / "mogi.db"
    with (
        Store.create(f"sqlite:///{path}") as store,
        store.lock("abc"),
        closing(sqlite3.connect(path)) as reader,  # without one SQLite takes its files away
    ):
        reader.execute("SELECT * FROM sqlite_master").fetchall()
        there = {p.name for p in tmp_path.iterdir()}
        assert {"mogi.db", "mogi.db-wal", "mogi.db-shm", "mogi.db.abc.holder"} <= there
        assert {} == _readable(tmp_path)


def test_clients_scenarios_and_scores(mogi: Mogi, tmp_path: Path) -> None:
    assert 0 == mogi("init", "shop", "--language", "en").status
    (tmp_path / "talks.jsonl").write_text(
        '{"messages": [{"role": "user", "content": "How do I return the lamp I bought?"},'
        ' {"role": "assistant", "content": "Within 30 days."}]}\n'
    )
    (tmp_path / "answers.csv").write_text("question,answer,ground_truth\nq,an answer,an answer\n")
    for given in ("talks.jsonl", "answers.csv"):
        (tmp_path / given).chmod(0o600)
    assert 0 == mogi("import-dialogs", "talks.jsonl").status
    assert 0 == mogi("score", "answers.csv", "-o", "scored.csv").status
    faq = "scenarios/shop/knowledge/faq.csv"
    made = mogi("generate", "shop", "--faq", faq, "--method", "title", "--export-retrieval", "out")
    assert 0 == made.status
    assert {} == _readable(tmp_path)


def test_a_report_that_was_opened_to_others_stays_open(mogi: Mogi, tmp_path: Path) -> None:
    report = tmp_path / "r.json"
    report.write_text("{}")
    report.chmod(0o644)
    assert 0 == mogi("run", "demo-en", "--limit", "1", "--quiet", "--report", "json=r.json").status
    assert 0o644 == stat.S_IMODE(report.stat().st_mode)


def test_a_link_in_the_place_of_a_part_is_not_written_through(mogi: Mogi, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text("mine")
    (tmp_path / "r.json.part").symlink_to(other)
    assert 0 == mogi("run", "demo-en", "--limit", "1", "--quiet", "--report", "json=r.json").status
    assert "mine" == other.read_text()
