import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from simulator.core.errors import MogiError
from tests.bombs import __doc__ as told
from tests.bombs import in_files, in_talks, on_the_wire

BOMBS = {**in_files.BOMBS, **in_talks.BOMBS, **on_the_wire.BOMBS}
_LIMIT_S = 60


def light(name: str, folder: Path) -> str:
    """What reading the bomb comes to, as text."""
    try:
        return str(BOMBS[name].light(folder))
    except (MogiError, ValueError) as error:
        return f"{type(error).__name__}: {error}"


def _measured(name: str) -> str:
    with tempfile.TemporaryDirectory() as folder:
        BOMBS[name].make(Path(folder))
        command = [sys.executable, "-m", "tests.bombs", "--light", folder, name]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=_LIMIT_S, check=False
            )
        except subprocess.TimeoutExpired:
            return f"more than {_LIMIT_S} s"
    return done.stdout.strip() or done.stderr.strip()[-200:]


def _here(name: str, folder: Path) -> None:
    before = peak_mb()
    began = time.process_time()
    said = " ".join(light(name, folder).split())
    took = time.process_time() - began
    right = "right" if BOMBS[name].said in said else f"WRONG, without {BOMBS[name].said!r}"
    print(f"{took:6.2f} CPU s {peak_mb():5} MB ({before} before) {right}: {said[:150]}", flush=True)


def peak_mb() -> int:
    """The most memory that this process has held, in MB; getrusage would count its parent's."""
    status = Path("/proc/self/status").read_text("ascii")
    return int(status.partition("VmHWM:")[2].split()[0]) // 1024


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bombs", description=told)
    parser.add_argument("names", nargs="*", choices=[*BOMBS, []], metavar="NAME")
    parser.add_argument("--light", type=Path, metavar="FOLDER", help=argparse.SUPPRESS)
    parser.add_argument("--memory", type=int, help="at most so many bytes (of a --light)")
    chosen = parser.parse_args()
    if chosen.memory:
        resource.setrlimit(resource.RLIMIT_AS, (chosen.memory, chosen.memory))
    for name in chosen.names or BOMBS:
        if chosen.light:
            _here(name, chosen.light)
        else:
            print(f"{name:22} {_measured(name)}", flush=True)


if __name__ == "__main__":
    main()
