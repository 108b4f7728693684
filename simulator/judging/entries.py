"""The knowledge base as blame looks at it: which entry holds an element, and of what it speaks.

A missing entry's words often stand in another one (500円 is the price of many things). So where a
scenario names no documents, an entry counts only if it is about the scenario's matter: it holds
ABOUT or more of the matter's content words, rare ones counting more (Robertson and Spärck Jones'
weight, log(1 + (N - n + ½)/(n + ½))), or a few of them (HINTS) and most of two or more elements.
People ask in other words than entries are written in: so does an entry that holds all of two or
more elements, at least one of which says more than an amount.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from heapq import nlargest

from simulator.core.persona import Language
from simulator.core.ports import Evidence, Knowledge
from simulator.core.scenario import Element, Scenario
from simulator.core.talk import Document, Exchange, Reply, Talk
from simulator.text.content import content
from simulator.text.normal import normal_form
from simulator.text.phrases import phrases
from simulator.text.presence import missing
from simulator.text.tokens import content_tokens

ABOUT = 0.25
HINTS = 0.05
MOST = 0.6  # of the elements

_SEVERAL = 2
_SHORT = 4_000  # characters: what is found in longer texts is not kept
_LOOKS_AT = 20_000  # characters of one text
_NEAREST = 8  # entries that are read for one element
_IDENTIFIED = 10_000  # documents that are kept
_WEIGHED = 1_000  # entries in which a word's rarity is counted


class Entries:
    """What the bot may know."""

    def __init__(self, knowledge: Knowledge, language: Language) -> None:
        self._knowledge = knowledge
        self._language = language
        self._held: dict[tuple[Element, frozenset[str] | None], bool] = {}
        self._matters: dict[tuple[str, tuple[Element, ...]], frozenset[str]] = {}

    def hold(self, element: Element, among: frozenset[str] | None) -> bool:
        """Whether an entry holds an element: one of these ids, or, for None, any."""
        key = (element, among)
        if key not in self._held:
            texts = map(whole, self._nearest(element) if among is None else self._of(among))
            self._held[key] = any(not lacking((element,), (t,), self._language) for t in texts)
        return self._held[key]

    def about(self, scenario: Scenario) -> frozenset[str]:
        """The ids of the entries that hold an element of a scenario and speak of its matter."""
        expected = scenario.expected
        matter = "\n".join((scenario.query, scenario.goal, *expected.answers))
        key = (matter, expected.elements)
        if key not in self._matters:
            near = {d.id: d for element in expected.elements for d in self._nearest(element)}
            found = self._speaking_of(matter, expected.elements, near.values())
            self._matters[key] = frozenset(d.id for d in found if d.id)
        return self._matters[key]

    def speaks_of(self, document: Document, scenario: Scenario) -> bool:
        """Whether a document holds an element of a scenario and is about its matter."""
        expected = scenario.expected
        matter = "\n".join((scenario.query, scenario.goal, *expected.answers))
        return bool(self._speaking_of(matter, expected.elements, (document,)))

    def _speaking_of(
        self, matter: str, elements: tuple[Element, ...], documents: Iterable[Document]
    ) -> list[Document]:
        own = self._words(matter) - self._words(
            "\n".join(way for element in elements for way in element)
        )
        total = sum(map(self._weight, own))
        found = []
        for document in documents:
            text = whole(document)
            held = len(elements) - len(lacking(elements, (text,), self._language))
            shared = sum(map(self._weight, own & self._words(text))) / total if total else 0.0
            is_most = held >= _SEVERAL and held >= MOST * len(elements)
            is_all = held == len(elements) >= _SEVERAL and any(map(self._is_worded, elements))
            if (held and shared >= (HINTS if is_most else ABOUT)) or is_all:
                found.append(document)
        return found

    def _is_worded(self, element: Element) -> bool:
        """Whether an element has words, and no amount."""
        read = [content(way, self._language) for way in element]
        return any(one.words and not one.amounts for one in read)

    def _words(self, text: str) -> frozenset[str]:
        asking = phrases(f"text/{self._language}/words").words("asking")
        return _tokens(text[:_LOOKS_AT], self._language) - asking

    def _weight(self, word: str) -> float:
        total, n = self._frequencies.total, self._frequencies.by_word.get(word, 0)
        return math.log(1 + (total - n + 0.5) / (n + 0.5))

    @cached_property
    def _frequencies(self) -> "_Frequencies":
        documents = self._knowledge.documents()
        step = max(1, len(documents) // _WEIGHED)
        return _Frequencies([self._words(whole(d)) for d in documents[::step]])

    def _of(self, ids: frozenset[str]) -> list[Document]:
        return [document for document in self._knowledge.documents() if document.id in ids]

    @cached_property
    def _forms(self) -> list[tuple[str, Document]]:
        return [(normal_form(whole(d)), d) for d in self._knowledge.documents()]

    def _nearest(self, element: Element) -> list[Document]:
        """The entries that share most with an element: all of them would take seconds to read."""
        wanted = normal_form(" ".join(element))
        pairs = {wanted[i : i + 2] for i in range(max(1, len(wanted) - 1))}
        ranked = nlargest(_NEAREST, self._forms, key=lambda f: sum(pair in f[0] for pair in pairs))
        return [document for _, document in ranked]


class Identified:
    """Gives documents the ids of the entries that they are, where a bot has ids of its own.

    A document whose id is no entry's is the entry whose title or text, or both, are its title, its
    text or its id, whatever case and punctuation. Whatever is no entry loses its id: from then on
    nothing is a hit or a miss by ids until an entry has come in that talk.
    """

    def __init__(self, knowledge: Knowledge | None) -> None:
        self._knowledge = knowledge
        self._found: dict[Document, str | None] = {}

    def evidence(self, evidence: Evidence) -> Evidence:
        """The same evidence, its documents named as in the knowledge base."""
        talk = evidence.talk
        if self._knowledge is None or all(d.id in self._ids for d in _documents(talk)):
            return evidence
        exchanges = tuple(map(self._exchange, talk.exchanges))
        return replace(evidence, talk=replace(talk, exchanges=exchanges))

    def _exchange(self, exchange: Exchange) -> Exchange:
        if not isinstance(exchange.reply, Reply):
            return exchange
        named = tuple(replace(d, id=self._id(d)) for d in exchange.documents)
        return replace(exchange, reply=replace(exchange.reply, documents=named))

    def _id(self, document: Document) -> str | None:
        if document.id in self._ids:
            return document.id
        if (known := self._found.get(document, "")) != "":
            return known
        if len(self._found) >= _IDENTIFIED:
            self._found.clear()
        said = (document.text, whole(document), document.title, document.id or "")
        forms = filter(None, map(normal_form, said))
        found = next((self._by_form[f] for f in forms if f in self._by_form), None)
        self._found[document] = found
        return found

    @cached_property
    def _ids(self) -> frozenset[str | None]:
        return (
            frozenset(d.id for d in self._knowledge.documents()) if self._knowledge else frozenset()
        )

    @cached_property
    def _by_form(self) -> Mapping[str, str]:
        """The ids by what an entry says; what several entries say is no one's."""
        found: dict[str, set[str]] = {}
        for entry in self._knowledge.documents() if self._knowledge else ():
            for form in {normal_form(said) for said in (entry.text, whole(entry), entry.title)}:
                found.setdefault(form, set()).add(str(entry.id))
        return {form: next(iter(ids)) for form, ids in found.items() if form and len(ids) == 1}


def _documents(talk: Talk) -> Iterator[Document]:
    return (document for exchange in talk.exchanges for document in exchange.documents)


class _Frequencies:
    """In how many of the texts a word stands."""

    def __init__(self, texts: Sequence[frozenset[str]]) -> None:
        self.total = len(texts)
        self.by_word: Mapping[str, int] = Counter(word for words in texts for word in words)


def whole(document: Document) -> str:
    """All that a document says."""
    return f"{document.title}\n{document.text}"


def lacking(
    elements: tuple[Element, ...], texts: tuple[str, ...], language: Language
) -> tuple[Element, ...]:
    """Those of the elements that stand in none of the texts; the same passages come often."""
    if not elements:
        return ()
    is_short = sum(map(len, texts)) <= _SHORT
    return (_kept if is_short else _read)(elements, texts, language)


def _read(
    elements: tuple[Element, ...], texts: tuple[str, ...], language: Language
) -> tuple[Element, ...]:
    return tuple(missing(elements, [text[:_LOOKS_AT] for text in texts], language))


_kept = lru_cache(maxsize=2_048)(_read)


@lru_cache(maxsize=1_024)
def _tokens(text: str, language: Language) -> frozenset[str]:
    return frozenset(content_tokens(text, language))
