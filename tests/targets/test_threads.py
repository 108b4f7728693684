"""Threads and loops for other people's code: they end, or are left behind without harm."""

import asyncio
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path

import pytest

from simulator.core.errors import TargetError, TargetFault
from simulator.targets import _threads
from simulator.targets._threads import BotLoop, Stalled, in_thread
from tests.waiting import PATIENCE_S, settle, until

ROOT = Path(__file__).parents[2]


def _hold(held: threading.Event, released: threading.Event) -> bool:
    """Hold the thread that this is called on."""
    held.set()
    return released.wait(PATIENCE_S)


_EXIT = """
import asyncio, threading
from simulator.targets._threads import BotLoop, in_thread

def hang(): threading.Event().wait()

async def hang_in_a_thread(): await asyncio.to_thread(hang)

async def main():
    loop = BotLoop()
    for waiting in (in_thread(hang), loop.run(hang_in_a_thread), loop.run(hang)):
        try:
            await asyncio.wait_for(waiting, 0.05)
        except TimeoutError:
            print("left")

asyncio.run(main())
"""


def test_the_process_ends_although_its_bots_hang() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", _EXIT],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert (0, "left\n" * 3, "") == (done.returncode, done.stdout, done.stderr)


async def test_a_thread_that_ends_after_its_loop_was_closed_does_no_harm() -> None:
    started, go, ended = threading.Event(), threading.Event(), threading.Event()

    def work() -> None:
        started.set()
        go.wait(PATIENCE_S)
        ended.set()

    async def abandon() -> None:
        waiting = asyncio.create_task(in_thread(work))
        await asyncio.to_thread(started.wait, PATIENCE_S)
        waiting.cancel()

    await asyncio.to_thread(asyncio.run, abandon())
    go.set()
    assert await asyncio.to_thread(ended.wait, PATIENCE_S)


async def test_a_loop_ends_with_all_that_it_runs_when_nobody_needs_it() -> None:
    cancelled = threading.Event()
    threads: list[threading.Thread] = []
    kept: set[asyncio.Task[None]] = set()

    async def background() -> None:
        try:
            await asyncio.sleep(30)
        finally:
            cancelled.set()

    async def work() -> str:
        threads.append(threading.current_thread())
        kept.add(asyncio.create_task(background()))
        await asyncio.sleep(0)
        return "done"

    assert "done" == await BotLoop().run(work)
    await asyncio.to_thread(threads[0].join, PATIENCE_S)
    assert (False, True) == (threads[0].is_alive(), cancelled.is_set())


async def test_the_call_that_blocks_is_told_apart_from_those_that_are_blocked() -> None:
    started, held, released = threading.Event(), threading.Event(), threading.Event()
    loop = BotLoop()

    async def patient() -> None:
        started.set()
        await asyncio.Event().wait()

    first = asyncio.create_task(loop.run(patient))
    await until(started.is_set)
    blocker = asyncio.create_task(loop.run(partial(_hold, held, released)))
    await until(held.is_set)
    last = asyncio.create_task(loop.run(patient))
    await settle()
    blocker.cancel()
    results = await asyncio.gather(first, blocker, last, return_exceptions=True)
    released.set()
    assert [Stalled, asyncio.CancelledError, Stalled] == [type(r) for r in results]
    assert loop.dead


async def test_a_blocker_may_still_answer_within_its_own_time() -> None:
    held, released = threading.Event(), threading.Event()
    loop = BotLoop()
    blocker = asyncio.create_task(loop.run(partial(_hold, held, released)))
    await until(held.is_set)
    impatient = asyncio.create_task(loop.run(lambda: "late"))
    await settle()
    impatient.cancel()
    with pytest.raises(Stalled):
        await impatient
    released.set()
    assert (True, True) == (await blocker, loop.dead)


async def test_a_call_that_is_given_up_on_a_healthy_loop_is_cancelled_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_threads, "_GRACE", PATIENCE_S)
    started, cancelled = threading.Event(), threading.Event()

    async def work() -> None:
        started.set()
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    loop = BotLoop()
    waiting = asyncio.create_task(loop.run(work))
    await until(started.is_set)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert (True, False) == (await asyncio.to_thread(cancelled.wait, PATIENCE_S), loop.dead)


async def test_sys_exit_in_a_bots_own_thread_is_its_exit() -> None:
    async def work() -> None:
        await asyncio.to_thread(sys.exit, 4)

    with pytest.raises(TargetError) as caught:
        await BotLoop().run(work)
    assert TargetFault.EXITED == caught.value.fault
