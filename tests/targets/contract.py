"""The one contract that every target passes, whatever the bot behind it does.

A test class of a target inherits `Contract` and says in `target` how its bot is made to act: the
question names the act. Code of other people passes `ForeignCode` too.
"""

import asyncio
import json
import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest

from simulator.core.bounds import CUT_MARK, MAX_TEXT
from simulator.core.concurrency import Halt
from simulator.core.errors import HaltReason, RunStopped, TargetFault
from simulator.core.events import CallMade
from simulator.core.plan import TargetCaps
from simulator.core.ports import CallId, Role, Target
from simulator.core.talk import Reply, Talk, TargetFailure
from simulator.core.traffic import call_event
from tests.targets.fakes import MemoryJournal, Watcher, guarded, talk_of
from tests.waiting import pass_time, until

PLAIN = "A plain answer."
LONG = "長" * 1_000_000
DEADLINE = 20.0


class BrokenError(Exception):
    """An error whose text cannot be read."""

    def __str__(self) -> str:
        raise ValueError("broken")


class Bot:
    """What the bots of all targets do, said once. Thread-safe."""

    def __init__(self) -> None:
        self.released = threading.Event()
        self.asked: list[str] = []
        self.most_at_once = 0
        self._at_once = 0
        self._lock = threading.Lock()

    def enter(self, question: str) -> None:
        with self._lock:
            self.asked.append(question)
            self._at_once += 1
            self.most_at_once = max(self.most_at_once, self._at_once)

    def leave(self) -> None:
        with self._lock:
            self._at_once -= 1

    def block(self) -> None:
        """Hold whatever thread this is called on, until the test is over."""
        self.released.wait(30)

    @staticmethod
    def say(act: str) -> object:
        """The answer of every act that is over at once."""
        match act:
            case "raise":
                raise ValueError("out of\x00 order \ud800")
            case "empty":
                return " \u200b\n"
            case "long":
                return LONG
            case "surrogate":
                return "a\ud800b\x00c\r\nd"
        return PLAIN

    @staticmethod
    def misbehave(act: str) -> object:
        """The answers that only code of other people gives, and those of `say`."""
        if act in _RAISED:
            raise _RAISED[act]
        return _NONSENSE[act] if act in _NONSENSE else Bot.say(act)


_RAISED = {
    "exit": SystemExit(3),
    "interrupt": KeyboardInterrupt(),
    "cancelled": asyncio.CancelledError(),
    "stop iteration": StopIteration("no more"),
    "broken error": BrokenError(),
    "time out": TimeoutError("its own backend was slow"),
}
_NONSENSE = {"none": None, "number": 42, "mapping": {"result": "text"}}


class Contract:
    """What holds for every target, behind its guard."""

    @pytest.fixture
    def bot(self) -> Iterator[Bot]:
        bot = Bot()
        yield bot
        bot.released.set()

    @pytest.fixture
    def target(self, bot: Bot) -> Target:
        raise NotImplementedError("a target's test says here how its bot acts")

    async def test_an_answer_comes_back_with_its_latency(self, target: Target) -> None:
        said = await guarded(target).answer("plain", Talk("e"))
        assert isinstance(said, Reply)
        assert PLAIN == said.text
        assert said.latency_ms > 0

    async def test_a_slow_answer_is_waited_for(self, target: Target) -> None:
        said = await guarded(target).answer("slow", Talk("e"))
        assert isinstance(said, Reply)
        assert said.latency_ms >= 15

    async def test_one_that_hangs_is_a_timeout_and_the_others_go_on(self, target: Target) -> None:
        guard = guarded(target, timeout_s=DEADLINE)
        hung = asyncio.create_task(guard.answer("hang", Talk("h")))
        others = await asyncio.gather(*(guard.answer("slow", Talk(f"e{i}")) for i in range(5)))
        pass_time(DEADLINE)
        assert TargetFailure(TargetFault.TIMEOUT, "no answer within 20 s") == _untimed(await hung)
        assert [PLAIN] * 5 == [o.text for o in others if isinstance(o, Reply)]

    async def test_an_exception_is_a_failure_with_its_type_and_text(self, target: Target) -> None:
        said = await guarded(target).answer("raise", Talk("e"))
        expected = TargetFailure(TargetFault.RAISED, "ValueError: out of order \ufffd")
        assert expected == _untimed(said)

    async def test_no_visible_text_is_an_empty_answer(self, target: Target) -> None:
        said = await guarded(target).answer("empty", Talk("e"))
        assert isinstance(said, TargetFailure)
        assert TargetFault.EMPTY == said.fault

    async def test_an_answer_of_a_megabyte_is_kept_whole_and_cut_where_it_is_used(
        self, target: Target
    ) -> None:
        journal = MemoryJournal()
        said = await guarded(target, journal=journal).answer("long", Talk("e"))
        assert isinstance(said, Reply)
        assert (MAX_TEXT, True) == (len(said.text), said.text.endswith(CUT_MARK))
        [record] = journal.records.values()
        assert len(LONG) == len(json.loads(record.response)["reply"]["text"])

    async def test_what_breaks_stores_and_screens_is_cleaned(self, target: Target) -> None:
        said = await guarded(target).answer("surrogate", Talk("e"))
        assert isinstance(said, Reply)
        assert "a\ufffdbc\nd" == said.text

    async def test_the_cap_on_concurrency_is_kept_and_used(self, target: Target, bot: Bot) -> None:
        guard = guarded(target, caps=TargetCaps(concurrency=3))
        await asyncio.gather(*(guard.answer("slow", Talk(f"e{i}")) for i in range(12)))
        assert 3 == bot.most_at_once

    async def test_an_answer_is_in_the_journal_before_it_is_returned(self, target: Target) -> None:
        journal, watcher = MemoryJournal(), Watcher()
        guard = guarded(target, journal=journal, watcher=watcher)
        said = await guard.answer("plain", talk_of(("hello", "hi")))
        (record,) = journal.records.values()
        stored = json.loads(record.response)
        assert isinstance(said, Reply)
        assert CallId("e/p/1", 2, Role.TARGET, "exchange") == record.call
        assert ("plain", PLAIN) == (stored["question"], stored["reply"]["text"])
        assert said.latency_ms == record.latency_ms
        # A busy machine makes it wait for its turn, and the event says so.
        assert [call_event("", record)] == [replace(call, why="") for call in watcher.calls]

    @pytest.mark.parametrize("act", ["plain", "raise", "long", "surrogate"])
    async def test_a_resumed_run_does_not_ask_again(
        self, target: Target, bot: Bot, act: str
    ) -> None:
        journal, watcher = MemoryJournal(), Watcher()
        before = await guarded(target, journal=journal).answer(act, Talk("e"))
        asked = len(bot.asked)
        after = await guarded(target, journal=journal, watcher=watcher).answer(act, Talk("e"))
        assert before == after
        assert (asked, 1) == (len(bot.asked), journal.committed)
        assert [True] == [isinstance(call, CallMade) and call.recalled for call in watcher.calls]

    async def test_a_halted_run_asks_nothing_more(self, target: Target, bot: Bot) -> None:
        halt = Halt()
        halt.throw(HaltReason.BUDGET, "spent")
        with pytest.raises(RunStopped):
            await guarded(target, halt=halt).answer("plain", Talk("e"))
        assert [] == bot.asked


class ForeignCode(Contract):
    """What holds for targets that run code of other people in this process."""

    async def test_one_that_blocks_fails_alone(self, target: Target, bot: Bot) -> None:
        patient = guarded(target, timeout_s=50 * DEADLINE)
        early = [asyncio.create_task(patient.answer("slow", Talk(f"a{i}"))) for i in range(3)]
        await until(lambda: 3 == bot.asked.count("slow"))
        blocked = asyncio.create_task(
            guarded(target, timeout_s=DEADLINE).answer("block", Talk("b"))
        )
        await until(lambda: "block" in bot.asked)
        late = [asyncio.create_task(patient.answer("slow", Talk(f"c{i}"))) for i in range(3)]
        pass_time(DEADLINE)
        others = await asyncio.gather(*early, *late)
        assert [PLAIN] * 6 == [o.text for o in others if isinstance(o, Reply)]
        while not blocked.done():  # it may have had a second chance on a loop of its own
            pass_time(DEADLINE)
            await asyncio.sleep(0.05)
        assert TargetFailure(TargetFault.TIMEOUT, "no answer within 20 s") == _untimed(
            await blocked
        )
        assert isinstance(await patient.answer("plain", Talk("d")), Reply)

    @pytest.mark.parametrize(
        ("act", "fault", "message"),
        [
            ("none", TargetFault.EMPTY, "it answered with None"),
            ("exit", TargetFault.EXITED, "it called sys.exit(3)"),
            ("interrupt", TargetFault.RAISED, "KeyboardInterrupt"),
            ("cancelled", TargetFault.RAISED, "asyncio.exceptions.CancelledError"),
            ("time out", TargetFault.RAISED, "TimeoutError: its own backend was slow"),
            (
                "broken error",
                TargetFault.RAISED,
                "tests.targets.contract.BrokenError: (its text can't be read)",
            ),
        ],
    )
    async def test_its_worst_is_a_failure_of_this_turn(
        self, target: Target, act: str, fault: TargetFault, message: str
    ) -> None:
        guard = guarded(target)
        assert TargetFailure(fault, message) == _untimed(await guard.answer(act, Talk("e")))
        assert isinstance(await guard.answer("plain", Talk("f")), Reply)

    async def test_stop_iteration_is_a_failure_of_this_turn(self, target: Target) -> None:
        said = await guarded(target).answer("stop iteration", Talk("e"))
        assert isinstance(said, TargetFailure)
        assert TargetFault.RAISED == said.fault

    @pytest.mark.parametrize(("act", "shown"), [("number", "int (42)"), ("mapping", "result")])
    async def test_nonsense_is_shown_beside_what_would_be_right(
        self, target: Target, act: str, shown: str
    ) -> None:
        said = await guarded(target).answer(act, Talk("e"))
        assert isinstance(said, TargetFailure)
        assert TargetFault.INVALID == said.fault
        assert shown in said.message
        assert "(text, documents)" in said.message


def _untimed(said: object) -> TargetFailure:
    assert isinstance(said, TargetFailure), said
    return TargetFailure(said.fault, said.message)
