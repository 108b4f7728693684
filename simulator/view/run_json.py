"""The figures of a run as JSON: the contract of `mogi run --json`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated

from pydantic import Field

from simulator.core.claim import Reader
from simulator.core.health import FollowUps, JudgeHealth, SimulatorSummary
from simulator.core.outcome import Interval
from simulator.core.ports import Role
from simulator.core.result import Result, Why
from simulator.core.run import Kind, Ledger, MetricSummary, Run, RunHeader, RunSummary
from simulator.core.scenario import Approval
from simulator.core.verdict import CorrectedScore, Separation
from simulator.formats.json_contracts import LEFT_OUT, Count, Share, contract
from simulator.view.judge_health import warning_texts
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
    return RunFigures(
        run=header.id,
        client=header.client,
        kind=header.kind,
        of=header.of,
        started=header.started,
        finished=header.finished,
        status=header.status,
        offline=header.offline,
        score_by=header.score_by,
        conversations=summary.conversations,
        turns=summary.turns,
        passed=results[Result.PASSED],
        failed=results[Result.FAILED],
        undecided=results[Result.UNDECIDED],
        unchecked=results[Result.UNCHECKED],
        pass_rate=results.pass_rate.mean,
        pass_rate_low=results.pass_rate.low,
        pass_rate_high=results.pass_rate.high,
        pass_rate_worst=results.worst,
        pass_rate_best=results.best,
        scenarios=ScenarioCounts(
            results.scenarios,
            results.passing,
            results.failing,
            results.mixed,
            results.left_open,
        ),
        why=results.whys,
        decided={reader: results.decided.get(reader, 0) for reader in Reader},
        expectations={each: summary.approvals.get(each, 0) for each in Approval},
        undecided_answers=summary.unsettled.answers,
        bugs=summary.bugs,
        pass_power={str(k): power for k, power in results.pass_power.items()},
        pass_power_cells=results.pass_power_cells,
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
        flagged=summary.flagged,
        blames=summary.blames,
        metrics={n: _metric(m, counted.get(n)) for n, m in summary.metrics.items()},
        rag_sum=rag_sum(summary),
        verdicts=VerdictCounts(verdicts.ok, verdicts.ng, verdicts.unsure)
        if verdicts
        else VerdictCounts(0, 0, 0),
        judge_health=_judge_health(summary.judge_health, header),
        stops=summary.stops,
        failures=summary.failures,
        soundness=summary.soundness,
        unfinished=summary.unfinished,
        simulator=summary.simulator,
        follow_ups=summary.follow_ups,
        calls=_calls(summary.ledger),
        tokens=Tokens(
            summary.ledger.input_tokens,
            summary.ledger.output_tokens,
            summary.ledger.cached_tokens,
        ),
        cost_usd=summary.ledger.cost_usd,
        coverage=_coverage(header, summary),
        gate=_gate(run),
        wall_s=header.wall_s,
        waits=header.waits,
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
            ends = line.value, line.worst, line.best
            rate = GateBound(line.wanted, *ends, line.sure, line.passed)
        elif line.name == "must_pass":
            cases = GateCases(line.passed, line.cases)
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


def _auc(separation: Separation | None) -> Auc | None:
    if separation is None:
        return None
    auc = separation.auc
    return Auc(auc.mean, auc.low, auc.high, separation.ok, separation.ng)


def _metric(metric: MetricSummary, separation: Separation | None) -> MetricFigures:
    return MetricFigures(
        mean=metric.value.mean,
        low=metric.value.low,
        high=metric.value.high,
        worst=metric.worst,
        best=metric.best,
        raw_mean=metric.raw_mean,
        scored=metric.scored,
        unscored=metric.unscored,
        unscored_why=metric.unscored_why,
        not_applicable=metric.not_applicable,
        threshold=metric.threshold,
        flagged=metric.flagged,
        auc=_auc(separation),
    )


def _coverage(header: RunHeader, summary: RunSummary) -> CoverageCounts | None:
    known = header.coverage
    if known is None:
        return None
    return CoverageCounts(
        len(known.entries),
        known.unexpected,
        known.never_found(summary.found),
        known.scenarios,
        known.silent,
    )


def _judge_health(health: JudgeHealth | None, header: RunHeader) -> JudgeHealthFigures | None:
    if health is None:
        return None
    return JudgeHealthFigures(
        **{name: rate.value.mean for name, rate in health.rates.items()},
        correlation=health.correlation,
        in_doubt=health.in_doubt,
        warnings=tuple(warning_texts(health, Words(header.language, "judge"))),
        intervals={
            name: RateInterval(rate.value.low, rate.value.high, rate.n)
            for name, rate in health.rates.items()
        },
    )


def _corrected(score: CorrectedScore | None) -> Corrected | None:
    """The share that people would call OK; None where too few of them said anything."""
    if score is None or score.value.mean is None:
        return None
    mean, low, high = score.value.mean, score.value.low, score.value.high
    return Corrected(mean, low, high, score.n, score.audited, score.tuning)
