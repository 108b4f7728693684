import argparse
import faulthandler
import random
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from pathlib import Path
from types import FrameType

from tests.bombs.__main__ import peak_mb
from tests.fuzz import __doc__ as told
from tests.fuzz.mutation import mutated
from tests.fuzz.readers import READERS

_HANG_S = 10
_GROWTH_MB = 300
_FINDINGS = 3  # of one reader; then it has enough to do


class HangError(BaseException):
    """One example took too long."""


def tried(name: str, seed: int, folder: Path) -> None:
    """Let a reader read one damaged example; it raises what is a finding."""
    reader, rng = READERS[name], random.Random(f"{name} {seed}")
    path = folder / f"it{reader.suffix}"
    path.write_bytes(mutated(rng.choice(reader.examples), rng, reader.examples))
    try:
        reader.read(path)
    except reader.raises:
        return


def _hung(number: int, frame: FrameType | None) -> None:
    raise HangError(f"more than {_HANG_S} s")


def _fuzzed(name: str, seconds: float, first: int) -> int:
    """How many findings there are; each is shown with its seed."""
    signal.signal(signal.SIGALRM, _hung)
    faulthandler.enable()
    findings: list[str] = []
    seed, until = first, time.monotonic() + seconds
    before = peak_mb()
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < until and len(findings) < _FINDINGS:
            signal.setitimer(signal.ITIMER_REAL, _HANG_S)
            try:
                tried(name, seed, Path(folder))
            except (Exception, HangError) as error:
                signal.setitimer(signal.ITIMER_REAL, 0)
                kind = f"{type(error).__name__} {traceback.extract_tb(error.__traceback__)[-1]}"
                if kind not in findings:
                    findings.append(kind)
                    print(f"{name} seed {seed}:\n{traceback.format_exc(limit=-6)}", flush=True)
            signal.setitimer(signal.ITIMER_REAL, 0)
            seed += 1
    grown = peak_mb() - before
    print(
        f"{name:14} {seed - first:7,} examples, {len(findings)} findings, +{grown} MB", flush=True
    )
    return len(findings) + (grown > _GROWTH_MB)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=told)
    parser.add_argument("readers", nargs="*", choices=[*READERS, []], metavar="READER")
    parser.add_argument("--seconds", type=float, default=60, help="for each reader (60)")
    parser.add_argument("--seed", type=int, default=0, help="of the first example (0)")
    asked = parser.parse_args()
    if len(asked.readers) == 1:
        return int(_fuzzed(asked.readers[0], asked.seconds, asked.seed) > 0)
    wrong = 0
    for name in asked.readers or READERS:  # each in a process of its own: memory counts
        command = [sys.executable, "-m", "tests.fuzz", name, f"--seconds={asked.seconds}"]
        wrong += subprocess.run([*command, f"--seed={asked.seed}"], check=False).returncode != 0
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
