"""How near texts are by their words, without a model: BM25 over passages, tf-idf and the cosine."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
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

    @property
    def is_ready(self) -> bool:
        """True if the index is built, so that asking takes a moment."""
        return "_index" in self.__dict__

    @cached_property
    def _index(self) -> Bm25:
        return Bm25(self._knowledge.documents(), self._language)


WordVector = Mapping[str, float]
"""The weight of each content word; of length 1, or empty where a text has no content word."""


class WordWeights:
    """What words weigh in a body of texts: the fewer of them hold a word, the more it says.

    A text's vector has (1 + ln tf) · (ln((1 + N) / (1 + df)) + 1) for each of its content words
    (Japanese by Sudachi, English by stems), made 1 long. Source: Manning, Raghavan and Schütze,
    *Introduction to Information Retrieval* (2008), 6.2 and 6.4, with scikit-learn's smoothing.
    `tokens` gives the words of a text, where it is not all content words.
    """

    def __init__(
        self,
        texts: Iterable[str],
        language: Language,
        tokens: Callable[[str, Language], Sequence[str]] = content_tokens,
    ) -> None:
        self._language = language
        self._tokens = tokens
        self._holding: Counter[str] = Counter()
        self._texts = 0
        for text in texts:
            self._holding.update(set(tokens(text, language)))
            self._texts += 1

    def vector(self, text: str) -> WordVector:
        """A text's words with their weights."""
        counts = Counter(self._tokens(text, self._language))
        return _unit({word: (1 + math.log(n)) * self._idf(word) for word, n in counts.items()})

    def held(self, text: str, by: str) -> float:
        """The share of a text's words, by idf, that another text holds; 0–1, 0 without words."""
        words = set(self._tokens(text, self._language))
        common = words & set(self._tokens(by, self._language))
        whole = sum(map(self._idf, words))
        return sum(map(self._idf, common)) / whole if whole else 0.0

    def _idf(self, word: str) -> float:
        return math.log((1 + self._texts) / (1 + self._holding[word])) + 1


def mixed(parts: Mapping[str, tuple[WordVector, float]]) -> WordVector:
    """One vector of several kinds of things, by the name of the kind, and what that weighs."""
    return _unit(
        {
            f"{kind} {word}": share * weight
            for kind, (vector, share) in parts.items()
            for word, weight in _unit(vector).items()
        }
    )


def _unit(vector: WordVector) -> WordVector:
    length = math.sqrt(sum(weight * weight for weight in vector.values()))
    return {word: weight / length for word, weight in vector.items()}


class NearestTexts:
    """Vectors of texts, numbered as they come, among which the nearest one is found."""

    def __init__(self, vectors: Sequence[WordVector] = ()) -> None:
        self._held_by: dict[str, list[tuple[int, float]]] = {}
        self.count = 0
        for vector in vectors:
            self.add(vector)

    def add(self, vector: WordVector) -> int:
        """Take a text in; its number, from 0."""
        for word, weight in vector.items():
            self._held_by.setdefault(word, []).append((self.count, weight))
        self.count += 1
        return self.count - 1

    def nearest(self, vector: WordVector) -> tuple[int, float] | None:
        """The number of the nearest text, the first of equal ones, and its cosine (0–1).

        None where no text shares a word.
        """
        cosines = self.cosines(vector)
        if not cosines:
            return None
        place = min(cosines, key=lambda at: (-cosines[at], at))
        return place, min(1.0, cosines[place])

    def ranked(self, vector: WordVector, most: int) -> list[int]:
        """The numbers of the nearest texts, nearest first; fewer, where fewer share a word."""
        cosines = self.cosines(vector)
        return sorted(cosines, key=lambda at: (-cosines[at], at))[:most]

    def cosines(self, vector: WordVector) -> dict[int, float]:
        """The cosine with each text that shares a word, by its number."""
        cosines: dict[int, float] = {}
        for word, weight in vector.items():
            for place, other in self._held_by.get(word, ()):
                cosines[place] = cosines.get(place, 0.0) + weight * other
        return cosines
