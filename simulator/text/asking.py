"""Whether somebody asks, requests or orders something: a customer's sentence, a bot's reply."""

import re
import unicodedata

from simulator.core.clean import clean
from simulator.core.form import folded
from simulator.core.persona import Language
from simulator.text.en import asking as en
from simulator.text.ja import asking as ja
from simulator.text.phrases import phrases
from simulator.text.sentences import sentences
from simulator.text.tokens import content_tokens, matter_tokens

_READ = 4000  # characters of a reply, from the end
_SEVERAL, _HALF = 2, 0.5
_BARE, _POINTING = 2, 4  # content words of a message that leans on what was said before
_MARK = re.compile(r"[?？][)）」』\"'”!！?？]{0,50}$")
_MARK_AT_END = re.compile(r"\?[)\]」』\"'”]*$")


def asks(sentence: str, language: Language) -> bool:
    """True if one sentence of a customer asks a question or wants something to be done.

    Taking an offer (はい、お願いします), wishing (海の近くがいいです) and echoing (そうですか)
    do not.
    """
    text = unicodedata.normalize("NFKC", clean(sentence)).strip()
    if language == "en":
        text = text.casefold().replace("’", "'")
    rule = en.asks if language == "en" else ja.asks
    return rule(text, marked=_MARK.search(text) is not None)


def commands(sentence: str, language: Language) -> bool:
    """True if one sentence gives an order: しろ, してくれ, 送りなさい, するな; *Fix it now*.

    Requests (してください, *please fix it*) are none, nor is what is only quoted.
    """
    return en.commands(sentence) if language == "en" else ja.commands(sentence)


def is_request(sentence: str, language: Language) -> bool:
    """True if a bot's sentence, folded, requests something of the user (ja: or asks)."""
    return (en.asks_customer if language == "en" else ja.asks_customer)(sentence)


def asks_back(text: str, language: Language) -> bool:
    """True if a bot's text ends by asking the user something, or for something to be told.

    One remark may follow the question, unless the question opens the text: that is the user's own,
    repeated. Closing courtesies (*anything else I can help with?*, 他にご不明な点は
    ございますか) are passed over, as they ask for nothing; so is advice to tell somebody else
    (サポート窓口にお知らせください).
    """
    text = folded(text[-_READ:])
    courtesy = phrases(f"text/{language}/asking").pattern("courtesy")
    parts = sentences(text, language)
    ending = [at for at, sentence in enumerate(parts) if not courtesy.search(sentence)][-2:]
    return any(
        (at > 0 or at == ending[-1])
        and (_MARK_AT_END.search(parts[at]) or is_request(parts[at], language))
        for at in ending
    )


def points_back(question: str, language: Language) -> bool:
    """True if a message points back to what was said before: *that*, それ."""
    pattern = phrases(f"text/{language}/asking").pattern("points_back")
    return pattern.search(folded(question)) is not None


def stands_alone(question: str, language: Language) -> bool:
    """True if a question says what it is about without what was said before it.

    It has two words of its own at least; more than four, if it points back (*that*).
    """
    own = set(matter_tokens(question, language))
    return len(own) > (_POINTING if points_back(question, language) else 1)


def leans_back(message: str, before: str, language: Language) -> bool:
    """True if a message can be understood only by what was asked `before` it.

    It shares no word with that, and has no more than two words of its own, or points back (*that*)
    and has no more than four.
    """
    light = phrases(f"text/{language}/asking").words("light")
    own = asked_about(message, language) - light
    if own & asked_about(before, language):
        return False
    return len(own) <= (_POINTING if points_back(message, language) else _BARE)


def follows_up(message: str, before: str, query: str, goal: str, language: Language) -> bool:
    """True if a message asks what only the turns before it make clear.

    Where it asks for a part of a goal of several sentences, that sentence tells, however it is
    framed: it does where it leans on the query and on the first one.
    """
    parts = sentences(goal, language)
    if len(parts) < _SEVERAL:
        return leans_back(message, before, language)
    words = frozenset(content_tokens(message, language))
    shares = [_share_in(part, words, language) for part in parts]
    at = shares.index(max(shares))
    is_there = at > 0 and shares[at] >= _HALF
    return is_there and leans_back(parts[at], f"{query}\n{parts[0]}", language)


def _share_in(part: str, known: frozenset[str], language: Language) -> float:
    asking = phrases(f"text/{language}/words").words("asking")
    every = frozenset(content_tokens(part, language))
    words = every - asking or every
    return len(words & known) / len(words) if words else 0.0


def asked_about(question: str, language: Language) -> frozenset[str]:
    """Its content words without those by which people ask, also for an amount of anything."""
    amounts = phrases(f"text/{language}/asking").words("amount_asked")
    asking = phrases(f"text/{language}/words").words("asking")
    return frozenset(content_tokens(question, language)) - amounts - asking
