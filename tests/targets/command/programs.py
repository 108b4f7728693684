"""Programs that tests of the command target run: a text in Python becomes a target."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from simulator.targets.command import Command

Opened = Callable[..., Command]

# Else it might be done before it is asked.
ASKED = "sys.stdin.readline()\n"
LOOP = "for n, line in enumerate(sys.stdin):\n    asked = json.loads(line)\n"


def opened(folder: Path, text: str, **settings: Any) -> Command:
    """The target that a Python program is; `text` stands after its imports."""
    (folder / "bot.py").write_text(f"import json, os, sys, time\n{text}", "utf-8")
    arguments = (sys.executable, "-S", "-u", "bot.py")
    return Command(arguments, folder, Command.Settings(command="bot", **settings))
