"""Sanitising text once, at the edge (it can be stored, sent on and shown), and its normal form."""

import html
import re
import unicodedata
from functools import cache, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.core.run import Episode  # which holds readings of claims: these need forms


_SURROGATES = re.compile("[\ud800-\udfff]")
# C0 controls but tab and newline, DEL, C1 controls: NUL breaks stores, ESC takes over terminals.
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_UNCLEAN = re.compile(f"{_SURROGATES.pattern}|{_CONTROLS.pattern}")  # carriage returns too
# Marks that turn the reading direction or that nobody sees: kept in the store, not on screen.
_INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")


_VARIANTS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_KANJI = "\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_LETTERS = f"A-Za-z\u00c0-\u024f\u3041-\u30ff{_KANJI}"
_NO_WIDTH = "\u200b-\u200f\u2060-\u2065\ufeff"
# What no person sees and a model reads: tags, marks that turn the direction, fillers, variants of
# nothing, rows of zero-width characters. One variant of a character, and flags such as Scotland's,
# are what they are there for. Between two letters of ours a joiner joins nothing, and nobody writes
# two characters of no width; one space of no width is where a line may break, but not after each
# letter.
_HIDDEN = (
    "(?P<flag>\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f)"
    "|[\U000e0000-\U000e007f\u061c\u115f\u1160\u180e\u202a-\u202e\u2066-\u206f\u3164\uffa0"
    "\ufff9-\ufffb\U0001d173-\U0001d17a]+"
    f"|(?:\\A|(?<=[{_VARIANTS}\\s]))[{_VARIANTS}]+"
    f"|(?<![{_KANJI}])[\U000e0100-\U000e01ef]+"
    f"|[\xad\u034f\u180b-\u180d{_NO_WIDTH}]{{4,}}"
    f"|(?<=[{_LETTERS}])(?:[\u200c-\u200f\u2060-\u2065\ufeff]|[{_NO_WIDTH}]{{2,3}})(?=[{_LETTERS}])"
    f"|(?<=[{_LETTERS}])\u200b(?=[{_LETTERS}]\u200b[{_LETTERS}])"
    f"|(?<=[{_LETTERS}]\u200b[{_LETTERS}])\u200b(?=[{_LETTERS}])"
)
_MAY_HIDE = re.compile(
    f"[\xad\u034f\u061c\u115f\u1160\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\uffa0"
    f"\ufeff\ufff9-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e007f{_VARIANTS}]"
)
_NOT_PLAIN = re.compile(f"{_UNCLEAN.pattern}|{_MAY_HIDE.pattern}|[\ufffe\uffff]")
# What spreadsheets take for the beginning of a formula, or of another cell, whatever that nobody
# sees stands before it; apostrophes, so that `unguarded` takes one back and no more.
_FORMULA = re.compile(
    "'*+(?:[\t\r\n]|[\\s\x00-\x1f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    f"\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e007f{_VARIANTS}]*+"
    "[=+\\-@＝＋－＠﹦﹢﹣﹫])"
)
# Characters of a web page that are looked at: where elements never close, each of them is looked
# for to the end.
LONGEST_PAGE = 16 * 1024
_NOT_SHOWN = re.compile(
    r"<(?:(script|style)\b(?:.*?</\1\s*+>|.*+)|(head|title)\b.*?</\2\s*+>)",
    re.DOTALL | re.IGNORECASE,
)
_TITLE = re.compile(r"<title[^<>]*+>([^<]*+)", re.IGNORECASE)
_TAG = re.compile(r"<[^<>]*+(?:>|\Z)")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{1,15})?")


def clean(text: str) -> str:
    r"""The text without what breaks databases, JSON, requests and terminals.

    Lone surrogates become U+FFFD, line ends become ``\n``, other control characters go.
    Everything else, zero-width and right-to-left marks too, stays as it came.
    """
    if _UNCLEAN.search(text) is None:  # most texts: one look instead of four
        return text
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _CONTROLS.sub("", _SURROGATES.sub("\ufffd", text))


def visible(text: str) -> str:
    """The text as one line for a screen: white space squeezed, hidden characters marked."""
    return " ".join(_INVISIBLE.sub("", marked(clean(text))).split())


def is_page(text: str) -> bool:
    """Whether a text is a web page by its beginning."""
    return text[:200].lstrip().lower().startswith(("<!doctype html", "<html", "<pre>"))


def without_tags(page: str) -> str:
    """What a person would read of a web page, its title first."""
    page = page[:LONGEST_PAGE]
    title = _TITLE.search(page)
    text = _TAG.sub(" ", _NOT_SHOWN.sub(" ", page))
    return visible(html.unescape(f"{title[1]} - {text}" if title else text)).strip(" -")


@cache
def _hidden_runs() -> re.Pattern[str]:
    """Compiled when a text first holds any of them, since that takes 10 ms."""
    return re.compile(_HIDDEN)


def hidden(text: str) -> int:
    """How many characters of a text people cannot see although a model reads them."""
    if _MAY_HIDE.search(text) is None:  # most texts
        return 0
    return sum(len(run[0]) for run in _hidden_runs().finditer(text) if not run["flag"])


def is_plain(text: str) -> bool:
    """True if nothing in a text has to be cleaned or marked, as in most."""
    return _NOT_PLAIN.search(text) is None


def marked(text: str) -> str:
    """The text with a mark, such as `⟨U+E0041 ×12⟩`, for each row of characters that are hidden."""
    return _hidden_runs().sub(_mark, text) if _MAY_HIDE.search(text) else text


def _mark(run: re.Match[str]) -> str:
    if run["flag"]:
        return run[0]
    times = f" ×{len(run[0])}" if len(run[0]) > 1 else ""
    return f"⟨U+{ord(run[0][0]):04X}{times}⟩"


def is_number(text: str) -> bool:
    """Whether a text is a number that a spreadsheet shows and keeps just so."""
    if _NUMBER.fullmatch(text) is None or sum(map(str.isdigit, text)) > 15 or text == "-0":
        return False
    return "." not in text or repr(float(text)) == text


def guarded(text: str) -> str:
    """The text as a cell of a csv file that spreadsheets do not take for a formula.

    Where it begins like one an apostrophe stands before it; numbers stay as they are.
    """
    return f"'{text}" if _FORMULA.match(text) and not is_number(text) else text


def unguarded(text: str) -> str:
    """The text that `guarded` put an apostrophe before; any other as it is."""
    return text[1:] if text.startswith("'") and guarded(text[1:]) == text else text


def cut(text: str, limit: int, mark: str = "…") -> str:
    """The text, at most `limit` characters long; where it was cut, `mark` shows it."""
    if len(text) <= limit:
        return text
    return text[: max(0, limit - len(mark))] + mark


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
