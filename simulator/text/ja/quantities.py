"""The amounts that a Japanese text names."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from simulator.text.ja.sudachi import Morpheme, read_out
from simulator.text.quantities import (
    Amounts,
    Placed,
    Quantity,
    amounts,
    units,
)

_CURRENCY = frozenset("¥$€£")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_JOINS = frozenset("-:/.")
_LIST_MARKS = frozenset((".", ")", "、", "．"))
_IN_A_WORD = {
    "正午": (Quantity("12", "時"),),
    "半年": (Quantity("6", "箇月"),),
    "半月": (Quantity("15", "日"),),
    "半日": (Quantity("12", "時間"),),
}
_LATE = {"午後": 1, "昼": 1, "夕方": 3, "夕": 3, "夜": 5, "晩": 5, "深夜": 9, "夜中": 9}
"""What stands before an hour of the afternoon, and from which one on: 夜の1時 is early."""
_PARTS_OF_DAY = frozenset((*_LATE, "午前", "朝", "早朝", "未明"))
_LATEST_OF_DAY = 5  # 昼の11時 is before noon
_NOON = 12
_TO = frozenset(("から", "~", "〜", "-", "より"))
_REACH = 8  # morphemes in which a range of hours has begun
_SMALLER = {"時間": (60, ("分", "分間")), "年": (12, ("箇月", "か月", "カ月"))}
"""What a length may go on with, and how many of these one of it has: 2時間30分, 1年6か月."""
_OF_A_SCHOOL = {"年": "生", "年次": "生", "時": "限"}
_COUNTERS = ("名詞", "接尾辞")


def amounts_of(lists: Iterable[Any]) -> Amounts:
    """Those of a Japanese text in NFKC, by Sudachi's lists of its morphemes (SplitMode.A).

    Sudachi has read the numbers already: 三日, 3日 and 1万5千円 are 3, 3 and 15000. Numbers of a
    list (`1. ` at the beginning of a line) are none.
    """
    return amounts(placed.quantity for placed in placed_in(read_out(lists)))


def placed_in(words: Sequence[Morpheme]) -> Iterator[Placed]:
    """The quantities of a list of morphemes, with the places of these in it."""
    end = 0
    for at, morpheme in enumerate(words):
        if at >= end and (morpheme.pos[1] == "数詞" or morpheme.normal in _IN_A_WORD):
            quantities, end = _at(words, at)
            yield from (Placed(quantity, at, end) for quantity in quantities)


def _at(words: Sequence[Morpheme], at: int) -> tuple[Iterable[Quantity], int]:
    """The quantities that begin at a place, and where they end."""
    if words[at].pos[1] != "数詞" or not _NUMBER.fullmatch(words[at].normal):
        return _IN_A_WORD.get(words[at].normal, ()), at + 1
    end = _end(words, at)
    unit, following = _unit(words, end)
    if not unit and _is_range(words, end):  # 2〜3日
        unit, following = _unit(words, end + 2)[0], end + 1
    if end - at > 1:
        return tuple(_joined(words[at:end], unit)), following
    if unit == "時" and (minutes := _minutes(words, following)):
        following += 1 if words[following].surface == "半" else 2
        return (Quantity(f"{_hour(words, at)}:{minutes:0>2}", "", written=True),), following
    if longer := _with_more(words, following, unit, words[at].normal):
        return (longer[0],), longer[1]
    counts = unit or not _numbers_a_list(words, at)
    return ((_plain(words, at, unit),) if counts else ()), following


def _plain(words: Sequence[Morpheme], at: int, unit: str) -> Quantity:
    digits, before = words[at].normal, words[at - 1].surface if at else ""
    if not unit and before in _CURRENCY:
        return Quantity(digits, before)
    if not unit and len(digits) >= 9 and digits.startswith("0"):
        return Quantity(digits, "", written=True)
    if unit == "時":
        return Quantity(_hour(words, at), unit)
    # A day of a month is no length of time.
    of_month = unit == "日" and at >= 1 and before.endswith("月")
    return Quantity(digits, "日付" if of_month else unit)


def _hour(words: Sequence[Morpheme], at: int) -> str:
    """The hour of 24; 午後1時から5時 ends at 17, and before 夜9時 comes 8時 of the night."""
    digits = words[at].normal
    if not digits.isdecimal():
        return digits
    hour, before = int(digits), _part_of_day(words, at)
    if before is None and at and words[at - 1].surface in _TO:
        began = [n for n in range(max(0, at - _REACH), at) if words[n].pos[1] == "数詞"]
        first = next((n for n in began if _part_of_day(words, n)), None)
        if first is not None and words[first].normal.isdecimal():
            is_later = int(words[first].normal) % _NOON < hour < _NOON
            before = _part_of_day(words, first) if is_later else None
    if before is None and hour < _NOON:
        before = _earlier_part(words[:at], hour)
    if before in _LATE and hour <= _NOON and hour >= _LATE[before]:
        hour = hour if before == "昼" and hour > _LATEST_OF_DAY else hour % _NOON + _NOON
    return str(hour)


def _earlier_part(words: Sequence[Morpheme], hour: int) -> str | None:
    """The 夜 of the last such hour, if that is later: 夜8時閉館、入館は7時まで."""
    named = (at for at in reversed(range(len(words))) if words[at].surface in _PARTS_OF_DAY)
    at = next(named, None)
    later = next((m.normal for m in words[at or 0 :] if m.normal.isdecimal()), "")
    return words[at].surface if at is not None and later and hour < int(later) <= _NOON else None


def _part_of_day(words: Sequence[Morpheme], at: int) -> str | None:
    """The 夜 of 夜9時 and 夜の9時."""
    before = [m.surface for m in words[max(0, at - 2) : at]]
    if before and before[-1] == "の":
        before.pop()
    return before[-1] if before and before[-1] in _PARTS_OF_DAY else None


def _end(words: Sequence[Morpheme], at: int) -> int:
    """Behind the last of the numbers that marks join without a space: 03-1234-5678."""
    end = at + 1
    while (
        end + 1 < len(words)
        and words[end].surface in _JOINS
        and _NUMBER.fullmatch(words[end + 1].normal)
    ):
        end += 2
    return end


def _is_range(words: Sequence[Morpheme], at: int) -> bool:
    return (
        at + 1 < len(words)
        and words[at].surface in ("~", "〜", "から")
        and _NUMBER.fullmatch(words[at + 1].normal) is not None
    )


def _unit(words: Sequence[Morpheme], at: int) -> tuple[str, int]:
    """The unit that stands here, or "", and what comes after it."""
    if at >= len(words) or words[at].pos[0] not in _COUNTERS or words[at].pos[1] == "数詞":
        return "", at
    unit = words[at].normal.casefold()
    if unit == "営業" and at + 1 < len(words) and words[at + 1].surface == "日":
        return "営業日", at + 2
    if at + 1 < len(words) and words[at + 1].surface == _OF_A_SCHOOL.get(unit):
        return f"{unit}{words[at + 1].surface}", at + 2
    if words[at].surface in ("ヶ", "か", "カ") and at + 1 < len(words):
        return "箇月" if words[at + 1].surface == "月" else words[at + 1].normal, at + 2
    return unit, at + 1


def _joined(parts: Sequence[Morpheme], unit: str) -> Iterator[Quantity]:
    """A range of two (10-20%), or one thing that is written with marks."""
    if unit and len(parts) == 3 and parts[1].surface == "-":
        yield from (Quantity(part.normal, unit) for part in (parts[0], parts[2]))
    else:
        yield Quantity("".join(part.surface for part in parts), "", written=True)


def _minutes(words: Sequence[Morpheme], at: int) -> str:
    """The minutes of 10時30分 and 10時半, or ""."""
    if at < len(words) and words[at].surface == "半":
        return "30"
    if at + 1 >= len(words) or words[at].pos[1] != "数詞" or words[at + 1].surface != "分":
        return ""
    digits = words[at].normal
    return digits if digits.isdecimal() else ""


def _with_more(
    words: Sequence[Morpheme], at: int, unit: str, digits: str
) -> tuple[Quantity, int] | None:
    """1時間半 and 2時間30分, and what comes after them; None where no more of a length follows."""
    if at >= len(words):
        return None
    if words[at].surface == "半" and units().get(unit, ("", 0))[0] in ("seconds", "months"):
        return Quantity(str(float(digits) + 0.5), unit), at
    if unit not in _SMALLER or not _NUMBER.fullmatch(words[at].normal):
        return None
    (of_one, names), (smaller, following) = _SMALLER[unit], _unit(words, at + 1)
    if smaller not in names:
        return None
    return Quantity(str(of_one * float(digits) + float(words[at].normal)), smaller), following


def _numbers_a_list(words: Sequence[Morpheme], at: int) -> bool:
    begins = at == 0 or "\n" in words[at - 1].surface
    return begins and at + 1 < len(words) and words[at + 1].surface in _LIST_MARKS
