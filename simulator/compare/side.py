"""One of two runs that are compared: of each conversation its numbers and its result, no text."""

import math
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property

from simulator.compare.people import PeopleTally
from simulator.core.clean import visible
from simulator.core.outcome import MetricInfo, Outcome, Score, Unscored
from simulator.core.plan import Cell
from simulator.core.result import Finding, Result, Why
from simulator.core.run import Episode, RunHeader
from simulator.core.verdict import Verdict
from simulator.statistics.intervals import mean_of
from simulator.store.store import Store
from simulator.view.aggregate import GapTexts, bounds_of, is_gap, metric_outcomes
from simulator.view.judge_health import JudgeHealthTally
from simulator.view.results import findings
from simulator.view.stored_run import FaultTally

_NONE = math.nan  # how "no value" stands in an array
_RESULTS, _WHYS = tuple(Result), tuple(Why)


class Side:
    """The numbers of a run.

    Results are found as everywhere (results/verdict.py), but by what both runs have: the same
    metrics and thresholds, so that a new check or threshold is no change of the bot.

    Args:
        header: of the run.
        infos: the metrics that are compared, the score first.
        rules: the header whose `fail_on` and `gate` hold for both runs.
        limits: the thresholds that hold for both runs.
        people: what counts people's words; None where nobody said any.
    """

    def __init__(
        self,
        header: RunHeader,
        infos: Sequence[MetricInfo],
        limits: Mapping[str, float],
        rules: RunHeader,
        people: PeopleTally | None = None,
    ) -> None:
        self.header = header
        self.people = people
        self.cells: list[Cell] = []
        self.places: dict[str, int] = {}
        self._infos, self._limits, self._rules = infos, limits, rules
        names = {info.name for info in infos}
        self._names = None if names.issuperset(i.name for i in header.metrics) else names
        alike = replace(
            header, metrics=tuple(infos), thresholds=dict(limits), fail_on=rules.fail_on
        )
        # Whether the judge is in doubt is known only when all of them were seen.
        self._find = findings(alike)
        self._results = [array("b"), array("b")]
        self._whys = [array("b"), array("b")]
        self._health = JudgeHealthTally(header)
        self._later: frozenset[str] = frozenset()  # runs
        self.faults = FaultTally()
        self._must_pass = frozenset(rules.gate.must_pass) if rules.gate else frozenset()
        self.must_pass: set[int] = set()
        self._means: Mapping[str, array[float]] = {info.name: array("d") for info in infos}
        self._raws: Mapping[str, array[float]] = {info.name: array("d") for info in infos}
        self._worst, self._best = array("d"), array("d")  # of the score
        self.gaps = array("l")  # turns without a score
        self.gap_texts = GapTexts()  # why, as it was said
        self.reasons: dict[int, str] = {}  # why a conversation has no score
        self.questions = array("q")  # of each first question its hash
        self.score = infos[0].name
        self.reach = infos[0].high - infos[0].low

    def read(self, store: Store, until: str = "") -> "Side":
        """The same with all complete conversations of its run.

        What people said in runs up to `until` counts as well: an equal answer is right or wrong on
        both sides, whenever it was judged. Which turns had a verdict was drawn in the run itself,
        so what `people` counts goes by what was known to that.
        """
        ids, own = [row.id for row in store.runs()], self.header.id  # the newest first
        self._later = frozenset(ids[: ids.index(own)] if own in ids else ())
        for episode, verdicts in store.reviewed(own, until=until):
            self.add(episode, verdicts)
        return self

    def alike(self, store: Store, header: RunHeader, until: str) -> "Side":
        """The numbers of another run, by what this one was measured by."""
        return Side(header, self._infos, self._limits, self._rules).read(store, until)

    def add(self, episode: Episode, verdicts: Sequence[Verdict] = ()) -> None:
        """Count one complete conversation."""
        place = len(self.cells)
        self.cells.append(episode.cell)
        self.places[episode.cell.key] = place
        self._health.add(episode)
        self._judge(place, self._of_both(episode), verdicts)
        self.faults.add(episode, verdicts)
        if self.people is not None:
            self.people.add(episode, [v for v in verdicts if v.run not in self._later])
        question = visible(episode.turns[0].exchange.user) if episode.turns else ""
        self.questions.append(hash(question))
        for info in self._infos:
            outcomes = metric_outcomes(episode, info)
            mean, worst, best = bounds_of(info, outcomes)
            self._means[info.name].append(_NONE if mean is None else mean)
            raw = mean_of(o.raw for o in outcomes if isinstance(o, Score))
            self._raws[info.name].append(_NONE if raw is None else raw)
            if info.name == self.score:
                self._worst.append(_NONE if worst is None else worst)
                self._best.append(_NONE if best is None else best)
                self.gaps.append(sum(map(is_gap, outcomes)))
                self.gap_texts.add(outcomes)
                if mean is None:
                    self.reasons[place] = _reason(episode, outcomes)

    def _judge(self, place: int, episode: Episode, verdicts: Sequence[Verdict]) -> None:
        of_sides = self._find(episode, verdicts)
        for judged, results, whys in zip(of_sides, self._results, self._whys, strict=True):
            results.append(_RESULTS.index(judged.result))
            whys.append(_WHYS.index(judged.why))
        tags = episode.scenario.tags if episode.scenario else ()
        if not self._must_pass.isdisjoint((episode.cell.scenario, *tags)):
            self.must_pass.add(place)

    @cached_property
    def doubted(self) -> bool:
        """True if the judge's own health is in doubt; asked once all conversations were seen."""
        health = self._health.summary()
        return health is not None and health.in_doubt

    def result(self, place: int) -> Result:
        """What came of a conversation; `place` as `places` has it."""
        return _RESULTS[self._results[self.doubted][place]]

    def why(self, place: int) -> Why:
        """The line that decided it."""
        return _WHYS[self._whys[self.doubted][place]]

    def finding(self, episode: Episode, verdicts: Sequence[Verdict]) -> Finding:
        """The result of a conversation with all that it tells."""
        return self._find(self._of_both(episode), verdicts)[self.doubted]

    def mean(self, metric: str, place: int) -> float | None:
        """The mean of a conversation."""
        return _number(self._means[metric][place])

    def raw(self, metric: str, place: int) -> float | None:
        """The mean of what was said, such as a rating."""
        return _number(self._raws[metric][place])

    def bounds(self, place: int) -> tuple[float, float] | None:
        """The score with its gaps at the scale's ends; None where it does not apply."""
        worst = _number(self._worst[place])
        return None if worst is None else (worst, self._best[place])

    def _of_both(self, episode: Episode) -> Episode:
        """The episode with nothing but what both runs measured."""
        names = self._names
        if names is None:
            return episode
        turns = [
            replace(turn, outcomes={n: o for n, o in turn.outcomes.items() if n in names})
            for turn in episode.turns
        ]
        of_talk = {n: o for n, o in episode.outcomes.items() if n in names}
        return replace(episode, turns=tuple(turns), outcomes=of_talk)


def _reason(episode: Episode, outcomes: Sequence[Outcome]) -> str:
    """The most frequent reason why there is no score; how it ended where nothing was said."""
    reasons = Counter(o.reason for o in outcomes if isinstance(o, Unscored) and is_gap(o))
    reasons = reasons or Counter(o.reason for o in outcomes if isinstance(o, Unscored))
    return reasons.most_common(1)[0][0].value if reasons else episode.stop.reason.value


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
