"""The places of a document that can bear a statement out, and what each of them holds."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from simulator.core.bounds import Memo
from simulator.core.clean import clean
from simulator.core.persona import Language
from simulator.text.backchannels import without_opener
from simulator.text.content import DENIED, content, in_figures, plain
from simulator.text.en.quantities import amounts_in
from simulator.text.en.words import word_tokens
from simulator.text.ja.quantities import amounts_of
from simulator.text.ja.sudachi import tokenized
from simulator.text.likeness import makings, senses
from simulator.text.likeness import words_there as are_there
from simulator.text.normal import folded
from simulator.text.phrases import phrases
from simulator.text.presence import mentions
from simulator.text.quantities import MONEY, Amounts, all_of
from simulator.text.sentences import sentences
from simulator.text.tokens import content_tokens


@dataclass(frozen=True, slots=True)
class Passage:
    """A place of a text, a sentence or two, as it is compared."""

    text: str
    words: frozenset[str]
    senses: frozenset[str]  # of its words
    makings: frozenset[str]
    amounts: Amounts
    affirmed: frozenset[str]  # words that one place at least does not deny
    denied: frozenset[str]
    own: frozenset[str] = frozenset()  # its words without the title's, where it is one sentence
    free: frozenset[str] = frozenset()  # those by which it says that something costs nothing
    known: Amounts = field(default_factory=dict)  # with those in words: 50% where it says half


@lru_cache(maxsize=256)  # documents come again with each turn
def passages(document: str, language: Language) -> tuple[Passage, ...]:
    """Each sentence of a document, and each two; of several lines the first is its title."""
    return tuple(_windows(document, language))


def passage(text: str, language: Language) -> Passage:
    """A text as one place."""
    return _kept.of((text, language), len(text), lambda: _passage(text, language))


_kept = Memo[Passage](400_000)  # a reply is read by several checks, and comes again


def _passage(text: str, language: Language) -> Passage:
    text = plain(unicodedata.normalize("NFKC", clean(text)), language)
    found = mentions(text, language)
    denied = frozenset(mention.key for mention in found if mention.stance in DENIED)
    affirmed = frozenset(mention.key for mention in found if mention.stance not in DENIED)
    words = {word for key in denied | affirmed for word in _words(key, language)}
    if language == "en":
        words |= oneself(language).intersection(word_tokens(text))
    amounts, figures = _amounts(text, language), in_figures(text, language)
    known = all_of((amounts, _amounts(figures, language))) if figures else amounts
    free = phrases(f"text/{language}/grounding").pattern("costs_nothing").finditer(folded(text))
    return Passage(
        text,
        frozenset(words),
        frozenset(key for word in words for key in senses(word, language)),
        frozenset(key for word in words for key in makings(word, language)),
        amounts,
        affirmed,
        denied,
        free=frozenset(word for said in free for word in content_tokens(said[0], language)),
        known=known,
    )


def _amounts(text: str, language: Language) -> Amounts:
    return amounts_of(tokenized(text)) if language == "ja" else amounts_in(text)


def words_there(statement: Passage, there: Passage, language: Language) -> float:
    """How many of its words are there, or a synonym of them; a related word counts half.

    So does a step on the way (*open the page*); *costs nothing* is there in *free*, the *price* of
    what costs 5 pounds, who opens and closes in hours of business, and half in 50%.
    """
    absent = statement.words - there.words
    if there.free and there.own:  # one sentence: two may be free and charged for
        absent -= statement.free
    rules = phrases(f"text/{language}/grounding")
    steps, measures = rules.words("steps"), rules.pairs("measures")
    both = {_measure(kind) for kind in statement.amounts.keys() & there.amounts.keys()}
    absent = frozenset(word for word in absent if measures.get(word) not in both)
    if "clock" in both and rules.pattern("opening_hours").search(folded(there.text)):
        absent -= rules.words("opens")
    if _HALF in there.amounts.get("%", ()):
        absent -= rules.words("half")
    found = float(len(statement.words) - len(absent))
    for word in absent:
        if not there.senses.isdisjoint(senses(word, language)):
            found += 1
        elif word in steps or not there.makings.isdisjoint(makings(word, language)):
            found += _RELATED
    return found


def _measure(kind: str) -> str:
    return "money" if kind in MONEY else "time" if kind in ("seconds", "months") else kind


_HALF = 50.0  # %
_LENGTHS = ("seconds", "months", "business days")
_HALF_OF_IT = 0.5  # of the words of a sentence
_RELATED = 0.5  # of a word, where only a related one is there
_CONTACT = re.compile(
    r"[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+|(?:https?://|www\.)[^\s、。，）)」』]+"
    r"|(?<![\d.,-])(?:\+\d{1,3}[ -]?)?\(?0\d{1,4}\)?[ -]?\d{2,4}[ -]?\d{3,4}(?![\d-])"
)


def contacts(text: str) -> frozenset[str]:
    """The telephone numbers (by their digits), addresses and links in a text."""
    found = (m.group().casefold() for m in _CONTACT.finditer(unicodedata.normalize("NFKC", text)))
    return frozenset(
        contact.rstrip("./") if "@" in contact or "." in contact else re.sub(r"\D", "", contact)
        for contact in found
    )


def other_contact(part: str, reply: str, right: Sequence[str], language: Language) -> bool:
    """Whether a sentence about the same names a number or an address that is nowhere right."""
    wanted, said = contacts(part), contacts(reply)
    if not wanted or wanted & said:
        return False
    known = frozenset[str]().union(*map(contacts, right))
    words = content(without_contacts(part), language).words
    return any(
        any(c.isdecimal() is w.isdecimal() for c in contacts(sentence) - known for w in wanted)
        and len(words & content(sentence, language).words) >= max(1, _HALF_OF_IT * len(words))
        for sentence in sentences(reply, language)
    )


def is_at_another_time(
    part: str, said: Sequence[str], right: Sequence[str], language: Language
) -> bool:
    """Whether sentences say of another day what a sentence says of its own: an hour, or a sum."""
    return other_day(part, said, right, language) or _other_share(part, said, language)


def other_day(part: str, said: Sequence[str], right: Sequence[str], language: Language) -> bool:
    """Whether sentences have a time of a sentence on another day, and nothing right has it there.

    前日の17時 for 3日前の17時, *5 pm the day before* for *two days before*; they share a word.
    """
    wanted = days_with_times(part, language)
    if not wanted or not any(days_with_times(sentence, language) for sentence in said):
        return False
    told = frozenset[tuple[float, float]]().union(*(days_with_times(s, language) for s in said))
    known = wanted.union(*(days_with_times(text, language) for text in right))
    words = content(part, language).words
    return any(
        time == other_time and are_there(words, content(sentence, language).words, language)
        for sentence in said
        for _, time in days_with_times(sentence, language) - known
        for _, other_time in wanted - told
    )


def on_another_day(sentence: str, texts: Sequence[str], language: Language) -> bool:
    """Whether a sentence has a time that a text has, but on a day on which no text has it."""
    return bool(days_with_times(sentence, language)) and any(
        other_day(text, [sentence], texts, language) for text in texts
    )


@lru_cache(maxsize=4_096)  # the same sentences of documents come again
def days_with_times(text: str, language: Language) -> frozenset[tuple[float, float]]:
    """The times that a text binds to a day before another one: how many days before, which hour."""
    rules = phrases(f"text/{language}/expectations")
    found = set[tuple[float, float]]()
    for match in rules.pattern("day_and_time").finditer(folded(text)):
        day = rules.pattern("day").search(match[0])
        if day is None:
            continue
        length = _amounts(in_figures(day[0], language) or day[0], language)
        ahead = length.get("seconds", length.get("business days", frozenset((0.0,))))
        ahead = frozenset((0.0,)) if rules.pattern("same_day").search(day[0]) else ahead
        times = _amounts(match[0].replace(day[0], " "), language).get("clock", ())
        found.update((float(one), float(time)) for one in ahead for time in times)
    return frozenset(found)


Bound = tuple[Amounts, Amounts]
"""How long before or after, and what it comes to then: 前日までなら全額."""


@lru_cache(maxsize=4_096)
def bound(text: str, language: Language) -> tuple[Bound, ...]:
    """The shares and sums that a sentence binds to lengths of time, clause by clause."""
    found, when = list[Bound](), list[Amounts]()
    free = phrases(f"text/{language}/grounding").pattern("costs_nothing")
    for clause in phrases(f"text/{language}/expectations").pattern("clause_ends").split(text):
        amounts = _amounts(in_figures(clause, language) or clause, language)
        when.append({kind: some for kind, some in amounts.items() if kind in _LENGTHS})
        worth = {kind: some for kind, some in amounts.items() if kind in (*MONEY, "%")}
        if free.search(folded(clause)):
            worth = {**worth, "%": worth.get("%", frozenset()) | {0.0}}
        if worth:
            found.append((all_of(when), worth))
            when.clear()
    return tuple(pair for pair in found if pair[0])


def is_bound_otherwise(part: str, sentence: str, language: Language) -> bool:
    """Whether a sentence names what a text binds to a time, but binds it to another one.

    *Half the price the day before, all of it a week before* says nothing of all of it the day
    before; each of the two has to be there, and nowhere together.
    """
    there = bound(sentence, language)
    return any(
        any(_holds(pair[0], when) for pair in there)
        and any(_holds(pair[1], worth) for pair in there)
        and not any(_holds(pair[0], when) and _holds(pair[1], worth) for pair in there)
        for when, worth in bound(part, language)
    )


def _other_share(part: str, said: Sequence[str], language: Language) -> bool:
    """Whether sentences about the same have what a sentence binds to a time at another one only."""
    words = content(part, language).words
    return any(
        is_bound_otherwise(part, sentence, language)
        and len(are_there(words, content(sentence, language).words, language))
        >= _HALF_OF_IT * len(words)
        for sentence in said
    ) and not any(
        _holds(pair[0], when) and _holds(pair[1], worth)
        for sentence in said
        for pair in bound(sentence, language)
        for when, worth in bound(part, language)
    )


def _holds(there: Amounts, wanted: Amounts) -> bool:
    return all(some <= there.get(kind, frozenset()) for kind, some in wanted.items())


def without_contacts(text: str) -> str:
    """The text (NFKC) without them."""
    return _CONTACT.sub(" ", unicodedata.normalize("NFKC", text))


def asks(sentence: str, language: Language) -> bool:
    """Whether a sentence asks by its form."""
    pattern = phrases(f"text/{language}/grounding").pattern("asks")
    return pattern.search(folded(sentence)) is not None


def oneself(language: Language) -> frozenset[str]:
    """The words by which a bot speaks of itself."""
    return phrases("text/en/grounding").words("oneself") if language == "en" else frozenset()


def _windows(document: str, language: Language) -> Iterator[Passage]:
    """Each sentence, and each two together; what the title names is named in all of them."""
    title, _, body = document.partition("\n")
    head = passage(title, language) if body.strip() else None
    found = tuple(without_opener(sentence, language) for sentence in sentences(document, language))
    for at in range(len(found)):
        for together in dict.fromkeys((found[at : at + 1], found[at : at + 2])):
            if not all(asks(sentence, language) for sentence in together):
                window = _window(together, language)
                own = window.words if len(together) == 1 else frozenset()
                yield replace(_under(head, window, language) if head else window, own=own)


def _under(head: Passage, window: Passage, language: Language) -> Passage:
    named = head.words - oneself(language)
    return replace(
        window,
        words=window.words | named,
        senses=window.senses | head.senses,
        makings=window.makings | head.makings,
    )


def _window(together: tuple[str, ...], language: Language) -> Passage:
    """Sentences as one; a question has words and numbers, but neither affirms nor denies."""
    between = "" if language == "ja" else " "
    told = [sentence for sentence in together if not asks(sentence, language)]
    read = passage(between.join(told), language)
    if len(told) == len(together):
        return read
    whole = passage(between.join(together), language)
    return replace(_under(whole, read, language), amounts=whole.amounts, known=whole.known)


def _words(key: str, language: Language) -> Iterator[str]:
    """The content of a mention without its number: of `3 day` it is `day`, of `3日` nothing."""
    if language == "ja":
        yield from () if key[0].isdecimal() else (key,)
        return
    talk = phrases("text/en/grounding").words("talk")
    yield from (word for word in key.split() if not word[0].isdecimal() and word not in talk)
