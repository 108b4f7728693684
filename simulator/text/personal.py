"""Personal data in what people write: found by its form, and masked."""

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping
from functools import partial

from simulator.core.persona import Language
from simulator.text.ja.introductions import own_names
from simulator.text.phrases import phrases

_EMAIL = re.compile(
    r"[A-Za-z0-9Ａ-Ｚａ-ｚ０-９._%+-]{1,64}[@＠][A-Za-z0-9Ａ-Ｚａ-ｚ０-９-]{1,63}"
    r"(?:[.．][A-Za-z0-9Ａ-Ｚａ-ｚ０-９-]{1,63})+"
)
_DIGIT = "[0-9０-９]"
_DASH = "[-‐-―−ーｰ－・･]"
_NUMBERS = [  # those with spaces come last, so that two numbers beside each other are two
    re.compile(f"(?<!{_DIGIT})[+＋(（]?{_DIGIT}(?:(?:{_DASH}|[.()（）]){{0,2}}{_DIGIT})+"),
    re.compile(f"(?<!{_DIGIT}){_DIGIT}{{4}}(?:[ 　]{_DIGIT}{{4}}){{3}}(?!{_DIGIT})"),
    re.compile(f"(?<!{_DIGIT})[+＋(（]?{_DIGIT}(?:(?:{_DASH}|[ 　.()（）]){{0,2}}{_DIGIT})+"),
]
_JAPANESE = re.compile("[\u3041-\u30ff一-龥]")
_GROUPS = re.compile(r"\d+")


_LANGUAGES: tuple[Language, ...] = ("ja", "en")  # a talk may be in both
_BY_WORDS = ("secret", "email", "birth", "address", "number", "handle", "phone", "name", "names")


def masked(text: str, language: Language) -> tuple[str, Counter[str]]:
    """The text with marks in place of personal data, and how much of each kind was masked.

    Whatever the language of the talk, both are looked for: e-mail addresses, phone numbers and
    cards by their form, also spelled out; passwords and codes, dates of birth, numbers of persons,
    accounts and orders, and accounts on the net by the words before them; postal addresses down to
    the house; names where somebody says their own, behind or before what calls for a name, and
    Japanese ones in full or with さん. `language` is that of the marks.

    What no form or word gives away stays: a name alone (*Mary came, too*), a name that is a place
    or a thing as well (千葉です), a nickname, a password of letters only, a number without a word
    for it, a district without a house, what somebody is ill with or works as.
    """
    counts: Counter[str] = Counter()
    marks: Mapping[str, str] = phrases(f"text/{language}/personal").entries["marks"]
    for kind in _BY_WORDS:
        if kind == "phone":  # what a word explains is told by now
            text = _numbers_masked(text, marks, counts)
        for one in _LANGUAGES:
            rules = phrases(f"text/{one}/personal")
            if kind in rules.entries:
                mark = partial(_marked, "name" if kind == "names" else kind, marks, counts)
                text = rules.pattern(kind).sub(mark, text)
    places = own_names(text) if _JAPANESE.search(text) else []
    for start, end in reversed(places):
        text = f"{text[:start]}{marks['name']}{text[end:]}"
    counts["name"] += len(places)
    return text, +counts


def _marked(kind: str, marks: Mapping[str, str], counts: Counter[str], found: re.Match[str]) -> str:
    """The mark of a kind, behind what told of it."""
    counts[kind] += 1
    return (next(filter(None, found.groups()), "") or "") + marks[kind]


def _numbers_masked(text: str, marks: Mapping[str, str], counts: Counter[str]) -> str:
    def number(found: re.Match[str]) -> str:
        kind = _kind(found.group())
        if kind:
            counts[kind] += 1
        return marks.get(kind, found.group())

    text, emails = _EMAIL.subn(marks["email"], text)
    counts["email"] += emails
    for numbers in _NUMBERS:
        text = numbers.sub(number, text)
    return text


def _kind(number: str) -> str:
    """What a run of digits with marks in between is: card, phone, or "" for something else."""
    plain = unicodedata.normalize("NFKC", number)
    groups = _GROUPS.findall(plain)
    digits = sum(map(len, groups))
    if 14 <= digits <= 19 and (len(groups) == 1 or all(3 <= len(g) <= 6 for g in groups)):
        return "card"
    if plain[0] == "+":
        return "phone" if 8 <= digits <= 15 else ""
    if groups[0].startswith("00"):  # 0044 20 7946 0958
        return "phone" if 11 <= digits <= 17 else ""
    if groups[0][0] == "0":  # 03-1234-5678, 09012345678
        return "phone" if digits in (10, 11) and len(groups) <= 3 else ""
    # (555) 123-4567, 1-800-123-4567
    return "phone" if [len(g) for g in groups[groups[0] == "1" :]] == [3, 3, 4] else ""
