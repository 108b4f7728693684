"""Text as it is stored, sent and read: sanitised at the edge, no markup, in normal form."""

import html
import re
import unicodedata
from dataclasses import replace
from functools import cache, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from simulator.core.talk import Exchange, Reply, Talk

if TYPE_CHECKING:
    from simulator.core.run import Episode


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


_MAY_MARK = re.compile(r"[<*_`#\[|>&【\\]")
_CODE = re.compile(
    r"(^ {0,3}```[^\n]*\n.*?(?:^ {0,3}```[ \t]*$|\Z)|`[^`\n]{1,500}`)", re.DOTALL | re.M
)
_NAMES = (
    "a|abbr|article|b|blockquote|body|br|caption|center|cite|code|dd|del|details|div|dl|dt|em"
    "|figcaption|figure|font|footer|h[1-6]|head|header|hr|html|i|img|ins|kbd|label|li|main|mark|nav"
    "|ol|p|pre|q|s|samp|script|section|small|span|strong|style|sub|summary|sup|table|tbody|td|tfoot"
    "|th|thead|time|title|tr|tt|u|ul|var|wbr"
)
_TOKEN = re.compile(
    rf"<!--(?:[^-]|-(?!->))*+(?:-->|\Z)|<!doctype[^<>]*+>|</?(?:{_NAMES})\b[^<>]*+>", re.IGNORECASE
)
_NAME = re.compile(r"</?([a-z][a-z0-9]*)", re.IGNORECASE)
_LINES = re.compile(
    r"article|blockquote|br|caption|dd|details|div|dl|dt|figcaption|figure|footer|h[1-6]|header|hr"
    r"|li|main|nav|ol|p|pre|section|summary|table|tr|ul",
    re.IGNORECASE,
)
_NOT_READ = frozenset({"script", "style", "head", "title"})
_BETWEEN = {"td": "  ", "th": "  ", "li": "\n- "}
_VOID = frozenset({"br", "hr", "img", "wbr"})
_UNSEEN = re.compile(
    r"\shidden(?=[\s=>/])|style\s*=\s*[\"'][^\"']{0,500}?(?:display\s*:\s*none|visibility\s*:\s*hidden)",
    re.IGNORECASE,
)
_POWER = re.compile(r"(?<![A-Za-z])(?:[kcmμ]?m|ft|yd|in|x|n)\Z")
_HREF = re.compile(r"\shref\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s>]+))", re.IGNORECASE)
_ALT = re.compile(r"\salt\s*=\s*(?:\"([^\"]*)\"|'([^']*)')", re.IGNORECASE)
_ENTITY = re.compile(r"&(?:#\d{1,7}|#x[0-9a-f]{1,6}|[a-z]{2,8}[0-9]{0,2});", re.IGNORECASE)

# A number, or what tools write in its place; several may stand in one pair of brackets.
_MARK = r"(?:\^?\d{1,3}(?:[-–,、\s]+\d{1,3})*|\^[^\[\]\s]{1,40}|doc\d{1,3}|citation:\s?\d{1,3})"
_BEHIND = r"(?=[ \t]*(?:[\n。、．，.,;:!?！？）)」』]|\Z))"
_LEADS = r"(?:[./#]|[a-z]{2,10}:|[^()\s]{1,200}\.[a-z]{2,4}(?![a-z0-9]))"  # how an address begins
_TO = rf"(?:\((?={_LEADS})[^()\s]{{1,500}}\))?"
_CITED = re.compile(
    rf"(?<=[^\s\[【「『\\])[ \t]?\[{_MARK}\]{_TO}(?:[ \t]?\[{_MARK}\])*{_BEHIND}(?!\.[a-z_])"
    rf"|(?<=[^\s\[(（【「『\\])(?:\[{_MARK}\]{_TO})+(?![ \t]*=|\.[a-z_])"
    r"|【[^【】\n]{1,80}†[^【】\n]{0,80}】"
)
# A number in brackets behind one of these, or before one of those, is what the sentence is about.
_NUMBERED = re.compile(
    r"(?:番号|手順|項目|ボタン|メニュー|選択肢|ステップ|キー|画面|ページ|配列|[第表図注※のは]"
    r"|\b(?:no\.?|steps?|options?|items?|numbers?|buttons?|keys?|press|choose|select|enter|type"
    r"|tap|click|table|figure|page))\Z",
    re.IGNORECASE,
)
# What stands in the middle of a word, a number or a formula cites nothing.
_WITHIN = re.compile(r"(?<=[A-Za-z0-9_])(?:[A-Za-z0-9_]|[ \t]*[+*/<>=^])")
_HANDLED = re.compile(r"\s?を(?:押|選|入力|タップ|クリック|ダイヤル)")
_FOOTNOTE = re.compile(r"^ {0,3}\[\^[^\]\n]{1,40}\]:[^\n]*(?:\n|\Z)", re.M)
_SOURCE = re.compile(r"^ {0,3}\[\d{1,3}\](?::|[ \t]+https?://)[^\n]*(?:\n|\Z)", re.M)
_LEADS_TO = re.compile(_LEADS)
_CITES = re.compile(r"\[\d{1,3}[\],、\s–-]")
_CITED_HTML = re.compile(r"[\s\[\](),^†*※⁎‡-]*(?:\d{1,3}[\s\[\](),、-]*)*")
_LINK = re.compile(
    r"(!?)\[([^\[\]\n]{0,500})\](?:"
    r"\(<?([^()\s<>]{1,2000}(?:\([^()\s]{0,200}\))?)>?(?:[ \t]+\"[^\"\n]{0,200}\")?\)"
    r"|\[[^\[\]\n]{0,100}\])"
)
_ADDRESS = re.compile(r"<((?:https?://|mailto:)[^<>\s|]{1,2000})(?:\|([^<>\n]{1,500}))?>")
_LINE_MARKS = re.compile(r"^(?: {0,3}#{1,6}[ \t]+| {0,3}(?:>[ \t]?){1,5})", re.M)
_RULE = re.compile(r"^ {0,3}(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|={3,})$", re.M)
_HEADING_END = re.compile(r"(?<=\S)[ \t]+#+[ \t]*$", re.M)
_TABLE_RULE = re.compile(
    r"^(?=[^\n]{0,500}\|)[ \t]*\|?[ \t]*:?-+:?[ \t]*"
    r"(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*(?:\n|\Z)",
    re.M,
)
_ROW = re.compile(r"^[ \t]*\|(.*)\|[ \t]*$", re.M)
_EMPHASIS = (
    re.compile(r"\*\*\*(?=\S)([^\n]{1,300}?)(?<=\S)\*\*\*"),
    re.compile(r"\*\*(?=\S)([^\n]{1,300}?)(?<=\S)\*\*"),
    re.compile(
        r"(?<![A-Za-z0-9_])__(?=\S)(?![A-Za-z0-9_]{1,300}__)([^\n]{1,300}?)(?<=\S)__(?![A-Za-z0-9_])"
    ),
    re.compile(r"(?<![A-Za-z0-9*\\])\*(?=[^\s*])([^*\n]{1,300}?)(?<=\S)\*(?![A-Za-z0-9*])"),
    re.compile(r"(?<![A-Za-z0-9_\\])_(?=[^\s_])([^_\n]{1,300}?)(?<=\S)_(?![A-Za-z0-9_])"),
)
# A path of Windows is left as it is.
_ESCAPED = re.compile(
    r"((?:(?<![A-Za-z])[A-Za-z]:|\\(?=\\\w))\\[^\s*\"<>|]{0,300})|\\([\\*_#\[\]()~`>.!{}|+-])"
)
_BLANKS = re.compile(r"[ \t]+(?=\n|\Z)|(?<=\n\n)\n+")


def plain_talk(talk: Talk) -> Talk:
    """The talk, its answers as a reader sees them."""
    exchanges = tuple(map(_plain_exchange, talk.exchanges))
    return talk if exchanges == talk.exchanges else replace(talk, exchanges=exchanges)


def _plain_exchange(exchange: Exchange) -> Exchange:
    if not isinstance(exchange.reply, Reply):
        return exchange
    text = plain(exchange.reply.text)
    if text == exchange.reply.text or not text.strip():
        return exchange
    return replace(exchange, reply=replace(exchange.reply, text=text))


@lru_cache(maxsize=256)
def plain(text: str) -> str:
    """What a reader sees of a text that may hold HTML or Markdown; other text is as it was.

    A link is its text and, in brackets, its address. Citations (`[1]`, `<sup>2</sup>`) and the
    lines that say what they lead to are left out, and so is what a page does not show. What stands
    in code is left as it is, without the marks around it.
    """
    if _MAY_MARK.search(text) is None:
        return text
    parts = _CODE.split(text)
    # Lines that begin with a number are sources where the text cites one; else they are content.
    has_sources = _CITES.search(_SOURCE.sub("", text)) is not None
    parts[1::2] = [_of_code(part) for part in parts[1::2]]
    parts[::2] = [_of_text(part, has_sources=has_sources) for part in parts[::2]]
    read = "".join(parts)
    return text if read == text else _BLANKS.sub("", read).strip("\n")


def _of_code(part: str) -> str:
    if not part.lstrip().startswith("```"):
        return part.strip("`")
    return "\n".join(line for line in part.split("\n") if not line.lstrip().startswith("```"))


def _of_text(text: str, *, has_sources: bool) -> str:
    if _TOKEN.search(text):
        text = _without_tags(text)
    text = _FOOTNOTE.sub("", text)
    if has_sources:
        text = _SOURCE.sub("", text)
    text = _CITED.sub(_without_citation, text)
    text = _LINK.sub(_linked, text)
    text = _ADDRESS.sub(lambda link: _with_address(link[2] or "", link[1]), text)
    text = _ROW.sub(
        lambda row: "  ".join(cell.strip() for cell in row[1].split("|")), _TABLE_RULE.sub("", text)
    )
    text = _LINE_MARKS.sub("", _HEADING_END.sub("", _RULE.sub("", text)))
    for emphasis in _EMPHASIS:
        text = emphasis.sub(r"\1", text)
    text = _ESCAPED.sub(lambda escaped: escaped[1] or escaped[2], text)
    return _ENTITY.sub(lambda entity: html.unescape(entity[0]).replace("\xa0", " "), text)


def _without_citation(mark: re.Match[str]) -> str:
    """A citation is not read; a number that the sentence is about is."""
    before = mark.string[max(0, mark.start() - 12) : mark.start()]
    is_content = _NUMBERED.search(before) or _HANDLED.match(mark.string, mark.end())
    # As it would read without the mark.
    around = before[-1:] + mark.string[mark.end() : mark.end() + 5]
    return mark[0] if is_content or _WITHIN.match(around, 1) else ""


def _linked(link: re.Match[str]) -> str:
    is_picture, text, address = bool(link[1]), link[2], link[3] or ""
    if address and not is_picture and _LEADS_TO.match(address) is None and "/" not in address:
        return link[0]  # such as [delivery](500 yen)
    return text if is_picture else _with_address(text, address)


def _with_address(text: str, address: str) -> str:
    if not text:
        return address
    shows = not address.startswith(("http://", "https://", "tel:", "mailto:")) or address in text
    return text if shows else f"{text} ({address})"


def _without_tags(text: str) -> str:
    """A text without its tags, and without what a page does not show."""
    page, at = _Page(), 0
    for token in _TOKEN.finditer(text):
        page.add(text[at : token.start()])
        page.tag(token[0])
        at = token.end()
    page.add(text[at:])
    lines = (line.strip() for line in "".join(page.made).split("\n"))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")


class _Page:
    """What is shown of a page so far.

    `unseen`: the open elements from the first that is not shown. `links`: where the text of each
    open link begins in `made`, and its address; `raised`: where each superscript does.
    """

    def __init__(self) -> None:
        self.made: list[str] = []
        self.unseen: list[str] = []
        self.links: list[tuple[int, str]] = []
        self.raised: list[int] = []

    def add(self, text: str) -> None:
        """Add text between two tags."""
        if not self.unseen:
            self.made.append(text)

    def tag(self, tag: str) -> None:
        """Read a tag or a comment."""
        match = _NAME.match(tag)
        if match is None:  # a comment
            return
        name, closes = match[1].lower(), tag.startswith("</")
        if self.unseen:
            self._follow(name, closes=closes)
        elif closes:
            self._close(name)
        else:
            self._open(name, tag)

    def _follow(self, name: str, *, closes: bool) -> None:
        if not closes and name == self.unseen[0]:
            self.unseen.append(name)
        elif closes and name == self.unseen[-1]:
            self.unseen.pop()

    def _open(self, name: str, tag: str) -> None:
        if name not in _VOID and (name in _NOT_READ or _UNSEEN.search(tag)):
            self.unseen.append(name)
        elif name == "a":
            self.links.append((len(self.made), _value(_HREF, tag)))
        elif name == "sup":
            self.raised.append(len(self.made))
        elif name == "img":
            self.made.append(_value(_ALT, tag))
        else:
            self.made.append(_BETWEEN.get(name, "\n" if _LINES.fullmatch(name) else ""))

    def _close(self, name: str) -> None:
        if name == "a" and self.links:
            begin, address = self.links.pop()
            self.made[begin:] = [_cited_link("".join(self.made[begin:]), address)]
        elif name == "sup" and self.raised:
            begin = self.raised.pop()
            before = "".join(self.made[max(0, begin - 5) : begin])
            self.made[begin:] = [_superscript(before, "".join(self.made[begin:]))]
        elif _LINES.fullmatch(name):
            self.made.append("\n")


def _cited_link(text: str, address: str) -> str:
    """A link in HTML; one that is only a number leads to a source."""
    return "" if text.strip() and _CITED_HTML.fullmatch(text) else _with_address(text, address)


def _superscript(before: str, text: str) -> str:
    """A superscript: a power, or the number of a note."""
    if not _CITED_HTML.fullmatch(text) or _POWER.search(before):
        return text
    return f"^{text}" if before[-1:].isdigit() and text.strip().isdigit() else ""


def _value(attribute: re.Pattern[str], tag: str) -> str:
    match = attribute.search(tag)
    return html.unescape(next(filter(None, match.groups()), "")) if match else ""
