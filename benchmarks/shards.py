"""50,000 conversations on PostgreSQL by four processes beside one: the same figures?

`python -m benchmarks shards`. The server is one of the tests' own, on this machine.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from typing import Any

from benchmarks.process import ROOT
from tests.postgresql import running_server

CONVERSATIONS, PROCESSES = 50_000, 4
_TALKS = 94  # of the demo
_MOGI = [sys.executable, "-c", "from simulator.cli.app import main; main()"]
_VARIES = {"run", "started", "finished", "wall_s", "metrics_ms", "waits"}


def main(rounds: int, conversations: int = CONVERSATIONS) -> None:
    """Print how long each takes, and which figures differ."""
    del rounds
    print(f"\nshards: {conversations:,} conversations of the demo, PostgreSQL")
    with running_server() as url, tempfile.TemporaryDirectory() as folder:
        whole = _played(folder, url, conversations, [()])
        parts = [("--shard", f"{n}/{PROCESSES}", "--run-key", "1") for n in range(1, PROCESSES + 1)]
        last = _played(folder, url, conversations, parts)
    differing = [k for k in whole if k not in _VARIES and whole[k] != last[k]]
    print(f"  figures that differ: {', '.join(differing) or 'none'}")


def _played(
    folder: str, url: str, conversations: int, parts: Sequence[tuple[str, ...]]
) -> dict[str, Any]:
    """What the process says that ends last, of those that play a part each at the same time."""
    began = time.monotonic()
    repeat = ("--repeat", str(conversations // _TALKS + 1), "--limit", str(conversations))
    command = [*_MOGI, "run", "demo", *repeat, "--store", url, "--json"]
    running = [
        subprocess.Popen(
            [*command, *part],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for part in parts
    ]
    ends = [json.loads(process.communicate()[0]) for process in running]
    seconds = time.monotonic() - began
    whole: dict[str, Any] = next(end for end in ends if end["status"] != "running")
    print(
        f"  {len(parts)} at once: {seconds:6.0f} s, {whole['conversations']:,} conversations,"
        f" {whole['status']}"
    )
    return whole
