"""Episodes stream in, the figures of a run come out (DESIGN.md, "Scores: the rules, once").

Nothing here depends on the order in which episodes come, and of an episode only numbers are kept.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from simulator.core.outcome import Gap, MetricInfo, Outcome, Unscored
from simulator.core.run import CellSummary, Episode, Ledger, RunHeader, RunSummary, Turn
from simulator.core.talk import StopReason, TargetFailure
from simulator.figures.tally import Tally, is_gap
from simulator.figures.worst import Worst
from simulator.statistics.totals import Total

_INVALID = Unscored(Gap.SIMULATOR_INVALID)
_LOST = Unscored(Gap.METRIC_ERROR, "no outcome was kept")
_OF_JUDGE = frozenset(
    {
        Gap.JUDGE_UNPARSABLE,
        Gap.JUDGE_REFUSED,
        Gap.JUDGE_TRUNCATED,
        Gap.JUDGE_ERROR,
        Gap.METRIC_ERROR,
    }
)
_OF_USER = frozenset({StopReason.USER_FAILED, StopReason.USER_INVALID})


@dataclass(slots=True)
class _Cell:
    score: Total = field(default_factory=Total)
    conversations: int = 0
    flagged: int = 0
    gaps: int = 0

    def summary(self) -> CellSummary:
        mean, scored = self.score.mean, self.score.count
        return CellSummary(mean, self.conversations, self.flagged, self.gaps, scored)


class Aggregate:
    """The figures of one run, from episodes that are added one by one."""

    def __init__(self, header: RunHeader) -> None:
        self._header = header
        self._tallies = {info.name: Tally(info) for info in header.metrics}
        self._scenarios: dict[str, int] = {}
        self._cells: dict[tuple[str, str], _Cell] = {}
        self._stops: Counter[StopReason] = Counter()
        self._soundness: Counter[str] = Counter()
        self._blames: Counter[str] = Counter()
        self._failures = Counter(target=0, user=0, judge=0)
        self._worst = Worst()
        # Rows of a file: as many scenarios as there are conversations, and no personas to cross.
        self._of_rows = header.is_of_rows
        self._lowest = self._of_rows and header.score_by not in header.thresholds
        self._turns = 0
        self._flagged = 0

    def add(self, episode: Episode) -> None:
        """Count one complete conversation.

        Where the simulated user was invalid, its turns are gaps and none of them is flagged:
        what was measured there says nothing of the bot.
        """
        stop = episode.stop.reason
        self._stops[stop] += 1
        self._failures["user"] += stop in _OF_USER
        self._turns += len(episode.turns)
        cell = self._cell(episode)
        cell.conversations += 1
        for turn in episode.turns:
            self._count_failures(turn)
            if turn.flagged and stop is not StopReason.USER_INVALID:
                self._flag(episode, turn, cell)
            elif self._lowest:
                self._worst.add_if_low(self._header, episode.cell, turn)
        self._score(episode, cell)

    def summary(self, ledger: Ledger, unfinished: int) -> RunSummary:
        """The figures of all episodes so far; `unfinished` conversations never came to an end."""
        thresholds = self._header.thresholds
        metrics = {
            name: tally.summary(thresholds.get(name)) for name, tally in self._tallies.items()
        }
        return RunSummary(
            conversations=self._stops.total(),
            turns=self._turns,
            score=metrics.get(self._header.score_by),
            metrics=metrics,
            flagged=self._flagged,
            stops={r.value: self._stops[r] for r in StopReason if self._stops[r]},
            failures={**self._failures, "infrastructure": unfinished},
            unfinished=unfinished,
            ledger=ledger,
            cells={key: cell.summary() for key, cell in sorted(self._cells.items())},
            weak=self._worst.turns(),
            soundness=dict(sorted(self._soundness.items())),
            blames=dict(sorted(self._blames.items(), key=lambda item: (-item[1], item[0]))),
        )

    def _cell(self, episode: Episode) -> _Cell:
        if self._of_rows:
            return _Cell()
        return self._cells.setdefault((episode.cell.persona, episode.cell.scenario), _Cell())

    def _count_failures(self, turn: Turn) -> None:
        self._soundness.update(turn.soundness)
        outcomes = turn.outcomes.values()
        unscored = {o.reason for o in outcomes if isinstance(o, Unscored)}
        self._failures["target"] += isinstance(turn.exchange.reply, TargetFailure)
        self._failures["judge"] += not _OF_JUDGE.isdisjoint(unscored)

    def _flag(self, episode: Episode, turn: Turn, cell: _Cell) -> None:
        self._flagged += 1
        cell.flagged += 1
        if turn.blame:
            self._blames[turn.blame] += 1
        for name in turn.flags:
            if name in self._tallies:
                self._tallies[name].flag()
        self._worst.add(self._header, episode.cell, turn)

    def _score(self, episode: Episode, cell: _Cell) -> None:
        scenario = self._scenarios.setdefault(episode.cell.scenario, len(self._scenarios))
        for name, tally in self._tallies.items():
            outcomes = outcomes_of(episode, tally.info)
            mean = tally.add(scenario, outcomes)
            if name == self._header.score_by:
                cell.gaps += sum(map(is_gap, outcomes))
                if mean is not None:
                    cell.score.add(mean)


def outcomes_of(episode: Episode, info: MetricInfo) -> Sequence[Outcome]:
    """A metric's outcomes in a conversation: one for each turn, or one for the whole of it.

    Where the simulated user was invalid, all of them are gaps.
    """
    places = [turn.outcomes for turn in episode.turns]
    if info.scope == "talk":
        places = [episode.outcomes] if episode.turns else []
    if episode.stop.reason is StopReason.USER_INVALID:
        return [_INVALID] * len(places)
    return [outcomes.get(info.name, _LOST) for outcomes in places]
