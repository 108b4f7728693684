"""What a right answer has to hold, as short phrases: by rules, or those that a model picked."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from simulator.core.clean import clean
from simulator.core.persona import Language
from simulator.text.normal import normal_form
from simulator.text.phrases import alternatives
from simulator.text.presence import missing
from simulator.text.sentences import sentences
from simulator.text.tokens import content_tokens

FEW, MANY = 2, 3  # from so many on: a choice between two; a list


class Enumeration(NamedTuple):
    """The things that are enumerated, each with its place in the text."""

    items: tuple[tuple[int, str], ...]


# A Japanese noun: kanji, katakana and letters with the endings of verbs that became nouns
# (払い, 手続き, 振り込み); particles and other hiragana end it. Amounts are not looked for here.
_SOLID = r"[一-龥々〆ヶァ-ヺーｦ-ﾟA-Za-zＡ-Ｚａ-ｚ]"
_OKURI = "[いきみりれけえせめげち]|(?<=落)とし|(?<=[渡戻消返越])し"
_JA_ITEM = rf"(?:お|ご)?{_SOLID}+(?:(?:{_OKURI}){_SOLID}+)*(?:(?:{_OKURI})(?![ぁ-ん]|{_SOLID}))?"
_JA_OR = "または|又は|もしくは|若しくは|あるいは"
_JA_PARTED = rf"(?:\s*[、，,・／/]\s*(?:{_JA_OR}|および|及び)?|や|と|か|{_JA_OR}|および|及び)"
_JA_LIST = re.compile(
    rf"(?<!{_SOLID})(?<!\d){_JA_ITEM}(?:{_JA_PARTED}{_JA_ITEM}){{2,}}(?!{_SOLID})"
)
_JA_STRONG = re.compile(rf"[、，,・／/か]|{_JA_OR}")  # AやBとC may be nested in any way
_JA_NOUN = re.compile(_JA_ITEM)
_JA_PAIR = re.compile(
    rf"(?<!{_SOLID})(?<!\d){_JA_ITEM}(?:(?:、?(?:{_JA_OR})|か){_JA_ITEM}"
    rf"|[とか]{_JA_ITEM}(?=か、|の?(?:どちら|いずれ|両方|片方)))"
)

_STARTS = "by|via|with|in|on|to|at|from|for|of|as|a|an|the|your|our|either|both"
_VERBS = (
    "are|is|be|take|takes|accept|accepts|offer|offers|choose|use|include|includes|have|has|send|"
    "sends|bring|need|needs|support|supports|ship|sell|wrap|between|provide|provides|enter|than"
)
_WORD = r"[A-Za-z][A-Za-z'’&/-]*"
_EN_ITEM = rf"(?:(?:{_STARTS}) )*{_WORD}(?: (?!(?:and|or)\b){_WORD}){{0,4}}"
_EN_LIST = re.compile(rf"(?<![\w.@]){_EN_ITEM}(?:, {_EN_ITEM})+,? (?:and|or) {_EN_ITEM}")
_EN_PAIR = re.compile(rf"(?:either|both|choose|between) {_EN_ITEM} (?:and|or) {_EN_ITEM}", re.I)
_EN_PART = re.compile(r",? (?:and|or) |, ")
_EN_HEAD = re.compile(rf"^.*\b(?:{_VERBS}|{_STARTS}) ", re.IGNORECASE)
_EN_LEAD = re.compile(rf"^(?:(?:{_STARTS}) )+", re.IGNORECASE)
_EN_TAIL = re.compile(
    r" (?:by|via|with|in|on|to|at|from|for|of|as|when|if|until|per|that|which|is|are|costs?)\b.*$"
)
# In what is said or done, not in the name of a thing: clauses are parted by commas as well.
_EN_CLAUSE = re.compile(
    r"\b(?:it|you|we|they|them|this|there|who|if|not|do|does|will|is|are|be|may|can|press|turn|"
    r"select|check|forward|reset|enter|click|tap|open|log|go|back|once|then|including)\b"
    rf"|^(?:{_STARTS})?$",
    re.IGNORECASE,
)

_ITEM_MARK = re.compile(
    r"(?:(?<=^)|(?<=[\s。：:]))(?:\(?\d{1,2}[.)．）、](?!\d)|[①-⑳]|[・●■*-](?=\s?\S))[ \t　]*", re.M
)
_LONGEST_STEP = {"ja": 24, "en": 48}  # characters of a step


def enumerations(text: str, language: Language) -> list[Enumeration]:
    """What a text enumerates, in its order: lists of three and more, and choices between two."""
    found = [Enumeration(tuple(items)) for items in _steps(text, language)]
    if language == "ja":
        lists = (m for m in _JA_LIST.finditer(text) if _JA_STRONG.search(m.group()))
        found += [_japanese(m) for m in lists]
        found += [_japanese(m) for m in _JA_PAIR.finditer(text)]
    else:
        found += [_english(m) for m in _EN_LIST.finditer(text)]
        found += [_english(m) for m in _EN_PAIR.finditer(text)]
    return [one for one in found if len(one.items) >= FEW]


def _japanese(match: re.Match[str]) -> Enumeration:
    nouns = _JA_NOUN.finditer(match.group())
    return Enumeration(tuple((match.start() + noun.start(), noun.group()) for noun in nouns))


def _english(match: re.Match[str]) -> Enumeration:
    first, *others = _parts(match, _EN_PART)
    items = [_without(first, _EN_HEAD), *(_without(item, _EN_LEAD) for item in others)]
    named = tuple((at, _EN_TAIL.sub("", text)) for at, text in items)
    return Enumeration(() if any(_EN_CLAUSE.search(text) for _, text in named) else named)


def _parts(match: re.Match[str], parted_by: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    begin = 0
    for part in parted_by.finditer(match.group()):
        yield match.start() + begin, match.group()[begin : part.start()]
        begin = part.end()
    yield match.start() + begin, match.group()[begin:]


def _without(item: tuple[int, str], head: re.Pattern[str]) -> tuple[int, str]:
    """The item without what leads to it: `You can pay by card` is `card`."""
    place, text = item
    found = head.match(text)
    return (place + found.end(), text[found.end() :]) if found else item


def _steps(text: str, language: Language) -> Iterator[list[tuple[int, str]]]:
    """The items of lists with numbers or marks before each, where these are short."""
    marks = list(_ITEM_MARK.finditer(text))
    items = []
    for number, mark in enumerate(marks, 1):
        end = marks[number].start() if number < len(marks) else len(text)
        step = re.split(r"[\n。]|\.(?=\s|$)", text[mark.end() : end], maxsplit=1)[0]
        items.append((mark.end(), step.strip(" 　,、;；.")))
    if len(items) >= FEW and all(0 < len(step) <= _LONGEST_STEP[language] for _, step in items):
        yield items


MOST_ELEMENTS = 4
_LONGEST = {"ja": 30, "en": 60}  # characters of one phrase

_PLACES = r"""
    [\w.+-]+@[\w-]+(?:\.[\w-]+)+
    (?<![\w-])0\d{1,4}-\d{1,4}-\d{3,4}(?![\w-])
    (?:https?://)?(?<![\w@.])(?:[a-z0-9-]+\.)+[a-z]{2,}(?:/[\w/.-]*)?(?![\w@])
"""
_TIMES = r"(?<!\d)\d{1,2}:\d{2}"
_JA_UNITS = """
    円|ドル|ユーロ|ポイント|%|％|割|倍|KB|MB|GB|TB|秒|分間?|時間|営業日|日間?|週間?|か月間?|ヶ月間?|カ月間?
    |か月分|月|年間?|年度|歳|才|回|枚|個|件|人|名|台|種類|文字|桁|字|曜日|版|番|階|ページ|行|本|か所|ヶ所|箇所
"""
_JA_NUMBER = r"(?<![\d.,])\d[\d,]*(?:\.\d+)?\s?<scale>?<unit>"
_JA_AMOUNT = (
    r"(?:月額|年額|最大|最長|最低|過去|毎月第|第|毎月|毎年|毎日|月々|(?<![\d一-龥])[年月週日])?"
    # 1年に1回まで, 1ポイント1円: neither number says it without the other.
    rf"{_JA_NUMBER}(?:(?:に|あたり|につき)?{_JA_NUMBER})?"
    r"(?:分|以内|以上|以下|未満|まで|前|後|目){0,2}"
    # 6桁の確認コード: what there are so many of; in other words it is found as well.
    r"(?:(?<=[個桁枚台本通点])の[一-龥ァ-ヺー]{2,10})?"
)
_JA_CLOCK = r"(?:午前|午後)?(?<![\d:.,])\d{1,2}時(?!間)(?:\d{1,2}分|半)?"
_EN_UNITS = """
    seconds?|minutes?|hours?|days?|weeks?|months?|years?|yen|dollars?|euros?|pounds?|cents?|percent
    |KB|MB|GB|TB|people|persons?|members?|users?|devices?|photos|files|items|characters|letters
    |digits?|times|codes?|points?|pages?
"""
_EN_NUMBER = "\\d[\\d,]*(?:\\.\\d+)?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_KINDS: dict[Language, re.Pattern[str]] = {
    "ja": re.compile(
        alternatives(
            f"{_PLACES}\n{_TIMES}(?:から{_TIMES})?\n{_JA_CLOCK}(?:(?:から|～|〜){_JA_CLOCK})?(?:まで)?"
            f"\n{_JA_AMOUNT}",
            unit="".join(_JA_UNITS.split()),
            scale="十|百|千|万|億",
        ),
        re.IGNORECASE,
    ),
    "en": re.compile(
        alternatives(
            f"{_PLACES}\n{_TIMES}(?: to {_TIMES})?\n[$€£¥]\\s?\\d[\\d,]*(?:\\.\\d+)?\n"
            r"(?<![\d.,\w])<number>(?: ?%|(?: more| full)?[ -](?:business |working )?<unit>\b)",
            number=_EN_NUMBER,
            unit="".join(_EN_UNITS.split()),
        ),
        re.IGNORECASE,
    ),
}
# A question for what there is, and one for how much, when or how many.
_ASKS: dict[Language, tuple[re.Pattern[str], re.Pattern[str]]] = {
    "ja": (
        re.compile(
            "何(?:が|を|で|に)|なに|どの|どんな|どれ|どういった|種類|方法|形式|一覧|対応し|選べ"
        ),
        re.compile(
            "いくら|いつ|何[時日年月週回分円個枚台件人歳%％]|どのくらい|どれくらい|期限|料金は|まで"
        ),
    ),
    "en": (
        re.compile(
            r"\b(?:which|what|kinds?|types?|ways?|methods?|options?|how (?:do|can) I pay)\b", re.I
        ),
        re.compile(
            r"\b(?:how (?:much|many|long|often|soon|big)|when|cost|price|fee|until)\b", re.I
        ),
    ),
}
# What one presses: in quotation marks, or the last step of Settings > Payment > Change card.
_NAMED = re.compile(
    r"""「([^「」]{2,20})」(?!\s*[→＞>])|"([^"]{2,30})"|“([^“”]{2,30})”"""
    r"|> ([A-Z][\w-]*(?: [a-z][\w-]*){0,3}?)"
    r"(?=\s+(?:and|or|to|in|on|for|by|you|it|lists)\b|[.,;:!?]|$)"
)


def key_phrases(
    text: str, language: Language, most: int = MOST_ELEMENTS, *, question: str = ""
) -> tuple[str, ...]:
    """The phrases of an answer that a right one cannot do without, in its order, as it has them.

    Where the question asks what there is, what the answer enumerates. Else amounts, numbers with
    their units, deadlines, times, addresses; where there are none, what it enumerates; and where
    these are fewer than two, what one has to press: names in quotation marks, the last step of a
    menu's path. Each phrase is found again in the text by the metric that looks for it
    (`text.presence`).
    """
    text = clean(text)
    listed = _listed(text, language)
    amounts = [(m.start(), m.group().strip()) for m in _KINDS[language].finditer(text)]
    if listed:  # that they are three says nothing
        amounts = [amount for amount in amounts if not amount[1].endswith("種類")]
    first, second = (listed, amounts) if _asks_for_a_list(question, language) else (amounts, listed)
    chosen = _apart(first, language)[:most] or _apart(second, language)[:most]
    if len(chosen) < 2:
        named = [(m.start(), next(filter(None, m.groups()))) for m in _NAMED.finditer(text)]
        chosen = _apart([*chosen, *named], language)[:most]
    phrases = [phrase for _, phrase in sorted(chosen)]
    return tuple(phrase for phrase in phrases if not missing([phrase], [text], language))


def phrases_for(
    question: str, text: str, language: Language, most: int = MOST_ELEMENTS
) -> tuple[str, ...]:
    """The key phrases of those sentences of an answer that a question is about.

    These are the sentences with the most content words of the question; all, where none has any.
    """
    asked = set(content_tokens(question, language))
    shared = [(len(asked.intersection(content_tokens(s, language))), s) for s in _said(text)]
    best = max((n for n, _ in shared), default=0)
    near = "\n".join(s for n, s in shared if n == best) if best else text
    return key_phrases(near, language, most, question=question)


def grounded(
    phrases: Iterable[str], texts: Sequence[str], language: Language, most: int = MOST_ELEMENTS
) -> tuple[str, ...]:
    """Those of a model's phrases that are short and really stand in the texts, each once."""
    said = [clean(phrase).strip() for phrase in phrases]
    short = [p for p in dict.fromkeys(said) if normal_form(p) and len(p) <= _LONGEST[language]]
    return tuple(p for p in short if not missing([p], texts, language))[:most]


def _listed(text: str, language: Language) -> list[tuple[int, str]]:
    """The longest enumeration of a text, the first of equally long ones."""
    found = enumerations(text, language)
    return list(max(found, key=lambda one: len(one.items)).items) if found else []


def _asks_for_a_list(question: str, language: Language) -> bool:
    wants_list, wants_amount = _ASKS[language]
    return bool(wants_list.search(question)) and not wants_amount.search(question)


def _said(text: str) -> list[str]:
    """The sentences of a text in either language: 。 and a full stop before white space end one."""
    return sentences(text, "ja")


def _apart(found: Sequence[tuple[int, str]], language: Language) -> list[tuple[int, str]]:
    """Those of the phrases that are part of no other one, each once."""
    phrases = [phrase for _, phrase in found]
    apart = []
    for at, (place, phrase) in enumerate(found):
        form = normal_form(phrase)
        others = [*phrases[:at], *(p for p in phrases[at + 1 :] if normal_form(p) != form)]
        if form and all(missing([phrase], [other], language) for other in others):
            apart.append((place, phrase))
    return apart
