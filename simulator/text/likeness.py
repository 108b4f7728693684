"""Whether two words may mean the same: by synonyms, or by what they are made of."""

import re
from collections.abc import Set
from functools import cache, lru_cache

from simulator.core.persona import Language
from simulator.text.en.words import stem
from simulator.text.ja.sudachi import synonym_groups
from simulator.text.phrases import phrases

_ROOT = re.compile(
    r"[一-龠々][ぁ-ん]?[一-龠々]+(?=[ぁ-ん]{1,3}$)|[一-龠々][ぁ-ん](?=[ぁ-ん]{0,2}$)"
)
"""What 裏返す and 裏返し, 預ける and 預け have in common."""
_PREFIX = 5  # letters of an English stem, by which words of one root begin


@lru_cache(maxsize=50_000)
def senses(word: str, language: Language) -> frozenset[str]:
    """Keys of what a word may mean; words that share one are synonyms.

    Args:
        word: A normal form (ja), a stem (en), as `presence.mentions` has it.
        language: Its language.

    From the lists in `ja/likeness.yaml` and `en/likeness.yaml`; in Japanese also the groups of
    synonyms in Sudachi's dictionary.
    """
    listed = _listed(language).get(word, frozenset())
    if language == "en":
        return listed
    root = _ROOT.match(word)
    return listed | synonym_groups(word) | (frozenset((f"{root[0]}…",)) if root else frozenset())


@lru_cache(maxsize=50_000)
def makings(word: str, language: Language) -> frozenset[str]:
    """What tells that words are related: the kanji of one (ja), the first five letters (en)."""
    if language == "ja":
        return frozenset(letter for letter in word if "一" <= letter <= "鿿")
    return frozenset((word[:_PREFIX],)) if len(word) >= _PREFIX else frozenset()


def synonymous(one: str, other: str, language: Language) -> bool:
    """Whether two words are the same or may mean the same."""
    return one == other or not senses(one, language).isdisjoint(senses(other, language))


def words_there(words: Set[str], said: Set[str], language: Language) -> list[str]:
    """Those of the words that are said, or a synonym, or one of the same root."""
    there = frozenset(said)
    return [
        word for word in words if akin(word, there, language) or is_meant(word, there, language)
    ]


def is_meant(word: str, said: Set[str], language: Language) -> bool:
    """Whether a word is said, or a synonym."""
    return word in said or not _of_all(frozenset(said), language)[0].isdisjoint(
        senses(word, language)
    )


def akin(word: str, said: Set[str], language: Language) -> bool:
    """Whether a word is said, or one of the same root or with a kanji in common."""
    return word in said or not _of_all(frozenset(said), language)[1].isdisjoint(
        makings(word, language)
    )


@lru_cache(maxsize=4_096)  # each sentence is held against many others
def _of_all(words: frozenset[str], language: Language) -> tuple[frozenset[str], frozenset[str]]:
    """The senses of all words together, and what they are made of."""
    return (
        frozenset(key for word in words for key in senses(word, language)),
        frozenset(key for word in words for key in makings(word, language)),
    )


@cache
def opposites(language: Language) -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    """Pairs of sets of words: who says one of the first denies those of the second."""
    lines = phrases(f"text/{language}/likeness").lines("opposite")
    return tuple(
        (_keys(one, language), _keys(other, language))
        for one, other in (line.split(":") for line in lines)
    )


def are_opposite(one: frozenset[str], other: frozenset[str], language: Language) -> bool:
    """Whether one has a word and the other its opposite, and neither has both.

    Nothing but the days is opposite where they are others: *open on weekdays*, *closed on Sundays*.
    """
    found = [
        here | there
        for pair in opposites(language)
        for here, there in (pair, pair[::-1])
        if here & one and not there & one and there & other and not here & other
    ]
    days = days_of_the_week(language)
    apart = days & one and days & other and not days & one & other
    if apart or any(pair & days for pair in found):
        return bool(found) and all(pair & days for pair in found)
    return bool(found)


@cache
def days_of_the_week(language: Language) -> frozenset[str]:
    """Monday to Sunday, as words are compared."""
    return _keys(phrases(f"text/{language}/likeness").lines("days")[0], language)


def _keys(words: str, language: Language) -> frozenset[str]:
    return frozenset(word if language == "ja" else stem(word) for word in words.split())


@cache
def _listed(language: Language) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for line in phrases(f"text/{language}/likeness").lines("alike"):
        for key in _keys(line, language):
            found.setdefault(key, set()).add(line)
    return {word: frozenset(lines) for word, lines in found.items()}
