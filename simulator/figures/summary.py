"""What is read off a run's summary: whether it passed, its exit status, its sum of RAG scores."""

from collections.abc import Mapping
from dataclasses import dataclass

from simulator.core.plan import Gate
from simulator.core.run import RunSummary
from simulator.figures.gate import gate
from simulator.judging.result import GROUNDED

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
    asked: Gate | None = None,
    *,
    interrupted: bool = False,
    compared: int = DONE,
) -> int:
    """The first that applies: 2 wrong input, 130 interrupted, 3 incomplete, 1 failed, else 0.

    Args:
        summary: the run's figures; None where the input was wrong and nothing ran.
        asked: the gate, if one was asked for.
        interrupted: a person stopped the run.
        compared: the status of a comparison that was asked for.
    """
    if summary is None:
        return WRONG_INPUT
    if interrupted:
        return INTERRUPTED
    passed = gate(summary, asked)
    undecided = asked is not None and passed is None
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
    """The sum of the means, what it would be at best, and how many turns each mean is made of."""

    total: float
    of: int
    scored: Mapping[str, int]


def rag_sum(summary: RunSummary) -> RagSum | None:
    """The sum over those of the five that a run has scores of; None for fewer than two.

    Turns to which a metric does not apply are in no mean, so the means may be of different
    turns: look at `scored`. A sum of fewer than five is no part of 25 and says so.
    """
    found = {name: summary.metrics[name] for name in FIVE if name in summary.metrics}
    means = {name: m.value.mean for name, m in found.items() if m.value.mean is not None}
    if len(means) < 2:
        return None
    scored = {name: found[name].scored for name in means}
    return RagSum(_MOST * sum(means.values()), _MOST * len(means), scored)
