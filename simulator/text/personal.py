"""Personal data in what people write: found by its form, and masked."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from simulator.core.persona import Language
from simulator.text.ja.sudachi import Morpheme, morphemes
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
_SHORTEST = 3  # characters of a name that is looked for again


def masked(text: str, language: Language) -> tuple[str, Counter[str]]:
    """The text with marks in place of personal data, and how much of each kind was masked.

    Whatever the language of the talk, both are looked for: e-mail addresses, phone numbers and
    cards by their form, also spelled out; passwords and codes, dates of birth, numbers of persons,
    accounts and orders, and online accounts by the words before them; postal addresses down to
    the house; names where somebody says their own, behind or before what calls for a name, and
    Japanese ones in full or with さん. `language` is that of the marks.

    What no form or word gives away stays: a name alone (*Mary came, too*), a name that is a place
    or a thing as well (千葉です), a nickname, a password of letters only, a number without a word
    for it, a district without a house, what somebody is ill with or works as. A name or a secret
    that is masked once is masked wherever the text repeats it.
    """
    counts: Counter[str] = Counter()
    repeated: dict[str, str] = {}
    marks: Mapping[str, str] = phrases(f"text/{language}/personal").entries["marks"]
    for kind in _BY_WORDS:
        if kind == "phone":  # what a word explains is told by now
            text = _numbers_masked(text, marks, counts)
        for own_language in _LANGUAGES:
            rules = phrases(f"text/{own_language}/personal")
            if kind in rules.entries:
                of = "name" if kind == "names" else kind
                mark = partial(_marked, of, marks, counts, repeated)
                text = rules.pattern(kind).sub(mark, text)
    places = own_names(text) if _JAPANESE.search(text) else []
    for start, end in reversed(places):
        text = f"{text[:start]}{marks['name']}{text[end:]}"
    counts["name"] += len(places)
    for original, mark_of_it in repeated.items():
        counts["name" if mark_of_it == marks["name"] else "secret"] += text.count(original)
        text = text.replace(original, mark_of_it)
    return text, +counts


def _marked(
    kind: str,
    marks: Mapping[str, str],
    counts: Counter[str],
    repeated: dict[str, str],
    match: re.Match[str],
) -> str:
    """The mark of a kind, behind what told of it; names and secrets are added to `repeated`."""
    counts[kind] += 1
    cue = next(filter(None, match.groups()), "") or ""
    original = re.split(r"[.!?,](?:\s|$)|[。、]", match.group().removeprefix(cue))[0].strip()
    if kind in ("name", "secret") and len(original) >= _SHORTEST:
        repeated[original] = marks[kind]
    return cue + marks[kind]


def _numbers_masked(text: str, marks: Mapping[str, str], counts: Counter[str]) -> str:
    def number(match: re.Match[str]) -> str:
        kind = _kind(match.group())
        if kind:
            counts[kind] += 1
        return marks.get(kind, match.group())

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


_PHRASES = phrases("text/ja/personal")

_READ = 2000  # characters at a time
_REPORTS = re.compile("(?:た|たい|ている|ました)$")  # 先日電話した中村です
_JOINTS = (" ", "\u3000", "・")
_OPENS = re.compile("(?:^|[。、,!！?？\\s])$")


def own_names(text: str) -> list[tuple[int, int]]:
    """The places, as (start, end), of names that a speaker tells, in order: its own and others'.

    A name is what the dictionary knows as one, at the beginning of a clause and before です,
    と申します and the like. What is a place or a thing as well counts only after words that call
    for a name (営業部の森です), or before a given name. Names of others count with さん or 様
    behind them, and where family name and given name stand together.
    """
    places: list[tuple[int, int]] = []
    at = 0
    for line in text.split("\n"):
        for begins in range(0, len(line), _READ):
            part = line[begins : begins + _READ]
            places += [(at + begins + start, at + begins + end) for start, end in _in_line(part)]
        at += len(line) + 1
    return places


def _in_line(line: str) -> Iterator[tuple[int, int]]:
    read = morphemes(line)
    starts = [0]
    for morpheme in read:
        starts.append(starts[-1] + len(morpheme.surface))
    if starts[-1] != len(line):
        return  # what was cleaned away stands nowhere
    at = 0
    while at < len(read):
        end = _name_end(read, at)
        name = read[at:end]
        if name and (
            _is_of_another(line, name, starts[end]) or _is_own(line, name, starts[at], starts[end])
        ):
            yield starts[at], starts[end]
        at = max(end, at + 1)


def _name_end(read: Sequence[Morpheme], start: int) -> int:
    """Where a run that may be a name ends; its start where there is none."""
    end = start
    while end < len(read) and (_may_name(read[end]) or _joins(read, start, end)):
        end += 1
    return end


def _may_name(morpheme: Morpheme) -> bool:
    return morpheme.pos[2] in ("人名", "地名") or morpheme.surface in _PHRASES.words("also_things")


def _joins(read: Sequence[Morpheme], start: int, at: int) -> bool:
    """The space or dot between family name and given name."""
    inside = start < at < len(read) - 1 and read[at].surface in _JOINTS
    return inside and read[at + 1].pos[2] == "人名"


def _is_of_another(line: str, name: Sequence[Morpheme], end: int) -> bool:
    words = [m for m in name if m.surface not in _JOINTS]
    if any(m.pos[2] != "人名" for m in words):
        return False
    if words[0].pos[3] == "姓" and any(m.pos[3] == "名" for m in words[1:]):
        return True
    in_places = words[0].surface in _PHRASES.words("also_places")
    return not in_places and bool(_PHRASES.pattern("honorifics").match(line, end))


def _is_own(line: str, name: Sequence[Morpheme], start: int, end: int) -> bool:
    if not _PHRASES.pattern("said_after").match(line, end):
        return False
    before = line[:start]
    if _PHRASES.pattern("of_a_body").search(before) or _PHRASES.pattern("turned_to").search(before):
        return True
    if not _OPENS.search(before) and not _REPORTS.search(before):
        return False
    if any(m.pos[3] == "名" for m in name[1:]):
        return True
    places = _PHRASES.words("also_places")
    words = [m for m in name if m.surface not in _JOINTS]
    return all(m.pos[2] == "人名" and m.surface not in places for m in words)
