"""The page's view of expectations: the worksheet's columns as data, and what the page sends."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from simulator.core.claim import ClaimKind
from simulator.core.clean import clean
from simulator.core.scenario import Approval
from simulator.review.expectation_sheet import (
    cells_of,
    conflict_text,
    heads,
    refusal_text,
    wordings_in,
)
from simulator.review.expectations import (
    WORDED,
    Decision,
    Expectations,
    Judgement,
    in_bulk,
    take,
    write,
)
from simulator.words import table

_SOURCE = "view"
_LONGEST = 100_000  # characters of what a person writes
_Text = Annotated[str, Field(max_length=_LONGEST)]


class SentJudgement(BaseModel):
    """What the page says about a claim; with `bulk` about all others."""

    model_config = ConfigDict(extra="forbid")

    scenario: _Text = ""
    claim: _Text = ""
    kind: Literal["says", "must_not", "declines", "hands_over", "answers"] = "says"
    decision: Literal["ok", "strike", "change", "add", "bulk"]
    text: _Text = ""
    before: _Text = ""
    comment: _Text = ""
    reviewer: Annotated[str, Field(min_length=1, max_length=200)]

    def judgement(self) -> Judgement:
        """The same as a worksheet would say it."""
        kind, decision = ClaimKind(self.kind), Decision(self.decision)
        who = " ".join(clean(self.reviewer).split())
        if decision is Decision.BULK:
            return in_bulk(who, _SOURCE)
        before = wordings_in(kind, clean(self.before)) if kind in WORDED else ()
        after = wordings_in(kind, clean(self.text)) if kind in WORDED else ()
        if decision is Decision.OK and after:
            after = (*before, *after)
        note = clean(self.comment)
        return Judgement(
            self.scenario, self.claim, kind, decision, before, after, note, who, _SOURCE
        )


def _page_state(expectations: Expectations, trouble: Iterable[str] = ()) -> dict[str, object]:
    """What the page shows; `trouble`: what was not taken of what it sent.

    `worded`: a claim's text can be changed; `open`: nobody judged it; `bulk`: how many scenarios
    that would confirm. A new claim is added beside any of its scenario.
    """
    draw, language = expectations.draw(), expectations.language
    rows = [
        {
            "cells": cells_of(row, language),
            "scenario": row.scenario.id,
            "claim": row.claim.id,
            "worded": row.claim.kind in WORDED,
            "open": row.judged is None,
        }
        for row in expectations.rows()
        if row.claim
    ]
    return {
        "heads": heads(language),
        "words": table(language, "expectations"),
        "rows": rows,
        "drawn": draw.drawn,
        "judged": draw.judged,
        "wrong": draw.wrong,
        "upper": draw.upper,
        "bulk": expectations.counts()[Approval.OPEN] if draw.opens_bulk else 0,
        "trouble": [*trouble],
    }


@dataclass(frozen=True, slots=True)
class ExpectationDoor:
    """The view of the expectations that `read` reads."""

    read: Callable[[], Expectations]

    def state(self) -> dict[str, object]:
        """What the page shows by now."""
        return _page_state(self.read())

    def take(self, body: bytes) -> dict[str, object]:
        """Take and write what the page sent; what there is then.

        Raises:
            InputError: it cannot be written.
        """
        judgement = SentJudgement.model_validate_json(body).judgement()
        is_bulk, known = judgement.decision is Decision.BULK, self.read()
        taken = take(known, () if is_bulk else (judgement,), bulk=judgement if is_bulk else None)
        write(taken)
        trouble = [conflict_text(conflict, known.language) for conflict in taken.conflicts]
        return _page_state(taken.after, filter(None, [*trouble, refusal_text(taken)]))
