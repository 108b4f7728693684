"""Whether a reply passes a talk on to a person, or names whom to turn to.

How it is said is in `ja/handover.yaml` and `en/handover.yaml`: short lists, since in measurements
long ones decided no conversation otherwise.
"""

from enum import IntEnum
from functools import lru_cache

from simulator.core.form import folded
from simulator.core.persona import Language
from simulator.text.phrases import Phrases, phrases
from simulator.text.refusals import only_refuses
from simulator.text.sentences import sentences

_READ = 4000  # characters


class Handover(IntEnum):
    """What becomes of a talk; the higher, the more certain that a person has it now."""

    NONE = 0
    POINTED = 1  # 窓口までお問い合わせください: it is the user who has to go there
    TAKEN_UP = 2  # 担当者が調査します: a person deals with what the reply is about
    PASSED_ON = 3  # 担当者におつなぎします: the talk itself goes to a person


_LEVELS = {
    "passes_on": Handover.PASSED_ON,
    "takes_up": Handover.TAKEN_UP,
    "points": Handover.POINTED,
}


@lru_cache(maxsize=256)  # bots repeat themselves
def handover(text: str, language: Language) -> Handover:
    """What a reply does with the talk: the most that one of its sentences does.

    An offer (おつなぎしましょうか), a condition (解決しない場合は) and what is denied
    (おつなぎできません) do nothing yet, nor does a number to call below an answer.
    """
    rules = _rules(language)
    nothing = [rules.pattern(name) for name in ("not_yet", "aside", "denied")]
    active = (s for s in _read(text, language) if not any(p.search(s) for p in nothing))
    most = max((_of(sentence, rules) for sentence in active), default=Handover.NONE)
    beside = most is Handover.POINTED and not only_hands_over(text, language)
    return Handover.NONE if beside else most  # a number to call below an answer


@lru_cache(maxsize=256)  # several readers ask about the same reply
def sends_to_a_person(text: str, language: Language) -> bool:
    """True if a reply hands the user over to a person or says whom to turn to.

    An offer counts (おつなぎしましょうか). Contacts for other questions (ご不明な点は窓口まで) do
    not, nor does what is denied (おつなぎできません).
    """
    rules, read = _rules(language), _read(text, language)
    aside, denied = rules.pattern("aside"), rules.pattern("denied")
    return any(
        _of(sentence, rules) and not denied.search(sentence) and not aside.search(sentence)
        for sentence in read
    )


def names_a_person(text: str, language: Language) -> bool:
    """True if anybody or any desk is named to whom a talk could be passed on."""
    rules = _rules(language)
    return any(rules.holds("anybody", sentence) for sentence in _read(text, language))


def only_hands_over(text: str, language: Language) -> bool:
    """True if all that a text states is who has the matter now, or whom to turn to.

    Refusals, sympathy and *please wait* state nothing. *Put some ice on it, and call our desk*
    states more than that.
    """
    rules = _rules(language)
    between = phrases(f"text/{language}/reading").pattern("between_clauses")
    return all(
        only_refuses(clause, language)
        or sends_to_a_person(clause, language)
        or rules.pattern("beside").search(clause)
        for sentence in _read(text, language)
        for clause in between.split(sentence)
        if clause.strip()
    )


def _of(sentence: str, rules: Phrases) -> Handover:
    levels = (level for name, level in _LEVELS.items() if rules.holds(name, sentence))
    return next(levels, Handover.NONE)


def _read(text: str, language: Language) -> list[str]:
    return sentences(folded(text[:_READ]), language)


def _rules(language: Language) -> Phrases:
    return phrases(f"text/{language}/handover")
