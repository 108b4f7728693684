"""A text's first questions asked in one call: who gets which answer, and what is asked alone."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from simulator.core.concurrency import Halt
from simulator.core.errors import HaltReason, ModelError, ModelFault, RunStopped
from simulator.core.plan import Client, ModelSpec, TargetSpec
from simulator.core.ports import CallId, Completion, Role
from simulator.core.talk import Talk
from simulator.llm.accounts import Accounts
from simulator.llm.scripted import ScriptedChat
from tests.loopback.server import ChatServer
from tests.targets.document.text_bots import CARD, HOURS, LENT, by_part, document, listed
from tests.targets.fakes import MemoryJournal, guarded, talk_of
from tests.waiting import settle


async def test_together_one_call_answers_the_first_questions_of_all_talks(tmp_path: Path) -> None:
    chat = ScriptedChat([listed((1, HOURS, "At 9."), (2, CARD, "300 yen."), (3, LENT, "Five."))])
    bot = document(tmp_path, chat, questions=(HOURS, CARD, LENT), together=True)
    replies = await asyncio.gather(
        *(bot.answer(q, Talk(f"{q}/{n}")) for q in (HOURS, CARD, LENT) for n in range(3))
    )
    assert ["At 9."] * 3 + ["300 yen."] * 3 + ["Five."] * 3 == [r.text for r in replies]
    (request,) = chat.requests
    assert CallId("document", 0, Role.TARGET, "together/1") == request.call
    assert f"1. {HOURS}\n2. {CARD}\n3. {LENT}\n" in request.last
    assert ["input.txt"] == [d.id for d in replies[0].documents]


async def test_nothing_is_asked_before_a_listed_question_comes_up(tmp_path: Path) -> None:
    chat = ScriptedChat(["styled"])
    bot = document(tmp_path, chat, questions=(HOURS,), together=True)
    assert "styled" == (await bot.answer(f"Listen! {HOURS}", Talk("e"))).text
    assert [None] == [request.form for request in chat.requests]


async def test_a_follow_up_is_asked_alone_with_the_talk_so_far(tmp_path: Path) -> None:
    chat = ScriptedChat(by_part(listed((1, HOURS, "At 9."))))
    bot = document(tmp_path, chat, questions=(HOURS,), together=True)
    first = await bot.answer(HOURS, Talk("e/p/1"))
    again = await bot.answer(HOURS, talk_of((HOURS, first.text)))
    assert ("At 9.", "alone") == (first.text, again.text)
    assert ["user", "assistant", "user"] == [m.role for m in chat.requests[1].messages[1:]]


async def test_what_the_model_left_out_is_asked_alone_and_said(tmp_path: Path) -> None:
    chat = ScriptedChat(by_part(listed((1, HOURS, "At 9."), (2, CARD, " "))))
    bot = document(tmp_path, chat, questions=(HOURS, CARD, LENT), together=True)
    replies = [await bot.answer(q, Talk("e")) for q in (HOURS, CARD, LENT)]
    assert ["At 9.", "alone", "alone"] == [r.text for r in replies]
    assert () == replies[0].notes
    assert "skipped it" in replies[1].notes[0]


@pytest.mark.parametrize(
    "answer",
    [
        Completion("", fault=ModelFault.REFUSED),
        Completion('{"answers": [', fault=ModelFault.TRUNCATED),
        ModelError(ModelFault.REJECTED, "maximum context length"),
    ],
)
async def test_a_list_without_answers_is_not_asked_again(
    answer: Completion | Exception, tmp_path: Path
) -> None:
    chat = ScriptedChat([answer, "alone", "alone"])
    bot = document(tmp_path, chat, questions=(HOURS, CARD), together=True)
    replies = [await bot.answer(q, Talk("e")) for q in (HOURS, CARD)]
    assert ["alone", "alone"] == [r.text for r in replies]
    assert "the list of all questions got no answers" in replies[1].notes[0]


async def test_a_model_out_of_reach_is_tried_again_by_who_asks_later(tmp_path: Path) -> None:
    chat = ScriptedChat([ModelError(ModelFault.UNAVAILABLE, "503"), listed((1, HOURS, "At 9."))])
    bot = document(tmp_path, chat, questions=(HOURS,), together=True)
    both = await asyncio.gather(
        *(guarded(bot).answer(HOURS, Talk(e)) for e in "ab"), return_exceptions=True
    )
    assert [ModelError, ModelError] == [type(one) for one in both]
    assert "At 9." == (await bot.answer(HOURS, Talk("c"))).text


async def test_a_halted_run_is_halted_for_all_who_wait(tmp_path: Path) -> None:
    chat = ScriptedChat([RunStopped(HaltReason.BUDGET, "spent")])
    bot = document(tmp_path, chat, questions=(HOURS,), together=True)
    both = await asyncio.gather(*(bot.answer(HOURS, Talk(e)) for e in "ab"), return_exceptions=True)
    assert [RunStopped, RunStopped] == [type(one) for one in both]


async def test_one_that_gives_up_does_not_take_the_others_answer_along(tmp_path: Path) -> None:
    asked, go = asyncio.Event(), asyncio.Event()

    class Slow(ScriptedChat):
        async def complete(self, *args: Any, **more: Any) -> Completion:
            asked.set()
            await go.wait()
            return await super().complete(*args, **more)

    chat = Slow([listed((1, HOURS, "At 9."))])
    bot = document(tmp_path, chat, questions=(HOURS,), together=True)
    first = asyncio.create_task(bot.answer(HOURS, Talk("a")))
    await asked.wait()
    second = asyncio.create_task(bot.answer(HOURS, Talk("b")))
    first.cancel()
    go.set()
    assert "At 9." == (await second).text
    assert 1 == len(chat.requests)


async def test_closing_gives_up_what_is_still_asked(tmp_path: Path) -> None:
    class Hanging(ScriptedChat):
        async def complete(self, *args: Any, **more: Any) -> Completion:
            await asyncio.sleep(30)
            return await super().complete(*args, **more)

    bot = document(tmp_path, Hanging([]), questions=(HOURS,), together=True)
    waiting = asyncio.create_task(bot.answer(HOURS, Talk("a")))
    await settle()
    waiting.cancel()
    await bot.close()
    others = asyncio.all_tasks() - {asyncio.current_task(), waiting}
    assert set() == others


async def test_many_questions_are_asked_in_several_lists_each_when_it_is_needed(
    tmp_path: Path,
) -> None:
    questions = [f"Question number {n}?" for n in range(1, 60)]
    chat = ScriptedChat(lambda request: listed((1, "", f"of {request.call.part}")))
    bot = document(tmp_path, chat, questions=questions, together=True)
    first, later = (
        await bot.answer(questions[0], Talk("e")),
        await bot.answer(questions[40], Talk("f")),
    )
    assert ("of together/1", "of together/2") == (first.text, later.text)
    assert 2 == len(chat.requests)


async def test_through_a_real_account_one_call_is_paid_and_a_resume_takes_it_from_the_journal(
    chat_server: ChatServer, tmp_path: Path
) -> None:
    chat_server.answer = lambda body: listed((1, HOURS, "At 9."), (2, CARD, "300 yen."))
    journal = MemoryJournal()
    client = Client("acme", str(tmp_path), "en", TargetSpec("document"))
    spec = ModelSpec("m", 0.0, base_url=chat_server.base_url)
    for _ in range(2):
        async with Accounts(client=client, journal=journal, halt=Halt()) as accounts:
            chat = accounts.chat(spec, Role.TARGET)
            bot = document(tmp_path, chat, questions=(HOURS, CARD), together=True)
            replies = await asyncio.gather(*(bot.answer(q, Talk(q)) for q in (HOURS, CARD)))
            await bot.close()
        assert ["At 9.", "300 yen."] == [r.text for r in replies]
    assert (1, 1) == (chat_server.count, journal.committed)
    form = chat_server.requests[0].body["response_format"]["json_schema"]["schema"]
    item = form["properties"]["answers"]["items"]
    assert ["number", "question", "answer"] == item["required"]
