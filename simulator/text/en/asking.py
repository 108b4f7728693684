"""Whether an English sentence asks, requests or orders something, and how politely (modestly)."""

from simulator.core.clean import clean
from simulator.core.persona import Politeness
from simulator.text.phrases import phrases

_PHRASES = phrases("text/en/asking")


def asks(text: str, *, marked: bool) -> bool:
    """See `text.acts.asks`; the text is case folded. `marked`: a question mark ends it."""
    if _PHRASES.pattern("statement").search(text):
        return text.endswith("?")
    return marked or bool(_PHRASES.pattern("question").search(text)) or commands(text)


def commands(sentence: str) -> bool:
    """See `text.acts.commands`."""
    form = clean(sentence).strip().casefold().replace("’", "'")
    form = _PHRASES.pattern("before_an_order").sub("", form)
    if "please" in form or form.endswith("?"):
        return False
    return bool(_PHRASES.pattern("order").match(form))


def asks_customer(sentence: str) -> bool:
    """True if a bot's sentence (NFKC, case folded) requests something of a customer."""
    if _PHRASES.pattern("at_another_time").search(sentence):
        return False
    return bool(_PHRASES.pattern("request_of_a_desk").search(sentence))


_REGISTERS = phrases("text/en/politeness")
_LONG = 7  # words; a text without any finite verb that is so long is said in broken English


def register_of(sentence: str) -> Politeness | None:
    """The register of one sentence; None for a noun phrase, a call, or a bare yes or no."""
    form = sentence.casefold().replace("’", "'")
    if _REGISTERS.pattern("formal").search(form):
        return Politeness.FORMAL
    if _REGISTERS.pattern("polite").search(form):
        return Politeness.POLITE
    if (
        _REGISTERS.pattern("predicate").search(form)
        or commands(sentence)
        or len(form.split()) >= _LONG
    ):
        return Politeness.PLAIN
    return None
