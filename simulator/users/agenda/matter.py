"""A user's matter in a few words: for asking again, and in a form that phrases can hold."""

import re

from simulator.core.persona import Language
from simulator.text.acts import is_courtesy
from simulator.text.tokens import sentences
from simulator.users.agenda.en import matter as en
from simulator.users.agenda.ja import matter as ja

_LONGEST = {"ja": 14, "en": 40}  # characters of one run of words
_WANTING = re.compile(
    r"^(?:i(?: want| need|'d like| would like) to (?:know |find out |understand |be able to )?"
    r"|i need (?=a ))",
    re.IGNORECASE,
)
_WANTING_TO_DO = re.compile(
    r"i(?: want| need|'d like| would like) to (?!know |find out |understand )", re.IGNORECASE
)
_MASK = re.compile(r"〔[^〕]+〕|\[(?:name|phone number|e-mail address|card number)\]")
_MUCH_LONGER = 1.5  # a run of words that is so many times as long as the other says it all


def keywords(text: str, language: Language) -> str:
    """The one or two runs of nouns (ja) or content words (en) that say most; "" without any."""
    text = _matter(text, language)
    runs = ja.runs(text) if language == "ja" else en.runs(text)
    runs = [run for run in dict.fromkeys(runs) if len(run) <= _LONGEST[language]]
    chosen = sorted(runs, key=len, reverse=True)[:2]
    return ("と" if language == "ja" else " and ").join(run for run in runs if run in chosen)


def topic(text: str, language: Language) -> str:
    """What a text is about, in as few words as possible; "" where it says nothing of that."""
    if language == "en":
        return en.noun_phrase(text)
    named = keywords(text, language)
    *short, long = sorted(named.split("と"), key=len)
    return long if all(len(long) >= _MUCH_LONGER * len(other) for other in short) else named


def wanted(need: str, language: Language) -> str:
    """What an English need wants, without *I want to*; "" where nothing is cut."""
    cut = _WANTING.sub("", need) if language == "en" else need
    return "" if cut == need else cut


def in_brief(need: str, language: Language) -> str:
    """An English need without *I*, as people write in a hurry, or *I want to know*; "" without any.

    *Want to cancel my plan*: without its *want to* it would be an order to the bot.
    """
    cut = wanted(need, language)
    return f"want to {cut}" if _WANTING_TO_DO.match(need) and cut else cut.removeprefix("about ")


def heading(text: str, language: Language) -> str:
    """A text as people quote it to name a matter: without its loose end, a question with its mark.

    メアドを変えたいんですけど is メアドを変えたい.
    """
    return ja.heading(text) if language == "ja" else text.strip(" .,!…")


def plain_need(text: str, language: Language) -> str:
    """A need without its final marks, fit to stand in a phrase; "" where it cannot.

    The Japanese phrases go on with んだけど, のですが, the English ones with a full stop.
    """
    return ja.plain_need(text) if language == "ja" else en.plain_need(text)


def _matter(text: str, language: Language) -> str:
    """A text of several sentences without greetings, and without who it is that writes."""
    parts = sentences(text, language)
    stated = [s for s in parts if not is_courtesy(s, language) and not _MASK.search(s)]
    return " ".join(stated) if 0 < len(stated) < len(parts) else text
