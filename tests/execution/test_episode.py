import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from simulator.core.concurrency import Halt
from simulator.core.errors import HaltReason, ModelError, ModelFault, RunStopped
from simulator.core.events import Event, TurnScored
from simulator.core.outcome import MetricInfo, Outcomes, Score, is_bug
from simulator.core.plan import Cell
from simulator.core.ports import Evidence
from simulator.core.talk import Reply, Stop, StopReason, Talk, TargetFailure, Utterance
from simulator.core.traffic import Stream
from simulator.execution import episodes, scoring
from simulator.execution.cast import Cast
from simulator.execution.episodes import play
from simulator.execution.plan import Options, make_plan
from simulator.execution.scoring import Scorer
from tests.execution.clients import client
from tests.waiting import settle

CELL = Cell("shipping", "calm")
Act = Callable[[int], Awaitable[None]]


async def nothing(turn: int) -> None: ...


class Actor:
    """User, target and metric in one; each does what it is told at a turn."""

    infos = (MetricInfo("lexical", "Lexical"),)

    def __init__(self, *, says: Act = nothing, answers: Act = nothing, scores: Act = nothing):
        self._says, self._answers, self._scores = says, answers, scores
        self.log: list[str] = []

    async def speak(self, talk: Talk) -> Utterance:
        await self._says(talk.next_turn)
        self.log.append(f"said {talk.next_turn}")
        stop = Stop(StopReason.DONE) if talk.next_turn == 3 else None
        return Utterance(f"question {talk.next_turn}", stop)

    def unasked(self, talk: Talk) -> tuple[str, ...]:
        return ("How much?",)

    async def answer(self, question: str, talk: Talk) -> Reply | TargetFailure:
        await self._answers(talk.next_turn)
        self.log.append(f"answered {talk.next_turn}")
        return Reply(f"answer {talk.next_turn}")

    async def leave(self, episode: str) -> None:
        self.log.append(f"left {episode}")

    async def close(self) -> None: ...

    async def score(self, evidence: Evidence) -> Outcomes:
        await self._scores(len(evidence.talk))
        self.log.append(f"scored {len(evidence.talk)}")
        return {"lexical": Score(0.4, 0.4)}


class Whole:
    """A metric of the whole talk: how many turns it took, of ten."""

    infos = (MetricInfo("turns", "Turns", scope="talk"),)

    async def score_talk(self, evidence: Evidence, stop: Stop) -> Outcomes:
        return {"turns": Score(len(evidence.talk) / 10, len(evidence.talk), str(stop.reason))}


class Seen(Stream):
    def __init__(self) -> None:
        super().__init__()
        self.scored: list[tuple[str, float | None, bool]] = []

    def emit(self, event: Event) -> None:
        if isinstance(event, TurnScored):
            self.scored.append((event.episode, event.score, event.flagged))


def cast(cwd: Path, actor: Actor) -> Cast:
    plan = make_plan(client(cwd, "max_turns: 3\n"), Options())
    judge = Scorer([actor], {"lexical": 0.5}, "lexical")
    return Cast(plan, actor, lambda cell, faults: actor, judge)


async def test_every_turn_is_held_and_judged(tmp_path: Path) -> None:
    seen = Seen()
    episode = await play(CELL, cast(tmp_path, Actor()), seen)
    assert (CELL, StopReason.DONE) == (episode.cell, episode.stop.reason)
    assert ["question 1", "question 2", "question 3"] == [t.exchange.user for t in episode.turns]
    assert [{"lexical": Score(0.4, 0.4)}] * 3 == [t.outcomes for t in episode.turns]
    assert [("shipping/calm/1", 0.4, True)] * 3 == seen.scored


async def test_a_detector_that_crashes_on_a_later_turn_is_a_bug_of_that_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def detector(evidence: Evidence) -> tuple[str, ...]:
        if len(evidence.talk) > 1:
            raise ZeroDivisionError("ours")
        return ()

    for module in (episodes, scoring):
        monkeypatch.setattr(module, "soundness", detector)
    episode = await play(CELL, cast(tmp_path, Actor()), Seen())
    crashed = [any(map(is_bug, turn.outcomes.values())) for turn in episode.turns]
    assert [False, True, True] == crashed


async def test_what_a_talk_that_was_cut_short_never_came_to_is_kept(tmp_path: Path) -> None:
    whole = cast(tmp_path, Actor())
    client = replace(whole.plan.client, max_turns=2)
    short = replace(whole, plan=replace(whole.plan, client=client))
    ends = [(await play(CELL, made, Seen())).stop for made in (whole, short)]
    assert [(StopReason.DONE, ()), (StopReason.MAX_TURNS, ("How much?",))] == [
        (end.reason, end.unasked) for end in ends
    ]


async def test_the_whole_talk_is_judged_at_its_end_and_flags_its_last_turn(
    tmp_path: Path,
) -> None:
    made = cast(tmp_path, Actor())
    made = replace(made, judge=Scorer([Whole()], {"turns": 0.5}, "lexical"))
    episode = await play(CELL, made, Seen())
    assert {"turns": Score(0.3, 3, "done")} == episode.outcomes
    assert [(), (), ("turns",)] == [turn.flags for turn in episode.turns]
    assert [False, False, True] == [turn.flagged for turn in episode.turns]


async def test_a_turn_is_judged_while_the_next_one_is_made(tmp_path: Path) -> None:
    next_one_answered = asyncio.Event()

    async def answers(turn: int) -> None:
        if turn == 2:
            next_one_answered.set()

    async def scores(turn: int) -> None:
        if turn == 1:
            await next_one_answered.wait()  # would wait forever if judging held up the talk

    actor = Actor(answers=answers, scores=scores)
    episode = await play(CELL, cast(tmp_path, actor), Seen())
    assert [1, 2, 3] == [t.exchange.turn for t in episode.turns]


async def test_judgements_in_flight_end_when_the_talk_breaks_off(tmp_path: Path) -> None:
    broke = asyncio.Event()

    async def answers(turn: int) -> None:
        if turn == 2:
            broke.set()
            raise Halt().throw(HaltReason.BUDGET, "no money left")

    async def scores(turn: int) -> None:
        await broke.wait()
        await asyncio.sleep(0.01)

    actor = Actor(answers=answers, scores=scores)
    with pytest.raises(RunStopped, match="no money"):
        await play(CELL, cast(tmp_path, actor), Seen())
    assert ["scored 1", "left shipping/calm/1"] == actor.log[-2:]


async def test_a_judge_out_of_reach_leaves_the_episode_unfinished(tmp_path: Path) -> None:
    async def scores(turn: int) -> None:
        if turn == 1:
            raise ModelError(ModelFault.UNAVAILABLE, "nobody answers")

    actor = Actor(scores=scores)
    with pytest.raises(ModelError, match="nobody answers"):
        await play(CELL, cast(tmp_path, actor), Seen())
    assert "scored 3" in actor.log  # what was paid for is not given up


async def test_a_cancelled_episode_leaves_no_task_behind(tmp_path: Path) -> None:
    async def forever(turn: int) -> None:
        await asyncio.sleep(60)

    async def second(turn: int) -> None:
        if turn == 2:
            await asyncio.sleep(60)

    before = asyncio.all_tasks()
    task = asyncio.create_task(
        play(CELL, cast(tmp_path, Actor(answers=second, scores=forever)), Seen())
    )
    await settle()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert before == asyncio.all_tasks()
