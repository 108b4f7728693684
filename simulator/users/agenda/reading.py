"""What a user makes of a reply: does it answer, refuse, ask back, or pass the matter on."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from simulator.core.persona import Language
from simulator.text.asking import asks_back
from simulator.text.handover import Handover, handover
from simulator.text.refusals import is_refusal
from simulator.text.sentences import sentences
from simulator.text.tokens import content_tokens

_READ = 4000  # characters: no more is read of one reply
# Where to turn, told as a fact: a number or an address of the desk that is named.
_REACHED_AT = re.compile(r"\d|@|https?:")
_QUESTION = re.compile(r"[?？][)）」』\"”]*$")


@dataclass(frozen=True, slots=True)
class Reading:
    """A reply as a user reads it.

    `told`: content words of what it states; `asked`: those of its questions, if it asks the user
    for something. `about`: what it states and whom it sends the user to; passing a talk on, or
    naming a desk without saying how it is reached, states nothing.
    """

    text: str
    told: frozenset[str]
    asked: frozenset[str]
    about: frozenset[str]
    asks: bool
    refuses: bool
    handover: Handover


def read_reply(text: str, language: Language) -> Reading:
    """Read one reply."""
    return _read(text[:_READ], language)


def past_refused_aside(reading: Reading, language: Language) -> Reading:
    """The same reply to somebody who also said something beside the matter.

    What it refuses may be that: if it says anything else, what it refuses is passed over.
    """
    if not reading.refuses:
        return reading
    found = sentences(reading.text, language)
    rest = [sentence for sentence in found if not is_refusal(sentence, language)]
    return read_reply(" ".join(rest), language) if 0 < len(rest) < len(found) else reading


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
        told=_words([s for s in stated if not _sends_away(s, language)], language),
        asked=_words(questions, language) if asks else frozenset(),
        about=_words(stated, language),
        asks=asks,
        refuses=is_refusal(text, language),
        handover=handover(text, language),
    )


def _words(found: Sequence[str], language: Language) -> frozenset[str]:
    return frozenset(content_tokens(" ".join(found), language))


def _sends_away(sentence: str, language: Language) -> bool:
    """Whether a sentence does nothing but pass the talk on, or name a desk."""
    does = handover(sentence, language)
    if does is Handover.POINTED:
        return not _REACHED_AT.search(unicodedata.normalize("NFKC", sentence))
    return does is not Handover.NONE
