"""`--engine ray`: workers, nodes and drivers die, and the run ends as on one machine."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from uuid import uuid4

import pytest
from sqlalchemy import func, select

from simulator.core.concurrency import Halt
from simulator.core.errors import InputError
from simulator.execution import ray_engine
from simulator.execution.request import Shard
from simulator.store.schema import calls, episodes, replaced
from simulator.store.store import Store
from tests.e2e.conftest import Mogi
from tests.e2e.process import OFFLINE, ROOT, START
from tests.loopback.server import ChatServer
from tests.waiting import PATIENCE_S, until_now

_VARIES = {"run", "started", "finished", "wall_s", "metrics_ms", "waits"}
_CANARY = f"sk-{uuid4().hex}"
_AT_ONCE = 4  # conversations of a worker: with their judge at most twice as many calls in flight
_LONG = ("run", "acme", "--repeat", "10", "--concurrency", str(_AT_ONCE))


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'shared.db'}"
    schema: str = request.getfixturevalue("postgresql")
    return schema


@pytest.fixture
def mark(monkeypatch: pytest.MonkeyPatch) -> str:
    """What all processes of a test have in their environment, beside a key."""
    found = uuid4().hex
    monkeypatch.setenv("MOGI_TESTED_BY", found)
    monkeypatch.setenv("OPENAI_API_KEY", _CANARY)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    return found


@contextmanager
def driver(cwd: Path, url: str, *args: str) -> Iterator[subprocess.Popen[str]]:
    """`mogi ARGS --engine ray` in a process of its own; killed at the end if it is still there."""
    command = [sys.executable, "-c", START, *args, "--engine", "ray", "--store", url]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen(command, cwd=cwd, text=True, **streams)  # type: ignore[call-overload]
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def played(cwd: Path, url: str, *args: str) -> subprocess.CompletedProcess[str]:
    """The same when it has ended."""
    with driver(cwd, url, *args) as process:
        out, err = process.communicate(timeout=PATIENCE_S)
    return subprocess.CompletedProcess(args, process.returncode, out, err)


def processes(mark: str) -> dict[int, str]:
    """All that have this mark, but for this one: their command lines by their numbers."""
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (folder / "environ").read_bytes():
                found[int(folder.name)] = (folder / "cmdline").read_text("utf-8")
        except OSError:  # it has ended, or is none of ours
            continue
    found.pop(os.getpid(), None)
    return {n: line for n, line in found.items() if line and "postgres" not in line}


def left_behind() -> set[Path]:
    """The folders in which Ray keeps its files while it runs."""
    return set(Path("/tmp").glob("mogi-ray-*"))


def workers(mark: str) -> list[int]:
    """Those that play."""
    return [number for number, line in processes(mark).items() if line.startswith("ray::mogi")]


def without_note(stderr: str) -> list[str]:
    """What was said, but for the note on what the client reaches: nobody is at a terminal."""
    return [line for line in stderr.splitlines() if "mogi check" not in line]


def number_of(url: str, table: object) -> int:
    with Store.read(url) as store, store.reading() as connection:
        return int(connection.execute(select(func.count()).select_from(table)).scalar_one())  # type: ignore[arg-type]


def has_begun(url: str, model: ChatServer) -> None:
    """Wait until some conversations are in the store, and many are not."""
    until_now(lambda: model.count > 0)
    until_now(lambda: number_of(url, episodes) > 4)


def ends_like(whole: dict[str, object], mogi: Mogi, url: str, model: ChatServer, died: int) -> None:
    """The figures are those of one process; what was committed was called once."""
    assert 0 == number_of(url, replaced)
    with Store.read(url) as store:
        run = store.resolve("latest")
    found = mogi("run", "--resume", run, "--store", url, "--json").json
    same = {k: v for k, v in whole.items() if k not in _VARIES}
    assert same == {k: v for k, v in found.items() if k not in _VARIES}
    assert number_of(url, calls) >= 120
    assert 120 <= model.count <= 120 + 2 * _AT_ONCE * died


@pytest.fixture
def whole(mogi: Mogi, acme: Path, model: ChatServer, mark: str) -> dict[str, object]:
    """What one process makes of it, which has to come out whoever dies."""
    assert mark
    figures: dict[str, object] = mogi(*_LONG, "--store", "sqlite:///whole.db", "--json").json
    assert 120 == model.count
    model.count = 0
    model.latency_s = 0.1
    return figures


@pytest.mark.slow
def test_the_figures_are_those_of_one_process_and_nothing_is_left(
    whole: dict[str, object], mogi: Mogi, model: ChatServer, url: str, mark: str, tmp_path: Path
) -> None:
    before = left_behind()
    model.latency_s = 0
    done = played(tmp_path, url, *_LONG, "--workers", "2", "--json")
    assert (0, []) == (done.returncode, without_note(done.stderr))
    found = json.loads(done.stdout)
    same = {k: v for k, v in whole.items() if k not in _VARIES}
    assert same == {k: v for k, v in found.items() if k not in _VARIES}
    assert 120 == model.count
    assert {f"Bearer {_CANARY}"} == {each.headers["Authorization"] for each in model.requests}
    assert {} == processes(mark)
    assert before >= left_behind()
    ends_like(whole, mogi, url, model, died=0)


@pytest.mark.slow
def test_the_part_of_a_worker_that_is_killed_is_played_by_another(
    whole: dict[str, object], mogi: Mogi, model: ChatServer, url: str, mark: str, tmp_path: Path
) -> None:
    with driver(tmp_path, url, *_LONG, "--workers", "2") as run:
        has_begun(url, model)
        killed = workers(mark)
        for number in killed:
            os.kill(number, signal.SIGKILL)
        _, err = run.communicate(timeout=PATIENCE_S)
    assert (0, 2) == (run.returncode, len(killed)), err
    ends_like(whole, mogi, url, model, died=2)


@pytest.mark.slow
def test_a_driver_that_is_killed_takes_its_workers_along_and_no_key_and_a_resume_goes_on(
    whole: dict[str, object], mogi: Mogi, model: ChatServer, url: str, mark: str, tmp_path: Path
) -> None:
    before = left_behind()
    with driver(tmp_path, url, *_LONG, "--workers", "2") as run:
        has_begun(url, model)
        model.latency_s = 1  # its workers live on for a second or two
        assert not any(_CANARY in line for line in processes(mark).values())
        run.kill()
        run.wait()
    until_now(lambda: not workers(mark))  # agents of Ray that play nothing stay a minute
    [kept] = left_behind() - before
    files = [path for path in (*kept.rglob("*"), *tmp_path.rglob("*")) if path.is_file()]
    assert [] == [str(path) for path in files if _CANARY.encode() in path.read_bytes()]
    assert 0o700 == kept.stat().st_mode & 0o777
    shutil.rmtree(kept, ignore_errors=True)
    model.latency_s = 0
    assert number_of(url, episodes) < 40
    with Store.read(url) as store:
        last = store.resolve("latest")
    again = played(tmp_path, url, "run", "--resume", last, "--workers", "2", "--quiet")
    assert 0 == again.returncode, again.stderr
    ends_like(whole, mogi, url, model, died=2)


@pytest.mark.slow
def test_ctrl_c_lets_calls_in_flight_end(
    whole: dict[str, object], mogi: Mogi, model: ChatServer, mark: str, tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path / 'shared.db'}"
    with driver(tmp_path, url, *_LONG, "--workers", "2") as run:
        has_begun(url, model)
        run.send_signal(signal.SIGINT)
        _, err = run.communicate(timeout=PATIENCE_S)
    assert 130 == run.returncode, err
    assert "to resume:  mogi run --resume" in err
    assert "Traceback" not in err
    assert model.count == number_of(url, calls) - _of_the_bot(url)
    ends_like(whole, mogi, url, model, died=0)


def _of_the_bot(url: str) -> int:
    query = select(func.count()).select_from(calls).where(calls.c.role == "target")
    with Store.read(url) as store, store.reading() as connection:
        return int(connection.execute(query).scalar_one())


@pytest.fixture
def cluster(mark: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[subprocess.Popen[str]]:
    """Two nodes on this machine, which ask for a token; killed at the end with all they started."""
    monkeypatch.setenv("RAY_AUTH_MODE", "token")
    monkeypatch.setenv("RAY_AUTH_TOKEN", uuid4().hex)
    command = [sys.executable, "-m", "tests.e2e.ray_nodes"]
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, cwd=ROOT, text=True, **streams)  # type: ignore[call-overload]
    try:
        yield process
    finally:
        process.communicate(timeout=PATIENCE_S)
        for number in processes(mark):
            os.kill(number, signal.SIGKILL)


@pytest.mark.slow
def test_what_was_played_on_a_node_that_is_lost_is_played_on_another(
    whole: dict[str, object],
    mogi: Mogi,
    model: ChatServer,
    cluster: subprocess.Popen[str],
    postgresql: str,
    tmp_path: Path,
) -> None:
    url = postgresql
    assert cluster.stdout
    assert cluster.stdin
    address = cluster.stdout.readline().strip()
    with driver(tmp_path, url, *_LONG, "--address", address, "--workers", "2") as run:
        has_begun(url, model)
        cluster.stdin.write("\n")
        cluster.stdin.flush()
        assert "killed" == cluster.stdout.readline().strip()
        _, err = run.communicate(timeout=PATIENCE_S)
    assert 0 == run.returncode, err
    ends_like(whole, mogi, url, model, died=1)


@pytest.mark.slow
def test_a_cluster_lets_nobody_in_without_its_token(
    mogi: Mogi, cluster: subprocess.Popen[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert cluster.stdout
    address = cluster.stdout.readline().strip()
    monkeypatch.setenv("RAY_AUTH_TOKEN", uuid4().hex)
    url = f"sqlite:///{tmp_path / 'shared.db'}"
    refused = played(tmp_path, url, "run", "demo-en", "--address", address)
    assert 2 == refused.returncode, refused.stderr
    assert "can't use the Ray cluster" in refused.stderr


@pytest.mark.slow
def test_what_is_wrong_on_a_worker_is_told(
    mogi: Mogi, acme: Path, model: ChatServer, mark: str, tmp_path: Path
) -> None:
    url = f"sqlite:///{tmp_path / 'shared.db'}"
    (acme / "bot.py").write_text("answer = 1\n", "utf-8")
    done = played(tmp_path, url, "run", "acme", "--workers", "1", "--quiet")
    assert (2, True) == (done.returncode, "bot:answer" in done.stderr), done.stderr
    assert {} == processes(mark)


def test_one_process_imports_no_ray(tmp_path: Path) -> None:
    watch = "\nassert 'ray' not in sys.modules\n"
    start = OFFLINE.replace("main()", "run(['run', 'demo-en', '--limit', '1', '--quiet'])")
    start = start.replace("import main", "import run") + watch
    done = subprocess.run(
        [sys.executable, "-c", start],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (0, []) == (done.returncode, without_note(done.stderr))


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (("--workers", "2"), "--address and --workers require --engine ray"),
        (("--engine", "ray", "--shard", "1/2", "--run-key", "1"), "splits the run by itself"),
        (("--engine", "ray", "--address", "ray://head:10001"), "run mogi on a node"),
        (("--engine", "ray", "--log", "calls.jsonl"), "only calls of this process"),
        (
            ("--engine", "ray", "--store", "postgresql://me:word@127.0.0.1:1/x"),
            "the store's URL contains a",
        ),
    ],
)
def test_what_cannot_be_is_told(mogi: Mogi, said: tuple[str, ...], told: str) -> None:
    done = mogi("run", "demo-en", *said)
    assert (2, True) == (done.status, told in done.err), done.err


def test_a_missing_extra_is_told(mogi: Mogi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    for name in ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_USAGE_STATS_ENABLED"):
        monkeypatch.setenv(name, "")
    done = mogi("run", "demo-en", "--engine", "ray")
    assert (2, True) == (done.status, "pip install 'mogi[ray]'" in done.err)


def test_a_file_is_written_from_one_machine_only() -> None:
    here = {"NodeManagerHostname": os.uname().nodename, "NodeManagerAddress": "a", "Alive": True}
    ray_engine._expect_one_machine([here, here, {**here, "Alive": False}])
    for other in ({"NodeManagerHostname": "far"}, {"NodeManagerAddress": "b"}):
        with pytest.raises(InputError, match="the cluster has 2 machines"):
            ray_engine._expect_one_machine([here, {**here, **other}])


def test_parts_are_finer_than_workers() -> None:
    parts = [ray_engine._parts(left, 4) for left in (40, 9_000)]
    assert [4, 16, 1000] == [*parts, ray_engine._parts(10**6, 4_000)]


class _Dying:
    """A Ray whose workers die, each in its turn."""

    class exceptions:  # noqa: N801  as Ray's own
        class RayError(Exception): ...

        class RayTaskError(RayError): ...

        class TaskCancelledError(RayError): ...

    def remote(self, **said: object) -> object:
        return lambda task: SimpleNamespace(remote=lambda order: object())

    def get(self, ref: object) -> object:
        raise self.exceptions.RayError("the worker died unexpectedly\nand more")


def test_a_part_on_which_worker_after_worker_dies_is_given_up() -> None:
    halt = Halt()
    order = ray_engine._Order("", "", "", "r1", Shard(0, 2), untrusted=False, allowed=())
    crew = ray_engine._Crew(_Dying(), order, 1, deque([1, 2]), halt)
    handed_out = 0
    while crew._hand_out():
        for ref in list(crew._playing):
            handed_out += 1
            crew._take_back(ref, crew._playing.pop(ref))
    assert crew._why is not None
    assert "5 workers died on the same part; last error: the worker died une" in crew._why.message
    assert 9 == handed_out
