"""`mogi` in a process of its own, for what only the system can do to it."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.waiting import PATIENCE_S

ROOT = Path(__file__).parents[2]
START = "from simulator.cli.app import main; main()"
STARVED = f"import resource as r; r.setrlimit(r.RLIMIT_FSIZE, (200_000, 200_000)); {START}"

# Looks up no host and connects to none, whatever is loaded: who tries says so on stderr.
OFFLINE = f"""\
import sys

def watch(event, args):
    if event in {{"socket.connect", "socket.getaddrinfo"}}:
        print("NETWORK", event, args, file=sys.stderr)
        raise OSError("no network here")

sys.addaudithook(watch)
{START}
"""


def process(
    cwd: Path, *args: str, start: str = START, **streams: Any
) -> subprocess.CompletedProcess[str]:
    """Run `mogi ARGS`; `streams` and `timeout` as subprocess.run takes them."""
    command = [sys.executable, "-c", start, *args]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "timeout": PATIENCE_S}
    return subprocess.run(
        command, cwd=cwd, env=environment, text=True, check=False, **{**pipes, **streams}
    )
