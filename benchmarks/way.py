"""The way of one reply: from the bot's answer to a red cell of the xlsx and a failed exit.

One conversation of demo-en is played, reported and gated, and every call between functions of the
package is counted from the first answer on. A room is a folder (or a file) of `simulator/`.
"""

import io
import sys
import tempfile
import threading
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import simulator
from simulator.cli.app import run

_HOME = Path(simulator.__file__).parent
_BOT = (str(_HOME / "targets" / "demo.py"), "answer")
_LINES = 10  # rows of each list
_COMMAND = "run demo-en --scenario plan-prices --persona calm --fail-under 0.9 --quiet"


class Way:
    """Counts calls between functions of the package since the bot answered."""

    def __init__(self) -> None:
        self.calls: Counter[tuple[CodeType, CodeType]] = Counter()
        self._answered = False

    def __call__(self, frame: FrameType, event: str, arg: Any) -> None:
        """What `sys.setprofile` calls."""
        code = frame.f_code
        if not self._answered:
            self._answered = event == "return" and (code.co_filename, code.co_name) == _BOT
        elif event == "call" and _is_ours(code):
            caller = frame.f_back
            while caller is not None and not _is_ours(caller.f_code):
                caller = caller.f_back
            if caller is not None:
                self.calls[caller.f_code, code] += 1


def _is_ours(code: CodeType) -> bool:
    return code.co_filename.startswith(str(_HOME))


def _file(code: CodeType) -> str:
    return str(Path(code.co_filename).relative_to(_HOME))


def _room(code: CodeType) -> str:
    return _file(code).split("/")[0].removesuffix(".py")


def main(rounds: int = 1) -> None:
    """Play one conversation and print what its reply passed through."""
    del rounds  # it is counted, not timed
    way = Way()
    threading.setprofile(way)
    with tempfile.TemporaryDirectory() as folder, redirect_stdout(io.StringIO()) as printed:
        command = [*_COMMAND.split(), "--store", f"sqlite:///{folder}/m.db"]
        with redirect_stderr(printed):
            sys.setprofile(way)
            status = run([*command, "--report", f"xlsx={folder}/m.xlsx"])
            sys.setprofile(None)
    threading.setprofile(None)
    codes = {code for pair in way.calls for code in pair}
    edges = Counter({(_room(a), _room(b)): 0 for a, b in way.calls if _room(a) != _room(b)})
    for (a, b), n in way.calls.items():
        if _room(a) != _room(b):
            edges[_room(a), _room(b)] += n
    print(f"\nThe way of one reply (mogi {_COMMAND} --report xlsx=..., exit status {status}):")
    print(
        f"{way.calls.total():,} calls, {len(codes)} functions, {len({*map(_file, codes)})} files, "
        f"{len({*map(_room, codes)})} rooms, {len(edges)} different ways from room to room, "
        f"{sum(edges.values())} room changes"
    )
    for (a, b), n in edges.most_common(_LINES):
        print(f"  {n:5}  {a} → {b}")
    files = Counter(_room(code) for code in {_file(c): c for c in codes}.values())
    print("  files: " + ", ".join(f"{room} {n}" for room, n in files.most_common()))
