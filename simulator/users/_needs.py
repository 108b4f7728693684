"""What a user wants to hear, and when it believes that it has heard it."""

import re
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache

from simulator.core.persona import Language
from simulator.core.scenario import Brief
from simulator.text.sentences import sentences
from simulator.text.tokens import content_tokens
from simulator.text.word_sets import word_set
from simulator.users._reading import Reading
from simulator.users._signs import SIGNS

_ENOUGH = 0.5  # share of a need's content words that a reply has to hold
_ENOUGH_FOR_SURE = 0.6  # where a sign weighs in, or the reply sends on to a person
_OF_THE_MATTER = 3  # or so many words of the whole matter,
_OF_THE_QUESTION = 2  # so many of them of the query or the goal,
_NEW = 2  # and so many others
_SIGN_WEIGHT = 2  # words
_TOUCHED = 0.4

# Words by which people ask; they say nothing of what is asked. Normal forms and stems.
_ASKING = {
    "ja": word_set(
        "知る 教える 聞く 欲しい 確認 困る 分かる 良い 願う 出来る 自分 方法 遣る 遣り方"
    ),
    "en": word_set(
        "want know like need tel wonder whether abl ask understand find get go one much many"
    ),
}


class State(Enum):
    """Where a need stands."""

    OPEN = "open"
    COVERED = "covered"
    PASSED_ON = "passed on"  # a person takes it over
    SENT_AWAY = "sent away"  # the user is told to ask somebody else


@dataclass(slots=True)
class Need:
    """One thing that a user wants; `asked` counts how often it was put into words.

    `named`: the words in which the bot heard of it, or would.
    """

    text: str
    words: frozenset[str]
    signs: tuple[re.Pattern[str], ...]
    named: str = ""
    question: frozenset[str] = frozenset()
    matter: frozenset[str] = frozenset()
    state: State = State.OPEN
    asked: int = 0

    def is_met_by(self, reading: Reading) -> bool:
        """Whether a reply looks as if it settled this: an impression, for nobody told the user.

        It may not refuse. If the need asks for a time, a price or a contact, such a thing has to
        be there, beside a word of the matter (query, goal and facts), and counts as two words. And
        the reply has to be about this: it holds half of the need's content words, or three words
        of the matter, two of them of query or goal, and says two that are new to it. What it only
        asks, and passing the talk on, does not count. A need without content words takes any
        statement.
        """
        if reading.refuses or not all(sign.search(reading.text.casefold()) for sign in self.signs):
            return False
        if not self.words:
            return bool(self.signs) or not reading.asks
        if not self.matter & reading.told:
            return False  # a time or a price, but of something else
        signs = _SIGN_WEIGHT * len(self.signs)
        enough = _ENOUGH_FOR_SURE if signs or reading.handover else _ENOUGH
        if len(self.words & reading.told) + signs >= enough * (len(self.words) + signs):
            return True
        if reading.handover:
            return False
        known, new = self.matter & reading.told, reading.told - self.matter
        asked = self.question & reading.told  # by facts alone, 3日 would be about anything
        return len(known) >= _OF_THE_MATTER and len(asked) >= _OF_THE_QUESTION and len(new) >= _NEW

    def is_touched_by(self, reading: Reading) -> bool:
        """Whether the reply is about this at all."""
        return len(self.words & reading.about) >= _TOUCHED * len(self.words)


def needs_of(brief: Brief) -> list[Need]:
    """Each sentence of the goal, or the query where there is no goal."""
    texts = sentences(brief.goal, brief.language) or [brief.query]
    question = words_of(f"{brief.query} {brief.goal}", brief.language)
    matter = question | words_of(" ".join(brief.known), brief.language)
    named = [brief.query, *texts[1:]]
    return [
        replace(_need(text, brief.language), named=name, question=question, matter=matter)
        for text, name in zip(texts, named, strict=True)
    ]


def _need(text: str, language: Language) -> Need:
    asks_for = [(cue, sign) for cue, sign in SIGNS[language] if cue.search(text.casefold())]
    rest = text.casefold()
    for cue, _ in asks_for:
        rest = cue.sub(" ", rest)
    signs = tuple(sign for _, sign in asks_for)
    return Need(text, words_of(rest, language), signs)


@lru_cache(maxsize=1024)  # each persona has the same needs in a scenario
def words_of(text: str, language: Language) -> frozenset[str]:
    """The content words of a text, without those by which people ask."""
    return frozenset(content_tokens(text, language)) - _ASKING[language]
