"""The names in a text: of people, places, things and days."""

import re
from collections.abc import Mapping

from simulator.core.persona import Language
from simulator.text.en.words import stem, stop_words
from simulator.text.ja.sudachi import morphemes
from simulator.text.normal import folded
from simulator.text.phrases import phrases

_CAPITAL = re.compile(r"(?<![\w'’.-])[A-Z][\w'’-]*")
_LATIN = re.compile(r"[A-Za-z][A-Za-z0-9]+")
_START = re.compile(r"(?:^|[.!?:;]\s+|[\n\"“‘(•*-]\s*|\d[.)]\s*)$")


def names(text: str, language: Language) -> Mapping[str, str]:
    """The names of an NFKC text, as single words, each with its kind.

    English: words with a capital that do not begin a sentence, or stand beside another one, by
    their stems. Japanese: Sudachi's proper names, by normal form, and words in Latin letters. Days
    of the week and months are a kind of their own.
    """
    data = phrases(f"text/{language}/expectations")
    days = {m[0].removesuffix("s"): "day" for m in data.pattern("one_of").finditer(folded(text))}
    found = _english(text) if language == "en" else _japanese(text)
    none = data.words("no_names")
    kept = {n: kind for n, kind in found.items() if n not in none and n not in days}
    return {**kept, **days}


def _english(text: str) -> dict[str, str]:
    found = list(_CAPITAL.finditer(text))
    names = {}
    for at, match in enumerate(found):
        word = match[0].casefold().replace("’", "'").removesuffix("'s")
        if word in stop_words():
            continue
        begins = _START.search(text[: match.start()])
        beside = at + 1 < len(found) and not text[match.end() : found[at + 1].start()].strip()
        if not begins or beside:
            names[stem(word)] = "name"
    return names


def _japanese(text: str) -> dict[str, str]:
    names = {m[0].casefold(): "latin" for m in _LATIN.finditer(text)}
    for morpheme in morphemes(text):
        if morpheme.pos[1] == "固有名詞" and not morpheme.surface.isascii():
            names[morpheme.normal.casefold()] = morpheme.pos[2]
    return names
