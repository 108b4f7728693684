"""What formulas compute with: values, comparisons, functions."""

from collections.abc import Callable
from typing import Any

Value = str | float | bool | None


class FormulaError(Exception):
    """What a cell shows instead of a value."""


def _if(arguments: list[Any]) -> Any:
    test, *rest = arguments
    return rest[0] if _truth(test) else rest[1] if len(rest) > 1 else False


def _numbers(arguments: list[Any]) -> list[float]:
    flat = [v for a in arguments for v in (a if isinstance(a, list) else [a])]
    return [float(v) for v in flat if isinstance(v, int | float) and not isinstance(v, bool)]


def _mean(arguments: list[Any]) -> float:
    found = _numbers(arguments)
    if not found:
        raise FormulaError("#DIV/0!")
    return sum(found) / len(found)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


FUNCTIONS: dict[str, Callable[[list[Any]], Any]] = {
    "IF": _if,
    "IFERROR": lambda a: (a[1] if len(a) > 1 else "") if isinstance(a[0], FormulaError) else a[0],
    "AND": lambda a: all(_truth(v) for v in a),
    "OR": lambda a: any(_truth(v) for v in a),
    "NOT": lambda a: not _truth(a[0]),
    "ISNUMBER": lambda a: _is_number(a[0]),
    "ISBLANK": lambda a: a[0] is None,
    "SUM": lambda a: sum(_numbers(a)),
    "MIN": lambda a: min(_numbers(a), default=0.0),
    "MAX": lambda a: max(_numbers(a), default=0.0),
    "AVERAGE": _mean,
    "COUNT": lambda a: float(len(_numbers(a))),
    "ROUND": lambda a: round(number_of(a[0]), int(number_of(a[1])) if len(a) > 1 else 0),
    "ABS": lambda a: abs(number_of(a[0])),
    "LEN": lambda a: float(len(shown(one(a[0])))),
}


def one(value: Any) -> Any:
    if isinstance(value, FormulaError):
        raise value
    return value[0] if isinstance(value, list) else value


def _truth(value: Any) -> bool:
    value = one(value)
    if isinstance(value, str):
        raise FormulaError("#VALUE!")
    return bool(value)


def number_of(value: Any) -> float:
    value = one(value)
    if value is None or value == "":
        return 0.0
    try:
        return float(value)
    except ValueError:
        raise FormulaError("#VALUE!") from None


def compared(sign: str, left: Value, right: Value) -> bool:
    left, right = _alike(left, right), _alike(right, left)
    # Numbers come before texts, texts before truth values; texts in any case.
    a, b = _ranked(left), _ranked(right)
    return {
        "=": a == b,
        "<>": a != b,
        "<": a < b,
        ">": a > b,
        "<=": a <= b,
        ">=": a >= b,
    }[sign]


def _alike(value: Value, other: Value) -> Value:
    if value is None:
        return "" if isinstance(other, str) else False if isinstance(other, bool) else 0.0
    return value


def _ranked(value: Value) -> tuple[int, Any]:
    if isinstance(value, bool):
        return 2, value
    return (1, value.casefold()) if isinstance(value, str) else (0, value)


def shown(value: Value | FormulaError) -> str:
    """A value as a cell without a number format shows it."""
    if value is None:
        return ""
    if isinstance(value, FormulaError):
        return str(value)
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return value if isinstance(value, str) else f"{value:.10g}"
