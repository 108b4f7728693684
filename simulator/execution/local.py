"""Many episodes at once on one event loop."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Set
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from simulator.build.cast import Cast
from simulator.core.errors import HaltReason, InputError, ModelError, RunStopped, StoreError
from simulator.core.halt import Halt
from simulator.core.ports import Observer
from simulator.core.run import Episode
from simulator.execution.episode import play
from simulator.store.store import Store


@dataclass(frozen=True, slots=True)
class Work:
    """What a run still has to do, and where its episodes are saved.

    `complete` holds the keys of episodes that an earlier start of this run finished.
    """

    run: str
    store: Store
    halt: Halt
    observer: Observer
    complete: Set[str]


class Job(NamedTuple):
    """One episode: its place in the plan, from 0, its key, and what makes it."""

    ordinal: int
    key: str
    make: Callable[[], Awaitable[Episode]]


async def play_all(cast: Cast, work: Work, concurrency: int) -> None:
    """Play every cell that is not complete yet, `concurrency` at a time; as `carry_out` does."""
    jobs = (
        Job(ordinal, cell.key, partial(play, cell, cast, work.observer))
        for ordinal, cell in enumerate(cast.plan.cells())
    )
    left = cast.plan.conversations() - len(work.complete)
    await carry_out(jobs, work, min(concurrency, left))


async def carry_out(jobs: Iterable[Job], work: Work, concurrency: int) -> None:
    """Do every job that is not complete yet, `concurrency` at a time; they are taken one by one.

    Returns when all are done or the run is halted. An episode that infrastructure broke stays
    unfinished; a fault in mogi itself halts the run and is raised when the others have ended.
    """
    waiting = (job for job in jobs if job.key not in work.complete)
    workers = [asyncio.create_task(_worker(waiting, work)) for _ in range(concurrency)]
    try:
        results = await asyncio.gather(*workers, return_exceptions=True)
    except asyncio.CancelledError:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
        raise
    for result in results:
        if isinstance(result, BaseException):
            raise result


async def _worker(waiting: Iterator[Job], work: Work) -> None:
    for job in waiting:
        if work.halt.reason is not None:
            return
        try:
            episode = await job.make()
            await work.store.save_episode(work.run, job.ordinal, episode)
        except RunStopped:
            return
        except ModelError as error:  # UNAVAILABLE: it stays unfinished, a resume tries it again
            work.halt.trouble = str(error)
            continue
        except StoreError as error:
            work.halt.throw(HaltReason.STORE, str(error))
            return
        except InputError as error:  # a plugin's complaint that only this cell could bring up
            work.halt.throw(HaltReason.INTERNAL, str(error))
            return
        except Exception:
            work.halt.throw(HaltReason.INTERNAL, "a fault in mogi itself; please report it")
            raise
        work.observer.episode_ended(job.key, episode.stop.reason)
