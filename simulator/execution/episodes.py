"""Many conversations at once, each held and judged: a turn is judged while the next one is made."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

from simulator.build.cast import Cast
from simulator.build.plan import is_scripted
from simulator.converse import converse
from simulator.core.concurrency import Halt, all_done, work_off
from simulator.core.plan import Cell, Client
from simulator.core.ports import Evidence, Observer
from simulator.core.run import Episode, Kind, RecordedTalk, Turn
from simulator.core.talk import Stop, StopReason, Talk
from simulator.core.verdict import Verdict
from simulator.judging.scorer import Scorer
from simulator.store.store import Store


async def play(cell: Cell, cast: Cast, observer: Observer) -> Episode:
    """Hold one conversation to its end.

    Raises:
        RunStopped: the run was halted; what was paid for is in the journal.
        ModelError: infrastructure (UNAVAILABLE); the episode may be tried again.
        StoreError: something could not be saved.
    """
    client = cast.plan.client
    evidence = Evidence(
        language=client.language,
        persona=cast.plan.personas[cell.persona],
        scenario=cast.plan.scenarios[cell.scenario],
        talk=Talk(cell.key),
        guidelines=client.guidelines,
        scripted=is_scripted(client.user.kind or ""),
    )
    stop = Stop(StopReason.MAX_TURNS)
    judging: list[asyncio.Task[Turn]] = []
    try:
        speaker = cast.speaker(cell)
        async for event in converse(speaker, cast.target, cell.key, client.max_turns):
            if isinstance(event, Stop):
                stop = event
                continue
            talk = Talk(cell.key, (*evidence.talk.exchanges, event))
            evidence = replace(evidence, talk=talk)
            judging.append(asyncio.create_task(judge_turn(evidence, cast.judge, observer)))
        turns = await asyncio.gather(*judging)
    except asyncio.CancelledError:
        for task in judging:
            task.cancel()
        raise
    finally:
        # Judgements in flight are paid for: they are waited for and stand in the journal, even
        # when the talk broke off or one of them failed.
        await asyncio.gather(*judging, return_exceptions=True)
        await cast.target.leave(cell.key)
    return await cast.judge.as_whole(Episode(cell, tuple(turns), stop), evidence)


async def judge_turn(evidence: Evidence, judge: Scorer, observer: Observer) -> Turn:
    """One turn with its outcomes, told to the observer. Raises what `Judge.score` raises."""
    turn = await judge.score(evidence)
    observer.turn_scored(evidence.talk.episode, judge.headline(turn), flagged=turn.flagged)
    return turn


@dataclass(frozen=True, slots=True)
class Work:
    """What a run still has to do, and where its episodes are saved.

    `complete` holds the keys of episodes that an earlier start of this run finished.
    """

    run: str
    store: Store
    halt: Halt
    observer: Observer
    complete: Set[str]


class Job(NamedTuple):
    """One episode: its place in the plan, from 0, its key, and what makes it."""

    ordinal: int
    key: str
    make: Callable[[], Awaitable[Episode]]


async def play_all(cast: Cast, work: Work, concurrency: int) -> None:
    """Play every cell that is not complete yet, `concurrency` at a time."""
    jobs = (
        Job(ordinal, cell.key, partial(play, cell, cast, work.observer))
        for ordinal, cell in enumerate(cast.plan.cells())
    )
    left = cast.plan.conversations() - len(work.complete)
    await _carry_out(jobs, work, min(concurrency, left))


async def _carry_out(jobs: Iterable[Job], work: Work, concurrency: int) -> None:
    """Make and save every episode that is not complete yet, as `core.concurrency.work_off` does."""

    async def make(job: Job) -> None:
        episode = await job.make()
        await work.store.save_episode(work.run, job.ordinal, episode)
        work.observer.episode_ended(job.key, episode.stop.reason)

    left = (job for job in jobs if job.key not in work.complete)
    await work_off(left, make, work.halt, concurrency)


@dataclass(frozen=True, slots=True)
class Recorded:
    """Talks that are to be judged: those of a file of answers, or of a run of the store.

    Attributes:
        kind: how the run comes about.
        of: the file as people see it, or the id of the run.
        count: how many talks there are.
        talks: reads them in their order, while they are asked for; InputError where they are not
            there any more.
        verdicts: what people said of them; its argument is the time for those that say none.
        gives: what there is to score by, as `files.answers.columns` names it; None: anything.
        said: goes to the options of the run, so that a resume finds the talks again.
        identity: goes to its snapshot; must not change until then.
        notes: stand in the run.
    """

    kind: Kind
    of: str
    count: int
    talks: Callable[[], Iterator[RecordedTalk]]
    verdicts: Callable[[str], Iterator[Verdict]]
    gives: Set[str] | None
    said: Mapping[str, Any]
    identity: Mapping[str, Any]
    notes: tuple[str, ...] = ()


async def judge_all(
    recorded: Recorded, judge: Scorer, client: Client, work: Work, concurrency: int
) -> None:
    """Judge every talk that is not judged yet, `concurrency` at a time."""
    jobs = (
        Job(ordinal, talk.cell.key, partial(judge_talk, talk, judge, client, work.observer))
        for ordinal, talk in enumerate(recorded.talks())
    )
    await _carry_out(jobs, work, min(concurrency, recorded.count))


async def judge_talk(
    recorded: RecordedTalk, judge: Scorer, client: Client, observer: Observer
) -> Episode:
    """One talk with an outcome for every metric, as if it had been judged while it was held.

    Raises what `Judge.score` raises.
    """
    whole = Evidence(
        language=client.language,
        persona=recorded.persona,
        scenario=recorded.scenario,
        talk=Talk(recorded.cell.key, recorded.exchanges),
        guidelines=client.guidelines,
        scripted=recorded.scripted,
    )
    talks = [
        Talk(recorded.cell.key, recorded.exchanges[:n])
        for n in range(1, len(recorded.exchanges) + 1)
    ]
    calls = [judge_turn(replace(whole, talk=talk), judge, observer) for talk in talks]
    found = await all_done(calls) if calls else []
    turns = [
        replace(turn, soundness=recorded.soundness[n] if recorded.soundness else ())
        for n, turn in enumerate(found)
    ]
    return await judge.as_whole(Episode(recorded.cell, tuple(turns), recorded.stop), whole)
