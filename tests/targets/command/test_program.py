"""Processes: none is left behind, whatever a program does and however its talk ends."""

import os
import time
from pathlib import Path

import pytest

from simulator.core.errors import TargetFault
from simulator.core.talk import Talk, TargetFailure
from simulator.targets.command import Command
from tests.targets.command.programs import LOOP, Opened
from tests.targets.fakes import guarded


def _is_there(pid: int, *, zombies: bool) -> bool:
    try:
        os.kill(pid, 0)
        return zombies or "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text("utf-8")
    except (ProcessLookupError, FileNotFoundError):
        return False


def _gone(family: list[int]) -> bool:
    """Whether a program and its child are gone, the program itself from the system's table too."""
    parent, child = family
    until = time.monotonic() + 5
    while time.monotonic() < until:
        if not _is_there(parent, zombies=True) and not _is_there(child, zombies=False):
            return True
        time.sleep(0.01)
    return False


# Says its own number and that of a program that it has started, and goes on.
PARENT = (
    "import subprocess\n"
    "child = subprocess.Popen(['sleep', '60'])\n"
    "said = json.dumps(f'{os.getpid()} {child.pid}')\n"
)


async def _family(target: Command, episode: str) -> list[int]:
    return [int(pid) for pid in (await target.answer("q", Talk(episode))).text.split()]


@pytest.mark.parametrize("after", ["", "for line in sys.stdin: pass\ntime.sleep(60)"])
async def test_a_talk_that_is_over_leaves_no_process_behind(program: Opened, after: str) -> None:
    """Neither of one that leaves by itself, nor of one that ignores the end of its input."""
    target = program(f"{PARENT}sys.stdin.readline()\nprint(said)\n{after}")
    family = await _family(target, "a")
    await target.leave("a")
    assert _gone(family)


async def test_a_program_has_time_to_leave_by_itself(program: Opened, tmp_path: Path) -> None:
    target = program(f"{LOOP}    print('\"a\"')\nopen('left', 'w').close()")
    await target.answer("q", Talk("a"))
    await target.leave("a")
    assert (tmp_path / "left").exists()


async def test_the_end_of_the_run_ends_all(program: Opened) -> None:
    target = program(f"{PARENT}print(said)\ntime.sleep(60)")
    families = [await _family(target, episode) for episode in ("a", "b")]
    await target.close()
    assert all(map(_gone, families))


@pytest.mark.parametrize("per", ["talk", "turn"])
async def test_one_that_hangs_is_killed_with_all_that_it_started(
    program: Opened, tmp_path: Path, per: str
) -> None:
    text = f"{PARENT}open('pids', 'w').write(json.loads(said))\ntime.sleep(60)"
    said = await guarded(program(text, per=per), timeout_s=0.7).answer("q", Talk("a"))
    assert isinstance(said, TargetFailure)
    assert TargetFault.TIMEOUT == said.fault
    assert _gone([int(pid) for pid in (tmp_path / "pids").read_text("utf-8").split()])


async def test_the_program_is_not_in_mogis_own_session(program: Opened) -> None:
    """Ctrl-C reaches the session of the terminal: mogi alone."""
    target = program("print(json.dumps(str(os.getsid(0))))\ntime.sleep(60)")
    assert str(os.getsid(0)) != (await target.answer("q", Talk("a"))).text
