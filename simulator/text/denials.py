"""What a correction takes back: people name the old figure and deny it (*$18, not $28*)."""

import re
from functools import lru_cache

from simulator.core.clean import clean
from simulator.core.persona import Language
from simulator.text.clauses import Amount, read
from simulator.text.phrases import phrases
from simulator.text.quantities import all_of, each_of
from simulator.text.tokens import sentences

_JOINT = re.compile(r"^(?:but|and|so) |\s+(?=[.,;])")
_LEAST = 2  # content words, or an amount, that a sentence states


@lru_cache(maxsize=1_024)
def affirmed(text: str, language: Language) -> str:
    """A text without the amounts that it denies, and without sentences that only deny."""
    data = phrases(f"text/{language}/denials")
    pattern, changed = (data.pattern(name, re.IGNORECASE) for name in ("denied", "changed"))
    kept = []
    for sentence in sentences(clean(text), language):
        rest, changes = changed.subn("is " if language == "en" else "", sentence)
        rest, count = pattern.subn("", rest)
        if not (count or changes):
            kept.append(sentence)
        elif any(s.amounts or len(s.words) >= _LEAST for s in read(rest, language)):
            rest = _JOINT.sub("", rest.strip(" 、,;"))
            has_end = rest.endswith((".", "!", "?", "。"))
            kept.append(rest if has_end else rest + ("。" if language == "ja" else "."))
    if "".join(kept) == "".join(sentences(clean(text), language)):
        return text
    return ("" if language == "ja" else " ").join(kept)


@lru_cache(maxsize=1_024)
def denied(text: str, language: Language) -> frozenset[Amount]:
    """The amounts that a text denies, and nowhere affirms."""
    rest = affirmed(text, language)
    if rest == text:
        return frozenset()
    whole, kept = (all_of(s.amounts for s in read(each, language)) for each in (text, rest))
    return frozenset(each_of(whole)).difference(each_of(kept))
