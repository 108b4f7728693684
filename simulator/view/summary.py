"""What is read off a run's summary: whether it passes what was asked, its exit status, RAG sum."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from simulator.core.claim import Reader
from simulator.core.outcome import Interval
from simulator.core.plan import Gate, GateLine
from simulator.core.result import Result
from simulator.core.run import RunSummary
from simulator.core.scenario import Approval
from simulator.results.verdict import GROUNDED
from simulator.statistics.intervals import under as is_under

DONE = 0
FAILED = 1
WRONG_INPUT = 2
INCOMPLETE = 3
INTERRUPTED = 130
FIVE = (
    "gpt_relevance",
    "gpt_groundedness",
    "gpt_similarity",
    "gpt_fluency",
    "ada_cosine_similarity",
)
_MOST = 5  # what each of them adds at most


def exit_status(
    summary: RunSummary | None,
    wanted: Gate | None = None,
    *,
    interrupted: bool = False,
    compared: int = DONE,
) -> int:
    """The first that applies: 2 wrong input, 130 interrupted, 3 incomplete, 1 failed, else 0.

    Args:
        summary: the run's figures; None where the input was wrong and nothing ran.
        wanted: the gate, if one was asked for.
        interrupted: a person stopped the run.
        compared: the status of a comparison that was asked for.
    """
    if summary is None:
        return WRONG_INPUT
    if interrupted:
        return INTERRUPTED
    passed = gate(summary, wanted)
    undecided = wanted is not None and passed is None
    if summary.unfinished or nothing_scored(summary) or undecided or compared == INCOMPLETE:
        return INCOMPLETE
    return FAILED if passed is False or compared == FAILED else DONE


def nothing_scored(summary: RunSummary) -> bool:
    """Whether a run tells nothing: its score failed throughout, or nothing was expected.

    That documents bear a reply out (`grounded`) is measured whatever is expected, and says little
    of a bot by itself: it counts where it is the score.
    """
    score = summary.score
    if score is not None and (score.scored or score.unscored):
        return not score.scored
    return not any(metric.scored for name, metric in summary.metrics.items() if name != GROUNDED)


@dataclass(frozen=True, slots=True)
class RagSum:
    """The sum of the means of those of the five RAG ratings that were scored."""

    sum: float
    """0 to `of`."""
    of: int
    """The most that it can be."""
    scored: Mapping[str, int]
    """Turns with a value, by metric."""


def rag_sum(summary: RunSummary) -> RagSum | None:
    """The sum over those of the five that a run has scores of; None for fewer than two.

    Turns to which a metric does not apply are in no mean, so the means may be of different
    turns: look at `scored`. A sum of fewer than five is no part of 25 and says so.
    """
    metrics = {name: summary.metrics[name] for name in FIVE if name in summary.metrics}
    means = {name: m.value.mean for name, m in metrics.items() if m.value.mean is not None}
    if len(means) < 2:
        return None
    scored = {name: metrics[name].scored for name in means}
    return RagSum(_MOST * sum(means.values()), _MOST * len(means), scored)


def gate(summary: RunSummary, gate: Gate | None) -> bool | None:
    """Whether the run passes, whatever is missing or undecided would have been.

    None where that cannot be said: nothing was asked for, nothing was scored, or the gaps decide.
    """
    passed = [line.passed for line in gate_lines(summary, gate)]
    if False in passed:
        return False
    return None if None in passed or not passed else True


def gate_lines(summary: RunSummary, gate: Gate | None) -> tuple[GateLine, ...]:
    """Each thing that was asked of the run."""
    lines = _gate_lines(summary, gate) if gate else ()
    if not _is_checked(summary):
        return tuple(replace(line, passed=None) if line.passed else line for line in lines)
    return tuple(
        replace(line, passed=None, doubted=True) if line.passed and _doubts(summary, line) else line
        for line in lines
    )


def _is_checked(summary: RunSummary) -> bool:
    """True if anything passed, failed or is undecided.

    Where nothing is expected, `grounded` and `refusal` are scored all the same: no gate passes on
    that.
    """
    results = summary.results
    return any(results[result] for result in Result if result is not Result.UNCHECKED)


def _doubts(summary: RunSummary, line: GateLine) -> bool:
    """True if a line rests on a judge whose own figures say that this tells little.

    The results rest on its readings of claims, and on no rating that is in doubt.
    """
    health, score = summary.judge_health, summary.score
    doubts = {w.name for w in health.warnings if w.doubt} if health else set()
    if line.name == "score":
        return bool(doubts) and score is not None and "judge" in score.info.needs
    return "lenient" in doubts and Reader.MODEL in summary.results.decided


def unapproved(summary: RunSummary) -> float:
    """The share of conversations whose expectations nobody has confirmed."""
    known = sum(summary.approvals.values())
    return summary.approvals.get(Approval.OPEN, 0) / known if known else 0.0


def _gate_lines(summary: RunSummary, gate: Gate) -> Iterator[GateLine]:
    score, results = summary.score, summary.results
    if gate.score is not None:
        value = score.value if score else Interval(None)
        worst, best = (score.worst, score.best) if score else (None, None)
        yield _reached("score", gate.score, value, worst, best, sure=gate.sure)
    if gate.pass_rate is not None:
        rate = results.pass_rate
        worst, best = results.worst, results.best
        yield _reached("pass_rate", gate.pass_rate, rate, worst, best, sure=gate.sure)
    if gate.must_pass:
        failed, open_ = results.must_failed, results.must_open
        passed = False if failed else None if open_ or results.must_idle else True
        yield GateLine("must_pass", passed, cases=failed or open_)


def _reached(
    name: str,
    wanted: float,
    value: Interval,
    worst: float | None,
    best: float | None,
    *,
    sure: bool,
) -> GateLine:
    """The worst case has to reach it; where that has to be sure, with the interval below it.

    The interval is that of what was scored or decided, so that it is moved down with the mean.
    """
    passed: bool | None = None
    if worst is not None and best is not None:
        lower: float | None = worst
        if sure:  # too few scenarios are sure of nothing
            doubt = None if value.mean is None or value.low is None else value.mean - value.low
            lower = None if doubt is None else worst - doubt
        if is_under(best, wanted):
            passed = False
        elif lower is not None and not is_under(lower, wanted):
            passed = True
    return GateLine(name, passed, wanted, value.mean, worst, best, sure)
