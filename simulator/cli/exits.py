"""Errors become a sentence on stderr and an exit status (DESIGN.md, "Exit status")."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import click

from simulator.core.errors import InputError, MogiError, StoreError

WRONG_INPUT = 2
INCOMPLETE = 3
INTERRUPTED = 130


def status_of(error: BaseException) -> int:
    """Print what the person needs to know of an error; the exit status that goes with it."""
    for kind, handle in _HANDLERS:
        if isinstance(error, kind):
            return handle(error)
    name = type(error).__name__
    say(f"mogi: a fault in mogi itself ({name}: {error}); --debug shows where")
    return INCOMPLETE


def say(text: str) -> None:
    """Print a line on stderr; where nobody listens, the work goes on all the same."""
    with suppress(OSError):
        click.echo(text, err=True)


@contextmanager
def reader_may_leave() -> Iterator[None]:
    """Within the block it is no error that nobody reads on: `mogi export latest | head`."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        _hush()


def complain(error: InputError) -> int:
    """Print what is wrong, a complaint a line."""
    for complaint in error.complaints:
        say(str(complaint))
    return WRONG_INPUT


def _hush() -> None:
    # Nothing more can be said there, and Python must not try to when it ends.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _usage(error: click.ClickException) -> int:
    with suppress(OSError):
        error.show(sys.stderr)
    return WRONG_INPUT


def _interrupted(_: BaseException) -> int:
    say("interrupted")
    return INTERRUPTED


def _ours(error: MogiError) -> int:
    say(f"mogi: {error}")
    return WRONG_INPUT if isinstance(error, StoreError) else INCOMPLETE


def _system(error: OSError) -> int:
    where = f"{error.filename}: " if error.filename else ""
    say(f"mogi: {where}{error.strerror or error}; --debug shows where")
    return INCOMPLETE


# The first that fits; a command that ran and then could not go on speaks for itself.
_HANDLERS: tuple[tuple[type[BaseException], Callable[[Any], int]], ...] = (
    (click.exceptions.Exit, lambda error: int(error.exit_code)),
    (click.exceptions.Abort, _interrupted),
    (click.ClickException, _usage),
    (KeyboardInterrupt, _interrupted),
    (InputError, complain),
    (MogiError, _ours),
    (OSError, _system),
    (SystemExit, lambda error: error.code if isinstance(error.code, int) else 1),
)
