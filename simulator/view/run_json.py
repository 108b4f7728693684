"""The figures of a run as JSON: the contract of `mogi run --json`."""

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import Field

from simulator.core.claim import Reader, State, claims_of, counting
from simulator.core.health import FollowUps, JudgeHealth, SimulatorSummary
from simulator.core.outcome import Gap, Interval, Outcomes, Score, Unscored
from simulator.core.ports import CallRecord, Role
from simulator.core.result import Finding, Result, Why
from simulator.core.run import (
    Episode,
    Kind,
    Ledger,
    MetricSummary,
    Run,
    RunHeader,
    RunSummary,
    Turn,
)
from simulator.core.scenario import Approval, Scenario
from simulator.core.talk import Reply, StopReason, TargetFailure
from simulator.core.verdict import CorrectedScore, Separation, Word
from simulator.formats.json_contracts import LEFT_OUT, Count, Ordinal, Share, contract, filled
from simulator.view.judge_health import warning_texts
from simulator.view.results import as_they_count
from simulator.view.summary import RagSum, gate, gate_lines, notes, rag_sum, unapproved
from simulator.words import Words

_ROLES = (Role.USER, Role.JUDGE, Role.READER, Role.EMBEDDING, Role.TARGET)
Counts = Mapping[str, Count]


@dataclass(frozen=True, slots=True)
class ScenarioCounts:
    """Scenarios by what came of their conversations."""

    checked: Count
    """With anything to check."""
    passing: Count
    """None failed or is undecided."""
    failing: Count
    """Every one failed."""
    mixed: Count
    """Some failed."""
    undecided: Count
    """None failed, some are undecided."""


@dataclass(frozen=True, slots=True)
class Corrected:
    """The share of answers that people would call OK."""

    mean: Share | None
    """The estimate."""
    low: Share | None
    """The lower end of its 95 % interval."""
    high: Share | None
    """The upper end."""
    n: Count
    """Different answers that people judged."""
    audited: Count
    """Of these drawn among the unflagged."""
    lambda_: Annotated[float | None, Field(serialization_alias="lambda")]
    """How far the run's scores narrow it down, 0-1."""


@dataclass(frozen=True, slots=True)
class Auc:
    """How a metric goes with people's verdicts."""

    mean: Share | None
    """The chance that of an OK and an NG answer the OK one has the greater value."""
    low: Share | None
    """The lower end."""
    high: Share | None
    """The upper end."""
    ok: Count
    """OK answers."""
    ng: Count
    """NG answers."""


@dataclass(frozen=True, slots=True)
class MetricFigures:
    """A metric over the run."""

    mean: Share | None
    """The mean; null where nothing was scored."""
    low: Share | None
    """The lower end of its 95 % interval; null below five scenarios."""
    high: Share | None
    """The upper end."""
    worst: Share | None
    """The mean if all that is missing were the worst."""
    best: Share | None
    """The mean if it were the best."""
    raw_mean: float | None
    """The mean of what was said."""
    scored: Count
    """Turns with a value."""
    unscored: Counts
    """Turns without one, by the reason."""
    unscored_why: str
    """What was said most often of the gaps."""
    not_applicable: Count
    """Turns in which there was nothing to score."""
    threshold: float | None
    """Under which a turn is flagged; null: it flags none."""
    flagged: Count
    """Turns under it."""
    auc: Auc | None = field(default=None, metadata=LEFT_OUT)
    """How it goes with people's verdicts; where there are none, it is left out."""


@dataclass(frozen=True, slots=True)
class VerdictCounts:
    """Different answers by what people said of them."""

    ok: Count
    """OK."""
    ng: Count
    """NG."""
    unsure: Count
    """Unsure."""


@dataclass(frozen=True, slots=True)
class RateInterval:
    """A rate's interval."""

    low: Share | None
    """The lower end."""
    high: Share | None
    """The upper end."""
    n: Count
    """Places that it was counted over."""


@dataclass(frozen=True, slots=True)
class JudgeHealthFigures:
    """How far the judge's ratings can be trusted."""

    halo: Share | None
    """Turns in which all aspects of a rubric are rated alike."""
    halo_midway: Share | None
    """The same among turns whose aspects are not all best or all worst."""
    spread: Share | None
    """Turns with the most common rating."""
    parroting: Share | None
    """Comments that say back what was asked or answered."""
    against_facts: Share | None
    """Claims that words prove and the judge reads otherwise."""
    lenient: Share | None
    """Of the claims that the judge calls met, those that words prove violated."""
    harsh: Share | None
    """Of the claims that the judge calls unmet or violated, those that words prove met."""
    comment_against_score: Share | None
    """Comments that praise what is rated low, or find fault with what is rated high."""
    correlation: float | None
    """Of the aspects of a rubric, -1 to 1."""
    in_doubt: bool
    """Whether its ratings tell little."""
    warnings: tuple[str, ...]
    """What speaks against it, in words."""
    intervals: Mapping[str, RateInterval]
    """Of the rates above, by their names."""
    flips: Share | None = field(default=None, metadata=LEFT_OUT)
    """Turns in which several votes differ; left out where the judge had one vote."""


@contract
class JudgeFigures:
    """What `mogi show RUN --judge --json` prints: these keys of a run's figures."""

    run: str
    """The run's id."""
    judge_health: JudgeHealthFigures | None
    """How far the judge's ratings can be trusted; null where nothing was judged."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens of all models."""

    input: Count
    """Sent."""
    output: Count
    """Received."""
    cached: Count
    """Of those sent, held in the provider's cache."""


@dataclass(frozen=True, slots=True)
class CoverageCounts:
    """What was never tested."""

    entries: Count
    """Of the knowledge base."""
    unexpected: Count
    """Entries that no scenario expects."""
    never_found: Count | None
    """Entries that the bot never found here; null where it names none."""
    scenarios: Count
    """Of the client."""
    silent: Count
    """Of these that expect nothing."""


@dataclass(frozen=True, slots=True)
class GateBound:
    """A bound that the pass rate was to reach."""

    wanted: float | None
    """The bound."""
    value: Share | None
    """The pass rate."""
    worst: Share | None
    """If all that is undecided failed."""
    best: Share | None
    """If it passed."""
    sure: bool
    """Whether the ends of the interval count."""
    passed: bool | None
    """Null: the gaps decide."""


@dataclass(frozen=True, slots=True)
class GateCases:
    """Conversations that must pass."""

    passed: bool | None
    """Null: some are undecided, or none was played."""
    cases: tuple[str, ...]
    """Those that did not."""


@dataclass(frozen=True, slots=True)
class GateFigures:
    """What was asked of the run."""

    under: float | None
    """The least score; null: none was asked for."""
    passed: bool | None
    """Null: nothing was asked for, or the gaps decide."""
    pass_rate: GateBound | None = field(default=None, metadata=LEFT_OUT)
    """A bound that the pass rate was to reach."""
    must_pass: GateCases | None = field(default=None, metadata=LEFT_OUT)
    """Conversations that must pass."""
    unapproved: Share | None = field(default=None, metadata=LEFT_OUT)
    """Conversations whose expectations nobody has confirmed; left out without any."""


@dataclass(frozen=True, slots=True)
class SinceBefore:
    """What came of --fail-on."""

    what: str
    """As it was typed."""
    status: int
    """The exit status that it speaks for."""
    why: tuple[str, ...]
    """Said on stderr."""
    before: str | None = None
    """The run it is compared with; null: there is none."""
    newly_failing: int | None = None
    """Conversations."""
    newly_passing: int | None = None
    """Conversations."""


@contract
class RunFigures:
    """What `mogi run --json` and `mogi show RUN --json` print, and the report `json` writes."""

    run: str
    """The run's id."""
    client: str
    """The client's name, or that of the file whose rows were scored."""
    kind: Kind
    """How it came about."""
    of: str
    """The file that was scored, or the run that was judged again; else empty."""
    started: str
    """ISO 8601, in UTC."""
    finished: str | None
    """ISO 8601, in UTC; null while it runs."""
    status: str
    """finished, unfinished, or what halted it."""
    offline: bool
    """Whether no model was called."""
    score_by: str
    """The metric that is the score."""
    conversations: Count
    """That came to their end."""
    turns: Count
    """In these."""
    passed: Count
    """Conversations that passed."""
    failed: Count
    """Conversations that failed."""
    undecided: Count
    """Conversations of which neither can be said."""
    unchecked: Count
    """Conversations in which nothing was there to check."""
    pass_rate: Share | None
    """Passed of those that passed or failed; null without any."""
    pass_rate_low: Share | None
    """The lower end of its 95 % interval; null below five scenarios."""
    pass_rate_high: Share | None
    """The upper end."""
    pass_rate_worst: Share | None
    """If all that is undecided failed."""
    pass_rate_best: Share | None
    """If it passed."""
    scenarios: ScenarioCounts
    """Scenarios by what came of their conversations."""
    why: Mapping[Why, Count]
    """Conversations by the line that decided them."""
    decided: Mapping[Reader, Count]
    """Conversations that passed or failed, by the weakest reader that their result needed: person,
    model (a judge or a reader) or words (neither)."""
    expectations: Mapping[Approval, Count]
    """Conversations in which anything is expected, by who stands behind it: confirmed (a person),
    bulk (a person, with many others), open (generated; nobody yet)."""
    undecided_answers: Count
    """Different answers that leave conversations undecided."""
    bugs: Count
    """Turns on which a check of mogi or of a plugin crashed."""
    pass_power: Mapping[str, Share | None]
    """pass^k by k: the share of cells that pass k times in a row."""
    pass_power_cells: Count
    """Cells of which the last of these is known."""
    score: Share | None
    """The mean of `score_by`; null where nothing was scored."""
    score_low: Share | None
    """The lower end of its 95 % interval; null below five scenarios."""
    score_high: Share | None
    """The upper end."""
    score_worst: Share | None
    """If all that is missing were the worst."""
    score_best: Share | None
    """If it were the best."""
    score_corrected: Corrected | None
    """The share of answers that people would call OK; null where they said too little."""
    scored: Count
    """Turns with a score."""
    unscored: Counts
    """Turns without one, by the reason."""
    unscored_why: str
    """What was said most often of the gaps."""
    not_applicable: Count
    """Turns in which there was nothing to score."""
    flagged: Count
    """Turns that people should look at."""
    blames: Counts
    """Flagged turns by whose fault they are."""
    metrics: Mapping[str, MetricFigures]
    """All of them, by name."""
    rag_sum: RagSum | None
    """The sum of the means of those of the five RAG ratings that were scored; null below two."""
    verdicts: VerdictCounts
    """Different answers by what people said of them."""
    judge_health: JudgeHealthFigures | None
    """How far the judge's ratings can be trusted; null where nothing was judged."""
    stops: Counts
    """Conversations by why they ended."""
    failures: Counts
    """What failed, by whose it was: target, user, judge, infrastructure."""
    soundness: Counts
    """Turns by what is odd about the simulated user's words."""
    unfinished: Count
    """Conversations that did not come to their end."""
    simulator: SimulatorSummary
    """How sound the simulated users were, in conversations."""
    follow_ups: FollowUps
    """How questions that lean on the turn before fared, beside first ones."""
    calls: Counts
    """Calls by role: user, judge, reader, embedding, target, and what else was called."""
    tokens: Tokens
    """Tokens of all models."""
    cost_usd: float | None
    """Null where a price is not known."""
    coverage: CoverageCounts | None
    """What was never tested; null where no knowledge base is at hand."""
    gate: GateFigures
    """What was asked of the run."""
    wall_s: float
    """Seconds from start to end, all starts together."""
    waits: Mapping[str, Mapping[str, float]]
    """Seconds in which any call waited, by whose limit it was and by the limit's name."""
    versions: Mapping[str, str]
    """Of mogi, and of what cuts Japanese into words where the figures depend on it."""
    notes: tuple[str, ...]
    """What people are told of it."""
    fail_on: SinceBefore | None = None
    """What came of --fail-on; null without it, and in reports."""


def run_json(run: Run, since: SinceBefore | None = None) -> RunFigures:
    """What `mogi run --json` prints: the figures of a run."""
    header, summary = run.header, run.summary
    results, score, verdicts = summary.results, summary.score, summary.verdicts
    interval = score.value if score else Interval(None)
    counted = verdicts.metrics if verdicts else {}
    return filled(
        RunFigures,
        header,
        summary,
        results,
        run=header.id,
        **{result.value: results[result] for result in Result},
        pass_rate=results.pass_rate.mean,
        pass_rate_low=results.pass_rate.low,
        pass_rate_high=results.pass_rate.high,
        pass_rate_worst=results.worst,
        pass_rate_best=results.best,
        scenarios=filled(
            ScenarioCounts, results, checked=results.scenarios, undecided=results.left_open
        ),
        why=results.whys,
        decided={reader: results.decided.get(reader, 0) for reader in Reader},
        expectations={each: summary.approvals.get(each, 0) for each in Approval},
        undecided_answers=summary.unsettled.answers,
        pass_power={str(k): power for k, power in results.pass_power.items()},
        score=interval.mean,
        score_low=interval.low,
        score_high=interval.high,
        score_worst=score.worst if score else None,
        score_best=score.best if score else None,
        score_corrected=_corrected(summary.corrected),
        scored=score.scored if score else 0,
        unscored=score.unscored if score else {},
        unscored_why=score.unscored_why if score else "",
        not_applicable=score.not_applicable if score else 0,
        metrics={n: _metric(m, counted.get(n)) for n, m in summary.metrics.items()},
        rag_sum=rag_sum(summary),
        verdicts=filled(VerdictCounts, verdicts) if verdicts else VerdictCounts(0, 0, 0),
        judge_health=_judge_health(summary.judge_health, header),
        calls=_calls(summary.ledger),
        tokens=Tokens(
            summary.ledger.input_tokens,
            summary.ledger.output_tokens,
            summary.ledger.cached_tokens,
        ),
        cost_usd=summary.ledger.cost_usd,
        coverage=_coverage(header, summary),
        gate=_gate(run),
        versions=_versions(header),
        notes=notes(run),
        fail_on=since,
    )


def _gate(run: Run) -> GateFigures:
    wanted = run.header.gate
    rate: GateBound | None = None
    cases: GateCases | None = None
    for line in gate_lines(run.summary, wanted):
        if line.name == "pass_rate":
            rate = filled(GateBound, line)
        elif line.name == "must_pass":
            cases = filled(GateCases, line)
    score = wanted.score if wanted else None
    open_share = unapproved(run.summary) if wanted else None
    return GateFigures(score, gate(run.summary, wanted), rate, cases, open_share or None)


def _calls(ledger: Ledger) -> Mapping[str, int]:
    calls = {role.value: ledger.calls.get(role, 0) for role in _ROLES}
    return calls | {role: n for role, n in ledger.calls.items() if role not in calls}


def _versions(header: RunHeader) -> dict[str, str]:
    """Of mogi, and of what cuts Japanese into words where this run's figures depend on it."""
    cut = {k.partition(".")[2]: v for k, v in header.snapshot.items() if k.startswith("sudachi.")}
    return {"mogi": header.version, **cut}


def _metric(metric: MetricSummary, separation: Separation | None) -> MetricFigures:
    auc = filled(Auc, separation, separation.auc) if separation else None
    return filled(MetricFigures, metric, metric.value, auc=auc)


def _coverage(header: RunHeader, summary: RunSummary) -> CoverageCounts | None:
    known = header.coverage
    if known is None:
        return None
    missing = known.never_found(summary.found)
    return filled(CoverageCounts, known, entries=len(known.entries), never_found=missing)


def _judge_health(health: JudgeHealth | None, header: RunHeader) -> JudgeHealthFigures | None:
    if health is None:
        return None
    return JudgeHealthFigures(
        **{name: rate.value.mean for name, rate in health.rates.items()},
        correlation=health.correlation,
        in_doubt=health.in_doubt,
        warnings=tuple(warning_texts(health, Words(header.language, "judge"))),
        intervals={n: filled(RateInterval, rate, rate.value) for n, rate in health.rates.items()},
    )


def _corrected(score: CorrectedScore | None) -> Corrected | None:
    """The share that people would call OK; None where too few of them said anything."""
    if score is None or score.value.mean is None:
        return None
    return filled(Corrected, score, score.value, lambda_=score.tuning)


Texts = tuple[str, ...]
Wordings = Annotated[Texts, Field(min_length=1)]


@dataclass(frozen=True, slots=True)
class RightAnswer:
    """What a right answer looks like."""

    answers: Texts
    """Right answers, any one of them will do."""
    elements: tuple[Wordings, ...]
    """What has to be said; each in any one of its wordings."""
    documents: Texts
    """Ids of the documents that have to be found."""
    answerable: bool | None
    """Whether it can be answered; null where the scenario does not say."""
    escalate: bool
    """Whether a person has to be handed the matter."""
    must_not: Texts
    """Statements that would be wrong."""
    approved: Approval = Approval.CONFIRMED
    """Who stands behind it: confirmed, bulk (confirmed with many others), open (nobody yet)."""


@dataclass(frozen=True, slots=True)
class DocumentLine:
    """A document."""

    id: str | None
    """Null where the bot gives none."""
    text: str
    """What it says."""


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """A value, and how it came about."""

    value: Share
    """In 0-1."""
    raw: float
    """What was said: a rating of 4 on 1-5, a count."""
    comment: str
    """The judge's reason, or empty."""
    parts: Mapping[str, float] | None = field(default=None, metadata=LEFT_OUT)
    """Numbers that explain the value, by name; left out where there are none."""
    named: Texts | None = field(default=None, metadata=LEFT_OUT)
    """The texts that it is about: elements that were not said; left out where there are none."""


@dataclass(frozen=True, slots=True)
class OutcomeLines:
    """What metrics say, by their names."""

    scores: Mapping[str, ScoreLine]
    """Those that have a value, by the metric's name."""
    unscored: Mapping[str, Gap]
    """Why others have none, by the metric's name."""
    unscored_why: Mapping[str, str]
    """What was said of that, by the metric's name; where nothing was, it is left out."""


@dataclass(frozen=True, slots=True)
class ClaimLine:
    """What a reader says about a claim of the scenario."""

    id: str
    """Its kind and 8 hex digits."""
    text: str
    """What is expected; empty for kinds without a wording."""
    state: State
    """Whether the answer satisfies it."""
    reader: Reader
    """Who says so."""
    quote: str
    """The words of the answer that show it, or empty."""
    against: str
    """The wording that they were compared with, or empty."""
    counts: bool
    """Whether this reading is in force: a model's, where words prove a violation of what it calls
    met, makes the claim unknown."""


@dataclass(frozen=True, slots=True)
class Latency:
    """Milliseconds."""

    user: float
    """For the user's words."""
    target: float
    """For the bot's answer."""
    judge: float
    """For its scores."""


@dataclass(frozen=True, slots=True)
class WhyLine:
    """The line of the verdict table that decided a conversation."""

    line: str
    """Such as never_said, contradicts, scored_low."""
    turn: Ordinal | None
    """The answer that shows it; null where it is no single one."""
    claim: str
    """The id of the claim that decided; empty where none did."""
    metric: str
    """The metric that shows it there; empty where none does."""
    about: Texts
    """The texts or names that it speaks of."""


@contract
class TurnLine:
    """A line of `mogi export RUN`."""

    run: str
    """The run's id."""
    client: str
    """The client's name, or that of the file whose rows were scored."""
    episode: str
    """The conversation: scenario/persona/repeat."""
    scenario: str
    """The scenario's id."""
    persona: str
    """The persona's id; - where a row of a file names none."""
    repeat: Ordinal
    """Which repeat, from 1."""
    turn: Ordinal
    """Which turn of the conversation, from 1."""
    tags: Texts
    """Of the scenario."""
    goal: str
    """What the user wants, if the scenario says it; else empty."""
    expected: RightAnswer | None
    """What a right answer looks like; null in older runs."""
    user: str
    """What the user said."""
    assistant: str
    """What the bot answered; empty where it failed."""
    failure: str | None
    """How the bot failed, such as `timeout: no answer within 60 s`; null where it answered."""
    documents: tuple[DocumentLine, ...]
    """What came with the answer, in the bot's order."""
    scores: Mapping[str, ScoreLine]
    """Of this turn: those that have a value, by the metric's name."""
    unscored: Mapping[str, Gap]
    """Of this turn: why others have none, by the metric's name; not_applicable is no gap."""
    unscored_why: Mapping[str, str]
    """Of this turn: what was said of that, by the metric's name; where nothing was, left out."""
    flagged: bool
    """Whether people should look at it."""
    blame: str | None
    """Whose fault a flagged turn is: the first of `blames`; null where it is nobody's."""
    blames: Texts
    """All of them, what to read first at the head."""
    claims: tuple[ClaimLine, ...] | None
    """What readers say about the scenario's claims, one entry for each reading; null in runs from
    before readings were stored."""
    soundness: Texts
    """Tags of what is odd about the simulated user's words."""
    verdict: Word | None
    """What people say of the answer; null where nobody does, or they differ."""
    latency_ms: Latency
    """Milliseconds."""
    stop: StopReason | None
    """On the last turn: why the conversation ended; null on others."""
    talk: OutcomeLines | None
    """On the last turn: the metrics about the whole conversation; null on others."""
    result: Result | None
    """On the last turn: what came of the conversation; null on others."""
    why: WhyLine | None
    """On the last turn: the line that decided it; null on others."""
    rerun_for: Texts | None
    """On the last turn: the tags for which a first take was thrown away; null on others."""
    trace: str | None = field(default=None, metadata=LEFT_OUT)
    """The id of the bot's own trace of this turn; left out where its answer names none."""


def turn_json(
    header: RunHeader, episode: Episode, turn: Turn, verdict: Word | None = None
) -> TurnLine:
    """What `mogi export` prints for one turn; `verdict`: what people say of it, if anybody does."""
    cell, exchange, scenario = episode.cell, turn.exchange, episode.scenario
    is_last = exchange.turn == episode.turns[-1].exchange.turn
    reply, outcomes = exchange.reply, _outcomes(turn.outcomes)
    finding = episode.finding if is_last else None
    return TurnLine(
        run=header.id,
        client=header.client,
        episode=cell.key,
        scenario=cell.scenario,
        persona=cell.persona,
        repeat=cell.repeat,
        turn=exchange.turn,
        tags=scenario.tags if scenario else (),
        goal=scenario.goal if scenario else "",
        expected=_right_answer(scenario),
        user=exchange.user,
        assistant=exchange.assistant,
        failure=f"{reply.fault}: {reply.message}" if isinstance(reply, TargetFailure) else None,
        documents=tuple(DocumentLine(d.id, d.text) for d in exchange.documents),
        scores=outcomes.scores,
        unscored=outcomes.unscored,
        unscored_why=outcomes.unscored_why,
        flagged=turn.flagged,
        blame=turn.blame,
        blames=turn.blames,
        claims=_claims(turn, scenario),
        soundness=turn.soundness,
        verdict=verdict,
        latency_ms=Latency(exchange.user_ms, exchange.target_ms, turn.judge_ms),
        stop=episode.stop.reason if is_last else None,
        talk=_outcomes(episode.outcomes) if is_last else None,
        result=finding.result if finding else None,
        why=why_line(finding),
        rerun_for=episode.rerun_for if is_last else None,
        trace=reply.trace or None if isinstance(reply, Reply) else None,
    )


def turn_lines(run: Run) -> Iterator[TurnLine]:
    """What `mogi export` prints: a line for each turn."""
    for episode, words in as_they_count(run):
        for turn in episode.turns:
            yield turn_json(run.header, episode, turn, words.get(turn.exchange.turn))


def why_line(finding: Finding | None) -> WhyLine | None:
    """The line that decided it; None where there is no finding."""
    if finding is None:
        return None
    return filled(WhyLine, finding, line=finding.why.value)


def _right_answer(scenario: Scenario | None) -> RightAnswer | None:
    """What the conversation was held by; older runs kept nothing of it."""
    if scenario is None:
        return None
    return filled(RightAnswer, scenario.expected)


def _claims(turn: Turn, scenario: Scenario | None) -> tuple[ClaimLine, ...] | None:
    """A line for each reading; where a model and words disagree, the model's counts, as unknown."""
    if turn.readings is None:
        return None
    claims = claims_of(scenario.expected, supported=True) if scenario else ()
    texts, in_force = {c.id: c.text for c in claims}, counting(turn.readings)
    return tuple(
        filled(
            ClaimLine,
            reading,
            id=reading.claim,
            text=texts.get(reading.claim, ""),
            counts=in_force[reading.claim].reader is reading.reader,
        )
        for reading in (turn.readings if scenario else ())
    )


def _outcomes(outcomes: Outcomes) -> OutcomeLines:
    gaps = {name: each for name, each in outcomes.items() if isinstance(each, Unscored)}
    return OutcomeLines(
        {name: _score(each) for name, each in outcomes.items() if isinstance(each, Score)},
        {name: gap.reason for name, gap in gaps.items()},
        {name: gap.detail for name, gap in gaps.items() if gap.detail},
    )


def _score(score: Score) -> ScoreLine:
    return ScoreLine(
        score.value, score.raw, score.comment, score.parts or None, score.named or None
    )


@dataclass(frozen=True, slots=True)
class CallFigures:
    """What one role's calls of one model at one endpoint came to.

    Attributes:
        endpoint: A base URL, or the bot's host or kind; None: made before this was kept.
        model: Empty where the bot was called.
        role: On whose behalf.
        calls: Those that were answered and paid for, replaced ones too.
        p50_ms: Median of the last attempts' latencies.
        p95_ms: 95th percentile of the same.
        attempts: Requests, all together.
        input_tokens: All together, as the next two.
        output_tokens: All together.
        cached_tokens: Those of the input that a provider's cache held.
        cost_usd: None where a price is not known.
        waited_s: In queues and between attempts, summed over the calls; None: not kept.
    """

    endpoint: str | None
    model: str
    role: Role
    calls: int
    p50_ms: float
    p95_ms: float
    attempts: int
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    cost_usd: float | None
    waited_s: float | None

    @property
    def cached_share(self) -> float | None:
        """Of the input's tokens, 0-1; None where there are none."""
        return self.cached_tokens / self.input_tokens if self.input_tokens else None


@dataclass(slots=True)
class _Tally:
    latencies: "array[float]" = field(default_factory=lambda: array("d"))
    attempts: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost_usd: float | None = 0.0
    waited_ms: float | None = 0.0

    def add(self, record: CallRecord) -> None:
        self.latencies.append(record.latency_ms)
        self.attempts += record.attempts
        self.input_tokens += record.usage.input
        self.output_tokens += record.usage.output
        self.cached_tokens += record.usage.cached
        self.cost_usd = _plus(self.cost_usd, record.cost_usd)
        self.waited_ms = _plus(self.waited_ms, record.waited_ms)


def call_figures(records: Iterable[CallRecord]) -> Sequence[CallFigures]:
    """The figures of these calls, by role; what was taken from elsewhere is none of them."""
    tallies: dict[tuple[Role, str, str | None], _Tally] = {}
    for record in records:
        if not record.reused:
            key = (record.call.role, record.model, record.endpoint)
            tallies.setdefault(key, _Tally()).add(record)
    order = list(Role)
    ranked = sorted(tallies.items(), key=lambda item: (order.index(item[0][0]), str(item[0][1:])))
    return [_figures(*key, tally) for key, tally in ranked]


def _figures(role: Role, model: str, endpoint: str | None, tally: _Tally) -> CallFigures:
    import numpy as np  # a tenth of a second

    p50, p95 = np.quantile(tally.latencies, (0.5, 0.95))
    waited = tally.waited_ms
    return CallFigures(
        endpoint,
        model,
        role,
        len(tally.latencies),
        float(p50),
        float(p95),
        tally.attempts,
        tally.input_tokens,
        tally.output_tokens,
        tally.cached_tokens,
        tally.cost_usd,
        None if waited is None else waited / 1000,
    )


def _plus(total: float | None, more: float | None) -> float | None:
    return None if total is None or more is None else total + more
