"""Running one contender in a process of its own and reading what it cost."""

import json
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_AGAIN_S = 0.5  # where what broke it off was lost, as in a callback
ROOT = Path(__file__).parent.parent


def contender(module: str, *args: str, cwd: Path | None = None) -> dict[str, Any]:
    """Run `python -m module args`; its last line of output is a JSON object of figures."""
    done = subprocess.run(
        [sys.executable, "-m", module, *args],
        cwd=cwd or ROOT,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin", "OPENAI_API_KEY": "sk-benchmark"},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{module} {' '.join(args)} failed:\n{done.stderr}")
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return figures


@contextmanager
def chat_server(latency_s: float, module: str = "benchmarks.server") -> Iterator[str]:
    """A fake chat server in its own process; yields its base URL."""
    command = [sys.executable, "-m", module, str(latency_s)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().strip()
        finally:
            server.kill()


class Meter:
    """CPU seconds of this process and wall seconds since it was made; peak memory in MB."""

    def __init__(self) -> None:
        self._wall = time.perf_counter()
        self._cpu = time.process_time()

    def figures(self, conversations: int) -> dict[str, float]:
        """What it cost so far."""
        peak_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return {
            "cpu_ms": 1000 * (time.process_time() - self._cpu) / conversations,
            "wall_s": time.perf_counter() - self._wall,
            "peak_mb": peak_kb / 1024,
        }


class _TooLong(BaseException):
    """What it does takes too long; nobody who takes errors is to take it for one."""


def cpu_seconds(work: Callable[[], object], most: float) -> float:
    """CPU seconds that something takes; twice what it may take at most, if it was broken off."""

    def stop(*_: object) -> None:
        raise _TooLong

    signal.signal(signal.SIGVTALRM, stop)
    began = time.process_time()
    try:
        signal.setitimer(signal.ITIMER_VIRTUAL, most, _AGAIN_S)
        try:
            work()
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    except _TooLong:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        return 2 * most
    return time.process_time() - began
