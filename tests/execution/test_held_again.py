"""A conversation whose user is not sound is held once more: what is kept, paid and told."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from simulator.core.plan import Cell
from simulator.core.ports import Role
from simulator.core.run import Episode, Run
from simulator.core.talk import StopReason
from simulator.execution.stored_talks import run_to_rejudge
from simulator.store.store import Store
from tests.execution.played import Bot, played, requested, url
from tests.loopback.server import ChatServer

LEAK = {"thought": "", "message": "思考：まだ足りない。海外は？", "stop": "none", "reason": ""}
GOOD = {"thought": "", "message": "海外だといくらですか。", "stop": "none", "reason": ""}
DONE = {"thought": "", "message": "", "stop": "done", "reason": "分かった"}
SCENARIO = "- {id: shipping, query: 送料はいくらですか, expected: {elements: [500円]}}\n"
CELL = Cell("shipping", "calm")
AGAIN = "この会話は二度目です"


def is_told(body: dict[str, Any]) -> bool:
    return AGAIN in body["messages"][-1]["content"]


def lines(server: ChatServer, more: str) -> str:
    return (
        f'user: {{model: mock, base_url: "{server.base_url}"}}\n'
        "metrics: [lexical]\nscore_by: lexical\nprices: {mock: {input: 100, output: 100}}\n" + more
    )


async def run_of(cwd: Path, server: ChatServer, bot: Bot | None = None, **said: Any) -> Run:
    more = said.pop("lines", "max_turns: 2\n")
    request = requested(
        cwd, lines(server, more), bot=bot, scenarios=SCENARIO, personas=("calm",),
        concurrency=1, **said,
    )  # fmt: skip
    return await played(request)


def saved(cwd: Path, run: Run) -> tuple[Episode, dict[str, list[float | None]]]:
    with Store.read(url(cwd)) as store:
        return store.episode(run.header.id, CELL.key), store.costs_of_takes(run.header.id)


async def test_the_second_take_is_kept_and_the_first_breaks_off_unheard(tmp_path: Path) -> None:
    class Leaving(Bot):
        async def leave(self, episode: str) -> None:
            self.asked.append(f"left {episode}")

    bot = Leaving()
    async with ChatServer(lambda body: GOOD if is_told(body) else LEAK) as server:
        run = await run_of(tmp_path, server, bot)
    episode, paid = saved(tmp_path, run)
    key = CELL.key
    assert [f"{key}: 送料はいくらですか", f"left {key}"] == bot.asked[:2]
    assert [f"{key}: {q}" for q in ("送料はいくらですか", GOOD["message"])] == bot.asked[2:4]
    assert (2, ("leaked_thought",)) == (episode.takes, episode.rerun_for)
    assert ["送料はいくらですか", GOOD["message"]] == [t.exchange.user for t in episode.turns]
    assert [(), ()] == [turn.soundness for turn in episode.turns]
    assert StopReason.MAX_TURNS == episode.stop.reason
    [(first, second)] = paid.values()
    assert first
    assert second
    assert run.summary.ledger.cost_usd == pytest.approx(first + second)
    assert 2 == run.summary.ledger.calls[Role.USER]
    assert 3 == run.summary.ledger.calls[Role.TARGET]


async def test_what_was_wrong_is_told_at_the_end_of_the_prompt(tmp_path: Path) -> None:
    async with ChatServer(lambda body: GOOD if is_told(body) else LEAK) as server:
        await run_of(tmp_path, server)
        first, second = (asked.body["messages"] for asked in server.requests)
    assert first[:-1] == second[:-1]
    head = first[-1]["content"]
    assert second[-1]["content"].startswith(head)
    assert "心の声" in second[-1]["content"].removeprefix(head)


async def test_who_is_unsound_again_stays_and_is_marked(tmp_path: Path) -> None:
    async with ChatServer(lambda body: LEAK) as server:
        run = await run_of(tmp_path, server)
        assert 2 == server.count  # it is not held a third time
    episode, _ = saved(tmp_path, run)
    assert 2 == episode.takes
    assert [(), ("leaked_thought",)] == [turn.soundness for turn in episode.turns]


async def test_a_sound_conversation_is_held_once(tmp_path: Path) -> None:
    async with ChatServer(lambda body: DONE) as server:
        run = await run_of(tmp_path, server)
    episode, paid = saved(tmp_path, run)
    assert (1, ()) == (episode.takes, episode.rerun_for)
    assert StopReason.DONE == episode.stop.reason
    assert {} == paid


async def test_who_is_content_with_a_question_back_stopped_at_once(tmp_path: Path) -> None:
    class AskingBack(Bot):
        async def answer(self, question: str, talk: Any) -> Any:
            reply = await super().answer(question, talk)
            return replace(reply, text="国内でしょうか、海外でしょうか？")

    async with ChatServer(lambda body: GOOD if is_told(body) else DONE) as server:
        run = await run_of(tmp_path, server, AskingBack())
        assert "窓口が返事を待っている" in server.requests[-1].said
    episode, _ = saved(tmp_path, run)
    assert (2, ("stopped_at_once",)) == (episode.takes, episode.rerun_for)


@pytest.mark.parametrize("calls", [1, 2])
async def test_broken_off_anywhere_it_goes_on_and_pays_nothing_twice(
    tmp_path: Path, calls: int
) -> None:
    bot = Bot()
    async with ChatServer(lambda body: LEAK if len(body["messages"]) < 5 else GOOD) as server:
        limits = f"max_turns: 3\nlimits: {{calls: {calls}}}\n"
        broken = await run_of(tmp_path, server, bot, lines=limits)
        assert (calls, 1) == (server.count, broken.summary.unfinished)
        run = await run_of(tmp_path, server, bot, lines="max_turns: 3\n", resume=broken.header.id)
        assert 3 == server.count
    asked = ["送料はいくらですか", "送料はいくらですか", LEAK["message"], GOOD["message"]]
    assert [f"{CELL.key}: {question}" for question in asked] == bot.asked
    episode, paid = saved(tmp_path, run)
    assert 2 == episode.takes
    assert [True] == [all(takes) for takes in paid.values()]


async def test_judged_again_it_is_still_known_that_it_was_held_twice(tmp_path: Path) -> None:
    async with ChatServer(lambda body: LEAK) as server:
        run = await run_of(tmp_path, server)
    request = requested(tmp_path, scenarios=SCENARIO)
    found = run_to_rejudge(url(tmp_path), run.header.id, request.loaded)
    [talk] = found.talks()
    assert ("leaked_thought",) == talk.rerun_for
