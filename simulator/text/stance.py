"""What a sentence says of its words: named, affirmed or denied; with numbers bound to units."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from simulator.core.clean import clean
from simulator.core.persona import Language
from simulator.text.english import STOP_WORDS, stem, words
from simulator.text.sudachi import Morpheme, morphemes
from simulator.text.tokens import is_content
from simulator.text.word_sets import word_set


class Stance(StrEnum):
    """How a word stands in its sentence."""

    NAMED = "named"  # 返品について
    AFFIRMED = "affirmed"  # 返品できます
    DENIED = "denied"  # 返品できません: what one does with it is denied
    RULED_OUT = "ruled_out"  # 返品はありません, 無料ではない: the thing itself is


@dataclass(frozen=True, slots=True)
class Mention:
    """A content word, or a number with its unit, as one place of a sentence has it."""

    key: str
    stance: Stance


def mentions(sentence: str, language: Language) -> list[Mention]:
    """The content words of one sentence with their stance.

    A number is one word with its unit (`30日以内`, `30 day`), so that neither 3日 nor 30分 passes
    for 30日. Japanese reads the chain of auxiliaries after a word, twice denied is affirmed
    (返品できないわけではない); English looks for a negation before a word, over auxiliaries.
    """
    if language == "en":
        return _english(sentence)
    return _japanese(morphemes(unicodedata.normalize("NFKC", clean(sentence))))


# ---- Japanese ----

_NEGATIONS = word_set("ない ず まい 無い 兼ねる 不可 不能 不要 無用 なし 無し 不")
_LIGHT_VERBS = word_set("""
    為る 出来る 有る 居る おる 成る 致す 御座る 下さる 頂く 呉れる 貰う 見る 置く 得る 行く 行う
    可能
""")
_LIGHT_NOUNS = word_set("こと 事 訳 筈 必要")
_LIMITS = word_set("以内 以上 以下 未満 超 前 後 目 間 分 以降 以前 まで 引き")
_LINKS = word_set("を が は も て で")
_LONGEST_CHAIN = 16  # morphemes


def _japanese(found: list[Morpheme]) -> list[Mention]:
    out: list[Mention] = []
    at = 0
    while at < len(found):
        end = _number_end(found, at)
        if end > at:
            key = "".join(m.normal for m in found[at:end]).casefold()
            out.append(Mention(key, _stance(found, end - 1)))
        elif key := _key(found, at):
            out.append(Mention(key, _stance(found, at)))
        at = max(end, at + 1)
    return out


def _key(found: list[Morpheme], at: int) -> str:
    normal = found[at].normal
    if normal in ("出来る", "可能"):
        return "出来る"
    if normal in _NEGATIONS or not is_content(found, at):
        return ""
    return normal.casefold()


def _number_end(found: list[Morpheme], at: int) -> int:
    """Where the number that starts here ends, with its unit; `at` where none starts."""
    end = at
    while end < len(found) and (_is_number(found[end]) or _joins_numbers(found, at, end)):
        end += 1
    if end == at:
        return at
    for _ in range(2 if end < len(found) and found[end].normal == "営業" else 1):
        end += end < len(found) and found[end].pos[0] in ("名詞", "接尾辞")
    while end < len(found) and found[end].surface in _LIMITS:
        end += 1
    return end


def _is_number(morpheme: Morpheme) -> bool:
    return morpheme.pos[1] == "数詞"


def _joins_numbers(found: list[Morpheme], start: int, at: int) -> bool:
    inside = start < at < len(found) - 1 and found[at].surface in "-:./"
    return inside and _is_number(found[at - 1]) and _is_number(found[at + 1])


def _stance(found: Sequence[Morpheme], at: int) -> Stance:
    """Read the chain of helping words that follows the word at this place."""
    verbal = found[at].pos[0] in ("動詞", "形容詞") or found[at].normal == "可能"
    denials = 0
    for here in range(at + 1, min(len(found), at + _LONGEST_CHAIN)):
        morpheme = found[here]
        if morpheme.normal in _NEGATIONS:
            denials += 1
        elif not _helps(found, here):
            break
        verbal = verbal or (morpheme.normal in _LIGHT_VERBS and morpheme.normal != "有る")
    if denials % 2:
        return Stance.DENIED if verbal else Stance.RULED_OUT
    return Stance.AFFIRMED if verbal else Stance.NAMED


def _helps(found: Sequence[Morpheme], at: int) -> bool:
    morpheme = found[at]
    kind = morpheme.pos[0]
    if kind in ("助動詞", "接尾辞") or morpheme.normal in _LIGHT_VERBS | _LIGHT_NOUNS:
        return True
    if kind != "助詞":
        return False
    if morpheme.surface in ("と", "ば"):  # 送らないといけません, but not 更新するとできません
        return at + 1 < len(found) and found[at + 1].normal in ("行く", "成る")
    return morpheme.surface == "て" or (
        morpheme.surface in _LINKS and morpheme.pos[1] != "接続助詞"
    )


# ---- English ----

_NOT = re.compile(r"n['’]t\b|\bcannot\b")
_DENIERS = word_set("not no never unable without neither nor")
_PASSED_OVER = word_set("""
    be been being is are was were do does did have has had having can could will would may might
    shall should must a an the any to yet currently automatically also get able longer
""")
_SMALL = "one two three four five six seven eight nine ten eleven twelve"
_SMALL_NUMBERS = {word: str(n) for n, word in enumerate(_SMALL.split(), start=1)}


def _english(sentence: str) -> list[Mention]:
    text = _NOT.sub(lambda m: " not " if m.group()[0] == "n" else "can not", sentence.casefold())
    found = words(clean(text).replace("%", " percent "))
    out: list[Mention] = []
    at = 0
    while at < len(found):
        key, following = _english_key(found, at)
        if key:
            out.append(Mention(key, Stance.RULED_OUT if _denied(found, at) else Stance.NAMED))
        at = following
    return out


def _english_key(found: list[str], at: int) -> tuple[str, int]:
    """The content word at this place, or "", and where to go on."""
    word, follower = found[at], found[at + 1] if at + 1 < len(found) else ""
    number = _SMALL_NUMBERS.get(word, word)
    if number[0].isdecimal() and follower and follower not in STOP_WORDS:
        return f"{number} {stem(follower)}", at + 2
    return ("" if word in STOP_WORDS else stem(number)), at + 1


def _denied(found: list[str], at: int) -> bool:
    while at > 0 and found[at - 1] in _PASSED_OVER:
        at -= 1
    return at > 0 and found[at - 1] in _DENIERS
