"""Whether an English sentence asks, requests or orders something, and how politely (modestly)."""

from simulator.core.clean import clean
from simulator.core.persona import Politeness
from simulator.text.phrases import phrases

_PHRASES = phrases("text/en/asking")


def asks(text: str, *, marked: bool) -> bool:
    """See `text.asking.asks`; the text is case folded. `marked`: a question mark ends it."""
    if _PHRASES.pattern("statement").search(text):
        return text.endswith("?")
    return marked or bool(_PHRASES.pattern("question").search(text)) or commands(text)


def commands(sentence: str) -> bool:
    """See `text.asking.commands`."""
    said = clean(sentence).strip().casefold().replace("’", "'")
    said = _PHRASES.pattern("before_an_order").sub("", said)
    if "please" in said or said.endswith("?"):
        return False
    return bool(_PHRASES.pattern("order").match(said))


def asks_customer(sentence: str) -> bool:
    """Whether a bot's sentence (NFKC, case folded) requests something of a customer."""
    if _PHRASES.pattern("at_another_time").search(sentence):
        return False
    return bool(_PHRASES.pattern("request_of_a_desk").search(sentence))


_REGISTERS = phrases("text/en/politeness")
_LONG = 7  # words; a text without any finite verb that is so long is said in broken English


def register_of(sentence: str) -> Politeness | None:
    """The register of one sentence; None for a noun phrase, a call, or a bare yes or no."""
    said = sentence.casefold().replace("’", "'")
    if _REGISTERS.pattern("formal").search(said):
        return Politeness.FORMAL
    if _REGISTERS.pattern("polite").search(said):
        return Politeness.POLITE
    if (
        _REGISTERS.pattern("predicate").search(said)
        or commands(sentence)
        or len(said.split()) >= _LONG
    ):
        return Politeness.PLAIN
    return None
