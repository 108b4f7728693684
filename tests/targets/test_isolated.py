"""A bot in a process of its own: whose question ended it, and what becomes of the others."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NoReturn

import pytest

from simulator.core.errors import InputError, TargetFault
from simulator.core.talk import Document, Reply, Talk, TargetFailure
from simulator.targets._context import Forgotten, TargetContext
from simulator.targets._guard import TargetGuard
from simulator.targets._isolated import Isolated
from tests.targets.fakes import guarded, talk_of
from tests.waiting import PATIENCE_S

BOT = """\
import asyncio, ctypes, os, re, time

HEARD = []

def answer(question, history):
    HEARD.append(question)
    if question == "segfault":
        time.sleep(.2)
        ctypes.string_at(0)
    if question == "kill":
        time.sleep(.2)
        os.kill(os.getpid(), 9)
    if question == "hang":
        time.sleep(600)
    if question == "freeze":
        re.match("(a|a)*$", "a" * 60 + "b")  # holds the interpreter for ever
    if question == "raise":
        raise RuntimeError("no index")
    if question == "documents":
        return "found", [{"id": "d1", "text": "\\ud83d text", "title": "T"}]
    if question == "flood":
        return "found", [{"id": "x" * 40_000_000, "text": "t"}]
    if question == "fork":
        if os.fork() == 0:
            os._exit(3)
        os.wait()
    if question == "history":
        return repr(history)
    if question == "slow":
        time.sleep(.6)
    return question
"""


def context(folder: Path, *, stateful: bool = False) -> TargetContext:
    (folder / "isolated_bot.py").write_text(BOT, "utf-8")

    def none(name: str) -> NoReturn:
        raise KeyError(name)

    return TargetContext(folder, "en", None, None, none, stateful=stateful)


@asynccontextmanager
async def opened(
    folder: Path, *, timeout_s: float = 20.0, stateful: bool = False
) -> AsyncIterator[TargetGuard]:
    settings = {"function": "isolated_bot:answer"}
    target = Isolated("function", settings, context(folder, stateful=stateful))
    guard = guarded(target, timeout_s=timeout_s, stateful=stateful)
    try:
        async with asyncio.timeout(PATIENCE_S):
            yield guard
    finally:
        await guard.close()


async def asked(guard: TargetGuard, *questions: str) -> list[str]:
    """What came of these questions at once: texts, or faults."""
    calls = (guard.answer(q, Talk(f"s{n}/p/1")) for n, q in enumerate(questions))
    return [r.text if isinstance(r, Reply) else r.fault.value for r in await asyncio.gather(*calls)]


async def test_it_answers_as_it_would_here(tmp_path: Path) -> None:
    async with opened(tmp_path) as guard:
        assert ["q", "raised"] == await asked(guard, "q", "raise")
        reply = await guard.answer("documents", Talk("a/p/1"))
        assert isinstance(reply, Reply)
        assert (Document("� text", "d1", "T"),) == reply.documents
        assert reply.reports_documents
        told = await guard.answer("history", talk_of(("a", "b"), ("c", "d")))
        assert isinstance(told, Reply)
        assert "[('a', 'b'), ('c', 'd')]" == told.text


async def test_one_that_floods_ends_neither_its_process_nor_the_others(tmp_path: Path) -> None:
    async with opened(tmp_path) as guard:
        assert ["invalid", "q"] == await asked(guard, "flood", "q")
        assert ["q"] == await asked(guard, "q")


@pytest.mark.slow
@pytest.mark.parametrize("end", ["segfault", "kill"])
async def test_who_ends_it_fails_alone(tmp_path: Path, end: str) -> None:
    async with opened(tmp_path) as guard:
        found = await asked(guard, "slow", end, "slow", "slow", end, "slow")
        assert ["slow", "crashed", "slow", "slow", "crashed", "slow"] == found
        assert ["still there"] == await asked(guard, "still there")


async def test_its_failure_says_how_and_where(tmp_path: Path) -> None:
    async with opened(tmp_path) as guard:
        failure = await guard.answer("segfault", Talk("a/p/1"))
        assert isinstance(failure, TargetFailure)
        assert failure.message.startswith("it ended its process (SIGSEGV")
        assert 'isolated_bot.py", line 9 in answer' in failure.message
        assert "simulator" not in failure.message


async def test_what_a_copy_of_the_process_does_is_not_its_end(tmp_path: Path) -> None:
    async with opened(tmp_path) as guard:
        assert ["fork", "q"] == await asked(guard, "fork", "q")


async def test_one_that_hangs_is_late_and_the_others_go_on(tmp_path: Path) -> None:
    async with opened(tmp_path, timeout_s=2.0) as guard:
        assert ["timeout", "q", "slow"] == await asked(guard, "hang", "q", "slow")


@pytest.mark.slow
async def test_one_that_holds_the_interpreter_is_ended_and_the_others_are_asked_again(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path, timeout_s=3.0) as guard:
        assert ["slow", "timeout", "slow"] == await asked(guard, "slow", "freeze", "slow")
        assert ["q"] == await asked(guard, "q")


async def test_a_bot_that_keeps_the_talk_is_told_it_from_the_beginning(tmp_path: Path) -> None:
    async with opened(tmp_path, stateful=True) as guard:
        talk = Talk("s1/p/1")
        assert isinstance(await guard.answer("q", talk), Reply)
        failure = await guard.answer("kill", Talk("s2/p/1"))
        assert isinstance(failure, TargetFailure)
        assert TargetFault.CRASHED is failure.fault
        with pytest.raises(Forgotten):
            await guard.answer("q", talk_of(("q", "q"), episode="s1/p/1"))
        assert isinstance(await guard.answer("q", talk), Reply)


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda text: "import nothing_there\n" + text, "nothing_there"),
        (lambda text: "import os\nos._exit(0)\n" + text, "opening the bot ended the process"),
        (lambda text: text.replace("def answer", "def other"), "has no 'answer'"),
    ],
)
async def test_one_that_cannot_be_opened_is_wrong_input(
    tmp_path: Path, spoil: Callable[[str], str], said: str
) -> None:
    around = context(tmp_path)
    (tmp_path / "isolated_bot.py").write_text(spoil(BOT), "utf-8")
    with pytest.raises(InputError, match=said):
        Isolated("function", {"function": "isolated_bot:answer"}, around)
