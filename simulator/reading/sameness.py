"""Whether sentences say the same nearly verbatim, and whether clauses are opposed."""

from collections.abc import Sequence

from simulator.text.clauses import EITHER, PLAIN, Amount, Clause, Sentence, words_of
from simulator.text.quantities import all_of, amounts_there


def matches(part: Sentence, window: Sequence[Sentence]) -> bool:
    """True if sentences have all words and amounts of another one, alike bound and alike denied."""
    clauses = [clause for sentence in window for clause in sentence.clauses]
    words, amounts = words_of(window), all_of(sentence.amounts for sentence in window)
    if not (part.words or part.amounts):
        return any(part.form and part.form == sentence.form for sentence in window)
    if not (part.words <= words and amounts_there(part.amounts, amounts)):
        return False
    if not all(is_bound(amount, part.clauses, clauses) for c in part.clauses for amount, _ in c.amounts):
        return False
    return all(_is_alike(clause, clauses) for clause in part.clauses)


def _is_alike(clause: Clause, there: Sequence[Clause]) -> bool:
    """True if the clauses that share words or amounts affirm and deny as this one does."""
    own = {amount for amount, _ in clause.amounts}
    beside = [
        other
        for other in there
        if clause.keys & other.keys or own & {amount for amount, _ in other.amounts}
    ]
    if not beside:
        return not (clause.keys or own)
    return not any(opposes(clause, other) for other in beside)


def opposes(clause: Clause, other: Clause) -> bool | None:
    """True if one denies what the other affirms, False if they agree, None if words can't tell."""
    common = clause.signs.keys() & other.signs.keys()
    if EITHER in common and clause.signs[EITHER] is not other.signs[EITHER]:
        return True
    axes = common - {EITHER, PLAIN}
    if axes:
        differing = {axis for axis in axes if clause.signs[axis] is not other.signs[axis]}
        return True if differing == axes else None if differing else False
    if PLAIN in common:
        return clause.signs[PLAIN] is not other.signs[PLAIN]
    one, two = (all(v for k, v in c.signs.items() if k != EITHER) for c in (clause, other))
    return None if one is two else True


def is_bound(amount: Amount, own: Sequence[Clause], there: Sequence[Clause]) -> bool:
    """True if an amount is beside the same word in both, where others of its kind are there."""
    kind = amount[0]
    others = {a for clause in there for a, _ in clause.amounts if a[0] == kind}
    if len(others) < 2 or amount not in others:
        return True
    anchors = _anchors(amount, own)
    return not anchors or bool(anchors & _anchors(amount, there))


def _anchors(amount: Amount, clauses: Sequence[Clause]) -> frozenset[str]:
    """The words that are nearer to an amount than to any other of its kind."""
    places = [(a, at) for c in clauses for a, at in c.amounts if a[0] == amount[0]]
    found = set()
    for word, at in (pair for clause in clauses for pair in clause.words):
        nearest = min(abs(at - place) for _, place in places)
        if any(a == amount and abs(at - place) == nearest for a, place in places):
            found.add(word)
    return frozenset(found)
