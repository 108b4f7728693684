"""The amounts that an English text names."""

import re
from collections.abc import Iterator, Sequence

from simulator.text.quantities import Amounts, Placed, Quantity, amounts
from simulator.text.tokens import SMALL_NUMBERS, stem, stop_words

_TEENS = ["thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_ROUND = {word: n for n, word in enumerate(_TEENS, 13)} | {
    word: 10 * n for n, word in enumerate(_TENS, 2)
}
_COMPOUND = {
    f"{tens}{mark}{ones}": _ROUND[tens] + n
    for tens in _TENS
    for n, ones in enumerate([*SMALL_NUMBERS][:9], 1)
    for mark in "- "
}
_HUNDREDS = {f"{ones} hundred": 100 * n for n, ones in enumerate([*SMALL_NUMBERS][:9], 1)}
# The longer ones first: twenty-five is not twenty.
_WORDS = (
    {word: str(n) for word, n in (_COMPOUND | _HUNDREDS | _ROUND | {"hundred": 100}).items()}
    | SMALL_NUMBERS
    | {"half": "0.5"}
)
# All blank lines at once (possessive), or a run of them would be read again from each of its lines.
_LISTED = re.compile(r"^\s*+(?P<mark>\(?\d{1,2}[.)]\s+)?", re.MULTILINE)
_SIZE = re.compile(
    r"(?<![\w.])\d+(?:\.\d+)?(?:\s?[x×]\s?\d+(?:\.\d+)?)+(?P<unit>(?:\s?(?:mm|cm|m|in)\b)?)",
    re.IGNORECASE,
)
_OVER_A_HUNDRED = re.compile(
    rf"\b(?P<hundreds>{'|'.join([*SMALL_NUMBERS][:9])}|a) hundred(?: and)?"
    rf" (?P<rest>{'|'.join([*_COMPOUND, *_ROUND, *SMALL_NUMBERS])})\b",
    re.IGNORECASE,
)
# *Two pounds fifty*, where nothing that is counted comes behind it.
_AND_CENTS = re.compile(
    rf"\b(?P<whole>\d+|{'|'.join(_WORDS)}) (?P<unit>pound|dollar|euro)s?"
    rf" (?P<rest>\d\d|{'|'.join([*_COMPOUND, *_ROUND])})\b"
    r"(?=\W*$|[,.;:!?)]|\s(?:for|per|an?|each|and|or|if|in|on|at|to|with|plus|more|less)\b)"
)
_HOUR = rf"(?P<hour>\d{{1,2}}|{'|'.join(SMALL_NUMBERS)})"
_CODES = {"eur": "€", "gbp": "£", "usd": "$", "jpy": "¥"}
_SIGN_BEHIND = re.compile(r"(?<=\d) ?([$€£¥])(?! ?\d)")
_NAMES = {"$": " dollars", "€": " euros", "£": " pounds", "¥": " yen"}
# What is said in words, and how it is written. A time of twelve hours may be either of two.
_WRITTEN: Sequence[tuple[re.Pattern[str], str]] = tuple(
    (re.compile(rf"\b(?:{said})\b"), written)
    for said, written in (
        (r"(?:an|one|1) hour and a half|(?:one|1) and a half hours", "90 minutes"),
        (r"three[- ]quarters of an hour", "45 minutes"),
        (r"half an hour|half[- ]hour", "30 minutes"),
        (r"(?:a )?quarter of an hour", "15 minutes"),
        (r"(?:an|one|1) hour and three[- ]quarters", "105 minutes"),
        (r"(?:an|one|1) hour and a quarter", "75 minutes"),
        (r"half a year", "6 months"),
        (r"(?:a|one) year and a half|(?:one|1) and a half years", "18 months"),
        (r"(?:a|one) (?:full|whole) day", "24 hours"),
        (
            (
                r"(\d+|[a-z]+) (?:extra|more|additional|further|full|whole|consecutive)"
                r" ((?:second|minute|hour|day|week|month|year|people|person|guest)s?)"
            ),
            r"\1 \2",
        ),
        (r"(?:a|one) fortnight|fortnight", "2 weeks"),
        (r"half a dozen|a half[- ]dozen", "6"),
        (r"(?:a|one) dozen", "12"),
        (r"(?<=\w )per cent", "percent"),
        (r"(?:(?:12|twelve)(?: o'clock)?(?: at)? )?(?:noon|midday)", "12:00"),
        (r"(?:(?:12|twelve)(?: o'clock)?(?: at)? )?midnight", "0:00"),
        *((rf"{code} (?=\d)", sign) for code, sign in _CODES.items()),
        (r"(\d{1,2})\.(\d\d) ?([ap])\.?m", r"\1:\2 \3m"),
        (r"(\d{1,2}:\d\d) ?[-\u2013\u2014] ?(\d{1,2}:\d\d)(?![:\d-])", r"\1 to \2"),
    )
)
# Of *6.30 to 8.30 pm* both are after noon, of *9 to 5 pm* the second.
_ENDS_AT = re.compile(
    r"(?<![\w$€£¥.:,-])(?P<from>\d{1,2}(?:[.:]\d\d)?)"
    r"(?: ?[-\u2013\u2014] ?| (?:to|till|until|and) )"
    r"(?P<hour>\d{1,2})(?P<minutes>[.:]\d\d)? ?(?P<half>[ap])\.?m\b"
)
_IN_THE = (
    r"(?:,? (?:(?:in the|this|at) (?P<part>morning|afternoon|evening|night)|(?P<m>[ap])\.?m\b))"
)
_PAST = re.compile(
    rf"\b(?P<minutes>half|(?:a )?quarter) (?P<way>past|to) {_HOUR}\b(?! \w*minutes?){_IN_THE}?"
)
_OCLOCK = re.compile(
    rf"(?<![\w$€£¥.:]){_HOUR}(?::(?P<minutes>\d\d))?(?P<clock> ?o'clock)?{_IN_THE}?(?![\w:])"
)
_HOURS_AND = re.compile(
    rf"\b(\d{{1,2}}|an|{'|'.join(SMALL_NUMBERS)}) hours?,?(?: and)? (\d{{1,2}}) min(?:ute)?s?\b"
)
_AND_A_HALF = re.compile(
    rf"\b(?P<number>\d{{1,3}}|{'|'.join(SMALL_NUMBERS)})"
    r" (?:and a half (?P<unit>[a-z]+)|(?P<before>hour|day|week|month|year)s? and a half)\b"
)
# Hours of business, said without a.m.: from seven on they are before noon.
_TO_HOUR = r"(\d{1,2})(?![\d:%]| ?[ap]\.?m\b)"
_OPEN = re.compile(
    r"(?<=day)s?,?(?: from| between| \()? (\d{1,2})(?: ?[-\u2013] ?| (?:to|till|until|and) )"
    + _TO_HOUR
)
_TILL = re.compile(rf"(?<![\w:.,$€£¥-])(\d{{1,2}}) (?:till|until) {_TO_HOUR}")
_AT = re.compile(
    r"\bat (\d{1,2})(?=[,.;!?)]|$| (?:and|or|on|every|each|sharp)\b(?! (?:up|over|older|under)))"
)
_EARLIEST, _NOON = 7, 12
_UP_TO = re.compile(
    rf"(?P<from>\d{{1,2}}:\d\d,? (?:and|to|till|until)) {_HOUR}"
    r"(?=[,;!?)]|\.?$|\.\s| on\b| (?:mon|tues|wednes|thurs|fri|satur|sun)day)"
)
_NAMED_DAY = (
    r"(?:,? (?:on )?(?:(?:mon|tues|wednes|thurs|fri|satur|sun|week)day|every day|each day|daily))"
)
_BETWEEN = re.compile(
    rf"\b(?:between|from) (?P<from>\d{{1,2}}|{'|'.join(SMALL_NUMBERS)})"
    rf" (?:and|to|till|until) {_HOUR}(?={_NAMED_DAY})"
)
_RANGE = re.compile(r"\s*(?:to|or|and|-|\u2013|\u2014)\s*")
_TELEPHONE = re.compile(r"(?<![\w$€£¥.,-])0\d{1,4}(?: \d{2,4}){1,2}(?! ?\d)\b")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_QUANTITY = re.compile(
    rf"(?<![\w.])(?P<sign>[$€£¥])?\s?"
    rf"(?:(?P<marked>\d+(?:[-:/.]\d+){{2,}}|\d{{1,2}}:\d\d)|(?P<digits>\d+(?:\.\d+)?)"
    rf"|(?P<word>{'|'.join(_WORDS)})\b)"
    r"(?:(?P<percent>\s?%)|[\s-]?(?P<meridiem>[ap]\.?m\b)"
    r"|[\s-]?(?P<unit>(?:business|working) days?\b|[a-z]+)(?!['’]))?"
)


def amounts_in(text: str) -> Amounts:
    """Those of an English text in NFKC: `14-day`, `two weeks`, `$5`, `1.5%`, `10:30`."""
    return amounts(placed.quantity for placed in _placed(in_figures(text)))


def placed_in(text: str) -> tuple[str, list[Placed]]:
    """An English text (NFKC) in figures, case folded, and its quantities with their places."""
    text = in_figures(text)
    return text, list(_placed(text))


def hundreds_in_figures(text: str) -> str:
    """The text with *one hundred and ninety-five* as 195, and 60 × 40 cm as one word, sorted."""
    return _SIZE.sub(_one_size, _OVER_A_HUNDRED.sub(_over_a_hundred, text))


def _one_size(match: re.Match[str]) -> str:
    sides = sorted(re.findall(r"\d+(?:\.\d+)?", match[0]), key=float)
    return f"size{'x'.join(sides)}{match['unit'].strip().casefold()}"


def _over_a_hundred(match: re.Match[str]) -> str:
    hundreds, rest = match["hundreds"].casefold(), match["rest"].casefold()
    return str(100 * int(SMALL_NUMBERS.get(hundreds, "1")) + int(_WORDS[rest]))


def in_figures(text: str) -> str:
    """The text, case folded, with times and lengths in figures, without numbers of lists."""
    text = hundreds_in_figures(text)
    text = _LISTED.sub(lambda line: "" if line["mark"] else line[0], text.casefold())
    text = _TELEPHONE.sub(lambda match: match[0].replace(" ", "-"), _THOUSANDS.sub("", text))
    return _written(_SIGN_BEHIND.sub(lambda sign: _NAMES[sign[1]], text))


def _placed(text: str) -> Iterator[Placed]:
    numbers = list(_QUANTITY.finditer(text))
    for at, number in enumerate(numbers):
        quantity = _quantity(number)
        if at + 1 < len(numbers) and (quantity is None or not (quantity.unit or quantity.written)):
            quantity = _of_range(text, number, numbers[at + 1]) or quantity
        if quantity:
            yield Placed(quantity, number.start(), number.end())


def _quantity(match: re.Match[str]) -> Quantity | None:
    digits = _digits(match)
    if match["meridiem"]:
        hour = _on_the_clock(match["marked"] or digits, match["meridiem"])
        return Quantity(hour, "", written=True)
    if match["marked"]:
        return Quantity(match["marked"], "", written=True)
    if unit := match["sign"] or (match["percent"] and "%") or _noun(match["unit"] or ""):
        return Quantity(digits, unit)
    counts = match["digits"] or float(digits) > 1  # `one` alone counts nothing
    return Quantity(digits, "") if counts else None


def _of_range(text: str, number: re.Match[str], following: re.Match[str]) -> Quantity | None:
    """The first of *two to three weeks*, in weeks."""
    end = number.end("digits") if number["digits"] else number.end("word")
    if end < 0 or following["sign"] or not _RANGE.fullmatch(text, end, following.start()):
        return None
    last = _quantity(following)
    return Quantity(_digits(number), last.unit) if last and last.unit else None


def _digits(match: re.Match[str]) -> str:
    return match["digits"] or _WORDS.get(match["word"] or "", "")


def _written(text: str) -> str:
    """The text (case folded) with times of the day and lengths in figures: *half past six*."""
    text = _ENDS_AT.sub(_both_ends, text.replace("\u2019", "'"))
    for pattern, written in _WRITTEN:
        text = pattern.sub(written, text)
    text = _AND_CENTS.sub(_and_cents, text)
    text = _AND_A_HALF.sub(_half_more, _HOURS_AND.sub(_minutes, text))
    for hours in (_OPEN, _TILL, _AT):
        text = hours.sub(_of_business, text)
    text = _PAST.sub(_past, _BETWEEN.sub(_of_hours, text))
    return _OCLOCK.sub(_time, _UP_TO.sub(_end_of_hours, text))


def _and_cents(match: re.Match[str]) -> str:
    whole, rest = (_WORDS.get(match[name], match[name]) for name in ("whole", "rest"))
    return f"{whole}.{rest} {match['unit']}s"


def _both_ends(match: re.Match[str]) -> str:
    first, last = (int(match[name].split(".")[0].split(":")[0]) % 12 for name in ("from", "hour"))
    half = match["half"] if first <= last else "a" if match["half"] == "p" else "p"
    whole = match["minutes"] or ""
    return f"{match['from']} {half}m to {match['hour']}{whole} {match['half']}m"


def _minutes(match: re.Match[str]) -> str:
    hours = "1" if match[1] == "an" else SMALL_NUMBERS.get(match[1], match[1])
    return f"{60 * int(hours) + int(match[2])} minutes"


def _half_more(match: re.Match[str]) -> str:
    number = SMALL_NUMBERS.get(match["number"], match["number"])
    return f"{number}.5 {match['unit'] or match['before']}"


def _of_business(match: re.Match[str]) -> str:
    """The hours of the day: *9 till 4* ends at 16."""
    times, before = [], _EARLIEST
    for hour in map(int, match.groups()):
        times.append(hour if hour >= before or hour > _NOON else hour + _NOON)
        before = times[-1]
    return " to ".join(f" {hour % 24}:00" for hour in times)


def _of_hours(match: re.Match[str]) -> str:
    """The same of *between nine and four, Monday to Friday*."""
    times = (SMALL_NUMBERS.get(match[name], match[name]) for name in ("from", "hour"))
    first, last = map(int, times)
    return f"{first % 24}:00 to {_later(first, last)}:00"


def _end_of_hours(match: re.Match[str]) -> str:
    """The 17:00 of *8:30 and five*."""
    hour = int(SMALL_NUMBERS.get(match["hour"], match["hour"]))
    return f"{match['from']} {_later(_EARLIEST, hour)}:00"


def _later(first: int, hour: int) -> int:
    return (hour if hour >= first or hour > _NOON else hour + _NOON) % 24


def _past(match: re.Match[str]) -> str:
    hour = int(SMALL_NUMBERS.get(match["hour"], match["hour"]))
    minutes = 30 if match["minutes"] == "half" else 15
    if match["way"] == "to":
        hour, minutes = (hour - 1) % 12, 60 - minutes
    return _clock_times(hour, minutes, _half_of_day(match))


def _time(match: re.Match[str]) -> str:
    part = _half_of_day(match)
    if not part and not match["clock"]:
        return match[0]
    hour = int(SMALL_NUMBERS.get(match["hour"], match["hour"]))
    return _clock_times(hour, int(match["minutes"] or 0), part)


def _half_of_day(match: re.Match[str]) -> str:
    part = {"morning": "a", "afternoon": "p", "evening": "p", "night": "p"}
    return match["m"] or part.get(match["part"] or "", "")


def _clock_times(hour: int, minutes: int, part: str) -> str:
    """One time where the half of the day is known, else both."""
    hours = [hour % 12 + 12 * (part == "p")] if part else sorted({hour % 12, hour % 12 + 12})
    return " ".join(f"{time}:{minutes:02}" for time in ([hour] if hour > 12 else hours))


def _on_the_clock(digits: str, meridiem: str) -> str:
    hour, _, minutes = digits.partition(":")
    return f"{int(float(hour)) % 12 + 12 * (meridiem[0] == 'p')}:{minutes or '00'}"


def _noun(word: str) -> str:
    if word.endswith(("day", "days")) and " " in word:
        return word.removesuffix("s")
    return "" if word in stop_words() else stem(word)
