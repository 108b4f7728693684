"""The one check command: all of it, or with ROOM… what belongs to a room, in about a minute.

A room is a folder of simulator/ or tests/, or a file of tests/ (`readme`, `shape`); `--rooms` lists
them. Of a room these tests are run: its own, those elsewhere that import it (unless more than a
fifth of all do, as of `core`), the commands named after it or one of its modules (tests/e2e), and
those of the architecture. ruff, mypy and import-linter check the whole project each time; they run
beside the tests.
"""

import argparse
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parent.parent
TESTS = ROOT / "tests"
CODE = ROOT / "simulator"

PYTHON = [sys.executable, "-m"]
STATIC = {
    "ruff format": [*PYTHON, "ruff", "format", "--check", "."],
    "ruff check": [*PYTHON, "ruff", "check", "."],
    "mypy": [*PYTHON, "mypy"],
    "import-linter": [str(Path(sys.executable).parent / "lint-imports")],
}
# Neighbours stay on one worker, which has then computed once what they share.
PYTEST = [*PYTHON, "pytest", "-q", "-n", "auto", "--dist", "worksteal"]
SLOW = ["-m", "slow or not slow"]
# A room that more of all test files than this import is the ground that they stand on.
GROUND = 1 / 5


def rooms() -> list[str]:
    """All that can be checked by itself, by name."""
    folders = {p.parent.name for p in [*CODE.glob("*/__init__.py"), *TESTS.glob("*/test_*.py")]}
    files = {p.stem.removeprefix("test_") for p in TESTS.glob("test_*.py")}
    return sorted(folders | files)


@cache
def _rooms_used() -> dict[Path, set[str]]:
    """The rooms that each test file speaks of."""
    used = {}
    for path in sorted(TESTS.rglob("test_*.py")):
        text = path.read_text("utf-8")
        lists = re.findall(r"from simulator import (.*)", text)
        used[path] = {
            *re.findall(r"\b(?:simulator|tests)\.(\w+)", text),
            *re.findall(r"\w+", " ".join(lists)),
        }
    return used


def files_of(room: str) -> set[Path]:
    """The test files that say whether a room is right."""
    files = _rooms_used()
    own = {p for p in files if TESTS / room in p.parents or p == TESTS / f"test_{room}.py"}
    others = {p for p, used in files.items() if p not in own and room in used}
    if len(others) > GROUND * len(files):
        others = set()
    return own | others | {p for p in files if _is_command_of(room, p)}


def _is_command_of(room: str, file: Path) -> bool:
    """Whether a test of the command line is named after a room or one of its modules."""
    modules = {p.stem for p in (CODE / room).glob("[a-z]*")} if (CODE / room).is_dir() else set()
    name = file.stem.removeprefix("test_").removeprefix("run_")
    named = any(name == word or name.startswith(f"{word}_") for word in {room, *modules})
    return file.parent.name == "e2e" and named


# Where bytecode is not written, each process compiles the whole package anew.
_ENVIRONMENT = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


def _checked(command: list[str]) -> tuple[int, str]:
    done = subprocess.run(
        command, cwd=ROOT, text=True, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    return done.returncode, done.stdout


def check(pytest: list[str]) -> list[str]:
    """Run pytest, and all that reads the code beside it; the names of what failed."""
    failed = []
    with ThreadPoolExecutor(1) as beside:
        static = {name: beside.submit(_checked, command) for name, command in STATIC.items()}
        print("== pytest", flush=True)  # noqa: T201
        if subprocess.run(pytest, cwd=ROOT, env=_ENVIRONMENT, check=False).returncode:
            failed.append("pytest")
        for name, done in static.items():
            status, printed = done.result()
            print(f"== {name}\n{printed}", end="", flush=True)  # noqa: T201
            if status:
                failed.append(name)
    return failed


def main() -> int:
    """Check, all of it even when one thing fails; 0 when all passed."""
    parser = argparse.ArgumentParser(
        prog="python -m tests", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("rooms", nargs="*", metavar="ROOM", help="only this room (default: all)")
    parser.add_argument("--slow", action="store_true", help="run the slow tests, too")
    parser.add_argument("--rooms", action="store_true", dest="wants_list", help="list the rooms")
    asked = parser.parse_args()
    if asked.wants_list:
        print("\n".join(rooms()))  # noqa: T201
        return 0
    if unknown := sorted(set(asked.rooms) - set(rooms())):
        parser.error(f"no such room: {', '.join(unknown)}; --rooms lists them")
    files = {TESTS / "test_shape.py"}.union(*map(files_of, asked.rooms)) if asked.rooms else set()
    pytest = [*PYTEST, *(SLOW if asked.slow else []), *sorted(map(str, files))]
    failed = check(pytest)
    print(f"== failed: {', '.join(failed)}" if failed else "== all checks passed")  # noqa: T201
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
