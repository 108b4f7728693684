"""A bot of Python code in a process of its own: what kills the process ends one conversation.

The process is asked over a socket; what is said there is JSON, never a pickle. It keeps two files
that outlive it: which thread each question went to, and the trace of what killed it
(faulthandler's). They tell whose question it was. Where they leave several, each of these is asked
once more, alone, in a second process beside the one that answers the others.
"""

import asyncio
import faulthandler
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
import traceback
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import IO, Any, NoReturn

from simulator import plugins
from simulator.core.bounds import BODY_LIMIT
from simulator.core.concurrency import beside
from simulator.core.errors import Complaint, InputError, TargetError, TargetFault
from simulator.core.talk import Reply, Talk, Utterance
from simulator.targets import _threads
from simulator.targets._context import Forgotten, HeldUp, TargetContext
from simulator.targets._shapes import (
    as_reply,
    as_target_error,
    check_size,
    reply_of,
    reply_values,
)

_MESSAGE_LIMIT = 16 * BODY_LIMIT  # bytes of a message: a character may take 12, escaped
_WENT_TO = struct.Struct("!QQ")  # a question's number, and the thread that it went to
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from simulator.targets._isolated import serve; serve(*map(int, sys.argv[2:]))"
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
            why = f"its process ended and mogi can't restart it: {error}"
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
            ours.sendall(_packed(order))
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
                sock=self._channel, limit=_MESSAGE_LIMIT
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
            self._writer.write(_packed({"do": do, **more}))

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
        went_to = dict(_WENT_TO.iter_unpack(whole[: len(whole) // _WENT_TO.size * _WENT_TO.size]))
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


def _packed(message: Mapping[str, Any]) -> bytes:
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


# What runs in that process.


def serve(channel: int, trace: int, went: int) -> NoReturn:
    """Answer questions until nobody asks any more, then end without waiting for the bot."""
    for handed in (channel, trace, went):
        os.set_inheritable(handed, False)  # noqa: FBT003 - a program that the bot starts has no use for it
    file = os.fdopen(trace, "w", encoding="utf-8", buffering=1)
    faulthandler.enable(file, all_threads=True)
    leave, here = os._exit, os.getpid()

    def end(status: int) -> NoReturn:
        """As faulthandler would say it of a signal."""
        if os.getpid() != here:  # a copy that the bot made of this process
            leave(status)
        frames = reversed(traceback.extract_stack()[:-1])
        file.write(f"Current thread 0x{threading.get_ident():x} (most recent call first):\n")
        file.writelines(f'  File "{f.filename}", line {f.lineno} in {f.name}\n' for f in frames)
        leave(status)

    os._exit = end
    signal.signal(signal.SIGINT, lambda *_: None)  # Ctrl-C is for mogi, which ends this process
    try:
        asyncio.run(_Server(socket.socket(fileno=channel), went).serve())
    finally:
        sys.stdout.flush()
        leave(0)


class _Server:
    def __init__(self, channel: socket.socket, went: int) -> None:
        self._channel = channel
        self._went = open(went, "wb", buffering=0)  # noqa: SIM115 (as long as the process)
        self._held_up: dict[int, Callable[[], Awaitable[Reply]]] = {}
        self._tasks: dict[int, asyncio.Task[None]] = {}

    async def serve(self) -> None:
        reader, self._writer = await asyncio.open_connection(
            sock=self._channel, limit=_MESSAGE_LIMIT
        )
        with suppress(OSError):
            try:
                self._target = _opened(json.loads(await reader.readline()))
            except InputError as error:
                wrong = [[c.file, c.line, c.message] for c in error.complaints]
                self._writer.write(_packed({"wrong": wrong}))
                await self._writer.drain()
                return
            self._writer.write(_packed({}))
            while line := await reader.readline():
                message = json.loads(line)
                if message["do"] == "close":
                    await self._part("close")
                    return
                self._do(**message)

    def _do(self, do: str, number: int = 0, **more: Any) -> None:
        match do:
            case "answer":
                self._begin(number, partial(self._target.answer, more["question"], _talk(more)))
            case "again":
                self._begin(number, self._held_up.pop(number))
            case "cancel" if number in self._tasks:
                self._tasks[number].cancel()
            case "leave":
                self._tasks[-1] = asyncio.create_task(self._part("leave", more["episode"]))

    def _begin(self, number: int, ask: Callable[[], Awaitable[Any]]) -> None:
        self._tasks[number] = asyncio.create_task(self._answer(number, ask))

    async def _answer(self, number: int, ask: Callable[[], Awaitable[Any]]) -> None:
        _threads.ENTERED.set(partial(self._entered, number))
        try:
            reply = as_reply(await ask())
            check_size(reply)
            values = {**reply_values(reply), "notes": reply.notes}
            data = _packed({"number": number, "reply": values})
        except HeldUp as held_up:
            self._held_up[number] = held_up.again
            data = _packed({"number": number, "held_up": str(held_up)})
        except asyncio.CancelledError:
            data = _packed({"number": number, "cancelled": True})
        except BaseException as error:  # noqa: BLE001 - told there
            failure = as_target_error(error)
            data = _packed({"number": number, "fault": failure.fault, "message": str(failure)})
        self._writer.write(data)
        del self._tasks[number]

    def _entered(self, number: int) -> None:
        self._went.write(_WENT_TO.pack(number, threading.get_ident()))

    async def _part(self, name: str, *args: str) -> None:
        part = getattr(self._target, name, None)
        if part is not None:
            with suppress(Exception):
                await part(*args)


def _opened(order: dict[str, Any]) -> Any:
    os.chdir(order["cwd"])
    kind = plugins.find("targets", order["kind"])
    context = TargetContext(
        folder=Path(order["folder"]),
        language=order["language"],
        knowledge=None,
        chat=None,
        prompts=_no_prompt,
        timeout_s=order["timeout_s"],
        stateful=order["stateful"],
    )
    return kind.open(kind.Settings(**order["settings"]), context)


def _no_prompt(name: str) -> NoReturn:
    raise InputError(f"a bot in its own process has no prompt {name!r}")


def _talk(order: dict[str, Any]) -> Talk:
    talk = Talk(order["episode"], take=order["take"])
    for user, assistant in order["history"]:
        talk = talk.with_exchange(Utterance(user), Reply(assistant))
    return talk
