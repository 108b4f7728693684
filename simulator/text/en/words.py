"""English words: how they are cut, which carry no content, and their stems."""

import re
import unicodedata
from functools import cache

from simulator.text.phrases import phrases

_PHRASES = phrases("text/en/words")
_SMALL = "one two three four five six seven eight nine ten eleven twelve"
SMALL_NUMBERS = {word: str(n) for n, word in enumerate(_SMALL.split(), start=1)}
"""The words of small numbers, each with its digits."""

_WORD = re.compile(r"[^\W_]+(?:['.@][^\W_]+|(?<=\d)[:,](?=\d)[^\W_]+)*")
_CLITIC = re.compile(r"'(?:s|t|d|m|ll|re|ve)$")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_DOUBLED = re.compile(r"([bdfglmnprt])\1$")
_VOWEL = re.compile(r"[aeiouy]")


@cache
def stop_words() -> frozenset[str]:
    """The words that carry no content."""
    return _PHRASES.words("stop_words")


@cache  # asked for each word
def _irregular() -> dict[str, str]:
    return _PHRASES.pairs("irregular")


def word_tokens(text: str) -> list[str]:
    """The lower-cased words of a text: `e-mail` is `email`, `1,480` is `1480`, `don't` is `don`."""
    text = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    text = _THOUSANDS.sub("", text.replace("e-mail", "email"))
    return [_CLITIC.sub("", word) for word in _WORD.findall(text)]


def stem(word: str) -> str:
    """The word without its commonest endings, so that *cancelled*, *cancels* and *cancel* meet.

    A light stemmer: plural, -ing, -ed and a final e go; derived words (*refundable*) stay apart.
    """
    if not word.isascii() or not word.isalpha():
        return word
    word = _bare(_singular(_irregular().get(word, word)))
    if len(word) <= 3:
        return word
    if word.endswith("y") and word[-2] not in "aeiou":
        return word[:-1] + "i"
    return word[:-1] if word.endswith("e") else _DOUBLED.sub(r"\1", word)


def _bare(word: str) -> str:
    """The verb without -ing, -ed or -ied, where something that can be a verb is left."""
    if word.endswith("ied") and len(word) > 4:
        return word[:-3] + "y"
    for ending in ("ing", "ed"):
        bare = word.removesuffix(ending)
        if bare != word and len(bare) >= 3 and _VOWEL.search(bare) and not word.endswith("eed"):
            return bare
    return word


def _singular(word: str) -> str:
    if len(word) <= 3 or word.endswith(("ss", "us", "is")) or not word.endswith("s"):
        return word
    if word.endswith("ies"):
        return word[:-3] + ("ie" if len(word) == 4 else "y")
    if word.endswith(("sses", "xes", "ches", "shes", "zes")):
        return word[:-2]
    return word[:-1]
