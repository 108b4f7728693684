"""Records, episodes and headers for the tests of the store."""

from dataclasses import replace
from typing import Any

from simulator.core.outcome import Gap, MetricInfo, Score, Unscored
from simulator.core.plan import Cell
from simulator.core.ports import CallId, CallRecord, Role, Usage
from simulator.core.run import Episode, RunHeader, Turn
from simulator.core.talk import Document, Exchange, Reply, Stop, StopReason

HEADER = RunHeader(
    id="a1b2c3d4",
    client="demo",
    folder="/clients/demo",
    language="ja",
    timezone="Asia/Tokyo",
    started="2026-11-21T06:00:00+00:00",
    offline=True,
    score_by="lexical",
    planned=3,
    metrics=(MetricInfo("lexical", "Lexical overlap", needs=("answer", "elements")),),
    thresholds={"lexical": 0.5},
    gate=None,
    version="0.1.0",
    secret="5ec4e7",
)


def header(run: str, **changed: Any) -> RunHeader:
    return replace(HEADER, id=run, **changed)


def record(episode: str = "login/angry/1", turn: int = 1, **changed: Any) -> CallRecord:
    """A call of the user's model, which cost 0.25 USD and 10 + 5 tokens."""
    made = CallRecord(
        call=CallId(episode, turn, Role.USER),
        digest="d1",
        response='{"text": "ログインできません"}',
        model="gpt",
        usage=Usage(10, 5, 2),
        cost_usd=0.25,
        latency_ms=12.5,
    )
    return replace(made, **changed)


def exchanged(episode: str, turn: int, said: str) -> CallRecord:
    """What the journal keeps of one question to the bot."""
    call = CallId(episode, turn, Role.TARGET, "exchange")
    return CallRecord(call, "d", f'{{"question": "{said}"}}')


def episode(scenario: str, text: str = "パスワードを再設定してください") -> Episode:
    """A conversation of one turn."""
    reply = Reply(text, (Document("本文", "faq-1", "題"),), 200.0)
    turn = Turn(
        Exchange(1, "ログインできません", reply, "困った", 150.0),
        {"lexical": Score(0.5, 3.0, "半分"), "overall": Unscored(Gap.JUDGE_REFUSED, "no")},
        flags=("lexical",),
        flagged=True,
        blames=("generation",),
        soundness=("repeats",),
        judge_ms=20.0,
    )
    return Episode(Cell(scenario, "angry"), (turn,), Stop(StopReason.DONE, "満足"))
