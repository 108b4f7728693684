"""A Japanese matter as a wish or a statement in plain form, so that phrases can go on from it."""

import re

from simulator.text.backchannels import is_courtesy
from simulator.text.refusal_rules import any_line
from simulator.text.sentences import sentences
from simulator.text.sudachi import morphemes
from simulator.users._register_ja import verb_stem

_MARKS = " 　。．.、,!！…?？〜~～"
# …んですけど, なんだけど, です: how people leave a sentence open, or close it politely
_OPEN_END = re.compile(
    "(?:(?:よう|みたい)?な)?(?:ん|の)(?:です|だ)(?:が|けど|けれど|けども|けれども|よ|よね|ね)?$"
)
_DESU = re.compile(
    "(?:(?<=たい)|(?<=ほしい)|(?<=欲しい)|(?<=ない))(?:です|だ)?(?:が|けど|けれど)?$"
)
_ABOUT = re.compile(
    "(?:(?:に(?:ついて|関して|関する(?:こと|件))|の(?:件|こと|話|とこ)(?:について)?)(?:は|の)?(?:です|だ)?)$"
)
_BARE_KNOW = re.compile("知る(?:こと)?$")
_PLEASE = re.compile(
    "(?<=[てで])(?:ください|下さい|くださいませ|ちょうだい|頂戴|よ|ね|くれ)?(?:ませ|ね|よ)?$"
)
_GIVE_ME = re.compile("(?:を|も)?(?:ください|下さい|ちょうだい|頂戴)(?:ませ|ね|よ)?$")
_ASK_FOR = re.compile(
    "お?(?:願|ねが)い(?:(?:いた|致)?します|(?:申し)?上げます|でき(?:ます|ません)か)?$"
)
_WISHES = re.compile("(?:たい|ほしい|欲しい)$")
# A request by て and no more; of other verbs (壊れて, 忘れて) it leaves a sentence open.
_REQUEST = any_line(
    """
    (?:何とか|なんとか|どうにか|早く|速く|はやく|ちゃんと|きちんと|すぐに?|もっと[^、]*)し[てで]$
    (?:教え|聞かせ|知らせ|送っ|調べ|返し|直し|なおし|答え|代わっ|待っ|急い|止め|やめ|取り消し|変え)[てで]$
    (?:見せ|助け|届け|戻し|消し|外し|くれ|出し|連絡し|対応し|説明し|返金し|解約し|交換し|キャンセルし)[てで]$
    """
)
_QUESTION_WORDS = (
    "いくら",
    "いつ",
    "どこ",
    "だれ",
    "誰",
    "何",
    "なに",
    "なぜ",
    "なんで",
    "どれ",
    "どちら",
)
_POLITE = re.compile(
    "(?:ます|です|ました|ません|でした|ましょう|でしょう)(?:か|かね|かな|よ|ね|の)?$"
)
_PARTICLE = re.compile("[にはがをのでとも](?![ぁ-ん]*[一-龠])|に(?=なり)")
_KANA = re.compile("[ぁ-んァ-ヶ一-龠]")
_NOUNS = ("名詞", "接尾辞")
_STATES = ("有る", "出来る", "居る", "要る", "分かる")
_TOPICS = ("は", "が", "を", "も", "って", "とか", "で", "の", "に")


def plain_need(text: str) -> str:
    """The matter in a plain form that んです, のですが and わけ can follow; "" where it has none.

    A wish stays one, a request becomes one (直してほしい), and so do a task (プランを変更したい), a
    question (いつまでか知りたい) and a noun (送料が知りたい, 返品について知りたい).
    """
    found = (_of(sentence) for sentence in sentences(text, "ja") if not is_courtesy(sentence, "ja"))
    return next((need for need in found if need), "")


def is_wish(need: str) -> bool:
    """Whether it can be thought or hoped: と存じます and と思いまして may follow."""
    return bool(_WISHES.search(need))


def heading(text: str) -> str:
    """A text as people quote it to name a matter; a question keeps its mark."""
    text = _bare(text, "。．.、,!！…")
    short = _DESU.sub("", _OPEN_END.sub("", text))
    found = morphemes(short)
    if len(found) > 1 and found[-1].surface in _TOPICS and found[-2].pos[0] in _NOUNS:
        short = short.removesuffix(found[-1].surface)
    return _ABOUT.sub("", short) or short or text


def _bare(text: str, marks: str = _MARKS) -> str:
    """The text without marks and pictures at its ends."""
    start, end = 0, len(text)
    while start < end and not _says(text[start], ""):
        start += 1
    if start and _PARTICLE.match(text, start):  # 👍になりたい
        start = 0
    while end > start and not _says(text[end - 1], "?？" if "?" not in marks else ""):
        end -= 1
    return text[start:end]


def _says(char: str, kept: str) -> bool:
    return char.isalnum() or char in kept or char in "ー々「」『』()（）〔〕%％円"


def _of(sentence: str) -> str:
    bare = _bare(sentence)
    told = _OPEN_END.sub("", bare)  # 来週引っ越すんですけど: told, and no task
    text = _BARE_KNOW.sub("知りたい", _DESU.sub("", told))
    if not _KANA.search(text):
        return ""
    about = _ABOUT.sub("", text)
    if about != text:
        return f"{about}について知りたい" if about and _ends_in_noun(about) else ""
    if told != bare and not _ends_in_noun(text):
        return _told(text)
    return _request(text) or _question(text) or _task(text) or _told(text) or _noun(text)


def _request(text: str) -> str:
    if _ASK_FOR.search(text):
        return f"{_ASK_FOR.sub('', text)}お願いしたい" if len(text) > 8 else ""
    asked = _PLEASE.sub("", text)
    if asked != text or _REQUEST.search(_last_clause(text)):
        return f"{asked}ほしい"
    thing = _GIVE_ME.sub("", text)
    return f"{thing}が欲しい" if thing != text and _ends_in_noun(thing) else ""


def _question(text: str) -> str:
    if text.endswith("か") and not text.endswith("とか") and not _POLITE.search(text):
        return f"{text}知りたい"
    found = morphemes(text)
    asks = len(found) > 1 and found[-1].surface in _QUESTION_WORDS
    return f"{text}か知りたい" if asks else ""


def _task(text: str) -> str:
    """A thing to do, which a goal may be put as, as a wish: プランを変更したい."""
    *before, last = morphemes(text)
    is_verb = last.pos[0] == "動詞" and last.form.startswith(("終止形", "連体形"))
    if not is_verb or last.normal in _STATES or any(m.surface in ("が", "は") for m in before):
        return ""
    of_it = verb_stem(last)
    return f"{text.removesuffix(last.surface)}{of_it}たい" if of_it else ""


def _told(text: str) -> str:
    """A predicate in plain form, as it stands."""
    last = morphemes(text)[-1]
    is_plain = last.form.startswith(("終止形", "連体形")) and last.surface not in ("だ", "な", "ん")
    if _POLITE.search(text) or not is_plain:
        return ""
    return text if last.pos[0] in ("動詞", "形容詞", "助動詞", "接尾辞") else ""


def _noun(text: str) -> str:
    found = morphemes(text)
    if len(found) > 1 and found[-1].surface in _TOPICS and "、" not in text:
        found, text = found[:-1], text.removesuffix(found[-1].surface)
    # 請求が二重: what is said of it, and no thing to ask for
    if not _ends_in_noun(text) or "、" in text or any(m.surface in ("が", "は") for m in found):
        return ""
    acts = found[-1].pos[2] == "サ変可能" or found[-1].surface.isascii()
    return f"{text}について知りたい" if acts else f"{text}が知りたい"


def _ends_in_noun(text: str) -> bool:
    found = morphemes(text)
    return bool(found) and found[-1].pos[0] in _NOUNS


def _last_clause(text: str) -> str:
    return re.split("けど|けれど|ので|から|が、|、", text)[-1]
