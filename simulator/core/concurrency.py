"""One switch per run, Ctrl-C that throws it, workers under it, waiting for what was paid for."""

import asyncio
import signal
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Coroutine,
    Iterable,
    Iterator,
    Sequence,
)
from concurrent.futures import Future
from contextlib import asynccontextmanager, suppress
from contextvars import copy_context
from threading import Thread
from typing import Any, ParamSpec, TypeVar, cast

from simulator.core.bounds import LARGE
from simulator.core.errors import HaltReason, InputError, ModelError, RunStopped, StoreError
from simulator.core.worker import HAS_CONFINED

T = TypeVar("T")
J = TypeVar("J")
P = ParamSpec("P")
_PATIENCE_S = 30.0  # with calls in flight, after Ctrl-C


class Halt:
    """Thrown by an interrupt, a spent budget, a refused account. The first reason counts."""

    def __init__(self) -> None:
        self.reason: HaltReason | None = None
        self.message = ""
        self.trouble = ""  # why a conversation broke off while the run went on; the latest
        self.leaving = False
        self.doubts: list[set[str]] = []  # episodes in which a request was rejected, not yet alone
        self._waiting: set[asyncio.Timeout] = set()

    def throw(self, reason: HaltReason, message: str) -> RunStopped:
        """Stop the run; returns the error to raise where one is needed."""
        if self.reason is None:
            self.reason, self.message = reason, message
            for scope in self._waiting:
                scope.reschedule(0)  # now
        return RunStopped(self.reason, self.message)

    def check(self) -> None:
        """Raise RunStopped if the run was stopped. Called before every call that leaves mogi."""
        if self.reason is not None:
            raise RunStopped(self.reason, self.message)

    def in_doubt(self, episode: str) -> bool:
        """Whether a request of this episode was rejected, and perhaps all will be from now on."""
        return any(episode in doubted for doubted in self.doubts)

    async def unless_stopped(self, waiting: Coroutine[Any, Any, T]) -> T:
        """Wait for what costs nothing to give up, such as one's turn under a rate limit.

        Raises:
            RunStopped: the run was stopped, before or meanwhile.
        """
        if self.reason is not None:
            waiting.close()
        self.check()
        try:
            async with asyncio.timeout(None) as scope:
                self._waiting.add(scope)
                try:
                    return await waiting
                finally:
                    self._waiting.discard(scope)
        except TimeoutError:
            self.check()
            raise

    def leave(self, task: asyncio.Task[Any]) -> None:
        """Break off what is in flight as well: cancels the run's task, which still concludes.

        Whoever else cancels that task wants it to end; see `was_left`.
        """
        self.leaving = True
        task.cancel()

    def was_left(self, error: BaseException) -> bool:
        """Whether `error` ends the current task because of `leave`: then it may conclude."""
        task = asyncio.current_task()
        if task is None or not self.leaving or not isinstance(error, asyncio.CancelledError):
            return False
        task.uncancel()
        return True


async def beside(size: int, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """What `work` makes of something `size` bytes long; in a thread where that may take long."""
    if size < LARGE and not HAS_CONFINED.is_set():
        return work(*args, **kwargs)
    return await asyncio.to_thread(work, *args, **kwargs)


async def aside(make: Callable[[], T]) -> T:
    """What it makes in a thread for which nobody waits at the end: Press Ctrl-C to stop."""
    making: Future[T] = Future()
    making.set_running_or_notify_cancel()  # nobody cancels it

    def work() -> None:
        try:
            making.set_result(make())
        except BaseException as error:  # noqa: BLE001 - whoever waits raises it
            making.set_exception(error)

    Thread(target=copy_context().run, args=(work,), daemon=True).start()
    return await asyncio.wrap_future(making)


async def all_done(calls: Sequence[Coroutine[Any, Any, T]]) -> list[T]:
    """The results of calls made at once; an error is raised when all of them have ended.

    What is in flight is paid for: it is let finish, so that the journal has it on a resume.
    """
    if len(calls) == 1:  # most often; a task of its own would cost more than it does
        return [await calls[0]]
    results = await asyncio.gather(*calls, return_exceptions=True)
    _raise_first(results)
    return cast("list[T]", results)


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
        except ModelError as error:  # of the endpoint: it stays unfinished, a resume tries it again
            halt.trouble = str(error)
        except StoreError as error:
            halt.throw(HaltReason.STORE, str(error))
        except InputError as error:  # a plugin's complaint that only this job could bring up
            halt.throw(HaltReason.INTERNAL, str(error))
        except Exception:
            halt.throw(HaltReason.INTERNAL, "a bug in mogi; please report it")
            raise


def _raise_first(results: Iterable[object]) -> None:
    for result in results:
        if isinstance(result, BaseException):
            raise result


@asynccontextmanager
async def interruptible(halt: Halt, tell: Callable[[str], None]) -> AsyncIterator[None]:
    """Within the block, SIGINT and SIGTERM throw the halt instead of breaking anything off.

    The first signal lets calls in flight end, for at most 30 s; a second one cancels them.
    Outside the main thread (or on Windows, where loops take no handlers) nothing is changed.
    """
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()
    deadline: list[asyncio.TimerHandle] = []

    def on_signal() -> None:
        halt.throw(HaltReason.INTERRUPTED, "interrupted; everything so far is saved")
        if task is None:
            return
        if deadline:
            halt.leave(task)
            return
        tell("interrupted: waiting for calls in progress (press Ctrl-C again to quit now)")
        deadline.append(loop.call_later(_PATIENCE_S, halt.leave, task))

    signals = (signal.SIGINT, signal.SIGTERM)
    taken = []
    for number in signals:
        with suppress(NotImplementedError, RuntimeError, ValueError):
            loop.add_signal_handler(number, on_signal)
            taken.append(number)
    try:
        yield
    finally:
        for timer in deadline:
            timer.cancel()
        for number in taken:
            loop.remove_signal_handler(number)
