"""Errors become a sentence on stderr and an exit status (DESIGN.md, "Exit status")."""

import os
import sys

import click

from simulator.core.errors import InputError, MogiError, StoreError

WRONG_INPUT = 2
INCOMPLETE = 3
INTERRUPTED = 130


def status_of(error: BaseException) -> int:
    """Print what the person needs to know of an error; the exit status that goes with it."""
    if isinstance(error, click.exceptions.Exit):
        return error.exit_code
    if isinstance(error, click.ClickException):
        error.show(sys.stderr)
        return WRONG_INPUT
    if isinstance(error, (KeyboardInterrupt, click.Abort)):
        click.echo("interrupted", err=True)
        return INTERRUPTED
    if isinstance(error, BrokenPipeError):
        # The reader of our output has gone (`mogi export latest | head`): nothing is wrong.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    if isinstance(error, InputError):
        for complaint in error.complaints:
            click.echo(str(complaint), err=True)
        return WRONG_INPUT
    if isinstance(error, MogiError):
        click.echo(f"mogi: {error}", err=True)
        return WRONG_INPUT if isinstance(error, StoreError) else INCOMPLETE
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else 1
    return _unexpected(error)


def _unexpected(error: BaseException) -> int:
    name = type(error).__name__
    click.echo(f"mogi: a fault in mogi itself ({name}: {error}); --debug shows where", err=True)
    return INCOMPLETE
