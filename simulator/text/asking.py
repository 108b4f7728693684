"""Whether a customer's sentence asks or requests something, and whether it is an order."""

import re
import unicodedata

from simulator.core.clean import clean
from simulator.core.persona import Language
from simulator.text.endings import Ending, endings
from simulator.text.refusal_rules import any_line
from simulator.text.word_sets import word_set

_MARK = re.compile(r"[?？][)）」』\"'”!！?？]*$")
_FINAL = " 。．.!！…〜～ー"


def asks(sentence: str, language: Language) -> bool:
    """Whether one sentence of a customer asks a question or wants something to be done.

    Taking an offer (はい、お願いします), wishing (海の近くがいいです) and echoing (そうですか)
    do not.
    """
    text = unicodedata.normalize("NFKC", clean(sentence)).strip()
    return _asks_en(text) if language == "en" else _asks_ja(text)


def commands(sentence: str, language: Language) -> bool:
    """Whether one sentence gives an order: しろ, してくれ, 送りなさい, するな; *Fix it now*.

    Requests (してください, *please fix it*) are none, nor is what is only quoted.
    """
    return _commands_en(sentence) if language == "en" else _commands_ja(sentence)


# ---- Japanese ----

_ECHO = re.compile(
    r"^(?:(?:はい|ええ|あ+|え|へえ|なるほど)[、。!]*)*そう(?:なん|なの)?(?:です)?(?:か|ね)"
)
_QUESTION_WORD = re.compile(
    "何|なに|なん(?:で|の)|いつ|どこ|どれ|どの|どう|どちら|誰|だれ|いくら|なぜ"
)
_OPEN_END = re.compile(
    "(?:いくら|いつ|いつまで|いつから|どこ|なに|(?<![何一-龥])何|どれ|どっち|どちら|誰|だれ|なぜ|なんで|何時|何円|何日)$"
)
_INDIFFERENT = re.compile("(?:どこ|どれ|どちら|いつ|何|なん|誰|だれ|いくら)(?:で|に|を)?も")
_ASKS_BY_FORM = re.compile(
    r"(?:です|ます|でしょう|ましょう|ました|ません|でした|ますでしょう|の|ん)か(?:ね|な|ねえ)?$"
)
_REQUEST = any_line(
    r"""
    [てでに]<please>(?:ませ|ね|よ|な)?$
    (?<!よろしく)を(?:、|、ご|ご)?お(?:願い|ねがい)
    [てで]<favour>
    お?(?:知り|聞き|うかがい|伺い|教わり|(?:確認|相談|尋ね|問い合わせ)し)た(?:い|く)(?!な)
    [^。]た(?:い|かった)(?:の|ん)?(?:です|だ)?(?:が|けど|けれど|けども)$
    (?:探|さが)し(?:て(?:い|お)?|と)(?:ます|る|ります|まして)(?:の|ん)?(?:です|だ)?(?:が|けど)?$
    (?:ほし|欲し)い(?:の|ん)?(?:です|だ)?(?:が|けど|けれど|よ|な)*$
    (?:教え|聞かせ|知らせ|送っ|調べ|返し|直し|答え|説明し|代わっ|対応し|待っ|早くし|急い|止め|やめ|取り消し|変え|出し)て(?:よ|ね|な)?$
    """,
    please="(?:くださ|下さ)(?:い|る|れば|います)",
    favour=(
        "(?:いただ|頂)(?:け|き)(?:ます|ません|る|ない|れば|たい|たく|ますと|ると)"
        "|(?:もらえ|くれ|貰え)(?:ます|ません|る|ない|れば|ると)|(?:ほし|欲し)(?:い|く|かった)"
    ),
)
_NO_REQUEST = re.compile(
    "思い?(?:ます|って)|助かりました|ありがと|ところ|なくて(?:も)?(?:いい|良い|大丈夫)"
)
# な after these says how glad or unsure somebody is, and forbids nothing.
_FELT = word_set("助かる 困る 思う 分かる 有る 居る いる 成る 違う 見える 要る 出来る 迷う 気付く")


def _asks_ja(text: str) -> bool:
    if _ECHO.match(text):
        return False
    if _MARK.search(text):
        return True
    bare = text.strip(_FINAL)
    if _INDIFFERENT.search(bare) and not _ASKS_BY_FORM.search(bare):
        return False
    if _ASKS_BY_FORM.search(bare) or (_REQUEST.search(bare) and not _NO_REQUEST.search(bare)):
        return True
    if _OPEN_END.search(bare):
        return True
    return _commands_ja(text) or bool(_QUESTION_WORD.search(bare) and _ends_openly(bare))


def _ends_openly(text: str) -> bool:
    """Whether it ends as questions without か do: どうすればいいの."""
    return text.endswith(("の", "んだ", "わけ", "んだろう", "ですの", "ねん", "のよ"))


def _commands_ja(sentence: str) -> bool:
    found = endings(sentence)
    return bool(found) and _is_order(found[0])


def _is_order(ending: Ending) -> bool:
    core, helpers, particles = ending.core, ending.helpers, ending.particles
    if core is None or core.pos[0] != "動詞" or any(h.pos[0] == "助動詞" for h in helpers):
        return False
    said = [p.surface for p in particles]
    if core.form == "命令形":
        sorry = core.surface == "なさい" and ending.before and ending.before[-1].normal == "御免"
        return core.normal not in ("下さる", "いらっしゃる", "居らっしゃる") and not sorry
    if not said or said[0] != "な" or not core.form.startswith("終止形"):
        return False
    return core.normal not in _FELT


# ---- English ----

_ASKING_EN = any_line(
    r"""
    ^<opener>*(?:what(?! an?\b)|when|where|who|why|how|which|whose)\b
    ^<opener>*<helper>(?:n't)? <subject>\b
    \b(?:could|can|would|will) you\b|\bmay i\b
    \b(?:i|we)(?:'d| would| should)? (?:like|want|need|wish) (?:to|a|an|the|my|some|you|it|your)\b
    \bneed help\b|\bif you (?:could|would)\b
    \b(?:i'm|i am|i was|we're|we are|we were) (?:looking for|trying to|hoping to|wondering)\b
    \bplease,? (?!do\b|note\b)[a-z]+ [a-z]|\blet me know\b|\btell me\b
    """,
    opener="(?:and|so|but|ok|okay|well|hi|hello|also|then),? ",
    helper="is|are|was|were|do|does|did|can|could|would|will|may|have|has|should",
    subject="i|you|we|it|he|she|they|this|that|there|the|a|an|my|your|any|some",
)
_TELLING_EN = re.compile(
    r"^(?:i|we) (?:don't|do not|didn't|did not) know\b|^(?:yes|no|ok|okay),? please\b"
)
_OPENERS = re.compile(r"^(?:(?:just|now|so|then|and|but|ok|okay|well|look|listen|hey)\b,? )+")
_ORDER = re.compile(
    r"^(?!never mind|sort of|get into)(?:"
    r"don't|do not|never|stop|tell|give|send|fix|answer|show|explain|cancel|get|make|check|refund"
    r"|forget|come|look|hurry|put|transfer|connect|find|change|delete|remove|help|call|sort|do|say"
    r"|read|listen|try|use|return|replace|update|reset|restore|open|close|skip|wait|leave"
    r")(?:\s+(?!(?:you|i|we|they|is|was|took|are)\b)[a-z]|[.!]*$)"
    r"|^let (?:me (?:know|talk|speak|in)|us|them|him|her)\b"
)


def _asks_en(text: str) -> bool:
    said = text.casefold().replace("’", "'")
    if _TELLING_EN.search(said):
        return said.endswith("?")
    return bool(_MARK.search(said) or _ASKING_EN.search(said)) or _commands_en(said)


def _commands_en(sentence: str) -> bool:
    said = _OPENERS.sub("", clean(sentence).strip().casefold().replace("’", "'"))
    if "please" in said or said.endswith("?"):
        return False
    return bool(_ORDER.match(said))
