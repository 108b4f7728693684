"""The score of a turn where there is no judge: the share of its claims that are met, by words."""

from collections.abc import Sequence
from dataclasses import replace

from simulator.core.claim import ClaimKind, State
from simulator.core.outcome import MetricInfo, Outcome, Outcomes, Score
from simulator.core.ports import Evidence
from simulator.metrics._context import Computed
from simulator.metrics._expected import ReadClaim, by_words, share_met

_NO_CONTENT = frozenset({ClaimKind.ANSWERS, ClaimKind.MUST_NOT})


class Lexical(Computed):
    """The share of claims that the answer meets, among those that text matching can decide; 0–1.

    Claims are what the scenario expects: its elements (or else its answer), that the bot declines
    or hands over, that it answers, and that it doesn't say what it must not. A violated claim makes
    the value 0. If anything else is expected, answering and avoiding forbidden statements earn
    nothing. This metric never replaces a judge's score. Parts: the numbers of `met`, `unmet`,
    `violated` and `unknown` claims.

    No score (`unread`) if text matching can't decide any claim. Not applicable without
    expectations, or if the reply only asks a clarifying question or says goodbye.
    """

    INFOS = (
        MetricInfo(
            "lexical",
            "Lexical score",
            description=(
                "Share of the expectations that the answer meets, by text matching. "
                "The score of a run without a judge."
            ),
            any_of=("elements", "answer", "answerable"),
            parts=("met", "unmet", "violated", "unknown"),
        ),
    )

    async def score(self, evidence: Evidence) -> Outcomes:
        """The share, with a comment that names what is missing, contradicted and undecided."""
        claims = by_words(evidence, lambda claim: claim.kind is not ClaimKind.SUPPORTED)
        share = share_met(evidence, _earning(claims), "no expectations")
        return {"lexical": _with_violations(share)}


def _earning(claims: Sequence[ReadClaim]) -> list[ReadClaim]:
    """Those that count: of what is no content, only what is not met, if there is anything else."""
    has_content = any(read.claim.kind not in _NO_CONTENT for read in claims)
    return [
        read
        for read in claims
        if read.claim.kind not in _NO_CONTENT or read.state is not State.MET or not has_content
    ]


def _with_violations(share: Outcome) -> Outcome:
    if isinstance(share, Score) and share.parts[State.VIOLATED]:
        return replace(share, value=0.0, raw=0.0)
    return share
