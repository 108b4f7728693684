"""The names in a text: of firms, products, places, people."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from simulator.core.clean import clean
from simulator.core.persona import Language
from simulator.text.en.words import stem, stop_words
from simulator.text.ja.sudachi import morphemes
from simulator.text.normal import folded
from simulator.text.phrases import phrases

_HIDDEN = re.compile(r"[○〇◯△□×●]{2,}社?|(?<![A-Za-z])[A-ZＡ-Ｚ]社")  # firms that are not named
_WORD = re.compile(r"[^\W\d_][\w'’&+-]*")
_BEGINS = re.compile(r"(?:^|[.!?:;\n•*\"“”'‘(\[]|\s[-–—])\s*$")
_NEAR = 40  # characters before a word that tell whether it begins something
_SHORT = 3  # letters
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
    one = name.removesuffix("s") if len(name) > _SHORT else name  # Wednesdays, *Wednesday evenings*
    return re.search(rf"(?<![a-z]){re.escape(one)}(?:e?s)?(?![a-z])", text) is not None


def strange_names(text: str, known: str, language: Language) -> list[str]:
    """The names that nothing known has, a folded text; 港東 stands in 港の東."""
    named = (*proper_names(text, language), *quoted_names(text, language))
    there = known if language == "en" else f"{known} {known.replace('の', '')}"
    beside = _days_worked_out(text, known, language)
    return [name for name in named if not stands_in(name, there) and name not in beside]


def _days_worked_out(text: str, known: str, language: Language) -> frozenset[str]:
    """The days that a text works out: *on the day before, that is Monday for Tuesday*."""
    if language == "ja":  # 月曜 is no name
        return frozenset()
    rules, form = phrases("text/en/proper_names"), folded(text)
    steps = [(1, "day_after"), (-1, "day_before")]
    steps = [(step, name) for step, name in steps if rules.pattern(name).search(form)]
    own = {at for at, day in enumerate(_WEEK) if day in form and day in known}
    return frozenset(_WEEK[(at + step) % len(_WEEK)] for at in own for step, _ in steps)


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
        begins = _BEGINS.search(text[max(0, found.start() - _NEAR) : found.start()])
        if _INNER_CAPITAL.search(word) or (word[0].isupper() and not begins):
            yield re.sub(r"['’]s?$", "", word)


# ---- Days and months ----

_WEEK = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_YEAR = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_TO = r"(?:\s*[-–—〜~]\s*|\s+(?:to|through|thru|till|until|and)\s+)"
_DAY = r"(mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:days?)?"
_MONTH = rf"({'|'.join(_YEAR)})"
_DAYS_TO = re.compile(rf"\b(between )?{_DAY}{_TO}{_DAY}\b", re.IGNORECASE)
_MONTHS_TO = re.compile(rf"\b(between )?{_MONTH}{_TO}{_MONTH}\b", re.IGNORECASE)
_YOUBI = "月火水木金土日"
_YOUBI_TO = re.compile(
    rf"(?<![一-龠])([{_YOUBI}])(?:曜日?)?(?:から|[〜~～-])([{_YOUBI}])(?:曜日?|(?![一-龠]))"
)


def spelled_out(text: str, language: Language) -> str:
    """The text with all days and months of its ranges: *Thu to Sat* is *Thursday, Friday, …*."""
    if language == "ja":
        return _YOUBI_TO.sub(lambda m: "曜・".join(_from_to(_YOUBI, m[1], m[2])) + "曜", text)
    text = _DAYS_TO.sub(lambda found: _spelled(found, _WEEK), text)
    return _MONTHS_TO.sub(lambda found: _spelled(found, _YEAR), text)


_GROUPS = {
    "en": ((r"\bweek-?days?\b", ", ".join(_WEEK[:5])), (r"\bweekends?\b", ", ".join(_WEEK[5:]))),
    "ja": ((r"平日", "曜・".join(_YOUBI[:5]) + "曜"), (r"土日|週末", "土曜・日曜")),
}


def named_in(text: str, language: Language) -> str:
    """The text with all that it names: the days of its ranges, and of *weekdays* and 平日."""
    groups = (days for found, days in _GROUPS[language] if re.search(found, text, re.IGNORECASE))
    return "\n".join((spelled_out(text, language), *groups))


def _spelled(found: re.Match[str], names: Sequence[str]) -> str:
    if "and" in found[0].split() and not found[1]:  # *between*: each of two days is no range
        return found[0]
    return ", ".join(name.capitalize() for name in _from_to(names, found[2], found[3]))


def _from_to(names: Sequence[str], first: str, last: str) -> list[str]:
    """The names from one to another, round the end; each is told by how it begins."""
    start, end = (
        next(at for at, name in enumerate(names) if name.startswith(one.casefold()))
        for one in (first, last)
    )
    return [names[at % len(names)] for at in range(start, start + (end - start) % len(names) + 1)]


# ---- With their kinds ----

_CAPITAL = re.compile(r"(?<![\w'’.-])[A-Z][\w'’-]*")
_LATIN = re.compile(r"[A-Za-z][A-Za-z0-9]+")
_START = re.compile(r"(?:^|[.!?:;]\s+|[\n\"“‘(•*-]\s*|\d[.)]\s*)$")


def names_by_kind(text: str, language: Language) -> Mapping[str, str]:
    """The names of an NFKC text, as single words, each with its kind.

    English: words with a capital that do not begin a sentence, or stand beside another one, by
    their stems. Japanese: Sudachi's proper names, by normal form, and words in Latin letters. Days
    of the week and months are a kind of their own.
    """
    data = phrases(f"text/{language}/expectations")
    days = {m[0].removesuffix("s"): "day" for m in data.pattern("one_of").finditer(folded(text))}
    found = _in_english(text) if language == "en" else _in_japanese(text)
    none = data.words("no_names")
    kept = {n: kind for n, kind in found.items() if n not in none and n not in days}
    return {**kept, **days}


def _in_english(text: str) -> dict[str, str]:
    found = list(_CAPITAL.finditer(text))
    names = {}
    for at, match in enumerate(found):
        word = match[0].casefold().replace("’", "'").removesuffix("'s")
        if word in stop_words():
            continue
        begins = _START.search(text[max(0, match.start() - _NEAR) : match.start()])
        beside = at + 1 < len(found) and not text[match.end() : found[at + 1].start()].strip()
        if not begins or beside:
            names[stem(word)] = "name"
    return names


def _in_japanese(text: str) -> dict[str, str]:
    names = {m[0].casefold(): "latin" for m in _LATIN.finditer(text)}
    for morpheme in morphemes(text):
        if morpheme.pos[1] == "固有名詞" and not morpheme.surface.isascii():
            names[morpheme.normal.casefold()] = morpheme.pos[2]
    return names
