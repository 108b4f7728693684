"""How far the documents that the bot had bear out what it says, found without a judge."""

from statistics import fmean

from simulator.core.outcome import Gap, MetricInfo, Outcome, Outcomes, Score, Unscored
from simulator.core.ports import Evidence
from simulator.core.talk import Document
from simulator.metrics._context import Computed
from simulator.metrics._lexical import compare_texts
from simulator.text.grounding import Statement, statements
from simulator.words import Words


class Grounded(Computed):
    """How far the reply's statements are borne out by the documents that came with it; 0-1.

    The value is the mean support of its statements, 1: all of each of them stands there. Parts:
    `borne_out`, the share of the statements whose support is 0.6 or more, and `weakest`, the
    lowest support. The comment quotes those that are not borne out. What states something, and
    what supports it, is found by words: `simulator.text.grounding`.

    Not applicable where no document came with the reply, or where it states nothing.
    """

    INFOS = (
        MetricInfo(
            "grounded",
            "Borne out by the documents",
            needs=("context",),
            description="How far the documents bear out what the reply states, by words.",
            parts=("borne_out", "weakest"),
        ),
    )

    async def score(self, evidence: Evidence) -> Outcomes:
        """The mean support, with a comment that quotes what is not borne out."""
        documents = [_whole(document) for document in evidence.exchange.documents]
        if not any(map(str.strip, documents)):
            return {"grounded": Unscored(Gap.NOT_APPLICABLE, "no documents came with the reply")}
        said, user = evidence.exchange.assistant, evidence.exchange.user
        size = len(said) + sum(map(len, documents))
        found = await compare_texts(size, statements, said, documents, user, evidence.language)
        return {"grounded": _outcome(found, evidence)}


def _whole(document: Document) -> str:
    return f"{document.title}\n{document.text}"


def _outcome(found: list[Statement], evidence: Evidence) -> Outcome:
    if not found:
        return Unscored(Gap.NOT_APPLICABLE, "the reply states nothing")
    value = fmean(statement.support for statement in found)
    words = Words(evidence.language, "comment")
    unsupported = [s.sentence for s in found if not s.borne_out]
    comment = words("unsupported", items=words("beside").join(unsupported)) if unsupported else ""
    parts = {
        "borne_out": 1 - len(unsupported) / len(found),
        "weakest": min(statement.support for statement in found),
    }
    return Score(value, value, comment, parts)
