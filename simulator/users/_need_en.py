"""An English matter as a clause that phrases can hold, at the start of a sentence or inside one."""

import re

from simulator.text.asking import commands
from simulator.text.backchannels import is_courtesy
from simulator.text.english import STOP_WORDS
from simulator.text.refusal_rules import alternatives
from simulator.text.sentences import sentences
from simulator.text.word_sets import word_set

_MARKS = " .,;:!…"
# A goal may be put as a task (Find out …); a person says that it wants to.
_TASKS = alternatives(
    """
    find|get|know|learn|understand|see|change|cancel|ask|check|have|make|use|be|return|update|speak
    talk|receive|close|stop|start|pay|buy|order|move|add|remove|delete|reset|recover|renew|upgrade
    downgrade|contact|confirm|book|download|log|sign
    """
)
_BARE_VERB = re.compile(
    rf"(?:to )?(?P<task>{_TASKS}\b(?! (?:is|of|for)\b).*)", re.IGNORECASE | re.DOTALL
)
_ORDER = re.compile(r"\w+ (?!of\b)")
_DIRECT = re.compile(
    r"(?:how (?:\w+ )??|what |when |where |why |which \w+ |who )?"
    r"(?:is|are|was|were|do|does|did|can|could|will|would|should|has|have|may)\b(?!['’])",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"(?:whether|if|how|what|when|where|why|which|who)\b", re.IGNORECASE)
_ABOUT = re.compile(
    r"(?:about|regarding|concerning|on the subject of) (?P<thing>.+)", re.IGNORECASE
)
_THING = re.compile(r"(?:a|an|the|my|our|some) ", re.IGNORECASE)
_KEPT = re.compile(
    r"I\b|[A-Z]\w*[A-Z0-9]|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day|(?:January|February|March"
    r"|April|June|July|August|September|October|November|December)\b"
)
_LONGEST_THING = 6  # words
_DOING = re.compile(r"(?!(?:shipp|bill|pric|park|book|train|list|sett|rout|hous|meet)ing)\w{2,}ing")
_TAKES = re.compile(r"ing (?:an?|the|my|our|your|some|it|this|that|to) ")
_VERBS = word_set("""
    am is are was were be been do does did has have had can could will would shall should may might
    must want wants need needs like know says said went came got cannot
""")
_CONTRACTED = re.compile(
    r"n't\b|'(?:s|re|m|ve|ll|d)\b|\w{2,}ed\b|\bforgot|\b(?:i|we|you|they|it)\b"
)


def plain_need(text: str) -> str:
    """The matter as a clause with a small initial; "" where it says nothing.

    A task becomes a wish (*I want to get a refund*), and so do an order, a noun and an indirect
    question; a question keeps its mark.
    """
    said = [s for s in sentences(text, "en") if any(char.isalnum() for char in s)]
    rest = [s for s in said if not is_courtesy(s, "en")]
    return _of(" ".join(rest)) if rest else ""


def _of(text: str) -> str:
    asks = text.rstrip(f"{_MARKS}\"'").endswith("?")
    bare = text.strip(f"{_MARKS}?")
    low = bare if _KEPT.match(bare) else f"{bare[0].lower()}{bare[1:]}"
    if not any(char.isascii() and char.isalpha() for char in low):
        return bare
    if about := _ABOUT.fullmatch(low):
        return f"I want to know about {about['thing']}"
    if _is_noun(low):
        return f"I want {low}" if _THING.match(low) else f"I want to know about {low}"
    return f"{low}?" if asks or _DIRECT.match(low) else _wish(low)


def _wish(text: str) -> str:
    """An indirect question, a task or an order as what somebody wants; all else as it is."""
    if _CLAUSE.match(text):
        return f"I want to know {text}"
    if task := _BARE_VERB.fullmatch(text):
        return f"I want to {task['task']}"
    return f"I want you to {text}" if _orders(text) else text


def _orders(text: str) -> bool:
    return bool(_ORDER.match(text)) and commands(text, "en")


def _is_noun(text: str) -> bool:
    """Whether it is short and has nothing that looks like a verb; *cancel* alone is one."""
    words = text.casefold().split()
    if len(words) > _LONGEST_THING or "," in text or _CONTRACTED.search(text.casefold()):
        return False
    if _CLAUSE.match(text) or _BARE_VERB.match(text) or _orders(text):
        return False
    first = words[0]
    starts = first in STOP_WORDS and not _THING.match(text)
    doing = any(
        _DOING.fullmatch(word) for word in (words[-1], first if _TAKES.search(text) else "")
    )
    return not starts and not doing and _VERBS.isdisjoint(words)
