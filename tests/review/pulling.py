"""A run without a store, whose verdicts are only ever added to."""

from typing import Any

from simulator.core.verdict import Verdict, latest
from simulator.review.pull import KnownVerdicts, Pulled, PullSource, TurnName, reconcile
from simulator.worksheets.columns import HASHED
from simulator.worksheets.reading import Feedback, Odd, ReviewTable
from tests.worksheets.review_grids import RUN, cells_of, row, table

TURNS: tuple[TurnName, ...] = tuple(
    (f"{scenario}/{persona}/1", turn)
    for scenario in ("parcel", "refund")
    for persona in ("calm", "angry")
    for turn in (1, 2)
)
AT = "2026-11-20T05:06:07+00:00"


class Shelf:
    """Verdicts as a store keeps them: only ever added."""

    def __init__(self, *given: Verdict) -> None:
        self.given = list(given)
        self.pulls = 0
        self.renamed: dict[str, str] = {}

    def pull(self, read: ReviewTable, source: str = "a.xlsx", reviewer: str = "") -> Pulled:
        self.pulls += 1
        found = reconcile(
            read, self.known(), PullSource(RUN, source, f"{AT}{self.pulls:03}", "en", reviewer)
        )
        names = [(v.episode, v.turn, v.reviewer) for v in found.verdicts]
        assert len(set(names)) == len(names)  # else the store would drop one of them
        self.given += found.verdicts
        return found

    def known(self) -> KnownVerdicts:
        verdicts: dict[TurnName, list[Verdict]] = {turn: [] for turn in TURNS}
        for verdict in self.given:
            verdicts[verdict.episode, verdict.turn].append(verdict)
        written = {turn: {name: row(*turn)[name] for name in HASHED} for turn in TURNS}
        return KnownVerdicts(verdicts, lambda: written, self.renamed)

    def said(self) -> dict[tuple[TurnName, str], Feedback]:
        """What each person says of each turn by now."""
        return {
            (turn, verdict.reviewer or verdict.source): Feedback(
                verdict.word, verdict.error_type, verdict.corrected, verdict.comment
            )
            for turn, verdicts in self.known().verdicts.items()
            for verdict in latest(verdicts).values()
        }


def odd(found: Pulled) -> list[Odd]:
    return [oddity.kind for oddity in found.oddities]


def one(*rows: dict[str, Any]) -> ReviewTable:
    return table(cells_of(*(row(*TURNS[0], **people) for people in rows)))
