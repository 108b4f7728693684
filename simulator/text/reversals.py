"""Whether a clause turns round what another one says, in whatever words."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import lru_cache

from simulator.core.bounds import Memo
from simulator.core.persona import Language
from simulator.text.content import (
    Content,
    clause_of,
    content,
    denies_in_a_word,
    doubtful,
    other_side,
    plain,
    same_hinges,
    says,
    sides,
)
from simulator.text.en.words import stem
from simulator.text.likeness import akin, days_of_the_week, is_meant, opposites
from simulator.text.normal import folded
from simulator.text.phrases import phrases
from simulator.text.quantities import MONEY, Amounts, amounts_there
from simulator.text.sentences import LONGEST

_WHOSE = "other"
_DOING = ("allowed", "open", "there")
"""The pairs of poles by which anything is done, or not."""
_LACKING = (*_DOING, "included")
"""Those of which two that say no say the same, whatever else one of them says."""
_PREFIXES = ("un", "non", "in", "im")
_SAME_FROM = 0.85
"""The share of common content words from which on two sentences differ by a *not* at most."""
_RELATED = 0.5
_IN_A_CLAUSE = 0.3
_LISTED = 2  # content words of a part of a list
_HALF = 0.5
_OWN = 2  # words of either clause that the other has not: they speak of different things
_OF_THE_SAME = 0.6
"""The share of common words from which on two sentences speak of the same."""
POLES = ("included", "allowed", "needed", "open", "there", "other")
"""The pairs of poles, by the names of their entries without _yes and _no."""


@dataclass(frozen=True, slots=True)
class Clause:
    """What a clause says of its matter: yes or no by pair of poles, and the words of the matter.

    `does`: whether anything is, may or must be done; None where that is not said. `total`: it says
    so without any exception.
    """

    form: str
    poles: Mapping[str, bool]
    does: bool | None
    words: frozenset[str]
    amounts: Amounts
    total: bool = False


_READ = 2 * LONGEST  # characters of a sentence, or of a text that should be one
_MOST = 40  # clauses of a sentence: each is held beside each of another one


@lru_cache(maxsize=4096)
def clauses_of(text: str, language: Language) -> tuple[tuple[Clause, ...], tuple[Clause, ...]]:
    """What a sentence claims, and its conditions, which claim nothing."""
    data = phrases(f"text/{language}/polarity")
    form = plain(data.pattern("softens").sub(" ", folded(text[:_READ])), language)
    for said, meant in data.rewrites("rewritten"):
        form = said.sub(meant, form)
    supposed = data.pattern("supposes").findall(form)
    between, rest = data.pattern("between_clauses"), data.pattern("supposes").sub(" ", form)
    told = tuple(
        clause
        for part in rest.split(";")[:_MOST]  # what stands behind one is no part of a list
        for clause in _with_lists(
            [_clause(one, language) for one in between.split(part)[:_MOST]], language
        )
    )
    return told[:_MOST], tuple(_clause(part, language) for part in supposed[:_MOST])


def _with_lists(found: Sequence[Clause], language: Language) -> Iterator[Clause]:
    """Clauses, and what is only a part of a list (*no paint, or glass*) with its predicate."""
    before = next(filter(_tells, found), None)  # or else the first behind
    for clause in found:
        is_short = len(clause.words) <= _LISTED and not clause.amounts
        if clause.poles or not is_short:
            before = clause if _tells(clause) else before
            yield clause
            continue
        poles = (before or clause).poles
        turned = {axis: said is not (clause.does is False) for axis, said in poles.items()}
        yield replace(clause, poles=turned, does=None if poles else clause.does)


def _tells(clause: Clause) -> bool:
    """Whether what stands beside it may have its predicate: it has one, and no price of its own."""
    return bool(clause.poles) and not MONEY & clause.amounts.keys()


def _clause(form: str, language: Language) -> Clause:
    data = phrases(f"text/{language}/polarity")
    rest, poles, mixed = form, dict[str, bool](), False
    for axis in POLES:
        without, denied = data.pattern(f"{axis}_no").subn(_blank, rest)
        rest, affirmed = data.pattern(f"{axis}_yes").subn(_blank, without)
        if bool(denied) != bool(affirmed):
            poles[axis] = bool(affirmed)
        mixed = mixed or bool(denied and affirmed)
    if odd := len(data.pattern("turns").findall(rest.rstrip("。!\n"))) % 2 == 1:
        who = _WHOSE if len(poles) > 1 else ""  # *anyone who … may not*: who it is stays
        poles = {axis: said is (axis == who) for axis, said in poles.items()}
    told = [poles[axis] for axis in _DOING if axis in poles]
    does = told[0] if told else poles.get("needed") or None
    if not (poles or mixed or denies_in_a_word(rest, language)):
        does = not odd
    total = data.pattern("total")
    words = content(total.sub(" ", rest), language).words - data.words("light")
    named = content(form, language).amounts
    return Clause(form, poles, does, words, named, total=total.search(form) is not None)


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def reverses(one: str, other: str, language: Language) -> bool | None:
    """Whether a clause of a sentence turns round what another one says, in whatever words.

    ご遠慮ください and 歓迎します, *nobody may* and *you may*, *free* and *there is a charge*: pairs
    of poles (`ja/polarity.yaml`), each turned by a *not*; who must, may or does is at odds with who
    may not or does not. Most of the words of a clause, without these, have to be in the other
    sentence, both have to hinge on the same (*only*), and a condition has to be named in both.

    Returns:
        False where they say the same in such words; None where nothing can be told.
    """
    size = len(one) + len(other)
    return _found.of((one, other, language), size, lambda: (_reverses(one, other, language),))[0]


_found = Memo[tuple[bool | None]](2_000_000)  # the same replies come again, to the same questions


def _reverses(one: str, other: str, language: Language) -> bool | None:
    (here, own), (there, theirs) = clauses_of(one, language), clauses_of(other, language)
    words, others = (
        frozenset[str]().union(*(clause.words for clause in clauses))
        for clauses in ((*here, *own), (*there, *theirs))
    )
    if _breaks_a_ban(here, own, there, others, language) or _breaks_a_ban(
        there, theirs, here, words, language
    ):
        return True
    if any(_share(c.words, others, language) < _HALF for c in own) or any(
        _share(c.words, words, language) < _HALF for c in theirs
    ):
        return None
    found = {
        at_odds
        for a in here
        for b in there
        if _speak_of_the_same((a.words, words), (b.words, others), language)
        if (at_odds := _at_odds(a, b, language)) is False
        or (at_odds and _may_be_held_together(a, b, (here, there)))
    }
    return found.pop() if len(found) == 1 else None


def _may_be_held_together(one: Clause, other: Clause, within: tuple[Sequence[Clause], ...]) -> bool:
    """Whether they have the same amounts, or neither has those of any clause around the other.

    *Dogs are welcome, but not after 6*: what holds after 6 is held against nothing but that.
    """
    here, there = ([clause.amounts for clause in some] for some in within)
    own, beside = one.amounts, other.amounts
    return own == beside or not ((own and own in there) or (beside and beside in here))


def _breaks_a_ban(
    bans: Sequence[Clause],
    supposed: Sequence[Clause],
    permits: Sequence[Clause],
    words: Set[str],
    language: Language,
) -> bool:
    """Whether something is allowed, be it on a condition, that is forbidden without exception."""
    if supposed or not any(clause.poles.get("allowed", False) for clause in permits):
        return False
    return any(
        clause.total
        and clause.poles.get("allowed") is False
        and bool(clause.words)
        and not clause.amounts
        and _share(clause.words, words, language) == 1
        for clause in bans
    )


def turned_round(text: str, others: Iterable[str], language: Language) -> bool | None:
    """Whether sentences turn it round, all that tell; None where none does, or they differ."""
    found = {reverses(text, other, language) for other in others} - {None}
    return found.pop() if len(found) == 1 else None


def agrees(said: str, wanted: str, language: Language) -> bool:
    """Whether a sentence `says` another one; or yes or no as that does, with all its other words.

    別にお申し込みください says 含まれない, *has to be booked separately* *is not included*.
    """
    read, there = content(wanted, language), content(said, language)
    if says(there, read, language):
        return True
    if reverses(wanted, said, language) is not False:
        return False
    if not amounts_there(read.amounts, there.amounts):
        return False
    told, supposed = clauses_of(wanted, language)
    needed = frozenset[str]().union(*(clause.words for clause in (*told, *supposed)))
    return bool(needed) and _share(needed, there.words, language) == 1


def denies_as_much(wanted: str, told: Iterable[str], language: Language) -> bool:
    """Whether the sentences that have half of its words deny and hinge on as much as it does.

    One of them has to, and none may say no where it says yes by any pair of poles.
    """
    read = content(wanted, language)
    near = [
        there
        for sentence in told
        if (there := content(sentence, language)).words
        and _share(read.words, there.words, language) >= _HALF
    ]
    poles = _poles(wanted, language)
    for there in near:
        others = _poles(there.form, language)
        if any(others[axis].isdisjoint(poles[axis]) for axis in poles.keys() & others.keys()):
            return False
    return any(
        (there.denials - read.denials) % 2 == 0 and not doubtful(read.form, there.form, language)
        for there in near
    )


def _poles(text: str, language: Language) -> dict[str, set[bool]]:
    """What it says by each pair of poles."""
    told = [clause.poles for clause in clauses_of(text, language)[0]]
    return {axis: {poles[axis] for poles in told if axis in poles} for one in told for axis in one}


def leaves_the_rest(one: str, other: str, language: Language) -> bool:
    """Whether one allows up to a number what the other denies beyond: 6歳まで, 7歳以上は."""
    here, there = content(one, language), content(other, language)
    if (here.denials - there.denials) % 2 == 0 or not other_side(here.form, there.form, language):
        return False
    pairs = (
        (a, b) for k, some in here.amounts.items() for a in some for b in there.amounts.get(k, ())
    )
    return any(isinstance(a, float) and isinstance(b, float) and abs(a - b) <= 1 for a, b in pairs)


def differs_by_a_not(wanted: Content, said: Sequence[Content], language: Language) -> bool:
    """Whether the same is said with one *not* more or less, and nowhere as it should be."""
    alike = [s for s in said if wanted.words and _alike(wanted.words, s.words)]
    return bool(alike) and all(
        bool(clause_of(wanted, s, language).denials) is not bool(wanted.denials)
        and not doubtful(wanted.form, s.form, language)
        for s in alike
    )


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    return len(one & other) >= _SAME_FROM * len(one | other)


def _at_odds(one: Clause, other: Clause, language: Language) -> bool | None:
    if _are_complements(one, other, language) or not _hinge_alike(one, other, language):
        return None
    axes = one.poles.keys() & other.poles.keys()
    if any(one.poles[axis] is not other.poles[axis] for axis in axes):
        return True
    if axes:  # 加工だけ and 洗いなしで加工だけ: neither is done
        neither = any(not one.poles[axis] for axis in axes.intersection(_LACKING))
        return False if neither or one.poles == other.poles else None
    if {one.does, other.does} != {True, False}:  # 対象外 and お送りできません
        is_near = _share(one.words, other.words, language) >= _HALF
        return False if {one.does, other.does} == {False} and is_near else None
    told, beside = (one, other) if not one.poles else (other, one)
    if told.poles:
        return True
    is_there = len(told.words) > 1 and _share(beside.words, told.words, language) == 1
    is_same = beside.poles or _share(told.words, beside.words, language) == 1
    return True if is_there and is_same else None


def _hinge_alike(one: Clause, other: Clause, language: Language) -> bool:
    data = phrases(f"text/{language}/polarity")
    forms = [data.pattern("concedes").sub(" ", form) for form in (one.form, other.form)]
    if _WHOSE in one.poles and _WHOSE in other.poles:  # *only members* and *everybody*
        forms = [data.pattern(f"{_WHOSE}_no").sub(" ", form) for form in forms]
    return same_hinges(forms[0], forms[1], language)


def _speak_of_the_same(
    one: tuple[Set[str], Set[str]], other: tuple[Set[str], Set[str]], language: Language
) -> bool:
    """Whether two clauses do; given their words, and those of the sentences around them.

    Most of each has to be there, or half of one and all of the other (*you may stay in the car*).
    """
    pairs = ((one, other), (other, one))
    within = list[float]()
    for own, beside in pairs:  # most speak of something else
        within.append(_share(own[0], beside[0], language))
        if within[-1] < _IN_A_CLAUSE:
            return False
    if sorted(within) >= [_HALF, 1] and min(len(one[0]), len(other[0])) > 1:
        return True
    return all(_share(own[0], beside[1], language) >= _OF_THE_SAME for own, beside in pairs)


def _share(words: Set[str], others: Set[str], language: Language) -> float:
    """The share of the words that are there, or a synonym; a related one counts half (ja)."""
    return sum(is_there(word, others, language) for word in words) / max(1, len(words))


def is_there(word: str, others: Set[str], language: Language) -> float:
    """1 where a word or a synonym is there; 0.5 where a related one is (ja)."""
    if is_meant(word, others, language):
        return 1
    return akin(word, others, language) * (1 if language == "en" else _RELATED)


def _are_complements(one: Clause, other: Clause, language: Language) -> bool:
    """Whether they speak of opposites: *opened* and *unopened*, 平日 and 土日, 16歳 and above."""
    own, others = one.words - other.words, other.words - one.words
    days = [words & days_of_the_week(language) for words in (one.words, other.words)]
    if any(days) and days[0].isdisjoint(days[1]):  # *not on Sundays* leaves the others open
        return True
    alone = [_unshared(own, other.words, language), _unshared(others, one.words, language)]
    here, there = one.amounts, other.amounts
    if min(alone) >= _OWN or any(here[k] != there[k] for k in here.keys() & there.keys()):
        return True
    if any((a & own and b & others) or (b & own and a & others) for a, b in opposites(language)):
        return True
    if any(_is_negative_of(a, b) or _is_negative_of(b, a) for a in own for b in others):
        return True
    own_sides = [sides(text, language) for text in (one.form, other.form)]
    return own_sides[0] != own_sides[1] and (all(own_sides) or bool(here and there))


def _unshared(words: Set[str], others: Set[str], language: Language) -> int:
    return sum(not is_there(word, others, language) for word in words)


def _is_negative_of(word: str, other: str) -> bool:
    """Whether a stem is that of another one with *un-* and the like."""
    return any(word.startswith(p) and stem(word.removeprefix(p)) == other for p in _PREFIXES)
