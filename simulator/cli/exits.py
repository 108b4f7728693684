"""Errors become a sentence on stderr and an exit status (docs/en/ci.md), in the locale's language.

The Japanese is data: the help of the commands in `words/ja/help.yaml`, messages on stderr in
`words/ja/messages.yaml`. What is not there is English.
"""

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache, partial
from typing import NamedTuple

import click

from simulator import config
from simulator.console.output import tell
from simulator.core.errors import InputError, MogiError, StoreError

_PLACE = re.compile(r"\{(\w+)\}")


class _Message(NamedTuple):
    english: re.Pattern[str]
    japanese: str


def help_text(command_path: str) -> str | None:
    """The help of a command, or None if the English one is to be shown."""
    return _helps().get(command_path) if config.is_japanese() else None


def translated(text: str) -> str:
    """A message in the language of the locale; one that has no translation as it is."""
    return "\n".join(map(_translated, text.split("\n"))) if config.is_japanese() else text


def _translated(line: str) -> str:
    for each in _messages():
        if match := each.english.fullmatch(line):
            return _PLACE.sub(partial(_value, match), each.japanese)
    return line


def _value(line: re.Match[str], place: re.Match[str]) -> str:
    is_quoted = place.string[: place.start()].endswith("「")
    value = line[place[1]] if is_quoted else _translated(line[place[1]])
    is_list = place[1] in ("names", "choices", "columns")
    return value.replace(", ", "、").replace("'", "") if is_list else value


@cache
def _helps() -> dict[str, str]:
    from simulator.words import document

    texts = document("ja", "help")
    shared = {name: text for name, text in texts.items() if name.startswith("shared.")}
    return {
        name: re.sub(r"\{(shared\.\w+)\}\n?", lambda place: shared[place[1]], text).rstrip()
        for name, text in texts.items()
    }


@cache
def _messages() -> tuple[_Message, ...]:
    from simulator.words import document

    return tuple(
        _Message(pattern(english), japanese)
        for english, japanese in document("ja", "messages").items()
    )


def pattern(english: str) -> re.Pattern[str]:
    """The lines that an English wording stands for: what it names in braces may be anything."""
    parts = _PLACE.split(english)
    return re.compile(
        "".join(
            f"(?P<{part}>.+?)" if is_name % 2 else re.escape(part)
            for is_name, part in enumerate(parts)
        )
    )


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
            say(f"mogi: {where}{error.strerror or error}; for the traceback, use --debug")
        case SystemExit():
            status = error.code if isinstance(error.code, int) else 1
        case _:
            name = type(error).__name__
            say(f"mogi: a bug in mogi ({name}: {error}); for the traceback, use --debug")
    return status


def say(text: str) -> None:
    """Print a line on stderr, in the language of the locale; if nobody listens, work goes on."""
    with suppress(OSError):
        tell(translated(text), err=True)


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
