"""Evidence becomes a judged turn: outcomes, flags, whose fault, and whether the user was sound."""

import math
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Literal, cast

from simulator.core.clean import cut, visible
from simulator.core.concurrency import all_done
from simulator.core.errors import ModelError, ModelFault, RunStopped, StoreError
from simulator.core.outcome import Gap, MetricInfo, Outcome, Outcomes, Score, Unscored
from simulator.core.ports import Evidence, Knowledge, Metric, TalkMetric
from simulator.core.run import Turn
from simulator.core.talk import Reply, Stop, TargetFailure
from simulator.judging.blame import Blame
from simulator.judging.soundness import soundness
from simulator.statistics.intervals import under
from simulator.text.normal import normal_form

_DETAIL = 300  # characters of an error that are kept
_FAILED = Unscored(Gap.TARGET_FAILED)
_NOTHING = Unscored(Gap.NOT_APPLICABLE, "the scenario expects nothing that this measures")


class Scorer:
    """Scores turns with a run's metrics; one object serves all episodes at once.

    Args:
        metrics: what is measured; they run concurrently on each turn, or on the whole talk.
        thresholds: by metric name; a turn with a value under its threshold is flagged.
        score_by: the metric that is *the* score of a turn.
        knowledge: what the bot may know, where it is at hand: tells gaps in it from misses.
        clock: seconds, monotonic.
    """

    def __init__(
        self,
        metrics: Sequence[Metric | TalkMetric],
        thresholds: Mapping[str, float],
        score_by: str,
        *,
        knowledge: Knowledge | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._of_turns = [cast("Metric", m) for m in metrics if _infos(m, "turn")]
        self._of_talks = [cast("TalkMetric", m) for m in metrics if _infos(m, "talk")]
        self._thresholds = dict(thresholds)
        self._score_by = score_by
        self._blame = Blame(knowledge)
        self._clock = clock

    async def score(self, evidence: Evidence) -> Turn:
        """The turn with an outcome for every metric.

        A failed target leaves nothing to score: the turn is flagged, and a gap for every metric
        that would have applied. A metric that crashes is Unscored(METRIC_ERROR) and ends nothing.

        Raises:
            RunStopped: the run was halted before a call.
            ModelError: (UNAVAILABLE only) infrastructure; the episode stays unfinished.
            StoreError: something could not be saved.
        """
        began = self._clock()
        failed = isinstance(evidence.exchange.reply, TargetFailure)
        outcomes = self._failed(evidence) if failed else await self._outcomes(evidence)
        flags = self.flags(outcomes)
        return Turn(
            exchange=evidence.exchange,
            outcomes=outcomes,
            flags=flags,
            flagged=failed or bool(flags),
            blame=self._blame.of(evidence) if flags else None,
            soundness=soundness(evidence),
            judge_ms=0.0 if failed else (self._clock() - began) * 1000,
        )

    async def score_talk(self, evidence: Evidence, stop: Stop) -> dict[str, Outcome]:
        """An outcome for every metric of a whole conversation, which `evidence.talk` holds.

        Raises what `score` raises.
        """
        scoring = [
            _outcomes_of(_infos(m, "talk"), m.score_talk(evidence, stop)) for m in self._of_talks
        ]
        return _merged(await all_done(scoring))

    def flags(self, outcomes: Outcomes) -> tuple[str, ...]:
        """The metrics under their threshold."""
        return tuple(name for name, outcome in outcomes.items() if self._is_flag(name, outcome))

    def headline(self, turn: Turn) -> float | None:
        """The value of `score_by` on a turn; None where it is missing."""
        outcome = turn.outcomes.get(self._score_by)
        return outcome.value if isinstance(outcome, Score) else None

    def _failed(self, evidence: Evidence) -> dict[str, Outcome]:
        infos = (info for metric in self._of_turns for info in _infos(metric, "turn"))
        return {i.name: _FAILED if would_apply(i, evidence) else _NOTHING for i in infos}

    async def _outcomes(self, evidence: Evidence) -> dict[str, Outcome]:
        scoring = [_outcomes_of(_infos(m, "turn"), m.score(evidence)) for m in self._of_turns]
        return _merged(await all_done(scoring))

    def _is_flag(self, name: str, outcome: Outcome) -> bool:
        threshold = self._thresholds.get(name)
        return (
            threshold is not None and isinstance(outcome, Score) and under(outcome.value, threshold)
        )


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
            return bool(expected.answer.strip())
        case "elements":
            return any(map(normal_form, expected.elements))
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
