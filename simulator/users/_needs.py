"""What a user wants to hear, and when it believes that it has heard it."""

import math
import re
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from simulator.core.persona import Language
from simulator.core.scenario import Brief
from simulator.text.sentences import sentences
from simulator.text.tokens import content_tokens
from simulator.text.word_sets import word_set
from simulator.users._reading import Reading

_ENOUGH = 0.6  # share of a need's weight that a reply has to hold
_ENOUGH_OF_QUERY = 0.8  # share of the query's words, which often say less than the goal
_FEWEST_OF_QUERY = 3  # a shorter query (消えた。どうしよう) tells nothing about the answer
_TOUCHED = 0.4
_SIGN_WEIGHT = 2  # words

# Words by which people ask; they say nothing of what is asked. Normal forms and stems.
_ASKING = {
    "ja": word_set(
        "知る 教える 聞く 欲しい 確認 困る 分かる 良い 願う 出来る 自分 方法 遣る 遣り方"
    ),
    "en": word_set(
        "want know like need tel wonder whether abl ask understand find get go one much many"
    ),
}

# What kind of thing is asked for, and what it looks like when it is there.
_SIGNS: dict[Language, tuple[tuple[re.Pattern[str], re.Pattern[str]], ...]] = {
    "ja": (
        (
            re.compile(
                "いつ|何日|何年|何時|期限|期間|制限|(?:どれ|どの)くらい(?:待|かか|で)|何か月"
            ),
            re.compile(r"[\d一二三]+ ?(?:分|時間|日|週間|か月|ヶ月|カ月|年|営業日|時)|前日|翌日"),
        ),
        (re.compile("いくら|料金|金額|値段|費用"), re.compile(r"[\d,]+ ?円|無料")),
        (
            re.compile("どこ[にへ](?:連絡|送|電話|相談)|連絡先"),
            re.compile(r"@|\d{2,4}-\d{2,4}-\d{3,4}|窓口|フォーム"),
        ),
    ),
    "en": (
        (
            re.compile(r"\b(?:when|how long|until|by when|deadline|time limit|how many years)\b"),
            re.compile(
                r"(?i)\b(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
                r"[ -](?:business )?(?:minute|hour|day|week|month|year)s?\b|\d:\d\d"
            ),
        ),
        (
            re.compile(r"\b(?:how much|costs?|prices?|fees?)\b"),
            re.compile(
                r"\d ?(?:yen|dollars?|euros?|pounds?)\b|[¥$€£] ?\d"
                r"|(?:is|for|are) free\b|\bcosts? nothing\b"
            ),
        ),
        (
            re.compile(
                r"\b(?:where (?:to|do i|i) (?:send|write|call)|who to contact|whom? .*contact)"
            ),
            re.compile(r"@|\d{2,4}-\d{2,4}-\d{3,4}|\bdesk\b|\bform\b"),
        ),
    ),
}


class State(Enum):
    """Where a need stands."""

    OPEN = "open"
    COVERED = "covered"
    PASSED_ON = "passed on"  # a person is to settle it


@dataclass(slots=True)
class Need:
    """One thing that a user wants; `asked` counts how often it was put into words."""

    text: str
    words: frozenset[str]
    signs: tuple[re.Pattern[str], ...]
    query: frozenset[str] = frozenset()
    state: State = State.OPEN
    asked: int = 0

    def is_met_by(self, reading: Reading) -> bool:
        """Whether a reply looks as if it settled this: an impression, for nobody told the user.

        A reply that does not refuse has to hold three fifths of the need's content words. If the
        need asks for a time, a price or a contact, such a thing in the reply counts as two words.
        What the reply only asks does not count. A need without content words takes any statement.
        The first need is met, too, by four fifths of the words of a query that says enough,
        together with the time, price or contact.
        """
        if reading.refuses:
            return False
        if not self.words and not self.signs:
            return not reading.asks
        signs = sum(bool(sign.search(reading.text)) for sign in self.signs)
        if self.query and signs == len(self.signs) and self._query_is_met_by(reading):
            return True
        weight = len(self.words) + _SIGN_WEIGHT * len(self.signs)
        found = len(self.words & reading.told) + _SIGN_WEIGHT * signs
        return found >= math.ceil(_ENOUGH * weight)

    def _query_is_met_by(self, reading: Reading) -> bool:
        return len(self.query & reading.told) >= _ENOUGH_OF_QUERY * len(self.query)

    def is_touched_by(self, reading: Reading) -> bool:
        """Whether the reply is about this at all."""
        return len(self.words & reading.told) >= _TOUCHED * len(self.words)


def needs_of(brief: Brief) -> list[Need]:
    """Each sentence of the goal, or the query where there is no goal."""
    texts = sentences(brief.goal, brief.language) or [brief.query]
    needs = [_need(text, brief.language) for text in texts]
    query = _words(brief.query, brief.language)
    needs[0].query = query if len(query) >= _FEWEST_OF_QUERY else frozenset()
    return needs


def _need(text: str, language: Language) -> Need:
    asks_for = [(cue, sign) for cue, sign in _SIGNS[language] if cue.search(text.casefold())]
    rest = text.casefold()
    for cue, _ in asks_for:
        rest = cue.sub(" ", rest)
    return Need(text, _words(rest, language), tuple(sign for _, sign in asks_for))


@lru_cache(maxsize=1024)  # each persona has the same needs in a scenario
def _words(text: str, language: Language) -> frozenset[str]:
    return frozenset(content_tokens(text, language)) - _ASKING[language]
