"""A program beside mogi that is told lines and says lines: found, started, ended with all it began.

It runs in a session of its own, so that Ctrl-C reaches mogi alone, which then ends it in good
order. Whatever it has started itself goes with it. If mogi is killed, its input ends.
"""

import asyncio
import os
import shlex
import shutil
import signal
import subprocess
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Self, cast

from simulator.core.bounds import BODY_LIMIT, MAX_PIECES
from simulator.core.errors import InputError
from simulator.targets._shapes import invalid

_KEPT_OF_STDERR = 8192
# What a program has said reaches mogi within this time of its end, or somebody else holds the pipe.
_DRAIN_S = 0.5
_REAP_S = 2.0
_STDIN, _STDOUT, _STDERR = range(3)


class Program(asyncio.SubprocessProtocol):
    """A running program. Made by `start`, and ended by `stop` whatever happens in between."""

    def __init__(self) -> None:
        self._transport: asyncio.SubprocessTransport | None = None
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
        return None if self._transport is None else self._transport.get_returncode()

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
                    f"{MAX_PIECES:,} lines, for one answer; it was killed"
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

    def unheard(self) -> bytes | None:
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
        if self._transport is not None:
            self._transport.close()

    def kill(self) -> None:
        """Kill it and all that it started, at once; once it has ended, nothing is left to kill."""
        if not self._exited.is_set():
            self._kill_group()

    def _kill_group(self) -> None:
        if self._transport is None:
            return
        with suppress(ProcessLookupError, PermissionError):  # nobody is left, said in two ways
            if hasattr(os, "killpg"):
                os.killpg(self._transport.get_pid(), signal.SIGKILL)
            else:
                self._transport.kill()

    def _pipe(self) -> asyncio.WriteTransport | None:
        pipe = None if self._transport is None else self._transport.get_pipe_transport(_STDIN)
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
    words = _split(command)
    if not words or not words[0].strip():
        raise ValueError(': it is empty; right is such as "node bot.js"')
    if isinstance(command, str) and (own := _SHELLS_OWN.intersection(words)):
        raise ValueError(
            f": {min(own)!r} is for a shell, and none is started; "
            f"right is: command: [sh, -c, {shlex.quote(command)}]"
        )
    return words


def _split(command: str | Sequence[str | int | float]) -> list[str]:
    if not isinstance(command, str):
        return list(map(str, command))
    try:
        return shlex.split(command)
    except ValueError as error:  # a quotation without its end
        raise ValueError(
            f": {command!r} cannot be split into words ({error}); "
            "right is a list, such as [node, bot.js]"
        ) from error


def _program(name: str, folder: Path) -> str:
    if os.path.dirname(name):  # "./bot" too, where a Path would drop the folder
        return _in_folder(name, folder)
    found = shutil.which(name)
    if found is None:
        own = f"; right is ./{name} for the one in {folder}" if (folder / name).exists() else ""
        raise InputError(f"target.command: no program {name!r} is on the PATH{own}")
    return found


def _in_folder(name: str, folder: Path) -> str:
    file = folder / name
    if found := shutil.which(str(file)):
        return found
    if not file.is_file():
        raise InputError(f"target.command: there is no file {file}")
    raise InputError(
        f"target.command: {file} is not executable; right is: chmod +x {name}, "
        f'or its interpreter before it, such as "python {name}"'
    )
