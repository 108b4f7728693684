"""Many things at once: a pool of workers, and waiting for all calls that were paid for."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Iterator, Sequence
from typing import Any, TypeVar

from simulator.core.errors import HaltReason, InputError, ModelError, RunStopped, StoreError
from simulator.core.halt import Halt

T = TypeVar("T")
J = TypeVar("J")


async def all_done(calls: Sequence[Coroutine[Any, Any, T]]) -> list[T]:
    """The results of calls made at once; an error is raised when all of them have ended.

    What is in flight is paid for: it is let finish, so that the journal has it on a resume.
    """
    if len(calls) == 1:  # most often; a task of its own would cost more than it does
        return [await calls[0]]
    results = await asyncio.gather(*calls, return_exceptions=True)
    found: list[T] = []
    for result in results:
        if isinstance(result, BaseException):
            raise result
        found.append(result)
    return found


async def work_off(
    jobs: Iterable[J], work: Callable[[J], Awaitable[None]], halt: Halt, at_once: int
) -> None:
    """Do every job, `at_once` at a time; they are taken one by one.

    Returns when all are done or the run is halted. A job that infrastructure broke (a ModelError)
    is left, and the halt told of the trouble; a fault in mogi itself halts the run and is raised
    when the others have ended.
    """
    waiting = iter(jobs)
    workers = [asyncio.create_task(_worker(waiting, work, halt)) for _ in range(at_once)]
    try:
        results = await asyncio.gather(*workers, return_exceptions=True)
    except asyncio.CancelledError:
        for worker in workers:
            worker.cancel()
        await asyncio.gather(*workers, return_exceptions=True)
        raise
    _raise_first(results)


async def _worker(waiting: Iterator[J], work: Callable[[J], Awaitable[None]], halt: Halt) -> None:
    for job in waiting:
        if halt.reason is not None:
            return
        try:
            await work(job)
        except RunStopped:
            return
        except ModelError as error:  # UNAVAILABLE: it stays unfinished, a resume tries it again
            halt.trouble = str(error)
        except StoreError as error:
            halt.throw(HaltReason.STORE, str(error))
        except InputError as error:  # a plugin's complaint that only this job could bring up
            halt.throw(HaltReason.INTERNAL, str(error))
        except Exception:
            halt.throw(HaltReason.INTERNAL, "a fault in mogi itself; please report it")
            raise


def _raise_first(results: Iterable[object]) -> None:
    for result in results:
        if isinstance(result, BaseException):
            raise result
