"""Whether a Japanese sentence asks, requests or orders something."""

from simulator.text.ja.endings import Ending, endings
from simulator.text.phrases import phrases

_PHRASES = phrases("text/ja/asking")

_FINAL = " 。．.!！…〜～ー"


def asks(text: str, *, marked: bool) -> bool:
    """See `text.acts.asks`; `marked`: a question mark ends the sentence."""
    if _PHRASES.pattern("echo").match(text):
        return False
    if marked:
        return True
    bare = text.strip(_FINAL)
    by_form = bool(_PHRASES.pattern("asks_by_form").search(bare))
    if by_form or _PHRASES.pattern("indifferent").search(bare):
        return by_form
    if _PHRASES.pattern("request").search(bare) and not _PHRASES.pattern("no_request").search(bare):
        return True
    if _PHRASES.pattern("open_end").search(bare):
        return True
    return commands(text) or _is_question_without_ka(bare)


def _is_question_without_ka(text: str) -> bool:
    """どうすればいいの."""
    ends = text.endswith(("の", "んだ", "わけ", "んだろう", "ですの", "ねん", "のよ"))
    return ends and bool(_PHRASES.pattern("question_word").search(text))


def commands(sentence: str) -> bool:
    """See `text.acts.commands`."""
    ends = endings(sentence)
    return bool(ends) and _is_order(ends[0])


def _is_order(ending: Ending) -> bool:
    core, helpers, particles = ending.core, ending.helpers, ending.particles
    if core is None or core.pos[0] != "動詞" or any(h.pos[0] == "助動詞" for h in helpers):
        return False
    if core.form == "命令形":
        return core.normal not in ("下さる", "いらっしゃる", "居らっしゃる") and not ending.is_sorry
    if not particles or particles[0].surface != "な" or not core.form.startswith("終止形"):
        return False
    return core.normal not in _PHRASES.words("felt")


def asks_customer(sentence: str) -> bool:
    """True if a bot's sentence (NFKC, case folded) asks or requests something of a customer."""
    if _PHRASES.pattern("question_of_a_desk").search(sentence):
        return True
    requests = _PHRASES.pattern("request_of_a_desk").search(sentence)
    unless = _PHRASES.pattern("elsewhere"), _PHRASES.pattern("at_another_time")
    return bool(requests) and not any(pattern.search(sentence) for pattern in unless)
