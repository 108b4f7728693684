"""What a reader sees of an answer that is written in HTML or Markdown: no tags, marks, citations.

Written here, since Markdown parsers make HTML and not text, and answers mix the two. Every look is
bounded: an answer may be made to take long.
"""

import html
import re
from dataclasses import replace
from functools import lru_cache

from simulator.core.talk import Exchange, Reply, Talk

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
