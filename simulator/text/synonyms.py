"""Whether words may mean the same: listed synonyms, those of the dictionary, words of one root."""

import re
from collections.abc import Set
from functools import cache, lru_cache

from simulator.core.persona import Language
from simulator.text.en.words import stem
from simulator.text.ja.sudachi import synonym_groups
from simulator.text.phrases import phrases

_KANJI = re.compile("[一-龠々]")
_ROOT = 6  # letters by which English words of one root begin


@lru_cache(maxsize=50_000)
def senses(word: str, language: Language) -> frozenset[str]:
    """Keys of what a word may mean; words that share one are synonyms.

    Args:
        word: a normal form (ja), a stem (en), as `tokens.content_tokens` has it.
        language: its language.
    """
    listed = _listed(language).get(word, frozenset())
    return listed if language == "en" else listed | synonym_groups(word)


def is_meant(word: str, words: Set[str], language: Language) -> bool:
    """True if a word is among others, or a synonym of it, or one of the same root."""
    if word in words:
        return True
    own = senses(word, language)
    return any(
        not own.isdisjoint(senses(other, language)) or _is_akin(word, other, language)
        for other in words
    )


def _is_akin(one: str, other: str, language: Language) -> bool:
    """True for 作り直し and 作り直す, 休む and 休会; for *refund* and *refundable*."""
    if language == "en":
        return len(one) >= _ROOT and one[:_ROOT] == other[:_ROOT]
    here, there = _kanji(one), _kanji(other)
    shorter, longer = sorted((here, there), key=len)
    return bool(shorter) and longer.startswith(shorter)


@lru_cache(maxsize=50_000)
def _kanji(word: str) -> str:
    return "".join(_KANJI.findall(word))


@cache
def _listed(language: Language) -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for line in phrases(f"text/{language}/synonyms").lines("alike"):
        for word in line.split():
            found.setdefault(word if language == "ja" else stem(word), set()).add(line)
    return {word: frozenset(lines) for word, lines in found.items()}
