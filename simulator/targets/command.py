"""A bot that is a program in any language: a JSON line per turn in, a JSON line out."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import shutil
import signal
import subprocess
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar, Literal, Self, cast

from pydantic import BaseModel, Field, field_validator

from simulator import config
from simulator.core.bounds import BODY_LIMIT, MAX_PIECES, json_data
from simulator.core.clean import clean, cut
from simulator.core.concurrency import beside
from simulator.core.errors import InputError, TargetError, TargetFault
from simulator.core.plan import Reached
from simulator.core.talk import Reply, Talk
from simulator.targets._context import TargetContext
from simulator.targets._shapes import HistoryShape, as_reply, history_of, invalid, raised, talk_name

Per = Literal["talk", "turn"]

_PATIENCE_S = 2.0  # for a program to leave by itself, once its input has ended
_SHOWN_LINES, _SHOWN_CHARACTERS = 5, 600


class Command:
    """A program in any language: it reads a JSON line per turn and writes one.

    On standard input, it gets `{"question": …, "history": [[user, assistant], …], "episode": …,
    "turn": 1}` (ASCII; everything else is escaped). On standard output, it writes one line of JSON
    in UTF-8 and flushes it: a text, or `{"answer": …, "documents": …}`. Documents are texts or
    `{"id", "text", "title"}`. Write everything else to standard error: if the program fails, mogi
    quotes the last lines.

    `episode` is the ID of the conversation: ASCII letters, digits and hyphens. It's unique across
    conversations and runs, so the program can store state under it.

    `per: talk` (the default) starts a process for each conversation and ends it by closing its
    standard input. The program can keep the conversation in memory, and starts only once. The
    number of processes is the number of conversations in parallel (`--concurrency`). `per: turn`
    starts a process for each question and closes its input after it, for programs that answer once
    and exit.

    The command runs in the client's folder, with mogi's own environment and without a shell. For
    pipes and variables, use `command: [sh, -c, "…"]`. If a program hangs or is no longer needed,
    mogi kills it and everything that it started.
    """

    LOCAL: ClassVar[bool] = True

    class Settings(BaseModel, extra="forbid"):
        """The keys of `target:` in a client file, for `kind: command`."""

        command: str | list[str | int | float] = Field(
            description='"node bot.js", or a list of arguments'
        )
        per: Per = Field("talk", description="a process for each conversation, or for each turn")
        history: HistoryShape = Field("pairs", description="the format of the conversation so far")

        @field_validator("command")
        @classmethod
        def _can_be_split(cls, command: Any) -> Any:
            command_words(command)
            return command

    def __init__(self, arguments: Sequence[str], folder: Path, settings: Settings) -> None:
        """Make a target of a program and its arguments, to be run in a folder."""
        self._arguments = arguments
        self._folder = folder
        self._settings = settings
        self._programs: dict[str, Program] = {}  # that wait for the next turn of their talk
        self._names: dict[str, str] = {}
        self._running: set[Program] = set()

    @classmethod
    def open(cls, settings: Settings, context: TargetContext) -> Self:
        """Find the program; nothing is started yet.

        Raises:
            InputError: there is no such program, it cannot be run, or the command needs a shell.
        """
        if config.is_untrusted():
            raise InputError("--untrusted blocks the program of target.command")
        return cls(arguments_of(settings.command, context.folder), context.folder, settings)

    @classmethod
    def keeps_talk(cls, settings: Settings) -> bool:
        """Whether the program may keep the talk itself."""
        return settings.per == "talk"

    @classmethod
    def reaches(cls, settings: Settings) -> Iterator[Reached]:
        """The program that is started."""
        yield Reached("program", shlex.join(command_words(settings.command)), "target.command")

    async def answer(self, question: str, talk: Talk) -> Reply:
        """Tell the program the question and read its line.

        Raises:
            TargetError: it could not be started, ended instead of answering, or its line is not
                an answer.
        """
        waiting = self._programs.pop(talk.episode, None)
        program = waiting or await self._started()
        try:
            if self._settings.per == "turn":
                lines = await _whole(program, self._request(question, talk))
                return await beside(sum(map(len, lines)), _read_whole, lines)
            line = await _next(
                program, self._request(question, talk), has_answered=waiting is not None
            )
            reply = await beside(len(line), _read, line)
            self._programs[talk.episode] = program
        finally:
            if talk.episode not in self._programs:
                await self._stop(program)
        return reply

    async def leave(self, episode: str) -> None:
        """End the program of a talk: it has 2 s to leave by itself."""
        self._names.pop(episode, None)
        program = self._programs.pop(episode, None)
        if program is not None:
            await self._stop(program, _PATIENCE_S)

    async def close(self) -> None:
        """Kill whatever still runs."""
        self._programs.clear()
        for program in tuple(self._running):
            program.kill()
        for program in tuple(self._running):
            await self._stop(program)

    async def _started(self) -> Program:
        try:
            program = await Program.start(self._arguments, self._folder)
        except OSError as error:
            raise raised(
                f"{self._arguments[0]} can't be started: {error.strerror}; a script needs its "
                "interpreter in the first line, such as #!/bin/sh"
            ) from error
        self._running.add(program)
        return program

    async def _stop(self, program: Program, patience_s: float = 0.0) -> None:
        await program.stop(patience_s)
        self._running.discard(program)

    def _request(self, question: str, talk: Talk) -> bytes:
        request = {
            "question": question,
            "history": history_of(talk, self._settings.history),
            "episode": self._names.setdefault(talk.episode, talk_name(talk.episode)),
            "turn": talk.next_turn,
        }
        return json.dumps(request).encode("ascii")


async def _next(program: Program, request: bytes, *, has_answered: bool) -> bytes:
    """The line that a program answers with, which goes on after it.

    One that has just been started may have said its line, and be gone, before it is told anything.
    """
    unread = program.unread()
    if program.status is not None and (has_answered or unread is None):
        when = "after an earlier answer" if has_answered else "before it was asked"
        raise await _ended(program, when)
    if has_answered and unread is not None:
        what = f"an unexpected line: {_shown(unread)}"
        raise _invalid(f"{what}; expected one per question")
    program.tell(request)
    line = await program.line()
    if line is None:
        raise await _ended(program, "instead of answering")
    return line


async def _whole(program: Program, request: bytes) -> list[bytes]:
    """All that a program writes until it ends: its lines."""
    program.tell(request, last=True)
    lines: list[bytes] = []
    while (line := await program.line()) is not None:
        lines.append(line)
    status = await program.ended()
    if status:
        raise raised(_how(status, program))
    if not lines:
        raise TargetError(TargetFault.EMPTY, f"it wrote nothing ({_how(status, program)})")
    return lines


async def _ended(program: Program, when: str) -> TargetError:
    status = await program.ended(_PATIENCE_S)
    if status is None:
        return TargetError(TargetFault.EXITED, f"it closed its standard output {when}")
    if status:
        return raised(_how(status, program))
    once = "a program that answers once is `per: turn`"
    return TargetError(TargetFault.EXITED, f"it ended {when} ({_how(status, program)}); {once}")


def _how(status: int | None, program: Program) -> str:
    """How a program ended, and its last words."""
    killed = status is not None and status < 0
    text = f"killed by signal {abs(status or 0)}" if killed else f"exit status {status}"
    last = "\n".join(clean(program.stderr).strip().splitlines()[-_SHOWN_LINES:])
    if len(last) > _SHOWN_CHARACTERS:
        last = "…" + last[-_SHOWN_CHARACTERS:]
    return f"{text}: {last}" if last else text


def _read_whole(lines: Sequence[bytes]) -> Reply:
    """The reply in one line, or in one value over several."""
    if len(lines) > 1 and all(map(_is_json, lines)):
        raise _invalid(f"{len(lines)} lines, the second: {_shown(lines[1])}; expected one")
    return _read(b"\n".join(lines))


def _read(line: bytes) -> Reply:
    try:
        text = line.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _invalid(f"a line that isn't UTF-8: {_shown(line)}") from error
    try:
        value: Any = json_data(text)
    except (ValueError, RecursionError) as error:
        raise _invalid(
            f"a line that isn't JSON: {_shown(line)}; write text in quotation marks, or "
            '{"answer": …, "documents": …}, and everything else to standard error'
        ) from error
    return as_reply(value)


def _is_json(line: bytes) -> bool:
    try:
        json_data(line)
    except (ValueError, RecursionError):
        return False
    return True


def _shown(line: bytes) -> str:
    return cut(clean(line.decode("utf-8", "replace")).strip(), 120)


def _invalid(what: str) -> TargetError:
    return invalid(f"it wrote {what}")


# The program: started in a session of its own, ended with all that it began.


_KEPT_OF_STDERR = 8192
# What a program has said reaches mogi within this time of its end, or somebody else holds the pipe.
_DRAIN_S = 0.5
_REAP_S = 2.0
_STDIN, _STDOUT, _STDERR = range(3)


class Program(asyncio.SubprocessProtocol):
    """A running program. Made by `start`, and ended by `stop` whatever happens in between."""

    def __init__(self) -> None:
        self._transport: asyncio.SubprocessTransport  # from the moment that it runs
        self._lines: deque[bytes] = deque()
        self._chunks: list[bytes] = []
        self._length = 0
        self._bytes = self._count = 0  # bytes, and lines, since it was last told something
        self._floods = False
        self._stderr = bytearray()
        self._open = {_STDOUT, _STDERR}
        self._news = asyncio.Event()
        self._exited = asyncio.Event()

    @classmethod
    async def start(cls, arguments: Sequence[str], folder: Path) -> Self:
        """Start a program in a folder, with mogi's own environment; no shell is involved.

        Raises:
            OSError: it cannot be started.
        """
        loop = asyncio.get_running_loop()
        flags = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)  # Windows' way to keep Ctrl-C
        _, program = await loop.subprocess_exec(
            cls, *arguments, cwd=folder, start_new_session=True, creationflags=flags
        )
        return program

    @property
    def status(self) -> int | None:
        """Its exit status, negative for a signal; None while it runs."""
        return self._transport.get_returncode()

    @property
    def stderr(self) -> str:
        """The last of what it wrote to its standard error."""
        return self._stderr.decode("utf-8", "replace")

    def tell(self, line: bytes, *, last: bool = False) -> None:
        """Write a line to its standard input, and end that after the `last` one.

        A program that does not read, or has ended, is not noticed here.
        """
        pipe = self._pipe()
        if pipe is None or pipe.is_closing():
            return
        self._bytes = self._count = 0
        pipe.write(line + b"\n")
        if last:
            pipe.close()

    async def line(self) -> bytes | None:
        """The next line that is not blank; None when it will say nothing more.

        Raises:
            TargetError: it wrote more than is read.
        """
        while True:
            if self._floods:
                raise invalid(
                    f"it wrote more than {BODY_LIMIT // 1024**2} MB, or more than "
                    f"{MAX_PIECES:,} lines, for one answer; mogi killed it"
                )
            while self._lines:
                line = self._lines.popleft()
                if line.strip():
                    return line
            if _STDOUT not in self._open:
                return None
            if self._exited.is_set():
                await self._drained()
                self._open.discard(_STDOUT)
                continue
            self._news.clear()
            await self._news.wait()

    def unread(self) -> bytes | None:
        """A line that it wrote and nobody waited for, if there is one."""
        return next((line for line in self._lines if line.strip()), None)

    async def ended(self, patience_s: float | None = None) -> int | None:
        """Its exit status, when it has ended and all that it wrote is here.

        None: it had not ended after so many seconds.
        """
        await _within(patience_s, self._exited)
        await self._drained()
        return self.status

    async def stop(self, patience_s: float = 0.0) -> None:
        """End its input, wait so many seconds for it to leave by itself, and kill what is left."""
        try:
            pipe = self._pipe()
            if pipe is not None:
                pipe.close()
            await _within(patience_s, self._exited)
        finally:
            self.kill()
        await _within(_REAP_S, self._exited)
        await self._drained()
        self._transport.close()

    def kill(self) -> None:
        """Kill it and all that it started, at once; once it has ended, nothing is left to kill."""
        if not self._exited.is_set():
            self._kill_group()

    def _kill_group(self) -> None:
        with suppress(ProcessLookupError, PermissionError):  # nobody is left, said in two ways
            if hasattr(os, "killpg"):
                os.killpg(self._transport.get_pid(), signal.SIGKILL)
            else:
                self._transport.kill()

    def _pipe(self) -> asyncio.WriteTransport | None:
        pipe = self._transport.get_pipe_transport(_STDIN)
        return pipe if isinstance(pipe, asyncio.WriteTransport) else None

    async def _drained(self) -> None:
        loop = asyncio.get_running_loop()
        until = loop.time() + _DRAIN_S
        while self._open and (left := until - loop.time()) > 0:
            self._news.clear()
            await _within(left, self._news)

    # What the event loop tells.

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """It was started."""
        self._transport = cast("asyncio.SubprocessTransport", transport)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """It wrote something."""
        if fd == _STDERR:
            self._stderr += data
            del self._stderr[:-_KEPT_OF_STDERR]
            return
        if self._floods:
            return
        *whole, rest = data.split(b"\n")
        for end in whole:
            self._lines.append(b"".join([*self._chunks, end]))
            self._chunks, self._length = [], 0
        self._chunks.append(rest)
        self._length += len(rest)
        self._bytes += len(data)
        self._count += len(whole)
        if self._bytes > BODY_LIMIT or self._count > MAX_PIECES:
            self._floods = True
            self._lines.clear()
            self._chunks.clear()
            self.kill()
        self._news.set()

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """It closed one of its streams; the last line of its output may have no end."""
        if fd == _STDOUT and self._chunks:
            self._lines.append(b"".join(self._chunks))
            self._chunks = []
        self._open.discard(fd)
        self._news.set()

    def process_exited(self) -> None:
        """It ended. What it started goes at once: later its number may be another program's."""
        self._kill_group()
        self._exited.set()
        self._news.set()


async def _within(seconds: float | None, event: asyncio.Event) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await event.wait()


_SHELLS_OWN = frozenset({"|", "||", "&", "&&", ";", ">", ">>", "<", "2>", "2>&1"})


def arguments_of(command: str | Sequence[str | int | float], folder: Path) -> tuple[str, ...]:
    """The program, found, and its arguments. A relative path is one of the client's `folder`.

    Raises:
        InputError: there is no such program, it cannot be run, or the command needs a shell.
    """
    try:
        name, *arguments = command_words(command)
    except ValueError as error:
        raise InputError(f"target.command{error}") from error
    return (_program(name, folder), *arguments)


def command_words(command: str | Sequence[str | int | float]) -> list[str]:
    """The words of a command, the program first; nothing is looked for.

    Raises:
        ValueError: there are none, or they need a shell; the text begins with a colon.
    """
    try:
        words = shlex.split(command) if isinstance(command, str) else list(map(str, command))
    except ValueError as error:  # a quotation without its end
        raise ValueError(
            f": {command!r} can't be split into words ({error}); use a list, such as [node, bot.js]"
        ) from error
    if not words or not words[0].strip():
        raise ValueError(': it\'s empty; use a command, such as "node bot.js"')
    if isinstance(command, str) and (own := _SHELLS_OWN.intersection(words)):
        raise ValueError(
            f": {min(own)!r} needs a shell, but mogi doesn't start one; "
            f"use command: [sh, -c, {shlex.quote(command)}]"
        )
    return words


def _program(name: str, folder: Path) -> str:
    if os.path.dirname(name):  # "./bot" too, where a Path would drop the folder
        return _in_folder(name, folder)
    program = shutil.which(name)
    if program is None:
        own = f"; use ./{name} for the one in {folder}" if (folder / name).exists() else ""
        raise InputError(f"target.command: no program {name!r} is on the PATH{own}")
    return program


def _in_folder(name: str, folder: Path) -> str:
    file = folder / name
    if program := shutil.which(str(file)):
        return program
    if not file.is_file():
        raise InputError(f"target.command: there is no file {file}")
    raise InputError(
        f"target.command: {file} isn't executable; run chmod +x {name}, "
        f'or its interpreter before it, such as "python {name}"'
    )
