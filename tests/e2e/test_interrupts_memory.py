"""SIGKILL in the middle of runs whose bot keeps the talk by an id that it hands out itself."""

import asyncio
import itertools
import json
import random
import re
import time
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import JUDGEMENT, SAYS, Mogi, is_judge
from tests.e2e.test_interrupts import started, wait_until_called
from tests.loopback.bot import Heard, Sent, serving
from tests.loopback.server import ChatServer

KILLS, AT_ONCE = 4, 4
NAMES = str.maketrans("0123456789", "山川海空花鳥風月星雪")


class Remembering:
    """A bot that is told the question only. `talks`: what it heard under each id that it gave.

    What it heard is in its memory before it answers, as in Dify: who dies meanwhile, and asks
    again under the same id, asks twice.
    """

    def __init__(self) -> None:
        self.talks: dict[str, list[str]] = {}
        self.latency_s = 0.0
        self._numbers = itertools.count(1)

    async def __call__(self, heard: Heard) -> Sent:
        asked = heard.json
        name = asked.get("conversation_id") or f"talk-{next(self._numbers)}"
        said = self.talks.setdefault(name, [])
        said.append(asked["question"])
        answer = " / ".join(said)
        await asyncio.sleep(self.latency_s)
        return {"answer": answer, "conversation_id": name}


@pytest.fixture
def bot(acme: Path) -> Iterator[Remembering]:
    """The bot of `acme`, whose talks have four turns."""
    memory = Remembering()
    with serving(memory) as server:
        path = acme / "client.yaml"
        old = path.read_text("utf-8").replace("max_turns: 2", "max_turns: 4")
        old = old.replace("limits: {", "limits: {target: {per_minute: null}, ")
        target = (
            f'target: {{kind: http, url: "{server.url}/chat", body: {{question: '
            '"{{ question }}"}, carry: {conversation_id: conversation_id}}'
        )
        path.write_text(re.sub("target: .*", target, old, count=1), "utf-8")
        yield memory


def answer(body: dict[str, Any]) -> Any:
    if is_judge(body):
        return JUDGEMENT
    read = json.dumps(body["messages"], ensure_ascii=False)
    shop = str(zlib.crc32(read.encode())).translate(NAMES)
    return {**SAYS, "message": f"{shop}の店ではどうですか"}


def talks(mogi: Mogi) -> list[list[dict[str, Any]]]:
    """The turns of each conversation of the latest run."""
    turns = [json.loads(line) for line in mogi("export", "latest").out.splitlines()]
    return [list(talk) for _, talk in itertools.groupby(turns, lambda turn: turn["episode"])]


def killed(tmp_path: Path, bot: Remembering, model: ChatServer) -> None:
    """Begin the run, and kill it again and again while calls of all kinds are under way."""
    bot.latency_s = model.latency_s = 0.05
    moments = random.Random(12)
    args = ["run", "acme", "--repeat", "4"]
    for _ in range(KILLS):
        with started(tmp_path, *args, "--concurrency", str(AT_ONCE)) as run:
            wait_until_called(model, model.count + moments.randrange(4, 12))
            time.sleep(moments.random() * 0.1)
            assert run.poll() is None
            run.kill()
            run.wait()
        args = ["run", "--resume", "latest"]
    bot.latency_s = model.latency_s = 0


@pytest.mark.slow
def test_kills_mix_up_no_talk_of_a_bot_that_keeps_it_by_its_own_id(
    mogi: Mogi, acme: Path, bot: Remembering, model: ChatServer, tmp_path: Path
) -> None:
    model.answer = answer
    whole = mogi("run", "acme", "--repeat", "4", "--json").json
    assert (16, 64, 16) == (whole["conversations"], whole["turns"], len(bot.talks))
    bot.talks.clear()
    model.count = 0
    killed(tmp_path, bot, model)
    found = mogi("run", "--resume", "latest", "--json").json
    for figure in ("score", "turns", "flagged", "stops", "conversations"):
        assert whole[figure] == found[figure], figure
    # What was said anew was judged already; the bot alone was asked again, and that is counted.
    assert (48, 64) == (found["calls"]["user"], found["calls"]["judge"])
    assert 64 < found["calls"]["target"] <= 64 + 4 * AT_ONCE * KILLS
    heard = Counter(tuple(said) for said in bot.talks.values())
    for turns in talks(mogi):
        asked = [turn["user"] for turn in turns]
        assert [" / ".join(asked[: n + 1]) for n in range(4)] == [t["assistant"] for t in turns]
        assert heard[tuple(asked)] >= 1
    # What was in the middle was begun anew, under an id of its own, and nothing else was.
    assert 16 < len(bot.talks) <= 16 + AT_ONCE * KILLS
    # A model's call was made again only if it was under way: two of a talk at most.
    assert model.count <= 48 + 64 + 2 * AT_ONCE * KILLS
