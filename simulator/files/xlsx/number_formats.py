"""Numbers as a worksheet shows them, since that is what its author meant: 85%, 1,480円, 007."""

from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_UP, Decimal
from operator import eq, ge, gt, le, lt, ne

from simulator.files.xlsx.date_formats import shown_date
from simulator.files.xlsx.format_tokens import Token, sections

Shown = Callable[[str], str]

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
    return _SIGNS.get(sign, _never)(number, _decimal(condition[len(sign) :]))


def _never(_: Decimal, __: Decimal) -> bool:
    return False


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
        before = _grouped(before)
    kept = len(after.rstrip("#?"))
    behind = behind[:kept] + behind[kept:].rstrip("0")
    return f"{before}.{behind}" if behind else before


def _grouped(digits: str) -> str:
    start = len(digits) % 3
    threes = [digits[at : at + 3] for at in range(start, len(digits), 3)]
    return ",".join(([digits[:start]] if start else []) + threes)
