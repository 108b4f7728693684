"""Whether two words may mean the same: by synonyms, or by what they are made of."""

from functools import cache, lru_cache

from simulator.core.persona import Language
from simulator.text.en.words import stem
from simulator.text.ja.sudachi import synonym_groups
from simulator.text.phrases import phrases

_PREFIX = 5  # letters of an English stem


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
    return listed | synonym_groups(word) if language == "ja" else listed


@lru_cache(maxsize=50_000)
def makings(word: str, language: Language) -> frozenset[str]:
    """What tells that words are related: the kanji of one (ja), the first five letters (en)."""
    if language == "ja":
        return frozenset(letter for letter in word if "一" <= letter <= "鿿")
    return frozenset((word[:_PREFIX],)) if len(word) >= _PREFIX else frozenset()


@cache
def opposites(language: Language) -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    """Pairs of sets of words: who says one of the first denies those of the second."""
    lines = phrases(f"text/{language}/likeness").lines("opposite")
    return tuple(
        (_keys(one, language), _keys(other, language))
        for one, other in (line.split(":") for line in lines)
    )


def _keys(words: str, language: Language) -> frozenset[str]:
    return frozenset(word if language == "ja" else stem(word) for word in words.split())


@cache
def _listed(language: Language) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for line in phrases(f"text/{language}/likeness").lines("alike"):
        for key in _keys(line, language):
            found.setdefault(key, set()).add(line)
    return {word: frozenset(lines) for word, lines in found.items()}
