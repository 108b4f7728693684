"""Numbers, dates and times as a worksheet shows them: 85%, 1,480円, 007, 令和8年11月1日."""

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from operator import eq, ge, gt, le, lt, ne
from typing import NamedTuple

Shown = Callable[[str], str]
_HALVES = ("AM/PM", "A/P")
_DAYS = "月火水木金土日"
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_ERAS = (
    (date(2019, 5, 1), "R", "令和"),
    (date(1989, 1, 8), "H", "平成"),
    (date(1926, 12, 25), "S", "昭和"),
    (date(1912, 7, 30), "T", "大正"),
    (date(1868, 1, 25), "M", "明治"),
)
_LAST = 2_958_466  # the day after 9999-12-31


class NoSuchDay(ValueError):
    """A number in a format of dates is none: the spreadsheet shows #### in its place."""


_TOKEN = re.compile(
    r'"(?P<quoted>[^"]*)"?|\\(?P<escaped>.)|(?P<end>;)|(?P<dropped>_.|\*.)'
    r"|\[\$(?P<currency>[^\]-]*)[^\]]*\]|(?P<elapsed>\[(?:h+|m+|s+)\])|\[(?P<bracket>[^\]]*)\]"
    r"|(?P<general>general)|(?P<odd>E[+-]|[/@])|(?P<date>AM/PM|A/P|y+|m+|d+|h+|s+|g+|e+|a+)"
    r"|(?P<number>[#0?][#0?,]*(?:\.[#0?]*,*)?|\.[#0?]+,*)|(?P<other>.)",
    re.IGNORECASE | re.DOTALL,
)
_LITERAL = frozenset(("quoted", "escaped", "currency", "other"))


class Token(NamedTuple):
    """A part of a format.

    `kind` is literal, date, elapsed, general, number, condition (`<=999`), or odd: a fraction,
    an exponent or a text.
    """

    kind: str
    text: str


def sections(code: str) -> list[list[Token]]:
    """The sections of a format: for all numbers, or for those above 0, under 0, and 0."""
    found: list[list[Token]] = [[]]
    for match in _TOKEN.finditer(code):
        kind = match.lastgroup or ""
        text = match[kind]
        if kind == "end":
            found.append([])
        elif kind in _LITERAL:
            found[-1].append(Token("literal", text))
        elif kind == "bracket":
            if text[:1] in "<>=":  # anything else is a colour or a language
                found[-1].append(Token("condition", text))
        elif kind != "dropped":
            found[-1].append(Token(kind, text))
    return found


# ECMA-376 part 1, 18.8.30 (numFmt). Excel writes every other format into the file; those of
# 27 to 36 and 50 to 58 are dates in East Asian files and used nowhere else.
_BUILT_IN = {
    1: "0",
    2: "0.00",
    3: "#,##0",
    4: "#,##0.00",
    9: "0%",
    10: "0.00%",
    **dict.fromkeys((5, 6, 37, 38, 41, 42), "#,##0"),
    **dict.fromkeys((7, 8, 39, 40, 43, 44), "#,##0.00"),
    **dict.fromkeys((14, 15, 16, 17, *range(27, 32), 34, 35, 36, *range(50, 59)), "yyyy-mm-dd"),
    **dict.fromkeys((18, 20, 32), "hh:mm"),
    **dict.fromkeys((19, 21, 33), "hh:mm:ss"),
    22: "yyyy-mm-dd hh:mm",
    45: "mm:ss",
    46: "[h]:mm:ss",
    47: "mm:ss",
}
_DIGITS = 15  # as many as a spreadsheet keeps


def number_format(number: int, code: str | None = None, *, from_1904: bool = False) -> Shown:
    """What shows the numbers of a format; `code` is the file's own, None the built-in one.

    Fractions and exponents are shown as `general` shows them.
    """
    parts = sections(_BUILT_IN.get(number, "General") if code is None else code)
    first = parts[0]
    if any(token.kind == "odd" and token.text != "/" for token in first):
        return general
    if any(token.kind in ("date", "elapsed") for token in first):
        return lambda text: shown_date(float(text), first, from_1904=from_1904)
    if first == _GENERAL or not any(token.kind in _SHOWING for part in parts for token in part):
        return general
    return lambda text: _shown(_decimal(text), parts)


_GENERAL = [Token("general", "General")]
_SHOWING = ("number", "general", "literal")  # a format of none of these hides its number


def general(text: str) -> str:
    """A number with at most 15 digits and no `.0`.

    Raises:
        ValueError: it is none.
    """
    if text.isdecimal() and len(text) <= _DIGITS:
        return str(int(text))
    return _spelt(_decimal(text))


def _decimal(text: str) -> Decimal:
    number = Decimal(f"{float(text):.{_DIGITS}g}")
    if not number.is_finite():
        raise ValueError(text)
    return number


def _spelt(number: Decimal) -> str:
    plain = f"{number.normalize():f}"
    return "0" if plain == "-0" else plain


def _shown(number: Decimal, parts: Sequence[Sequence[Token]]) -> str:
    shown, part = _section(number, parts)
    if any(token.kind == "odd" for token in part):
        return _spelt(number)
    number = abs(number) * 100 ** sum(t.text == "%" for t in part if t.kind == "literal")
    digits = iter(_digits(number, [token.text for token in part if token.kind == "number"]))
    for token in part:
        if token.kind == "number":
            shown += next(digits)
        elif token.kind != "condition":
            shown += _spelt(number) if token.kind == "general" else token.text
    return shown.strip()


def _section(number: Decimal, parts: Sequence[Sequence[Token]]) -> tuple[str, Sequence[Token]]:
    """The section for a number, and the minus that it does not bring itself."""
    conditions = [next((t.text for t in part if t.kind == "condition"), "") for part in parts]
    minus = "-" if number < 0 else ""
    if any(conditions):
        fits = (p for p, c in zip(parts, conditions, strict=True) if _holds(number, c))
        return minus, next(fits, _GENERAL)
    if number < 0:
        return ("", parts[1]) if len(parts) > 1 else (minus, parts[0])
    return minus, parts[2] if number == 0 and len(parts) > 2 else parts[0]


def _holds(number: Decimal, condition: str) -> bool:
    if not condition:
        return True
    sign = condition.rstrip("0123456789.-")
    return sign in _SIGNS and _SIGNS[sign](number, _decimal(condition[len(sign) :]))


_SIGNS = {"<": lt, "<=": le, ">": gt, ">=": ge, "=": eq, "<>": ne}


def _digits(number: Decimal, codes: Sequence[str]) -> list[str]:
    """The digits for each part of a format that has some: `000-0000` has two."""
    if len(codes) < 2:
        return [_one(number, code) for code in codes]
    digits = f"{number.quantize(Decimal(1), ROUND_HALF_UP):f}".lstrip("0")
    found: list[str] = []
    for code in reversed(codes):
        end = len(digits) - sum(char in "0#?" for char in code)
        taken, digits = digits[max(0, end) :], digits[: max(0, end)]
        found.append(taken.zfill(code.count("0")))
    return [digits + found[-1], *reversed(found[:-1])]


def _one(number: Decimal, code: str) -> str:
    shorter = code.rstrip(",")
    whole, _, after = shorter.partition(".")
    number /= 1000 ** (len(code) - len(shorter))
    number = number.quantize(Decimal(1).scaleb(-len(after)), ROUND_HALF_UP)
    least = whole.replace(",", "")
    before, _, behind = f"{number:f}".partition(".")
    before = before.zfill(least.count("0")) if before != "0" or "0" in least else ""
    if "," in whole:
        before = re.sub(r"\B(?=(?:\d{3})+$)", ",", before)
    kept = len(after.rstrip("#?"))
    behind = behind[:kept] + behind[kept:].rstrip("0")
    return f"{before}.{behind}" if behind else before


def shown_date(serial: float, tokens: Sequence[Token], *, from_1904: bool = False) -> str:
    """A day's number, with the time of the day behind its point, in a format of dates.

    Raises:
        NoSuchDay: there is no such day.
    """
    if not 0 <= serial < _LAST:
        raise NoSuchDay(serial)
    elapsed = timedelta(seconds=round(serial * 86_400))
    try:
        moment = _first(serial, from_1904=from_1904) + elapsed
    except OverflowError as error:
        raise NoSuchDay(serial) from error
    halves = any(token.text.upper() in _HALVES for token in tokens)
    shown = ""
    meant = _meant(tokens)
    for token in tokens:
        if token.kind == "elapsed":
            letters = token.text[1:-1].lower()
            seconds = {"h": 3_600, "m": 60, "s": 1}[letters[0]]
            shown += str(int(elapsed.total_seconds()) // seconds).zfill(len(letters))
            next(meant)
        elif token.kind == "date":
            shown += _part(moment, next(meant), halves=halves)
        elif token.kind == "literal" or token.text == "/":
            shown += token.text
    return shown.strip()


def _first(serial: float, *, from_1904: bool) -> datetime:
    if from_1904:
        return datetime(1904, 1, 1)  # noqa: DTZ001 - worksheets know no time zones
    # Lotus 1-2-3 took 1900 for a leap year, and Excel kept that day.
    return datetime(1899, 12, 30 if serial >= 60 else 31)  # noqa: DTZ001


def _meant(tokens: Sequence[Token]) -> Iterator[str]:
    """The letters of each date or elapsed time; `m` of minutes, beside hours or seconds, is `n`."""
    parts = [token.text for token in tokens if token.kind in ("date", "elapsed")]
    times = ["" if text.upper() in _HALVES else text.strip("[]").lower()[0] for text in parts]
    nearest, following = "", []
    for time in reversed(times):
        following.append(nearest)
        nearest = time or nearest
    before = ""
    for text, time, behind in zip(parts, times, reversed(following), strict=True):
        letters = text.lower()
        is_minutes = letters in ("m", "mm") and (before == "h" or behind == "s")
        yield letters.replace("m", "n") if is_minutes else letters
        before = time or before


def _part(moment: datetime, letters: str, *, halves: bool) -> str:
    if letters.upper() in _HALVES:
        return ("AM", "PM")[moment.hour >= 12][: len(letters) // 2 if letters == "am/pm" else 1]
    if letters[0] == "h":
        hour = (moment.hour + 11) % 12 + 1 if halves else moment.hour
        return str(hour).zfill(min(len(letters), 2))
    return _PARTS[letters[0]](moment, len(letters))


def _era(moment: datetime, length: int) -> str:
    letter, name = next((e[1:] for e in _ERAS if moment.date() >= e[0]), ("", ""))
    return (letter, name[:1], name)[min(length, 3) - 1]


def _year_of_era(moment: datetime, length: int) -> str:
    first = next((e[0].year for e in _ERAS if moment.date() >= e[0]), 1)
    return str(moment.year - first + 1).zfill(min(length, 2))


def _month(moment: datetime, length: int) -> str:
    name = _MONTHS[moment.month - 1]
    shorter = {3: name[:3], 5: name[0]}
    return shorter.get(length, name) if length > 2 else str(moment.month).zfill(length)


def _day(moment: datetime, length: int) -> str:
    name = _WEEKDAYS[moment.weekday()]
    return (name[:3] if length == 3 else name) if length > 2 else str(moment.day).zfill(length)


def _weekday(moment: datetime, length: int) -> str:
    return _DAYS[moment.weekday()] + ("曜日" if length > 3 else "")


_PARTS: dict[str, Callable[[datetime, int], str]] = {
    "y": lambda moment, length: f"{moment.year:04}"[0 if length > 2 else 2 :],
    "m": _month,
    "n": lambda moment, length: str(moment.minute).zfill(length),
    "d": _day,
    "s": lambda moment, length: str(moment.second).zfill(min(length, 2)),
    "g": _era,
    "e": _year_of_era,
    "a": _weekday,
}
