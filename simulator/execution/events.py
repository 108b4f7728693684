"""What happens in a run becomes events: those of its beginning and end, of talks and of turns."""

from simulator.core.events import (
    ConversationEnded,
    ConversationStarted,
    RunEnded,
    RunPlanned,
    TurnPlayed,
    TurnScored,
)
from simulator.core.outcome import Score
from simulator.core.plan import Cell
from simulator.core.result import Finding, Result
from simulator.core.run import Episode, Run, RunHeader, Turn
from simulator.core.scenario import Scenario
from simulator.core.talk import Exchange, TargetFailure


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
    )


def conversation_started(
    run: str, cell: Cell, scenario: Scenario, take: int
) -> ConversationStarted:
    """The event of a take that begins."""
    return ConversationStarted(run, cell.key, take, cell.scenario, cell.persona, scenario.tags)


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
    run: str, episode: Episode, take: int, finding: Finding | None
) -> ConversationEnded:
    """The event of a conversation that is saved."""
    return ConversationEnded(
        run=run,
        episode=episode.cell.key,
        take=take,
        turns=len(episode.turns),
        stop=episode.stop.reason,
        result=finding.result if finding else Result.UNCHECKED,
        finding=finding,
        outcomes=episode.outcomes,
    )
