"""Which entries of an FAQ are near a text: for ranks, for neighbours, and for pairs."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from simulator.core.persona import Language
from simulator.core.plan import seed_of
from simulator.core.talk import Document
from simulator.targets._bm25 import Bm25
from simulator.text.tokens import content_tokens

DEPTH = 50  # entries that a search returns
_NEIGHBOURS = 3  # of each entry, as partners in a pair
_TOO_ALIKE = 0.8  # share of the words of two entries that say the same: nobody needs both


@dataclass(frozen=True, slots=True)
class Pair:
    """Two entries that are near each other, in the FAQ's order; `score` says how near."""

    first: Document
    second: Document
    score: float


class Nearness:
    """An index over the entries of an FAQ (BM25 over title and content)."""

    def __init__(self, entries: Sequence[Document], language: Language) -> None:
        self._entries = tuple(entries)
        self._language = language
        self._index = Bm25(entries, language)
        self._places = {str(entry.id): at for at, entry in enumerate(entries)}

    def ranks(self, query: str) -> Callable[[str], int | None]:
        """The rank (from 1) at which a search for `query` finds the entry of an id.

        None: it is not among the first 50.
        """
        found = self._index.search(content_tokens(query, self._language), DEPTH)
        places = {str(hit.document.id): rank for rank, hit in enumerate(found, start=1)}
        return places.get

    def nearest(self, text: str, k: int) -> list[Document]:
        """The `k` entries nearest to a text, nearest first; fewer, where fewer share a word."""
        words = content_tokens(text, self._language)
        return [hit.document for hit in self._index.search(words, k)]

    def pairs(self, seed: int) -> list[Pair]:
        """For each entry the pair with its nearest neighbour, each pair once, nearest first.

        Nearness is how much of the one the other covers (`Bm25`'s relevance), both ways together;
        of equally near ones the seed chooses. Entries that say the same make no pair.
        """
        tokens = [frozenset(self._words(entry)) for entry in self._entries]
        best: dict[tuple[int, int], float] = {}
        covers = [dict(self._covered(at)) for at in range(len(self._entries))]
        for at, found in enumerate(covers):
            scored = [
                (score + covers[other].get(at, 0.0), -seed_of(seed, at, other), other)
                for other, score in found.items()
                if _overlap(tokens[at], tokens[other]) <= _TOO_ALIKE
            ]
            if scored:
                score, _, other = max(scored)
                best[min(at, other), max(at, other)] = score
        ordered = sorted(best.items(), key=lambda item: (-item[1], item[0]))
        return [Pair(self._entries[a], self._entries[b], score) for (a, b), score in ordered]

    def _covered(self, at: int) -> Iterator[tuple[int, float]]:
        """The neighbours of an entry and how much of it each covers."""
        hits = self._index.search(self._words(self._entries[at]), _NEIGHBOURS + 1)
        for hit in hits:
            other = self._places[str(hit.document.id)]
            if other != at:
                yield other, hit.relevance

    def _words(self, entry: Document) -> list[str]:
        return content_tokens(f"{entry.title}\n{entry.text}", self._language)


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one or other else 0.0
