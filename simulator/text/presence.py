"""Whether an expected element stands in an answer."""

import unicodedata
from collections.abc import Sequence
from functools import lru_cache

from simulator.core.bounds import MAX_EXPECTED
from simulator.core.clean import clean
from simulator.core.persona import Language
from simulator.core.scenario import Element
from simulator.text.claims import Mention, Stance
from simulator.text.en import negation as en
from simulator.text.ja import negation as ja
from simulator.text.ja.sudachi import morphemes
from simulator.text.normal import normal_form
from simulator.text.sentences import sentences
from simulator.text.token_f1 import NOT, content_words


def missing(
    elements: Sequence[Element], replies: Sequence[str], language: Language
) -> list[Element]:
    """Those of the elements of which no alternative stands in any of the replies, in order.

    An alternative is there if one sentence of a reply holds it: literally in normal form (whole
    words and whole numbers: 30日 is not in 130日, `refund` not in `refunded`), or by all its
    content words in any order, numbers together with their unit. Either way no word may be denied
    that the element affirms, or the other way round: 返品できる is not in 返品できません. A bare
    noun such as 返品 says neither: it is missing only where the thing is ruled out (返品はない).
    An alternative of several sentences needs each of them.
    """
    said = [part for reply in replies for part in _read(reply, language)]
    return [
        element
        for element in elements
        if not any(all(_held(part, said) for part in _read(way, language)) for way in element)
    ]


def mentions(sentence: str, language: Language) -> list[Mention]:
    """The content words of one sentence with their stance.

    A number is one word with its unit (`30日以内`, `30 day`), so that neither 3日 nor 30分 passes
    for 30日. Japanese reads the chain of auxiliaries after a word, twice denied is affirmed
    (返品できないわけではない); English looks for a negation before a word, over auxiliaries.
    """
    if language == "en":
        return en.mentions(sentence)
    return ja.mentions(morphemes(unicodedata.normalize("NFKC", clean(sentence))))


@lru_cache(maxsize=4096)
def denials(sentence: str, language: Language) -> int:
    """How often one sentence says *not* in any way."""
    if language == "en":
        return en.denials(sentence)
    return content_words(unicodedata.normalize("NFKC", clean(sentence))).count(NOT)


_Sentence = tuple[str, tuple[Mention, ...]]  # its normal form and its content words


def _read(text: str, language: Language) -> tuple[_Sentence, ...]:
    if len(text) > MAX_EXPECTED:
        return _read_anew(text, language)
    return (_kept if len(text) <= _KEPT else _long_kept)(text, language)


def _read_anew(text: str, language: Language) -> tuple[_Sentence, ...]:
    found = sentences(text, language)
    return tuple((normal_form(s), tuple(mentions(s, language))) for s in found)


# A reply is read again with each turn that follows it, and by each metric that looks into it.
_KEPT = 2_000  # characters; longer texts are not worth their memory
_kept = lru_cache(maxsize=256)(_read_anew)
_long_kept = lru_cache(maxsize=32)(_read_anew)


def _held(wanted: _Sentence, said: Sequence[_Sentence]) -> bool:
    literal, words = wanted
    return any(
        _agrees(words, there) and (_all_there(words, there) or _literally(literal, form))
        for form, there in said
    )


def _all_there(words: Sequence[Mention], there: Sequence[Mention]) -> bool:
    keys = {mention.key for mention in there}
    needed = {m.key for m in words if not (m.key == "出来る" and m.stance is Stance.DENIED)}
    return bool(needed) and needed <= keys


def _agrees(words: Sequence[Mention], there: Sequence[Mention]) -> bool:
    """Whether each word that both have stands, in one place at least, as the element has it."""
    for word in words:
        stances = {mention.stance for mention in there if mention.key == word.key}
        if stances and not stances & AGREEING[word.stance]:
            return False
    return True


AGREEING = {
    Stance.NAMED: {Stance.NAMED, Stance.AFFIRMED, Stance.DENIED},
    Stance.AFFIRMED: {Stance.AFFIRMED},
    Stance.DENIED: {Stance.DENIED, Stance.RULED_OUT},
    Stance.RULED_OUT: {Stance.DENIED, Stance.RULED_OUT},
}
"""The stances with which a word of a text agrees, by that with which an element has it."""


def _literally(wanted: str, text: str) -> bool:
    """Whether `text` holds `wanted` without cutting a number or a word; both in normal form."""
    at = text.find(wanted) if wanted else -1
    while at >= 0:
        end = at + len(wanted)
        before, after = text[max(0, at - 2) : at], text[end : end + 2]
        if not _cut(before[::-1], wanted[0]) and not _cut(after, wanted[-1]):
            return True
        at = text.find(wanted, at + 1)
    return False


def _cut(outside: str, edge: str) -> bool:
    """Whether the edge of a find and what lies beyond it belong to one number or word."""
    if (edge, outside[:1]) == ("時", "間"):
        return True
    if edge.isdecimal():
        return outside[:1].isdecimal() or (outside[:1] in tuple(".:/-") and outside[1:].isdecimal())
    return edge.isascii() and edge.isalpha() and outside[:1].isascii() and outside[:1].isalpha()
