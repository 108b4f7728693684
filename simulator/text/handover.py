"""Whether a desk passes a talk on to a person, or only names whom to turn to."""

import re
import unicodedata
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache

from simulator.core.clean import clean
from simulator.core.persona import Language
from simulator.text import handover_en, handover_ja
from simulator.text.sentences import sentences

_READ = 4000  # characters


class Handover(IntEnum):
    """What becomes of a talk; the higher, the more certain that a person has it now."""

    NONE = 0
    POINTED = 1  # 窓口までお問い合わせください: it is the user who has to go there
    TAKEN_UP = 2  # 担当者が調査します: a person deals with what the reply is about
    PASSED_ON = 3  # 担当者におつなぎします: the talk itself goes to a person


@dataclass(frozen=True, slots=True)
class _Rules:
    """Patterns that are searched in one sentence (NFKC, case folded)."""

    opening: re.Pattern[str]  # それでしたら: looks like a condition, and is none
    condition: re.Pattern[str]
    not_yet: re.Pattern[str]  # offered, denied, possible
    passes_on: re.Pattern[str]
    takes_up: re.Pattern[str]
    points: re.Pattern[str]


def handover(text: str, language: Language) -> Handover:
    """What a reply does with the talk: the most that one of its sentences does.

    An offer (おつなぎしましょうか), a condition (解決しない場合は), something that is possible
    (つなぐことができます) and what is denied (おつなぎできません) do nothing yet; nor does passing
    on things: データの引き継ぎ, *transfer your photos*.
    """
    return _handover(text[:_READ], language)


@lru_cache(maxsize=256)  # bots repeat themselves
def _handover(text: str, language: Language) -> Handover:
    text = unicodedata.normalize("NFKC", clean(text)).replace("’", "'").casefold()
    found = (_of(sentence, _RULES[language]) for sentence in sentences(text, language))
    return max(found, default=Handover.NONE)


def _of(sentence: str, rules: _Rules) -> Handover:
    sentence = rules.opening.sub("", sentence)
    if rules.condition.search(sentence):
        return Handover.NONE
    if not rules.not_yet.search(sentence):
        if rules.passes_on.search(sentence):
            return Handover.PASSED_ON
        if rules.takes_up.search(sentence):
            return Handover.TAKEN_UP
    return Handover.POINTED if rules.points.search(sentence) else Handover.NONE


_RULES: dict[Language, _Rules] = {
    "ja": _Rules(
        handover_ja.OPENING,
        handover_ja.CONDITION,
        handover_ja.NOT_YET,
        handover_ja.PASSES_ON,
        handover_ja.TAKES_UP,
        handover_ja.POINTS,
    ),
    "en": _Rules(
        handover_en.OPENING,
        handover_en.CONDITION,
        handover_en.NOT_YET,
        handover_en.PASSES_ON,
        handover_en.TAKES_UP,
        handover_en.POINTS,
    ),
}
