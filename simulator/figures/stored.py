"""A run of the store as reports receive it: its header, its figures, its episodes one by one."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from simulator.core.run import Episode, Run, RunHeader
from simulator.core.verdict import Verdict
from simulator.figures.aggregate import Aggregate
from simulator.figures.corrected import CorrectedTally
from simulator.figures.verdicts import VerdictTally
from simulator.store.store import Store


def stored_run(store: Store, header: RunHeader) -> Run:
    """The run that this header speaks of, with its figures.

    They are computed from the episodes in the plan's order: which conversation happened to end
    first makes no difference, and a resumed run ends with the figures of an unbroken one.
    """
    aggregate, verdicts = Aggregate(header), VerdictTally(header)
    corrected = CorrectedTally(header) if header.audit.share else None  # else no random sample
    complete = 0
    for episode, given in store.reviewed(header.id):
        aggregate.add(episode)
        verdicts.add(episode, given)
        if corrected is not None:
            corrected.add(episode, given)
        complete += 1
    summary = aggregate.summary(store.ledger(header.id), header.planned - complete)
    summary = replace(
        summary,
        verdicts=verdicts.summary(),
        corrected=corrected.summary() if corrected is not None else None,
    )
    url = store.url  # as it is now: a relative one means another file in another folder

    def episodes() -> Iterator[Episode]:
        with Store.read(url) as reader:
            yield from reader.episodes(header.id)

    def reviewed() -> Iterator[tuple[Episode, tuple[Verdict, ...]]]:
        with Store.read(url) as reader:
            yield from reader.reviewed(header.id)

    return Run(header, summary, episodes, reviewed)


def digest(run: Run) -> dict[str, Any]:
    """The few figures that `mogi runs` lists."""
    score = run.summary.score
    return {
        "score": score.value.mean if score else None,
        "score_by": run.header.score_by,
        "conversations": run.summary.conversations,
        "flagged": run.summary.flagged,
    }
