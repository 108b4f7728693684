"""Processes that write to a store, to be killed, refused or starved by the tests."""

import asyncio
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import IO, Self

from simulator.core.errors import StoreError
from simulator.store.store import Store
from tests.store.samples import record

ROOT = Path(__file__).parent.parent.parent


class Child:
    """One of the functions below in a process of its own; killed at the end of its block."""

    def __init__(self, *command: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.store.children", *command],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        self._said = self._process.stdout
        self.pid = self._process.pid

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        self._said.close()

    def line(self) -> str:
        """The next line that it says; empty when it has ended."""
        return self._said.readline().rstrip("\n")

    def rest(self) -> list[str]:
        """All that it still says until it ends."""
        said = self._said.read().splitlines()
        assert 0 == self._process.wait()
        return said

    def kill(self) -> None:
        """SIGKILL."""
        self._process.kill()
        self._process.wait()


def hold(url: str, run: str) -> None:
    """Hold a run until killed."""
    with Store.create(url) as store, store.lock(run):
        _say("held")
        time.sleep(600)


def contend(url: str, token: str) -> None:
    """Hold a run for two seconds, at least once; fails when somebody else holds it, too."""
    held, until = 0, time.monotonic() + 2
    with Store.create(url) as store:
        while time.monotonic() < until or not held:
            try:
                with store.lock("r1"):
                    os.close(os.open(token, os.O_CREAT | os.O_EXCL))
                    os.unlink(token)
                    held += 1
            except StoreError:
                time.sleep(0.0005)
    _say(str(held))


def borrow(url: str, most: str) -> None:
    """Pay five calls of the first of three parts; keep what was borrowed besides."""
    from tests.store.test_leases import LOCKS, Limits, Part

    with Store.create(url) as store, store.lock(LOCKS[0]):
        part = Part(store, 1, Limits(calls=int(most)))

        async def work() -> None:
            for _ in range(5):
                await part.pay()

        asyncio.run(work())
        _say("5 paid")
        time.sleep(600)


def write(url: str, run: str, count: str, acknowledged: str) -> None:
    """Write `count` records for each of 20 workers; note in a file what was acknowledged."""

    async def worker(store: Store, name: str, notes: IO[str]) -> None:
        journal = store.journal(run, resume=False)
        for turn in range(1, int(count) + 1):
            await journal.record(record(name, turn))
            notes.write(f"{name} {turn}\n")

    async def work(store: Store, notes: IO[str]) -> None:
        names = [f"{os.getpid()}-{number}" for number in range(20)]
        await asyncio.gather(*(worker(store, name, notes) for name in names))

    with Store.create(url) as store, open(acknowledged, "a", buffering=1) as notes:
        _say("begun")
        asyncio.run(work(store, notes))


def starve(url: str, limit: str) -> None:
    """Write to a disk that has room for `limit` bytes a file; say what was acknowledged."""

    async def work(store: Store) -> None:
        journal = store.journal("r1", resume=False)
        for turn in range(1, 10_000):
            await journal.record(record("e", turn, response="x" * 1000))
            _say(str(turn))

    with Store.create(url) as store:
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), int(limit)))
        try:
            asyncio.run(work(store))
        except StoreError as error:
            _say(str(error))


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    globals()[sys.argv[1]](*sys.argv[2:])
