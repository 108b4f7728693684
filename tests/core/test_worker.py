"""What others wrote is worked out in a process that is killed where it takes too much."""

import asyncio
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from simulator.core import worker
from simulator.core.bounds import TooMuch
from simulator.core.talk import Document, Exchange, Reply, Talk
from simulator.core.worker import apart, confined
from simulator.execution.bugs import Bugs, guarded

pytestmark = pytest.mark.skipif(os.name != "posix", reason="counting alone bounds it there")


def process_id() -> int:
    return os.getpid()


def environment() -> dict[str, str]:
    return dict(os.environ)


def wrong(text: str) -> None:
    raise ValueError(text)


def spin() -> None:
    while True:
        pass


def slow(seconds: float) -> None:
    time.sleep(seconds)


def fill() -> int:
    return len([bytearray(1_000_000) for _ in range(100_000)])


def leave() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def echo(text: str) -> str:
    return text


def test_one_process_does_all_of_it_and_has_nothing_of_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MY_KEY", "canary-0123456789")
    first = confined(process_id)
    assert os.getpid() != first == confined(process_id)
    assert "canary-0123456789" not in confined(environment).values()


def test_large_orders_and_answers_arrive_whole() -> None:
    text = "質問\ud800" * 3_000_000
    assert text == confined(echo, text)


def test_what_is_wrong_is_told_and_what_ends_the_process_is_too_much() -> None:
    with pytest.raises(ValueError, match="so it is"):
        confined(wrong, "so it is")
    before = confined(process_id)
    with pytest.raises(TooMuch, match="takes more than 5 s or 1,000 MB to evaluate"):
        confined(leave)
    assert before != confined(process_id)


def test_a_process_with_a_thousand_connections_has_a_worker(tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
    worker._worker.end()
    descriptor = os.open(tmp_path, os.O_RDONLY)
    copies = [os.dup(descriptor) for _ in range(1100)]
    try:
        assert confined(process_id)
    finally:
        for each in (descriptor, *copies):
            os.close(each)
        worker._worker.end()
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_copy_of_this_process_has_a_worker_of_its_own() -> None:
    ours, (out, into) = confined(process_id), os.pipe()
    if (child := os.fork()) == 0:
        os.write(into, str(confined(process_id)).encode())
        os._exit(0)
    os.waitpid(child, 0)
    assert ours != int(os.read(out, 20))
    assert ours == confined(process_id)


def test_attack_a_module_beside_the_client_is_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "json.py").write_text("open('ran', 'w')\nraise SystemExit\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    worker._worker.end()
    assert confined(process_id)
    assert not (tmp_path / "ran").exists()


def size_of(talk: Talk) -> tuple[int, Talk]:
    return os.getpid(), talk


async def test_long_texts_are_looked_at_in_another_process_than_expressions() -> None:
    talk = Talk("e", (Exchange(1, "q", Reply("あ" * 20_001, (Document("text", "a"),))),))
    assert (os.getpid(), talk) == await apart(20_000, size_of, talk)
    process, back = await apart(20_001, size_of, talk=talk)
    assert talk == back
    assert os.getpid() != process != confined(process_id)


async def test_others_go_on_while_a_long_text_is_looked_at() -> None:
    looking = asyncio.create_task(apart(20_001, slow, 0.3))
    turns = 0
    while not looking.done():
        await asyncio.sleep(0.01)
        turns += 1
    assert turns > 10


async def test_attack_an_answer_takes_too_long_to_be_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(worker, "_PATIENCE", 0.05)
    bugs: Bugs = {}
    assert "kept" == await guarded("markup", apart(20_001, slow, 60.0), "kept", bugs)
    assert bugs["markup"].detail.startswith("the text takes more than 5 s or 1,000 MB")


@pytest.mark.slow
def test_attack_work_without_end_and_work_without_bounds_are_killed() -> None:
    for work, most_s in ((spin, 30), (fill, 30)):
        began = time.monotonic()
        with pytest.raises(TooMuch, match="takes more than"):
            confined(work)
        assert time.monotonic() - began < most_s


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL, signal.SIGINT])
def test_attack_work_does_not_outlive_who_asked(how: signal.Signals) -> None:
    code = (
        "from tests.core.test_worker import process_id, spin; "
        "from simulator.core.worker import confined; print(confined(process_id), flush=True); "
        "confined(spin)"
    )
    command, pipe = [sys.executable, "-c", code], subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=subprocess.DEVNULL, text=True) as asking:
        assert asking.stdout is not None
        working = int(asking.stdout.readline())
        time.sleep(0.5)
        began = time.monotonic()
        asking.send_signal(how)
        asking.wait(5)
        assert time.monotonic() - began < 2
    while Path(f"/proc/{working}").exists():
        assert time.monotonic() - began < 15  # it is killed at once, and not after all its time
        time.sleep(0.1)
