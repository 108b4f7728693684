"""Ctrl-C and SIGKILL in a real process: nothing acknowledged is lost, nothing is paid twice."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.e2e.conftest import SAYS, Mogi, is_judge
from tests.loopback.server import ChatServer
from tests.waiting import PATIENCE_S, until_now

ROOT = Path(__file__).parents[2]
_COMMAND = [sys.executable, "-c", "from simulator.cli.app import main; main()"]


@contextmanager
def started(cwd: Path, *args: str) -> Iterator[subprocess.Popen[str]]:
    """`mogi ARGS` in a process of its own; killed at the end if it is still there."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OPENAI_API_KEY": "sk-x"}
    process = subprocess.Popen(
        [*_COMMAND, *args], cwd=cwd, env=environment, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def wait_until_called(server: ChatServer, more_than: int) -> None:
    """Return when the server has been asked that often; the test fails if it never is."""
    until_now(lambda: server.count > more_than)


def interrupt(process: subprocess.Popen[str]) -> None:
    """Press Ctrl-C and wait until the process has said that it heard."""
    process.send_signal(signal.SIGINT)
    assert process.stderr
    assert any("again to quit now" in line for line in process.stderr)


@pytest.mark.slow
def test_ctrl_c_ends_what_is_in_flight_saves_it_and_says_how_to_go_on(
    mogi: Mogi, acme: Path, model: ChatServer, tmp_path: Path
) -> None:
    model.latency_s = 0.3
    with started(tmp_path, "run", "acme", "--repeat", "5", "--concurrency", "4") as run:
        wait_until_called(model, 4)
        run.send_signal(signal.SIGINT)
        out, err = run.communicate(timeout=PATIENCE_S)
    assert 130 == run.returncode, err
    assert "mogi run --resume" in err
    assert "Traceback" not in out + err
    paid = model.count
    model.latency_s = 0
    found = mogi("run", "--resume", "latest", "--json").json
    assert (20, 0, 60) == (found["conversations"], found["unfinished"], model.count)
    assert paid < 60


@pytest.mark.slow
def test_ctrl_c_twice_leaves_at_once_and_loses_nothing(
    mogi: Mogi, acme: Path, model: ChatServer, tmp_path: Path
) -> None:
    with started(tmp_path, "run", "acme", "--repeat", "5", "--concurrency", "2") as run:
        wait_until_called(model, 6)
        model.latency_s = 10 * PATIENCE_S
        wait_until_called(model, model.count)
        interrupt(run)
        run.send_signal(signal.SIGINT)
        _, err = run.communicate(timeout=PATIENCE_S)
    assert 130 == run.returncode, err
    assert "Traceback" not in err
    model.latency_s = 0
    found = mogi("run", "--resume", "latest", "--json").json
    assert (20, 0) == (found["conversations"], found["unfinished"])


def _plays_the_angry_badly_once(model: ChatServer) -> None:
    kind = model.answer

    def answer(body: dict[str, object]) -> object:
        text = json.dumps(body["messages"], ensure_ascii=False)
        badly = not is_judge(body) and "怒っている人" in text and "二度目" not in text
        return {**SAYS, "message": "思考：まだ足りない。"} if badly else kind(body)

    model.answer = answer  # type: ignore[assignment]


@pytest.mark.slow
def test_kills_at_random_moments_lose_and_repeat_nothing(
    mogi: Mogi, acme: Path, model: ChatServer, tmp_path: Path
) -> None:
    """The final figures equal those of a run that nobody killed; a call is only made again if it
    was in flight when the process died. Half of the conversations are held twice."""
    _plays_the_angry_badly_once(model)
    whole = mogi("run", "acme", "--repeat", "10", "--json").json
    model.latency_s = 0.02
    model.count = 0
    moments = random.Random(42)
    kills, args = 0, ["run", "acme", "--repeat", "10", "--concurrency", "4"]
    for _ in range(60):
        with started(tmp_path, *args) as run:
            before = model.count
            wait_until_called(model, before + moments.randrange(4))
            time.sleep(moments.random() * 0.2)
            if run.poll() is not None:
                break
            run.kill()
            run.wait()
            kills += 1
        args = ["run", "--resume", "latest", "--concurrency", "4"]
        if mogi("runs").out.count("\n") < 3:  # killed before the run was begun
            args = ["run", "acme", "--repeat", "10", "--concurrency", "4"]
        if kills == 8:
            break
    assert kills >= 5
    model.latency_s = 0
    found = mogi("run", "--resume", "latest", "--json").json
    for name in ("score", "score_low", "score_high", "turns", "flagged", "stops", "calls"):
        assert whole[name] == found[name], name
    assert 20 == whole["simulator"]["rerun"] == found["simulator"]["rerun"]
    # 4 conversations at once have at most 8 calls in flight when they are killed.
    assert model.count <= 160 + 8 * kills


@pytest.mark.slow
def test_kills_while_reports_are_written_leave_whole_reports_and_the_same_figures(
    mogi: Mogi, tmp_path: Path
) -> None:
    mogi("run", "demo", "--repeat", "4", "--quiet")
    asked = ["report", "latest", "--report", "json=r.json", "--report", "junit=r.xml"]
    assert 0 == mogi(*asked).status
    before = [(tmp_path / name).read_bytes() for name in ("r.json", "r.xml")]
    moments = random.Random(7)
    killed = 0
    for _ in range(8):
        with started(tmp_path, *asked) as report:
            time.sleep(0.3 + moments.random() * 0.7)
            killed += report.poll() is None
            report.kill()
            report.wait()
        assert before == [(tmp_path / name).read_bytes() for name in ("r.json", "r.xml")]
    assert killed > 0
    assert 0 == mogi(*asked).status
    assert before == [(tmp_path / name).read_bytes() for name in ("r.json", "r.xml")]
