"""Dates and times as a worksheet shows them: 2026/11/1, 11月1日, 令和8年11月1日, 9:30."""

from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta

from simulator.files.xlsx.format_tokens import Token

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
    for at, token in enumerate(tokens):
        if token.kind == "elapsed":
            shown += _elapsed(elapsed, token.text[1:-1].lower())
        elif token.kind == "date":
            shown += _part(moment, _meant(tokens, at), halves=halves)
        elif token.kind == "literal" or token.text == "/":
            shown += token.text
    return shown.strip()


def _first(serial: float, *, from_1904: bool) -> datetime:
    if from_1904:
        return datetime(1904, 1, 1)  # noqa: DTZ001 - worksheets know no time zones
    # Lotus 1-2-3 took 1900 for a leap year, and Excel kept that day.
    return datetime(1899, 12, 30 if serial >= 60 else 31)  # noqa: DTZ001


def _meant(tokens: Sequence[Token], at: int) -> str:
    """The token's letters; `m` beside hours or seconds is minutes: `n` here."""
    text = tokens[at].text.lower()
    if text not in ("m", "mm"):
        return text
    times = [
        (number, token.text.strip("[]").lower()[0])
        for number, token in enumerate(tokens)
        if token.kind in ("date", "elapsed") and token.text.upper() not in _HALVES
    ]
    place = [number for number, _ in times].index(at)
    before = times[place - 1][1] if place else ""
    behind = times[place + 1][1] if place + 1 < len(times) else ""
    return text.replace("m", "n") if before == "h" or behind == "s" else text


def _elapsed(elapsed: timedelta, letters: str) -> str:
    seconds = {"h": 3_600, "m": 60, "s": 1}[letters[0]]
    return str(int(elapsed.total_seconds()) // seconds).zfill(len(letters))


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
