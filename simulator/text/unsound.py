"""What a customer's message should not hold: a desk's phrases, frames, marks, ids from nowhere."""

import re
from collections.abc import Iterable
from functools import cache

from simulator.core.clean import folded, normal_form, visible
from simulator.core.persona import Language
from simulator.text.phrases import Phrases, phrases
from simulator.text.tokens import sentences

_FLAGS = re.MULTILINE  # texts are folded
_HINTS = 3  # of a desk, where one or two of them say nothing
_FEWEST_DIGITS = 6  # of a number that nobody makes up in passing
_CODE = 5  # letters and digits of a booking code
_SEPARATORS = r"[-‐–−ー \u3000]"
_NUMBER = re.compile(rf"\d+(?:{_SEPARATORS}?\d+)*")
_DIGITS = re.compile(r"\d+")
_WORD = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*", re.ASCII)
_MEASURE = re.compile(
    r"\s*(?:円|万|千|億|年|月|日|時|分|人|名|泊|個|件|回|歳|度|kg|km|cm|mm|gb|mb|ml|m\b|g\b|%"
    r"|dollars?|euros?|pounds?|yen|usd|years?|days?|hours?|people|times)"
)
_MONEY = re.compile(r"[¥$€£\uffe5]\s*$")
_DATE = re.compile(r"(?:19|20)\d{2}[-/ ]?\d{1,2}(?:[-/ ]?\d{1,2})?|\d{1,2}[-/ ]\d{1,2}[-/ ]\d{2,4}")
_ENDS = "done|stop|end|eos|exit|quit|finish(?:ed)?|terminated?|終了|終わり|完了|停止"
_OVER = (
    r"(?:end of|stop) (?:the )?(?:conversation|chat|dialog(?:ue)?|talk)"
    r"|(?:the )?(?:conversation|chat|dialog(?:ue)?) (?:is )?"
    r"(?:over|end(?:s|ed)?|finished|completed?)"
    r"|(?:会話|対話|チャット|やり取り)(?:を|は)?(?:終了|終わり|完了)"
)
# Bounded: what stands in a row before a mark would be gone through again from each of its signs.
_MARK = re.compile(
    rf"(?:[\[<{{【］［]|\*\*|##)[\[</|#\s]{{0,80}}(?:{_ENDS}|{_OVER})[\s|/]{{0,80}}(?:[\]>}}】］]|\*\*|##)"
    rf"|[(（](?:END|STOP|DONE|EOS|(?i:{_OVER}))[)）]"
    rf"|^\W{{0,80}}(?:{_OVER})\W{{0,80}}$"
    r"|<\|(?:im_end|endoftext|eot_id)\|>|</s>",
    re.MULTILINE | re.IGNORECASE,
)
# In round brackets or between stars, small letters are somebody's way of writing: (end), **stop**.
_LOUD = re.compile(r"[(（*]\W*[a-z]")


def holds_mark(text: str) -> bool:
    """True if a mark stands in it by which a model says that the talk is over: `[STOP]`."""
    return any(not _LOUD.match(mark[0]) for mark in _MARK.finditer(text))


def holds_frame(text: str, language: Language, *, own: Iterable[str] = ()) -> bool:
    """True if a thought, a role's name before a line (`User:`), or a stage direction is in it.

    own: what somebody was given to say; what stands there too is no frame.
    """
    frames = _phrases(language).pattern("frames", _FLAGS)
    framed = {match[0].strip() for match in frames.finditer(folded(text))}
    if not framed:
        return False
    known = "\n".join(map(folded, own))
    return any(frame not in known for frame in framed)


def speaks_for_a_desk(text: str, language: Language, *, formal: bool = False) -> bool:
    """True if only somebody at the desk would say so.

    Some phrases are enough by themselves; of those that customers use as well it takes three. Who
    writes like letters (`formal`) is judged by the former only.
    """
    text = folded(text)
    data = _phrases(language)
    if data.pattern("desk", _FLAGS).search(text):
        return True
    if formal:
        return False
    if data.pattern("courtesy", _FLAGS).search(text):
        return True
    hints = {match[0] for match in data.pattern("hints", _FLAGS).finditer(text)}
    return len(hints) >= _HINTS


def announces(text: str, language: Language, known: Iterable[str]) -> bool:
    """True if it states a figure as only the service could: of itself, and not from `known`."""
    data = _phrases(language)
    if "announces" not in data.entries:
        return False
    tells, oneself = data.pattern("announces", _FLAGS), data.pattern("oneself", _FLAGS)
    stated = [
        sentence
        for sentence in sentences(folded(text), language)
        if tells.search(sentence) and not oneself.search(sentence) and not sentence.endswith("?")
    ]
    figures = set(_DIGITS.findall(folded("\n".join(known)))) if stated else set()
    return any(not figures.issuperset(_DIGITS.findall(sentence)) for sentence in stated)


def unknown_ids(text: str, known: Iterable[str]) -> list[str]:
    """Numbers of 6 digits or more, and codes of 5 letters and digits or more, not in `known`.

    Sums of money, dates, and what counts something are no ids. They are compared without their
    separators, and a part of a known one is known.
    """
    text = folded(text)
    ids = [_bare(m[0]) for m in _NUMBER.finditer(text) if _is_number(m, text)]
    ids += [_bare(m[0]) for m in _WORD.finditer(text) if _is_code(m[0])]
    if not ids:
        return []
    known_ids = " ".join(_bare(folded(other)) for other in known)
    return [id_ for id_ in dict.fromkeys(ids) if id_ not in known_ids]


def without_openers(text: str, language: Language) -> str:
    """What is said after *yes,* and *sorry,* and their like, in normal form; may be empty."""
    return normal_form(_opening(language).sub("", visible(text).strip(), count=1))


def _is_number(number: re.Match[str], text: str) -> bool:
    digits = sum(c.isdecimal() for c in number[0])
    round_one = number[0].endswith("000")  # as in *over 100000 people*
    if digits < _FEWEST_DIGITS or round_one or _DATE.fullmatch(number[0]):
        return False
    return not _MEASURE.match(text, number.end()) and not _MONEY.search(
        text[max(0, number.start() - 20) : number.start()]
    )


def _is_code(word: str) -> bool:
    bare = _bare(word)
    digits = sum(c.isdecimal() for c in bare)
    turns = len(re.findall(r"[a-z](?=\d)|\d(?=[a-z])", bare))
    # iphone15 and a4 are names of things; xk7t2p and a48213905 are not.
    return len(bare) >= _CODE and digits < len(bare) and (turns > 1 or digits >= _CODE)


def _bare(text: str) -> str:
    return re.sub(_SEPARATORS, "", text)


@cache
def _opening(language: Language) -> re.Pattern[str]:
    after = r"[\s、,，。．.!！…~〜]+" if language == "ja" else r"[,.!…:]+\s*"
    openers = _phrases(language).alternatives("openers")
    return re.compile(rf"(?:{openers}(?:{after}))+", re.IGNORECASE)


def _phrases(language: Language) -> Phrases:
    return phrases(f"text/{language}/unsound")
