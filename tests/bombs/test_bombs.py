"""Each bomb ends with a sentence, in a process that may not take much memory."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.bombs.__main__ import BOMBS

# Far more than any takes on a machine of its own: some seconds, and a third of a gigabyte.
PATIENCE_S = 240
MEMORY = 1_500_000_000


@pytest.mark.slow
@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_ends_with_a_sentence(name: str, tmp_path: Path) -> None:
    BOMBS[name].make(tmp_path)
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "tests.bombs",
            "--light",
            str(tmp_path),
            "--memory",
            str(MEMORY),
            name,
        ],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert "" == done.stderr
    assert " right: " in done.stdout, done.stdout
