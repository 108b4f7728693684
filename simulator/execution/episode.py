"""One conversation, held and judged: each turn is judged while the next one is being made."""

import asyncio
from dataclasses import replace

from simulator.build.cast import Cast
from simulator.build.plan import is_scripted
from simulator.converse import converse
from simulator.core.plan import Cell
from simulator.core.ports import Evidence, Observer
from simulator.core.run import Episode, Turn
from simulator.core.talk import Stop, StopReason, Talk
from simulator.judging.judge import Judge


async def play(cell: Cell, cast: Cast, observer: Observer) -> Episode:
    """Hold one conversation to its end.

    Raises:
        RunStopped: the run was halted; what was paid for is in the journal.
        ModelError: infrastructure (UNAVAILABLE); the episode may be tried again.
        StoreError: something could not be saved.
    """
    client = cast.plan.client
    talk = Talk(cell.key)
    stop = Stop(StopReason.MAX_TURNS)
    judging: list[asyncio.Task[Turn]] = []
    try:
        speaker = cast.speaker(cell)
        async for event in converse(speaker, cast.target, cell.key, client.max_turns):
            if isinstance(event, Stop):
                stop = event
                continue
            talk = replace(talk, exchanges=(*talk.exchanges, event))
            evidence = _evidence(cell, cast, talk)
            judging.append(asyncio.create_task(judged(evidence, cast.judge, observer)))
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
    return await as_whole(
        Episode(cell, tuple(turns), stop), _evidence(cell, cast, talk), cast.judge
    )


async def as_whole(episode: Episode, evidence: Evidence, judge: Judge) -> Episode:
    """The conversation with what is said of it as a whole; its last turn bears those flags.

    `evidence` holds all of the talk.
    """
    if not episode.turns:
        return episode
    outcomes = await judge.score_talk(evidence, episode.stop)
    flags = judge.flags(outcomes)
    *before, last = episode.turns
    if flags:
        last = replace(last, flags=(*last.flags, *flags), flagged=True)
    return replace(episode, turns=(*before, last), outcomes=outcomes)


def _evidence(cell: Cell, cast: Cast, talk: Talk) -> Evidence:
    client = cast.plan.client
    return Evidence(
        language=client.language,
        persona=cast.plan.personas[cell.persona],
        scenario=cast.plan.scenarios[cell.scenario],
        talk=talk,
        guidelines=client.guidelines,
        scripted=is_scripted(client.user.kind or ""),
    )


async def judged(evidence: Evidence, judge: Judge, observer: Observer) -> Turn:
    """One turn with its outcomes, told to the observer. Raises what `Judge.score` raises."""
    turn = await judge.score(evidence)
    observer.turn_scored(evidence.talk.episode, judge.headline(turn), flagged=turn.flagged)
    return turn
