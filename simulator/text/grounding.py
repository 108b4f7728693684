"""How far documents bear out what a reply states, sentence by sentence, without a model."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from heapq import nsmallest
from itertools import islice
from statistics import fmean

from simulator.core.bounds import Memo
from simulator.core.persona import Language
from simulator.text.backchannels import is_pleasantry, without_opener
from simulator.text.content import doubtful, is_of_another_amount
from simulator.text.likeness import are_opposite
from simulator.text.matching import match
from simulator.text.normal import folded, normal_form
from simulator.text.passages import (
    Passage,
    asks,
    on_another_day,
    oneself,
    passage,
    passages,
    words_there,
)
from simulator.text.phrases import phrases
from simulator.text.presence import denials
from simulator.text.proper_names import (
    named_in,
    proper_names,
    quoted_names,
    stands_in,
    strange_names,
)
from simulator.text.quantities import (
    MONEY,
    Amounts,
    all_of,
    amounts_there,
    differ,
    invents,
    worked_out,
)
from simulator.text.refusals import only_refuses
from simulator.text.reversals import leaves_the_rest, reverses, turned_round
from simulator.text.sentences import sentences

BORNE_OUT = 0.6
"""The support from which on a statement is borne out."""
_JUST_UNDER = 0.599
_READ = 8_000  # characters of a reply; of a document
_STATED = 200  # sentences of a reply
_COMPARED = 200_000  # pairs of a statement and a place in the documents
_AMOUNT = 1.5  # words that a number counts for
_STRANGE = 0.3  # at most, where it names what no document names
_FAMILIAR = 0.4  # of its words, where it may say in other words what is there
_SAME = 0.6  # of its words, where a window speaks of the same thing
_ALIKE = 0.85  # of the words of both, where they say the same but for a number
_AS_NEAR, _TRIED = 0.1, 3  # how much smaller a share may be than the largest; windows tried
_FEW, _NOON = 3, 12  # words of which a share tells something; o'clock
_FEWEST = {"ja": 3, "en": 2}  # content words of a clause that is looked at by itself


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of a reply that states something.

    `support`, 0-1: the share of its words and numbers that stand together in the documents, and
    where a clause of it fares worse, the mean of the two; at most 0.3 where it names what they do
    not. It is 0 where a number is not there, or where they deny what it affirms, or the other way
    round. `contradicted`: a place there speaks of the same and has another number, another name,
    or denies it, and nothing else makes that doubtful. `foreign`: it has a number or a name that is
    nowhere there, or all places near to it may deny it, or have less than 0.4 of it. `invented`: it
    has such a number or name, and the user did not bring it up; small counts (*two ways*) are none.
    `familiar`, 0-1: the share of its words that stand anywhere there, 1 for fewer than three words,
    but 0 where a place that speaks of the same may deny it.
    """

    sentence: str
    support: float
    contradicted: bool = False
    foreign: bool = False
    invented: bool = False
    familiar: float = 1.0

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
        reply: What the bot said; of its first 8,000 characters 200 sentences are read.
        documents: The documents, likewise, as far as 200,000 pairs of sentences go; of several
            lines in one the first is its title, whose words are there for each of its sentences.
        said: The user's messages; a name or a number that the user brought up is not strange.
        language: Of all of them.
    """
    stated = sentences(reply[:_READ], language)[:_STATED]
    most = _COMPARED // max(1, len(stated))
    places = _places(tuple(document[:_READ] for document in documents), most, language)
    own = {normal_form(sentence) for sentence in sentences(said, language)}
    known = folded(named_in("\n".join((said, *documents)), language))
    there = _There(places, known, passage(said, language).known)
    return [
        _beside(sentence, passage(bare, language), there, language)
        for sentence in stated
        if _states(bare := without_opener(sentence, language), own, language)
        or _reversed(sentence, places.windows, language)
    ]


def mean_support(found: Sequence[Statement]) -> float:
    """The mean support of statements, but just under 0.6 where one of them is not borne out."""
    mean = fmean(statement.support for statement in found)
    return mean if all(statement.borne_out for statement in found) else min(mean, _JUST_UNDER)


def states_anything(reply: str, language: Language) -> bool:
    """Whether any sentence of a reply states something: thanks, apologies and goodbyes do not."""
    read = sentences(reply[:_READ], language)
    return any(_states(without_opener(sentence, language), (), language) for sentence in read)


def _states(sentence: str, own: Iterable[str], language: Language) -> bool:
    is_own = normal_form(sentence) in own
    if is_own or asks(sentence, language) or is_pleasantry(sentence, language):
        return False
    read = passage(sentence, language)
    if not read.amounts and read.words <= oneself(language):
        return False
    if phrases(f"text/{language}/grounding").pattern("announces").search(folded(sentence)):
        return False
    if read.amounts:
        return True
    return not only_refuses(sentence, language)


class _Places:
    """The places of documents, all of them as one, and what was found beside them."""

    def __init__(self, windows: Sequence[Passage]) -> None:
        self.windows, self.whole = windows, _whole(windows)
        self.found = Memo[Statement](100_000)


_known = Memo[_Places](1_000_000)


def _places(documents: tuple[str, ...], most: int, language: Language) -> _Places:
    every = (window for document in documents for window in passages(document, language))
    key, size = (documents, most, language), sum(map(len, documents))
    return _known.of(key, size, lambda: _Places(tuple(islice(every, most))))


@dataclass(frozen=True, slots=True)
class _There:
    """What a reply is held against: places, all that is known as a text, the user's amounts."""

    places: _Places
    known: str
    told: Amounts


def _whole(windows: Sequence[Passage]) -> Passage:
    none = frozenset[str]()
    return Passage(
        "",
        none.union(*(window.words for window in windows)),
        none.union(*(window.senses for window in windows)),
        none.union(*(window.makings for window in windows)),
        all_of(window.amounts for window in windows),
        none,
        none,
        free=none.union(*(window.free for window in windows)),
        known=all_of(window.known for window in windows),
    )


def _beside(sentence: str, read: Passage, there: _There, language: Language) -> Statement:
    """A statement as it stands, and without the amounts that the user named."""
    found = _compared(sentence, read, there, language)
    own = {kind: some - there.told.get(kind, frozenset()) for kind, some in read.amounts.items()}
    own = {kind: some for kind, some in own.items() if some}
    if own != read.amounts and not (found.borne_out or found.contradicted):
        found = _compared(sentence, replace(read, amounts=own), there, language)
    count, words = len(read.words), words_there(read, there.places.whole, language)
    known = all_of((there.places.whole.known, there.told))
    is_strange = bool(strange_names(read.text, there.known, language))
    return replace(
        found,
        invented=is_strange or invents(own, known, halves=language == "en"),
        familiar=found.familiar and (words / count if count >= _FEW else 1.0),
    )


def _compared(sentence: str, read: Passage, there: _There, language: Language) -> Statement:
    """A statement beside those windows that have most of its words; `_nearby`, found once."""
    strange, places = tuple(strange_names(read.text, there.known, language)), there.places
    key = (sentence, frozenset(read.amounts.items()), strange)
    return places.found.of(
        key, len(sentence), lambda: _nearby(sentence, read, places.windows, strange, language)
    )


def _nearby(
    sentence: str,
    read: Passage,
    windows: Sequence[Passage],
    strange: Sequence[str],
    language: Language,
) -> Statement:
    own = [window.text for window in windows if window.own]
    turned = _turned(sentence, read, windows, language)
    if turned or on_another_day(sentence, own, language):
        return Statement(sentence, 0.0, contradicted=True, foreign=True)
    tried = _nearest(read, windows, language)
    for share, window in tried:
        if _contradicts(read, window, language):
            continue
        support = min(share, (share + _weakest_clause(read.text, window, language)) / 2)
        if turned is False and window.own and reverses(sentence, window.text, language) is False:
            support = max(support, BORNE_OUT)
        if not strange:
            return Statement(sentence, support, foreign=support < _FAMILIAR)
        is_proper = not quoted_names(read.text, language)
        otherwise = is_proper and share >= _SAME and _has_other_names(read, window, language)
        return Statement(sentence, min(support, _STRANGE), otherwise, foreign=True)
    known = all_of(window.known for window in windows)
    from_elsewhere = not amounts_there(read.amounts, known)
    adds = phrases(f"text/{language}/grounding").pattern("adds")
    is_added = any(adds.search(folded(one.text)) for one in (read, *windows))
    is_sum = from_elsewhere and is_added and worked_out(read.amounts, known)
    doubted = all(share < _FAMILIAR or _denies(read, window, language) for share, window in tried)
    return Statement(
        sentence,
        0.0,
        contradicted=not is_sum and _other_amounts(read, tried, language, strange=from_elsewhere),
        foreign=bool(strange) or from_elsewhere or doubted,
        familiar=0.0 if _is_denied(read, tried, language) else 1.0,
    )


def _is_denied(read: Passage, tried: Sequence[tuple[float, Passage]], language: Language) -> bool:
    """Whether a place that speaks of the same says the opposite, as far as can be told."""
    return any(share >= _SAME and _denies(read, window, language) for share, window in tried)


def _nearest(
    read: Passage, windows: Sequence[Passage], language: Language
) -> list[tuple[float, Passage]]:
    """The windows with the largest share of a statement, the shorter first, and those shares."""
    shares = [(_share(read, window, language), window) for window in windows]
    best = nsmallest(_TRIED, shares, key=lambda found: (-found[0], len(found[1].words)))
    return [(share, window) for share, window in best if share >= best[0][0] - _AS_NEAR]


def _has_other_names(read: Passage, window: Passage, language: Language) -> bool:
    names = proper_names(window.text, language)
    return any(not stands_in(name, folded(read.text)) for name in names)


def _other_amounts(
    read: Passage, tried: Sequence[tuple[float, Passage]], language: Language, *, strange: bool
) -> bool:
    """Whether a place that speaks of the same has another amount than one that is nowhere there.

    What is not `strange`, but stands somewhere in the documents, only contradicts a sentence of
    nearly the same words.
    """
    return any(
        differ(read.amounts, window.amounts)
        and not leaves_the_rest(read.text, window.text, language)
        and _words_share(read, window, language) >= _SAME
        and (strange or _likeness(read, window, language) >= _ALIKE)
        for _, window in tried
    )


def _turned(sentence: str, read: Passage, windows: Sequence[Passage], language: Language) -> bool:
    """Whether the sentences that are nearest by all their words say the opposite, each of them."""
    own = [window for window in windows if window.own]
    if (is_reversed := _reversed(sentence, own, language)) is not None:
        return is_reversed
    found = [(_likeness(read, window, language), window) for window in own]
    best = max((likeness for likeness, _ in found), default=0.0)
    near = [window for likeness, window in found if likeness >= max(_SAME, best - _AS_NEAR)]
    return bool(near) and all(_says_opposite(read, window, language) for window in near)


def _reversed(sentence: str, windows: Iterable[Passage], language: Language) -> bool | None:
    """Whether it is turned round in words such as 歓迎; None where they do not tell, or differ."""
    return turned_round(sentence, [window.text for window in windows if window.own], language)


def _likeness(one: Passage, other: Passage, language: Language) -> float:
    """The share of the words of either that the other has, the smaller of the two.

    But 0.6 at least where all words of the first are there: it may say a part of the other.
    """
    there = replace(other, words=other.own or other.words)
    if one.amounts and (one.amounts, one.words) == (other.amounts, there.words):
        return 1.0
    held = _words_share(one, other, language)
    both = min(held, _words_share(there, one, language))
    is_part = held == 1 and len(one.words) >= _FEWEST["ja"]
    return max(both, _SAME) if is_part else both


def _says_opposite(one: Passage, other: Passage, language: Language) -> bool:
    """Whether two sentences differ by one *not*, or by one opposite word, and by nothing else."""
    if doubtful(folded(one.text), folded(other.text), language):
        return False
    if is_of_another_amount(one.text, other.text, language):
        return False
    differ = bool(denials(one.text, language)) is not bool(denials(other.text, language))
    if are_opposite(one.words, other.words, language):
        return not differ
    is_same = _likeness(one, other, language) >= _ALIKE
    return differ and (is_same or _denies(one, other, language))


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
        some <= there.known.get(kind, frozenset()) for kind, some in statement.amounts.items()
    )
    most = len(statement.words) + _AMOUNT * len(statement.amounts)
    return (words_there(statement, there, language) + _AMOUNT * amounts) / most if most else 1.0


def _words_share(statement: Passage, there: Passage, language: Language) -> float:
    few = len(statement.words) < _FEWEST["en"]
    return 0.0 if few else words_there(statement, there, language) / len(statement.words)


def _contradicts(statement: Passage, window: Passage, language: Language) -> bool:
    if statement.free and window.own and not window.free and window.amounts.keys() & MONEY:
        return True
    return not amounts_there(statement.amounts, window.known) or _denies(
        statement, window, language
    )


def _denies(statement: Passage, window: Passage, language: Language) -> bool:
    """Whether one denies what the other affirms, or has the opposite of one of its words."""
    if are_opposite(statement.words, window.words, language):
        return True
    if reverses(statement.text, window.text, language) is False:
        return False
    if is_of_another_amount(statement.text, window.text, language):
        return False
    contrasts = phrases(f"text/{language}/grounding").pattern("contrasts")
    if any(contrasts.search(folded(text)) for text in (statement.text, window.text)):
        return False
    if _opposed(statement, window):
        return True
    found = match(statement.text, window.text, language)
    return found is not None and found.negation


def _opposed(one: Passage, other: Passage) -> bool:
    """Whether one only denies a word that the other only affirms; not where both deny a word."""
    if one.denied & other.denied:
        return False
    here, there = one.denied - one.affirmed, other.denied - other.affirmed
    return not (
        here.isdisjoint(other.affirmed - other.denied)
        and there.isdisjoint(one.affirmed - one.denied)
    )
