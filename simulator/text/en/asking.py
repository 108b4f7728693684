"""Whether an English sentence asks, requests or orders something."""

from simulator.core.clean import clean
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
    return bool(_PHRASES.pattern("request_of_a_desk").search(sentence))
