"""Formulas, as far as mogi's worksheets use them.

Knows numbers, texts, TRUE and FALSE, references to cells and areas (of other worksheets too),
comparisons, + - * / & and IF, IFERROR, AND, OR, NOT, ISNUMBER, ISBLANK, SUM, MIN, MAX, AVERAGE,
COUNT, ROUND, ABS, LEN. Anything else comes to `#NAME?`.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.sheets_server.a1 import number
from tests.sheets_server.state import Book, Sheet

Value = str | float | bool | None
_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)"
    r'|(?P<text>"(?:[^"]|"")*")'
    r"|(?P<ref>(?:'(?:[^']|'')+'!|[A-Za-z_]\w*!)?\$?[A-Za-z]{1,3}\$?\d+(?::\$?[A-Za-z]{1,3}\$?\d+)?(?![\w(]))"
    r"|(?P<name>[A-Za-z_][\w.]*)"
    r"|(?P<sign><=|>=|<>|[-+*/&=<>(),]))"
)
_REF = re.compile(r"\$?([A-Za-z]{1,3})\$?(\d+)")


class FormulaError(Exception):
    """What a cell shows instead of a value."""


@dataclass
class Evaluator:
    """The values of a spreadsheet's cells."""

    book: Book
    known: dict[tuple[int, int, int], Value | FormulaError] = field(default_factory=dict)

    def value(self, sheet: Sheet, row: int, column: int) -> Value | FormulaError:
        """What a cell comes to."""
        entered = sheet.cells.get((row, column), {}).get("userEnteredValue")
        if not entered:
            return None
        if "formulaValue" not in entered:
            found: Value = next(iter(entered.values()))
            return found
        at = (sheet.id, row, column)
        if at not in self.known:
            self.known[at] = FormulaError("#REF!")  # a circle
            try:
                self.known[at] = _Parser(self, sheet, entered["formulaValue"]).result()
            except FormulaError as error:
                self.known[at] = error
        return self.known[at]


class _Parser:
    def __init__(self, evaluator: Evaluator, sheet: Sheet, formula: str) -> None:
        self._evaluator = evaluator
        self._sheet = sheet
        self._tokens: list[tuple[str, str]] = []
        position = 1
        while position < len(formula.rstrip()):
            found = _TOKEN.match(formula, position)
            if found is None:
                raise FormulaError("#ERROR!")
            self._tokens.append((str(found.lastgroup), found[str(found.lastgroup)]))
            position = found.end()
        self._at = 0

    def result(self) -> Value:
        value = self._comparison()
        if self._at < len(self._tokens):
            raise FormulaError("#ERROR!")
        found: Value = _one(value)
        return found

    def _peek(self) -> str:
        return self._tokens[self._at][1] if self._at < len(self._tokens) else ""

    def _take(self, *signs: str) -> str:
        if self._peek() in signs:
            self._at += 1
            return self._tokens[self._at - 1][1]
        return ""

    def _comparison(self) -> Any:
        left = self._joined()
        while sign := self._take("=", "<>", "<", ">", "<=", ">="):
            left = _compared(sign, _one(left), _one(self._joined()))
        return left

    def _joined(self) -> Any:
        left = self._sum()
        while self._take("&"):
            left = shown(_one(left)) + shown(_one(self._sum()))
        return left

    def _sum(self) -> Any:
        left = self._product()
        while sign := self._take("+", "-"):
            right = _number(self._product())
            left = _number(left) + (right if sign == "+" else -right)
        return left

    def _product(self) -> Any:
        left = self._signed()
        while sign := self._take("*", "/"):
            right = _number(self._signed())
            if sign == "/" and right == 0:
                raise FormulaError("#DIV/0!")
            left = _number(left) * right if sign == "*" else _number(left) / right
        return left

    def _signed(self) -> Any:
        if self._take("-"):
            return -_number(self._signed())
        self._take("+")
        return self._atom()

    def _atom(self) -> Any:
        if self._at >= len(self._tokens):
            raise FormulaError("#ERROR!")
        kind, text = self._tokens[self._at]
        self._at += 1
        if kind == "number":
            return float(text)
        if kind == "text":
            return text[1:-1].replace('""', '"')
        if kind == "ref":
            return self._reference(text)
        if kind == "name":
            return self._call(text.upper())
        if text == "(":
            value = self._comparison()
            self._take(")")
            return value
        raise FormulaError("#ERROR!")

    def _reference(self, text: str) -> Any:
        title, _, cells = text.rpartition("!")
        sheet: Sheet | None = self._sheet
        if title:
            bare = title[1:-1].replace("''", "'") if title[0] == "'" else title
            sheet = self._evaluator.book.titled(bare)
        if sheet is None:
            raise FormulaError("#REF!")
        places = [(int(row) - 1, number(column)) for column, row in _REF.findall(cells)]
        (row, column), (last_row, last_column) = places[0], places[-1]
        found = [
            self._evaluator.value(sheet, r, c)
            for r in range(row, last_row + 1)
            for c in range(column, last_column + 1)
        ]
        return found if len(places) > 1 else found[0]

    def _call(self, name: str) -> Any:
        if name in {"TRUE", "FALSE"} and self._peek() != "(":
            return name == "TRUE"
        if not self._take("("):
            raise FormulaError("#NAME?")
        arguments: list[Any] = []
        while not self._take(")"):
            try:
                arguments.append(self._comparison())
            except FormulaError as error:
                if error.args == ("#ERROR!",):
                    raise
                arguments.append(error)
            self._take(",")
        if name not in _FUNCTIONS:
            raise FormulaError("#NAME?")
        return _FUNCTIONS[name](arguments)


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


_FUNCTIONS: dict[str, Callable[[list[Any]], Any]] = {
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
    "ROUND": lambda a: round(_number(a[0]), int(_number(a[1])) if len(a) > 1 else 0),
    "ABS": lambda a: abs(_number(a[0])),
    "LEN": lambda a: float(len(shown(_one(a[0])))),
}


def _one(value: Any) -> Any:
    if isinstance(value, FormulaError):
        raise value
    return value[0] if isinstance(value, list) else value


def _truth(value: Any) -> bool:
    value = _one(value)
    if isinstance(value, str):
        raise FormulaError("#VALUE!")
    return bool(value)


def _number(value: Any) -> float:
    value = _one(value)
    if value is None or value == "":
        return 0.0
    try:
        return float(value)
    except ValueError:
        raise FormulaError("#VALUE!") from None


def _compared(sign: str, left: Value, right: Value) -> bool:
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
