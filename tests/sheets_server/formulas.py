"""Formulas: numbers, texts, truth values, references (to other worksheets too), operators, calls.

What they may call stands in `functions`; anything else comes to `#NAME?`.
"""

import re
from dataclasses import dataclass, field
from typing import Any

from .a1 import number
from .functions import FUNCTIONS, FormulaError, Value, compared, number_of, one, shown
from .state import Book, Sheet

_TOKEN = re.compile(
    r"\s*(?:(?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)"
    r'|(?P<text>"(?:[^"]|"")*")'
    r"|(?P<ref>(?:'(?:[^']|'')+'!|[A-Za-z_]\w*!)?\$?[A-Za-z]{1,3}\$?\d+(?::\$?[A-Za-z]{1,3}\$?\d+)?(?![\w(]))"
    r"|(?P<name>[A-Za-z_][\w.]*)"
    r"|(?P<sign><=|>=|<>|[-+*/&=<>(),]))"
)
_REF = re.compile(r"\$?([A-Za-z]{1,3})\$?(\d+)")


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
        found: Value = one(value)
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
            left = compared(sign, one(left), one(self._joined()))
        return left

    def _joined(self) -> Any:
        left = self._sum()
        while self._take("&"):
            left = shown(one(left)) + shown(one(self._sum()))
        return left

    def _sum(self) -> Any:
        left = self._product()
        while sign := self._take("+", "-"):
            right = number_of(self._product())
            left = number_of(left) + (right if sign == "+" else -right)
        return left

    def _product(self) -> Any:
        left = self._signed()
        while sign := self._take("*", "/"):
            right = number_of(self._signed())
            if sign == "/" and right == 0:
                raise FormulaError("#DIV/0!")
            left = number_of(left) * right if sign == "*" else number_of(left) / right
        return left

    def _signed(self) -> Any:
        if self._take("-"):
            return -number_of(self._signed())
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
        if name not in FUNCTIONS:
            raise FormulaError("#NAME?")
        return FUNCTIONS[name](arguments)
