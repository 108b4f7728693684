"""What a user makes of a reply: does it answer, refuse, ask back, or pass the matter on."""

import re
from dataclasses import dataclass
from functools import lru_cache

from simulator.core.persona import Language
from simulator.text.questions import asks_back
from simulator.text.refusals import is_refusal
from simulator.text.sentences import sentences
from simulator.text.tokens import content_tokens

_READ = 4000  # characters: no more is read of one reply
_PASSED_ON = {
    "ja": re.compile(
        "オペレーター|担当者|有人(?:対応|窓口|チャット)|コールセンター|カスタマーサポート"
        "|(?:部署|窓口|センター|チーム|担当|サポート)[^。]{0,40}"
        "(?:ください|下さい|お願い|願います|おつなぎ|お繋ぎ|引き継|転送|承)"
    ),
    "en": re.compile(
        r"\b(?:human|live|support|customer service) (?:agent|operator|person|representative)s?\b"
        r"|\b(?:agent|representative|operator|colleague|member of (?:our|the) (?:team|staff))s? "
        r"(?:will|can|who)\b"
        r"|\b(?:contact|call|e-?mail|write to|reach out to|get in touch with|speak (?:to|with)|ask)"
        r" (?:us\b|(?:our|the)\b[^.]{0,30}\b(?:desk|team|support|department|line|hotline|service))"
        r"|\btransfer(?:ring)? you\b|\bput you through\b",
        re.IGNORECASE,
    ),
}
_CONDITION = {
    "ja": re.compile("場合|とき|時は|なければ|ないと|たら|ならば|なら、"),
    "en": re.compile(r"\b(?:if|unless|when|in case)\b", re.IGNORECASE),
}
_QUESTION = re.compile(r"[?？][)）」』\"”]*$")


@dataclass(frozen=True, slots=True)
class Reading:
    """A reply as a user reads it.

    `told`: content words of what it states; `asked`: those of its questions, if it asks the user
    for something. `passes_on`: it sends the user to a person, and not only in some case.
    """

    text: str
    told: frozenset[str]
    asked: frozenset[str]
    asks: bool
    refuses: bool
    passes_on: bool


def read(text: str, language: Language) -> Reading:
    """Read one reply."""
    return _read(text[:_READ], language)


def beside(reading: Reading, language: Language) -> Reading:
    """The same reply to somebody who also said something beside the matter.

    What it refuses may be that: if it says anything else, what it refuses is passed over.
    """
    if not reading.refuses:
        return reading
    found = sentences(reading.text, language)
    rest = [sentence for sentence in found if not is_refusal(sentence, language)]
    return read(" ".join(rest), language) if 0 < len(rest) < len(found) else reading


@lru_cache(maxsize=256)  # bots repeat themselves
def _read(text: str, language: Language) -> Reading:
    found = sentences(text, language)
    asks = asks_back(text, language)
    questions = [s for s in found if _QUESTION.search(s)]
    stated = [s for s in found if s not in questions]
    if asks and not questions:  # a request in words, such as 教えてください
        questions = stated[-2:]
    return Reading(
        text=text,
        told=frozenset(content_tokens(" ".join(stated), language)),
        asked=frozenset(content_tokens(" ".join(questions), language)) if asks else frozenset(),
        asks=asks,
        refuses=is_refusal(text, language),
        passes_on=any(
            _PASSED_ON[language].search(s) and not _CONDITION[language].search(s) for s in found
        ),
    )
