"""How near texts are to each other by their words, without a model: tf-idf and the cosine."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from simulator.core.persona import Language
from simulator.text.tokens import content_tokens

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
