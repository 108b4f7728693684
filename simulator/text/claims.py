"""What a text says of its words: named, affirmed or denied; and whether two texts contradict."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum


class Stance(StrEnum):
    """How a word stands in its sentence."""

    NAMED = "named"  # 返品について
    AFFIRMED = "affirmed"  # 返品できます
    DENIED = "denied"  # 返品できません: what one does with it is denied
    RULED_OUT = "ruled_out"  # 返品はありません, 無料ではない: the thing itself is


@dataclass(frozen=True, slots=True)
class Mention:
    """A content word, or a number with its unit, as one place of a sentence has it."""

    key: str
    stance: Stance


@dataclass(frozen=True, slots=True)
class Claim:
    """That one clause says something of `word`, or denies it; `beside` are its other words.

    `strict`: the word alone says too little (かかる): claims of it are compared only where they
    speak of the same thing.
    """

    word: str
    denied: bool
    beside: frozenset[str] = frozenset()
    strict: bool = False


YES = "はい"
"""The word of a claim that a text begins with yes or no."""


def contradicting(one: Iterable[Claim], other: Iterable[Claim]) -> bool:
    """Whether one text only affirms a word which the other only denies."""
    here, there = _by_word(one), _by_word(other)
    return any(_opposed(here[word], there[word]) for word in here.keys() & there.keys())


def _by_word(claims: Iterable[Claim]) -> Mapping[str, list[Claim]]:
    found: dict[str, list[Claim]] = {}
    for claim in claims:
        found.setdefault(claim.word, []).append(claim)
    return found


def _opposed(here: Sequence[Claim], there: Sequence[Claim]) -> bool:
    sides = [{claim.denied for claim in claims} for claims in (here, there)]
    if len(sides[0]) > 1 or len(sides[1]) > 1 or sides[0] == sides[1]:
        return False
    return any(_comparable(a, b) for a in here for b in there)


def _comparable(a: Claim, b: Claim) -> bool:
    if not a.strict or not a.beside or not b.beside:
        return True
    return bool(a.beside & b.beside)
