"""The amounts that an English text names."""

import re
from collections.abc import Iterator

from simulator.text.en.words import SMALL_NUMBERS, stem, stop_words
from simulator.text.quantities import Amounts, Quantity, amounts

_TENS = {"fifteen": 15, "twenty": 20, "thirty": 30, "sixty": 60, "ninety": 90, "hundred": 100}
_WORDS = SMALL_NUMBERS | {word: str(n) for word, n in _TENS.items()} | {"half": "0.5"}
# All blank lines at once (possessive), or a run of them would be read again from each of its lines.
_LISTED = re.compile(r"^\s*+(?P<mark>\(?\d{1,2}[.)]\s+)?", re.MULTILINE)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_FOUND = re.compile(
    rf"(?<![\w.])(?P<sign>[$€£¥])?\s?"
    rf"(?:(?P<marked>\d+(?:[-:/.]\d+){{2,}}|\d{{1,2}}:\d\d)|(?P<digits>\d+(?:\.\d+)?)"
    rf"|(?P<word>{'|'.join(_WORDS)})\b)"
    r"(?:(?P<percent>\s?%)|[\s-]?(?P<meridiem>[ap]\.?m\b)"
    r"|[\s-]?(?P<unit>(?:business|working) days?\b|[a-z]+)(?!['’]))?"
)


def amounts_in(text: str) -> Amounts:
    """Those of an English text in NFKC: `14-day`, `two weeks`, `$5`, `1.5%`, `10:30`."""
    return amounts(_numbers(text))


def _numbers(text: str) -> Iterator[Quantity]:
    text = _LISTED.sub(lambda line: "" if line["mark"] else line[0], text.casefold())
    text = _THOUSANDS.sub("", text)
    for found in _FOUND.finditer(text):
        digits = found["digits"] or _WORDS.get(found["word"] or "", "")
        if found["meridiem"]:
            hour = _on_the_clock(found["marked"] or digits, found["meridiem"])
            yield Quantity(hour, "", written=True)
        elif found["marked"]:
            yield Quantity(found["marked"], "", written=True)
        elif unit := found["sign"] or (found["percent"] and "%") or _noun(found["unit"] or ""):
            yield Quantity(digits, unit)
        elif found["digits"]:  # `one` alone counts nothing
            yield Quantity(digits, "")


def _on_the_clock(digits: str, meridiem: str) -> str:
    hour, _, minutes = digits.partition(":")
    return f"{int(float(hour)) % 12 + 12 * (meridiem[0] == 'p')}:{minutes or '00'}"


def _noun(word: str) -> str:
    if word.endswith(("day", "days")) and " " in word:
        return word.removesuffix("s")
    return "" if word in stop_words() else stem(word)
