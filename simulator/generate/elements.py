"""What a right answer has to hold, as short phrases: by rules, or those that a model picked."""

import re
from collections.abc import Iterable, Sequence

from simulator.core.clean import clean
from simulator.core.persona import Language
from simulator.generate.enumerations import enumerations
from simulator.text.normal import normal_form
from simulator.text.phrases import alternatives
from simulator.text.presence import missing
from simulator.text.sentences import sentences
from simulator.text.tokens import content_tokens

MOST = 4
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
    text: str, language: Language, most: int = MOST, *, question: str = ""
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


def phrases_for(question: str, text: str, language: Language, most: int = MOST) -> tuple[str, ...]:
    """The key phrases of those sentences of an answer that a question is about.

    These are the sentences with the most content words of the question; all, where none has any.
    """
    asked = set(content_tokens(question, language))
    shared = [(len(asked.intersection(content_tokens(s, language))), s) for s in _said(text)]
    best = max((n for n, _ in shared), default=0)
    near = "\n".join(s for n, s in shared if n == best) if best else text
    return key_phrases(near, language, most, question=question)


def grounded(
    phrases: Iterable[str], texts: Sequence[str], language: Language, most: int = MOST
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
