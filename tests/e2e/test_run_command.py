"""`mogi run` with a bot that is a program: a process for each talk or turn, none left over."""

import os
import signal
import sys
from pathlib import Path

import pytest

from tests.e2e.conftest import Mogi
from tests.e2e.small_client import small_client
from tests.e2e.test_interrupts import interrupt, started
from tests.waiting import PATIENCE_S, until_now

TALK = f'{{kind: command, command: ["{sys.executable}", my_bot.py]}}'
TURN = TALK.replace("}", ", per: turn}")
ANSWER = """\
import json, sys
from search import search

for line in sys.stdin:
    asked = json.loads(line)
    row = search(asked["question"])
    document = {"id": row["id"], "text": row["content"], "title": row["title"]}
    print(json.dumps({"answer": row["content"], "documents": [document]}), flush=True)
"""
BREAKS = "import sys\nsys.exit('no index was found')\n"
HANGS = """\
import os, sys, time
sys.stdin.readline()
with open("pids", "a") as file:
    print(os.getpid(), file=file)
time.sleep(3600)
"""


@pytest.mark.parametrize("target", [TALK, TURN])
def test_a_program_answers_and_its_documents_reach_the_metrics(
    mogi: Mogi, tmp_path: Path, target: str
) -> None:
    small_client(tmp_path, target, my_bot=ANSWER)
    done = mogi("run", "shop", "--json")
    assert 0 == done.status, done.err
    found = done.json
    assert (3, 0) == (found["conversations"], found["failures"]["target"])
    assert 1.0 == found["metrics"]["retrieval_hit"]["mean"]
    assert 1.0 == found["metrics"]["elements_lexical"]["mean"]


def test_a_program_that_breaks_is_a_finding_with_its_last_words(mogi: Mogi, tmp_path: Path) -> None:
    small_client(tmp_path, TALK, my_bot=BREAKS)
    done = mogi("run", "shop")
    assert 3 == done.status  # nothing at all could be scored
    assert "exit status 1: no index was found" in mogi("show", "latest", "returns").out


def test_a_program_that_is_not_there_is_wrong_input(mogi: Mogi, tmp_path: Path) -> None:
    small_client(tmp_path, '{kind: command, command: "./my_bto.py"}', my_bot=ANSWER)
    done = mogi("run", "shop")
    assert 2 == done.status
    assert "client.yaml: target.command: there is no file" in done.err


@pytest.mark.slow
def test_an_interrupt_ends_the_programs_too(tmp_path: Path) -> None:
    client = small_client(tmp_path, TALK, my_bot=HANGS)
    pids = client / "pids"
    with started(tmp_path, "run", "shop") as run:
        until_now(lambda: pids.exists() and 3 == len(pids.read_text("utf-8").splitlines()))
        interrupt(run)
        run.send_signal(signal.SIGINT)
        _, err = run.communicate(timeout=PATIENCE_S)
    assert 130 == run.returncode, err
    programs = [int(pid) for pid in pids.read_text("utf-8").split()]
    until_now(lambda: not any(map(_is_there, programs)))


def _is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
