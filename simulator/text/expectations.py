"""Whether replies hold what is expected of them, and whether one contradicts it, by words."""

from collections.abc import Sequence, Set
from dataclasses import dataclass
from enum import StrEnum

from simulator.core.bounds import MAX_EXPECTED
from simulator.core.persona import Language
from simulator.core.scenario import Element
from simulator.text.backchannels import begins_with_yes, without_yes_or_no
from simulator.text.content import (
    CAN,
    asked_words,
    clause_of,
    content,
    has_all_amounts,
    is_cut_short,
    keeps_hinges,
    one_by_one,
    other_side,
    plain,
    set_apart,
    with_common_words,
)
from simulator.text.likeness import words_there
from simulator.text.matching import NONE, UNCLEAR_FROM, may_hang, speaks_against
from simulator.text.normal import folded, normal_form
from simulator.text.passages import is_bound_otherwise
from simulator.text.phrases import phrases
from simulator.text.presence import missing
from simulator.text.quantities import MONEY, of_its_kind, with_ages
from simulator.text.reversals import (
    agrees,
    clauses_of,
    denies_as_much,
    is_there,
    turned_round,
)
from simulator.text.sentences import begun, sentences

MISSED_BELOW = 0.1
"""The share of an expected answer's content below which a reply holds none of it."""
MET_FROM = 0.9
"""The share of an expected answer's content from which on it is plainly there."""
TOLD_FROM = 0.75
"""The share from which on it is, with no amount, *not* or *only* more or less."""
_MOST = 0.6
"""The share of a sentence's words that stand with all its amounts where it is told."""
_EXPECTED, _REPLIED = 100, 200  # sentences of a text
_FEW = 2  # content words of what is allowed
_UNITS = frozenset(("seconds", "months", "clock", "%"))  # 90 days may be 3 months, 50% half


class State(StrEnum):
    """Whether something expected was said."""

    SAID = "said"
    UNCLEAR = "unclear"  # most of its content is there, in other words or spread
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class AnswerState:
    """Whether an expected answer was given, and the share of its content that is there, 0-1.

    `lacks`: its sentences that were not plainly said.
    """

    state: State
    share: float
    lacks: tuple[str, ...] = ()


def element_state(
    element: Element, replies: Sequence[str], language: Language, *, told: str = ""
) -> State:
    """Whether any alternative of an element was said in any of the replies.

    A yes or no with which a reply or an alternative begins is no content where more follows.

    SAID: a sentence holds it (`presence`), with what it hinges on (*only*, まで). UNCLEAR: half of
    its words and amounts are there, also as words of one root (*register*, *registration*) or, in
    Japanese, with a kanji in common (宿泊, 泊まる), or a sentence allows or forbids the same; and
    all its amounts, in any unit, but those that the user `told`. A reply that contradicts an
    alternative is left out for it.
    """
    element, replies = (
        _plainly(element, language),
        _plainly(replies, language, _REPLIED, whole=True),
    )
    if any(_is_said_alike(way, replies, language) for way in element):
        return State.SAID
    said = [part for reply in replies for part in sentences(reply, language)]
    may = (
        way
        for way in element
        if _share(way, replies, language) >= UNCLEAR_FROM
        or turned_round(way, said, language) is False
    )
    there = any(has_all_amounts(way, (*replies, told[:MAX_EXPECTED]), language) for way in may)
    return State.UNCLEAR if there else State.MISSING


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
    (reply,), element = _plainly((reply,), language, _REPLIED), _plainly(element, language)
    right, about = tuple(right), asked_words(asked, language)
    against = [
        way
        for way in element
        if speaks_against(reply, way, language, right, about if may_hang(way, language) else NONE)
    ]
    others = [way for way in element if way not in against]
    if allows(reply, element, asked, language) or charges(reply, element, asked, language):
        return True
    return bool(against) and all(_held(w, [reply], language) < UNCLEAR_FROM for w in others)


def answer_state(answers: Sequence[str], replies: Sequence[str], language: Language) -> AnswerState:
    """How far the best of several right answers is in the replies.

    SAID: all its sentences are held, or nine tenths of its content with every amount, or three
    quarters of it, half of each sentence, denied and limited as there. MISSING: less than a tenth
    is there. UNCLEAR: what lies between.
    """
    replies = _plainly(replies, language, _REPLIED, whole=True)
    answers = [answer for answer in _plainly(answers, language) if answer.strip()]
    if _is_said(tuple(answers), replies, language):
        return AnswerState(State.SAID, 1.0)
    plain = max((_held(answer, replies, language, loose=False) for answer in answers), default=0.0)
    if plain >= MET_FROM:
        return AnswerState(State.SAID, plain)
    shares = [_share(answer, replies, language) for answer in answers]
    share = max(shares, default=0.0)
    best = answers[shares.index(share)] if shares else ""
    if share >= TOLD_FROM and _is_told(best, replies, language):
        return AnswerState(State.SAID, share)
    lacks = tuple(s for s in sentences(best, language) if not _is_said((s,), replies, language))
    return AnswerState(State.MISSING if share < MISSED_BELOW else State.UNCLEAR, share, lacks)


def contradicts_answer(
    reply: str,
    answers: Sequence[str],
    language: Language,
    *,
    asked: str = "",
    first: bool = False,
) -> bool:
    """Whether a reply contradicts what is right: one sentence at least of each right answer.

    With `first`, the reply to the question that the answers answer, it does so as well by a *yes*
    before what they have behind a *no*, or the other way round.
    """
    yes = begins_with_yes(reply, language)
    right = {begins_with_yes(answer, language) for answer in answers}
    is_turned = first and yes is not None and right == {not yes}
    if is_turned and answer_state(answers, [reply], language).state is State.SAID:
        return True
    (reply,), answers = _plainly((reply,), language, _REPLIED), _plainly(answers, language)
    return bool(answers) and all(
        any(
            contradicts_element(reply, (sentence,), language, asked=asked, right=answers)
            for sentence in sentences(answer, language)
        )
        for answer in answers
    )


# ---- What of it is there ----


def _plainly(
    texts: Sequence[str], language: Language, most: int = _EXPECTED, *, whole: bool = False
) -> tuple[str, ...]:
    """Texts without a yes or no before the matter; with `whole` also as they stand, and plain.

    As far as they are read: each sentence of an expectation is held beside each of a reply.
    """
    read = tuple(begun(text, language, MAX_EXPECTED, most) for text in texts)
    bare = tuple(dict.fromkeys(without_yes_or_no(text, language) for text in read))
    plainer = (text for one in read for text in (one, plain(one, language)))
    return with_common_words((*bare, *plainer), language) if whole else bare


def _is_said(ways: Element, replies: Sequence[str], language: Language) -> bool:
    """Whether one of them stands in the replies that do not turn it round."""
    for way in ways:
        fair = [r for r in replies if not speaks_against(r, way, language, (way,))]
        fair = [r for r in fair if not set_apart(r, way, language)]
        fair += [part for reply in fair for part in one_by_one(reply, language)]
        if not missing([(way,)], fair, language) or _is_reworded(way, fair, language):
            return True
    return False


def _is_said_alike(way: str, replies: Sequence[str], language: Language) -> bool:
    """Whether it stands in the replies with what it hinges on, and bound to the same time."""
    told = [part for reply in replies for part in sentences(reply, language)]
    if len(sentences(way, language)) == 1:
        unlike = [
            part
            for part in told
            if not keeps_hinges(way, part, language) or is_bound_otherwise(way, part, language)
        ]
        replies = [part for part in told if part not in unlike] if unlike else replies
    return _is_said(with_common_words((way,), language), replies, language)


def _is_reworded(way: str, replies: Sequence[str], language: Language) -> bool:
    """Whether sentences say each of its sentences plainly, in other words."""
    if is_cut_short(way, replies, language):
        return True
    told = [part for reply in replies for part in sentences(reply, language)]
    wanted = sentences(way, language)
    return bool(wanted) and all(any(agrees(part, one, language) for part in told) for one in wanted)


def _is_told(answer: str, replies: Sequence[str], language: Language) -> bool:
    """Whether of each of its sentences half is there, with all amounts, and as it denies it."""
    told = [part for reply in replies for part in sentences(reply, language)]
    return all(
        _share(part, replies, language) >= UNCLEAR_FROM
        and has_all_amounts(part, replies, language)
        and (denies_as_much(part, told, language) or _names_as_much(part, told, language))
        for part in sentences(answer, language)
    )


def _names_as_much(part: str, told: Sequence[str], language: Language) -> bool:
    """Whether one sentence has all its amounts and most of its words, on the same side of them.

    What hinges on more (*if*, *only*) may be worded in other ways where the amounts are the same.
    """
    wanted = content(part, language)
    if not wanted.amounts:
        return False
    return any(
        has_all_amounts(part, [sentence], language)
        and len(words_there(wanted.words, there.words, language)) >= _MOST * len(wanted.words)
        and (clause_of(wanted, there, language).denials - wanted.denials) % 2 == 0
        and not other_side(wanted.form, there.form, language)
        for sentence in told
        if (there := content(sentence, language)).amounts
    )


def _share(way: str, replies: Sequence[str], language: Language) -> float:
    """The share of its content in those replies that do not contradict it."""
    fair = [reply for reply in replies if not speaks_against(reply, way, language, (way,))]
    return _held(way, fair, language)


def _held(way: str, replies: Sequence[str], language: Language, *, loose: bool = True) -> float:
    """The share of a text's words and amounts that stand anywhere in the replies.

    None where it names amounts and no amount of it is there, or with `loose` false not all.
    """
    wanted = content(way, language)
    there = [content(sentence, language) for r in replies for sentence in sentences(r, language)]
    said = frozenset(word for text in there for word in text.words)
    words = words_there(wanted.words, said, language) if loose else wanted.words & said
    ages = [with_ages(text.amounts) for text in there]
    amounts = [(kind, one) for kind, some in wanted.amounts.items() for one in some]
    named = [a for a in amounts if any(a[1] in of_its_kind(a[0], t) for t in ages)]
    if loose and not named and wanted.amounts.keys() <= _UNITS:
        named = amounts if has_all_amounts(way, replies, language) else []
    if amounts and (not named or (not loose and len(named) < len(amounts))):
        return 0.0
    total = len(wanted.words) + len(amounts)
    if not total:
        return float(any(normal_form(way) in normal_form(reply) for reply in replies))
    return (len(words) + len(named)) / total


# ---- What a few words deny ----


def allows(reply: str, ways: Sequence[str], asked: str, language: Language) -> bool:
    """Whether a reply allows what was asked, which texts of a word or two deny: 使用できません.

    No clause of the reply may deny anything; who allows something on a condition, or speaks of
    nothing that was asked, allows something else.
    """
    found = [clauses_of(sentence, language) for sentence in sentences(reply, language)]
    if any(clause.does is False for told, _ in found for clause in told):
        return False
    if not all(
        any(not c.poles.get("allowed", True) for c in clauses_of(w, language)[0]) for w in ways
    ):
        return False
    allowed = [
        content(clause.form, language).words
        for told, supposed in found
        for clause in told
        if clause.poles.get("allowed", False) and not supposed
    ]
    return any(_is_allowed(way, words, asked, language) for way in ways for words in allowed)


def charges(reply: str, ways: Sequence[str], asked: str, language: Language) -> bool:
    """Whether a reply says *free* of what texts of a word (有料) say costs something, or back.

    The question has to ask about a cost. Who says both, on a condition, or what is charged for
    beside it (*free, but the taxi is 5 pounds*) may say the same.
    """
    data = phrases(f"text/{language}/polarity")
    if not ways or not data.pattern("asks_cost").search(folded(asked)):
        return False
    wanted = {_charge(way, language) for way in ways}
    found = [clauses_of(sentence, language) for sentence in sentences(reply, language)]
    if len(wanted) != 1 or None in wanted or any(supposed for _, supposed in found):
        return False
    said = {c.poles["included"] for told, _ in found for c in told if "included" in c.poles}
    is_free = True not in wanted
    return said == {is_free} and not (is_free and MONEY & content(reply, language).amounts.keys())


def _charge(way: str, language: Language) -> bool | None:
    """What a text of nothing else says: that something is included; None for any other text."""
    told, supposed = clauses_of(way, language)
    alone = len(told) == 1 and not supposed and not told[0].words
    return told[0].poles.get("included") if alone else None


def _is_allowed(way: str, words: Set[str], asked: str, language: Language) -> bool:
    """Whether the words of a clause hold those of a short text, and another one that was asked."""
    light = phrases(f"text/{language}/polarity").words("light")
    matter = content(way, language).words - light - {CAN}
    about = (w for w in content(asked, language).words if not is_there(w, matter, language))
    return (
        1 <= len(matter) <= _FEW
        and all(is_there(word, words, language) for word in matter)
        and any(is_there(word, words, language) for word in about)
    )
