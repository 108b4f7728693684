"""One switch per run: once it is thrown, no new call starts and what is in flight ends."""

from simulator.core.errors import HaltReason, RunStopped


class Halt:
    """Thrown by an interrupt, a spent budget, a refused account. The first reason counts."""

    def __init__(self) -> None:
        self.reason: HaltReason | None = None
        self.message = ""
        self.trouble = ""  # why a conversation broke off while the run went on; the latest

    def throw(self, reason: HaltReason, message: str) -> RunStopped:
        """Stop the run; returns the error to raise where one is needed."""
        if self.reason is None:
            self.reason, self.message = reason, message
        return RunStopped(self.reason, self.message)

    def check(self) -> None:
        """Raise RunStopped if the run was stopped. Called before every call that leaves mogi."""
        if self.reason is not None:
            raise RunStopped(self.reason, self.message)
