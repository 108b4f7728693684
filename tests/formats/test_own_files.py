"""A run writes what it names, from whatever thread."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from pathlib import Path

import pytest

from simulator.core.concurrency import aside
from simulator.core.errors import InputError, MogiError
from simulator.core.events import RunEnded
from simulator.core.traffic import Stream
from simulator.formats.own_files import make_private, text_file, writing_only
from simulator.store.store import Store
from simulator.targets._threads import BotLoop, in_thread
from tests.store.samples import header, record

ENDED = RunEnded("r", "finished", 1, 2, 0, 0, {"passed": 1}, 0.5, None, 1.0)


def write(path: Path) -> None:
    with text_file(str(path)) as file:
        file.write("x")


@pytest.mark.parametrize(
    ("name", "is_written"),
    [
        ("mogi.db", True),
        ("mogi.db.part", True),
        ("mogi.db.lock", True),
        ("mogi.db.0a1b2c3d~1.lock", True),
        ("mogi.db.0a1b2c3d~1.holder", True),
        ("mogi.db.ANYTHING", False),
        ("mogi.db.lock.py", False),
        ("mogi.db.d/x.lock", False),
        ("mogi.database", False),
    ],
)
def test_beside_a_store_lie_its_locks_alone(tmp_path: Path, name: str, *, is_written: bool) -> None:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    refused = pytest.raises(InputError, match="is not in the manifest")
    with writing_only([tmp_path / "mogi.db"]), nullcontext() if is_written else refused:
        make_private(path)
    assert is_written == path.exists()


class Subscriber:
    """Does its work with each event, or when the run is over."""

    def __init__(self, work: Callable[[], None], *, is_late: bool) -> None:
        self._work, self._is_late = work, is_late

    def __call__(self, event: object) -> None:
        if not self._is_late:
            self._work()

    def close(self) -> None:
        if self._is_late:
            self._work()


@pytest.mark.parametrize("is_late", [False, True])
def test_a_subscriber_of_before_the_run_writes_no_more_than_the_run(
    tmp_path: Path, *, is_late: bool
) -> None:
    path, stream = tmp_path / ".bashrc", Stream()
    stream.subscribe("mine", Subscriber(lambda: write(path), is_late=is_late))
    with writing_only([tmp_path / "mogi.db"]):
        stream.emit(ENDED)
    (trouble,) = stream.close()
    assert f"{path} is not in the manifest" in trouble
    assert not path.exists()


@pytest.mark.parametrize("start", [aside, in_thread])
async def test_a_thread_writes_no_more_than_who_started_it(
    tmp_path: Path, start: Callable[[Callable[[], None]], Awaitable[None]]
) -> None:
    path = tmp_path / ".bashrc"
    with writing_only([]), pytest.raises(MogiError, match="is not in the manifest"):
        await start(lambda: write(path))
    assert not path.exists()


async def test_the_executor_of_a_bot_writes_no_more_than_its_run(tmp_path: Path) -> None:
    path = tmp_path / ".bashrc"

    async def answer() -> None:
        await asyncio.get_running_loop().run_in_executor(None, write, path)

    with writing_only([]), pytest.raises(MogiError, match="is not in the manifest"):
        await BotLoop().run(answer)
    assert not path.exists()


async def test_the_thread_of_a_store_writes_it(tmp_path: Path) -> None:
    kept = tmp_path / "mogi.db"
    with writing_only([kept]), Store.create(f"sqlite:///{kept}") as store, store.lock("r1~1"):
        store.begin(header("r1"))
        await store.journal("r1", resume=False).record(record("a/b/1", 1))
    assert kept.is_file()
