"""Evidence becomes a judged turn: readings, outcomes, flags, the cause, and a sound user or not."""

import asyncio
import math
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeVar, cast

from simulator.core.claim import Claim, Reader, Reading, State, counting
from simulator.core.clean import hidden, normal_form, plain_talk
from simulator.core.concurrency import all_done, beside
from simulator.core.outcome import Gap, MetricInfo, Outcome, Outcomes, Score, Unscored
from simulator.core.ports import (
    ClaimReader,
    Evidence,
    Judge,
    Judgement,
    Knowledge,
    Metric,
    TalkMetric,
)
from simulator.core.result import Result, Why
from simulator.core.run import Episode, Turn
from simulator.core.soundness import OUT_OF_ROLE
from simulator.core.talk import Reply, Talk, TargetFailure
from simulator.core.worker import apart
from simulator.execution.bugs import Bugs, guarded
from simulator.metrics._context import Computed
from simulator.reading.reader import WordsReader
from simulator.reading.shape import Shape, shape_of
from simulator.reading.sources import Identified, Sources, holds
from simulator.results.verdict import SUPPORT, Fault, Rules, Traces, causes_of, finding_of
from simulator.statistics.intervals import under
from simulator.users._soundness import soundness

T = TypeVar("T")
_FAILED = Unscored(Gap.TARGET_FAILED)
_NOTHING = Unscored(Gap.NOT_APPLICABLE, "the scenario has no expectation for this metric")
_NO_SHAPE = Shape(asks_back=False, closes=False, follows_up=False, content="")
_OPEN = frozenset({Why.UNCLEAR, Why.AT_ODDS})


@dataclass(frozen=True, slots=True)
class _Judged:
    """What metrics and readers say of one answer; `out_of_role` as `Judgement` has it."""

    outcomes: dict[str, Outcome]
    readings: tuple[Reading, ...] = ()
    out_of_role: str = ""


@dataclass(frozen=True, slots=True)
class Readers:
    """Who reads claims in a run, and what the bot may know, where that is at hand.

    `judge` is one of the run's metrics; `model` is asked about what words leave unknown.
    """

    words: ClaimReader = field(default_factory=WordsReader)
    judge: Judge | None = None
    model: ClaimReader | None = None
    knowledge: Knowledge | None = None


class Scorer:
    """Scores turns with a run's metrics; one object serves all episodes at once.

    Args:
        metrics: what is measured; those that ask somebody run concurrently on each turn.
        thresholds: by metric name; a turn with a value under its threshold is flagged.
        score_by: the metric that is *the* score of a turn.
        fail_on: what fails a conversation by itself, as `results.verdict.Rules` has it.
        readers: who reads the scenarios' claims, and with what knowledge base.
        clock: seconds, monotonic.
    """

    def __init__(
        self,
        metrics: Sequence[Metric | TalkMetric],
        thresholds: Mapping[str, float],
        score_by: str,
        *,
        fail_on: Iterable[str] = (),
        readers: Readers | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._readers = readers or Readers()
        judge: object = self._readers.judge
        of_turns = [(cast("Metric", m), infos) for m in metrics if (infos := _infos(m, "turn"))]
        self._computed = [pair for pair in of_turns if isinstance(pair[0], Computed)]
        self._asking = [
            pair for pair in of_turns if pair not in self._computed and pair[0] is not judge
        ]
        self._of_judge = [info for m, infos in of_turns if m is judge for info in infos]
        self._of_turns = [info for _, infos in of_turns for info in infos]
        self._of_talks = [cast("TalkMetric", m) for m in metrics if _infos(m, "talk")]
        every = (info for metric in metrics for info in metric.infos)
        self._rules = Rules.of(every, dict(thresholds), fail_on)
        self.score_by = score_by
        self._sources = Sources(self._readers.knowledge)
        self._identified = Identified(self._readers.knowledge)
        self._clock = clock

    async def score(self, evidence: Evidence) -> Turn:
        """The turn with its readings, and an outcome for every metric.

        A failed target leaves nothing to score: the turn is flagged, and a gap for every metric
        that would have applied. An answer that hides characters is flagged, too (`clean.hidden`).
        A metric that crashes is Unscored(METRIC_ERROR) and ends nothing.

        Raises:
            RunStopped: the run was halted before a call.
            ModelError: (UNAVAILABLE, REJECTED) infrastructure; the episode stays unfinished.
            StoreError: something could not be saved.
        """
        began, exchange, bugs = self._clock(), self._identified.named(evidence.exchange), Bugs()
        evidence = await self._named(evidence, bugs)
        failed = isinstance(evidence.exchange.reply, TargetFailure)
        shape, size = _NO_SHAPE, _longest(evidence.talk)
        if not failed:
            shape = await guarded("shape", apart(size, shape_of, evidence), _NO_SHAPE, bugs)
        judged = _Judged(self._failed(evidence)) if failed else await self._judged(evidence, bugs)
        flags, tags = () if shape.closes else self.flags(judged.outcomes), evidence.soundness
        if tags is None:
            tags = await guarded("user_soundness", apart(size, soundness, evidence), (), bugs)
        if judged.out_of_role:
            tags = (*tags, OUT_OF_ROLE)
        turn = Turn(
            exchange=exchange,
            outcomes=judged.outcomes,
            flags=flags,
            flagged=failed or bool(flags) or hidden(exchange.assistant) > 0,
            soundness=tags,
            judge_ms=0.0 if failed else (self._clock() - began) * 1000,
            asks_back=shape.asks_back,
            closes=shape.closes,
            readings=judged.readings,
            follows_up=shape.follows_up,
            content=shape.content,
        )
        blames = await self._causes(turn, evidence, bugs) if flags else ()
        return replace(turn, blames=blames, outcomes={**judged.outcomes, **bugs})

    async def as_whole(self, episode: Episode, evidence: Evidence) -> Episode:
        """The conversation with what is said of it as a whole.

        Its last turn bears the flags of metrics that speak of all of it; where it failed, the turn
        that shows why is flagged, and where nobody can tell, it bears the causes that its readings
        show. `evidence` holds all of the talk. Raises what `score` raises.
        """
        bugs = Bugs()
        evidence = await self._named(evidence, bugs)
        if not episode.turns:
            return replace(episode, finding=finding_of(episode, self._rules))
        scoring = [
            _outcomes_of(_infos(m, "talk"), m.score_talk(evidence, episode.stop))
            for m in self._of_talks
        ]
        outcomes = _merged(await all_done(scoring))
        turns = list(episode.turns)
        if flags := self.flags(outcomes):
            turns[-1] = await self._flagged(turns[-1], flags, evidence, bugs)
        episode = replace(
            episode, turns=tuple(turns), outcomes=outcomes, scenario=evidence.scenario
        )
        finding = finding_of(episode, self._rules)
        number = finding.turn or len(turns)
        shows = turns[number - 1]
        talk = replace(evidence.talk, exchanges=evidence.talk.exchanges[:number])
        then = replace(evidence, talk=talk)
        if finding.result is Result.FAILED:
            names = (finding.metric,) if finding.metric else ()
            turns[number - 1] = await self._flagged(shows, names, then, bugs)
        elif finding.why in _OPEN and not shows.blames:
            causes = await self._causes(shows, then, bugs)
            known = () if causes == (Fault.UNDETERMINED,) else causes
            turns[number - 1] = replace(shows, blames=known)
        outcomes |= bugs
        return replace(episode, turns=tuple(turns), outcomes=outcomes, finding=finding)

    def flags(self, outcomes: Outcomes) -> tuple[str, ...]:
        """The metrics under their threshold."""
        limits = self._rules.limits
        return tuple(
            name
            for name, outcome in outcomes.items()
            if isinstance(outcome, Score) and name in limits and under(outcome.value, limits[name])
        )

    async def _named(self, evidence: Evidence, bugs: Bugs) -> Evidence:
        """The evidence as a reader sees its answers, its documents named as in the knowledge."""
        talk = evidence.talk
        talk = await guarded("markup", apart(_longest(talk), plain_talk, talk), talk, bugs)
        evidence = replace(evidence, talk=talk, checks_support=SUPPORT in self._rules.fail_on)
        naming = beside(talk.size, self._identified.evidence, evidence)
        return await guarded("document_names", naming, evidence, bugs)

    def _failed(self, evidence: Evidence) -> dict[str, Outcome]:
        return {i.name: _FAILED if would_apply(i, evidence) else _NOTHING for i in self._of_turns}

    async def _judged(self, evidence: Evidence, bugs: Bugs) -> "_Judged":
        """What metrics and readers say of an answer."""
        reading = self._readers.words.read(evidence)
        unknown = tuple(Reading(c.id, State.UNKNOWN, Reader.WORDS) for c in evidence.claims)
        by_words = await guarded("words_reader", reading, unknown, bugs)
        evidence = replace(evidence, readings=by_words)
        asking = [_judgement_of(infos, m.score(evidence)) for m, infos in self._asking]
        judgements = await all_done([self._in_turn(evidence), *asking, self._judge(evidence)])
        outcomes = _merged(judgement.outcomes for judgement in judgements)
        judged = judgements[-1]
        readings = judged.readings
        if not readings:
            readings = await guarded("model_reader", self._asked_model(evidence), (), bugs)
        in_order = {info.name: outcomes[info.name] for info in self._of_turns}
        return _Judged(in_order, (*by_words, *readings), judged.out_of_role)

    async def _judge(self, evidence: Evidence) -> Judgement:
        """What the judge says; a judge of ours that crashes leaves gaps."""
        judge = self._readers.judge
        if judge is None:
            return Judgement({})
        bugs = Bugs()
        judgement = await guarded("judge", judge.judge(evidence), None, bugs)
        if judgement is None:
            return Judgement({info.name: bugs["judge"] for info in self._of_judge})
        return replace(judgement, outcomes=_complete(self._of_judge, judgement.outcomes))

    async def _asked_model(self, evidence: Evidence) -> tuple[Reading, ...]:
        """The readings of a model that is asked only about what words leave unknown."""
        if self._readers.model is None:
            return ()
        unknown = any(reading.state is State.UNKNOWN for reading in evidence.readings)
        return await self._readers.model.read(evidence) if unknown else ()

    async def _in_turn(self, evidence: Evidence) -> Judgement:
        """What is computed, one after the other: that waits for nobody."""
        computed = [await _outcomes_of(i, m.score(evidence)) for m, i in self._computed]
        return Judgement(_merged(computed))

    async def _flagged(
        self, turn: Turn, flags: Iterable[str], evidence: Evidence, bugs: Bugs
    ) -> Turn:
        """The turn with more flags; `evidence` is that of this turn."""
        names = tuple(dict.fromkeys((*turn.flags, *flags)))
        turn = replace(turn, flags=names, flagged=True)
        return replace(turn, blames=await self._causes(turn, evidence, bugs))

    async def _causes(self, turn: Turn, evidence: Evidence, bugs: Bugs) -> tuple[str, ...]:
        """The causes of a weak turn; a failed target is its own cause."""
        if isinstance(turn.exchange.reply, TargetFailure):
            return ()
        return await guarded("causes", self._causes_of(turn, evidence), (), bugs)

    async def _causes_of(self, turn: Turn, evidence: Evidence) -> tuple[str, ...]:
        readings = counting(turn.readings or ())
        open_ = [c for c in evidence.claims if _is_open(c, readings, evidence)]
        sources = await asyncio.to_thread(self._sources.of, evidence, open_)  # may build an index
        quotes = [r.quote for r in readings.values() if r.state is State.VIOLATED and r.quote]
        hit = _hit(evidence)
        unsound = bool(turn.soundness)
        led = turn.follows_up and _was_led(evidence)
        another = self._sources.from_another(evidence, quotes)
        traces = Traces(evidence.claims, readings, sources, hit, led, unsound, another)
        return causes_of(traces)


def _longest(talk: Talk) -> int:
    """The characters of its longest turn."""
    return max((len(each.user) + len(each.assistant) for each in talk.exchanges), default=0)


def _is_open(claim: Claim, readings: Mapping[str, Reading], evidence: Evidence) -> bool:
    """True if the answer lacks a claim or says otherwise; not if it may say it in other words."""
    reading = readings.get(claim.id)
    if reading is None or reading.state is State.MET:
        return False
    is_unknown = reading.state is State.UNKNOWN
    return not (is_unknown and holds(evidence.exchange.assistant, claim, evidence.language))


def _hit(evidence: Evidence) -> bool | None:
    """Whether an expected document came with the reply; None where that is not known."""
    expected, talk = evidence.scenario.expected.documents, evidence.talk
    came = evidence.exchange.documents
    if not expected or not talk.reports_documents or (came and not talk.names_documents):
        return None
    return any(document.id in expected for document in came)


def _was_led(evidence: Evidence) -> bool:
    """True if an expected document led the turn before."""
    *before, _ = evidence.talk.exchanges
    expected = evidence.scenario.expected.documents
    return bool(before) and any(d.id in expected for d in before[-1].documents[:1])


def _infos(metric: Metric | TalkMetric, scope: Literal["turn", "talk"]) -> list[MetricInfo]:
    return [info for info in metric.infos if info.scope == scope]


def _merged(outcomes: Iterable[Outcomes]) -> dict[str, Outcome]:
    return {name: outcome for part in outcomes for name, outcome in part.items()}


async def _judgement_of(infos: Sequence[MetricInfo], scoring: Awaitable[Outcomes]) -> Judgement:
    return Judgement(await _outcomes_of(infos, scoring))


async def _outcomes_of(infos: Sequence[MetricInfo], scoring: Awaitable[Outcomes]) -> Outcomes:
    """A metric's outcomes, complete and within their scales, whatever it does."""
    bugs = Bugs()

    async def checked() -> Outcomes:
        return _complete(infos, await scoring)

    name = ", ".join(info.name for info in infos)
    outcomes = await guarded(name, checked(), {}, bugs)
    return {info.name: bugs[name] for info in infos} if bugs else outcomes


def _complete(infos: Sequence[MetricInfo], outcomes: Outcomes) -> Outcomes:
    return {info.name: _checked(info, outcomes.get(info.name)) for info in infos}


def _checked(info: MetricInfo, outcome: Outcome | None) -> Outcome:
    if outcome is None:
        return Unscored(Gap.METRIC_ERROR, f"the metric returned nothing for {info.name}")
    if isinstance(outcome, Unscored):
        return outcome
    if not (math.isfinite(outcome.raw) and 0 <= outcome.value <= 1):
        return Unscored(
            Gap.METRIC_ERROR, f"value {outcome.value} (raw {outcome.raw}) isn't between 0 and 1"
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
            return any(map(normal_form, expected.answers))
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
