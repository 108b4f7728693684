"""Whether a run passes what was asked of it: a score, a pass rate, conversations that must pass."""

from collections.abc import Iterator
from dataclasses import dataclass

from simulator.core.outcome import Interval
from simulator.core.plan import Gate
from simulator.core.run import RunSummary
from simulator.statistics.intervals import under as is_under


@dataclass(frozen=True, slots=True)
class Asked:
    """One thing that was asked of a run, and what came of it.

    `value` is the score or the pass rate, from `worst` to `best` where something is missing or
    undecided; `sure`: the ends of the interval count. `cases` are the conversations that must pass
    and did not, by their keys; none where none of them was played. `passed` None: it cannot be
    said.
    """

    name: str  # score, pass_rate, must_pass
    passed: bool | None
    wanted: float | None = None
    value: float | None = None
    worst: float | None = None
    best: float | None = None
    sure: bool = False
    cases: tuple[str, ...] = ()


def gate(summary: RunSummary, gate: Gate | None) -> bool | None:
    """Whether the run passes, whatever is missing or undecided would have been.

    None where that cannot be said: nothing was asked for, nothing was scored, or the gaps decide.
    """
    found = [line.passed for line in asked(summary, gate)]
    if False in found:
        return False
    return None if None in found or not found else True


def asked(summary: RunSummary, gate: Gate | None) -> tuple[Asked, ...]:
    """Each thing that was asked of the run."""
    return tuple(_asked(summary, gate)) if gate else ()


def _asked(summary: RunSummary, gate: Gate) -> Iterator[Asked]:
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
        yield Asked("must_pass", passed, cases=failed or open_)


def _reached(
    name: str,
    wanted: float,
    value: Interval,
    worst: float | None,
    best: float | None,
    *,
    sure: bool,
) -> Asked:
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
    return Asked(name, passed, wanted, value.mean, worst, best, sure)
