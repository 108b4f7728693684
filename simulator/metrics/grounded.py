"""How many of the words of a reply are in the documents that the bot had."""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Self

from simulator.core.outcome import NO_DOCUMENTS, Gap, MetricInfo, Outcome, Outcomes, Score, Unscored
from simulator.core.persona import Language
from simulator.core.ports import Evidence
from simulator.core.talk import Document
from simulator.core.worker import apart
from simulator.metrics._context import Computed, MetricContext
from simulator.metrics._expected import no_answer
from simulator.text.acts import is_refusal
from simulator.text.bm25 import Nearest
from simulator.text.tokens import content_tokens, token_set

_NOTHING_STATED = Unscored(Gap.NOT_APPLICABLE, "the reply makes no statement")
_ENTRIES = 5  # of the knowledge base that stand in where no document came


class Grounded(Computed):
    """The share of the reply's content words that are in the documents returned with it; 0–1.

    Value = content words of the reply that are in any of the documents / all its content words,
    repeats included. Words are those of `simulator.text.tokens`: stems without stop words, and for
    Japanese, Sudachi's normal forms. If the reply has no documents, mogi uses the five nearest
    entries of the knowledge base.

    It ranks answers; it doesn't judge them. Of two answers, the one with the lower value is more
    likely to say something that isn't in the documents. It has no default threshold and never fails
    a conversation. An answer in the bot's own words has a low value, and a changed number hardly
    lowers it.

    Not applicable if there are neither documents nor a knowledge base, or if the reply makes no
    statement: it only asks a clarifying question, says goodbye, or declines.
    """

    INFOS = (
        MetricInfo(
            "grounded",
            "Lexical groundedness",
            needs=("context",),
            description="Share of the answer's content words that are in the documents.",
        ),
    )

    def __init__(self, nearest: Nearest | None) -> None:
        self._nearest = nearest

    @classmethod
    def open(cls, context: MetricContext) -> Self:
        """The metric, with the knowledge base where there is one."""
        return cls(context.nearest)

    @property
    def infos(self) -> Sequence[MetricInfo]:
        """What it yields; with a knowledge base it needs no documents of the bot's."""
        if self._nearest is None:
            return self.INFOS
        return tuple(replace(info, needs=()) for info in self.INFOS)

    async def score(self, evidence: Evidence) -> Outcomes:
        """The share."""
        return {"grounded": await self._grounded(evidence)}

    async def _grounded(self, evidence: Evidence) -> Outcome:
        exchange, language = evidence.exchange, evidence.language
        if is_refusal(exchange.assistant, language):
            return _NOTHING_STATED
        if (reason := no_answer(evidence)) is not None:
            return reason
        documents: Iterable[Document] = exchange.documents
        if not documents and self._nearest is not None:
            find = partial(self._nearest.to, exchange.assistant, _ENTRIES)
            hits = find() if self._nearest.is_ready else await asyncio.to_thread(find)
            documents = [hit.document for hit in hits]
        texts = [text for d in documents if (text := f"{d.title}\n{d.text}".strip())]
        if not texts:
            return Unscored(Gap.NOT_APPLICABLE, NO_DOCUMENTS)
        size = len(exchange.assistant) + sum(map(len, texts))
        recall = await apart(size, token_recall, exchange.assistant, texts, language)
        return _NOTHING_STATED if recall is None else Score(recall, recall)


def token_recall(reply: str, documents: Iterable[str], language: Language) -> float | None:
    """The share of a reply's content words that any document holds; None if it has no such word."""
    own = content_tokens(reply, language)
    if not own:
        return None
    known = [token_set(document, language) for document in documents]
    return sum(any(word in words for words in known) for word in own) / len(own)
