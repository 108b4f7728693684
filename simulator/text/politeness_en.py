"""The register of an English sentence, by its courtesies: a modest rule."""

from simulator.core.persona import Politeness
from simulator.text.asking import commands
from simulator.text.refusal_rules import any_line

_FORMAL = any_line(
    r"""
    \bwould you (?:kindly|be so (?:kind|good)|be able to)\b|\bkindly\b
    \b(?:i|we)(?: would| should|'d) be <much>?(?:grateful|obliged|glad|pleased|thankful)\b
    \b(?:i|we) (?:would|should) (?:very much |greatly |really )?appreciate\b
    \bmay i (?:ask|enquire|inquire|request|trouble|have)\b|\bi wonder (?:if|whether)\b
    \b(?:i|we) (?:was|were|am|had been) wondering (?:if|whether)\b|\blike to enquire\b
    \b(?:kind|best|warm) regards\b|\byours (?:sincerely|faithfully)\b|\bdear (?:sir|madam)
    \bif it is not too much trouble\b|\bat your (?:earliest )?convenience\b|\bi beg your pardon\b
    \bi do apologi[sz]e\b|\bmy apologies\b|\bmuch obliged\b|\bi wish to\b|\bpermit me\b
    """,
    much="(?:most|very|so|ever so) ",
)
_POLITE = any_line(
    r"""
    \bplease\b|\bpls\b|\bthank|\bthx\b|\bcheers\b
    \bsorry\b|\bexcuse me\b|\bpardon\b|\bapologi[sz]e\b
    \b(?:could|would|might|may) (?:you|i|we|it|somebody|someone|anyone)\b|\bcan you\b
    \b(?:i|we)(?:'d| would| should) (?:like|love|prefer|appreciate|be happy)\b|\bappreciate\b
    \b(?:do|would) you mind\b|\bif you (?:could|would|don't mind|do not mind)\b|\bif possible\b
    """
)
_PREDICATE = any_line(
    r"""
    \b(?:i|you|he|she|it|we|they|this|that|there|who|what|where|when|how|why)(?:'(?:s|m|re|ll|ve|d))?\s+[a-z]
    \b(?:is|are|was|were|am|do|does|did|has|have|had|can|will|won't|must|don't|doesn't|didn't|isn't)\b
    \b(?:can't|cannot|couldn't|hasn't|haven't|aren't|wasn't|wouldn't)\b
    """
)
_LONG = 7  # words; a text without any finite verb that is so long is said in broken English


def register_of(sentence: str) -> Politeness | None:
    """The register of one sentence; None for a noun phrase, a call, or a bare yes or no."""
    said = sentence.casefold().replace("’", "'")
    if _FORMAL.search(said):
        return Politeness.FORMAL
    if _POLITE.search(said):
        return Politeness.POLITE
    if _PREDICATE.search(said) or commands(sentence, "en") or len(said.split()) >= _LONG:
        return Politeness.PLAIN
    return None
