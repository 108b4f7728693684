"""The names in a text: of firms, products, places, people."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from simulator.core.clean import clean
from simulator.core.persona import Language
from simulator.text.ja.sudachi import morphemes
from simulator.text.normal import folded
from simulator.text.phrases import phrases

_HIDDEN = re.compile(r"[○〇◯△□×●]{2,}社?|(?<![A-Za-z])[A-ZＡ-Ｚ]社")  # firms that are not named
_WORD = re.compile(r"[^\W\d_][\w'’&+-]*")
_BEGINS = re.compile(r"(?:^|[.!?:;\n•*\"“”'‘(\[]|\s[-–—])\s*$")
_INNER_CAPITAL = re.compile(r"[a-z][A-Z]")


@lru_cache(maxsize=2_048)
def proper_names(sentence: str, language: Language) -> tuple[str, ...]:
    """The names in one sentence, case folded.

    Japanese: Sudachi's proper nouns, but for people who are addressed (様, さん), and firms that
    stand hidden (○○社, A社). English: words with a capital inside, or at their head where no
    sentence begins. What no name is: `ja/proper_names.yaml`, `en/proper_names.yaml`.
    """
    text = unicodedata.normalize("NFKC", clean(sentence))
    found = _japanese(text) if language == "ja" else _english(text)
    common = phrases(f"text/{language}/proper_names").words("common")
    return tuple(dict.fromkeys(n for n in map(folded, found) if n and n not in common))


def quoted_names(sentence: str, language: Language) -> tuple[str, ...]:
    """The names of firms and things that stand in marks, case folded: 「スマイルプラス」."""
    pattern = phrases(f"text/{language}/proper_names").pattern("quoted")
    text = unicodedata.normalize("NFKC", clean(sentence))
    return tuple(dict.fromkeys(folded(found[1]) for found in pattern.finditer(text)))


def stands_in(name: str, text: str) -> bool:
    """Whether a text has the name, both case folded (`normal.folded`); LINE is not in *online*."""
    if not name.isascii():
        return name in text
    return re.search(rf"(?<![a-z]){re.escape(name)}(?:e?s)?(?![a-z])", text) is not None


def _japanese(text: str) -> Iterator[str]:
    yield from (found.group() for found in _HIDDEN.finditer(text))
    read = morphemes(text)
    for at, morpheme in enumerate(read):
        addressed = at + 1 < len(read) and read[at + 1].surface in ("様", "さま", "さん", "氏")
        if morpheme.pos[1] == "固有名詞" and not addressed and len(morpheme.surface) > 1:
            yield morpheme.surface


def _english(text: str) -> Iterator[str]:
    for found in _WORD.finditer(text):
        word = found.group()
        begins = _BEGINS.search(text[: found.start()])
        if _INNER_CAPITAL.search(word) or (word[0].isupper() and not begins):
            yield re.sub(r"['’]s?$", "", word)
