"""One switch per run: once it is thrown, no new call starts and what is in flight ends."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from simulator.core.errors import HaltReason, RunStopped

T = TypeVar("T")


class Halt:
    """Thrown by an interrupt, a spent budget, a refused account. The first reason counts."""

    def __init__(self) -> None:
        self.reason: HaltReason | None = None
        self.message = ""
        self.trouble = ""  # why a conversation broke off while the run went on; the latest
        self.leaving = False
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
