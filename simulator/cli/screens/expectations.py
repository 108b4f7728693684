"""What `mogi review expectations` says: what is to judge, what was taken, what was not."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from simulator.cli.screens.review_plan import span
from simulator.console.blocks import bullets
from simulator.core.clean import visible
from simulator.core.scenario import Approval
from simulator.review.expectation_sheet import conflict_text, refusal_text
from simulator.review.expectations import MOST_WRONG
from simulator.words import Words

if TYPE_CHECKING:
    from simulator.review.expectation_sheet import Remark
    from simulator.review.expectations import Expectations, Taken

_WIDTH = 80  # cells


def worksheet_lines(state: "Expectations", file: str | None, to: str) -> Iterator[str]:
    """What is in the worksheet, how long it takes, and what comes next; None: there is none."""
    words, rows = Words(state.language, "expectations"), state.to_judge()
    if file is None:
        yield words("nothing", client=visible(state.client))
        return
    review = Words(state.language, "review")
    scenarios = len({row.scenario.id for row in rows})
    minutes = span(state.seconds(), review)
    yield words("wrote", n=len(rows), scenarios=scenarios, minutes=minutes, file=file)
    draw = state.draw()
    if left := draw.drawn - draw.judged:
        minutes = span(state.seconds(only_sample=True), review)
        yield words("sample_time", n=left, minutes=minutes, most=MOST_WRONG)
    yield from sample_lines(state)
    yield words("next_read", client=visible(state.client), file=to)


def sample_lines(state: "Expectations") -> Iterator[str]:
    """How far the sample is judged, what it tells, and whether it opens bulk approval."""
    words, draw, counts = Words(state.language, "expectations"), state.draw(), state.counts()
    if draw.upper is not None:
        yield words("sample", judged=draw.judged, drawn=draw.drawn, wrong=draw.wrong)
        yield words("upper", upper=f"{draw.upper:.0%}")
    if draw.opens_bulk and counts[Approval.OPEN]:
        yield words("bulk_open", n=counts[Approval.OPEN])


def taken_lines(
    taken: "Taken", source: str | None, remarks: Sequence["Remark"], *, is_bulk: bool, written: bool
) -> Iterator[str]:
    """What is new, what is not taken and why, and how far the expectations are confirmed."""
    state = taken.after
    words = Words(state.language, "expectations")
    counts = Counter(judgement.decision.value for judgement in taken.new)
    parts = [words.counts("decision", counts), words("same", n=taken.same) if taken.same else ""]
    shown = words.semicolon.join(filter(None, parts)) or "0"
    if source is not None:
        yield words("taken", n=counts.total(), source=source, counts=shown)
    if taken.conflicts:
        yield words("conflicts", n=len(taken.conflicts))
        yield from bullets(
            (conflict_text(each, state.language) for each in taken.conflicts), _WIDTH
        )
    if remarks:
        yield words("remarks", n=len(remarks))
        yield from bullets((words("row", row=r.row, text=r.text) for r in remarks), _WIDTH)
    if refusal := refusal_text(taken):
        yield refusal
    elif is_bulk and not taken.before.counts()[Approval.OPEN]:
        yield words("bulk_none")
    yield words("state", **{approval.value: state.counts()[approval] for approval in Approval})
    yield from sample_lines(state)
    if written:
        yield from (words("written", file=edit.source.name) for edit in taken.edits)
    elif taken.new:
        yield words("next_write")
