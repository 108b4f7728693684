"""Evidence becomes a judged turn: outcomes, flags, whose fault, and whether the user was sound."""

import math
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Literal, cast

from simulator.core.bounds import LOOKED_AT
from simulator.core.clean import cut, hidden, visible
from simulator.core.concurrency import all_done, beside
from simulator.core.errors import ModelError, ModelFault, RunStopped, StoreError
from simulator.core.outcome import Gap, MetricInfo, Outcome, Outcomes, Score, Unscored
from simulator.core.ports import Evidence, Knowledge, Metric, TalkMetric
from simulator.core.result import Result, Why
from simulator.core.run import Episode, Turn
from simulator.core.talk import Reply, TargetFailure
from simulator.judging.blame import Blame, Fault
from simulator.judging.entries import Identified
from simulator.judging.facts import is_flag, is_harmful
from simulator.judging.result import Rules, finding_of
from simulator.metrics._context import Computed
from simulator.text.normal import normal_form
from simulator.text.question_back import only_asks_back, only_closes
from simulator.users._soundness import soundness

_DETAIL = 300  # characters of an error that are kept
_FAILED = Unscored(Gap.TARGET_FAILED)
_NOTHING = Unscored(Gap.NOT_APPLICABLE, "the scenario expects nothing that this measures")


class Scorer:
    """Scores turns with a run's metrics; one object serves all episodes at once.

    Args:
        metrics: what is measured; those that ask somebody run concurrently on each turn.
        thresholds: by metric name; a turn with a value under its threshold is flagged.
        score_by: the metric that is *the* score of a turn.
        fail_on: what fails a conversation by itself, as `judging.result.Rules` has it.
        knowledge: what the bot may know, where it is at hand: tells gaps in it from misses.
        clock: seconds, monotonic.
    """

    def __init__(
        self,
        metrics: Sequence[Metric | TalkMetric],
        thresholds: Mapping[str, float],
        score_by: str,
        *,
        fail_on: Iterable[str] = (),
        knowledge: Knowledge | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        of_turns = [(cast("Metric", m), infos) for m in metrics if (infos := _infos(m, "turn"))]
        self._computed = [pair for pair in of_turns if isinstance(pair[0], Computed)]
        self._asking = [pair for pair in of_turns if pair not in self._computed]
        self._of_turns = [info for _, infos in of_turns for info in infos]
        self._of_talks = [cast("TalkMetric", m) for m in metrics if _infos(m, "talk")]
        every = (info for metric in metrics for info in metric.infos)
        self._rules = Rules.of(every, dict(thresholds), fail_on)
        self._score_by = score_by
        self._blame = Blame(knowledge)
        self._identified = Identified(knowledge)
        self._clock = clock

    async def score(self, evidence: Evidence) -> Turn:
        """The turn with an outcome for every metric.

        A failed target leaves nothing to score: the turn is flagged, and a gap for every metric
        that would have applied. An answer that hides characters is flagged, too (`clean.hidden`).
        A metric that crashes is Unscored(METRIC_ERROR) and ends nothing.

        Raises:
            RunStopped: the run was halted before a call.
            ModelError: (UNAVAILABLE only) infrastructure; the episode stays unfinished.
            StoreError: something could not be saved.
        """
        began, exchange = self._clock(), evidence.exchange
        size = LOOKED_AT * evidence.talk.size
        evidence = await beside(size, self._identified.evidence, evidence)
        failed = isinstance(evidence.exchange.reply, TargetFailure)
        outcomes = self._failed(evidence) if failed else await self._outcomes(evidence)
        closes = not failed and await beside(
            size, only_closes, evidence.talk.exchanges, evidence.language
        )
        flags, tags = () if closes else self.flags(outcomes), evidence.soundness
        if tags is None:
            tags = await beside(size, soundness, evidence)
        asks_back = await beside(size, _only_asks_back, evidence)
        return Turn(
            exchange=exchange,
            outcomes=outcomes,
            flags=flags,
            flagged=failed or bool(flags) or hidden(evidence.exchange.assistant) > 0,
            blames=self._blame.of(evidence, outcomes, flags, unsound=bool(tags)) if flags else (),
            soundness=tags,
            judge_ms=0.0 if failed else (self._clock() - began) * 1000,
            asks_back=asks_back,
            closes=closes,
        )

    async def as_whole(self, episode: Episode, evidence: Evidence) -> Episode:
        """The conversation with what is said of it as a whole.

        Its last turn bears the flags of metrics that speak of all of it; where it failed, the turn
        that shows why is flagged, and where nobody can tell, it bears the faults that rules see.
        `evidence` holds all of the talk. Raises what `score` raises.
        """
        size = LOOKED_AT * evidence.talk.size
        evidence = await beside(size, self._identified.evidence, evidence)
        if not episode.turns:
            return replace(episode, finding=finding_of(episode, self._rules))
        scoring = [
            _outcomes_of(_infos(m, "talk"), m.score_talk(evidence, episode.stop))
            for m in self._of_talks
        ]
        outcomes = _merged(await all_done(scoring))
        turns = list(episode.turns)
        if flags := self.flags(outcomes):
            turns[-1] = self._flagged(turns[-1], flags, evidence)
        episode = replace(
            episode, turns=tuple(turns), outcomes=outcomes, scenario=evidence.scenario
        )
        found = finding_of(episode, self._rules)
        number = found.turn or len(turns)
        shows = turns[number - 1]
        is_unclear = found.why in (Why.UNCLEAR, Why.UNSAID) and not shows.blames
        if found.result is Result.FAILED or is_unclear:
            talk = replace(evidence.talk, exchanges=evidence.talk.exchanges[:number])
            then = replace(evidence, talk=talk)
            if found.result is Result.FAILED:
                names = (found.metric,) if found.metric else ()
                turns[number - 1] = self._flagged(shows, names, then)
            else:
                told = self._blame.of(then, shows.outcomes, unclear=True)
                turns[number - 1] = replace(shows, blames=_known(told))
        if found.result is Result.UNDECIDED:
            turns = [replace(turn, blames=_certain(turn)) for turn in turns]
        return replace(episode, turns=tuple(turns), finding=found)

    def flags(self, outcomes: Outcomes) -> tuple[str, ...]:
        """The metrics that flag a turn."""
        return tuple(n for n, o in outcomes.items() if is_flag(n, o, self._rules.limits))

    def headline(self, turn: Turn) -> float | None:
        """The value of `score_by` on a turn; None where it is missing."""
        outcome = turn.outcomes.get(self._score_by)
        return outcome.value if isinstance(outcome, Score) else None

    def _failed(self, evidence: Evidence) -> dict[str, Outcome]:
        return {i.name: _FAILED if would_apply(i, evidence) else _NOTHING for i in self._of_turns}

    async def _outcomes(self, evidence: Evidence) -> dict[str, Outcome]:
        scoring = [_outcomes_of(infos, m.score(evidence)) for m, infos in self._asking]
        found = _merged(await all_done([self._in_turn(evidence), *scoring]))
        return {info.name: found[info.name] for info in self._of_turns}

    async def _in_turn(self, evidence: Evidence) -> Outcomes:
        """What is computed, one after the other: that waits for nobody."""
        return _merged([await _outcomes_of(i, m.score(evidence)) for m, i in self._computed])

    def _flagged(self, turn: Turn, flags: Iterable[str], evidence: Evidence) -> Turn:
        """The turn with more flags; `evidence` is that of this turn."""
        names = tuple(dict.fromkeys((*turn.flags, *flags)))
        unsound = bool(turn.soundness)
        blames = self._blame.of(evidence, turn.outcomes, names, unsound=unsound)
        return replace(turn, flags=names, flagged=True, blames=blames)


def _certain(turn: Turn) -> tuple[str, ...]:
    """Whose fault a turn of an undecided talk is: what words cannot tell makes nothing up."""
    if Fault.UNSUPPORTED not in turn.blames or is_harmful(turn):
        return turn.blames
    return tuple(f for f in turn.blames if f != Fault.UNSUPPORTED) or (Fault.UNDETERMINED,)


def _known(faults: tuple[Fault, ...]) -> tuple[Fault, ...]:
    return () if faults == (Fault.UNDETERMINED,) else faults


def _only_asks_back(evidence: Evidence) -> bool:
    return only_asks_back(evidence.exchange.assistant, evidence.language)


def _infos(metric: Metric | TalkMetric, scope: Literal["turn", "talk"]) -> list[MetricInfo]:
    return [info for info in metric.infos if info.scope == scope]


def _merged(found: Iterable[Outcomes]) -> dict[str, Outcome]:
    return {name: outcome for part in found for name, outcome in part.items()}


async def _outcomes_of(infos: Sequence[MetricInfo], scoring: Awaitable[Outcomes]) -> Outcomes:
    """A metric's outcomes, complete and within their scales, whatever it does."""
    try:
        found = await scoring
        return {info.name: _checked(info, found.get(info.name)) for info in infos}
    except (RunStopped, StoreError):
        raise
    except Exception as error:
        if isinstance(error, ModelError) and error.fault is ModelFault.UNAVAILABLE:
            raise
        why = cut(visible(f"{type(error).__name__}: {error}"), _DETAIL)
        return {info.name: Unscored(Gap.METRIC_ERROR, why) for info in infos}


def _checked(info: MetricInfo, outcome: Outcome | None) -> Outcome:
    if outcome is None:
        return Unscored(Gap.METRIC_ERROR, f"the metric returned nothing for {info.name}")
    if isinstance(outcome, Unscored):
        return outcome
    if not (math.isfinite(outcome.raw) and 0 <= outcome.value <= 1):
        return Unscored(
            Gap.METRIC_ERROR, f"value {outcome.value} (raw {outcome.raw}) is not within 0-1"
        )
    if not all(map(math.isfinite, outcome.parts.values())):
        return Unscored(Gap.METRIC_ERROR, f"not all of its parts are numbers: {outcome.parts}")
    return outcome


def would_apply(info: MetricInfo, evidence: Evidence) -> bool:
    """Whether a metric has something to go by in this scenario, whatever would have been said.

    A metric whose needs do not speak of the scenario applies. Documents are compared as long as
    no reply of the talk came without any word on them.
    """
    if info.any_of and not any(_is_there(need, evidence) for need in info.any_of):
        return False
    return all(_is_there(need, evidence) for need in info.needs)


def _is_there(need: str, evidence: Evidence) -> bool:
    expected = evidence.scenario.expected
    match need:
        case "answer":
            return any(map(str.strip, expected.answers))
        case "elements":
            return any(normal_form(way) for element in expected.elements for way in element)
        case "documents":
            return bool(expected.documents) and not _is_silent(evidence)
        case "answerable":
            return expected.decides_refusal
        case "context":
            return not _is_silent(evidence)
    return True


def _is_silent(evidence: Evidence) -> bool:
    """Whether the bot has answered before and never said what it retrieved."""
    replies = [e.reply for e in evidence.talk.exchanges if isinstance(e.reply, Reply)]
    return bool(replies) and not evidence.talk.reports_documents
