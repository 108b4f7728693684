"""An English matter: as a clause that phrases can hold, and the few words that name it."""

import re

from simulator.text.acts import is_courtesy
from simulator.text.en.asking import commands
from simulator.text.phrases import phrases
from simulator.text.tokens import sentences, stop_words

_PHRASES = phrases("users/agenda/en/matter")

_MARKS = " .,;:!…"
_ORDER = re.compile(r"\w+ (?!of\b)")
_CLAUSE = re.compile(r"(?:whether|if|how|what|when|where|why|which|who)\b", re.IGNORECASE)
_ABOUT = re.compile(
    r"(?:about|regarding|concerning|on the subject of) (?P<thing>.+)", re.IGNORECASE
)
_THING = re.compile(r"(?:a|an|the|my|our|some) ", re.IGNORECASE)
_LONGEST_THING = 6  # words
_NEAR = 200  # characters that are looked at
_DOING = re.compile(r"(?!(?:shipp|bill|pric|park|book|train|list|sett|rout|hous|meet)ing)\w{2,}ing")
_TAKES = re.compile(r"ing (?:an?|the|my|our|your|some|it|this|that|to) ")
_CONTRACTED = re.compile(
    r"n't\b|'(?:s|re|m|ve|ll|d)\b|\w{2,}ed\b|\bforgot|\b(?:i|we|you|they|it)\b"
)


def plain_need(text: str) -> str:
    """The matter as a clause with a small initial; "" where it says nothing.

    A task becomes a wish (*I want to get a refund*), and so do an order, a noun and an indirect
    question; a question keeps its mark.
    """
    parts = [s for s in sentences(text, "en") if any(char.isalnum() for char in s)]
    rest = [s for s in parts if not is_courtesy(s, "en")]
    return _of(" ".join(rest)) if rest else ""


def _of(text: str) -> str:
    asks = text.rstrip(f"{_MARKS}\"'").endswith("?")
    bare = text.strip(f"{_MARKS}?")
    low = bare if _PHRASES.pattern("capitals").match(bare) else f"{bare[0].lower()}{bare[1:]}"
    if not any(char.isascii() and char.isalpha() for char in low):
        return bare
    if about := _ABOUT.fullmatch(low):
        return f"I want to know about {about['thing']}"
    if _is_noun(low):
        return f"I want {low}" if _THING.match(low) else f"I want to know about {low}"
    return f"{low}?" if asks or _PHRASES.pattern("direct", re.IGNORECASE).match(low) else _wish(low)


def _wish(text: str) -> str:
    """An indirect question, a task or an order as what somebody wants; all else as it is."""
    if _CLAUSE.match(text):
        return f"I want to know {text}"
    if task := _bare_verb().fullmatch(text):
        return f"I want to {task['task']}"
    return f"I want you to {text}" if _orders(text) else text


def _orders(text: str) -> bool:
    return bool(_ORDER.match(text)) and commands(text)


def _is_noun(text: str) -> bool:
    """True if it is short and has nothing that looks like a verb; *cancel* alone is one."""
    words = text.casefold().split()
    if (
        len(words) > _LONGEST_THING
        or len(text) > _NEAR
        or "," in text
        or _CONTRACTED.search(text.casefold())
    ):
        return False
    if _CLAUSE.match(text) or _bare_verb().match(text) or _orders(text):
        return False
    first = words[0]
    starts = first in stop_words() and not _THING.match(text)
    doing = any(
        _DOING.fullmatch(word) for word in (words[-1], first if _TAKES.search(text) else "")
    )
    return not starts and not doing and _PHRASES.words("verbs").isdisjoint(words)


def _bare_verb() -> re.Pattern[str]:
    return _PHRASES.pattern("bare_verb", re.IGNORECASE | re.DOTALL)


# ---- In a few words ----

_WORDS = r"[\w'’.-]*\w"
_NOUN_PHRASE = re.compile(
    rf"\b(?P<first>a|an|the|my|our|your|this|any)\s+(?P<rest>{_WORDS}(?:\s+{_WORDS})?)",
    re.IGNORECASE,
)
_NAMES_IT = re.compile(r"(?:whether|what|which|whom?|when|where|why|how|the|an?|my|our|your)\b")
_BY_WHEN = re.compile(r"^(?:by|until|from|since) (?=when\b)")
_VERB = "(?:can|could|do|does|did|is|are|was|has|have|will)"
_BEFORE_SUBJECT = re.compile(
    rf"(?:^|[.!?,;])\s*{_VERB}?\s*$|\b(?:how|what|when|where|why|who)\s+{_VERB}\s*$"
)
_NAMED = re.compile(
    r"\b(?:log|sign|set|opt|back|turn|check)(?:g?ed|n?ed|g?ing|n?ing|s)? (?:in|out|up|off|on)\b"
    r"|[a-z0-9][\w'’.@-]*\w|\w",
    re.IGNORECASE,
)


def noun_phrase(text: str) -> str:
    """The first noun phrase with an article or its like, such as *my paid plan*; "" without one.

    At most two words follow the article, so a longer phrase loses its end. A subject is passed
    over: nothing tells where it ends and the verb begins.
    """
    no_nouns = stop_words() | {"without"}
    after_noun = _PHRASES.pattern("after_noun", re.IGNORECASE)
    for match in _NOUN_PHRASE.finditer(text):
        before = text[max(0, match.start() - _NEAR) : match.start()]
        if _BEFORE_SUBJECT.search(before.casefold()):
            continue
        words: list[str] = []
        for word in match["rest"].split():
            if word.casefold() in no_nouns or (words and after_noun.fullmatch(word)):
                break
            words.append(word)
        if words and words[-1].casefold() not in _PHRASES.words("no_noun"):
            return " ".join([match["first"].lower(), *words])
    return ""


def mention(wanted: str) -> str:
    """What somebody wants, to follow *about*: *when it ends*, or *how to cancel my plan*."""
    wanted = _BY_WHEN.sub("", wanted)
    if wanted.startswith("about "):
        return wanted.removeprefix("about ")
    return wanted if _NAMES_IT.match(wanted.casefold()) else f"how to {wanted}"


def runs(text: str) -> list[str]:
    """The first run of content words that is longer than one of them, or all that there are."""
    stop, vague = stop_words(), _PHRASES.words("vague")
    out: list[list[str]] = [[]]
    at = 0
    for match in _NAMED.finditer(text):
        word = match.group().casefold()
        if text[at : match.start()].strip(" "):  # punctuation parts them
            out.append([])
        at = match.end()
        if word in stop or word in vague or word.split("'")[0] in stop:
            out.append([])
        else:
            out[-1].append(match.group())
    phrases = [" ".join(run) for run in out if run]
    longer = [phrase for phrase in phrases if " " in phrase or "-" in phrase]
    return longer[:1] or phrases
