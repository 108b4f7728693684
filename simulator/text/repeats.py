"""Whether somebody asks again what was asked before."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from simulator.core.persona import Language
from simulator.text.asking import asks
from simulator.text.backchannels import without_opener
from simulator.text.normal import normal_form
from simulator.text.sentences import sentences
from simulator.text.tokens import content_tokens
from simulator.text.word_sets import word_set

_FEWEST_STATED = 2
ALIKE = 0.6  # of all content words of two questions, so many stand in both
# By which people ask, and ask again; they say nothing of what is asked. Normal forms and stems.
_ASKING = {
    "ja": word_set("""
        願う 良い 宜しい 教える 聞く 聴く 尋ねる 質問 知る 分かる 欲しい 答える 返事 結局 ちゃんと
        もう 遣る 一度 再度 何度 度 回 先程 さっき 先 また 又 早い すぐ 直ぐ 今 一体 本当 だから
    """),
    "en": word_set("""
        like want need help tel know ask answer question repeat again let see wonder kindly just
        stil real actual time alreadi said sai answer
    """),
}

# A statement that says what one asks, or wants, is a question: 送料を聞いているんですけど.
_TOLD = re.compile("(?:聞|訊|尋ね|言)[いっ]?て(?:い)?る|質問して|" + r"\bask(?:ed|ing)\b")


@dataclass(frozen=True, slots=True)
class _Asked:
    """A sentence as it is compared. `statement`: it is no question by its form."""

    form: str
    words: frozenset[str]
    statement: bool


def repeats(turns: Sequence[str], language: Language) -> list[int]:
    """The places of the turns, from 0, that ask again what an earlier turn asked.

    Turns are compared sentence by sentence. Two sentences ask the same if their normal forms are
    the same, or if six of ten of their content words stand in both (Jaccard), the words by which
    people only ask apart (教えて, もう一度, *tell me*, *again*). One that is no question by its
    form has to share two words, since 送料ですね only takes the matter up. A sentence without
    content words, such as それで？, asks nothing of its own.
    """
    before: list[_Asked] = []
    found = []
    for at, text in enumerate(turns):
        now = [asked for s in sentences(text, language) if (asked := _asked(s, language)).words]
        if any(_alike(one, other) for one in now for other in before):
            found.append(at)
        before += now
    return found


def _asked(sentence: str, language: Language) -> _Asked:
    bare = without_opener(sentence, language)
    words = frozenset(content_tokens(bare, language)) - _ASKING[language]
    question = asks(sentence, language) or _TOLD.search(sentence.casefold()) is not None
    return _Asked(normal_form(bare), words, not question)


def _alike(one: _Asked, other: _Asked) -> bool:
    if one.form == other.form:
        return True
    shared = len(one.words & other.words)
    least = _FEWEST_STATED if one.statement else 1
    return shared >= max(least, ALIKE * len(one.words | other.words))
