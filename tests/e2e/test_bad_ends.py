"""What breaks off a run, or keeps it from its store: a sentence, a status, nothing lost."""

import json
import socket
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from simulator.retries import Backoff
from simulator.store.writer import Writer
from tests.e2e.conftest import Mogi
from tests.e2e.process import STARVED, process
from tests.e2e.test_bots_that_fail import client
from tests.loopback.replies import Status
from tests.loopback.server import ChatServer


def refused_port() -> int:
    """A port of this machine where nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
    return port


# Models that cannot be had


def test_a_wrong_model_name_is_told_and_the_run_can_be_resumed(
    mogi: Mogi, acme: Path, model: ChatServer
) -> None:
    kind = model.answer
    said = "The model `mock` does not exist."
    model.answer = lambda body: Status(404, {"message": said, "code": "model_not_found"})
    stopped = mogi("run", "acme", "--quiet")
    assert (3, "") == (stopped.status, stopped.out)
    assert f"mock at {model.base_url} refuses: 404: The model `mock` does not" in stopped.err
    assert "check the model's name, base_url and OPENAI_API_KEY; `mogi check` shows" in stopped.err
    model.answer = kind
    again = mogi("run", "--resume", "latest", "--quiet")
    assert (0, False) == (again.status, "nothing left to run" in again.err)
    done = mogi("run", "--resume", "latest", "--quiet")
    assert (0, True) == (done.status, "is finished; there's nothing left to run" in done.err)


def test_an_unreachable_url_is_told_after_three_attempts(
    mogi: Mogi, acme: Path, model: ChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_once = Backoff(first=0, most=0, more=0, most_more=0, least=0)
    monkeypatch.setattr("simulator.llm.caller._BACKOFF", at_once)
    config = (acme / "client.yaml").read_text("utf-8")
    nowhere = config.replace(f":{model.port}", f":{refused_port()}")
    (acme / "client.yaml").write_text(nowhere, "utf-8")
    stopped = mogi("run", "acme", "--json")
    assert (3, 4, "unreachable") == (
        stopped.status, stopped.json["unfinished"], stopped.json["status"],
    )  # fmt: skip
    assert "connection refused; is the server running, is base_url right?" in stopped.err
    (acme / "client.yaml").write_text(config, "utf-8")
    forced = mogi("run", "--resume", "latest", "--force", "--json")
    assert (0, stopped.json["run"]) == (forced.status, forced.json["run"])


@pytest.mark.slow
def test_an_unreachable_url_takes_seconds_not_minutes(acme: Path, model: ChatServer) -> None:
    path = acme / "client.yaml"
    text = path.read_text("utf-8").replace(f":{model.port}", f":{refused_port()}")
    path.write_text(text, "utf-8")
    stopped = process(acme.parents[1], "run", "acme", "--repeat", "50")  # 60 s are all it has
    assert 3 == stopped.returncode
    assert "no server responds at" in stopped.stderr


def test_a_conversation_that_broke_off_says_why(mogi: Mogi, acme: Path, model: ChatServer) -> None:
    model.answer = lambda body: Status(503, "down for repairs", {"Retry-After": "3600"})
    done = mogi("run", "acme", "--limit", "1", "--json")
    assert (3, 1) == (done.status, done.json["unfinished"])
    assert "some conversations ended early: " in done.err
    assert "down for repairs (it asks to wait 3600 s)" in done.err
    assert "mogi run --resume" in done.err


# Stores that cannot be had


def _other_program(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE notes (text)")


def _newer(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE meta SET schema_version = 99")
        connection.commit()


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (_newer, "was written by a newer mogi (schema 99, this one knows"),
        (_other_program, "belongs to another program"),
        (lambda p: p.write_text("# notes, not a database\n" * 99), "is not a database"),
    ],
)
def test_a_store_that_is_not_ours_is_left_as_it_is(
    mogi: Mogi, tmp_path: Path, spoil: Any, said: str
) -> None:
    mogi("run", "demo", "--limit", "1", "--quiet")
    path = tmp_path / "mogi.db"
    spoil(path)
    before = path.read_bytes()
    for command in ("run demo", "run --resume latest", "runs", "show latest", "export latest"):
        done = mogi(*command.split())
        assert (2, "") == (done.status, done.out)
        assert said in done.err
        assert "--store" in done.err
    assert before == path.read_bytes()


def test_a_store_where_none_can_be(mogi: Mogi, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    for place, said in {
        "file/mogi.db": "its folder doesn't exist",
        "no/mogi.db": "its folder doesn't exist",
        "folder": "is a folder; use a file with --store",
    }.items():
        done = mogi("run", "demo", "--limit", "1", "--store", f"sqlite:///{place}")
        assert (2, "") == (done.status, done.out)
        assert said in done.err


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder that root cannot write")
def test_a_read_only_working_directory(mogi: Mogi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/proc")
    done = mogi("run", "demo", "--limit", "1")
    assert (2, "") == (done.status, done.out)
    assert "mogi.db can't be opened: does the folder exist, and can you write to it?" in done.err
    assert "--store" in done.err
    done = mogi("init", "acme")
    assert (2, "") == (done.status, done.out)
    assert "can't be created" in done.err


def test_a_full_disk_stops_the_run_and_keeps_what_it_has(mogi: Mogi, tmp_path: Path) -> None:
    done = process(tmp_path, "run", "demo", "--json", start=STARVED)
    found = json.loads(done.stdout)
    assert (3, "store") == (done.returncode, found["status"]), done.stderr
    assert "is the disk full?" in done.stderr
    assert f"mogi run --resume {found['run']}" in done.stderr
    whole = mogi("run", "--resume", found["run"], "--json")
    assert (0, 94, 0) == (whole.status, whole.json["conversations"], whole.json["unfinished"])


def test_a_writer_that_dies_stops_the_run_and_keeps_what_it_has(
    mogi: Mogi, monkeypatch: pytest.MonkeyPatch
) -> None:
    save, saved = Writer._save, []

    def dies(self: Writer, jobs: Sequence[Any]) -> None:
        saved.append(len(jobs))
        if len(saved) > 3:
            raise MemoryError
        save(self, jobs)

    with monkeypatch.context() as patch:
        patch.setattr(Writer, "_save", dies)
        done = mogi("run", "demo", "--json", "--limit", "12")
    assert (3, "store") == (done.status, done.json["status"]), done.err
    assert "mogi.db failed: MemoryError; committed data is safe" in done.err
    assert f"mogi run --resume {done.json['run']}" in done.err
    whole = mogi("run", "--resume", "latest", "--json")
    assert (0, 12, 0) == (whole.status, whole.json["conversations"], whole.json["unfinished"])


@pytest.mark.usefixtures("own_process")
@pytest.mark.parametrize("put", ["", "shutil.copy('old.db', 'mogi.db')"], ids=["gone", "replaced"])
def test_a_store_that_is_taken_away_stops_the_run(mogi: Mogi, tmp_path: Path, put: str) -> None:
    bot = (
        "import os, shutil\n"
        "def answer(question, history):\n"
        "    open('asked', 'a').write('.')\n"
        "    if '3' in question:\n"
        f"        os.rename('mogi.db', 'taken.db'); {put}\n"
        "    return 'fine'\n"
    )
    client(tmp_path, bot, 30)
    assert 0 == mogi("run", "demo", "--limit", "1", "--store", "sqlite:///old.db").status
    done = mogi("run", "shop", "--quiet", "--concurrency", "1")
    assert (3, "") == (done.status, done.out)
    assert "mogi.db" in done.err
    assert "removed or replaced" in done.err
    assert (tmp_path / "asked").stat().st_size < 8  # of 30: it stopped at once


# Faults of our own


def test_a_fault_of_our_own_says_so_and_how_to_go_on(
    mogi: Mogi, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("oops")

    with monkeypatch.context() as patch:
        patch.setattr("simulator.execution.episodes.play", broken)
        done = mogi("run", "demo", "--limit", "1")
    assert (3, "") == (done.status, done.out)
    assert "a bug in mogi (ZeroDivisionError: oops); for the traceback, use --debug" in done.err
    run = done.err.split("mogi run --resume ")[1].split()[0]
    assert 0 == mogi("run", "--resume", run).status
