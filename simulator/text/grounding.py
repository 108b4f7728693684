"""How far documents bear out what a reply states, sentence by sentence, without a model."""

import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from statistics import fmean

from simulator.core.clean import clean
from simulator.core.persona import Language
from simulator.text.backchannels import is_courtesy, without_opener
from simulator.text.claims import Stance
from simulator.text.en.quantities import amounts_in
from simulator.text.en.words import word_tokens
from simulator.text.ja.quantities import amounts_of
from simulator.text.ja.sudachi import tokenized
from simulator.text.matching import match
from simulator.text.normal import folded, normal_form
from simulator.text.phrases import phrases
from simulator.text.presence import mentions
from simulator.text.quantities import Amounts, units
from simulator.text.refusals import is_refusal, states_nothing
from simulator.text.sentences import sentences

BORNE_OUT = 0.6
"""The support from which on a statement is borne out."""
_JUST_UNDER = 0.599
_READ = 8_000  # characters of a reply; of a document
_TRIED = 3  # windows with the most of a statement's words, in which denials and numbers are read
_DENIALS = (Stance.DENIED, Stance.RULED_OUT)
_FEWEST = {"ja": 3, "en": 2}  # content words of a clause that is looked at by itself


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of a reply that states something.

    `support`, 0-1: the share of its words that stand together in the documents, and where a clause
    of it fares worse, the mean of the two. It is 0 where a number is not there, or where they deny
    what it affirms, or the other way round.
    """

    sentence: str
    support: float

    @property
    def borne_out(self) -> bool:
        """Whether enough of it stands in the documents, and nothing there contradicts it."""
        return self.support >= BORNE_OUT


def statements(
    reply: str, documents: Sequence[str], said: str, language: Language
) -> list[Statement]:
    """What a reply states, in order, and how far the documents bear each sentence out.

    Greetings, thanks, apologies, questions, refusals, announcements (についてご案内します, *here is
    what our pages say*) and pointers to a desk state nothing, unless they hold a number; nor does a
    sentence that says back what the user said.

    A sentence is set against each sentence of a document, and against each two that follow one
    another; questions there support nothing by themselves. What counts: the share of its content
    words (normal forms, stems; in English *I*, *my* and *me* as well); each of its numbers with its
    unit; and no denial that the other does not have.

    Args:
        reply: What the bot said; its first 8,000 characters are read.
        documents: The documents, with their titles; likewise.
        said: The user's message.
        language: Of all of them.
    """
    windows = [w for document in documents for w in _windows(document[:_READ], language)]
    own = {normal_form(sentence) for sentence in sentences(said, language)}
    return [
        Statement(sentence, _support(_read(bare, language), windows, language))
        for sentence in sentences(reply[:_READ], language)
        if _states(bare := without_opener(sentence, language), own, language)
    ]


def mean_support(found: Sequence[Statement]) -> float:
    """The mean support of statements, but just under 0.6 where one of them is not borne out."""
    mean = fmean(statement.support for statement in found)
    return mean if all(statement.borne_out for statement in found) else min(mean, _JUST_UNDER)


@dataclass(frozen=True, slots=True)
class _Text:
    text: str
    words: frozenset[str]
    amounts: Amounts
    affirmed: frozenset[str]  # words that one place at least does not deny
    denied: frozenset[str]


def _states(sentence: str, own: Iterable[str], language: Language) -> bool:
    if _asks(sentence, language) or is_courtesy(sentence, language):
        return False
    if normal_form(sentence) in own:
        return False
    read = _read(sentence, language)
    if not read.amounts and read.words <= _oneself(language):
        return False
    if phrases(f"text/{language}/grounding").pattern("announces").search(folded(sentence)):
        return False
    if read.amounts:
        return True
    return not (states_nothing(sentence, language) or is_refusal(sentence, language))


def _windows(document: str, language: Language) -> Iterator[_Text]:
    found = tuple(sentences(document, language))
    for at in range(len(found)):
        for together in dict.fromkeys((found[at : at + 1], found[at : at + 2])):
            if not all(_asks(sentence, language) for sentence in together):
                yield _window(together, language)


@lru_cache(maxsize=2048)  # documents come again with each turn
def _window(together: tuple[str, ...], language: Language) -> _Text:
    """Sentences as one; a question has words and numbers, but neither affirms nor denies."""
    between = "" if language == "ja" else " "
    told = [sentence for sentence in together if not _asks(sentence, language)]
    read = _read(between.join(told), language)
    if len(told) == len(together):
        return read
    whole = _read(between.join(together), language)
    words = read.words | (whole.words - _oneself(language))
    return replace(read, words=words, amounts=whole.amounts)


def _asks(sentence: str, language: Language) -> bool:
    asks = phrases(f"text/{language}/grounding").pattern("asks")
    return asks.search(folded(sentence)) is not None


def _read(text: str, language: Language) -> _Text:
    text = unicodedata.normalize("NFKC", clean(text))
    found = mentions(text, language)
    denied = frozenset(mention.key for mention in found if mention.stance in _DENIALS)
    affirmed = frozenset(mention.key for mention in found if mention.stance not in _DENIALS)
    words = {word for key in denied | affirmed for word in _words(key, language)}
    if language == "ja":
        return _Text(text, frozenset(words), amounts_of(tokenized(text)), affirmed, denied)
    words |= _oneself(language).intersection(word_tokens(text))
    return _Text(text, frozenset(words), amounts_in(text), affirmed, denied)


def _words(key: str, language: Language) -> Iterator[str]:
    """The content of a mention without its number: of `3 day` it is `day`, of `3日` nothing."""
    if language == "ja":
        yield from () if key[0].isdecimal() else (key,)
        return
    talk = phrases("text/en/grounding").words("talk")
    yield from (word for word in key.split() if not word[0].isdecimal() and word not in talk)


def _oneself(language: Language) -> frozenset[str]:
    return phrases("text/en/grounding").words("oneself") if language == "en" else frozenset()


def _support(statement: _Text, windows: Sequence[_Text], language: Language) -> float:
    """The share of its words in the window that has most of them and does not contradict it."""
    shares = sorted(
        ((_share(statement.words, w.words), -len(w.words), at) for at, w in enumerate(windows)),
        reverse=True,
    )
    for share, _, at in shares[:_TRIED]:
        if not _contradicts(statement, windows[at], language):
            weakest = _weakest_clause(statement.text, windows[at], language)
            return min(share, (share + weakest) / 2)
    return 0.0


def _weakest_clause(sentence: str, window: _Text, language: Language) -> float:
    """The share of the words of that clause which has the fewest there; short ones tell nothing."""
    between = phrases(f"text/{language}/grounding").pattern("between_clauses")
    clauses = (_read(clause, language).words for clause in between.split(sentence) if clause)
    fewest = _FEWEST[language]
    return min(
        (_share(words, window.words) for words in clauses if len(words) >= fewest), default=1
    )


def _share(words: frozenset[str], there: frozenset[str]) -> float:
    return len(words & there) / len(words) if words else 1.0


def _contradicts(statement: _Text, window: _Text, language: Language) -> bool:
    if not _amounts_there(statement.amounts, window.amounts) or _opposed(statement, window):
        return True
    found = match(statement.text, window.text, language)
    return found is not None and found.negation


def _opposed(one: _Text, other: _Text) -> bool:
    """Whether one only denies a word that the other only affirms."""
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
