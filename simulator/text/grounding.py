"""How far documents bear out what a reply states, sentence by sentence, without a model."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from heapq import nsmallest
from itertools import islice
from math import isclose
from statistics import fmean

from simulator.core.persona import Language
from simulator.text.backchannels import is_courtesy, without_opener
from simulator.text.content import doubtful
from simulator.text.likeness import makings, opposites, senses
from simulator.text.matching import match
from simulator.text.normal import folded, normal_form
from simulator.text.passages import Passage, asks, oneself, passage, passages
from simulator.text.phrases import phrases
from simulator.text.presence import denials
from simulator.text.proper_names import proper_names, stands_in
from simulator.text.quantities import Amounts, by_kind, conflicting, units
from simulator.text.refusals import is_refusal, states_nothing
from simulator.text.sentences import sentences

BORNE_OUT = 0.6
"""The support from which on a statement is borne out."""
_JUST_UNDER = 0.599
_READ = 8_000  # characters of a reply; of a document
_COMPARED = 1_000_000  # pairs of a statement and a place in the documents
_AMOUNT = 1.5  # words that a number counts for
_RELATED = 0.5  # of a word, where only a related one is there
_STRANGE = 0.3  # at most, where it names what no document names
_FAMILIAR = 0.4  # of its words, where it may say in other words what is there
_SAME = 0.6  # of its words, where a window speaks of the same thing
_ALIKE = 0.85  # of the words of both, where they say the same but for a number
_AS_NEAR = 0.1  # how much smaller a share may be than the largest
_TRIED = 3  # windows with the most of a statement's words, in which denials and numbers are read
_MONEY = ("yen", "dollars", "euros", "pounds")
_DAYS = {"seconds": 1 / 86_400, "months": 30.4}
_FEWEST = {"ja": 3, "en": 2}  # content words of a clause that is looked at by itself


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of a reply that states something.

    `support`, 0-1: the share of its words and numbers that stand together in the documents, and
    where a clause of it fares worse, the mean of the two; at most 0.3 where it names what they do
    not. It is 0 where a number is not there, or where they deny what it affirms, or the other way
    round. `contradicted`: a place there speaks of the same and has another number, another name,
    or denies it, and nothing else makes that doubtful. `foreign`: it has a number or a name that is
    nowhere there, or all places near to it may deny it, or have less than 0.4 of it.
    """

    sentence: str
    support: float
    contradicted: bool = False
    foreign: bool = False

    @property
    def borne_out(self) -> bool:
        """Whether enough of it stands in the documents, and nothing there contradicts it."""
        return self.support >= BORNE_OUT


def statements(
    reply: str,
    documents: Sequence[str],
    said: str,
    language: Language,
) -> list[Statement]:
    """What a reply states, in order, and how far the documents bear each sentence out.

    Greetings, thanks, apologies, questions, refusals, announcements (についてご案内します, *here is
    what our pages say*) and pointers to a desk state nothing, unless they hold a number; nor does a
    sentence that says back what the user said.

    A sentence is set against each sentence of a document, and against each two that follow one
    another; questions there support nothing by themselves. What counts: the share of its content
    words (normal forms, stems, their synonyms; in English *I*, *my* and *me* as well; a related
    word counts half); each of its numbers with its unit; no denial that the other does not have;
    and no name that is neither in the documents nor the user's.

    Args:
        reply: What the bot said; its first 8,000 characters are read.
        documents: The documents, likewise, as far as a million pairs of sentences go; of several
            lines in one the first is its title, whose words are there for each of its sentences.
        said: The user's messages; a name that the user brought up is not strange.
        language: Of all of them.
    """
    stated = sentences(reply[:_READ], language)
    most = _COMPARED // max(1, len(stated))
    found = (w for document in documents for w in passages(document[:_READ], language))
    windows = list(islice(found, most))
    own = {normal_form(sentence) for sentence in sentences(said, language)}
    known = folded("\n".join((said, *documents)))
    return [
        _compared(sentence, passage(bare, language), windows, known, language)
        for sentence in stated
        if _states(bare := without_opener(sentence, language), own, language)
    ]


def mean_support(found: Sequence[Statement]) -> float:
    """The mean support of statements, but just under 0.6 where one of them is not borne out."""
    mean = fmean(statement.support for statement in found)
    return mean if all(statement.borne_out for statement in found) else min(mean, _JUST_UNDER)


def _states(sentence: str, own: Iterable[str], language: Language) -> bool:
    if asks(sentence, language) or is_courtesy(sentence, language):
        return False
    if normal_form(sentence) in own:
        return False
    read = passage(sentence, language)
    if not read.amounts and read.words <= oneself(language):
        return False
    if phrases(f"text/{language}/grounding").pattern("announces").search(folded(sentence)):
        return False
    if read.amounts:
        return True
    return not (states_nothing(sentence, language) or is_refusal(sentence, language))


def _compared(
    sentence: str, read: Passage, windows: Sequence[Passage], known: str, language: Language
) -> Statement:
    """A statement beside those windows that have most of its words."""
    if _turned(read, windows, language):
        return Statement(sentence, 0.0, contradicted=True, foreign=True)
    tried = _nearest(read, windows, language)
    strange = [name for name in proper_names(read.text, language) if not stands_in(name, known)]
    for share, window in tried:
        if _contradicts(read, window, language):
            continue
        support = min(share, (share + _weakest_clause(read.text, window, language)) / 2)
        if not strange:
            return Statement(sentence, support, foreign=support < _FAMILIAR)
        otherwise = share >= _SAME and _has_other_names(read, window, language)
        return Statement(sentence, min(support, _STRANGE), otherwise, foreign=True)
    from_elsewhere = not _amounts_there(read.amounts, _all_amounts(windows))
    doubted = all(share < _FAMILIAR or _denies(read, window, language) for share, window in tried)
    return Statement(
        sentence,
        0.0,
        contradicted=_other_amounts(read, tried, language, strange=from_elsewhere),
        foreign=bool(strange) or from_elsewhere or doubted,
    )


def _nearest(
    read: Passage, windows: Sequence[Passage], language: Language
) -> list[tuple[float, Passage]]:
    """The windows with the largest share of a statement, the shorter first, and those shares."""
    shares = [(_share(read, window, language), window) for window in windows]
    best = nsmallest(_TRIED, shares, key=lambda found: (-found[0], len(found[1].words)))
    return [(share, window) for share, window in best if share >= best[0][0] - _AS_NEAR]


def _has_other_names(read: Passage, window: Passage, language: Language) -> bool:
    own = folded(read.text)
    return any(not stands_in(name, own) for name in proper_names(window.text, language))


def _other_amounts(
    read: Passage, tried: Sequence[tuple[float, Passage]], language: Language, *, strange: bool
) -> bool:
    """Whether a place that speaks of the same has another amount than one that is nowhere there.

    What is not `strange`, but stands somewhere in the documents, only contradicts a sentence of
    nearly the same words.
    """
    return any(
        _differ(read.amounts, window.amounts)
        and _words_share(read, window, language) >= _SAME
        and (strange or _likeness(read, window, language) >= _ALIKE)
        for _, window in tried
    )


def _all_amounts(windows: Iterable[Passage]) -> Amounts:
    return by_kind(
        (kind, amount)
        for window in windows
        for kind, some in window.amounts.items()
        for amount in some
    )


def _turned(read: Passage, windows: Sequence[Passage], language: Language) -> bool:
    """Whether the sentences that are nearest by all their words say the opposite, each of them."""
    found = [(_likeness(read, window, language), window) for window in windows if window.own]
    best = max((likeness for likeness, _ in found), default=0.0)
    near = [window for likeness, window in found if likeness >= max(_SAME, best - _AS_NEAR)]
    return bool(near) and all(_says_opposite(read, window, language) for window in near)


def _likeness(one: Passage, other: Passage, language: Language) -> float:
    """The share of the words of either that the other has, the smaller of the two.

    But 0.6 at least where all words of the first are there: it may say a part of the other.
    """
    there = replace(other, words=other.own or other.words)
    held = _words_share(one, other, language)
    both = min(held, _words_share(there, one, language))
    is_part = held == 1 and len(one.words) >= _FEWEST["ja"]
    return max(both, _SAME) if is_part else both


def _says_opposite(one: Passage, other: Passage, language: Language) -> bool:
    """Whether two sentences differ by one *not*, or by one opposite word, and by nothing else."""
    if doubtful(folded(one.text), folded(other.text), language):
        return False
    differ = (denials(one.text, language) - denials(other.text, language)) % 2 == 1
    if _opposite(one.words, other.words, language):
        return not differ
    is_same = _likeness(one, other, language) >= _ALIKE
    return differ and (is_same or _denies(one, other, language))


def _differ(one: Amounts, other: Amounts) -> bool:
    """Whether each names an amount of a kind that the other does not; also days beside months."""
    if conflicting(one, other):
        return True
    money = [
        {(kind, amount) for kind in _MONEY for amount in some.get(kind, ())}
        for some in (one, other)
    ]
    if money[0] - money[1] and money[1] - money[0]:
        return True
    here, there = _days(one), _days(other)
    return _lack(here, there) and _lack(there, here)


def _days(amounts: Amounts) -> list[float]:
    return [
        float(amount) * days for kind, days in _DAYS.items() for amount in amounts.get(kind, ())
    ]


def _lack(days: Sequence[float], others: Sequence[float]) -> bool:
    """Whether some length of time is none of the others; a month is 28 to 31 days."""
    return any(not any(isclose(one, other, rel_tol=0.1) for other in others) for one in days)


def _weakest_clause(sentence: str, window: Passage, language: Language) -> float:
    """The share of the words of that clause which has the fewest there; short ones tell nothing."""
    between = phrases(f"text/{language}/grounding").pattern("between_clauses")
    clauses = (passage(clause, language) for clause in between.split(sentence) if clause)
    fewest = _FEWEST[language]
    return min(
        (_share(read, window, language) for read in clauses if len(read.words) >= fewest), default=1
    )


def _share(statement: Passage, there: Passage, language: Language) -> float:
    """The share of its words and amounts that are there."""
    amounts = sum(
        some <= there.amounts.get(kind, frozenset()) for kind, some in statement.amounts.items()
    )
    most = len(statement.words) + _AMOUNT * len(statement.amounts)
    return (_words_there(statement, there, language) + _AMOUNT * amounts) / most if most else 1.0


def _words_share(statement: Passage, there: Passage, language: Language) -> float:
    if len(statement.words) < _FEWEST["en"]:
        return 0.0
    return _words_there(statement, there, language) / len(statement.words)


def _words_there(statement: Passage, there: Passage, language: Language) -> float:
    """How many of its words are there, or a synonym of them; a related word counts half."""
    absent = statement.words - there.words
    found = float(len(statement.words) - len(absent))
    for word in absent:
        if not there.senses.isdisjoint(senses(word, language)):
            found += 1
        elif not there.makings.isdisjoint(makings(word, language)):
            found += _RELATED
    return found


def _contradicts(statement: Passage, window: Passage, language: Language) -> bool:
    return not _amounts_there(statement.amounts, window.amounts) or _denies(
        statement, window, language
    )


def _denies(statement: Passage, window: Passage, language: Language) -> bool:
    """Whether one denies what the other affirms, or has the opposite of one of its words."""
    if _opposite(statement.words, window.words, language):
        return True
    contrasts = phrases(f"text/{language}/grounding").pattern("contrasts")
    if contrasts.search(folded(statement.text)) or contrasts.search(folded(window.text)):
        return False
    if _opposed(statement, window):
        return True
    found = match(statement.text, window.text, language)
    return found is not None and found.negation


def _opposite(one: frozenset[str], other: frozenset[str], language: Language) -> bool:
    return any(
        (here & one and not there & one and there & other and not here & other)
        for pair in opposites(language)
        for here, there in (pair, pair[::-1])
    )


def _opposed(one: Passage, other: Passage) -> bool:
    """Whether one only denies a word that the other only affirms; not where both deny a word."""
    if one.denied & other.denied:
        return False
    here, there = one.denied - one.affirmed, other.denied - other.affirmed
    return not (
        here.isdisjoint(other.affirmed - other.denied)
        and there.isdisjoint(one.affirmed - one.denied)
    )


def _amounts_there(wanted: Amounts, there: Amounts) -> bool:
    """Whether each amount is there; what no unit measures only has to be there as a number.

    *One* without such a unit counts nothing: one place, 一つ.
    """
    known = {kind for kind, _ in units().values()}
    values = {amount for some in there.values() for amount in some} | {1.0}
    return all(
        some <= (there.get(kind, frozenset()) if kind in known else values)
        for kind, some in wanted.items()
    )
