"""Whether a desk passes a talk on to a person, or names whom to turn to.

How it is said stands in `ja/handover.yaml` and `en/handover.yaml`.
"""

import re
import unicodedata
from enum import IntEnum
from functools import lru_cache

from simulator.core.persona import Language
from simulator.text.ja.politeness import made_polite
from simulator.text.normal import folded
from simulator.text.phrases import Phrases, phrases
from simulator.text.refusals import is_refusal, only_refuses
from simulator.text.sentences import sentences

_READ = 4000  # characters
_CONTACT = re.compile(
    r"[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+|(?:https?://|www\.)[^\s、。，）)」』]+"
    r"|(?<![\d.,-])(?:\+\d{1,3}[ -]?)?\(?0\d{1,4}\)?[ -]?\d{2,4}[ -]?\d{3,4}(?![\d-])"
)


class Handover(IntEnum):
    """What becomes of a talk; the higher, the more certain that a person has it now."""

    NONE = 0
    POINTED = 1  # 窓口までお問い合わせください: it is the user who has to go there
    TAKEN_UP = 2  # 担当者が調査します: a person deals with what the reply is about
    PASSED_ON = 3  # 担当者におつなぎします: the talk itself goes to a person


def handover(text: str, language: Language) -> Handover:
    """What a reply does with the talk: the most that one of its sentences does.

    An offer (おつなぎしましょうか), a condition (解決しない場合は), something that is possible
    (つなぐことができます) and what is denied (おつなぎできません) do nothing yet; nor does passing
    on things: データの引き継ぎ, *transfer your photos*.
    """
    return _handover(text[:_READ], language)


def sends_to_a_person(text: str, language: Language) -> bool:
    """Whether a reply hands the user over to a person or says whom to turn to.

    An offer counts (おつなぎしましょうか), and so does advice that depends on the matter itself
    (煙が出ている場合は119番へ). Contacts that are added to an answer for other questions do not
    (ご不明な点は窓口まで), nor does what is denied (おつなぎできません). Beside how the user does
    it alone (*book online*), a number or a desk in passing is none either, only *please call …*;
    beside a refusal that has nothing else with it, any number is one, and so is a desk to come to.
    """
    return _sends(text[:_READ], language)


def only_hands_over(text: str, language: Language) -> bool:
    """Whether all that a text states is who has the matter now, or whom to turn to.

    Refusals, sympathy, conditions and *please wait* state nothing. *Put some ice on it, and call
    our desk* states more than that.
    """
    between = phrases(f"text/{language}/grounding").pattern("between_clauses")
    beside = _rules(language).pattern("beside")
    return all(
        only_refuses(clause, language)
        or sends_to_a_person(clause, language)
        or beside.search(folded(clause))
        for sentence in sentences(text[:_READ], language)
        for clause in between.split(sentence)
        if clause
    )


@lru_cache(maxsize=256)  # bots repeat themselves
def _handover(text: str, language: Language) -> Handover:
    rules = _rules(language)
    return max((_of(s, rules) for s in _read_as(text, language)), default=Handover.NONE)


@lru_cache(maxsize=256)  # several metrics ask about the same reply
def _sends(text: str, language: Language) -> bool:
    if handover(text, language) >= Handover.TAKEN_UP:
        return True
    rules, found = _rules(language), _read_as(text, language)
    turns_to, denied = rules.pattern("turns_to"), rules.pattern("denied")
    pointing = [at for at, s in enumerate(found) if turns_to.search(s) and not denied.search(s)]
    explains, directs = rules.pattern("explains"), rules.pattern("directs")
    is_explained = any(explains.search(s) for at, s in enumerate(found) if at not in pointing)
    for at in pointing:
        is_aside = _is_aside(found, at, rules) and not is_refusal(found[at], language)
        if not is_aside and (not is_explained or directs.search(found[at])):
            return True
    named = [_names_a_contact(s) or bool(rules.pattern("to_a_desk").search(s)) for s in found]
    if not pointing and not (is_refusal(text, language) and (_names_a_contact(text) or any(named))):
        return False
    rest = [s for at, s in enumerate(found) if at not in pointing and not named[at]]
    return all(only_refuses(s, language) or rules.pattern("beside").search(s) for s in rest)


def _names_a_contact(text: str) -> bool:
    """Whether a telephone number, an address or a link is in it."""
    return _CONTACT.search(unicodedata.normalize("NFKC", text)) is not None


def _read_as(text: str, language: Language) -> list[str]:
    """The sentences as the rules want them: in Japanese with polite endings."""
    found = sentences(folded(text), language)
    return [made_polite(sentence) for sentence in found] if language == "ja" else found


def _is_aside(found: list[str], at: int, rules: Phrases) -> bool:
    """Whether a sentence, or a question before it, says that it is for other questions."""
    asked = found[at - 1] if at and found[at - 1].endswith("?") else ""
    aside = rules.pattern("by_the_way")
    return bool(aside.search(found[at]) or aside.search(asked))


def _rules(language: Language) -> Phrases:
    return phrases(f"text/{language}/handover")


def _of(sentence: str, rules: Phrases) -> Handover:
    sentence = rules.pattern("opening").sub("", sentence)
    if rules.pattern("condition").search(sentence):
        return Handover.NONE
    if not rules.pattern("not_yet").search(sentence):
        if rules.pattern("passes_on").search(sentence):
            return Handover.PASSED_ON
        if rules.pattern("takes_up").search(sentence):
            return Handover.TAKEN_UP
    return Handover.POINTED if rules.pattern("points").search(sentence) else Handover.NONE
