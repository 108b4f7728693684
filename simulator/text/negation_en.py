"""What an English text says and what it denies, clause by clause."""

import re
from collections.abc import Iterator

from simulator.text.negation import YES, Claim
from simulator.text.stance import Stance, mentions

_SENTENCE = re.compile(r"[.;:!\n]+(?=\s|$)|,\s+(?:but|and|so|although|though|while)\b|,\s+")
_CONDITION = re.compile(r"\b(?:if|when|whenever|unless|whether|once|until|in case|before|after)\b")
_OPENING = re.compile(r"\W*(yes|no)\b(?=[,.!;:\s]*(?:$|[,.!;:]))")
_ABLE = frozenset(("abl", "unabl"))
_DENIAL = re.compile(
    r"\b(?:not?|never|without|neither|nor|unable|cannot)\b|n['’]t\b", re.IGNORECASE
)


def english_denies(text: str) -> bool:
    """Whether the text may deny anything; false: it surely does not."""
    return _DENIAL.search(text) is not None


def english_claims(text: str) -> list[Claim]:
    """The claims of an English text in NFKC.

    A clause ends at a mark or before *but*, *and*, *so*. One that denies anything claims only what
    it denies (the word behind the negation, over auxiliaries), any other all its content words.
    Clauses of conditions and questions claim nothing.
    """
    text = text.casefold()
    claims = [claim for clause in _SENTENCE.split(text) for claim in _english(clause)]
    if opening := _OPENING.match(text):
        claims.append(Claim(YES, opening[1] == "no"))
    return claims


def _english(clause: str) -> Iterator[Claim]:
    condition = _CONDITION.search(clause)
    clause = clause[: condition.start()] if condition else clause
    if not clause.strip() or "?" in clause:
        return
    denies = bool(_DENIAL.search(clause))
    found = mentions(clause, "en")
    beside = frozenset(m.key for m in found if not m.key[0].isdecimal()) - _ABLE
    for mention in found:
        denied = mention.stance is Stance.RULED_OUT
        if denied == denies and not mention.key[0].isdecimal():
            yield Claim(mention.key, denied, beside - {mention.key}, strict=True)
