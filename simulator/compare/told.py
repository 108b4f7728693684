"""Conversations that moved, as people read them: one turn of each, before and after."""

from collections import Counter
from collections.abc import Sequence

from simulator.compare.pairs import Pairs
from simulator.compare.side import Side, is_flagged
from simulator.core.clean import cut, visible
from simulator.core.comparison import Moved, Moves, Told
from simulator.core.outcome import Score
from simulator.core.run import Episode, RunHeader, Turn
from simulator.core.talk import TargetFailure
from simulator.figures.worst import reason_of
from simulator.store.store import Store

KEPT = 200  # conversations told with their texts
_TEXT = 2_000  # characters of each text


def moves(store: Store, pairs: Pairs, *, fell: bool, by_flags: bool) -> Moves:
    """The conversations that went down or up: how many, and the first of them with their texts."""
    found = pairs.moved(fell=fell, by_flags=by_flags)
    chosen = _spread(pairs, found)
    return Moves(len(found), tuple(_moved(store, pairs, a, b, fell=fell) for a, b in chosen))


def _spread(pairs: Pairs, found: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """At most KEPT of them in their order; no scenario's second before another's first."""
    seen: Counter[str] = Counter()
    ranked = []
    for order, (a, _) in enumerate(found):
        scenario = pairs.before.cells[a].scenario
        ranked.append((seen[scenario], order))
        seen[scenario] += 1
    return [found[order] for order in sorted(order for _, order in sorted(ranked)[:KEPT])]


def _moved(store: Store, pairs: Pairs, a: int, b: int, *, fell: bool) -> Moved:
    cell = pairs.before.cells[a]
    before = store.episode(pairs.before.header.id, cell.key)
    after = store.episode(pairs.after.header.id, cell.key)
    weak, other = (after, before) if fell else (before, after)
    side = pairs.after if fell else pairs.before
    shown = _weak_turn(side, weak, other)
    beside = _beside(shown, other)
    turns = (beside, shown) if fell else (shown, beside)
    return Moved(
        cell=cell,
        change=pairs.change(a, b),
        before=_told(pairs.before, a, turns[0]),
        after=_told(pairs.after, b, turns[1]),
    )


def _weak_turn(side: Side, episode: Episode, other: Episode) -> Turn | None:
    """The turn that tells why: the first with the same question on both sides, or the worst.

    From the first different reply on users say different things, so later turns are of two talks.
    """
    turns = [turn for turn in episode.turns if is_flagged(turn, side.limits)] or list(episode.turns)
    turns.sort(key=lambda turn: _rank(side, turn))
    asked = [visible(turn.exchange.user) for turn in other.turns]
    for turn in turns:
        n = turn.exchange.turn
        if asked[n - 1 : n] == [visible(turn.exchange.user)]:
            return turn
    return turns[0] if turns else None


def _rank(side: Side, turn: Turn) -> tuple[bool, float, int]:
    failed = isinstance(turn.exchange.reply, TargetFailure)
    outcome = turn.outcomes.get(side.score)
    value = outcome.value if isinstance(outcome, Score) else 1.0
    return not failed, value, turn.exchange.turn


def _beside(turn: Turn | None, episode: Episode) -> Turn | None:
    """The turn of the same number, or the last one."""
    if turn is None or not episode.turns:
        return None
    return episode.turns[min(turn.exchange.turn, len(episode.turns)) - 1]


def _told(side: Side, place: int, turn: Turn | None) -> Told:
    score, raw = side.mean(side.score, place), side.raw(side.score, place)
    if turn is None:
        return Told(score, raw, 0, "", "", "", flagged=False)
    exchange = turn.exchange
    return Told(
        score=score,
        raw=raw,
        turn=exchange.turn,
        user=cut(exchange.user, _TEXT),
        assistant=cut(exchange.assistant, _TEXT),
        reason=cut(_why(side.header, side.score, turn), _TEXT),
        flagged=is_flagged(turn, side.limits),
    )


def _why(header: RunHeader, score: str, turn: Turn) -> str:
    outcome = turn.outcomes.get(score)
    said = outcome.comment if isinstance(outcome, Score) else ""
    return reason_of(header, turn) or said
