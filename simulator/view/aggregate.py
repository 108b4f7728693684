"""Episodes stream in, the figures of a run come out (the rules stand in docs/en/results.md).

Nothing here depends on the order in which episodes come, and of an episode only numbers are kept.
"""

from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from simulator.core.claim import claims_of
from simulator.core.outcome import Gap, MetricInfo, Outcome, Score, Unscored, is_bug
from simulator.core.result import Finding, Result
from simulator.core.run import (
    CellResults,
    CellSummary,
    Episode,
    Ledger,
    MetricSummary,
    RunHeader,
    RunSummary,
    Turn,
)
from simulator.core.scenario import Approval
from simulator.core.talk import StopReason, TargetFailure
from simulator.core.verdict import Verdict, Word
from simulator.metrics._expected import UNNAMED
from simulator.results.verdict import Rules, findings_of
from simulator.statistics.intervals import Total, clustered, mean_of
from simulator.view.faults import FaultGroups, group_of
from simulator.view.judge_health import Disagreement, JudgeHealthTally
from simulator.view.results import (
    ResultTally,
    UnsettledTally,
    is_flagged,
    settled_words,
    shows_weakness,
    with_causes,
)
from simulator.view.worst import FollowUpTally, Group, Worst

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


def is_gap(outcome: Outcome) -> bool:
    """Whether a score is missing. What does not apply is not missing."""
    return isinstance(outcome, Unscored) and outcome.reason is not Gap.NOT_APPLICABLE


class Tally:
    """Counts one metric (`info`). It keeps two numbers for each conversation, and no text."""

    def __init__(self, info: MetricInfo) -> None:
        self.info = info
        self._means = array("d")
        self._scenarios = array("l")
        self._raw, self._worst, self._best = Total(), Total(), Total()
        self._reasons: Counter[Gap] = Counter()
        self._said = GapTexts()
        self._scored = 0
        self._flagged = 0

    def add(self, scenario: int, outcomes: Sequence[Outcome]) -> float | None:
        """Count one conversation's turns; its mean, or None where none of them has a score."""
        scores = [o for o in outcomes if isinstance(o, Score)]
        values, gaps = [o.value for o in scores], list[Gap]()
        self._scored += len(values)
        if len(scores) < len(outcomes):
            reasons = [o.reason for o in outcomes if isinstance(o, Unscored)]
            gaps = [r for r in reasons if r is not Gap.NOT_APPLICABLE]
            self._reasons.update(reasons)
            self._said.add(outcomes)
        mean = mean_of(values)
        if mean is not None:
            self._means.append(mean)
            self._scenarios.append(scenario)
            self._raw.add(mean_of([o.raw for o in scores]) or 0.0)
        worst, best = _bounds(self.info, mean, values, gaps)
        if worst is not None and best is not None:
            self._worst.add(worst)
            self._best.add(best)
        return mean

    def flag(self) -> None:
        """Count one turn under the threshold."""
        self._flagged += 1

    def summary(self, threshold: float | None) -> MetricSummary:
        """The figures of all conversations so far."""
        gaps = {r.value: n for r, n in sorted(self._reasons.items()) if r != Gap.NOT_APPLICABLE}
        low, high = self.info.low, self.info.high
        return MetricSummary(
            info=self.info,
            value=clustered(self._means, self._scenarios, low=low, high=high),
            raw_mean=self._raw.mean,
            worst=self._worst.mean,
            best=self._best.mean,
            scored=self._scored,
            unscored=gaps,
            not_applicable=self._reasons[Gap.NOT_APPLICABLE],
            threshold=threshold,
            flagged=self._flagged,
            unscored_why=self._said.most,
        )


def bounds_of(
    info: MetricInfo, outcomes: Sequence[Outcome]
) -> tuple[float | None, float | None, float | None]:
    """The mean of one conversation's scores; and the same with its gaps at the scale's ends.

    Where the target failed there is no better end: that stands low in both. None, None, None
    where nothing applies.
    """
    values = [o.value for o in outcomes if isinstance(o, Score)]
    gaps = [o.reason for o in outcomes if isinstance(o, Unscored) and is_gap(o)]
    mean = mean_of(values)
    return (mean, *_bounds(info, mean, values, gaps))


def _bounds(
    info: MetricInfo, mean: float | None, values: Sequence[float], gaps: Sequence[Gap]
) -> tuple[float | None, float | None]:
    if not gaps:
        return mean, mean
    low, high = info.low, info.high
    worst = mean_of([*values, *(low for _ in gaps)])
    best = mean_of([*values, *(low if g is Gap.TARGET_FAILED else high for g in gaps)])
    return worst, best


@dataclass(slots=True)
class _Cell:
    score: Total = field(default_factory=Total)
    conversations: int = 0
    gaps: int = 0


class _Side:
    """What hangs on whether the judge is in doubt: as it is if so, or if not."""

    def __init__(self, header: RunHeader) -> None:
        self._header = header
        self._is_lowest_shown = header.is_of_rows and header.score_by not in header.thresholds
        self.results = ResultTally(header)
        self.worst, self.undecided = Worst(), Worst()
        self.fault_groups = FaultGroups()
        self.unsettled = UnsettledTally(header.language)
        self.flagged: Counter[tuple[str, str]] = Counter()  # turns by persona and scenario

    def add(
        self,
        episode: Episode,
        finding: Finding,
        words: Mapping[int, Word],
        against: Mapping[int, Disagreement],
    ) -> None:
        """Count one conversation; `against`: where the judge differs from what words prove."""
        header, cell = self._header, episode.cell
        self.results.add(episode, finding)
        self.fault_groups.add(episode, finding)
        self.unsettled.add(episode, finding)
        if finding.result is Result.UNDECIDED and episode.turns:
            shown = episode.turns[(finding.turn or 0) - 1]  # the last, if it is no single one
            self.undecided.add(header, cell, shown, "", finding)
        for turn in episode.turns:
            number = turn.exchange.turn
            if words.get(number) is Word.OK:
                continue
            odd = against.get(number)
            is_shown = shows_weakness(finding, turn, odd=odd is not None)
            reason = finding if is_shown else None
            if counts := is_flagged(episode, turn, finding, None):
                self.flagged[cell.persona, cell.scenario] += 1
            if odd or counts:
                name, group = odd.name if odd else "", group_of(episode, reason)
                self.worst.add(header, cell, turn, name, reason, group)
            elif self._is_lowest_shown:
                self.worst.add_if_low(header, cell, turn)


def _always_failing(results: Mapping[tuple[str, str], CellResults]) -> set[str]:
    """The scenarios of which every conversation failed."""
    others = {name for (_, name), r in results.items() if r.passed or r.undecided or not r.failed}
    return {name for _, name in results} - others


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
        self._rules = Rules.of(header.metrics, header.thresholds, header.fail_on)
        # Whether the judge is in doubt is known at the end, and matters where it decides anything.
        doubts = (False, True) if any(self._rules.scoring.values()) else (False,)
        self._sides = {doubted: _Side(header) for doubted in doubts}
        self._approvals: Counter[Approval] = Counter()
        self._bugs = 0
        self._bug = ""
        self._judge = JudgeHealthTally(header)
        self._follow_ups = FollowUpTally()
        # Rows of a file: as many scenarios as there are conversations, and no personas to cross.
        self._of_rows = header.is_of_rows
        self._turns = 0
        self._unknown = ""  # an id that is no entry's

    def add(self, episode: Episode, verdicts: Sequence[Verdict] = ()) -> Finding:
        """Count one complete conversation, with people's verdicts on its turns.

        Returns what is found of it where the judge is not in doubt.

        An answer that people call OK is flagged no more. Where the simulated user was invalid, its
        turns are gaps and none of them is flagged: what was measured there says nothing of the bot.
        """
        episode = with_causes(episode, verdicts)
        stop = episode.stop.reason
        self._stops[stop] += 1
        self._failures["user"] += stop in _OF_USER
        self._turns += len(episode.turns)
        cell = self._cell(episode)
        cell.conversations += 1
        self._follow_ups.add(episode)
        self._count_bugs(episode)
        if episode.scenario and claims_of(episode.scenario.expected):
            self._approvals[episode.scenario.expected.approved] += 1
        words, against = settled_words(verdicts), self._judge.add(episode)
        findings = findings_of(episode, self._rules, words, self._sides)
        for side, finding in zip(self._sides.values(), findings, strict=True):
            side.add(episode, finding, words, against)
        for turn in episode.turns:
            self._count_failures(turn)
            self._count_unknown(turn)
            word = words.get(turn.exchange.turn)
            if is_flagged(episode, turn, None, word):
                self._flag(turn)
            elif word is Word.NG and turn.blame:
                self._blames[turn.blame] += 1
        self._score(episode, cell)
        return findings[0]

    def summary(self, ledger: Ledger, unfinished: int) -> RunSummary:
        """The figures of all episodes so far; `unfinished` conversations never came to an end."""
        thresholds = self._header.thresholds
        metrics = {
            name: tally.summary(thresholds.get(name)) for name, tally in self._tallies.items()
        }
        health = self._judge.summary()
        side = self._sides.get(health is not None and health.in_doubt, self._sides[False])
        results = side.results.cells()
        failing = _always_failing(results)
        hit, follow_ups = metrics.get("retrieval_hit"), self._follow_ups.summary(failing)
        cells = {
            key: CellSummary(
                mean=cell.score.mean,
                conversations=cell.conversations,
                flagged=side.flagged[key],
                gaps=cell.gaps,
                scored=cell.score.count,
                results=results[key],
                pass_power=side.results.pass_power(results[key]),
            )
            for key, cell in sorted(self._cells.items())
        }
        groups = side.fault_groups.groups(lost=follow_ups.are_lost)
        keys = [] if self._of_rows else [*map(Group.of, groups)]
        return RunSummary(
            conversations=self._stops.total(),
            turns=self._turns,
            results=side.results.summary(),
            score=metrics.get(self._header.score_by),
            metrics=metrics,
            flagged=side.flagged.total(),
            stops={r.value: self._stops[r] for r in StopReason if self._stops[r]},
            failures={**self._failures, "infrastructure": unfinished},
            unfinished=unfinished,
            ledger=ledger,
            cells=cells,
            weak=side.worst.turns(keys, failing),
            soundness=dict(sorted(self._soundness.items())),
            blames=dict(sorted(self._blames.items(), key=lambda item: (-item[1], item[0]))),
            judge_health=health,
            follow_ups=follow_ups,
            unknown_id="" if hit is None or hit.scored else self._unknown,
            undecided=side.undecided.turns(),
            fault_groups=groups,
            unsettled=side.unsettled.summary(),
            bugs=self._bugs,
            bug=self._bug,
            approvals=dict(self._approvals),
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

    def _count_bugs(self, episode: Episode) -> None:
        """Count turns and conversations of which a check crashed, and keep where one did first."""
        turns = [(f"turn {n}", turn.outcomes) for n, turn in enumerate(episode.turns, 1)]
        for place, outcomes in (*turns, ("as a whole", episode.outcomes)):
            crashed = {name: o for name, o in outcomes.items() if is_bug(o)}
            self._bugs += bool(crashed)
            for name, outcome in crashed.items():
                where = f"{name}, {episode.cell.key} {place}: {outcome.detail}"
                self._bug = self._bug or where

    def _count_unknown(self, turn: Turn) -> None:
        """What has an id and is said to be unnamed has an id that the knowledge base does not."""
        hit = turn.outcomes.get("retrieval_hit")
        if isinstance(hit, Unscored) and hit.detail == UNNAMED:
            ids = (document.id for document in turn.exchange.documents if document.id)
            self._unknown = self._unknown or next(ids, "")

    def _flag(self, turn: Turn) -> None:
        if turn.blame:
            self._blames[turn.blame] += 1
        for name in turn.flags:
            if name in self._tallies:
                self._tallies[name].flag()

    def _score(self, episode: Episode, cell: _Cell) -> None:
        scenario = self._scenarios.setdefault(episode.cell.scenario, len(self._scenarios))
        for name, tally in self._tallies.items():
            outcomes = metric_outcomes(episode, tally.info)
            mean = tally.add(scenario, outcomes)
            if name == self._header.score_by:
                cell.gaps += sum(map(is_gap, outcomes))
                if mean is not None:
                    cell.score.add(mean)


def metric_outcomes(episode: Episode, info: MetricInfo) -> Sequence[Outcome]:
    """A metric's outcomes in a conversation: one for each turn, or one for the whole of it.

    Where the simulated user was invalid, all of them are gaps.
    """
    places = [turn.outcomes for turn in episode.turns]
    if info.scope == "talk":
        places = [episode.outcomes] if episode.turns else []
    if episode.stop.reason is StopReason.USER_INVALID:
        return [_INVALID] * len(places)
    return [outcomes.get(info.name, _LOST) for outcomes in places]


_MOST = 200  # different texts that are counted; where an endpoint fails they are nearly always one


class GapTexts:
    """Counts the texts."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def add(self, outcomes: Iterable[Outcome]) -> None:
        """Count those of some outcomes; scores, and what does not apply, say nothing."""
        for outcome in outcomes:
            if not isinstance(outcome, Unscored) or outcome.reason is Gap.NOT_APPLICABLE:
                continue
            detail = outcome.detail
            if detail and (detail in self._counts or len(self._counts) < _MOST):
                self._counts[detail] += 1

    @property
    def most(self) -> str:
        """The most frequent one; of equally many the first; empty where there is none."""
        return next((detail for detail, _ in self._counts.most_common(1)), "")
