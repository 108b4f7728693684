"""What an answer enumerates: A・B・C, AかBかC, `card, transfer or cash`, 1. 2. 3.

A right answer to "what is there?" has to name these; that they are three says nothing.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from simulator.core.persona import Language

FEW, MANY = 2, 3  # from so many on: a choice between two; a list


class Enumeration(NamedTuple):
    """The things that are enumerated, each with its place in the text."""

    items: tuple[tuple[int, str], ...]


# A Japanese noun: kanji, katakana and letters with the endings of verbs that became nouns
# (払い, 手続き, 振り込み); particles and other hiragana end it. Amounts are not looked for here.
_SOLID = r"[一-龥々〆ヶァ-ヺーｦ-ﾟA-Za-zＡ-Ｚａ-ｚ]"
_OKURI = "[いきみりれけえせめげち]|(?<=落)とし|(?<=[渡戻消返越])し"
_JA_ITEM = rf"(?:お|ご)?{_SOLID}+(?:(?:{_OKURI}){_SOLID}+)*(?:(?:{_OKURI})(?![ぁ-ん]|{_SOLID}))?"
_JA_OR = "または|又は|もしくは|若しくは|あるいは"
_JA_PARTED = rf"(?:\s*[、，,・／/]\s*(?:{_JA_OR}|および|及び)?|や|と|か|{_JA_OR}|および|及び)"
_JA_LIST = re.compile(
    rf"(?<!{_SOLID})(?<!\d){_JA_ITEM}(?:{_JA_PARTED}{_JA_ITEM}){{2,}}(?!{_SOLID})"
)
_JA_STRONG = re.compile(rf"[、，,・／/か]|{_JA_OR}")  # AやBとC may be nested in any way
_JA_NOUN = re.compile(_JA_ITEM)
_JA_PAIR = re.compile(
    rf"(?<!{_SOLID})(?<!\d){_JA_ITEM}(?:(?:、?(?:{_JA_OR})|か){_JA_ITEM}"
    rf"|[とか]{_JA_ITEM}(?=か、|の?(?:どちら|いずれ|両方|片方)))"
)

_STARTS = "by|via|with|in|on|to|at|from|for|of|as|a|an|the|your|our|either|both"
_VERBS = (
    "are|is|be|take|takes|accept|accepts|offer|offers|choose|use|include|includes|have|has|send|"
    "sends|bring|need|needs|support|supports|ship|sell|wrap|between|provide|provides|enter|than"
)
_WORD = r"[A-Za-z][A-Za-z'’&/-]*"
_EN_ITEM = rf"(?:(?:{_STARTS}) )*{_WORD}(?: (?!(?:and|or)\b){_WORD}){{0,4}}"
_EN_LIST = re.compile(rf"(?<![\w.@]){_EN_ITEM}(?:, {_EN_ITEM})+,? (?:and|or) {_EN_ITEM}")
_EN_PAIR = re.compile(rf"(?:either|both|choose|between) {_EN_ITEM} (?:and|or) {_EN_ITEM}", re.I)
_EN_PART = re.compile(r",? (?:and|or) |, ")
_EN_HEAD = re.compile(rf"^.*\b(?:{_VERBS}|{_STARTS}) ", re.IGNORECASE)
_EN_LEAD = re.compile(rf"^(?:(?:{_STARTS}) )+", re.IGNORECASE)
_EN_TAIL = re.compile(
    r" (?:by|via|with|in|on|to|at|from|for|of|as|when|if|until|per|that|which|is|are|costs?)\b.*$"
)
# In what is said or done, not in the name of a thing: clauses are parted by commas as well.
_EN_CLAUSE = re.compile(
    r"\b(?:it|you|we|they|them|this|there|who|if|not|do|does|will|is|are|be|may|can|press|turn|"
    r"select|check|forward|reset|enter|click|tap|open|log|go|back|once|then|including)\b"
    rf"|^(?:{_STARTS})?$",
    re.IGNORECASE,
)

_NUMBER = re.compile(
    r"(?:(?<=^)|(?<=[\s。：:]))(?:\(?\d{1,2}[.)．）、](?!\d)|[①-⑳]|[・●■*-](?=\s?\S))[ \t　]*", re.M
)
_LONGEST = {"ja": 24, "en": 48}  # characters of a step


def enumerations(text: str, language: Language) -> list[Enumeration]:
    """What a text enumerates, in its order: lists of three and more, and choices between two."""
    found = [Enumeration(tuple(items)) for items in _steps(text, language)]
    if language == "ja":
        lists = (m for m in _JA_LIST.finditer(text) if _JA_STRONG.search(m.group()))
        found += [_japanese(m) for m in lists]
        found += [_japanese(m) for m in _JA_PAIR.finditer(text)]
    else:
        found += [_english(m) for m in _EN_LIST.finditer(text)]
        found += [_english(m) for m in _EN_PAIR.finditer(text)]
    return [one for one in found if len(one.items) >= FEW]


def _japanese(match: re.Match[str]) -> Enumeration:
    nouns = _JA_NOUN.finditer(match.group())
    return Enumeration(tuple((match.start() + noun.start(), noun.group()) for noun in nouns))


def _english(match: re.Match[str]) -> Enumeration:
    first, *others = _parts(match, _EN_PART)
    items = [_without(first, _EN_HEAD), *(_without(item, _EN_LEAD) for item in others)]
    named = tuple((at, _EN_TAIL.sub("", text)) for at, text in items)
    return Enumeration(() if any(_EN_CLAUSE.search(text) for _, text in named) else named)


def _parts(match: re.Match[str], parted_by: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    begin = 0
    for part in parted_by.finditer(match.group()):
        yield match.start() + begin, match.group()[begin : part.start()]
        begin = part.end()
    yield match.start() + begin, match.group()[begin:]


def _without(item: tuple[int, str], head: re.Pattern[str]) -> tuple[int, str]:
    """The item without what leads to it: `You can pay by card` is `card`."""
    place, text = item
    found = head.match(text)
    return (place + found.end(), text[found.end() :]) if found else item


def _steps(text: str, language: Language) -> Iterator[list[tuple[int, str]]]:
    """The items of lists with numbers or marks before each, where these are short."""
    marks = list(_NUMBER.finditer(text))
    items = []
    for number, mark in enumerate(marks, 1):
        end = marks[number].start() if number < len(marks) else len(text)
        step = re.split(r"[\n。]|\.(?=\s|$)", text[mark.end() : end], maxsplit=1)[0]
        items.append((mark.end(), step.strip(" 　,、;；.")))
    if len(items) >= FEW and all(0 < len(step) <= _LONGEST[language] for _, step in items):
        yield items
