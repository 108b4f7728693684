"""Errors become a sentence on stderr and an exit status (docs/en/ci.md)."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import click

from simulator.cli import locale
from simulator.console.output import tell
from simulator.core.errors import InputError, MogiError, StoreError

WRONG_INPUT = 2
INCOMPLETE = 3
INTERRUPTED = 130


def status_of(error: BaseException) -> int:
    """Print what the person needs to know of an error; the exit status that goes with it."""
    status = INCOMPLETE
    match error:
        case click.exceptions.Exit():
            status = int(error.exit_code)
        case click.exceptions.Abort() | KeyboardInterrupt():
            say("interrupted")
            status = INTERRUPTED
        case click.ClickException():
            is_usage = isinstance(error, click.UsageError)
            say(f"{'' if is_usage else 'Error: '}{error.format_message()}")
            status = WRONG_INPUT
        case InputError():
            status = complain(error)
        case MogiError():  # a command that ran and then could not go on speaks for itself
            say(f"mogi: {error}")
            status = WRONG_INPUT if isinstance(error, StoreError) else INCOMPLETE
        case OSError():
            where = f"{error.filename}: " if error.filename else ""
            say(f"mogi: {where}{error.strerror or error}; --debug shows where")
        case SystemExit():
            status = error.code if isinstance(error.code, int) else 1
        case _:
            name = type(error).__name__
            say(f"mogi: a fault in mogi itself ({name}: {error}); --debug shows where")
    return status


def say(text: str) -> None:
    """Print a line on stderr, in the language of the locale; if nobody listens, work goes on."""
    with suppress(OSError):
        tell(locale.message(text), err=True)


@contextmanager
def tracebacks() -> Iterator[None]:
    """Within the block the traceback of a check that crashed is printed, once for each place."""
    import logging  # late: it takes a while

    told: set[str] = set()

    def tell_once(record: logging.LogRecord) -> bool:
        message = record.getMessage()
        if message not in told:
            told.add(message)
            say(logging.Formatter().format(record))
        return False

    log = logging.getLogger("simulator.execution.bugs")
    level = log.level
    log.setLevel(logging.DEBUG)
    log.addFilter(tell_once)
    try:
        yield
    finally:
        log.removeFilter(tell_once)
        log.setLevel(level)


@contextmanager
def reader_may_leave() -> Iterator[None]:
    """Within the block it is no error that nobody reads on: `mogi export latest | head`."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        # Nothing more can be said there, and Python must not try to when it ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def complain(error: InputError) -> int:
    """Print what is wrong, a complaint a line."""
    for complaint in error.complaints:
        say(str(complaint))
    return WRONG_INPUT
