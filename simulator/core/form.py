"""The normal form of a text: what is left when writing habits are taken away."""

import re
import unicodedata
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from simulator.core.clean import clean

if TYPE_CHECKING:
    from simulator.core.run import Episode  # which holds readings of claims: these need forms

_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_DASHES = re.compile("[\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u30fc\u301c~\uff5e]")
_BETWEEN_DIGITS = re.compile(rf"(?<=\d){_DASHES.pattern}(?=\d)")
_IN_A_NUMBER = re.compile(rf"(?<=\d)([.:/\-{_DASHES.pattern[1:-1]}])(?=\d)")
_LONGEST_KEPT = 2_000  # characters of a text whose normal form is kept: most are asked for again
_KEPT = frozenset("%&#@+")


def folded(text: str) -> str:
    """NFKC, case folded, with straight apostrophes: as the patterns of the data files want it."""
    return unicodedata.normalize("NFKC", clean(text)).casefold().replace("’", "'")


def normal_form(text: str) -> str:
    """NFKC, case folded, with white space and punctuation squeezed; idempotent.

    Between words that are written apart one space stays, elsewhere nothing: `登録 画面「設定」` is
    `登録画面設定`, `E-mail  address.` is `e mail address`, `5 GB` is `5gb`. Inside numbers marks
    stay, since 1.5 is not 15; only the commas of thousands go (`1,480円` is `1480円`).
    """
    return _remembered(text) if len(text) <= _LONGEST_KEPT else _made(text)


def _made(text: str) -> str:
    text = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", clean(text)).casefold())
    pieces = _IN_A_NUMBER.split(_THOUSANDS.sub("", text))
    pieces[::2] = map(_squeezed, pieces[::2])  # between them stand the marks
    pieces[1::2] = (_DASHES.sub("-", mark) for mark in pieces[1::2])
    form = unicodedata.normalize("NFKC", "".join(pieces))  # marks may have come together
    return normal_form(form) if _BETWEEN_DIGITS.search(form) else form  # 0~-0: digits, too


def _squeezed(text: str) -> str:
    """The text without white space and punctuation, and a space between words written apart."""
    words = text.translate(_BLANKED).split()
    pieces = words[:1]
    for before, after in pairwise(words):
        if _apart(before[-1], after[0]):
            pieces.append(" ")
        pieces.append(after)
    return "".join(pieces)


class _Blanked(dict[int, str]):
    """For `str.translate`: white space and punctuation become a space, all else stays."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        is_blank = char not in _KEPT and unicodedata.category(char)[0] in "ZPC"
        self[code] = " " if is_blank else char
        return self[code]


_BLANKED = _Blanked()
_remembered = lru_cache(maxsize=2_048)(_made)


@lru_cache(maxsize=8192)
def _apart(before: str, after: str) -> bool:
    if before.isdecimal():
        return after.isdecimal()
    return _is_lettered(before) and (_is_lettered(after) or after.isdecimal())


def _is_lettered(char: str) -> bool:
    """Whether words of this letter's script are set apart by spaces."""
    return char.isalpha() and unicodedata.name(char, "").startswith(("LATIN", "GREEK", "CYRILLIC"))


def spoken(episode: "Episode", turn: int) -> tuple[str, ...]:
    """What makes two answers of a client equal: its scenario, question and answer.

    From turn 2 on the bot's previous answer, too; texts in normal form. `turn` counts from 1.
    """
    exchange = episode.turns[turn - 1].exchange
    before = [normal_form(episode.turns[turn - 2].exchange.assistant)] if turn > 1 else []
    said = (normal_form(text) or text.strip() for text in (exchange.user, exchange.assistant))
    return (episode.cell.scenario, *said, *before)
