"""What others wrote is worked out in a process of its own, which has little memory and time.

Counting (see `bounds`) ends what it knows of. What it does not know of ends here: the process is
killed. A process is started when something needs it, is used again, and has nothing of the
environment. There are two: one for expressions of a client's files, from which only JSON comes
back, and one that runs nothing but mogi's own looks at long texts.
"""

import asyncio
import atexit
import json
import os
import pickle
import select
import signal
import subprocess
import sys
from base64 import b64decode, b64encode
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from threading import Event, Lock, Thread
from typing import IO, Any, NoReturn, ParamSpec, TypeVar, cast

from simulator.core.bounds import LONG_TEXT, WORK_MB, WORK_S, TooMuch

try:
    import resource
except ImportError:  # not a POSIX system: only counting bounds it there
    resource = None  # type: ignore[assignment]

_PATIENCE = 4  # times `WORK_S` by the clock: other processes want their turn, too
_CHUNK = 1 << 20
_START = (
    "import json, sys; sys.path[:] = json.loads(sys.argv[1]); "
    "from simulator.core.worker import serve; serve()"
)
_TOO_MUCH = f"takes more than {WORK_S} s or {WORK_MB:,} MB to evaluate; simplify it"
_BROKEN = "can't be evaluated: its process didn't start, or ended"


HAS_CONFINED = Event()
"""Set once there is an expression that is worked out apart: `beside` waits for it in a thread."""
P = ParamSpec("P")
T = TypeVar("T")


async def apart(size: int, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """What `work`, a function of a module of mogi's, makes of texts of so many characters.

    Where they are long, a process that can be killed works it out, and others go on meanwhile.

    Raises:
        TooMuch: it takes too long, or too much memory.
        ValueError: as `work`, with its text.
    """
    if size <= LONG_TEXT:
        return work(*args, **kwargs)
    return await asyncio.to_thread(_looked_at, work, args, kwargs)


def _looked_at(work: Callable[..., T], args: tuple[Any, ...], kwargs: dict[str, Any]) -> T:
    if resource is None:
        return work(*args, **kwargs)
    value = _value(_reader, work, _packed((args, kwargs)))
    return cast("T", pickle.loads(b64decode(value)))  # noqa: S301  of mogi's own code alone


def _packed(value: object) -> str:
    return b64encode(pickle.dumps(value)).decode()


def confined(work: Callable[..., Any], *args: Any) -> Any:
    """What `work`, a function of a module of mogi's, makes of JSON-like data.

    Raises:
        TooMuch: it takes too long, or too much memory.
        ValueError: as `work`, with its text.
    """
    if resource is None:
        return work(*args)
    return _value(_worker, work, args)


def _value(worker: "_Worker", work: Callable[..., Any], args: object) -> Any:
    answer = worker.ask(json.dumps([work.__module__, work.__qualname__, args]).encode())
    if "refused" in answer:
        raise TooMuch(answer["refused"])
    if "wrong" in answer:
        raise ValueError(answer["wrong"])
    return answer["value"]


class _Worker:
    """The process; any number of threads may ask it, one after the other."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, order: bytes) -> dict[str, Any]:
        """Its answer; where it gives none, it is ended."""
        with self._lock:
            process = self._running()
            try:
                line = _exchanged(process, order)
            except BaseException:
                self.end()
                raise
            if not line.endswith(b"\n"):
                self.end()
                is_broken = process.returncode > 0  # it was not killed
                return {"refused": _BROKEN if is_broken else _TOO_MUCH}
            answer: dict[str, Any] = json.loads(line)
            return answer

    def end(self) -> None:
        """Kill it, if it runs."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()

    def _running(self) -> "subprocess.Popen[bytes]":
        if self._process is None or self._process.poll() is not None:
            self.end()
            command = [sys.executable, "-I", "-c", _START, json.dumps(sys.path)]
            pipe = subprocess.PIPE
            self._process = subprocess.Popen(  # noqa: S603  no words of others
                command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env={}, bufsize=0
            )
        return self._process


def _exchanged(process: "subprocess.Popen[bytes]", order: bytes) -> bytes:
    """What the process answers, up to the end of its line, or what came of it in time."""
    to, back = cast("IO[bytes]", process.stdin), cast("IO[bytes]", process.stdout)
    os.set_blocking(to.fileno(), False)
    left, parts = memoryview(order + b"\n"), [b""]
    waiting = select.poll()  # not `select`, which knows 1,024 descriptors only
    waiting.register(back, select.POLLIN)
    waiting.register(to, select.POLLOUT)
    while not parts[-1].endswith(b"\n"):
        ready = dict(waiting.poll(WORK_S * _PATIENCE * 1000))
        if not ready:
            break
        if to.fileno() in ready:
            with suppress(BlockingIOError):
                try:
                    left = left[os.write(to.fileno(), left[:_CHUNK]) :]
                except BrokenPipeError:
                    break
            if not left:
                waiting.unregister(to)
        if back.fileno() in ready:
            part = os.read(back.fileno(), _CHUNK)
            if not part:
                break
            parts.append(part)
    return b"".join(parts)


_worker, _reader = _Worker(), _Worker()


def _end() -> None:
    _worker.end()
    _reader.end()


atexit.register(_end)


def _forget() -> None:
    """In a copy of this process: the workers are the other one's."""
    global _worker, _reader
    _worker, _reader = _Worker(), _Worker()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def serve() -> NoReturn:
    """Work until nobody asks any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for mogi, which ends this process
    Thread(target=_end_with_mogi, daemon=True).start()
    with suppress(OSError, ValueError):
        most = WORK_MB * 1024**2
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    for line in sys.stdin.buffer:
        used = resource.getrusage(resource.RUSAGE_SELF)
        seconds = int(used.ru_utime + used.ru_stime) + WORK_S + 1
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, resource.RLIM_INFINITY))
        sys.stdout.buffer.write(_answer(line) + b"\n")
        sys.stdout.buffer.flush()
    os._exit(0)


def _end_with_mogi() -> None:
    """Wait until mogi is gone, whatever ended it, and end as well."""
    asking = select.poll()
    asking.register(sys.stdin, 0)  # that nobody can write to it any more is always reported
    asking.poll()
    os._exit(0)


def _answer(line: bytes) -> bytes:
    try:
        module, name, args = json.loads(line)
        work = getattr(import_module(module), name)
        if not isinstance(args, str):
            return json.dumps({"value": work(*args)}).encode()
        given, named = pickle.loads(b64decode(args))  # noqa: S301  of mogi itself
        return json.dumps({"value": _packed(work(*given, **named))}).encode()
    except MemoryError:
        return json.dumps({"refused": _TOO_MUCH}).encode()
    except TooMuch as error:
        return json.dumps({"refused": str(error)}).encode()
    except (ValueError, RecursionError) as error:
        return json.dumps({"wrong": str(error)}).encode()
    except Exception as error:  # noqa: BLE001 - who asked tells of it
        return json.dumps({"wrong": f"{type(error).__name__}: {error}"}).encode()
