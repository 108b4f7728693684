"""Many conversations at once, each held and judged: a turn is judged while the next one is made."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

from simulator.converse import converse
from simulator.core.concurrency import Halt, all_done, work_off
from simulator.core.plan import Cell, Client
from simulator.core.ports import Evidence, Speaker
from simulator.core.run import Episode, Kind, RecordedTalk, Turn
from simulator.core.soundness import OUT_OF_ROLE, STOPPED_AT_ONCE, UNSOUND, unsound_tags
from simulator.core.talk import Reply, Stop, StopReason, Talk, Utterance
from simulator.core.traffic import Stream
from simulator.core.verdict import Verdict
from simulator.execution.cast import Cast
from simulator.execution.events import (
    conversation_ended,
    conversation_started,
    turn_played,
    turn_scored,
)
from simulator.execution.plan import is_scripted
from simulator.execution.scoring import Scorer
from simulator.store.schema import FIRST_RERUN
from simulator.store.store import Store
from simulator.targets._context import Forgotten
from simulator.users._soundness import ends_at_once, soundness

_CUT_SHORT = frozenset({StopReason.MAX_TURNS, StopReason.GAVE_UP})  # with questions left, perhaps


@dataclass(slots=True)
class _Watched:
    """A speaker whose talk ends before something is said that is not sound: `faults` has the tags.

    What such a user is answered counts nowhere, so the bot is not asked. `tags` are all that were
    found of what it said last.
    """

    speaker: Speaker
    evidence: Evidence
    tags: tuple[str, ...] | None = None
    faults: tuple[str, ...] = ()

    async def speak(self, talk: Talk) -> Utterance:
        """What the speaker says, or the stop in place of it."""
        utterance = await self.speaker.speak(talk)
        if utterance.text:
            heard = replace(self.evidence, talk=talk.with_exchange(utterance, Reply("")))
            self.tags = None
            with suppress(Exception):  # the scorer looks once more, and notes that it crashes
                self.tags = soundness(heard)
            self.faults = tuple(tag for tag in self.tags or () if tag in UNSOUND)
        return Utterance(stop=Stop(StopReason.USER_INVALID)) if self.faults else utterance

    def unasked(self, talk: Talk) -> tuple[str, ...]:
        """As the speaker has it."""
        return self.speaker.unasked(talk)


@dataclass(slots=True)
class _Take:
    """One take of a conversation; `evidence` holds all of its talk, `faults` what is unsound."""

    evidence: Evidence
    turns: tuple[Turn, ...] = ()
    stop: Stop = field(default_factory=lambda: Stop(StopReason.MAX_TURNS))
    faults: tuple[str, ...] = ()


async def play(cell: Cell, cast: Cast, events: Stream) -> Episode:
    """Hold one conversation to its end; once more from its first turn, if its user was not sound.

    Both takes are in the journal under their own number, so that a resume goes through them alike.

    Raises:
        RunStopped: the run was halted; what was paid for is in the journal.
        ModelError: infrastructure (UNAVAILABLE, REJECTED); the episode may be tried again.
        StoreError: something could not be saved.
    """
    take = await _remembered(cell, cast, events)
    faults = take.faults
    if faults:
        take = await _remembered(cell, cast, events, faults)
    episode = Episode(cell, take.turns, take.stop, rerun_for=faults)
    return await cast.judge.as_whole(episode, take.evidence)


async def _remembered(
    cell: Cell, cast: Cast, events: Stream, faults: tuple[str, ...] = ()
) -> _Take:
    """One take, begun anew where the bot lost it on the way: another talk ended its process."""
    while True:
        with suppress(Forgotten):
            return await _played(cell, cast, events, faults)


async def _played(cell: Cell, cast: Cast, events: Stream, faults: tuple[str, ...] = ()) -> _Take:
    """One take; `faults` are those of the one before. Raises what `play` raises."""
    client = cast.plan.client
    number = 1 if faults else 0
    take = _Take(
        Evidence(
            language=client.language,
            persona=cast.plan.personas[cell.persona],
            scenario=cast.plan.scenarios[cell.scenario],
            talk=Talk(cell.key, take=number),
            guidelines=client.guidelines,
            scripted=is_scripted(client.user.kind or ""),
        )
    )
    judging: list[asyncio.Task[Turn]] = []
    events.emit(conversation_started(events.run, cell, take.evidence.scenario, number))
    try:
        speaker = cast.speaker(cell, faults)
        watched = None if faults else _Watched(speaker, take.evidence)
        talk = converse(watched or speaker, cast.target, cell.key, client.max_turns, number)
        async for event in talk:
            if isinstance(event, Stop):
                left = speaker.unasked(take.evidence.talk) if event.reason in _CUT_SHORT else ()
                take.stop = replace(event, unasked=left)
                continue
            so_far = take.evidence.talk.and_then(event)
            tags = watched.tags if watched else None
            take.evidence = replace(take.evidence, talk=so_far, soundness=tags)
            judging.append(asyncio.create_task(judge_turn(take.evidence, cast.judge, events)))
        take.turns = tuple(await asyncio.gather(*judging))
    except asyncio.CancelledError:
        for task in judging:
            task.cancel()
        raise
    finally:
        # Judgements in flight are paid for: they are waited for and stand in the journal, even
        # when the talk broke off or one of them failed.
        await asyncio.gather(*judging, return_exceptions=True)
        await cast.target.leave(cell.key)
    if ends_at_once(take.evidence, take.stop, take.turns):
        *before, last = take.turns
        take.turns = (*before, replace(last, soundness=(*last.soundness, STOPPED_AT_ONCE)))
    take.faults = watched.faults if watched and watched.faults else unsound_tags(take.turns)
    return take


async def judge_turn(evidence: Evidence, judge: Scorer, events: Stream) -> Turn:
    """One turn with its outcomes. Raises what `Scorer.score` raises."""
    episode, take = evidence.talk.episode, evidence.talk.take
    events.emit(turn_played(events.run, episode, take, evidence.exchange))
    turn = await judge.score(evidence)
    events.emit(turn_scored(events.run, episode, take, turn, judge.score_by))
    return turn


@dataclass(frozen=True, slots=True)
class Work:
    """What a run still has to do, and where its episodes are saved.

    `complete` holds the keys of episodes that an earlier start of this run finished.
    """

    run: str
    store: Store
    halt: Halt
    events: Stream
    complete: Set[str]


class Job(NamedTuple):
    """One episode: its place in the plan, from 0, its key, and what makes it."""

    ordinal: int
    key: str
    make: Callable[[], Awaitable[Episode]]


async def play_all(cast: Cast, work: Work, concurrency: int) -> None:
    """Play every cell that is not complete yet, `concurrency` at a time."""
    jobs = (
        Job(ordinal, cell.key, partial(play, cell, cast, work.events))
        for ordinal, cell in enumerate(cast.plan.cells())
    )
    left = cast.plan.conversations() - len(work.complete)
    await _carry_out(jobs, work, min(concurrency, left))


async def play_again(
    cast: Cast, work: Work, concurrency: int, following: Callable[[], Sequence[Cell]]
) -> None:
    """Play more repeats, as long as `following` names some: no figure of the run counts them.

    It ends as well where none of the named ones came to its end.
    """
    done, before = len(work.store.keys(work.run, reruns=True)), -1
    while work.halt.reason is None and done > before and (cells := following()):
        jobs = (
            Job(FIRST_RERUN + done + n, cell.key, partial(play, cell, cast, work.events))
            for n, cell in enumerate(cells)
        )
        await _carry_out(jobs, work, min(concurrency, len(cells)))
        done, before = len(work.store.keys(work.run, reruns=True)), done


async def _carry_out(
    jobs: Iterable[Job], work: Work, concurrency: int, *, recorded: bool = False
) -> None:
    """Make and save every episode that is not complete yet, as `core.concurrency.work_off` does.

    One in which a request was rejected waits until others were answered: if all are rejected from
    then on, the run halts, and a resume plays it again.
    """
    waiting: list[tuple[Job, Episode]] = []

    async def save(job: Job, episode: Episode) -> None:
        await work.store.save_episode(work.run, job.ordinal, episode)
        take = 0 if recorded else episode.takes - 1
        work.events.emit(conversation_ended(work.run, episode, take))

    async def save_waiting(_: object = None) -> None:
        cleared = [pair for pair in waiting if not work.halt.in_doubt(pair[0].key)]
        waiting[:] = [pair for pair in waiting if work.halt.in_doubt(pair[0].key)]
        for pair in cleared:
            await save(*pair)

    async def make(job: Job) -> None:
        episode = await job.make()
        if work.halt.in_doubt(job.key):
            waiting.append((job, episode))
        else:
            await save(job, episode)
        await save_waiting()

    left = (job for job in jobs if job.key not in work.complete)
    await work_off(left, make, work.halt, concurrency)
    if work.halt.reason is None:  # too few to tell: what was rejected stays a gap
        for doubted in work.halt.doubts:
            doubted.clear()
        await work_off(["waiting"], save_waiting, work.halt, 1)


@dataclass(frozen=True, slots=True)
class Recorded:
    """Talks that are to be judged: those of a file of answers, or of a run of the store.

    Attributes:
        kind: how the run comes about.
        of: the file as people see it, or the id of the run.
        count: how many talks there are.
        talks: reads them in their order, while they are asked for; InputError where they are not
            there any more.
        gives: what there is to score by, as `files.answers.columns` names it; None: anything.
        options: go to the options of the run, so that a resume finds the talks again.
        identity: goes to its snapshot; must not change until then.
        notes: stand in the run.
        verdicts: what people said of them, which nobody remembers yet; its argument is the time
            for those that say none.
    """

    kind: Kind
    of: str
    count: int
    talks: Callable[[], Iterator[RecordedTalk]]
    gives: Set[str] | None
    options: Mapping[str, Any]
    identity: Mapping[str, Any]
    notes: tuple[str, ...] = ()
    verdicts: Callable[[str], Iterator[Verdict]] = lambda at: iter(())


async def judge_all(
    recorded: Recorded, judge: Scorer, client: Client, work: Work, concurrency: int
) -> None:
    """Judge every talk that is not judged yet, `concurrency` at a time."""
    jobs = (
        Job(ordinal, talk.cell.key, partial(judge_talk, talk, judge, client, work.events))
        for ordinal, talk in enumerate(recorded.talks())
    )
    await _carry_out(jobs, work, min(concurrency, recorded.count), recorded=True)


async def judge_talk(
    recorded: RecordedTalk, judge: Scorer, client: Client, events: Stream
) -> Episode:
    """One talk with an outcome for every metric, as if it had been judged while it was held.

    Raises what `Scorer.score` raises.
    """
    whole = Evidence(
        language=client.language,
        persona=recorded.persona,
        scenario=recorded.scenario,
        talk=Talk(recorded.cell.key, recorded.exchanges),
        guidelines=client.guidelines,
        scripted=recorded.scripted,
        logged=recorded.logged,
    )
    events.emit(conversation_started(events.run, recorded.cell, recorded.scenario, 0))
    talks = [
        Talk(recorded.cell.key, recorded.exchanges[:n])
        for n in range(1, len(recorded.exchanges) + 1)
    ]
    calls = [judge_turn(replace(whole, talk=talk), judge, events) for talk in talks]
    judged = await all_done(calls) if calls else []
    turns = [
        replace(turn, soundness=_of_record(turn, recorded.soundness[n : n + 1]))
        for n, turn in enumerate(judged)
    ]
    episode = Episode(recorded.cell, tuple(turns), recorded.stop, rerun_for=recorded.rerun_for)
    return await judge.as_whole(episode, whole)


def _of_record(turn: Turn, recorded: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """The tags that its user had when the talk was held, and what the judge says of it now."""
    before = [tag for tags in recorded for tag in tags if tag != OUT_OF_ROLE]
    return (*before, *(tag for tag in turn.soundness if tag == OUT_OF_ROLE))
