"""What happens in a run becomes events: those of its beginning and end, of talks and of turns."""

from collections.abc import Callable, Collection, Iterable, Iterator

from simulator.core.events import (
    ConversationEnded,
    ConversationStarted,
    Event,
    RunEnded,
    RunPlanned,
    TurnPlayed,
    TurnScored,
)
from simulator.core.outcome import Score
from simulator.core.plan import Cell
from simulator.core.ports import CallRecord
from simulator.core.result import Result
from simulator.core.run import Episode, Run, RunHeader, Turn
from simulator.core.scenario import Scenario
from simulator.core.talk import Exchange, TargetFailure
from simulator.core.traffic import call_event
from simulator.core.verdict import Verdict
from simulator.view.summary import gate_lines


def run_planned(header: RunHeader, planned: int, complete: int) -> RunPlanned:
    """The event of a run, or of a part of it, of which so many conversations are complete."""
    return RunPlanned(
        run=header.id,
        client=header.client,
        language=header.language,
        kind=header.kind,
        score_by=header.score_by,
        planned=planned,
        complete=complete,
        rows=header.is_of_rows,
        resume=header.resume,
        started=header.started,
        metrics=header.metrics,
    )


def run_ended(run: Run) -> RunEnded:
    """The event of a run that has ended."""
    header, summary = run.header, run.summary
    return RunEnded(
        run=header.id,
        status=header.status,
        conversations=summary.conversations,
        turns=summary.turns,
        flagged=summary.flagged,
        unfinished=summary.unfinished,
        results=summary.results.counts,
        score=summary.score.value.mean if summary.score else None,
        cost_usd=summary.ledger.cost_usd,
        wall_s=header.wall_s,
        gate=gate_lines(summary, header.gate),
        worst=tuple(turn for turn in summary.weak if turn.finding),
    )


def conversation_started(
    run: str, cell: Cell, scenario: Scenario, take: int
) -> ConversationStarted:
    """The event of a take that begins."""
    return ConversationStarted(
        run=run,
        episode=cell.key,
        take=take,
        scenario=cell.scenario,
        persona=cell.persona,
        tags=scenario.tags,
        query=scenario.query,
        goal=scenario.goal,
        expected=scenario.expected,
    )


def turn_played(run: str, episode: str, take: int, exchange: Exchange) -> TurnPlayed:
    """The event of a turn that the bot has answered."""
    reply = exchange.reply
    return TurnPlayed(
        run=run,
        episode=episode,
        take=take,
        turn=exchange.turn,
        user=exchange.user,
        assistant=exchange.assistant,
        documents=exchange.documents,
        fault=reply.fault if isinstance(reply, TargetFailure) else None,
        error=reply.message if isinstance(reply, TargetFailure) else "",
        trace="" if isinstance(reply, TargetFailure) else reply.trace,
        at=reply.at,
        user_ms=exchange.user_ms,
        target_ms=exchange.target_ms,
    )


def turn_scored(run: str, episode: str, take: int, turn: Turn, score_by: str) -> TurnScored:
    """The event of a turn that was scored."""
    headline = turn.outcomes.get(score_by)
    return TurnScored(
        run=run,
        episode=episode,
        take=take,
        turn=turn.exchange.turn,
        score=headline.value if isinstance(headline, Score) else None,
        flagged=turn.flagged,
        outcomes=turn.outcomes,
        readings=turn.readings or (),
        flags=turn.flags,
        blames=turn.blames,
        judge_ms=turn.judge_ms,
    )


def conversation_ended(
    run: str, episode: Episode, take: int, verdicts: tuple[Verdict, ...] = ()
) -> ConversationEnded:
    """The event of a conversation that is saved."""
    finding = episode.finding
    return ConversationEnded(
        run=run,
        episode=episode.cell.key,
        take=take,
        turns=len(episode.turns),
        stop=episode.stop.reason,
        result=finding.result if finding else Result.UNCHECKED,
        finding=finding,
        outcomes=episode.outcomes,
        verdicts=verdicts,
    )


def saved_conversation(
    header: RunHeader, episode: Episode, verdicts: tuple[Verdict, ...] = ()
) -> Iterator[Event]:
    """The events of a conversation of the store, as they came when it was held."""
    run, key = header.id, episode.cell.key
    take = episode.takes - 1 if header.kind == "run" else 0
    if episode.scenario is not None:
        yield conversation_started(run, episode.cell, episode.scenario, take)
    for turn in episode.turns:
        yield turn_played(run, key, take, turn.exchange)
        yield turn_scored(run, key, take, turn, header.score_by)
    yield conversation_ended(run, episode, take, verdicts)


def saved_run(
    run: Run, calls: Callable[[Collection[str]], Iterable[CallRecord]]
) -> Iterator[Event]:
    """The events of a run of the store, one conversation after the other.

    `calls` reads those of some conversations, by key. What people have said since counts.
    """
    header = run.header
    yield run_planned(header, header.planned, 0)
    for episode, verdicts in run.reviewed():
        for record in calls([episode.cell.key]):
            yield call_event(header.id, record)
        yield from saved_conversation(header, episode, verdicts)
    yield run_ended(run)
