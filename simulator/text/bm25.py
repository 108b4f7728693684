"""Retrieval of passages by their words: BM25, and how much of a question a passage covers."""

import math
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import Any

from simulator.core.bounds import Memo
from simulator.core.persona import Language
from simulator.core.ports import Knowledge
from simulator.core.talk import Document
from simulator.text.tokens import content_tokens

# A question weighs at least and at most as much as so many words that one passage each holds.
_LEAST_WORDS, _MOST_WORDS = 3, 5
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
    (2009); computed by bm25s (Lù, arXiv 2407.03618). A built index is only read, so any number of
    threads may search it.
    """

    def __init__(self, documents: Sequence[Document], language: Language) -> None:
        with warnings.catch_warnings(action="ignore"):  # tqdm asks notebooks for widgets
            import bm25s

        self._documents = tuple(documents)
        tokens = [content_tokens(f"{d.title}\n{d.text}", language) for d in documents]
        self._words = [frozenset(words) for words in tokens]
        frequencies = Counter(word for words in self._words for word in words)
        self._idf = {word: _idf(n, len(tokens)) for word, n in frequencies.items()}
        self._rarest = _idf(1, len(tokens))
        self._index: Any = bm25s.BM25(method="lucene")
        self._kept = Memo[list[Hit]](400_000)
        if frequencies:  # bm25s cannot index passages without a single word
            self._index.index(tokens, show_progress=False)

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
        asked = tuple(dict.fromkeys(words))
        size = sum(map(len, asked))
        return list(self._kept.of((asked, k), size, lambda: self._found(asked, k)))

    def _found(self, asked: Sequence[str], k: int) -> list[Hit]:
        known = [word for word in asked if word in self._idf]
        if not known:
            return []
        scores = self._index.get_scores(known)
        found = (scores > 0).nonzero()[0]
        best = found[(-scores[found]).argsort(kind="stable")[:k]]
        weights = {word: self._idf.get(word, self._rarest) for word in asked}
        most = min(sum(weights.values()), _MOST_WORDS * self._rarest)
        whole = max(most, _LEAST_WORDS * self._rarest)
        return [
            Hit(
                self._documents[i],
                float(scores[i]),
                min(1.0, sum(weights[w] for w in known if w in self._words[i]) / whole),
            )
            for i in best.tolist()
        ]

    def knows(self, word: str) -> bool:
        """Whether any passage holds this word."""
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
