"""The amounts that a Japanese text names."""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

from simulator.text.ja.sudachi import Morpheme, read_near
from simulator.text.quantities import Amounts, Quantity, amounts, by_kind, conflicting, units

_CURRENCY = frozenset("¥$€£")
_SURE = frozenset(("seconds", "months", "%", "bytes", "人", "個"))  # kinds that need no mark
_DIGITS = frozenset("0123456789")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_JOINS = frozenset("-:/.")
_LIST_MARKS = frozenset((".", ")", "、", "．"))
_COUNTERS = ("名詞", "接尾辞")


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
    return conflicting(by_kind(map(_rough, here)), by_kind(map(_rough, there)))


_Counted = tuple[bool, str, str]  # after 午後, the number, what stands behind it


def _counted(words: Sequence[str]) -> set[_Counted]:
    # A string under ":" may begin with a digit: most words are told apart by that.
    places = [at for at, word in enumerate(words) if word < ":" and word[0] in _DIGITS]
    if not places:
        return set()
    around = (*words, "", "")  # behind the last word, and before the first one
    return {(around[at - 1] == "午後", words[at], around[at + 1]) for at in places}


@lru_cache(maxsize=4096)
def _rough(counted: _Counted) -> tuple[str, float | str]:
    late, word, unit = counted
    kind, factor = units().get(unit, ("", 1.0))
    # Marks are no words: ¥500 and 10:30 have no unit here, while 500円 and 10時 have one.
    if kind in _SURE and _NUMBER.fullmatch(word):
        return kind, round(float(word) * factor, 6)
    return "", f"{late}{word}"


def _japanese(found: Sequence[Morpheme]) -> Iterator[Quantity]:
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
            yield Quantity(f"{_hour(found, at)}:{minutes:0>2}", "", written=True)
            following += 1 if found[following].surface == "半" else 2
        elif unit or not _numbers_a_list(found, at):
            yield _plain(found, at, unit)
        at = max(following, at + 1)


def _plain(found: Sequence[Morpheme], at: int, unit: str) -> Quantity:
    digits, before = found[at].normal, found[at - 1].surface if at else ""
    if not unit and before in _CURRENCY:
        return Quantity(digits, before)
    if not unit and len(digits) >= 9 and digits.startswith("0"):
        return Quantity(digits, "", written=True)
    if unit == "時":
        return Quantity(_hour(found, at), unit)
    # A day of a month is no length of time.
    of_month = unit == "日" and at >= 2 and found[at - 1].surface == "月"
    return Quantity(digits, "日付" if of_month else unit)


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


def _joined(parts: Sequence[Morpheme], unit: str) -> Iterator[Quantity]:
    """A range of two (10-20%), or one thing that is written with marks."""
    if unit and len(parts) == 3 and parts[1].surface == "-":
        yield from (Quantity(part.normal, unit) for part in (parts[0], parts[2]))
    else:
        yield Quantity("".join(part.surface for part in parts), "", written=True)


def _minutes(found: Sequence[Morpheme], at: int) -> str:
    """The minutes of 10時30分 and 10時半, or ""."""
    if at < len(found) and found[at].surface == "半":
        return "30"
    if at + 1 >= len(found) or found[at].pos[1] != "数詞" or found[at + 1].surface != "分":
        return ""
    digits = found[at].normal
    return digits if digits.isdecimal() else ""


def _numbers_a_list(found: Sequence[Morpheme], at: int) -> bool:
    begins = at == 0 or "\n" in found[at - 1].surface
    return begins and at + 1 < len(found) and found[at + 1].surface in _LIST_MARKS
