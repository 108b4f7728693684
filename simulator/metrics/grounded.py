"""How far the documents that the bot had bear out what it says, found without a judge."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Self

from simulator.core.outcome import Gap, MetricInfo, Outcome, Outcomes, Score, Unscored
from simulator.core.ports import Evidence
from simulator.core.talk import Document
from simulator.metrics._context import Computed, MetricContext
from simulator.metrics._lexical import compare_texts, wanted_answers, wanted_elements
from simulator.metrics._nearest import Nearest
from simulator.text.expectations import State, element_state
from simulator.text.grounding import BORNE_OUT, Statement, mean_support, statements
from simulator.words import Words


class Grounded(Computed):
    """How far the reply's statements are borne out by the documents that came with it; 0-1.

    The value is the mean support of its statements, 1: all of each of them stands there; but just
    under 0.6 at most where one of them is not borne out, so that a threshold of 0.6 flags exactly
    these replies. Parts: `borne_out`, the share of the statements whose support is 0.6 or more;
    `weakest`, the lowest support; `contradicted`, how many of them the documents contradict by a
    number, a name or a denial. Named are the sentences that are not borne out, and the comment
    quotes them. What states something, and what supports it, is found by words:
    `simulator.text.grounding`.

    What the scenario expects is right as well: an expected answer is one more document, and a
    sentence that plainly says an expected element is borne out, unless it also has a number or a
    name from elsewhere or may say the opposite.

    Where no document came with the reply, the nearest entries of the knowledge base take their
    place. Not applicable where there is neither, or where the reply states nothing: it only asks
    back, refuses, or points elsewhere.
    """

    INFOS = (
        MetricInfo(
            "grounded",
            "Borne out by the documents",
            needs=("context",),
            description="How far the documents bear out what the reply states, by words.",
            parts=("borne_out", "weakest", "contradicted"),
        ),
    )

    def __init__(self, nearest: Nearest | None = None) -> None:
        self._nearest = nearest

    @classmethod
    def open(cls, context: MetricContext) -> Self:
        """The metric, with the knowledge base where there is one."""
        has_entries = context.knowledge is not None and len(context.knowledge) > 0
        if context.knowledge is None or not has_entries:
            return cls()
        return cls(Nearest(context.knowledge, context.language))

    @property
    def infos(self) -> Sequence[MetricInfo]:
        """What it yields; with a knowledge base it needs no documents of the bot's."""
        if self._nearest is None:
            return self.INFOS
        return tuple(replace(info, needs=()) for info in self.INFOS)

    async def score(self, evidence: Evidence) -> Outcomes:
        """The mean support, with a comment that quotes what is not borne out."""
        said = evidence.exchange.assistant
        documents = _texts(evidence.exchange.documents)
        if not documents and self._nearest is not None and said.strip():
            documents = _texts(await asyncio.to_thread(self._nearest.to, said))
        if not documents:
            return {"grounded": Unscored(Gap.NOT_APPLICABLE, "no documents came with the reply")}
        documents += wanted_answers(evidence.scenario.expected)
        asked = "\n".join(exchange.user for exchange in evidence.talk.exchanges)
        size = len(said) + sum(map(len, documents))
        found = await compare_texts(size, statements, said, documents, asked, evidence.language)
        return {"grounded": _outcome(found, evidence)}


def _texts(documents: Sequence[Document]) -> list[str]:
    return [f"{d.title}\n{d.text}" for d in documents if d.title.strip() or d.text.strip()]


def _as_expected(statement: Statement, evidence: Evidence) -> Statement:
    """What plainly says an expected element, with nothing from elsewhere, is borne out by that."""
    if statement.borne_out or statement.foreign or statement.contradicted:
        return statement
    wanted = wanted_elements(evidence.scenario.expected)
    states = (element_state(e, [statement.sentence], evidence.language) for e in wanted)
    is_right = any(state is State.SAID for state in states)
    return replace(statement, support=BORNE_OUT) if is_right else statement


def _outcome(found: list[Statement], evidence: Evidence) -> Outcome:
    found = [_as_expected(statement, evidence) for statement in found]
    if not found:
        return Unscored(Gap.NOT_APPLICABLE, "the reply states nothing")
    words = Words(evidence.language, "comment")
    unsupported = tuple(s.sentence for s in found if not s.borne_out)
    comment = words("unsupported", items=words("beside").join(unsupported)) if unsupported else ""
    parts = {
        "borne_out": 1 - len(unsupported) / len(found),
        "weakest": min(statement.support for statement in found),
        "contradicted": float(sum(statement.contradicted for statement in found)),
    }
    value = mean_support(found)
    return Score(value, value, comment, parts, unsupported)
