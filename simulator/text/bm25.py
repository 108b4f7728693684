"""Retrieval of passages by their words: BM25, and how much of a question a passage covers."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock

from simulator.core.bounds import Memo
from simulator.core.persona import Language
from simulator.core.ports import Knowledge
from simulator.core.talk import Document
from simulator.text.tokens import content_tokens

# A question weighs at least and at most as much as so many words that one passage each holds.
_LEAST_WORDS, _MOST_WORDS = 3, 5
_K1, _B = 1.5, 0.75  # how soon a word said often counts no more; how much long passages lose
_READ = 8_000  # characters of a text whose nearest entries are wanted


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage found. `score` is BM25's, above 0; `relevance` is 0–1, see `Bm25.search`."""

    document: Document
    score: float
    relevance: float


class Bm25:
    """An index over passages (title and text), by Lucene's variant of BM25.

    Source: Robertson and Zaragoza, *The Probabilistic Relevance Framework: BM25 and Beyond*
    (2009), without the factor k1 + 1, which changes no order. A library would bring SciPy: a third
    of a second and 50 MB for every start. A built index is only read, so any number of threads may
    search it.
    """

    def __init__(self, documents: Sequence[Document], language: Language) -> None:
        self._documents = tuple(documents)
        tokens = [content_tokens(f"{d.title}\n{d.text}", language) for d in documents]
        self._words = [frozenset(words) for words in tokens]
        frequencies = Counter(word for words in self._words for word in words)
        self._idf = {word: _idf(n, len(tokens)) for word, n in frequencies.items()}
        self._rarest = _idf(1, len(tokens))
        self._kept = Memo[list[Hit]](400_000)
        self._weights: dict[str, list[tuple[int, float]]] = {word: [] for word in frequencies}
        usual = sum(map(len, tokens)) / (len(tokens) or 1)
        for i, words in enumerate(tokens):
            for word, n in Counter(words).items():
                length = 1 - _B + _B * len(words) / usual
                self._weights[word].append((i, self._idf[word] * n / (n + _K1 * length)))

    def search(self, words: Iterable[str], k: int) -> list[Hit]:
        """The best `k` passages that hold any of the words, best first, ties in the files' order.

        A word counts once however often it is said. A hit's relevance is the share of the
        question that its passage holds, each word weighed by its idf; at most 1:
        Σ idf(words in both) / W, where W is Σ idf(words of the question), but at least 3 and at
        most 5 times the idf of a word that one passage holds. The lower bound keeps one common
        word from counting as a question well covered, the upper one keeps politeness and chatter
        from hiding what was asked. A word that no passage holds weighs as one that a single
        passage holds.
        """
        query = tuple(dict.fromkeys(words))
        size = sum(map(len, query))
        return list(self._kept.of((query, k), size, lambda: self._search(query, k)))

    def _search(self, query: Sequence[str], k: int) -> list[Hit]:
        known = [word for word in query if word in self._idf]
        if not known:
            return []
        scores: dict[int, float] = {}
        for word in known:
            for i, weight in self._weights[word]:
                scores[i] = scores.get(i, 0.0) + weight
        best = sorted(scores, key=lambda i: (-scores[i], i))[:k]
        weights = {word: self._idf.get(word, self._rarest) for word in query}
        most = min(sum(weights.values()), _MOST_WORDS * self._rarest)
        whole = max(most, _LEAST_WORDS * self._rarest)
        return [
            Hit(
                self._documents[i],
                scores[i],
                min(1.0, sum(weights[w] for w in known if w in self._words[i]) / whole),
            )
            for i in best
        ]

    def knows(self, word: str) -> bool:
        """True if any passage holds this word."""
        return word in self._idf


def _idf(n: int, total: int) -> float:
    """The weight of a word that `n` of all passages hold: ln(1 + (N - n + 0.5) / (n + 0.5))."""
    return math.log(1 + (total - n + 0.5) / (n + 0.5))


class Nearest:
    """Finds the entries of a knowledge base by their words; any number of threads may ask.

    The index is built when it is first asked, which takes a second or two for 5,000 entries.
    """

    def __init__(self, knowledge: Knowledge, language: Language) -> None:
        self._knowledge = knowledge
        self._language = language
        self._building = Lock()

    def to(self, text: str, k: int) -> list[Hit]:
        """The `k` entries nearest to a text, as `Bm25.search` has them."""
        with self._building:
            index = self._index
        return index.search(content_tokens(text[:_READ], self._language), k)

    @cached_property
    def _index(self) -> Bm25:
        return Bm25(self._knowledge.documents(), self._language)
