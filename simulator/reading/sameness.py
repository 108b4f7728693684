"""Whether sentences say the same nearly verbatim, and whether clauses are opposed."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from simulator.text.clauses import (
    EITHER,
    INCLUDED,
    LIMIT,
    MIXED,
    ONLY,
    PLAIN,
    Amount,
    Clause,
    Sentence,
    words_of,
)
from simulator.text.quantities import (
    Amounts,
    all_of,
    amounts_there,
    by_kind,
    each_of,
    of_its_kind,
)
from simulator.text.tokens import Meanings

NO_DENIAL = (LIMIT, INCLUDED)  # *it costs $6* denies nothing
_ORDERED = ("clock", "月", "日付", "calendar year")  # of these the first one begins what they say
_DENY_A_FRAGMENT = (PLAIN, "allowed", "needed", "there")


@dataclass(frozen=True)
class Window:
    """One sentence of a text, or two neighbouring ones; what they hold is worked out once."""

    sentences: tuple[Sentence, ...]

    @cached_property
    def clauses(self) -> tuple[Clause, ...]:
        """Their clauses."""
        return tuple(clause for sentence in self.sentences for clause in sentence.clauses)

    @cached_property
    def words(self) -> frozenset[str]:
        """Their content words."""
        return words_of(self.sentences)

    @cached_property
    def amounts(self) -> Amounts:
        """Their amounts by kind."""
        return all_of(sentence.amounts for sentence in self.sentences)


def matches(
    part: Sentence,
    window: Window,
    question_words: frozenset[str],
    meanings: Meanings,
) -> bool:
    """True if sentences have all words and amounts of another one, alike bound and alike denied.

    Words of the question may be left out, where at least one other word or amount is there.
    """
    if not (part.words or part.amounts):
        return False
    lacking = frozenset(w for w in part.words if meanings.of(w).isdisjoint(window.words))
    if not lacking <= question_words or not _has_amounts(part, window.amounts):
        return False
    is_about = bool(part.amounts) or bool(part.words - lacking - question_words)
    if lacking and not (is_about and 2 * len(lacking) <= len(part.words) + len(part.amounts)):
        return False
    if lacking and _is_limited(window.clauses) and not _is_limited(part.clauses):
        return False  # *only by card* answers whether cash will do
    amounts = (amount for clause in part.clauses for amount, _ in clause.amounts)
    if not all(is_bound(amount, part.clauses, window.clauses) for amount in amounts):
        return False
    return all(_is_alike(clause, window.clauses, meanings) for clause in part.clauses)


def _is_limited(clauses: Sequence[Clause]) -> bool:
    return any(ONLY in clause.signs for clause in clauses)


def _has_amounts(part: Sentence, others: Amounts) -> bool:
    if not amounts_there(part.amounts, others):
        return False
    return bool(part.words) or all(  # a lone 1 counts something, the one of *one moment* nothing
        amount != 1 or amount in of_its_kind(kind, others) for kind, amount in each_of(part.amounts)
    )


def _is_alike(clause: Clause, clauses: Sequence[Clause], meanings: Meanings) -> bool:
    """True if the clauses that speak of the same affirm and deny as this one does."""
    shared = {id(other): _shared(clause, other, meanings) for other in clauses}
    least = max(shared.values(), default=0) if clause.is_fragment else 1
    beside = [other for other in clauses if shared[id(other)] >= least] or clauses
    if not _is_priced_alike(clause, beside):
        return False
    if any(ONLY in c.signs for c in (clause, *beside)) and not _is_as_limited(clause, beside):
        return False
    return not any(_differs(clause, other) for other in beside)


def _is_priced_alike(clause: Clause, beside: Sequence[Clause]) -> bool:
    """True if what is free or costs something, without an amount, does so in another clause, too.

    Words such as *cost* and *extra* are no content words: the sign alone carries what is said.
    """
    price = clause.signs.get(INCLUDED)
    if price is None or clause.amounts:
        return True
    return any(other.signs.get(INCLUDED) is price for other in beside)


def _shared(clause: Clause, other: Clause, meanings: Meanings) -> int:
    """How many words and amounts of a clause another one has."""
    words = sum(not meanings.of(word).isdisjoint(other.keys) for word in clause.keys)
    amounts = by_kind(amount for amount, _ in other.amounts)
    return words + sum(amounts_there(by_kind([a]), amounts) for a, _ in clause.amounts)


def _is_as_limited(clause: Clause, beside: Sequence[Clause]) -> bool:
    """True if *only* is in both, or what only is meant is what the clause says."""
    limited = [other for other in beside if ONLY in other.signs]
    if ONLY in clause.signs:
        return bool(limited)
    return all(other.limited and other.limited in clause.form for other in limited)


def _differs(clause: Clause, other: Clause) -> bool:
    """True if they may not say the same, since one of them denies something."""
    limits = clause.signs.get(LIMIT), other.signs.get(LIMIT)
    if None not in limits and limits[0] is not limits[1] and _share_amounts(clause, other):
        return True
    if clause.is_condition or other.is_condition:
        return False
    if MIXED in clause.signs or MIXED in other.signs:
        return clause.form != other.form
    if clause.is_fragment:
        return any(other.signs.get(axis) is False for axis in _DENY_A_FRAGMENT)
    if opposes(clause, other):
        return True
    return says_yes(clause) is not says_yes(other)


def says_yes(clause: Clause) -> bool:
    """True if a clause denies nothing."""
    return all(clause.signs[axis] for axis in clause.signs if axis not in NO_DENIAL)


def _share_amounts(clause: Clause, other: Clause) -> bool:
    return not {a for a, _ in clause.amounts}.isdisjoint({a for a, _ in other.amounts})


def opposes(clause: Clause, other: Clause) -> bool | None:
    """True if one denies what the other affirms, False if they agree, None if words can't tell."""
    common = clause.signs.keys() & other.signs.keys() - {ONLY, LIMIT, MIXED}
    differing = {axis for axis in common if clause.signs[axis] is not other.signs[axis]}
    if EITHER in differing:
        return True
    axes = common - {EITHER}
    if not axes:
        return None
    if PLAIN in differing and not _has_predicate(clause, other):
        return None
    return True if differing >= axes else None if differing else False


def _has_predicate(clause: Clause, other: Clause) -> bool:
    """True if the word that one of them denies is in the other one."""
    denying, affirming = (other, clause) if clause.signs[PLAIN] else (clause, other)
    return not denying.predicate or denying.predicate in affirming.keys


def is_bound(amount: Amount, own: Sequence[Clause], clauses: Sequence[Clause]) -> bool:
    """False if the words beside an amount are beside another one of its kind instead."""
    kind = amount[0]
    others = {a for clause in clauses for a, _ in clause.amounts if a[0] == kind}
    if kind in _ORDERED or len(others) < 2 or amount not in others:
        return True
    anchors = _anchors(amount, own)
    words = {word for clause in clauses for word in clause.keys}
    return not anchors & words or bool(anchors & _anchors(amount, clauses))


def _anchors(amount: Amount, clauses: Sequence[Clause]) -> frozenset[str]:
    """The words that are nearer to an amount than to any other of its kind."""
    places = [(a, at) for c in clauses for a, at in c.amounts if a[0] == amount[0]]
    anchors = set()
    for word, at in (pair for clause in clauses for pair in clause.words):
        nearest = min(abs(at - place) for _, place in places)
        if any(a == amount and abs(at - place) == nearest for a, place in places):
            anchors.add(word)
    return frozenset(anchors)
