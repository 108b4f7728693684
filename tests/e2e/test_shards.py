"""Shards: processes that play one run together, without anybody who tells them who plays what."""

import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
import yaml
from sqlalchemy import func, select

from simulator.execution.request import part_of
from simulator.rates import Rate
from simulator.store.schema import episodes, replaced
from simulator.store.shares import shares
from simulator.store.store import Store
from tests.e2e.conftest import Mogi
from tests.e2e.process import ROOT, START
from tests.loopback.server import ChatServer
from tests.waiting import until_now

_VARIES = {"run", "started", "finished", "wall_s", "metrics_ms", "waits"}
OF = 3
SCENARIOS, PERSONAS = ("shipping", "returns"), ("angry", "calm")


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'shared.db'}"
    schema: str = request.getfixturevalue("postgresql")
    return schema


def shard(number: int, url: str, *more: str) -> tuple[str, ...]:
    part = ("--shard", f"{number}/{OF}", "--run-key", "17", "--store", url)
    return ("run", "acme", *part, *more)


def test_shards_end_as_one_run_that_is_like_any_other(
    mogi: Mogi, acme: Path, model: ChatServer, url: str
) -> None:
    whole = mogi("run", "acme", "--json").json
    calls, model.count = model.count, 0
    ends = [mogi(*shard(number, url, "--json")) for number in range(1, OF + 1)]
    assert [0] * OF == [end.status for end in ends]
    *parts, last = [end.json for end in ends]
    assert {"running"} == {part["status"] for part in parts}
    assert {k: v for k, v in whole.items() if k not in _VARIES} == {
        k: v for k, v in last.items() if k not in _VARIES
    }
    assert calls == model.count
    assert mogi(*shard(1, url, "--json")).json["run"] == last["run"]  # again: nothing is left
    assert calls == model.count


def test_only_the_last_one_asks_the_gate(
    mogi: Mogi, acme: Path, model: ChatServer, url: str
) -> None:
    gate = ("--fail-under", "0.99")
    ends = [mogi(*shard(n, url, *gate)) for n in range(1, OF + 1)]
    assert [0, 0, 1] == [end.status for end in ends], [end.err for end in ends]


def test_files_of_several_machines_become_one_run(mogi: Mogi, acme: Path, tmp_path: Path) -> None:
    names = [f"m{number}.db" for number in range(1, OF + 1)]
    for number, name in enumerate(names, 1):
        mogi(*shard(number, f"sqlite:///{tmp_path / name}"))
    copied = mogi("store", "copy", *names, "all.db", "--json").json["copied"]
    assert [1, 0, 0] == [len(each["new"]) for each in copied]
    assert [0, 1, 1] == [len(each["merged"]) for each in copied]
    [run] = mogi("runs", "--store", "sqlite:///all.db", "--json").json["runs"]
    assert "finished" == run["status"]
    assert sum(each["conversations"] for each in copied) == run["conversations"]
    assert 1 == mogi(*shard(1, "sqlite:///all.db", "--fail-under", "0.99")).status


def test_a_join_that_misses_a_part_is_told(mogi: Mogi, acme: Path) -> None:
    for number in (1, 2):
        mogi(*shard(number, f"sqlite:///m{number}.db"))
    joined = mogi("store", "copy", "m1.db", "m2.db", "all.db")
    assert 3 == joined.status
    assert "some of its 3 shards are missing" in joined.err


def test_a_shard_that_is_being_played_is_refused_and_so_is_the_whole_run(
    mogi: Mogi, acme: Path, url: str
) -> None:
    run = mogi(*shard(1, url, "--json")).json["run"]
    with Store.create(url) as store, store.lock(f"{run}~2"):
        assert "is in use by process" in mogi(*shard(2, url)).err
        assert "is in use by process" in mogi("run", "--resume", run, "--store", url).err
        assert 0 == mogi(*shard(3, url)).status


def test_a_resume_without_a_shard_plays_what_is_left(mogi: Mogi, acme: Path, url: str) -> None:
    run = mogi(*shard(1, url, "--json")).json["run"]
    whole = mogi("run", "--resume", run, "--store", url, "--json").json
    assert ("finished", 0) == (whole["status"], whole["unfinished"])


def test_a_shard_without_others_says_that_the_run_is_not_finished(
    mogi: Mogi, acme: Path, url: str
) -> None:
    assert 0 == mogi(*shard(1, url)).status
    again = mogi(*shard(1, url, "--fail-under", "0.1"))
    assert 3 == again.status
    assert "this part of run" in again.err
    assert "to resume:  mogi run --resume" in again.err
    [run] = mogi("runs", "--store", url, "--json").json["runs"]
    assert "unfinished" == run["status"]


def test_what_one_shard_does_not_use_of_the_calls_another_may(
    mogi: Mogi, acme: Path, model: ChatServer, url: str
) -> None:
    """Of the four conversations two are of one shard: a third of the calls would not do."""
    mogi("run", "acme")
    calls, settings = model.count, (acme / "client.yaml").read_text("utf-8")
    limits = f"limits: {{calls: {calls}, "
    (acme / "client.yaml").write_text(settings.replace("limits: {", limits), "utf-8")
    sizes = Counter(part_of(f"{s}/{p}/1", OF) for s in SCENARIOS for p in PERSONAS)
    smallest_first = sorted(range(1, OF + 1), key=lambda number: sizes[number])
    ends = [mogi(*shard(number, url, "--json")) for number in smallest_first]
    assert ("finished", 2 * calls) == (ends[-1].json["status"], model.count)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (("--shard", "1/3"), "--shard requires --run-key"),
        (("--shard", "4/3", "--run-key", "1"), "write I/N, such as 1/3"),
        (("--shard", "one", "--run-key", "1"), "write I/N, such as 1/3"),
        (("--shard", "1/3", "--run-key", "1", "--resume", "x"), "remove --resume"),
    ],
)
def test_what_is_no_shard_is_told(mogi: Mogi, said: tuple[str, ...], told: str) -> None:
    done = mogi("run", "demo-en", *said)
    assert (2, True) == (done.status, told in done.err)


@pytest.mark.slow
def test_shards_at_once_of_which_some_are_killed_repeat_no_call_that_was_committed(
    mogi: Mogi, url: str, tmp_path: Path
) -> None:
    def started(number: int) -> subprocess.Popen[bytes]:
        part = ("--shard", f"{number}/{OF}", "--run-key", "17", "--store", url, "--quiet")
        command = [sys.executable, "-c", START, "run", "demo-en", "--concurrency", "1", *part]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        return subprocess.Popen(command, cwd=tmp_path, env=environment)

    def played() -> int:
        with Store.create(url) as store, store.reading() as connection:
            return int(connection.execute(select(func.count()).select_from(episodes)).scalar_one())

    with ExitStack() as stack:
        shards = [stack.enter_context(started(number)) for number in range(1, OF + 1)]
        until_now(lambda: played() > 5)
        for killed in shards[:2]:
            killed.kill()
        again = [stack.enter_context(started(number)) for number in (1, 2)]
        assert [0, 0, 0] == [one.wait() for one in (*again, shards[2])]
    [run] = mogi("runs", "--store", url, "--json").json["runs"]
    assert ("finished", 94) == (run["status"], run["conversations"])
    with Store.read(url) as store, store.reading() as connection:
        assert 0 == connection.execute(select(func.count()).select_from(replaced)).scalar_one()


def steps(page: str, kind: str) -> Any:
    """What a page's example of this kind says, as data."""
    blocks = re.findall(r"```yaml\n(.*?)```", (ROOT / page).read_text("utf-8"), re.DOTALL)
    return next(found for found in map(yaml.safe_load, blocks) if kind in found)


@pytest.fixture
def shell(tmp_path: Path, acme: Path) -> Callable[..., int]:
    """A shell beside the client `acme` that finds `mogi`."""
    assert acme.is_dir()
    tool = tmp_path / "bin" / "mogi"
    tool.parent.mkdir()
    tool.write_text(f"#!/bin/sh\nexec {sys.executable} -c '{START}' \"$@\"\n", "utf-8")
    tool.chmod(0o755)

    def call(command: str, **more: str) -> int:
        paths = {"PATH": f"{tool.parent}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
        environment = {**os.environ, **paths, **more}
        return subprocess.run(
            ["sh", "-c", command], cwd=tmp_path, env=environment, check=False
        ).returncode

    return call


def test_the_pages_of_both_languages_give_the_same_jobs() -> None:
    for kind in ("jobs", "spec"):
        assert steps("docs/en/many-machines.md", kind) == steps("docs/ja/many-machines.md", kind)


@pytest.mark.slow
def test_the_jobs_of_the_page_make_one_run(shell: Callable[..., int], mogi: Mogi) -> None:
    jobs = steps("docs/en/many-machines.md", "jobs")["jobs"]
    command = next(s["run"] for s in jobs["play"]["steps"] if "mogi run" in s.get("run", ""))
    for number in jobs["play"]["strategy"]["matrix"]["shard"]:
        said = command.replace("${{ matrix.shard }}", str(number))
        assert 0 == shell(said.replace("${{ github.run_id }}", "99"))
    copy, gate = [s["run"] for s in jobs["join"]["steps"] if "mogi " in s.get("run", "")]
    assert 0 == shell(copy)
    assert 1 == shell(gate.replace("${{ github.run_id }}", "99").replace("0.7", "0.99"))
    [run] = mogi("runs", "--json").json["runs"]
    assert ("finished", 4) == (run["status"], run["conversations"])


@pytest.mark.slow
def test_the_indexed_job_of_the_page_makes_one_run(
    shell: Callable[..., int], mogi: Mogi, postgresql: str
) -> None:
    job = steps("docs/en/many-machines.md", "spec")["spec"]
    [container] = job["template"]["spec"]["containers"]
    assert ["sh", "-c"] == container["command"][:2]
    for index in range(job["completions"]):
        place = {"JOB_COMPLETION_INDEX": str(index), "MOGI_STORE": postgresql}
        assert 0 == shell(container["command"][2], **place)
    [run] = mogi("runs", "--store", postgresql, "--json").json["runs"]
    assert ("finished", 4) == (run["status"], run["conversations"])


def test_shards_share_the_limits_per_minute_while_they_play(
    mogi: Mogi, acme: Path, model: ChatServer, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    used = list[float]()
    admit = Rate.admit

    async def seen(rate: Rate, amount: float = 1.0) -> None:
        await admit(rate, amount)
        used.append(rate._share.part)

    monkeypatch.setattr(Rate, "admit", seen)
    file = acme / "client.yaml"
    client = yaml.safe_load(file.read_text("utf-8"))
    client["limits"] = {"target": {"per_minute": 600_000}}
    file.write_text(yaml.safe_dump(client), "utf-8")
    for number in range(1, OF + 1):
        mogi(*shard(number, url))
    assert used
    assert used == pytest.approx([1 / OF] * len(used))
    with Store.create(url) as store:
        rows = store._rows(select(shares.c.part, shares.c.share))
    assert sorted(tuple(row) for row in rows) == [(number, 0.0) for number in range(1, OF + 1)]
