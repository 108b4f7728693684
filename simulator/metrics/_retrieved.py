"""What a turn's documents are compared with, and where there is nothing to compare."""

from simulator.core.outcome import Gap, Unscored
from simulator.core.ports import Evidence

DEPTHS = (1, 3, 5)
"""How far down a list is looked, where that is asked for."""


def ranking(evidence: Evidence) -> tuple[str | None, ...] | Unscored:
    """The ids of the documents that came with this turn's reply, the best first.

    A target that reports its documents and found none has missed them. Documents without an id
    cannot be told apart: they are a miss only for a target that has named one before.
    """
    if not evidence.scenario.expected.documents:
        return Unscored(Gap.NOT_APPLICABLE, "no expected documents")
    if not evidence.talk.reports_documents:
        return Unscored(Gap.NOT_APPLICABLE, "the target has reported no documents so far")
    documents = evidence.exchange.documents
    if documents and not evidence.talk.names_documents:
        return Unscored(Gap.NOT_APPLICABLE, "the target has named no document so far")
    return tuple(document.id for document in documents)
