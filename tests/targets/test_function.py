"""A bot that is a Python function, in every way in which it can be one."""

import asyncio
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from simulator.core.errors import InputError, TargetError, TargetFault
from simulator.core.ports import Target
from simulator.core.talk import Document, Reply, Talk
from simulator.targets._context import TargetContext
from simulator.targets.function import Function
from tests.targets.contract import DEADLINE, Bot, ForeignCode
from tests.targets.fakes import guarded, talk_of
from tests.waiting import pass_time, until

History = list[tuple[str, str]]


def _sync(bot: Bot) -> Callable[[str, History], Any]:
    def answer(question: str, history: History) -> Any:
        bot.enter(question)
        try:
            if question in {"hang", "block"}:
                bot.block()
            if question == "slow":
                time.sleep(0.02)
            return bot.misbehave(question)
        finally:
            bot.leave()

    return answer


def _async(bot: Bot) -> Callable[[str, History], Any]:
    async def answer(question: str, history: History) -> Any:
        bot.enter(question)
        try:
            if question == "hang":
                await asyncio.sleep(30)
            if question == "block":
                bot.block()
            if question == "slow":
                await asyncio.sleep(0.02)
            return bot.misbehave(question)
        finally:
            bot.leave()

    return answer


class TestSync(ForeignCode):
    @pytest.fixture
    def target(self, bot: Bot) -> Target:
        return Function.of(_sync(bot))


class TestAsync(ForeignCode):
    @pytest.fixture
    def target(self, bot: Bot) -> Target:
        return Function.of(_async(bot))


class TestAwaitable(ForeignCode):
    """A sync function that returns an awaitable."""

    @pytest.fixture
    def target(self, bot: Bot) -> Target:
        answer = _async(bot)

        def made(question: str, history: History) -> Any:
            return answer(question, history)

        return Function.of(made)


class _Callable:
    async def __call__(self, question: str, history: History) -> str:
        await asyncio.sleep(0)
        return f"{question} after {len(history)}"


async def _with_top_k(top_k: int, question: str, history: History) -> str:
    await asyncio.sleep(0)
    return f"{question} after {len(history)}"


@pytest.mark.parametrize("function", [_Callable(), partial(_with_top_k, 3), _Callable().__call__])
async def test_any_kind_of_async_callable_is_awaited(function: Callable[..., Any]) -> None:
    reply = await Function.of(function).answer("q", talk_of(("a", "b")))
    assert Reply("q after 1") == reply


async def test_the_history_is_new_for_each_call_and_oldest_first() -> None:
    def answer(question: str, history: History) -> str:
        history.append((question, "mine"))
        return repr(history)

    target, talk = Function.of(answer), talk_of(("a", "b"), ("c", "d"))
    first, second = [await target.answer("q", talk) for _ in range(2)]
    assert "[('a', 'b'), ('c', 'd'), ('q', 'mine')]" == first.text == second.text


async def test_the_older_form_gets_the_prompt_and_answers_in_its_history(tmp_path: Path) -> None:
    (tmp_path / "rag_prompt.txt").write_text("Answer briefly: {query}", "utf-8")
    (tmp_path / "older_rag.py").write_text(
        "def rag(query, history, prompt):\n"
        "    history.append((query, f'{prompt} / {len(history)}'))\n"
        "    return None, history, ['doc']\n",
        "utf-8",
    )
    settings = Function.Settings(function="older_rag:rag", prompt="rag_prompt.txt")
    reply = await Function.open(settings, _context(tmp_path)).answer("q", talk_of(("a", "b")))
    assert Reply("Answer briefly: {query} / 1", (Document("doc"),)) == reply


async def test_a_history_of_messages_is_given_where_it_is_asked_for() -> None:
    def rag(query: str, history: list[dict[str, str]], prompt: str) -> Any:
        told = [m["role"] for m in history]
        return None, [*history, {"role": "assistant", "content": ",".join(told)}], None

    target = Function(rag, prompt="p", history="messages")
    assert Reply("user,assistant") == await target.answer("q", talk_of(("a", "b")))


@pytest.mark.parametrize(
    ("file", "content", "complaint"),
    [
        ("missing.txt", None, "can't read"),
        ("latin.txt", b"\xff\xfe", "this is UTF-16, not UTF-8"),
    ],
)
def test_a_prompt_that_cannot_be_read_is_wrong_input(
    tmp_path: Path, file: str, content: bytes | None, complaint: str
) -> None:
    (tmp_path / "prompted_rag.py").write_text("def rag(query, history, prompt): ...", "utf-8")
    if content is not None:
        (tmp_path / file).write_bytes(content)
    settings = Function.Settings(function="prompted_rag:rag", prompt=file)
    with pytest.raises(InputError, match=complaint):
        Function.open(settings, _context(tmp_path))


def test_a_function_that_takes_something_else_is_wrong_input() -> None:
    def answer(question: str) -> str:
        return question

    with pytest.raises(InputError, match=r"\(question, history\), but it is .*answer\(question:"):
        Function.of(answer)


async def test_async_calls_share_one_loop_that_outlives_a_stray_sys_exit() -> None:
    async def leave() -> None:
        raise SystemExit(1)

    loops: list[asyncio.AbstractEventLoop] = []
    strays: list[asyncio.Task[None]] = []

    async def answer(question: str, history: History) -> str:
        loops.append(asyncio.get_running_loop())
        if question == "stray":
            strays.append(asyncio.create_task(leave()))
        await asyncio.sleep(0.01)
        return question

    guard = guarded(Function.of(answer))
    for question in ("stray", "next"):
        said = await guard.answer(question, Talk(question))
        assert (question, True) == (getattr(said, "text", said), loops[0] is loops[-1])
    assert isinstance(strays[0].exception(), SystemExit)


async def test_a_blocked_loop_is_given_up_and_never_used_again() -> None:
    bot = Bot()
    loops: list[asyncio.AbstractEventLoop] = []

    async def answer(question: str, history: History) -> str:
        loops.append(asyncio.get_running_loop())
        if question == "block":
            bot.block()
        return question

    guard = guarded(Function.of(answer), timeout_s=DEADLINE)
    blocked = asyncio.create_task(guard.answer("block", Talk("a")))
    await until(lambda: loops)
    pass_time(DEADLINE)
    await blocked
    await guard.answer("b", Talk("b"))
    await guard.answer("c", Talk("c"))
    bot.released.set()
    assert (True, False) == (loops[1] is loops[2], loops[0] is loops[1])


async def test_a_bot_that_blocks_in_a_task_of_its_own_does_not_fail_the_others() -> None:
    bot = Bot()

    async def block() -> None:
        bot.enter("block")
        bot.block()

    async def answer(question: str, history: History) -> str:
        if question == "block":
            await asyncio.gather(block())
        await asyncio.sleep(0.02)
        return question

    guard = guarded(Function.of(answer), timeout_s=DEADLINE)
    tasks = [asyncio.create_task(guard.answer(f"{i}", Talk(f"{i}"))) for i in range(3)]
    await asyncio.sleep(0)  # they are on their way
    blocked = asyncio.create_task(guard.answer("block", Talk("b")))
    await until(lambda: 1 == len(bot.asked))
    pass_time(DEADLINE)
    said = await asyncio.gather(*tasks)
    await until(lambda: 2 == len(bot.asked))  # since the loop was held up, on one of its own
    pass_time(DEADLINE)
    assert TargetFault.TIMEOUT == getattr(await blocked, "fault", None)
    bot.released.set()
    assert ["0", "1", "2"] == [getattr(s, "text", s) for s in said]


async def test_the_bots_own_threads_do_not_come_from_a_pool() -> None:
    async def answer(question: str, history: History) -> str:
        return await asyncio.to_thread(question.upper)

    target = Function.of(answer)
    assert Reply("Q") == await target.answer("q", Talk("e"))


async def test_an_error_in_the_bots_own_thread_is_the_bots() -> None:
    async def answer(question: str, history: History) -> Any:
        return await asyncio.to_thread(int, question)

    with pytest.raises(TargetError, match="ValueError: invalid literal"):
        await Function.of(answer).answer("q", Talk("e"))


@pytest.fixture(autouse=True)
def _restored_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    import sys

    before = list(sys.path)
    monkeypatch.chdir(tmp_path)
    yield
    sys.path[:] = before


def _context(folder: Path) -> TargetContext:
    def no_prompt(name: str) -> Any:
        raise AssertionError(name)

    return TargetContext(folder, "en", None, None, no_prompt)
