"""Whether replies hold what is expected of them, and whether one contradicts it, by words."""

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache

from simulator.core.clean import clean
from simulator.core.persona import Language
from simulator.core.scenario import Element
from simulator.text.claims import Mention, Stance
from simulator.text.en.quantities import amounts_in
from simulator.text.ja.quantities import amounts_of
from simulator.text.ja.sudachi import tokenized
from simulator.text.names import names
from simulator.text.normal import folded, normal_form
from simulator.text.phrases import phrases
from simulator.text.presence import AGREEING, denials, mentions, missing
from simulator.text.quantities import Amounts, units
from simulator.text.sentences import sentences

UNCLEAR_FROM = 0.5
"""The share of an element's content from which on it may have been said in other words."""
NEAR_FROM = 0.75
"""The share of its content words with which a sentence speaks of the same thing."""
SAME_FROM = 0.85
"""The share of common content words from which on two sentences differ by a *not* at most."""
MISSED_BELOW = 0.1
"""The share of an expected answer's content below which a reply holds none of it."""
MET_FROM = 0.9
"""The share of an expected answer's content from which on it is plainly there."""
_READ = 8_000  # characters of a reply
_BEFORE_UNIT = re.compile(r"(?<=\d)\s+(?=[A-Za-z%])")
_ROOT = 5  # letters by which two English words of one root begin
_DENIALS = (Stance.DENIED, Stance.RULED_OUT)


class State(StrEnum):
    """Whether something expected was said."""

    SAID = "said"
    UNCLEAR = "unclear"  # most of its content is there, in other words or spread
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class AnswerState:
    """Whether an expected answer was given, and the share of its content that is there, 0-1."""

    state: State
    share: float


def element_state(element: Element, replies: Sequence[str], language: Language) -> State:
    """Whether any alternative of an element was said in any of the replies.

    SAID: a sentence holds it (`presence`). UNCLEAR: half or more of its content words and amounts
    are there, spread over sentences, as words of the same root (*register*, *registration*) or, in
    Japanese, with a kanji in common (宿泊, 泊まる); amounts only in the same unit. A reply that
    contradicts an alternative is left out for it.
    """
    replies = [reply[:_READ] for reply in replies]
    if _is_said(element, replies, language):
        return State.SAID
    if any(_share(way, replies, language) >= UNCLEAR_FROM for way in element):
        return State.UNCLEAR
    return State.MISSING


def contradicts_element(
    reply: str,
    element: Element,
    language: Language,
    *,
    asked: str = "",
    right: Sequence[str] = (),
) -> bool:
    """Whether a reply says something else than an element: another number, the opposite, a name.

    A sentence is held against an alternative if it has two thirds of its content words; what has
    none (500円) is held against sentences that speak of what was `asked`. Then it contradicts where
    it names another amount in the same unit and the reply never names the right one; where it only
    denies what the alternative affirms, or the other way round; and where another name of the same
    kind stands in the place of its own. What is said as a condition or a question claims nothing.
    An alternative that the reply says, or may say, excuses it from all others. Amounts and names
    that stand in anything else that is `right` contradict nothing.
    """
    reply = reply[:_READ]
    against = [way for way in element if _contradicts(reply, way, language, asked, right)]
    others = [way for way in element if way not in against]
    return bool(against) and not any(
        _held(way, [reply], language) >= UNCLEAR_FROM for way in others
    )


def answer_state(answers: Sequence[str], replies: Sequence[str], language: Language) -> AnswerState:
    """How far the best of several right answers is in the replies.

    SAID: all its sentences are held, or nine tenths of its content with every amount. MISSING:
    less than a tenth of its content is there. UNCLEAR: what lies between.
    """
    replies = [reply[:_READ] for reply in replies]
    answers = [answer for answer in answers if answer.strip()]
    if _is_said(tuple(answers), replies, language):
        return AnswerState(State.SAID, 1.0)
    share = max((_share(answer, replies, language) for answer in answers), default=0.0)
    plain = max((_held(answer, replies, language, loose=False) for answer in answers), default=0.0)
    if plain >= MET_FROM:
        return AnswerState(State.SAID, plain)
    return AnswerState(State.MISSING if share < MISSED_BELOW else State.UNCLEAR, share)


def contradicts_answer(
    reply: str, answers: Sequence[str], language: Language, *, asked: str = ""
) -> bool:
    """Whether a reply contradicts what is right: one sentence at least of each right answer."""
    reply = reply[:_READ]
    return bool(answers) and all(
        any(
            contradicts_element(reply, (sentence,), language, asked=asked, right=answers)
            for sentence in sentences(answer, language)
        )
        for answer in answers
    )


# ---- What of it is there ----


@dataclass(frozen=True, slots=True)
class _Text:
    words: frozenset[str]
    amounts: Amounts
    mentions: tuple[Mention, ...]
    names: Mapping[str, str]  # each with its kind
    denials: int


def _is_said(ways: Element, replies: Sequence[str], language: Language) -> bool:
    """Whether one of them stands in the replies that do not turn it round."""
    return any(
        not missing(
            [(way,)],
            [r for r in replies if not _contradicts(r, way, language, right=(way,))],
            language,
        )
        for way in ways
    )


def _share(way: str, replies: Sequence[str], language: Language) -> float:
    """The share of its content in those replies that do not contradict it."""
    fair = [reply for reply in replies if not _contradicts(reply, way, language, right=(way,))]
    return _held(way, fair, language)


def _held(way: str, replies: Sequence[str], language: Language, *, loose: bool = True) -> float:
    """The share of a text's words and amounts that stand anywhere in the replies.

    None where it names amounts and no amount of it is there, or with `loose` false not all.
    """
    wanted = _read(way, language)
    there = [_read(sentence, language) for r in replies for sentence in sentences(r, language)]
    said = frozenset(word for text in there for word in text.words)
    words = _there(wanted.words, said, language) if loose else wanted.words & said
    amounts = [(kind, one) for kind, some in wanted.amounts.items() for one in some]
    named = [a for a in amounts if any(_names(text.amounts, *a) for text in there)]
    if amounts and (not named or (not loose and len(named) < len(amounts))):
        return 0.0
    total = len(wanted.words) + len(amounts)
    if not total:
        return float(any(normal_form(way) in normal_form(reply) for reply in replies))
    return (len(words) + len(named)) / total


def _plain(text: str, language: Language) -> str:
    """The text without apologies and the like, whose *not* denies nothing; 不要 is 必要ない."""
    data = phrases(f"text/{language}/expectations")
    text = data.pattern("denies_nothing", re.IGNORECASE).sub("", text)
    for said, meant in data.pairs("denials").items():
        text = text.replace(said, meant)
    return _BEFORE_UNIT.sub("", text) if language == "ja" else text


def _without_number(mention: Mention) -> Mention:
    """What stands behind a number and is no unit is a word as any other: *under 6 travel free*."""
    number, _, word = mention.key.partition(" ")
    is_word = word and number[0].isdecimal() and word not in units()
    return Mention(word, mention.stance) if is_word else mention


def _names(amounts: Amounts, kind: str, one: float | str) -> bool:
    if one in amounts.get(kind, ()):
        return True
    known = {kind for kind, _ in units().values()}
    return kind not in known and any(one in some for some in amounts.values())


def _there(words: Set[str], said: Set[str], language: Language) -> list[str]:
    """Those of the words that are said, or one of the same root."""
    return [word for word in words if word in said or _akin(word, said, language)]


def _akin(word: str, said: Set[str], language: Language) -> bool:
    if language == "en":
        root = word[:_ROOT]
        return len(root) == _ROOT and any(other.startswith(root) for other in said)
    own = {char for char in word if "\u4e00" <= char <= "\u9fff"}
    return any(not own.isdisjoint(other) for other in said)


@lru_cache(maxsize=4096)
def _read(text: str, language: Language) -> _Text:
    text = _plain(unicodedata.normalize("NFKC", clean(text)), language)
    found = tuple(_without_number(mention) for mention in mentions(text, language))
    amounts = amounts_in(text) if language == "en" else amounts_of(tokenized(text))
    words = frozenset(m.key for m in found if not m.key[0].isdecimal())
    return _Text(words, amounts, found, names(text, language), denials(text, language))


# ---- What speaks against it ----


def _contradicts(
    reply: str, way: str, language: Language, asked: str = "", right: Sequence[str] = ()
) -> bool:
    """Whether a sentence of the reply speaks against a sentence of the text."""
    said = list(_told(reply, language))
    given = [_read(part, language) for text in right for part in sentences(text, language)]
    around = _Around(_read(asked, language).words, said, given)
    for part in sentences(way, language):
        wanted = _read(part, language)
        if _turned(wanted, said):
            return True
        if not missing([(part,)], [reply], language):
            continue
        if any(_against(wanted, sentence, around, language) for sentence in said):
            return True
    return False


def _told(reply: str, language: Language) -> Iterator[_Text]:
    """What the reply claims, sentence by sentence."""
    asks = phrases(f"text/{language}/grounding").pattern("asks")
    condition = phrases(f"text/{language}/expectations").pattern("condition")
    for sentence in sentences(reply, language):
        form = folded(sentence)
        if asks.search(form):
            continue
        whole = _read(sentence, language)
        told = condition.sub(" ", form)
        if told == form:
            yield whole
        else:
            yield replace(whole, mentions=_read(told, language).mentions)


def _turned(wanted: _Text, said: Sequence[_Text]) -> bool:
    """Whether the same is said with one *not* more or less, and nowhere as it should be."""
    alike = [s for s in said if wanted.words and _alike(wanted.words, s.words)]
    return bool(alike) and all((s.denials - wanted.denials) % 2 for s in alike)


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) >= SAME_FROM * len(one | other)


@dataclass(frozen=True, slots=True)
class _Around:
    """What a comparison minds: the words asked about, all that is said, and all that is right."""

    about: frozenset[str]
    said: Sequence[_Text]
    right: Sequence[_Text]


def _against(wanted: _Text, sentence: _Text, around: _Around, language: Language) -> bool:
    plain = wanted.words - _words_of(wanted.names)
    if plain:
        # A kanji in common (送料, 無料) is too little to speak of the same.
        words = sentence.words
        near = len(_there(plain, words, language) if language == "en" else plain & words)
        near_by = near / len(plain)
    else:
        near_by = len(around.about & sentence.words) / max(1, len(around.about))
    if near_by < (NEAR_FROM if plain else UNCLEAR_FROM):
        return False
    return (
        _other_amount(wanted, sentence, around, unmeasured=near_by == 1 or not plain)
        or _opposed(wanted, sentence, around.said, language)
        or _other_name(wanted, sentence, around)
    )


def _other_amount(wanted: _Text, sentence: _Text, around: _Around, *, unmeasured: bool) -> bool:
    """Whether it has an amount of a kind in which nothing said has all that is wanted.

    A number without a unit may be part of a name (Scratch 3.0): `unmeasured`: it counts.
    """
    for kind in wanted.amounts.keys() & sentence.amounts.keys():
        if not kind and not unmeasured:
            continue
        own = wanted.amounts[kind]
        known = own.union(*(text.amounts.get(kind, ()) for text in around.right))
        said = frozenset[float | str]().union(*(s.amounts.get(kind, ()) for s in around.said))
        if own - said and sentence.amounts[kind] - known:
            return True
    return False


def _opposed(wanted: _Text, sentence: _Text, said: Sequence[_Text], language: Language) -> bool:
    """Whether one denies what the other affirms, as far as nothing else that is said agrees."""
    denies = {m.key for m in wanted.mentions if m.stance in _DENIALS}
    if denies:
        shared = any(m.key in denies or _akin(m.key, denies, language) for m in sentence.mentions)
        return shared and not any(m.stance in _DENIALS for s in said for m in s.mentions)
    for mention in wanted.mentions:
        allowed = AGREEING[mention.stance]
        there = [m.stance for s in said for m in s.mentions if m.key == mention.key]
        here = [m.stance for m in sentence.mentions if m.key == mention.key]
        if any(s in _DENIALS and s not in allowed for s in here) and not any(
            s in allowed for s in there
        ):
            return True
    return False


def _other_name(wanted: _Text, sentence: _Text, around: _Around) -> bool:
    if not wanted.names or any(not wanted.names.keys().isdisjoint(s.names) for s in around.said):
        return False
    kinds = set(wanted.names.values())
    known = {*wanted.names, *around.about, *(name for text in around.right for name in text.names)}
    return any(kind in kinds and name not in known for name, kind in sentence.names.items())


def _words_of(found: Mapping[str, str]) -> frozenset[str]:
    return frozenset(word for name in found for word in name.split())
