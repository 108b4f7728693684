"""Processes: none is left behind, whatever a program does and however its talk ends."""

import asyncio
import os
from pathlib import Path

import pytest

from simulator.core.errors import TargetFault
from simulator.core.talk import Talk, TargetFailure
from simulator.targets import command
from simulator.targets.command import Command
from tests.targets.command.programs import ASKED, LOOP, Opened
from tests.targets.fakes import guarded
from tests.waiting import PATIENCE_S, pass_time, until, until_now


def _is_there(pid: int, *, zombies: bool) -> bool:
    try:
        os.kill(pid, 0)
        return zombies or "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text("utf-8")
    except (ProcessLookupError, FileNotFoundError):
        return False


def _until_gone(family: list[int]) -> None:
    """A program and its child go, the program itself from the system's table too."""
    parent, child = family
    until_now(lambda: not (_is_there(parent, zombies=True) or _is_there(child, zombies=False)))


# Says its own number and that of a program that it has started, and goes on.
PARENT = (
    "import subprocess\n"
    "child = subprocess.Popen(['sleep', '600'])\n"
    "said = json.dumps(f'{os.getpid()} {child.pid}')\n"
)


async def _family(target: Command, episode: str) -> list[int]:
    return [int(pid) for pid in (await target.answer("q", Talk(episode))).text.split()]


@pytest.mark.parametrize("after", ["", "for line in sys.stdin: pass\ntime.sleep(600)"])
async def test_a_talk_that_is_over_leaves_no_process_behind(program: Opened, after: str) -> None:
    """Neither of one that leaves by itself, nor of one that ignores the end of its input."""
    target = program(f"{PARENT}{ASKED}print(said)\n{after}")
    family = await _family(target, "a")
    leaving = asyncio.create_task(target.leave("a"))
    await asyncio.sleep(0)
    pass_time(60)  # it would have had to leave by now
    await leaving
    _until_gone(family)


async def test_a_program_has_time_to_leave_by_itself(
    program: Opened, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(command, "_PATIENCE_S", PATIENCE_S)
    target = program(f"{LOOP}    print('\"a\"')\nopen('left', 'w').close()")
    await target.answer("q", Talk("a"))
    await target.leave("a")
    assert (tmp_path / "left").exists()


async def test_the_end_of_the_run_ends_all(program: Opened) -> None:
    target = program(f"{PARENT}{ASKED}print(said)\ntime.sleep(600)")
    families = [await _family(target, episode) for episode in ("a", "b")]
    await target.close()
    for family in families:
        _until_gone(family)


@pytest.mark.parametrize("per", ["talk", "turn"])
async def test_one_that_hangs_is_killed_with_all_that_it_started(
    program: Opened, tmp_path: Path, per: str
) -> None:
    text = f"{PARENT}open('pids', 'w').write(json.loads(said) + '.')\ntime.sleep(600)"
    guard = guarded(program(text, per=per), timeout_s=PATIENCE_S)
    asked = asyncio.create_task(guard.answer("q", Talk("a")))
    pids = tmp_path / "pids"
    await until(lambda: pids.exists() and pids.read_text("utf-8").endswith("."))
    pass_time(PATIENCE_S)
    said = await asked
    assert isinstance(said, TargetFailure)
    assert TargetFault.TIMEOUT == said.fault
    _until_gone([int(pid) for pid in pids.read_text("utf-8").rstrip(".").split()])


async def test_the_program_is_not_in_mogis_own_session(program: Opened) -> None:
    """Ctrl-C reaches the session of the terminal: mogi alone."""
    target = program(f"{ASKED}print(json.dumps(str(os.getsid(0))))\ntime.sleep(600)")
    assert str(os.getsid(0)) != (await target.answer("q", Talk("a"))).text
