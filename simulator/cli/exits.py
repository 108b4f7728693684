"""Errors become a sentence on stderr and an exit status (DESIGN.md, "Exit status")."""

import os
import sys
from collections.abc import Callable
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
    click.echo(f"mogi: a fault in mogi itself ({name}: {error}); --debug shows where", err=True)
    return INCOMPLETE


def _usage(error: click.ClickException) -> int:
    error.show(sys.stderr)
    return WRONG_INPUT


def _interrupted(_: BaseException) -> int:
    click.echo("interrupted", err=True)
    return INTERRUPTED


def _reader_gone(_: BrokenPipeError) -> int:
    # `mogi export latest | head`: nothing is wrong, and nothing more can be said there.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _wrong_input(error: InputError) -> int:
    for complaint in error.complaints:
        click.echo(str(complaint), err=True)
    return WRONG_INPUT


def _ours(error: MogiError) -> int:
    click.echo(f"mogi: {error}", err=True)
    return WRONG_INPUT if isinstance(error, StoreError) else INCOMPLETE


# The first that fits; a command that ran and then could not go on speaks for itself.
_HANDLERS: tuple[tuple[type[BaseException], Callable[[Any], int]], ...] = (
    (click.exceptions.Exit, lambda error: int(error.exit_code)),
    (click.exceptions.Abort, _interrupted),
    (click.ClickException, _usage),
    (KeyboardInterrupt, _interrupted),
    (BrokenPipeError, _reader_gone),
    (InputError, _wrong_input),
    (MogiError, _ours),
    (SystemExit, lambda error: error.code if isinstance(error.code, int) else 1),
)
