"""What people say that carries no matter: greetings, thanks, yes, and words to begin with."""

import re

from simulator.core.persona import Language
from simulator.text.english import STOP_WORDS, words
from simulator.text.refusal_rules import alternatives
from simulator.text.sentences import sentences
from simulator.text.sudachi import morphemes
from simulator.text.tokens import content_tokens
from simulator.text.word_sets import word_set

_MARKS = r"[\s、,，。．.!！?？…~〜～ー♪^)(（）]*"
_OPENERS = {
    "ja": alternatives(
        """
        はい|ええ|うん|いえ(?:いえ)?|いいえ|あっ?|ああ|えっと|ええと|えーと|うーん|んー
        そうですね[ぇえー]*|そうなんです(?:ね|か)?|そうです|なるほど(?:です)?ね?
        (?:わか|分か|判)りました|了解(?:です|しました|いたしました)|承知(?:しました|いたしました)
        かしこまりました|では|それでは|じゃあ?|あと(?:は)?|ちなみに|因みに|そういえば|すみません
        """
    ),
    "en": alternatives(
        r"""
        yes|yeah|yep|no|nope|ok|okay|sure|right|well|um+|uh+|ah+|oh|i see|got it|and|also|so|then
        thanks|thank you
        """
    ),
}
_COURTESIES = {
    "ja": alternatives(
        """
        こんにち[はわ]|こんばん[はわ]|おはよう(?:ございます)?|はじめまして|初めまして|もしもし
        (?:どうぞ|では|それでは)?、?(?:よろ|宜)しく(?:お(?:願|ねが)い(?:し|いた|致)?(?:し)?ます)?
        (?:それで)?お(?:願|ねが)い(?:し|いた|致)?(?:し)?ます|お願い|(?:どうも|誠に)?ありがとう(?:ござい(?:ます|ました))?
        (?:いつも)?(?:大変)?お世話に(?:なって(?:おり|い)ます|なります|なりました)|助かり(?:ます|ました)
        (?:失礼|大変失礼)(?:し|いた|致)?し?(?:ます|ました)|すみません|すいません|ごめん(?:なさい)?
        お疲れ様です|どうも|大丈夫です|(?:それで)?(?:いい|良い|結構)です(?:ね)?|特に(?:あり|ござい)ません
        """
    ),
    "en": alternatives(
        r"""
        hi|hello|hey|good (?:morning|afternoon|evening|day)|greetings|(?:hi|hello) there
        (?:many )?thanks(?: (?:a lot|so much|very much))?|thank you(?: (?:so|very) much)?|cheers
        you're welcome|no problem|great|perfect|fine|that's (?:fine|great|right|all)|bye|goodbye
        is (?:anyone|anybody|somebody|someone) there|are you there|please|sorry|yes,? please
        """
    ),
}
# In English a space is not enough: *no smoking room* is no *no, …*.
_AFTER = {"ja": r"[\s、,，。．.!！…]+", "en": r"[,.!…]+\s*"}
_OPENING = {
    language: re.compile(rf"(?:(?:{openers})(?:{_AFTER[language]}|$))+", re.IGNORECASE)
    for language, openers in _OPENERS.items()
}
_EMPTY = {
    language: re.compile(
        rf"{_MARKS}(?:(?:{courtesies}|{_OPENERS[language]}){_MARKS})*", re.IGNORECASE
    )
    for language, courtesies in _COURTESIES.items()
}
_VAGUE = word_set("""
    事 こと 物 もの 方 ほう 感じ 所 ところ 為 訳 以上 問題 結構 全部 通り 様 よう 場合 時 今 気 回答
    返事 連絡 確認 対応 参考 最高 良さ 意味 其れ 此れ
""")
# By which people ask; they say nothing of what is asked. Normal forms and stems.
_ASKING = {
    "ja": word_set("""
        願う 良い 宜しい 教える 聞く 知る 欲しい そう もう 一度 確認 頼む 探す 早い 速い 急ぐ 直ぐ
        何とか どうにか 至急 ちょっと 一寸 少し 質問 困る
    """),
    "en": word_set("like want need help tel know ask let see wonder kindly hurri quick fast soon"),
}
_FEWEST = 2  # English content words of a statement that says something


def is_courtesy(text: str, language: Language) -> bool:
    """Whether a text holds nothing but greetings, thanks, yes and the like; an empty one does."""
    return all(_EMPTY[language].fullmatch(s) for s in sentences(text, language))


def without_opener(sentence: str, language: Language) -> str:
    """The sentence without はい、 あと、 *well,* and the like before its matter; never empty."""
    found = _OPENING[language].match(sentence)
    return sentence[found.end() :].strip() or sentence if found else sentence


def is_substantial(sentence: str, language: Language) -> bool:
    """Whether a sentence names something: a noun or a number (ja), two content words (en).

    海側がいいです does, それでいいです and あっています do not.
    """
    if is_courtesy(sentence, language):
        return False
    if language == "en":
        return len([w for w in words(sentence) if w not in STOP_WORDS]) >= _FEWEST
    return any(
        m.pos[0] == "名詞" and m.normal not in _VAGUE and any(c.isalnum() for c in m.surface)
        for m in morphemes(sentence)
    )


def names_a_matter(question: str, language: Language) -> bool:
    """Whether a question says what it is about, by a noun or a verb of its own.

    いつまで使えますか does, そうしてください and お願いできますか do not.
    """
    return not _ASKING[language].issuperset(content_tokens(question, language))
