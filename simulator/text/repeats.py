"""Whether somebody asks again what was asked before."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from simulator.core.persona import Language
from simulator.text.asking import asks
from simulator.text.backchannels import without_opener
from simulator.text.normal import normal_form
from simulator.text.phrases import phrases
from simulator.text.sentences import sentences
from simulator.text.tokens import content_tokens

_FEWEST_STATED = 2
ALIKE = 0.6  # of all content words of two questions, so many stand in both
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
    asking = phrases(f"text/{language}/words").words("asking_again")
    words = frozenset(content_tokens(bare, language)) - asking
    question = asks(sentence, language) or _TOLD.search(sentence.casefold()) is not None
    return _Asked(normal_form(bare), words, not question)


def _alike(one: _Asked, other: _Asked) -> bool:
    if one.form == other.form:
        return True
    shared = len(one.words & other.words)
    least = _FEWEST_STATED if one.statement else 1
    return shared >= max(least, ALIKE * len(one.words | other.words))
