"""Where other people's code runs: on threads that mogi never has to wait for.

Everything here is a daemon thread. A thread pool joins its threads when the process ends, so one
bot that hangs would keep the whole process from ending.
"""

import asyncio
import contextvars
import inspect
import threading
import weakref
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, InvalidStateError, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import Any

from simulator.core.talk import Reply
from simulator.targets._context import HeldUp
from simulator.targets._shapes import as_target_error

# An event loop that does not turn for so long when asked to is held by somebody. Seconds.
_GRACE = 0.5
# Called on the thread that a bot is asked on, before it is.
ENTERED: contextvars.ContextVar[Callable[[], None] | None] = contextvars.ContextVar(
    "ENTERED", default=None
)


class Stalled(Exception):
    """The loop that a call was on is blocked, and not by this call."""


async def in_thread(work: Callable[[], Any]) -> Any:
    """What `work` returns, run in a thread of its own; when the wait is cancelled it is left.

    Raises:
        TargetError: it raised anything, SystemExit and KeyboardInterrupt included.
    """
    return await asyncio.wrap_future(_THREADS.submit(_blamed, work))


class BotLoop:
    """An event loop in a thread of its own, where a bot's coroutines run beside each other.

    One loop serves all calls, since bots share clients among them that are bound to their loop.
    A call that blocks it stops the others. This comes to light when the first of them runs out
    of time: then the loop is dead, and all that were stopped learn it (`Stalled`).
    """

    def __init__(self) -> None:
        self.dead = False
        self._calls: set[_Call] = set()
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=_turn, args=(self._loop,), name="mogi-bots", daemon=True).start()
        # The loop ends when nobody has a use for it any more; nothing is done at exit.
        weakref.finalize(self, _post, self._loop, self._loop.stop).atexit = False

    async def run(self, work: Callable[[], Any]) -> Any:
        """What `work`, called on the loop, returns or, if that can be awaited, comes to.

        Raises:
            TargetError: it raised anything, SystemExit and CancelledError included.
            Stalled: another call blocks the loop.
        """
        call = _Call(work)
        self._calls.add(call)
        _post(self._loop, call.start)
        try:
            return await asyncio.wrap_future(call.outcome)
        except (asyncio.CancelledError, Stalled) as error:
            _post(self._loop, call.cancel)
            if await self._is_held_by_another(call):
                raise Stalled from error
            raise
        finally:
            self._calls.discard(call)

    async def _is_held_by_another(self, call: "_Call") -> bool:
        if not self.dead and await self._turns():
            return False
        self._bury()
        return not call.is_running(self._loop)

    async def _turns(self) -> bool:
        pong: Future[None] = Future()
        _post(self._loop, _settle, pong)
        done, _ = await asyncio.wait([asyncio.wrap_future(pong)], timeout=_GRACE)
        return bool(done)

    def _bury(self) -> None:
        """Give the loop up and wake all that wait in vain; the call that holds it may go on."""
        self.dead = True
        for call in self._calls:
            if not call.is_running(self._loop):
                _settle(call.outcome, error=Stalled())


class _Call:
    """One call on a bot's loop. All but `outcome` and `is_running` is touched by that loop only."""

    def __init__(self, work: Callable[[], Any]) -> None:
        self.outcome: Future[Any] = Future()
        self.outcome.set_running_or_notify_cancel()  # who gives up waiting cannot take it back
        self._work = work
        self._context = contextvars.copy_context()
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        self._task = asyncio.get_running_loop().create_task(self._run(), context=self._context)

    def cancel(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def is_running(self, loop: asyncio.AbstractEventLoop) -> bool:
        return self._task is not None and asyncio.current_task(loop) is self._task

    async def _run(self) -> None:
        try:
            _enter()
            value = self._work()
            if inspect.isawaitable(value):
                value = await value
        except BaseException as error:  # noqa: BLE001 - raised where it is awaited
            _settle(self.outcome, error=as_target_error(error))
        else:
            _settle(self.outcome, value)


class _Threads(ThreadPoolExecutor):
    """What a bot's `asyncio.to_thread` runs on; its threads can be left behind as well."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()
        context = contextvars.copy_context()

        def run() -> None:
            try:
                value = context.run(fn, *args, **kwargs)
            except BaseException as error:  # noqa: BLE001 - raised where it is awaited
                future.set_exception(error)
            else:
                future.set_result(value)

        threading.Thread(target=run, name="mogi-bot", daemon=True).start()
        return future


_THREADS = _Threads()


def _enter() -> None:
    if (entered := ENTERED.get()) is not None:
        entered()


def _blamed(work: Callable[[], Any]) -> Any:
    try:
        _enter()
        return work()
    except BaseException as error:  # noqa: BLE001 - raised where it is awaited
        failure = as_target_error(error)
        raise failure from failure.__cause__


def _settle(future: Future[Any], value: Any = None, error: Exception | None = None) -> None:
    with suppress(InvalidStateError):  # it was given up
        if error is None:
            future.set_result(value)
        else:
            future.set_exception(error)


def _post(loop: asyncio.AbstractEventLoop, callback: Callable[..., Any], *args: Any) -> None:
    with suppress(RuntimeError):  # the loop is closed: nobody is there to be told
        loop.call_soon_threadsafe(callback, *args)


def _turn(loop: asyncio.AbstractEventLoop) -> None:
    asyncio.set_event_loop(loop)
    loop.set_default_executor(_Threads())
    while True:
        try:
            loop.run_forever()
            break
        except (SystemExit, KeyboardInterrupt):  # from a task that the bot started: the loop stays
            continue
    loop.run_until_complete(_drain(loop))
    loop.close()


async def _drain(loop: asyncio.AbstractEventLoop) -> None:
    """End what the bot left running on its loop."""
    tasks = asyncio.all_tasks(loop) - {asyncio.current_task(loop)}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await loop.shutdown_asyncgens()


# Gives the loop to run a bot on; it is made when first asked for.
Loop = Callable[[], BotLoop]


class SharedLoop:
    """The event loop that the calls of one bot share; a new one follows one that was blocked."""

    def __init__(self) -> None:
        self._loop: BotLoop | None = None

    async def answer(self, ask: Callable[[Loop], Awaitable[Reply]]) -> Reply:
        """What `ask` comes to, given the shared loop.

        Raises:
            HeldUp: another call blocks the loop; `again` asks on a loop apart.
        """
        try:
            return await ask(self._current)
        except Stalled:
            raise HeldUp(partial(ask, BotLoop)) from None

    def _current(self) -> BotLoop:
        if self._loop is None or self._loop.dead:
            self._loop = BotLoop()
        return self._loop
