"""The amounts that a text names: numbers with their units, made comparable."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from math import isclose

from simulator.text.phrases import phrases

Amounts = Mapping[str, frozenset[float | str]]
"""By kind (seconds, months, yen, %, or the unit itself): the amounts of it, in base units."""

FEW_THINGS = 5
"""Up to so many are counted in passing: two ways, three steps."""
_CALENDAR_YEAR, _OLDEST = 1_000, 100
_DAY, _HALF_DAY = 24, 12  # hours
_DAYS = {"seconds": 1 / 86_400, "months": 30.4}
_THINGS = "個"
_DATE, _A_DAY = "日付", 86_400.0
_CLOCK = re.compile(r"(\d{1,2}):(\d\d)")


@cache
def units() -> Mapping[str, tuple[str, float]]:
    """Each unit with its kind and the factor to the base unit of that kind."""
    files = [phrases(f"text/{language}/quantities").entries for language in ("ja", "en")]
    return {
        unit: (kind, float(factor))
        for kinds in files
        for kind, factors in kinds.items()
        for factor, names in factors.items()
        for unit in names
    }


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number as it stands in a text; `written` where it is no amount (10:30, 03-1234-5678)."""

    digits: str
    unit: str
    written: bool = False


@dataclass(frozen=True, slots=True)
class Placed:
    """A quantity and where it is: characters of a text (en), or morphemes of a list (ja)."""

    quantity: Quantity
    start: int
    end: int


def amounts(numbers: Iterable[Quantity]) -> Amounts:
    """Numbers by kind, each in the base unit of its kind: 2時間 is 7,200 seconds."""
    return by_kind(map(measured, numbers))


def by_kind(pairs: Iterable[tuple[str, float | str]]) -> Amounts:
    """Pairs of kind and amount, put together by kind."""
    kinds: dict[str, set[float | str]] = {}
    for kind, amount in pairs:
        kinds.setdefault(kind, set()).add(amount)
    return {kind: frozenset(some) for kind, some in kinds.items()}


def conflicting(these: Amounts, other: Amounts) -> bool:
    """True if two texts name different amounts of one kind.

    That is: for some kind, each of them names an amount that the other does not. An amount that
    one of them only leaves out, or adds, is no conflict.
    """
    both = these.keys() & other.keys()
    return any(these[kind] - other[kind] and other[kind] - these[kind] for kind in both)


def may_stand(kind: str, amount: float | str, others: Amounts) -> bool:
    """True if an amount may be there in another unit, in either half of the day, or unmeasured.

    So may 3 months in 90 days, 3 days in 3 business days and 50% in half the price; what is no
    number, costs nothing, or counts a few things (*two ways*) may be said in any words.
    """
    if (
        isinstance(amount, str)
        or not amount
        or (kind not in _measured_kinds() - {_THINGS} and amount <= FEW_THINGS)
    ):
        return True
    others = with_ages(others)
    values = [each for each in of_its_kind(kind, others) if not isinstance(each, str)]
    if kind == "clock":
        return any(each % _HALF_DAY == amount % _HALF_DAY for each in values)
    lasts = {**_DAYS, "business days": 1.0, "日付": 1.0}
    days = [
        each * lasts[k]
        for k in lasts.keys() & others
        for each in others[k]
        if not isinstance(each, str)
    ]
    is_as_long = kind in lasts and any(isclose(amount * lasts[kind], d, rel_tol=0.1) for d in days)
    is_share = kind == "%" and any(amount / 100 in some for some in others.values())
    return amount in values or is_as_long or is_share


def of_its_kind(kind: str, among: Amounts) -> frozenset[float | str]:
    """The amounts there that may be one of a kind: 3 people are no 3 euros, 3 days no 3 o'clock.

    What no unit measures (*4 beds*) may be anything that none measures; a bare number may be all.
    """
    kinds = {k for k in among if not kind or k in (kind, "")}
    if kind not in _measured_kinds():
        kinds |= among.keys() - _measured_kinds()
    return frozenset[float | str]().union(*(among[k] for k in kinds))


@cache
def _measured_kinds() -> frozenset[str]:
    return frozenset(kind for kind, _ in units().values())


def measured(number: Quantity) -> tuple[str, float | str]:
    """The kind of a number and its amount in the base unit of that kind."""
    if number.written:
        return _written(number.digits)
    value = float(number.digits)
    if number.unit in ("年", "year") and value >= _CALENDAR_YEAR:
        return "calendar year", value
    kind, factor = units().get(number.unit, (number.unit, 1.0))
    return kind, (value % _DAY if kind == "clock" else round(value * factor, 6))


def _written(text: str) -> tuple[str, float | str]:
    """A clock's time in hours, a telephone number by its digits, anything else as it stands."""
    if clock := _CLOCK.fullmatch(text):
        return "clock", (int(clock[1]) + int(clock[2]) / 60) % _DAY
    digits = text.replace("-", "")
    if digits.isdecimal() and digits.startswith("0") and len(digits) >= 9:
        return "telephone", digits
    return "written", text


def amounts_there(wanted: Amounts, others: Amounts) -> bool:
    """True if each amount is there; *one* without a unit that measures counts nothing: 一つ."""
    others = _with_dates(with_ages(others))
    return all(
        some <= others.get(kind, frozenset())
        if kind in _measured_kinds() | {_DATE}
        else some <= of_its_kind(kind, others) | {1.0}
        for kind, some in wanted.items()
    )


def _with_dates(amounts: Amounts) -> Amounts:
    """The amounts with what may be a day of the month as such, and as a length: 15日."""
    days = {s / _A_DAY for s in amounts.get("seconds", ()) if not isinstance(s, str)}
    dates = {d * _A_DAY for d in amounts.get(_DATE, ()) if not isinstance(d, str)}
    more = {_DATE: days, "seconds": dates}
    return {**amounts, **{k: amounts.get(k, frozenset()) | v for k, v in more.items() if v}}


def with_ages(amounts: Amounts) -> Amounts:
    """The amounts with what may be an age as years, and as a number: *aged 18*, *18 years*."""
    bare = {n for n in amounts.get("", ()) if not isinstance(n, str) and FEW_THINGS <= n <= _OLDEST}
    years = {m / 12 for m in amounts.get("months", ()) if not isinstance(m, str) and m % 12 == 0}
    if not (bare or years):
        return amounts
    more = {"months": {12 * n for n in bare}, "": years}
    return {**amounts, **{k: amounts.get(k, frozenset()) | v for k, v in more.items() if v}}


def each_of(amounts: Amounts) -> Iterator[tuple[str, float | str]]:
    """The amounts one by one, each with its kind."""
    return ((kind, amount) for kind, some in amounts.items() for amount in some)


def all_of(places: Iterable[Amounts]) -> Amounts:
    """The amounts of several places together."""
    return by_kind(pair for amounts in places for pair in each_of(amounts))
