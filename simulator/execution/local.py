"""Many episodes at once on one event loop."""

import asyncio
from collections.abc import Iterator, Set
from dataclasses import dataclass

from simulator.build.cast import Cast
from simulator.core.errors import HaltReason, InputError, ModelError, RunStopped, StoreError
from simulator.core.halt import Halt
from simulator.core.plan import Cell
from simulator.core.ports import Observer
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


async def play_all(cast: Cast, work: Work, concurrency: int) -> None:
    """Play every cell that is not complete yet, `concurrency` at a time.

    Returns when all are played or the run is halted. An episode that infrastructure broke stays
    unfinished; a fault in mogi itself halts the run and is raised when the others have ended.
    """
    waiting = (
        (ordinal, cell)
        for ordinal, cell in enumerate(cast.plan.cells())
        if cell.key not in work.complete
    )
    left = cast.plan.conversations() - len(work.complete)
    wanted = range(min(concurrency, left))
    workers = [asyncio.create_task(_worker(waiting, cast, work)) for _ in wanted]
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


async def _worker(waiting: Iterator[tuple[int, Cell]], cast: Cast, work: Work) -> None:
    for ordinal, cell in waiting:
        if work.halt.reason is not None:
            return
        try:
            episode = await play(cell, cast, work.observer)
            await work.store.save_episode(work.run, ordinal, episode)
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
        work.observer.episode_ended(cell.key, episode.stop.reason)
