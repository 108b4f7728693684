"""A run on the command line: progress while it goes on, and what is said when it breaks off."""

import asyncio
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import TYPE_CHECKING

from simulator.cli import exits
from simulator.core.halt import Halt

if TYPE_CHECKING:
    from simulator.core.ports import Observer
    from simulator.core.run import Run, RunHeader
    from simulator.execution.request import Request


def carried_out(request: "Request", *, quiet: bool) -> "Run":
    """The run that a request asks for, carried out.

    Raises:
        InputError, StoreError, RunStopped: as `run_session`.
    """
    with redirect_stdout(sys.stderr):  # a bot that prints must not spoil --json
        return asyncio.run(_run(request, quiet=quiet))


async def _run(request: "Request", *, quiet: bool) -> "Run":
    from simulator.execution.interrupts import interruptible
    from simulator.execution.session import run_session
    from simulator.screens.progress import progress

    halt = Halt()
    begun: list[RunHeader] = []

    @contextmanager
    def watch(header: "RunHeader", complete: int) -> "Iterator[Observer]":
        begun.append(header)
        with progress(header, complete, quiet=quiet) as observer:
            yield observer

    async with interruptible(halt, exits.say):
        try:
            run = await run_session(request, watch, halt)
        except Exception:
            if halt.reason is not None:
                exits.say(f"what was done is saved; go on with:  {begun[-1].resume}")
            raise
    if halt.trouble:
        exits.say(f"mogi: some conversations broke off, lastly: {halt.trouble}")
    if halt.reason is not None:
        exits.say(f"mogi: {halt.message}")
    return run
