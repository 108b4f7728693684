"""How near a reply lies to the expected answer, by an embedding model."""

import math
from bisect import bisect_right
from collections.abc import Sequence
from operator import mul
from typing import Self

from simulator.core.clean import cut
from simulator.core.errors import InputError, ModelError
from simulator.core.outcome import Gap, MetricInfo, Outcome, Outcomes, Score, Unscored
from simulator.core.ports import CallId, Embedder, Evidence, Role
from simulator.metrics._context import MetricContext
from simulator.metrics._expected import NOTHING_EXPECTED, wanted_answers
from simulator.words import Words

LONGEST = 6_000  # characters of a text; 8,192 tokens are what usual models take
_BINS = (0.2, 0.4, 0.6, 0.8)  # where the second to the fifth bin begin


class AdaCosineSimilarity:
    """The cosine of the embeddings of the reply and `expected.answer`, in five bins.

    Formula (a vendor's RAG contest, 2024): a cosine below 0.2 is bin 1, below 0.4 bin 2, below 0.6
    bin 3, below 0.8 bin 4, else 5. The value is bin / 5, so 0.2 to 1; `raw` is the cosine, -1 to 1;
    the part `bin` is the bin. An empty reply is in bin 1 and needs no call.

    Needs an expected answer (without one, it's not applicable) and `embedding:` in client.yaml: one
    call per turn, with the reply and, the first time, the expected answer. If there are several,
    the nearest one counts. mogi truncates texts at 6,000 characters and says so in the comment.

    Don't use it to tell correct answers from wrong ones: texts about one topic are close to each
    other whatever they say, and today's models rarely go below 0.2 (the authors' mean was 4.975 of
    5). The bins were made for one model (ada-002). With another model, compare runs instead of
    absolute values.
    """

    INFOS = (
        MetricInfo(
            "ada_cosine_similarity",
            "Cosine similarity",
            low=0.2,
            needs=("answer", "embedding"),
            description="Cosine similarity of the embeddings of answer and expected "
            "answer, in five bins.",
            parts=("bin",),
        ),
    )
    infos = INFOS

    def __init__(self, embedder: Embedder | None) -> None:
        self._embedder = embedder

    @classmethod
    def open(cls, context: MetricContext) -> Self:
        """The metric; without an embedding model it only tells what it would yield."""
        return cls(context.embedder)

    async def score(self, evidence: Evidence) -> Outcomes:
        """The bin, with a comment where a text was cut.

        Raises:
            ModelError: UNAVAILABLE or REJECTED; the turn can be scored later.
            RunStopped: from the embedding model.
            InputError: no embedding model was named.
        """
        return {"ada_cosine_similarity": await self._outcome(evidence)}

    async def _outcome(self, evidence: Evidence) -> Outcome:
        truths, reply = wanted_answers(evidence.scenario.expected), evidence.exchange.assistant
        if not truths:
            return NOTHING_EXPECTED
        words = Words(evidence.language, "comment")
        if not reply.strip():
            return _score(0.0, words("empty"))
        if self._embedder is None:
            raise InputError("cosine similarity needs `embedding: {model: …}` in client.yaml")
        talk = evidence.talk
        call = CallId(talk.episode, evidence.exchange.turn, Role.EMBEDDING, take=talk.take)
        texts = [cut(text, LONGEST, "") for text in (*truths, reply)]
        try:
            *right, own = await self._embedder.embed(call, texts)
            nearest = max(cosine(vector, own) for vector in right)
        except (ModelError, ValueError) as error:
            if isinstance(error, ModelError) and error.leaves_unfinished:
                raise
            return Unscored(Gap.METRIC_ERROR, str(error))
        is_cut = max(map(len, (*truths, reply))) > LONGEST
        return _score(nearest, words("cut", n=LONGEST) if is_cut else "")


def _score(raw: float, comment: str) -> Score:
    number = bisect_right(_BINS, raw) + 1
    return Score(number / 5, raw, comment, {"bin": float(number)})


def cosine(own: Sequence[float], other: Sequence[float]) -> float:
    """The cosine of the angle between two vectors, -1 to 1: a·b / (|a| |b|).

    Raises:
        ValueError: they differ in length, or one of them has no direction (empty, zeros, NaN).
    """
    if len(own) != len(other):
        raise ValueError(f"a cosine needs two vectors of one length; got {len(own)}, {len(other)}")
    size = math.hypot(*own) * math.hypot(*other)
    if not size > 0 or not math.isfinite(size):
        raise ValueError("a cosine needs two vectors of finite numbers, not all of them 0")
    return max(-1.0, min(1.0, math.fsum(map(mul, own, other)) / size))
