"""A bot of Python code in a process of its own: what kills the process ends one conversation.

The process is asked over a socket; what is said there is JSON, never a pickle. It keeps two files
that outlive it: which thread each question went to, and the trace of what killed it
(faulthandler's). They tell whose question it was. Where they leave several, each of these is asked
once more, alone, in a second process beside the one that answers the others.
"""

import asyncio
import itertools
import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import IO, Any

from simulator.core.bounds import BODY_LIMIT
from simulator.core.concurrency import beside
from simulator.core.errors import Complaint, InputError, TargetError, TargetFault
from simulator.core.talk import Reply, Talk
from simulator.targets._context import Forgotten, HeldUp, TargetContext
from simulator.targets._shapes import reply_of

MESSAGE_LIMIT = 16 * BODY_LIMIT  # bytes of a message: a character may take 12, escaped
WENT_TO = struct.Struct("!QQ")  # a question's number, and the thread that it went to
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from simulator.targets._isolated_process import serve; serve(*map(int, sys.argv[2:]))"
)
_LET_GO_S = 1.0  # that a process has to give a question up; one that does not is frozen
_REAP_S = 2.0
_CULPRIT = re.compile(r"^Current thread 0x([0-9a-f]+).*\n((?:  File .*\n?)*)", re.M)
_CALLED_BY_US = re.compile(r'^  File ".*[/\\]simulator[/\\]targets[/\\]')
_FRAMES = 5  # of a trace that are told
POSSIBLE = os.name == "posix"


class Isolated:
    """A target whose answers come from another process; it is opened there as it would be here.

    A bot that keeps the talk itself forgets all talks when its process ends: those that were
    under way are held anew (`Forgotten`).
    """

    def __init__(self, kind: str, settings: Mapping[str, Any], context: TargetContext) -> None:
        """Start the process and open the bot in it.

        Raises:
            InputError: it cannot be opened, or opening it ends the process.
        """
        self._order = {
            "kind": kind,
            "settings": dict(settings),
            "folder": str(context.folder),
            "language": context.language,
            "timeout_s": context.timeout_s,
            "stateful": context.stateful,
            "cwd": str(Path.cwd()),
        }
        self._stateful = context.stateful
        self._starting = asyncio.Lock()
        self._turn = asyncio.Lock()  # of those that are asked alone
        self._suspects: set[str] = set()
        self._homes: dict[str, _Process] = {}  # of talks that the bot keeps itself
        self._main = _Process.start(self._order)
        self._alone: _Process | None = None
        self._processes = [self._main]  # all that were started

    async def answer(self, question: str, talk: Talk) -> Reply:
        """Ask the bot.

        Raises:
            TargetError: it failed, or ended its process.
            HeldUp: another question ended the process, or blocks it.
            Forgotten: the talk has to be held anew.
        """
        if talk.name in self._suspects:
            raise self._held_up(question, talk, heard=False)
        async with self._starting:
            if not self._main.is_alive:
                self._main = await self._started()
            process = await self._main.listening()
        return await self._ask(process, question, talk)

    async def leave(self, episode: str) -> None:
        """Let the bot free what it holds for a talk."""
        for name in (episode, Talk(episode, take=1).name):
            self._suspects.discard(name)
            if home := self._homes.pop(name, None):
                home.tell("leave", episode=episode)
        if self._alone is not None and not self._suspects:
            self._alone.end()
            self._alone = None

    async def close(self) -> None:
        """End the processes; the bot may free what it holds first."""
        try:
            for process in self._processes:
                process.tell("close")
            for process in self._processes:
                await process.ended()
        finally:
            for process in self._processes:
                process.end()
            for process in self._processes:
                await process.ended()

    async def _ask_alone(self, question: str, talk: Talk) -> Reply:
        async with self._starting:
            if self._alone is None or not self._alone.is_alive:
                self._alone = await self._started()
            process = await self._alone.listening()
        return await self._ask(process, question, talk)

    async def _started(self) -> "_Process":
        try:
            process = await asyncio.to_thread(_Process.start, self._order)
        except InputError as error:
            why = f"its process ended and cannot be started again: {error}"
            raise TargetError(TargetFault.CRASHED, why) from error
        self._processes.append(process)
        return process

    async def _ask(self, process: "_Process", question: str, talk: Talk) -> Reply:
        if self._stateful:
            if len(talk) and self._homes.get(talk.name) is not process:
                raise Forgotten
            self._homes[talk.name] = process
        try:
            reply = await process.ask(question, talk)
        except _Died as died:
            raise self._consequence(died, question, talk) from died
        if not self._stateful:
            self._suspects.discard(talk.name)
        return reply

    def _consequence(self, died: "_Died", question: str, talk: Talk) -> Exception:
        """What the end of the process means for one of the questions that it was asked."""
        if died.suspects == {talk.name}:
            self._suspects.discard(talk.name)
            return TargetError(TargetFault.CRASHED, died.why)
        if talk.name in died.suspects:
            self._suspects.add(talk.name)
        return Forgotten() if self._stateful else self._held_up(question, talk)

    def _held_up(self, question: str, talk: Talk, *, heard: bool = True) -> HeldUp:
        if talk.name in self._suspects:
            return HeldUp(partial(self._ask_alone, question, talk), self._turn, heard=heard)
        return HeldUp(partial(self.answer, question, talk), heard=heard)


class _Died(Exception):
    """The process ended; one of the talks of these names ended it."""

    def __init__(self, why: str, suspects: frozenset[str]) -> None:
        self.why, self.suspects = why, suspects
        super().__init__(why)


class _Process:
    """One process with the bot in it, as it is seen from here."""

    def __init__(
        self, process: subprocess.Popen[bytes], channel: socket.socket, files: Sequence[IO[bytes]]
    ) -> None:
        self._process = process
        self._channel = channel
        self._trace, self._went = files
        self._numbers = itertools.count(1)
        self._open: dict[int, tuple[str, asyncio.Future[Any]]] = {}  # whose, and what comes of it
        self._writer: asyncio.StreamWriter | None = None
        self._reading: asyncio.Task[None] | None = None
        self.is_alive = True

    @classmethod
    def start(cls, order: Mapping[str, Any]) -> "_Process":
        """Start a process and have the bot opened there; waits until it is.

        Raises:
            InputError: it cannot be opened, or opening it ends the process.
        """
        ours, theirs = socket.socketpair()
        files = [tempfile.TemporaryFile(buffering=0) for _ in range(2)]  # noqa: SIM115
        handed = [theirs.fileno(), *(file.fileno() for file in files)]
        with theirs:
            process = subprocess.Popen(  # noqa: S603 - Python itself
                [sys.executable, "-c", _START, json.dumps(sys.path), *map(str, handed)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                pass_fds=handed,
            )
        started = cls(process, ours, files)
        for work in started._pass_on_prints, started._wait:
            threading.Thread(target=work, name="mogi-bot-process", daemon=True).start()
        try:
            ours.sendall(packed(order))
            with ours.makefile("rb") as messages:
                opened = json.loads(messages.readline())
        except (OSError, ValueError):
            why = started._end()[0]
            started.end()
            raise InputError(f"target: opening the bot ended the process: {why}") from None
        if "wrong" in opened:
            started.end()
            raise InputError(*(Complaint(*complaint) for complaint in opened["wrong"]))
        return started

    async def listening(self) -> "_Process":
        """This process, ready to be asked."""
        if self._reading is None:
            reader, self._writer = await asyncio.open_connection(
                sock=self._channel, limit=MESSAGE_LIMIT
            )
            self._reading = asyncio.create_task(self._listen(reader))
        return self

    async def ask(self, question: str, talk: Talk) -> Reply:
        """The bot's reply to a question.

        Raises:
            TargetError: it failed.
            HeldUp: another question blocks the event loop that it shares with this one.
            _Died: the process ended before it answered.
        """
        history = [[e.user, e.assistant] for e in talk.exchanges if isinstance(e.reply, Reply)]
        order = {"question": question, "history": history}
        about = {"episode": talk.episode, "take": talk.take}
        return await self._exchange(next(self._numbers), talk.name, "answer", **order, **about)

    def tell(self, do: str, **more: Any) -> None:
        """Tell the process something that it does not answer."""
        if self.is_alive and self._writer is not None:
            self._writer.write(packed({"do": do, **more}))

    async def ended(self) -> None:
        """Wait until the process has ended."""
        if self._reading is not None:
            await asyncio.shield(self._reading)

    def end(self) -> None:
        """End the process at once."""
        self.is_alive = False
        self._process.kill()
        if self._reading is None:
            self._free()

    async def _exchange(self, number: int, name: str, do: str, **more: Any) -> Reply:
        answer = asyncio.get_running_loop().create_future()
        self._open[number] = name, answer
        try:
            if not self.is_alive:  # since it was chosen
                raise _Died("", frozenset())
            self.tell(do, number=number, **more)
            try:
                message = await asyncio.shield(answer)
            except asyncio.CancelledError:
                message = await self._let_go(number, answer)
        finally:
            del self._open[number]
        match message:
            case {"reply": values}:
                return reply_of(values)
            case {"fault": fault, "message": text}:
                raise TargetError(TargetFault(fault), text)
        raise HeldUp(partial(self._exchange, number, name, "again"))

    async def _let_go(self, number: int, answer: asyncio.Future[Any]) -> Any:
        """Give a question up, as its waiter was told to; what the process says of it.

        Raises:
            CancelledError: it was given up, or it alone froze the process, which was ended.
            _Died: the process does not answer, and it is not clear because of which question.
        """
        self.tell("cancel", number=number)
        await asyncio.wait([answer], timeout=_LET_GO_S)
        if not answer.done():
            self._process.kill()
            await asyncio.wait([answer], timeout=_REAP_S)
        error = answer.exception() if answer.done() else None
        if isinstance(error, _Died) and len(error.suspects) != 1:
            raise error
        if error is None and answer.done() and "held_up" in answer.result():
            return answer.result()
        raise asyncio.CancelledError

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        with suppress(OSError, ValueError):  # a line that is too long
            while line := await reader.readline():
                message = await beside(len(line), json.loads, line)
                _, answer = self._open.get(message["number"], ("", None))
                if answer is not None and not answer.done():
                    answer.set_result(message)
        self.is_alive = False
        why, thread = await asyncio.to_thread(self._end)
        names = {number: name for number, (name, _) in self._open.items()}
        suspects = frozenset(self._asked_on(thread, names))
        for _, answer in self._open.values():
            if not answer.done():
                answer.set_exception(_Died(why, suspects))
                answer.exception()  # it may be that nobody waits any more
        self._free()

    def _free(self) -> None:
        if self._writer is not None:
            self._writer.close()
        for thing in (self._channel, self._trace, self._went):
            thing.close()

    def _asked_on(self, thread: int, names: Mapping[int, str]) -> set[str]:
        """The talks of these questions that were on a thread; all, where it is nobody's."""
        self._went.seek(0)
        whole = self._went.read()
        went_to = dict(WENT_TO.iter_unpack(whole[: len(whole) // WENT_TO.size * WENT_TO.size]))
        if thread not in went_to.values():
            return set(names.values())
        return {name for number, name in names.items() if went_to.get(number) == thread}

    def _end(self) -> tuple[str, int]:
        """Why the process ended, for people, and on which thread (0: not known)."""
        try:
            code = self._process.wait(_REAP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        self._trace.seek(0)
        traces = list(_CULPRIT.finditer(self._trace.read().decode("utf-8", "replace")))
        culprit = traces[-1] if traces else None
        frames = [] if culprit is None else _own(culprit[2].splitlines())
        how = f"exit status {code}" if code >= 0 else _signal(-code)
        why = f"it ended its process ({how})" + "".join(f"; {frame}" for frame in frames)
        return why, int(culprit[1], 16) if culprit else 0

    def _wait(self) -> None:
        """Close the channel when the process ends: one that it started may have inherited it."""
        self._process.wait()
        with suppress(OSError):
            self._channel.shutdown(socket.SHUT_RDWR)

    def _pass_on_prints(self) -> None:
        if (printed := self._process.stdout) is None:
            return
        from simulator.console.output import tell

        with printed, suppress(OSError, ValueError):  # nobody listens
            for line in printed:
                tell(line.decode("utf-8", "replace"), err=True, end="")


def packed(message: Mapping[str, Any]) -> bytes:
    """A message as it is sent: a line of JSON."""
    return json.dumps(message).encode() + b"\n"


def _own(lines: list[str]) -> list[str]:
    """The innermost frames of a trace, as far as they are not mogi's."""
    until = next((n for n, line in enumerate(lines) if _CALLED_BY_US.match(line)), len(lines))
    return [line.strip() for line in lines[:until][:_FRAMES]]


def _signal(number: int) -> str:
    with suppress(ValueError):
        return f"{signal.Signals(number).name}: {signal.strsignal(number)}"
    return f"signal {number}"
