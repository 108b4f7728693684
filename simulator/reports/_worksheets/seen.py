"""A turn as worksheets show it: with the outcomes of its whole conversation, if it is the last."""

from dataclasses import replace

from simulator.core.outcome import Outcomes
from simulator.core.run import Episode, Turn


def outcomes_of(episode: Episode, turn: Turn) -> Outcomes:
    """The outcomes of a turn; those that speak of the whole conversation stand on its last."""
    is_last = turn.exchange.turn == episode.turns[-1].exchange.turn
    return {**turn.outcomes, **episode.outcomes} if is_last else turn.outcomes


def with_all(episode: Episode, turn: Turn) -> Turn:
    """The turn with all these outcomes."""
    return replace(turn, outcomes=outcomes_of(episode, turn))
