"""Whether a reply sends the user on to a person: hands the talk over, or says whom to turn to."""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from simulator.core.clean import clean
from simulator.core.persona import Language
from simulator.text.handover import Handover, handover
from simulator.text.refusal_rules import alternatives, any_line
from simulator.text.refusals import states_nothing
from simulator.text.sentences import sentences

_READ = 4000  # characters


@dataclass(frozen=True, slots=True)
class _Rules:
    """Patterns that are searched in one sentence (NFKC, case folded)."""

    turns_to: re.Pattern[str]
    denied: re.Pattern[str]
    by_the_way: re.Pattern[str]  # ご不明な点がございましたら: what every answer may end with


def sends_to_a_person(text: str, language: Language) -> bool:
    """Whether a reply hands the user over to a person or says whom to turn to.

    An offer counts (おつなぎしましょうか), and so does advice that depends on the matter itself
    (煙が出ている場合は119番へ). Contacts that are added to an answer for other questions do not
    (ご不明な点は窓口まで), nor does what is denied (おつなぎできません).
    """
    return _sends(text[:_READ], language)


@lru_cache(maxsize=256)  # bots repeat themselves, and several metrics ask about the same reply
def _sends(text: str, language: Language) -> bool:
    if handover(text, language) >= Handover.TAKEN_UP:
        return True
    rules = _RULES[language]
    read = unicodedata.normalize("NFKC", clean(text)).replace("’", "'").casefold()
    found = [s for s in sentences(read, language) if rules.turns_to.search(s)]
    found = [sentence for sentence in found if not rules.denied.search(sentence)]
    if any(not rules.by_the_way.search(sentence) for sentence in found):
        return True
    return bool(found) and states_nothing(text, language)


_EMAIL = r"[\w.+-]+@[\w-]+\.\w+"
_JA = _Rules(
    turns_to=any_line(
        r"""
        <who>[^。]{0,24}?(?:に(?!は)|へ(?!は)|まで|と|から|が|より|で|にて|を)[^。]{0,10}?<does>[^。]{0,12}?<said>
        (?:<email>|\d{2,4}-\d{2,4}-\d{3,4}|[#\d]{3,5}番?)<there>[^。]{0,6}?<does>
        """,
        who=alternatives(
            """
            担当|窓口|オペレータ|係の者|係員|スタッフ|有人|人間|サポート|センター|デスク|店舗|お店|販売店|代理店|業者
            相談員|専門|専任|責任者|上司|上席|管理人|部署|部門|チーム|フロント|会社|メーカー|銀行
            警察|消防|救急車?|病院|医療機関|医師|主治医|薬剤師|弁護士|大使館|領事館|保健所|役所
            """
        ),
        does=alternatives(
            """
            つな[ぎげい]|繋[ぎげい]|引き?継|引き?渡|取り?次|転送|代わ|交代|切り?[替換]え
            連絡|問い?合わ?せ|電話|通報|相談|メール|折り?返|お知らせ|お話|助けを|呼[びばんぶ]|送り|回し|承り|承る|伺[いう]
            """
        ),
        said="(?:ください|下さい|願|いただ|頂|ます|ました|ましょう|すぐ|お?でき)",
        email=_EMAIL,
        there=r"\)? ?(?:に|へ|まで|宛て?に?|から)",
    ),
    denied=any_line(
        """
        (?:つな|繋|引き?継|取り?次|転送|代わ|交代|連絡|電話|問い?合わ?せ)[^。]{0,10}?(?:でき|出来|かね|必要)[^。]{0,6}?(?:ません|ない|かね)
        (?:電話|連絡|対応|受け?付け?)[^。]{0,8}(?:おりません|いたしません|ていません|していない)
        """
    ),
    by_the_way=any_line(
        """
        不明|疑問|お困り|解決し(?:ない|なかった|ません)|うまくいか|改善し(?:ない|ません)|直らな
        ほかに|他に|その他|お気軽|それでも|ご質問(?:が|等|など)|詳し[くい]|なお、
        """
    ),
)
_EN = _Rules(
    turns_to=any_line(
        rf"""
        \b(?:<call>)\b[^.]{{0,40}}?\b<who>\b
        \b<hands> <case>\b[^.]{{0,40}}?\b<who>\b
        \b<who>\b (?:needs|has|have) to (?:look|check|see|deal|decide|review)
        \b(?:dealt with|handled|looked at|decided|settled) by\b[^.]{{0,30}}?\b<who>\b
        \b(?:<call>|dial)\b[^.]{{0,24}}?(?:{_EMAIL}|\b\d{{3}})
        """,
        call=(
            r"contact(?! (?:details|form|page))|call(?! cent)|ring|phone(?! number)|telephone"
            r"|e-?mail|write to|speak (?:to|with)|talk to|reach out to|get in touch with|ask"
            r"|consult|report (?:it|this|that) to|turn to|reach|see (?=an? )"
        ),
        hands="(?:transfer|connect|put|hand|pass|escalate|forward|refer|redirect)",
        case=r"(?:you|this|it|your \w+)",
        who=(
            r"(?:agents?|operators?|representatives?|colleagues?|humans?|persons?|specialists?"
            r"|supervisors?|managers?|advis[eo]rs?|teams?|staff|departments?|desk|support|service"
            r"|cent(?:re|er)s?|crew|technicians?|manufacturers?|dealers?|someone|somebody|hotline|helpline|bank|police|fire|ambulance|emergency|doctor"
            r"|hospital|pharmacist|lawyer|embassy|us)"
        ),
    ),
    denied=re.compile(
        r"(?:\bcannot|\bcan't|\bcan not|\bunable to|\bnot able to|\bwon't|\bwill not|\bdo not"
        r"|\bdon't|\bno need to|\bneed not|\bnever)\b[^.]{0,15}"
        r"\b(?:transfer|connect|put|hand|pass|escalate|forward|refer|contact|call|ring|phone)"
    ),
    by_the_way=re.compile(
        r"\bif (?:that|this|it|the (?:problem|issue|error)) "
        r"(?:does|do|is|did|still|persists|continues|happens|fails)"
        r"|\bif you (?:still|have (?:any|more|further|other|questions)|need (?:any|more|further))"
        r"|\b(?:other|further|any|more) questions?\b|\bfor (?:more|further)\b|\bfeel free\b"
    ),
)
_RULES: dict[Language, _Rules] = {"ja": _JA, "en": _EN}
