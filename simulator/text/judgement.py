"""What a judge's comment says beside its rating: praise, faults, or only what it was given.

The phrases stand in `ja/judgement.yaml` and `en/judgement.yaml`.
"""

import re
from functools import cache
from typing import Literal

from simulator.core.clean import folded, normal_form
from simulator.core.persona import Language
from simulator.text.phrases import phrases
from simulator.text.tokens import sentences

Tone = Literal["praise", "fault", "mixed", "none"]
_SIDES = {"praise": ("praises", "no_fault"), "fault": ("faults", "no_praise")}
_READ = 4000  # characters
_FAULTING = 2  # sentences
_MOST = 0.8  # of a comment that says something back
FEWEST = {"ja": 12, "en": 24}
"""Characters in normal form below which a comment is a word or two, and nobody's in particular."""


def is_plainly(side: Literal["praise", "fault"], comment: str, language: Language) -> bool:
    """True if that is the tone of a comment; most comments hold no word for it."""
    data, text = phrases(f"text/{language}/judgement"), folded(comment[:_READ])
    is_there = any(data.holds(name, text) for name in _SIDES[side])
    return is_there and tone(comment, language) == side


def tone(comment: str, language: Language) -> Tone:
    """Whether a comment plainly praises, plainly faults, does both, or neither.

    What is denied counts as its contrary (*no errors*, 誤りはない). A comment with a turn in it
    (*however*, ただし) is mixed, whatever its two sides are; unless two sentences without one find
    fault, and none praises.
    """
    text = folded(comment[:_READ])
    tones = _sides(text, language)
    if len(tones) > 1:
        return "mixed"
    turns = phrases(f"text/{language}/judgement").pattern("turns")
    if turns.search(text):
        plain = [s for s in sentences(text, language) if not turns.search(s)]
        faulting = sum("fault" in _sides(sentence, language) for sentence in plain)
        return "fault" if faulting >= _FAULTING else "mixed"
    return tones.pop() if tones else "none"


def _sides(text: str, language: Language) -> set[Literal["praise", "fault"]]:
    groups = {match.lastgroup for match in _tones(language).finditer(text)}
    tones: set[Literal["praise", "fault"]] = set()
    if not groups.isdisjoint(("praise", "no_fault")):
        tones.add("praise")
    if not groups.isdisjoint(("fault", "no_praise")):
        tones.add("fault")
    return tones


@cache
def _tones(language: Language) -> re.Pattern[str]:
    """Denied words first: of two that begin at one place, the longer saying is what is meant."""
    of = phrases(f"text/{language}/judgement").alternatives
    no_praise, no_fault = of("no_praise"), of("no_fault")
    praises, faults = of("praises"), of("faults")
    # Of what begins at one place, the first that holds is found.
    return re.compile(
        f"(?P<no_praise>{no_praise})|(?P<no_fault>{no_fault})"
        f"|(?P<fault>{faults})|(?P<praise>{praises})"
    )


def says_back(comment: str, source: str, language: Language) -> bool:
    """True if nearly all of a comment (80 % of its characters) stands in what it was given.

    Compared sentence by sentence in normal form; `given` is in it already, each text a line. A
    comment of a word or two says nothing back.
    """
    forms = [normal_form(s) for s in sentences(comment[:_READ], language)]
    total = sum(map(len, forms))
    if total < FEWEST[language]:
        return False
    back = sum(len(form) for form in forms if len(form) > 2 and form in source)
    return back >= _MOST * total
