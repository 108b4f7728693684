"""The content words of a text, in normal form: what retrieval and comparison work on."""

import unicodedata
from collections.abc import Sequence

from simulator.core.clean import clean
from simulator.core.persona import Language
from simulator.text.english import STOP_WORDS, stem, words
from simulator.text.sudachi import Morpheme, morphemes
from simulator.text.word_sets import word_set

_CONTENT = frozenset({"名詞", "代名詞", "動詞", "形容詞", "形状詞", "副詞"})
# Words that help others or stand for anything; by normal form.
EMPTY = word_set("""
    為る 有る 居る 成る 出来る 下さる 呉れる 貰う 頂く 致す 仰る 御座る 参る 言う
    つく よる おく 関する 対する
    事 物 時 為 所 訳 方 様 よう こと もの とき ため ところ ほう はず つもり 場合 際
    其れ 此れ 彼れ 何れ 此処 其処 あそこ どこ 何 何処 いつ どう どうして
""")


def content_tokens(text: str, language: Language) -> list[str]:
    """The content words of any text, in order and with repeats, lower-cased.

    Japanese: normal forms (Sudachi, SplitMode.A) of nouns, pronouns, verbs, adjectives, adverbs and
    nominal suffixes; numbers are digits (`1,480` and `千四百八十` are `1480`); auxiliary verbs and
    words such as こと and する are left out. English: stems of the words that are no stop words.
    """
    if language == "en":
        return [stem(word) for word in words(clean(text)) if word not in STOP_WORDS]
    found = morphemes(unicodedata.normalize("NFKC", clean(text)))
    return [m.normal.casefold() for i, m in enumerate(found) if is_content(found, i)]


def is_content(found: Sequence[Morpheme], at: int) -> bool:
    """Whether the morpheme at this place says something by itself."""
    morpheme = found[at]
    kind = morpheme.pos[0]
    if kind not in _CONTENT and not (kind == "接尾辞" and morpheme.pos[1] == "名詞的"):
        return False
    if morpheme.normal in EMPTY or not any(c.isalnum() for c in morpheme.normal):
        return False
    return not _is_auxiliary(found, at)


def _is_auxiliary(found: Sequence[Morpheme], at: int) -> bool:
    """Whether the verb at this place only helps the one before it, as in 送って*おく*."""
    morpheme = found[at]
    if at == 0 or morpheme.pos[:2] != ("動詞", "非自立可能"):
        return False
    return found[at - 1].pos[:2] == ("助詞", "接続助詞")
