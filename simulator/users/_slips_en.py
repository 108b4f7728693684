"""English slips: letters left out, doubled or swapped; apostrophes and capitals; speech."""

import re
from collections.abc import Iterator

from simulator.text.word_sets import word_set
from simulator.users._slip import Slip, Slips, pairs

# What is meant, and a word that sounds (almost) the same. Numbers are not among them.
_HOMOPHONES = pairs("""
    their:there there:their they're:there your:you're you're:your it's:its its:it's to:too too:to
    know:no write:right right:write hear:here here:hear buy:by by:buy new:knew would:wood mail:male
    site:sight sent:cent whole:hole whether:weather where:wear than:then then:than see:sea
    through:threw way:weigh wait:weight week:weak read:red which:witch allowed:aloud our:are
    accept:except access:excess bought:brought lose:loose off:of quite:quiet
    piece:peace break:brake principal:principle sale:sail fair:fare
    """)
_WORD = re.compile(r"[A-Za-z]+(?:['’][a-z]+)?")
_LONG_WORD = re.compile(r"\b[a-z]{4,}\b")
_APOSTROPHE = re.compile(r"(?<=[a-z])['’](?=(?:t|s|re|ll|ve|d|m)\b)")
_CAPITAL = re.compile(r"(?:(?:^|(?<=[.!?…:] )|(?<=\n))[A-Z](?=[a-z' ]))|\bI\b")
# Without a letter of these, a sentence may say the opposite, or another number.
_WEIGHTY = word_set("""
    never none nothing without cannot zero three four five seven eight nine eleven twelve twenty
    thirty forty fifty hundred thousand million first second third once twice half
""")
_FILLERS = ("um", "uh", "er", "like um")
_FILLED = re.compile(r"\b(?:um+|uh+|er|erm|hmm)\b", re.IGNORECASE)
_BREATH = re.compile(r"(?<=\bbut )|(?<=\band )|(?<=\bso )|(?<=\babout )|(?<=\bis )|(?<=\bwell )")
_NOT_SPOKEN = re.compile(r"[“”\"()…]|[.,!?;:]+(?=\s|$|[\"”)])|(?<=\s)[-–—]+(?=\s)")


def typing(text: str) -> Slips:
    """What fingers do: to letters inside words, and to apostrophes and capitals."""
    letters = [
        slip
        for found in _LONG_WORD.finditer(text)
        if found.group() not in _WEIGHTY
        for slip in _in_a_word(found)
    ]
    dropped = [Slip(found.start(), found.end(), "") for found in _APOSTROPHE.finditer(text)]
    lowered = [
        Slip(found.start(), found.end(), found.group().lower()) for found in _CAPITAL.finditer(text)
    ]
    return [letters, dropped, lowered]


def speech(text: str) -> Slips:
    """What a voice leaves in a text: fillers, and words of the same sound."""
    filled = [found.start() for found in _FILLED.finditer(text)]
    breaths = {0, *(found.start() for found in _BREATH.finditer(text))}
    free = [at for at in sorted(breaths) if all(abs(at - other) > 6 for other in filled)]
    fillers = [Slip(at, at, f"{filler} ") for at in free for filler in _FILLERS]
    sounds = [
        Slip(found.start(), found.end(), _HOMOPHONES[found.group()])
        for found in _WORD.finditer(text)
        if found.group() in _HOMOPHONES
    ]
    return [fillers, sounds]


def unpunctuated(text: str) -> str:
    """The text as a voice gives it: no marks, no quotes, no capital where a sentence begins."""
    lowered = _CAPITAL.sub(lambda found: _lower(found.group()), text)
    return " ".join(_NOT_SPOKEN.sub(" ", lowered).split())


def _lower(capital: str) -> str:
    return capital if capital == "I" else capital.lower()


def _in_a_word(found: re.Match[str]) -> Iterator[Slip]:
    """The first letter stays, so that the word is still known by sight."""
    for at in range(found.start() + 1, found.end()):
        letter = found.string[at]
        yield Slip(at, at + 1, "")
        yield Slip(at, at + 1, letter * 2)
        if at + 1 < found.end() and found.string[at + 1] != letter:
            yield Slip(at, at + 2, found.string[at + 1] + letter)
