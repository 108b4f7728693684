"""One of two runs that are compared: of each conversation its numbers and its result, no text."""

import math
from array import array
from collections import Counter
from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar, cast

from simulator.core.claim import State
from simulator.core.clean import spoken, visible
from simulator.core.comparison import People, Reason, Unjudged, Unknown
from simulator.core.outcome import MetricInfo, Outcome, Score, Unscored
from simulator.core.plan import Cell
from simulator.core.result import Finding, Result, Why
from simulator.core.run import Episode, RunHeader
from simulator.core.scenario import Expected
from simulator.core.talk import StopReason
from simulator.core.verdict import Verdict, Word
from simulator.results.verdict import VIOLATED, Rules, findings_of, standings
from simulator.statistics.intervals import mean_of
from simulator.statistics.ppi import (
    ENOUGH_LABELS,
    FEWEST_LABELS,
    PpiEstimate,
    difference,
    needed_labels,
)
from simulator.store.store import Store
from simulator.view.aggregate import GapTexts, bounds_of, is_gap, metric_outcomes
from simulator.view.judge_health import JudgeHealthTally
from simulator.view.results import seconds_to_judge, settled_words
from simulator.view.stored_run import CorrectedTally, FaultTally, plan_since

_Answer = tuple[str, ...]


def designs(store: Store, before: RunHeader, after: RunHeader) -> tuple[RunHeader, RunHeader]:
    """The headers with how likely each answer of theirs was to be judged."""
    first = before
    if not before.is_drawn:  # then all of it has to be judged
        first = replace(before, review_plan=plan_since(store, None, before))
    if after.is_drawn:
        return first, after
    return first, replace(after, review_plan=plan_since(store, first, after))


class PeopleTally:
    """Counts what people said of one run.

    Args:
        design: the run's header, with how likely each answer was to be judged.
        paired: the conversations that the other run has as well.
        before: what was counted of the earlier run; its words hold for equal answers, which the
            store knows of one client's runs alone.
    """

    def __init__(
        self, design: RunHeader, paired: Set[str], before: "PeopleTally | None" = None
    ) -> None:
        self.header = design
        self.seconds: dict[_Answer, float] = {}
        self._paired = paired
        self._tally = CorrectedTally(design)
        self._words: dict[tuple[_Answer, Expected | None], Word] = {}
        self._before = before

    def add(self, episode: Episode, verdicts: list[Verdict]) -> None:
        """Count one conversation with the verdicts that its run could know."""
        if episode.cell.key not in self._paired or episode.stop.reason is StopReason.USER_INVALID:
            return
        expected = episode.scenario.expected if episode.scenario else None
        words, known = settled_words(verdicts), list(verdicts)
        for turn in episode.turns:
            number = turn.exchange.turn
            name = spoken(episode, number)
            if number in words:
                self._words[name, expected] = words[number]
            elif self._before and (word := self._before._words.get((name, expected))):
                known.append(Verdict(episode.cell.key, number, word, run=self._before.header.id))
            if name not in self.seconds:
                self.seconds[name] = seconds_to_judge(episode, turn, self.header.language)
        self._tally.add(episode, known)

    @property
    def judged(self) -> Set[_Answer]:
        """The answers that have a word and were as likely to get one as is known."""
        return self._tally.judged

    def estimate(self) -> PpiEstimate | None:
        """The share of answers that people would call OK; None where too few are judged."""
        estimate = self._tally.estimate()
        is_enough = self._tally.labels >= ENOUGH_LABELS or self.judged >= self.seconds.keys()
        return estimate if is_enough else None


def people_of(before: PeopleTally | None, after: PeopleTally | None) -> People | Unknown:
    """What people would say of all answers of both runs; or why that cannot be told."""
    if before is None or after is None or not (before.judged or after.judged):
        return Unknown(Unjudged.NOTHING)
    new = after.seconds.keys() - before.seconds.keys()
    first, second = before.estimate(), after.estimate()
    if first is None or first.value.mean is None:
        return _to_judge(Unjudged.FEW_BEFORE, before)
    if len(new & after.judged) < needed_labels(len(new), len(after.judged)):
        plan = after.header.review_plan
        if plan is None or not plan.all_drawn:
            return _new_to_judge(before, after, new - after.judged)
        return _to_judge(Unjudged.NEW, after)
    if second is None or second.value.mean is None:
        return _to_judge(Unjudged.FEW_AFTER, after)
    n = len(before.judged | after.judged)
    return People(first.value.mean, second.value.mean, difference(first, second), n)


def _to_judge(why: Unjudged, run: PeopleTally) -> Unknown:
    """So many more of a run's answers have to be judged, drawn from all of them."""
    left = [seconds for name, seconds in run.seconds.items() if name not in run.judged]
    n = min(len(left), max(ENOUGH_LABELS - len(run.judged), FEWEST_LABELS // 2))
    if not n:
        return Unknown(why)
    command = f"mogi review plan {run.header.id} --budget {n}"
    return Unknown(why, len(left), n, n * sum(left) / len(left), command)


def _new_to_judge(before: PeopleTally, after: PeopleTally, new: Set[_Answer]) -> Unknown:
    n = min(len(new), ENOUGH_LABELS)
    seconds = n * sum(after.seconds[name] for name in new) / len(new)
    command = f"mogi review plan {after.header.id} --new-since {before.header.id}"
    return Unknown(Unjudged.NEW, len(new), n, seconds, command)


_NONE = math.nan  # how "no value" stands in an array
_RESULTS, _WHYS = tuple(Result), tuple(Why)
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Claims:
    """The ids of the claims of a conversation, and of those that it violates."""

    every: frozenset[str] = frozenset()
    violated: frozenset[str] = frozenset()

    def newly_violated(self, before: "Claims") -> tuple[str, ...]:
        """Those that were not violated before, though the scenario made them."""
        return tuple(sorted((self.violated - before.violated) & before.every))


_NO_CLAIMS = Claims()


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
        self._table = Rules.of(infos, limits, rules.fail_on)
        # Whether the judge is in doubt is known only when all of them were seen.
        self._results = [array("b"), array("b")]
        self._whys = [array("b"), array("b")]
        self._reasons: list[dict[int, Reason]] = [{}, {}]  # of what failed
        self._claims: dict[int, Claims] = {}  # likewise
        self._alike: dict[object, object] = {}  # one object for all equal ones
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
        self.unscored: dict[int, str] = {}  # why a conversation has no score
        self.questions = array("q")  # of each first question its hash
        self.answers = array("q")  # likewise
        self.score = infos[0].name
        self.reach = infos[0].high - infos[0].low

    def alike(
        self, store: Store, header: RunHeader, until: str, only: Collection[str] | None = None
    ) -> "Side":
        """The numbers of another run, or of some of it, by what this one was measured by."""
        other = Side(header, self._infos, self._limits, self._rules)
        return other.filled(store, until, only)

    def reruns(self, store: Store, until: str = "") -> "Side":
        """The numbers of what was played again, whose judge is as much in doubt as this one's."""
        again = Side(self.header, self._infos, self._limits, self._rules)
        again.doubted = self.doubted
        return again.filled(store, until, reruns=True)

    def filled(
        self,
        store: Store,
        until: str,
        only: Collection[str] | None = None,
        *,
        reruns: bool = False,
    ) -> "Side":
        """This side with the conversations of its run, `only` these, or what was played again.

        What people said in runs up to `until` counts as well: an equal answer is right or wrong on
        both sides, whenever it was judged. Which turns had a verdict was drawn in the run itself,
        so what `people` counts goes by what was known to that.
        """
        run = self.header.id
        ids = [row.id for row in store.runs()]  # the newest first
        self._later = frozenset(ids[: ids.index(run)] if run in ids else ())
        for episode, verdicts in store.reviewed(run, only, until, reruns=reruns):
            self.add(episode, verdicts)
        return self

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
        self.answers.append(hash(episode.turns[0].exchange.assistant if episode.turns else ""))
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
                    self.unscored[place] = _reason(episode, outcomes)

    def _judge(self, place: int, episode: Episode, verdicts: Sequence[Verdict]) -> None:
        words = settled_words(verdicts)
        findings = findings_of(episode, self._table, words, (False, True))
        for side, judged in enumerate(findings):
            self._results[side].append(_RESULTS.index(judged.result))
            self._whys[side].append(_WHYS.index(judged.why))
            if judged.result is Result.FAILED:
                reason = Reason(judged.why, judged.claim, judged.metric)
                self._reasons[side][place] = self._known(reason)
        if any(judged.result is Result.FAILED for judged in findings):
            claims = standings(episode, words, self._table.fail_on)
            violated = frozenset(s.claim.id for s in claims if s.state is State.VIOLATED)
            of_talk = Claims(frozenset(s.claim.id for s in claims), violated)
            self._claims[place] = self._known(of_talk)
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

    def reason(self, place: int) -> Reason:
        """What decided that a conversation failed; of others the line alone."""
        return self._reasons[self.doubted].get(place) or Reason(self.why(place))

    def claims(self, place: int) -> Claims:
        """The claims of a conversation that failed; of others none is violated, and none kept."""
        return self._claims.get(place, _NO_CLAIMS)

    def finding(self, episode: Episode, verdicts: Sequence[Verdict]) -> Finding:
        """The result of a conversation with all that it tells."""
        words = settled_words(verdicts)
        return findings_of(self._of_both(episode), self._table, words, (self.doubted,))[0]

    def violation(
        self, episode: Episode, verdicts: Sequence[Verdict], claims: Sequence[str]
    ) -> Finding:
        """What shows that it violates the first of these claims."""
        every = standings(episode, settled_words(verdicts), self._table.fail_on)
        violated = (s for s in every if s.state is State.VIOLATED)
        of = next(standing for standing in violated if standing.claim.id in claims)
        why, about = VIOLATED[of.claim.kind], tuple(filter(None, [of.claim.text]))
        return Finding(why.result, why, of.turn, about=about, claim=of.claim.id)

    def _known(self, value: T) -> T:
        """The first value that equals this one: there are few different ones."""
        return cast("T", self._alike.setdefault(value, value))

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
