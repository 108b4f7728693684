"""The content words of a text, in normal form: what retrieval and comparison work on."""

import unicodedata
from collections.abc import Sequence
from functools import cache

from simulator.core.bounds import Memo
from simulator.core.clean import clean
from simulator.core.persona import Language
from simulator.text.en.words import stem, stop_words, word_tokens
from simulator.text.ja.sudachi import Lexicon, Morpheme, classes, tokenized
from simulator.text.phrases import phrases

_kept = Memo[frozenset[str]](400_000)  # documents come again; some 20 bytes for each character
_HELPING, _JOINING = ("動詞", "非自立可能"), ("助詞", "接続助詞")
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
    out, joined = [], False
    for word, helps, joins in _lexicon().of(tokenized(unicodedata.normalize("NFKC", clean(text)))):
        if word and not (helps and joined):
            out.append(word)
        joined = joins
    return out


@cache
def _lexicon() -> Lexicon[tuple[str, bool, bool]]:
    """Each word as it counts, whether it only helps after a particle, and whether it is such one.

    Half the price of reading morphemes out.
    """
    kinds = tuple(pos[:4] for pos in classes())

    def read(normal: str, number: int) -> tuple[str, bool, bool]:
        pos = kinds[number]
        word = normal.casefold() if _counts(normal, pos) else ""
        return word, pos[:2] == _HELPING, pos[:2] == _JOINING

    return Lexicon(read)


def matter_tokens(text: str, language: Language) -> list[str]:
    """The content words of a question that say what it is about, not that something is asked.

    Those by which people ask (教える, *help*) and those that any matter has are left out.
    """
    light = _light(language)
    return [word for word in content_tokens(text, language) if word not in light]


def piece_tokens(text: str, language: Language) -> list[str]:
    """The beginnings (en) or pairs of characters (ja) of the words that say what it is about."""
    words = matter_tokens(text, language)
    if language == "en":
        return [word[:4] for word in words]
    return [word[at : at + 2] for word in words for at in range(len(word) - 1)]


@cache
def _light(language: Language) -> frozenset[str]:
    asking = phrases(f"text/{language}/words").words("asking")
    return asking | phrases(f"text/{language}/asking").words("light")


def token_set(text: str, language: Language) -> frozenset[str]:
    """The content words of any text, each once; kept for whoever asks again."""
    return _kept.of((text, language), len(text), lambda: frozenset(content_tokens(text, language)))


def is_content(morphemes: Sequence[Morpheme], at: int) -> bool:
    """True if the morpheme at this place says something by itself."""
    morpheme = morphemes[at]
    if not _counts(morpheme.normal, morpheme.pos):
        return False
    # 送って*おく*: a verb that only helps the one before it
    return not (at and morpheme.pos[:2] == _HELPING and morphemes[at - 1].pos[:2] == _JOINING)


def _counts(normal: str, pos: Sequence[str]) -> bool:
    if pos[0] not in _CONTENT and not (pos[0] == "接尾辞" and pos[1] == "名詞的"):
        return False
    return normal not in empty_words() and any(map(str.isalnum, normal))
