"""Whether a bot asks the user for something."""

import re
import unicodedata

from simulator.core.clean import clean
from simulator.core.persona import Language
from simulator.text.refusal_rules import any_line
from simulator.text.sentences import sentences

_READ = 4000  # characters, from the end
_QUESTION = re.compile(r"\?[)\]」』\"'”]*$")
_JA_QUESTION = re.compile(r"(?:です|ます|でしょう|ましょう|ました|ません)か[。.…]*$")
_JA_REQUEST = any_line(
    r"""
    (?:を|も|か|は|ついて|など)?(?:お?教え|お聞かせ|お知らせ|ご教示|ご入力|ご記入|ご返信|ご提示)(?:て|に)?<please>
    (?:おっしゃって|お伝え|ご連絡|お選び|ご指定|入力して|記入して|返信して|選んで)<please>
    (?:伺|うかが|お聞き|お尋ね|確認|質問)[^。]{0,8}(?:たく|させて(?:ください|いただ))
    """,
    please=r"(?:ください|下さい|いただ(?:け|き)(?:ますと|ると|れば|たく|たい)|頂け|もらえ|ほしい|願い)",
)
# Telling somebody else, or filling in something elsewhere, is advice and no question.
_JA_ELSEWHERE = any_line(
    r"""
    <elsewhere>(?:へ|に|まで|宛|にて|から|で)
    (?:画面|ページ|フォーム|欄|設定|アプリ|件名|本文|「[^」]*」)(?:に|で|の|から|を|→)
    [a-z0-9._-]+@[a-z0-9.-]+
    """,
    elsewhere=r"窓口|担当|サポート|センター|チーム|店舗|警察|カード会社|メール|電話|アドレス\)?",
)
_JA_COURTESY = any_line(
    r"""
    (?:他|ほか|その他|以上|これ)(?:に|で|には|では)[^。]{0,30}(?:ございます|あります|よろしい|大丈夫)[^。]{0,6}か
    (?:ご不明|お困り|気になる|疑問|ご質問)[^。]{0,12}(?:ございます|ございません|ありません|あります)か
    (?:ご不明|お困り|お気づき|気になる|疑問|何か|ご質問)[^。]{0,40}<arises>[^。]{0,40}<please>
    <arises>[^。]{0,40}(?:お気軽|いつでも|遠慮なく|お?問い?合わ?せ|ご?連絡|ご?相談|お申し付け)
    (?:お役に立|解決(?:し|いた)|ご満足|ご参考)[^。]{0,20}か
    (?:してみては|お試しになって|ご利用になって|検討されて)[^。]{0,4}いかが
    お気軽に|いつでも|遠慮なく
    """,
    arises="(?:ございましたら|ありましたら|あれば|際は|場合は)",
    please="(?:ください|下さい|ませ|願い)",
)
_EN_REQUEST = any_line(
    r"""
    \b(?:please|kindly|just|simply) (?:also )?<tell>\b
    \b(?:could|can|would|may|will) (?:you|i|we) (?:please |kindly |also )?(?:<tell>|ask|have|get)\b
    \b(?:i|we)(?: will| would|'ll|'d)? (?:need|require|like) (?:to know|you to|your|some|more)\b
    """,
    tell=(
        "tell (?:me|us)|let (?:me|us) know|share|specify|give (?:me|us)|confirm|clarify|describe"
        "|provide|send (?:me|us)|indicate|state"
    ),
)
_EN_COURTESY = any_line(
    r"""
    \b(?:anything|something) else\b|\b(?:any|more|other|further) (?:questions?|help|assistance)\b
    \b(?:did|does|has) (?:that|this) (?:help|answer|solve|resolve)|\bwas (?:that|this) helpful\b
    \bhope (?:that|this)\b|\bfeel free\b|\bdo not hesitate\b|\bdon't hesitate\b
    \blet (?:me|us) know if\b|\bto the (?:support|help|account|fraud|legal)\b
    """
)


def asks_back(text: str, language: Language) -> bool:
    """Whether the text ends by asking the user something, or for something to be told.

    One remark may follow the question, unless the question opens the text: that is the user's own,
    repeated. Closing courtesies (*anything else I can help with?*, 他にご不明な点は
    ございますか) are passed over, as they ask for nothing; so is advice to tell somebody else
    (サポート窓口にお知らせください).
    """
    text = unicodedata.normalize("NFKC", clean(text[-_READ:])).casefold().replace("’", "'")
    asks, courtesy = (_asks_en, _EN_COURTESY) if language == "en" else (_asks_ja, _JA_COURTESY)
    found = sentences(text, language)
    ending = [at for at, sentence in enumerate(found) if not courtesy.search(sentence)][-2:]
    return any(asks(found[at]) and (at > 0 or at == ending[-1]) for at in ending)


def _asks_ja(sentence: str) -> bool:
    if _QUESTION.search(sentence) or _JA_QUESTION.search(sentence):
        return True
    return bool(_JA_REQUEST.search(sentence)) and not _JA_ELSEWHERE.search(sentence)


def _asks_en(sentence: str) -> bool:
    return bool(_QUESTION.search(sentence) or _EN_REQUEST.search(sentence))
