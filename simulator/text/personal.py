"""Personal data in what people write: found by its form, and masked."""

import re
import unicodedata
from collections import Counter
from collections.abc import Mapping

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
_GROUPS = re.compile(r"\d+")


def masked(text: str, language: Language) -> tuple[str, Counter[str]]:
    """The text with marks in place of personal data, and how much of each kind was masked.

    E-mail addresses, phone numbers, runs of 14 to 19 digits as on cards, and names where somebody
    says their own (田中です, 田中と申します, *my name is …*, *this is Ann Miller*). A name that is
    a place or a thing as well (千葉です, さとうです) may stay; names of others, addresses and order
    numbers cannot be told from what a talk is about and do.
    """
    counts: Counter[str] = Counter()
    rules = phrases(f"text/{language}/personal")
    marks: Mapping[str, str] = rules.entries["marks"]

    def number(found: re.Match[str]) -> str:
        kind = _kind(found.group())
        counts[kind] += 1
        return marks.get(kind, found.group())

    text, counts["email"] = _EMAIL.subn(marks["email"], text)
    for numbers in _NUMBERS:
        text = numbers.sub(number, text)
    name = marks["name"]

    def own(found: re.Match[str]) -> str:
        return (next(filter(None, found.groups()), "") or "") + name

    text, counts["name"] = rules.pattern("names").subn(own, text)
    if language == "ja":
        for start, end in reversed(places := own_names(text)):
            text = f"{text[:start]}{name}{text[end:]}"
        counts["name"] += len(places)
    del counts[""]
    return text, +counts


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
