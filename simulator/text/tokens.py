"""The content words of a text, in normal form: what retrieval and comparison work on."""

import unicodedata
from collections.abc import Sequence
from functools import cache

from simulator.core.bounds import Memo
from simulator.core.clean import clean
from simulator.core.persona import Language
from simulator.text.en.words import stem, stop_words, word_tokens
from simulator.text.ja.sudachi import Morpheme, morphemes
from simulator.text.phrases import phrases

_kept = Memo[frozenset[str]](400_000)  # documents come again; some 20 bytes for each character
_CONTENT = frozenset({"名詞", "代名詞", "動詞", "形容詞", "形状詞", "副詞"})


@cache
def empty_words() -> frozenset[str]:
    """Japanese words that help others or stand for anything, by normal form."""
    return phrases("text/ja/words").words("empty")


def content_tokens(text: str, language: Language) -> list[str]:
    """The content words of any text, in order and with repeats, lower-cased.

    Japanese: normal forms (Sudachi, SplitMode.A) of nouns, pronouns, verbs, adjectives, adverbs and
    nominal suffixes; numbers are digits (`1,480` and `千四百八十` are `1480`); auxiliary verbs and
    words such as こと and する are left out. English: stems of the words that are no stop words.
    """
    if language == "en":
        stop = stop_words()
        return [stem(word) for word in word_tokens(clean(text)) if word not in stop]
    found = morphemes(unicodedata.normalize("NFKC", clean(text)))
    return [m.normal.casefold() for i, m in enumerate(found) if is_content(found, i)]


def token_set(text: str, language: Language) -> frozenset[str]:
    """The content words of any text, each once; kept for whoever asks again."""
    return _kept.of((text, language), len(text), lambda: frozenset(content_tokens(text, language)))


def is_content(found: Sequence[Morpheme], at: int) -> bool:
    """Whether the morpheme at this place says something by itself."""
    morpheme = found[at]
    kind = morpheme.pos[0]
    if kind not in _CONTENT and not (kind == "接尾辞" and morpheme.pos[1] == "名詞的"):
        return False
    if morpheme.normal in empty_words() or not any(c.isalnum() for c in morpheme.normal):
        return False
    return not _is_auxiliary(found, at)


def _is_auxiliary(found: Sequence[Morpheme], at: int) -> bool:
    """Whether the verb at this place only helps the one before it, as in 送って*おく*."""
    morpheme = found[at]
    if at == 0 or morpheme.pos[:2] != ("動詞", "非自立可能"):
        return False
    return found[at - 1].pos[:2] == ("助詞", "接続助詞")
