"""The mistakes in a person's messages: what fingers and voice recognition do to them.

Numbers, ids, addresses and URLs stay as they are, and so does what a message says: slips keep
apart from each other, and negations are left alone.
"""

import random
import re
from collections.abc import Callable

from simulator.core.persona import Language, Slips
from simulator.users import _slip, _slips_en, _slips_ja
from simulator.users._slip import Slip

_MASK = "\ue000"  # a character of no script: no slip is made on it
_KEPT = re.compile(
    rf"{_MASK}|https?://[!-~]+|[!-~]+@[!-~]*[A-Za-z]"
    r"|[#＃]?[A-Za-z._/-]*[0-9０-９](?:[A-Za-z0-9０-９.,:：_/+-]*[A-Za-z0-9０-９])?"
    r"|[A-Za-z]+(?:\.[A-Za-z]+)+|[A-Z]{2,}\w*"
)
# Characters from slip to slip; 25 of English are about five words.
_APART: dict[tuple[Language, Slips], int] = {
    ("ja", Slips.TYPING): 12,
    ("ja", Slips.SPEECH): 20,
    ("en", Slips.TYPING): 25,
    ("en", Slips.SPEECH): 25,
}
_PLACES: dict[tuple[Language, Slips], Callable[[str], _slip.Slips]] = {
    ("ja", Slips.TYPING): _slips_ja.typing,
    ("ja", Slips.SPEECH): _slips_ja.speech,
    ("en", Slips.TYPING): _slips_en.typing,
    ("en", Slips.SPEECH): _slips_en.speech,
}
_UNPUNCTUATED = {"ja": _slips_ja.unpunctuated, "en": _slips_en.unpunctuated}


def slipped(text: str, slips: Slips, language: Language, rng: random.Random) -> str:
    """The text with slips of a kind: one at least if there is a place for it.

    There is at most one for every dozen characters (ja; of speech, twenty) or five words (en).
    Speech has no punctuation either.
    """
    if slips is Slips.NONE:
        return text
    kept = iter(_KEPT.findall(text))
    text = _KEPT.sub(_MASK, text)
    if slips is Slips.SPEECH:
        text = _UNPUNCTUATED[language](text)
    for slip in sorted(_chosen(text, slips, language, rng), key=lambda found: -found.start):
        text = text[: slip.start] + slip.text + text[slip.end :]
    return re.sub(_MASK, lambda _: next(kept), text)


def _chosen(text: str, slips: Slips, language: Language, rng: random.Random) -> list[Slip]:
    """Some places, all sorts alike, far enough apart from each other."""
    sorts = _PLACES[language, slips](text)
    apart = _APART[language, slips]
    most = max(1, len(text) // apart)
    chosen: list[Slip] = []
    for _ in range(rng.randint((most + 1) // 2, most)):
        sorts = [
            [place for place in places if _is_clear(place, chosen, apart // 2)] for places in sorts
        ]
        left = [places for places in sorts if places]
        if not left:
            break
        chosen.append(rng.choice(rng.choice(left)))
    return chosen


def _is_clear(slip: Slip, chosen: list[Slip], apart: int) -> bool:
    return all(slip.start >= c.end + apart or slip.end + apart <= c.start for c in chosen)
