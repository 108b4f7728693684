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
    """The share of claims met in this answer, of those that words could decide; 0–1.

    Claims are what the scenario expects: its elements, or else its answer; that it declines or
    hands over; that it does not refuse, nor say what it must not. One that is violated makes it 0.
    Not to refuse, and not to say what is wrong, earns nothing where anything else is expected. It
    never passes for a judge's score. Parts: how many claims are `met`, `unmet`, `violated` and
    `unknown`.

    A gap (`unread`) where words could decide none. Not applicable where nothing is expected, and on
    a reply that only asks back or takes leave.
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
        share = share_met(evidence, _earning(claims), "nothing is expected")
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
