"""Whether somebody asks, requests or orders something: a customer's sentence, a bot's reply."""

import re
import unicodedata

from simulator.core.clean import clean
from simulator.core.persona import Language
from simulator.text.en import asking as en
from simulator.text.ja import asking as ja
from simulator.text.normal import folded
from simulator.text.phrases import phrases
from simulator.text.sentences import sentences
from simulator.text.tokens import content_tokens

_READ = 4000  # characters of a reply, from the end
_MARK = re.compile(r"[?？][)）」』\"'”!！?？]{0,50}$")
_MARK_AT_END = re.compile(r"\?[)\]」』\"'”]*$")


def asks(sentence: str, language: Language) -> bool:
    """Whether one sentence of a customer asks a question or wants something to be done.

    Taking an offer (はい、お願いします), wishing (海の近くがいいです) and echoing (そうですか)
    do not.
    """
    text = unicodedata.normalize("NFKC", clean(sentence)).strip()
    if language == "en":
        text = text.casefold().replace("’", "'")
    rule = en.asks if language == "en" else ja.asks
    return rule(text, marked=_MARK.search(text) is not None)


def commands(sentence: str, language: Language) -> bool:
    """Whether one sentence gives an order: しろ, してくれ, 送りなさい, するな; *Fix it now*.

    Requests (してください, *please fix it*) are none, nor is what is only quoted.
    """
    return en.commands(sentence) if language == "en" else ja.commands(sentence)


def is_request(sentence: str, language: Language) -> bool:
    """Whether a bot's sentence, folded, requests something of the user (ja: or asks)."""
    return (en.asks_customer if language == "en" else ja.asks_customer)(sentence)


def asks_back(text: str, language: Language) -> bool:
    """Whether a bot's text ends by asking the user something, or for something to be told.

    One remark may follow the question, unless the question opens the text: that is the user's own,
    repeated. Closing courtesies (*anything else I can help with?*, 他にご不明な点は
    ございますか) are passed over, as they ask for nothing; so is advice to tell somebody else
    (サポート窓口にお知らせください).
    """
    text = folded(text[-_READ:])
    rule = en.asks_customer if language == "en" else ja.asks_customer
    courtesy = phrases(f"text/{language}/asking").pattern("courtesy")
    found = sentences(text, language)
    ending = [at for at, sentence in enumerate(found) if not courtesy.search(sentence)][-2:]
    return any(
        (at > 0 or at == ending[-1]) and (_MARK_AT_END.search(found[at]) or rule(found[at]))
        for at in ending
    )


def points_back(question: str, language: Language) -> bool:
    """Whether a message points back to what was said before: *that*, それ."""
    pattern = phrases(f"text/{language}/asking").pattern("points_back")
    return pattern.search(folded(question)) is not None


def asked_about(question: str, language: Language) -> frozenset[str]:
    """Its content words without those by which people ask, also for an amount of anything."""
    amounts = phrases(f"text/{language}/asking").words("amount_asked")
    asking = phrases(f"text/{language}/words").words("asking")
    return frozenset(content_tokens(question, language)) - amounts - asking


def leaves_unasked(goal: str, said: str, language: Language) -> bool:
    """Whether a goal wants a second thing of which the user's messages have not spoken yet.

    Its parts are its sentences and clauses; of the words that only this part has, half have to
    stand there.
    """
    between = phrases(f"text/{language}/grounding").pattern("between_clauses")
    parts = [part for s in sentences(goal, language) for part in between.split(s) if part]
    found = [asked_about(part, language) for part in parts]
    told = asked_about(said, language)
    for at, words in enumerate(found[1:], start=1):
        own = words.difference(*found[:at])
        if own and len(own & told) < len(own) / 2:
            return True
    return False
