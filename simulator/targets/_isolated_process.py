"""What runs in the process of an isolated bot; see `_isolated`."""

import asyncio
import faulthandler
import json
import os
import signal
import socket
import sys
import threading
import traceback
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from simulator import plugins
from simulator.core.errors import InputError
from simulator.core.talk import Reply, Talk, Utterance
from simulator.targets import _threads
from simulator.targets._context import HeldUp, TargetContext
from simulator.targets._isolated import MESSAGE_LIMIT, WENT_TO, packed
from simulator.targets._shapes import as_reply, as_target_error, check_size, reply_values


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
            sock=self._channel, limit=MESSAGE_LIMIT
        )
        with suppress(OSError):
            try:
                self._target = _opened(json.loads(await reader.readline()))
            except InputError as error:
                wrong = [[c.file, c.line, c.message] for c in error.complaints]
                self._writer.write(packed({"wrong": wrong}))
                await self._writer.drain()
                return
            self._writer.write(packed({}))
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
            data = packed({"number": number, "reply": values})
        except HeldUp as held_up:
            self._held_up[number] = held_up.again
            data = packed({"number": number, "held_up": str(held_up)})
        except asyncio.CancelledError:
            data = packed({"number": number, "cancelled": True})
        except BaseException as error:  # noqa: BLE001 - told there
            failure = as_target_error(error)
            data = packed({"number": number, "fault": failure.fault, "message": str(failure)})
        self._writer.write(data)
        del self._tasks[number]

    def _entered(self, number: int) -> None:
        self._went.write(WENT_TO.pack(number, threading.get_ident()))

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
    raise InputError(f"a bot in a process of its own has no prompt {name!r}")


def _talk(order: dict[str, Any]) -> Talk:
    talk = Talk(order["episode"], take=order["take"])
    for user, assistant in order["history"]:
        talk = talk.with_exchange(Utterance(user), Reply(assistant))
    return talk
