"""Whether a reply only asks back, or only takes leave: it states nothing."""

from collections.abc import Sequence
from functools import lru_cache

from simulator.core.form import folded, normal_form
from simulator.core.persona import Language
from simulator.core.talk import Exchange
from simulator.text.asking import asks, asks_back, is_request
from simulator.text.backchannels import is_courtesy, is_pleasantry, without_opener
from simulator.text.handover import sends_to_a_person
from simulator.text.phrases import phrases
from simulator.text.refusals import is_refusal, only_refuses, states_nothing
from simulator.text.sentences import sentences

_READ = 4_000  # characters


def only_asks_back(text: str, language: Language) -> bool:
    """True if a reply states nothing but asks the user something, to be able to answer.

    Greetings, thanks, apologies and what leads up to the question (*to help you, I need to know*,
    確認のため) state nothing. A reply that answers, refuses or hands over as well is no question
    back, nor is one that only asks whether there is *anything else*, or for what only another
    person may tell (*her date of birth*). How it is said stands in `ja/asking.yaml` and
    `en/asking.yaml`.
    """
    return _only_asks_back(text[:_READ], language)


def only_closes(talk: Sequence[Exchange], language: Language) -> bool:
    """True if the user asks nothing more after a turn, and the last reply only takes leave.

    Thanks, apologies and goodbyes do; what was answered or refused before stays as it was.
    """
    *before, last = talk
    reply = last.assistant[:_READ]
    if not before or any(asks(sentence, language) for sentence in sentences(last.user, language)):
        return False
    does = is_refusal(reply, language) or sends_to_a_person(reply, language)
    return bool(normal_form(reply)) and not (does or states_anything(reply, language))


def states_anything(reply: str, language: Language) -> bool:
    """True if any sentence of a reply states something: thanks, apologies and goodbyes do not."""
    read = sentences(reply[:_READ], language)
    return any(_states(without_opener(sentence, language), language) for sentence in read)


def _states(sentence: str, language: Language) -> bool:
    rules, form = phrases(f"text/{language}/pleasantries"), folded(sentence)
    if any(rules.pattern(name).search(form) for name in ("asks", "announces")):
        return False
    if is_pleasantry(sentence, language):
        return False
    return any(map(str.isdecimal, form)) or not only_refuses(sentence, language)


@lru_cache(maxsize=256)  # several metrics ask about the same reply
def _only_asks_back(text: str, language: Language) -> bool:
    parts = sentences(text, language)
    if not any(_asks(sentence, language) for sentence in parts):
        return False
    if not asks_back(f"。\n{text}" if len(parts) == 1 else text, language):
        return False
    if sends_to_a_person(text, language):
        return False
    rules = phrases(f"text/{language}/asking")
    if rules.pattern("of_another").search(folded(text)):
        return False
    if is_refusal(text, language) and not rules.pattern("understood_not").search(folded(text)):
        return False
    return all(_empty(sentence, language) for sentence in parts)


def _asks(sentence: str, language: Language) -> bool:
    form = folded(sentence)
    if phrases(f"text/{language}/asking").pattern("courtesy").search(form):
        return False
    asks = phrases(f"text/{language}/pleasantries").pattern("asks")
    return bool(asks.search(form)) or is_request(form, language)


def _empty(sentence: str, language: Language) -> bool:
    bare = without_opener(sentence, language)
    form = folded(bare)
    rules = phrases(f"text/{language}/asking")
    return (
        _asks(bare, language)
        or is_courtesy(bare, language)
        or states_nothing(bare, language)
        or any(rules.pattern(name).search(form) for name in ("lead_in", "courtesy"))
    )
