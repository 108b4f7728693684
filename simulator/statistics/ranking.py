"""How good a ranked list of documents is: hit@k, reciprocal rank, recall, nDCG.

A list holds ids, the best first; what cannot be named is None, and takes a place without ever
being right. A document that comes again (by another of its passages, say) counts where it came
first, and takes no further place. Relevance is yes or no.
"""

import math
from collections.abc import Collection, Sequence

Ranked = Sequence[str | None]


def hit_at(k: int, ranked: Ranked, relevant: Collection[str]) -> float:
    """1 if one of the first k is relevant, else 0.

    Raises:
        ValueError: nothing is relevant, or k is below 1.
    """
    return float(any(_gains(ranked, relevant, k)))


def reciprocal_rank(ranked: Ranked, relevant: Collection[str]) -> float:
    """1 / the place of the first relevant one, from 1; 0 where there is none.

    Its mean over queries is MRR (Voorhees 1999, TREC-8 question answering).

    Raises:
        ValueError: nothing is relevant.
    """
    gains = _gains(ranked, relevant, None)
    return 1 / (gains.index(True) + 1) if True in gains else 0.0


def recall_at(k: int | None, ranked: Ranked, relevant: Collection[str]) -> float:
    """The share of what is relevant that stands among the first k (None: anywhere); 0–1.

    Raises:
        ValueError: nothing is relevant, or k is below 1.
    """
    return sum(_gains(ranked, relevant, k)) / len(set(relevant))


def ndcg_at(k: int | None, ranked: Ranked, relevant: Collection[str]) -> float:
    """The normalised discounted cumulative gain of the first k (None: of all); 0–1.

    DCG = Σ rel_i / log2(i + 1) over the places i from 1; divided by that of the best list there
    could be (Järvelin and Kekäläinen 2002, doi:10.1145/582415.582418).

    Raises:
        ValueError: nothing is relevant, or k is below 1.
    """
    gains = _gains(ranked, relevant, k)
    count = len(set(relevant))
    best = [True] * (count if k is None else min(count, k))
    return _dcg(gains) / _dcg(best)


def _dcg(gains: Sequence[bool]) -> float:
    return math.fsum(1 / math.log2(place + 1) for place, gain in enumerate(gains, 1) if gain)


def _gains(ranked: Ranked, relevant: Collection[str], k: int | None) -> list[bool]:
    """Of each place, whether what stands there is relevant."""
    if not relevant:
        raise ValueError("a ranking can be judged only where something is relevant")
    if k is not None and k < 1:
        raise ValueError(f"a ranking is looked at from its first place on; got k = {k}")
    wanted = frozenset(relevant)
    seen: set[str] = set()
    gains: list[bool] = []
    for name in ranked:
        if name is None or name not in seen:
            gains.append(name in wanted)
        if name is not None:
            seen.add(name)
    return gains[:k]
