"""What an English text says and denies, clause by clause and word by word."""

import re
from collections.abc import Iterator

from simulator.core.clean import clean
from simulator.text.claims import YES, Claim, Mention, Stance
from simulator.text.en.words import SMALL_NUMBERS, stem, stop_words, word_tokens
from simulator.text.phrases import phrases

_PHRASES = phrases("text/en/negation")
_SENTENCE = re.compile(r"[.;:!\n]{1,50}(?=\s|$)|,\s+(?:but|and|so|although|though|while)\b|,\s+")
_CONDITION = re.compile(r"\b(?:if|when|whenever|unless|whether|once|until|in case|before|after)\b")
_OPENING = re.compile(r"\W*(yes|no)\b(?=[,.!;:\s]*(?:$|[,.!;:]))")
_LONGEST = 1_000  # characters of a clause
_ABLE = frozenset(("abl", "unabl"))
_DENIAL = re.compile(
    r"\b(?:not?|nobody|none|never|without|neither|unable|cannot)\b|n['’]t\b", re.IGNORECASE
)


def may_deny(text: str) -> bool:
    """Whether the text may deny anything; false: it surely does not."""
    return _DENIAL.search(text) is not None


def denials(text: str) -> int:
    """How often an English text says *not*, *never*, *without* and the like."""
    return len(_DENIAL.findall(text))


def claims(text: str) -> list[Claim]:
    """The claims of an English text in NFKC.

    A clause ends at a mark or before *but*, *and*, *so*. One that denies anything claims only what
    it denies (the word behind the negation, over auxiliaries), any other all its content words.
    Clauses of conditions and questions claim nothing.
    """
    text = text.casefold()
    found = [claim for c in _SENTENCE.split(text) for p in _parts(c) for claim in _claims(p)]
    if opening := _OPENING.match(text):
        found.append(Claim(YES, opening[1] == "no"))
    return found


def _parts(clause: str) -> Iterator[str]:
    """A clause; what is far longer than any in parts: each word keeps all others beside it."""
    start = 0
    while len(clause) - start > _LONGEST:
        end = clause.rfind(" ", start, start + _LONGEST) + 1 or start + _LONGEST
        yield clause[start:end]
        start = end
    yield clause[start:]


def _claims(clause: str) -> Iterator[Claim]:
    condition = _CONDITION.search(clause)
    clause = clause[: condition.start()] if condition else clause
    if not clause.strip() or "?" in clause:
        return
    denies = bool(_DENIAL.search(clause))
    found = mentions(clause)
    beside = frozenset(m.key for m in found if not m.key[0].isdecimal()) - _ABLE
    for mention in found:
        denied = mention.stance is Stance.RULED_OUT
        if denied == denies and not mention.key[0].isdecimal():
            yield Claim(mention.key, denied, beside - {mention.key}, strict=True)


# ---- Word by word ----

_NOT = re.compile(r"\b(ca|wo)n['’]t\b|n['’]t\b|\bcannot\b")
_WHOLE = {"ca": "can", "wo": "will"}


def mentions(sentence: str) -> list[Mention]:
    """The content words of one sentence with their stance."""
    text = _NOT.sub(_not, sentence.casefold())
    found = word_tokens(clean(text).replace("%", " percent "))
    out: list[Mention] = []
    at = 0
    while at < len(found):
        key, following = _key(found, at)
        if key:
            out.append(Mention(key, Stance.RULED_OUT if _denied(found, at) else Stance.NAMED))
        at = following
    return out


def _not(found: re.Match[str]) -> str:
    if found[0] == "cannot":
        return "can not"
    return f"{_WHOLE.get(found[1], '')} not "


def _key(found: list[str], at: int) -> tuple[str, int]:
    """The content word at this place, or "", and where to go on."""
    word, follower = found[at], found[at + 1] if at + 1 < len(found) else ""
    number = SMALL_NUMBERS.get(word, word)
    if number[0].isdecimal() and follower and follower not in stop_words():
        return f"{number} {stem(follower)}", at + 2
    return ("" if word in stop_words() else stem(number)), at + 1


def _denied(found: list[str], at: int) -> bool:
    passed_over = _PHRASES.words("passed_over")
    while at > 0 and found[at - 1] in passed_over:
        at -= 1
    return at > 0 and found[at - 1] in _PHRASES.words("deniers")
