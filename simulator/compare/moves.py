"""The conversations that went down or up, with the texts that people read."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from simulator.compare.cells import CellPair, shown_repeats
from simulator.compare.pairs import Pairs
from simulator.compare.side import Side
from simulator.compare.states import WorseAt
from simulator.core.clean import cut, visible
from simulator.core.comparison import Moved, Moves, TurnView
from simulator.core.outcome import Score
from simulator.core.result import Finding, Result, Why
from simulator.core.run import Episode, Turn
from simulator.core.talk import TargetFailure
from simulator.core.verdict import Verdict
from simulator.store.store import Store
from simulator.view.results import with_causes
from simulator.view.worst import flag_reason, quote_of, screen_names, spread, why_text
from simulator.words import Words

KEPT = 200  # conversations that are shown with their texts
_TEXT = 2_000  # characters of each text
_Reviewed = Mapping[str, tuple[Episode, Sequence[Verdict]]]


def moves(
    store: Store, pairs: Pairs, cells: Sequence[CellPair], *, fell: bool, by_results: bool
) -> Moves:
    """How many went down or up, and the first of them with their texts, furthest first.

    With `by_results` those of the cells that newly fail or pass, else those whose score changed.
    What must pass comes before all others, then what has no score: there the bot failed.
    """

    def rank(pair: tuple[int, int]) -> tuple[bool, bool, float, str]:
        change = pairs.change(*pair)
        least = pair[1] not in pairs.after.must_pass
        far = (change or 0.0) if fell else -(change or 0.0)
        return least, change is not None, far, pairs.before.cells[pair[0]].key

    moved = pairs.moved(fell=fell)
    if by_results:
        newly = [cell for cell in cells if cell.passed == (fell, not fell)]
        moved = [shown_repeats(cell, pairs.before, pairs.after) for cell in newly]
    ordered = sorted(moved, key=rank)
    chosen = spread(ordered, lambda pair: pairs.before.cells[pair[0]].scenario, KEPT)
    read = _read(store, pairs, chosen)
    shown = (_moved(read, pairs, *pair, fell=fell, by_results=by_results) for pair in chosen)
    return Moves(len(ordered), tuple(shown))


def worse_moves(store: Store, pairs: Pairs, worse: Sequence[WorseAt]) -> Moves:
    """The conversations that show what got worse, in its order, with their texts."""
    chosen = spread(worse, lambda at: at.cell.scenario, KEPT)
    read = _read(store, pairs, [at.shown for at in chosen])
    shown = (_moved(read, pairs, *at.shown, fell=True, by_results=True, at=at) for at in chosen)
    return Moves(len(worse), tuple(shown))


def _read(
    store: Store, pairs: Pairs, chosen: Sequence[tuple[int, int]]
) -> tuple[_Reviewed, _Reviewed]:
    """The conversations at these places, of each run."""
    before, after = pairs.before, pairs.after
    first = store.reviewed(
        before.header.id, [before.cells[a].key for a, _ in chosen], after.header.id
    )
    second = store.reviewed(
        after.header.id, [after.cells[b].key for _, b in chosen], before.header.id
    )
    return _by_key(first), _by_key(second)


def _by_key(reviewed: Iterable[tuple[Episode, Sequence[Verdict]]]) -> _Reviewed:
    return {episode.cell.key: (episode, verdicts) for episode, verdicts in reviewed}


def _moved(  # noqa: PLR0913  what is moved, and how it is looked at
    read: Sequence[_Reviewed],
    pairs: Pairs,
    a: int,
    b: int,
    *,
    fell: bool,
    by_results: bool,
    at: WorseAt | None = None,
) -> Moved:
    sides, places = (pairs.before, pairs.after), (a, b)
    episodes, finds = [], []
    for side, place, reviewed in zip(sides, places, read, strict=True):
        episode, verdicts = reviewed[side.cells[place].key]
        episodes.append(episode)
        finds.append(_finding(side, episode, verdicts) if by_results else None)
    if at is not None and at.cell.newly_violated:
        finds[1] = pairs.after.violation(*read[1][at.cell.conversation], at.cell.newly_violated)
    weak = 1 if fell else 0
    shown = _weak_turn(sides[weak], episodes[weak], episodes[1 - weak], finds[weak])
    turns = [_beside(shown, episodes[1 - weak])] * 2
    turns[weak] = shown
    before, after = (_turn_view(*each) for each in zip(sides, places, turns, finds, strict=True))
    how = at.cell.how if at is not None else None
    return Moved(pairs.before.cells[a], pairs.change(a, b), before, after, how)


def _finding(side: Side, episode: Episode, verdicts: Sequence[Verdict]) -> Finding:
    """The result; of an answer that people call NG with the cause that they name."""
    finding = side.finding(episode, verdicts)
    if finding.why is not Why.SAID_NG or finding.turn is None:
        return finding
    if not any(v.turn == finding.turn and v.error_type for v in verdicts):
        return finding
    words = Words(side.header.language, "report")
    blames = with_causes(episode, verdicts).turns[finding.turn - 1].blames
    return replace(finding, about=tuple(words.find(f"fault.{b}") or b for b in blames))


def _weak_turn(
    side: Side, episode: Episode, other: Episode, finding: Finding | None
) -> Turn | None:
    """The turn that shows why it failed; else the worst, with the same question on both sides.

    From the first different reply on users say different things, so later turns are of two talks.
    """
    if finding is not None and finding.turn is not None:
        return episode.turns[finding.turn - 1]
    turns = sorted(episode.turns, key=lambda turn: _rank(side, turn))
    questions = [visible(turn.exchange.user) for turn in other.turns]
    for turn in turns:
        n = turn.exchange.turn
        if questions[n - 1 : n] == [visible(turn.exchange.user)]:
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


def _turn_view(side: Side, place: int, turn: Turn | None, finding: Finding | None) -> TurnView:
    key = side.cells[place].key
    score, raw = side.mean(side.score, place), side.raw(side.score, place)
    failed = finding is not None and finding.result is Result.FAILED
    if turn is None:
        why = why_text(finding, side.header.language, screen_names(side.header)) if finding else ""
        return TurnView(key, score, raw, 0, "", "", why, failed=failed)
    exchange = turn.exchange
    return TurnView(
        episode=key,
        score=score,
        raw=raw,
        turn=exchange.turn,
        user=cut(exchange.user, _TEXT),
        assistant=cut(exchange.assistant, _TEXT),
        reason=cut(_why(side, turn, finding), _TEXT),
        failed=failed,
        quote=cut(quote_of(turn, finding), _TEXT),
    )


def _why(side: Side, turn: Turn, finding: Finding | None) -> str:
    """The line that decided, with the words that show it, or what the metric says of them."""
    outcome = turn.outcomes.get(finding.metric if finding else side.score)
    comment = outcome.comment if isinstance(outcome, Score) else ""
    if finding is None:
        return flag_reason(side.header, turn) or comment
    shown = comment if finding.why is Why.SCORED_LOW else quote_of(turn, finding)
    return ": ".join(
        filter(None, (why_text(finding, side.header.language, screen_names(side.header)), shown))
    )
