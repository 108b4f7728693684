"""What kind of turn it is: whether it answers at all, what it leans on, and what is left of it.

What is left without greetings, thanks, apologies and closing words is its content: answers with the
same content are one to a person who judges them.
"""

import hashlib
import re
from dataclasses import dataclass

from simulator.core.clean import folded, normal_form
from simulator.core.persona import Language
from simulator.core.ports import Evidence
from simulator.text.acts import (
    follows_up,
    is_pleasantry,
    only_asks_back,
    only_closes,
    refuses_anything,
    without_opener,
)
from simulator.text.phrases import phrases
from simulator.text.tokens import sentences

_READ = 4_000  # characters: of a longer reply nothing is left out
_LEAD = re.compile(
    r"(.{1,40}?)(?:が|けれども?|けど)?[、,]\s*(?:(?:but|and|however)\b,?)?\s*(.+)",
    re.DOTALL | re.IGNORECASE,
)
_MARKS = " \t、。.,!?！？…"


@dataclass(frozen=True, slots=True)
class Shape:
    """The fields of the same names of `simulator.core.run.Turn`."""

    asks_back: bool
    closes: bool
    follows_up: bool
    content: str


def shape_of(evidence: Evidence) -> Shape:
    """The shape of the last turn of a talk."""
    language, scenario = evidence.language, evidence.scenario
    *before, last = evidence.talk.exchanges
    questions = "\n".join(exchange.user for exchange in before)
    return Shape(
        asks_back=only_asks_back(last.assistant, language),
        closes=only_closes(evidence.talk.exchanges, language),
        follows_up=bool(before)
        and follows_up(last.user, questions, scenario.query, scenario.goal, language),
        content=hashlib.sha256(content_of(last.assistant, language).encode()).hexdigest()[:16],
    )


def content_of(reply: str, language: Language) -> str:
    """The normal form of what a reply says, courtesies aside; of nothing else than these all."""
    if len(reply) > _READ:
        return normal_form(reply)
    told = (_without_courtesies(sentence, language) for sentence in sentences(reply, language))
    return " ".join(filter(None, told)) or normal_form(reply) or reply.strip()


def _without_courtesies(sentence: str, language: Language) -> str:
    bare = without_opener(sentence, language)
    if _is_courteous(bare, language):
        return ""
    lead = _LEAD.fullmatch(bare)
    if lead and _is_courteous(lead[1], language):
        return _without_courtesies(lead[2], language)
    return normal_form(bare)


def _is_courteous(text: str, language: Language) -> bool:
    """True if all that a sentence or a clause does is to greet, thank, apologise or close."""
    manners = phrases(f"text/{language}/pleasantries").pattern("manners")
    if manners.fullmatch(folded(text).strip(_MARKS)):
        return True
    return is_pleasantry(text, language) and not refuses_anything(text, language)
