"""The number format of a cell taken apart: `#,##0"円";[Red]-#,##0"円"` as sections of tokens.

The codes are those of ECMA-376 part 1, 18.8.31 (numFmts).
"""

import re
from typing import NamedTuple

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
