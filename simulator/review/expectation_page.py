"""The page's view of expectations: the worksheet's columns as data, and what the page sends."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from simulator.core.claim import ClaimKind
from simulator.core.clean import clean
from simulator.core.scenario import Approval
from simulator.review.expectation_sheet import (
    Cells,
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


@dataclass(frozen=True, slots=True)
class PageRow:
    """A claim as the page shows it; `worded`: its text can be changed, `open`: nobody judged it."""

    cells: Cells
    scenario: str
    claim: str
    worded: bool
    open: bool


@dataclass(frozen=True, slots=True)
class PageState:
    """All that the page shows of expectations; `bulk`: how many scenarios that would confirm."""

    heads: Cells
    words: Mapping[str, str]
    rows: tuple[PageRow, ...]
    drawn: int
    judged: int
    wrong: int
    upper: float | None
    bulk: int
    trouble: tuple[str, ...] = ()


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


def page_state(expectations: Expectations, trouble: tuple[str, ...] = ()) -> PageState:
    """What the page shows; `trouble`: what was not taken of what it sent."""
    draw, open_ = expectations.draw(), expectations.counts()[Approval.OPEN]
    language = expectations.language
    return PageState(
        heads(language),
        table(language, "expectations"),
        tuple(_rows(expectations)),
        draw.drawn,
        draw.judged,
        draw.wrong,
        draw.upper,
        open_ if draw.opens_bulk else 0,
        trouble,
    )


def _rows(expectations: Expectations) -> Iterator[PageRow]:
    """The claims; a new one is added beside any of its scenario."""
    for row in expectations.rows():
        if claim := row.claim:
            cells = cells_of(row, expectations.language)
            is_worded = claim.kind in WORDED
            yield PageRow(cells, row.scenario.id, claim.id, is_worded, row.judged is None)


@dataclass(frozen=True, slots=True)
class ExpectationDoor:
    """The view of the expectations that `read` reads."""

    read: Callable[[], Expectations]

    def state(self) -> PageState:
        """What the page shows by now."""
        return page_state(self.read())

    def take(self, body: bytes) -> PageState:
        """Take and write what the page sent; what there is then.

        Raises:
            InputError: it cannot be written.
        """
        judgement = SentJudgement.model_validate_json(body).judgement()
        is_bulk, known = judgement.decision is Decision.BULK, self.read()
        taken = take(known, () if is_bulk else (judgement,), bulk=judgement if is_bulk else None)
        write(taken)
        trouble = [conflict_text(conflict, known.language) for conflict in taken.conflicts]
        return page_state(taken.after, tuple(filter(None, [*trouble, refusal_text(taken)])))
