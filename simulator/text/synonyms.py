"""Whether words may mean the same: listed synonyms, those of the dictionary, words of one root."""

import re
from collections.abc import Iterable
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


class Meanings:
    """The words of a text by what they may mean, to find those that stand for another one."""

    def __init__(self, words: Iterable[str], language: Language) -> None:
        self._language = language
        self._by_key: dict[str, set[str]] = {}
        self._known: dict[str, frozenset[str]] = {}
        for word in words:
            for key in _keys(word, language):
                self._by_key.setdefault(key, set()).add(word)

    def of(self, word: str) -> frozenset[str]:
        """The words of the text that are a word, or a synonym of it, or one of the same root."""
        alike = self._known.get(word)
        if alike is None:
            some = (self._by_key.get(key, ()) for key in _keys(word, self._language))
            alike = frozenset(w for words in some for w in words if self._may_mean(w, word))
            self._known[word] = alike
        return alike

    def _may_mean(self, word: str, other: str) -> bool:
        alike = word == other or not senses(word, self._language).isdisjoint(
            senses(other, self._language)
        )
        return alike or _is_akin(word, other, self._language)


@lru_cache(maxsize=50_000)
def _keys(word: str, language: Language) -> frozenset[str]:
    """What words that may mean the same have in common, at least one of these."""
    root = word[:_ROOT] if language == "en" else _kanji(word)[:1]
    return senses(word, language) | {word, f"{root}…"}


def _is_akin(word: str, other: str, language: Language) -> bool:
    """True for 作り直し and 作り直す, 休む and 休会, *refund* and *refundable*; not 月 and 月末."""
    if language == "en":
        return len(word) >= _ROOT and word[:_ROOT] == other[:_ROOT]
    here, kanji_of_other = _kanji(word), _kanji(other)
    shorter, longer = sorted((here, kanji_of_other), key=len)
    if not shorter or (here, kanji_of_other) == (word, other):  # a compound is another noun
        return word == other
    return longer.startswith(shorter)


@lru_cache(maxsize=50_000)
def _kanji(word: str) -> str:
    return "".join(_KANJI.findall(word))


@cache
def _listed(language: Language) -> dict[str, frozenset[str]]:
    by_word: dict[str, set[str]] = {}
    for line in phrases(f"text/{language}/synonyms").lines("alike"):
        for word in line.split():
            by_word.setdefault(word if language == "ja" else stem(word), set()).add(line)
    return {word: frozenset(lines) for word, lines in by_word.items()}
