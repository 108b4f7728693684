"""One switch per run: once it is thrown, no new call starts and what is in flight ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from simulator.core.errors import HaltReason, RunStopped

if TYPE_CHECKING:
    import asyncio


class Halt:
    """Thrown by an interrupt, a spent budget, a refused account. The first reason counts."""

    def __init__(self) -> None:
        self.reason: HaltReason | None = None
        self.message = ""
        self.trouble = ""  # why a conversation broke off while the run went on; the latest
        self.leaving = False

    def throw(self, reason: HaltReason, message: str) -> RunStopped:
        """Stop the run; returns the error to raise where one is needed."""
        if self.reason is None:
            self.reason, self.message = reason, message
        return RunStopped(self.reason, self.message)

    def check(self) -> None:
        """Raise RunStopped if the run was stopped. Called before every call that leaves mogi."""
        if self.reason is not None:
            raise RunStopped(self.reason, self.message)

    def leave(self, task: asyncio.Task[Any]) -> None:
        """Break off what is in flight as well: cancels the run's task, which still concludes.

        Whoever else cancels that task wants it to end; see `leaving`.
        """
        self.leaving = True
        task.cancel()
