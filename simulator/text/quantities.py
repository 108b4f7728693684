"""The amounts that a text names: numbers with their units, made comparable."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from simulator.text.english import STOP_WORDS, stem
from simulator.text.sudachi import Morpheme, read_near

Amounts = Mapping[str, frozenset[float | str]]
"""By kind (seconds, months, yen, %, or the unit itself): the amounts of it, in base units."""

_DAY = 86_400.0
# Unit -> kind and factor. 3か月 is not 90日, and 3営業日 not 3日: kinds that cannot be compared.
_UNITS: dict[str, tuple[str, float]] = {
    **dict.fromkeys(("秒", "秒間", "second", "sec"), ("seconds", 1.0)),
    **dict.fromkeys(("分", "分間", "minut", "min"), ("seconds", 60.0)),
    **dict.fromkeys(("時間", "hour", "hr"), ("seconds", 3_600.0)),
    **dict.fromkeys(("日", "日間", "day"), ("seconds", _DAY)),
    **dict.fromkeys(("週", "週間", "week"), ("seconds", 7 * _DAY)),
    **dict.fromkeys(("箇月", "か月", "カ月", "月間", "month"), ("months", 1.0)),
    **dict.fromkeys(("年", "年間", "year"), ("months", 12.0)),
    **dict.fromkeys(("営業日", "business day", "working day"), ("business days", 1.0)),
    **dict.fromkeys(("時", "o'clock"), ("clock", 1.0)),
    **dict.fromkeys(("%", "パーセント", "percent"), ("%", 1.0)),
    "割": ("%", 10.0),
    **dict.fromkeys(("円", "¥", "yen", "jpy"), ("yen", 1.0)),
    **dict.fromkeys(("ドル", "弗", "$", "dollar", "usd"), ("dollars", 1.0)),
    **dict.fromkeys(("ユーロ", "€", "euro", "eur"), ("euros", 1.0)),
    **dict.fromkeys(("£", "ポンド", "pound", "gbp"), ("pounds", 1.0)),
    **dict.fromkeys(("kb", "キロバイト"), ("bytes", 1e3)),
    **dict.fromkeys(("mb", "メガバイト", "メガ"), ("bytes", 1e6)),
    **dict.fromkeys(("gb", "ギガバイト", "ギガ"), ("bytes", 1e9)),
    **dict.fromkeys(("tb", "テラバイト", "テラ"), ("bytes", 1e12)),
    **dict.fromkeys(("人", "名"), ("人", 1.0)),
    **dict.fromkeys(("個", "つ", "箇"), ("個", 1.0)),
}
_CURRENCY = frozenset("¥$€£")
_SURE = frozenset(("seconds", "months", "%", "bytes", "人", "個"))  # kinds that need no mark
_CALENDAR_YEAR = 1_000


@dataclass(frozen=True, slots=True)
class _Number:
    """A number as it stands in a text; `written` where it is no amount (10:30, 03-1234-5678)."""

    digits: str
    unit: str
    written: bool = False


def amounts(numbers: Iterator[_Number]) -> Amounts:
    """Numbers by kind, each in the base unit of its kind: 2時間 is 7,200 seconds."""
    found: dict[str, set[float | str]] = {}
    for number in numbers:
        kind, amount = _measured(number)
        found.setdefault(kind, set()).add(amount)
    return {kind: frozenset(some) for kind, some in found.items()}


def conflicting(one: Amounts, other: Amounts) -> bool:
    """Whether two texts name different amounts of one kind.

    That is: for some kind, each of them names an amount that the other does not. An amount that
    one of them only leaves out, or adds, is no conflict.
    """
    both = one.keys() & other.keys()
    return any(one[kind] - other[kind] and other[kind] - one[kind] for kind in both)


def amounts_of(lists: Iterable[Any]) -> Amounts:
    """Those of a Japanese text in NFKC, by Sudachi's lists of its morphemes (SplitMode.A).

    Sudachi has read the numbers already: 三日, 3日 and 1万5千円 are 3, 3 and 15000. Numbers of a
    list (`1. ` at the beginning of a line) are none.
    """
    near = read_near(lists, "数詞", before=2, after=6)
    return amounts(number for found in near for number in _japanese(found))


def may_conflict(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether it is worth while to compare the amounts of two Japanese texts.

    Told by their words as `token_f1` counts them: each has a number of a unit, or of none of the
    common ones, that the other has not.
    """
    here = _counted(one)
    there = _counted(other) if here else here
    if not there or here <= there or there <= here:
        return False
    return conflicting(_roughly(here), _roughly(there))


_Counted = tuple[bool, str, str]  # after 午後, the number, what stands behind it


def _counted(words: Sequence[str]) -> set[_Counted]:
    # A string under ":" may begin with a digit: most words are told apart by that.
    places = [at for at, word in enumerate(words) if word < ":" and word[0] in _DIGITS]
    if not places:
        return set()
    around = (*words, "", "")  # behind the last word, and before the first one
    return {(around[at - 1] == "午後", words[at], around[at + 1]) for at in places}


def _roughly(counted: Iterable[_Counted]) -> Amounts:
    found: dict[str, set[float | str]] = {}
    for one in counted:
        kind, amount = _rough(one)
        found.setdefault(kind, set()).add(amount)
    return {kind: frozenset(some) for kind, some in found.items()}


@lru_cache(maxsize=4096)
def _rough(counted: _Counted) -> tuple[str, float | str]:
    late, word, unit = counted
    kind, factor = _UNITS.get(unit, ("", 1.0))
    # Marks are no words: ¥500 and 10:30 have no unit here, while 500円 and 10時 have one.
    if kind in _SURE and _NUMBER.fullmatch(word):
        return kind, round(float(word) * factor, 6)
    return "", f"{late}{word}"


def amounts_in(text: str) -> Amounts:
    """Those of an English text in NFKC: `14-day`, `two weeks`, `$5`, `1.5%`, `10:30`."""
    return amounts(_english(text))


def _measured(number: _Number) -> tuple[str, float | str]:
    if number.written:
        return _written(number.digits)
    value = float(number.digits)
    if number.unit in ("年", "year") and value >= _CALENDAR_YEAR:
        return "calendar year", value
    kind, factor = _UNITS.get(number.unit, (number.unit, 1.0))
    return kind, round(value * factor, 6)


def _written(text: str) -> tuple[str, float | str]:
    """A clock's time in hours, a telephone number by its digits, anything else as it stands."""
    if clock := _CLOCK.fullmatch(text):
        return "clock", int(clock[1]) + int(clock[2]) / 60
    digits = text.replace("-", "")
    if digits.isdecimal() and digits.startswith("0") and len(digits) >= 9:
        return "telephone", digits
    return "written", text


_DIGITS = frozenset("0123456789")
_CLOCK = re.compile(r"(\d{1,2}):(\d\d)")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")

# ---- Japanese ----

_JOINS = frozenset("-:/.")
_LIST_MARKS = frozenset((".", ")", "、", "．"))
_COUNTERS = ("名詞", "接尾辞")


def _japanese(found: Sequence[Morpheme]) -> Iterator[_Number]:
    at = 0
    while at < len(found):
        if found[at].pos[1] != "数詞" or not _NUMBER.fullmatch(found[at].normal):
            at += 1
            continue
        end = _end(found, at)
        unit, following = _unit(found, end)
        if not unit and _is_range(found, end):  # 2〜3日
            unit, following = _unit(found, end + 2)[0], end + 1
        if end - at > 1:
            yield from _joined(found[at:end], unit)
        elif unit == "時" and (minutes := _minutes(found, following)):
            yield _Number(f"{_hour(found, at)}:{minutes:0>2}", "", written=True)
            following += 2
        elif unit or not _numbers_a_list(found, at):
            yield _plain(found, at, unit)
        at = max(following, at + 1)


def _plain(found: Sequence[Morpheme], at: int, unit: str) -> _Number:
    digits, before = found[at].normal, found[at - 1].surface if at else ""
    if not unit and before in _CURRENCY:
        return _Number(digits, before)
    if not unit and len(digits) >= 9 and digits.startswith("0"):
        return _Number(digits, "", written=True)
    if unit == "時":
        return _Number(_hour(found, at), unit)
    # A day of a month is no length of time.
    of_month = unit == "日" and at >= 2 and found[at - 1].surface == "月"
    return _Number(digits, "日付" if of_month else unit)


def _hour(found: Sequence[Morpheme], at: int) -> str:
    digits = found[at].normal
    is_late = at > 0 and found[at - 1].surface == "午後" and digits.isdecimal()
    return str(int(digits) % 12 + 12) if is_late else digits


def _end(found: Sequence[Morpheme], at: int) -> int:
    """Behind the last of the numbers that marks join without a space: 03-1234-5678."""
    end = at + 1
    while (
        end + 1 < len(found)
        and found[end].surface in _JOINS
        and _NUMBER.fullmatch(found[end + 1].normal)
    ):
        end += 2
    return end


def _is_range(found: Sequence[Morpheme], at: int) -> bool:
    return (
        at + 1 < len(found)
        and found[at].surface in ("~", "〜")
        and _NUMBER.fullmatch(found[at + 1].normal) is not None
    )


def _unit(found: Sequence[Morpheme], at: int) -> tuple[str, int]:
    """The unit that stands here, or "", and what comes after it."""
    if at >= len(found) or found[at].pos[0] not in _COUNTERS or found[at].pos[1] == "数詞":
        return "", at
    unit = found[at].normal.casefold()
    if unit == "営業" and at + 1 < len(found) and found[at + 1].surface == "日":
        return "営業日", at + 2
    if found[at].surface in ("ヶ", "か", "カ") and at + 1 < len(found):
        return "箇月" if found[at + 1].surface == "月" else found[at + 1].normal, at + 2
    return unit, at + 1


def _joined(parts: Sequence[Morpheme], unit: str) -> Iterator[_Number]:
    """A range of two (10-20%), or one thing that is written with marks."""
    if unit and len(parts) == 3 and parts[1].surface == "-":
        yield from (_Number(part.normal, unit) for part in (parts[0], parts[2]))
    else:
        yield _Number("".join(part.surface for part in parts), "", written=True)


def _minutes(found: Sequence[Morpheme], at: int) -> str:
    """The minutes of 10時30分, or ""."""
    if at + 1 >= len(found) or found[at].pos[1] != "数詞" or found[at + 1].surface != "分":
        return ""
    digits = found[at].normal
    return digits if digits.isdecimal() else ""


def _numbers_a_list(found: Sequence[Morpheme], at: int) -> bool:
    begins = at == 0 or "\n" in found[at - 1].surface
    return begins and at + 1 < len(found) and found[at + 1].surface in _LIST_MARKS


# ---- English ----

_SMALL = "one two three four five six seven eight nine ten eleven twelve"
_TENS = {"fifteen": 15, "twenty": 20, "thirty": 30, "sixty": 60, "ninety": 90, "hundred": 100}
_WORDS = {word: str(n) for n, word in enumerate(_SMALL.split(), start=1)}
_WORDS |= {word: str(n) for word, n in _TENS.items()} | {"half": "0.5"}
_LISTED = re.compile(r"^\s*\(?\d{1,2}[.)]\s+", re.MULTILINE)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_FOUND = re.compile(
    rf"(?<![\w.])(?P<sign>[$€£¥])?\s?"
    rf"(?:(?P<marked>\d+(?:[-:/.]\d+){{2,}}|\d{{1,2}}:\d\d)|(?P<digits>\d+(?:\.\d+)?)"
    rf"|(?P<word>{'|'.join(_WORDS)})\b)"
    r"(?:(?P<percent>\s?%)|[\s-]?(?P<meridiem>[ap]\.?m\b)"
    r"|[\s-]?(?P<unit>(?:business|working) days?\b|[a-z]+)(?!['’]))?"
)


def _english(text: str) -> Iterator[_Number]:
    text = _THOUSANDS.sub("", _LISTED.sub("", text.casefold()))
    for found in _FOUND.finditer(text):
        digits = found["digits"] or _WORDS.get(found["word"] or "", "")
        if found["meridiem"]:
            hour = _on_the_clock(found["marked"] or digits, found["meridiem"])
            yield _Number(hour, "", written=True)
        elif found["marked"]:
            yield _Number(found["marked"], "", written=True)
        elif unit := found["sign"] or (found["percent"] and "%") or _noun(found["unit"] or ""):
            yield _Number(digits, unit)
        elif found["digits"]:  # `one` alone counts nothing
            yield _Number(digits, "")


def _on_the_clock(digits: str, meridiem: str) -> str:
    hour, _, minutes = digits.partition(":")
    return f"{int(float(hour)) % 12 + 12 * (meridiem[0] == 'p')}:{minutes or '00'}"


def _noun(word: str) -> str:
    if word.endswith(("day", "days")) and " " in word:
        return word.removesuffix("s")
    return "" if word in STOP_WORDS else stem(word)
