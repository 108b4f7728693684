"""How long a person waits: `mogi --help`, and `mogi run demo` from a cold start."""

import statistics
import subprocess
import sys
import tempfile
import time

from benchmarks.process import ROOT


def main(rounds: int) -> None:
    """Print the median wall clock of each command beside what is promised."""
    print("\nstart: whole processes, wall clock, medians")
    for args, promised in ((["--help"], 0.3), (["run", "demo"], 10), (["run", "demo-en"], 10)):
        seconds = [_seconds(args) for _ in range(rounds + 1)][1:]
        name = " ".join(["mogi", *args])
        print(f"  {name:18} {statistics.median(seconds):6.2f} s   (promised <= {promised} s)")


def _seconds(args: list[str]) -> float:
    code = "from simulator.cli.app import main; main()"
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        subprocess.run(
            [sys.executable, "-c", code, *args],
            cwd=folder,
            env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            check=True,
        )
        return time.perf_counter() - began
