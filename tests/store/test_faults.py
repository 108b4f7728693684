"""What no code of ours can prevent: kills, a full disk, two processes in one file."""

import random
import sqlite3
import time
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from simulator.store.store import Store
from tests.store.children import Child


def noted(path: Path) -> set[str]:
    """The records that a child was told are saved; a line that a kill cut off is none."""
    return set(path.read_text("utf-8").rpartition("\n")[0].splitlines())


def kept(path: Path) -> set[str]:
    """The records that are in a sound store."""
    with closing(sqlite3.connect(path)) as connection:
        assert [("ok",)] == connection.execute("PRAGMA integrity_check").fetchall()
        return {f"{e} {t}" for e, t in connection.execute("SELECT episode, turn FROM calls")}


def test_a_full_disk_keeps_what_was_acknowledged(url: str, path: Path) -> None:
    Store.create(url).close()
    with Child("starve", url, str(300_000)) as child:
        *acknowledged, error = child.rest()
    assert "the store" in error
    assert "is the disk full or gone?" in error
    assert acknowledged
    assert {f"e {turn}" for turn in acknowledged} <= kept(path)
    with Store.create(url) as store:  # there is room again
        assert int(acknowledged[-1]) <= store.ledger("r1").calls["user"]


def test_a_kill_loses_nothing_that_was_acknowledged(url: str, path: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    with Child("write", url, "r1", "100000", str(notes)) as child:
        child.line()
        while len(notes.read_bytes()) < 10_000:
            time.sleep(0.005)
    with Store.read(url) as reader:  # before any writer has tidied up
        assert len(noted(notes)) <= reader.ledger("r1").calls["user"]
    assert noted(notes) <= kept(path)


@pytest.mark.slow
def test_sixty_kills_lose_nothing_that_was_acknowledged(
    url: str, path: Path, tmp_path: Path
) -> None:
    notes, rng = tmp_path / "notes", random.Random(7)
    for _ in range(60):
        with Child("write", url, "r1", "100000", str(notes)) as child:
            if rng.random() < 0.8:  # the others are killed while they open the store
                child.line()
            time.sleep(rng.uniform(0, 0.3))
    assert noted(notes) <= kept(path)
    assert noted(notes)


@pytest.mark.slow
def test_processes_that_write_runs_of_their_own_share_a_file(
    url: str, path: Path, tmp_path: Path
) -> None:
    with ExitStack() as stack:
        children = [
            stack.enter_context(Child("write", url, run, "200", str(tmp_path / run)))
            for run in ("r1", "r2", "r3")
        ]
        for child in children:
            assert ["begun"] == child.rest()
    told = set[str]().union(*(noted(tmp_path / run) for run in ("r1", "r2", "r3")))
    assert 3 * 20 * 200 == len(told)
    assert told == kept(path)
