"""The register of an English sentence, by its courtesies: a modest rule."""

from simulator.core.persona import Politeness
from simulator.text.en.asking import commands
from simulator.text.phrases import phrases

_PHRASES = phrases("text/en/politeness")
_LONG = 7  # words; a text without any finite verb that is so long is said in broken English


def register_of(sentence: str) -> Politeness | None:
    """The register of one sentence; None for a noun phrase, a call, or a bare yes or no."""
    said = sentence.casefold().replace("’", "'")
    if _PHRASES.pattern("formal").search(said):
        return Politeness.FORMAL
    if _PHRASES.pattern("polite").search(said):
        return Politeness.POLITE
    if (
        _PHRASES.pattern("predicate").search(said)
        or commands(sentence)
        or len(said.split()) >= _LONG
    ):
        return Politeness.PLAIN
    return None
