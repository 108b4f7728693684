"""Did a run pass: the gate, and the exit status that follows (DESIGN.md, "Scores")."""

from simulator.core.run import RunSummary
from simulator.judging.thresholds import under as is_under

DONE = 0
FAILED = 1
WRONG_INPUT = 2
INCOMPLETE = 3
INTERRUPTED = 130


def gate(summary: RunSummary, under: float | None) -> bool | None:
    """Whether the run's score reaches `under`, whatever the missing scores would have been.

    None where that cannot be said: no gate was asked for, nothing was scored, or the gaps decide.
    """
    score = summary.score
    if under is None or score is None or score.worst is None or score.best is None:
        return None
    if not is_under(score.worst, under):
        return True
    return False if is_under(score.best, under) else None


def exit_status(
    summary: RunSummary | None,
    under: float | None = None,
    *,
    interrupted: bool = False,
    regressed: bool = False,
) -> int:
    """The first that applies: 2 wrong input, 130 interrupted, 3 incomplete, 1 failed, else 0.

    Args:
        summary: the run's figures; None where the input was wrong and nothing ran.
        under: the gate, if one was asked for.
        interrupted: a person stopped the run.
        regressed: a comparison that was asked for found the run worse than another.
    """
    if summary is None:
        return WRONG_INPUT
    if interrupted:
        return INTERRUPTED
    passed = gate(summary, under)
    nothing_scored = not any(metric.scored for metric in summary.metrics.values())
    if summary.unfinished or nothing_scored or (under is not None and passed is None):
        return INCOMPLETE
    return FAILED if passed is False or regressed else DONE
