"""What an English need is about, in a few words that can stand in a sentence."""

import re

from simulator.text.english import STOP_WORDS
from simulator.text.word_sets import word_set

_WORDS = r"[\w'’.-]*\w"
_NOUN_PHRASE = re.compile(
    rf"\b(?P<first>a|an|the|my|our|your|this|any)\s+(?P<rest>{_WORDS}(?:\s+{_WORDS})?)",
    re.IGNORECASE,
)
# What may follow a noun but is no part of its phrase: this charge stopped, the money back.
_AFTER_NOUN = re.compile(
    r"\w+ed|taken|given|sent|gone|back|costs?|works?|early|again|too", re.IGNORECASE
)
_CLAUSE = re.compile(r"(?:whether|what|which|whom?|when|where|why|how|the|an?|my|our|your)\b")
_BY_WHEN = re.compile(r"^(?:by|until|from|since) (?=when\b)")
_NO_NOUN = word_set("same other only whole first last right next following")
_NOT_NOUNS = STOP_WORDS | {"without"}
_VERB = "(?:can|could|do|does|did|is|are|was|has|have|will)"
_BEFORE_SUBJECT = re.compile(
    rf"(?:^|[.!?,;])\s*{_VERB}?\s*$|\b(?:how|what|when|where|why|who)\s+{_VERB}\s*$"
)


def noun_phrase(text: str) -> str:
    """The first noun phrase with an article or its like, such as *my paid plan*; "" without one.

    At most two words follow the article, so a longer phrase loses its end. A subject is passed
    over: nothing tells where it ends and the verb begins.
    """
    for found in _NOUN_PHRASE.finditer(text):
        if _BEFORE_SUBJECT.search(text[: found.start()].casefold()):
            continue
        words: list[str] = []
        for word in found["rest"].split():
            if word.casefold() in _NOT_NOUNS or (words and _AFTER_NOUN.fullmatch(word)):
                break
            words.append(word)
        if words and words[-1].casefold() not in _NO_NOUN:
            return " ".join([found["first"].lower(), *words])
    return ""


def mention(wanted: str) -> str:
    """What somebody wants, to follow *about*: *when it ends*, or *how to cancel my plan*."""
    wanted = _BY_WHEN.sub("", wanted)
    if wanted.startswith("about "):
        return wanted.removeprefix("about ")
    return wanted if _CLAUSE.match(wanted.casefold()) else f"how to {wanted}"
