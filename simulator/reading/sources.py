"""Where the content of claims is: in a document that came with the answer, in another, or nowhere.

A document holds a claim if one of its wordings stands in it, or all numbers and ENOUGH or more of
the content words of one, in any order: a reading aid, which takes no notice of denials.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial

from simulator.core.bounds import MAX_EXPECTED, Memo
from simulator.core.claim import Claim, ClaimKind, Source
from simulator.core.clean import normal_form
from simulator.core.persona import Language
from simulator.core.ports import Evidence, Knowledge
from simulator.core.talk import Document, Exchange, Reply, entry_names
from simulator.text.bm25 import Nearest
from simulator.text.tokens import token_set

ENOUGH = 0.6
"""The share of a wording's content words that a document has to hold."""
ABOUT = 0.25
"""The share of the question and the claim that an entry has to cover; see `Bm25.search`."""
_NEAREST = 5  # entries that are read for one claim
_KEPT = 4_000_000  # characters of documents of which it is kept what they hold
_IDENTIFIED = 10_000  # documents that are kept


class Sources:
    """Finds where the content of claims is; any number of threads may ask.

    The first question may take a second or two: it indexes the knowledge base.

    Args:
        knowledge: what the bot may know, where that is at hand.
    """

    def __init__(self, knowledge: Knowledge | None) -> None:
        self._knowledge = knowledge
        self._nearest: dict[Language, Nearest] = {}
        self._held = Memo[bool](_KEPT)

    def of(self, evidence: Evidence, claims: Iterable[Claim]) -> Mapping[str, Source]:
        """Where each claim of the kind SAYS is, by its id; one that is missing is not known.

        RETRIEVED: a document that came with the last reply holds it. NOT_RETRIEVED: none does, but
        an expected document or, where none is expected, an entry about the scenario's matter.
        COPY_DIFFERS: such an entry came, and the bot's text of it does not.
        NOWHERE: no entry of the knowledge base does. What only another entry than the expected ones
        holds is not known, nor what did not come from a bot that does not say what it retrieved.
        """
        came = [self._whole(document) for document in evidence.exchange.documents]
        wanted = (claim for claim in claims if claim.kind is ClaimKind.SAYS)
        sources = {claim.id: self._source(claim, came, evidence) for claim in wanted}
        says = evidence.talk.reports_documents and (not came or any(map(str.strip, came)))
        return {
            claim: source
            for claim, source in sources.items()
            if source is not None and (says or source is not Source.NOT_RETRIEVED)
        }

    def from_another(self, evidence: Evidence, quotes: Iterable[str]) -> bool:
        """True if a sentence is in a document that came and in none of the expected ones."""
        expected = evidence.scenario.expected.documents
        came = [d for d in evidence.exchange.documents if d.id not in expected]
        others = [normal_form(self._whole(document)) for document in came]
        own = [normal_form(whole(e)) for name in expected if (e := self._entries.get(name))]
        forms = filter(None, map(normal_form, quotes))
        return bool(own) and any(
            any(form in text for text in others) and not any(form in text for text in own)
            for form in forms
        )

    def _source(self, claim: Claim, came: Sequence[str], evidence: Evidence) -> Source | None:
        language, documents = evidence.language, evidence.scenario.expected.documents
        if any(self._holds(text, claim, language) for text in came):
            return Source.RETRIEVED
        if self._knowledge is None:
            return None
        expected = [e for name in documents if (e := self._entries.get(name))]
        near = self._near(self._knowledge, claim, evidence)
        if holding := self._holding(expected or near, claim, language):
            differs = any(_copy_differs(e, evidence.exchange.documents) for e in holding)
            return Source.COPY_DIFFERS if differs else Source.NOT_RETRIEVED
        return None if expected and self._holding(near, claim, language) else Source.NOWHERE

    def _near(self, knowledge: Knowledge, claim: Claim, evidence: Evidence) -> Sequence[Document]:
        scenario, language = evidence.scenario, evidence.language
        nearest = self._nearest.setdefault(language, Nearest(knowledge, language))
        hits = nearest.to(f"{scenario.query}\n{scenario.goal}\n{claim.text}", _NEAREST)
        return [hit.document for hit in hits if hit.relevance >= ABOUT]

    def _holding(
        self, entries: Iterable[Document], claim: Claim, language: Language
    ) -> list[Document]:
        return [entry for entry in entries if self._holds(whole(entry), claim, language)]

    def _holds(self, text: str, claim: Claim, language: Language) -> bool:
        return self._held.of((claim, text), len(text), partial(holds, text, claim, language))

    def _whole(self, document: Document) -> str:
        """All that a document says, with its entry's title; without a text what its entry says."""
        entry = self._entries.get(document.id or "")
        if entry and document.text.strip():
            entry = replace(document, title=document.title or entry.title)
        return whole(entry or document)

    @cached_property
    def _entries(self) -> Mapping[str, Document]:
        return {str(d.id): d for d in self._knowledge.documents()} if self._knowledge else {}


def _copy_differs(entry: Document, documents: Sequence[Document]) -> bool:
    """True if a text came as this entry's that isn't in it.

    Any part of it, its beginning too, may be the wrong passage of a right copy.
    """
    own = normal_form(entry.text)
    came = [normal_form(document.text) for document in documents if document.id == entry.id]
    return any(form not in own for form in came)


def holds(text: str, claim: Claim, language: Language) -> bool:
    """True if a text has the content of a claim, in one of its wordings."""
    words, form = token_set(text, language), normal_form(text)
    for wording in claim.wordings:
        if (verbatim := normal_form(wording)) and verbatim in form:
            return True
        wanted = token_set(wording[:MAX_EXPECTED], language)
        numbers = {word for word in wanted if any(map(str.isdecimal, word))}
        if wanted and numbers <= words and len(wanted & words) >= ENOUGH * len(wanted):
            return True
    return False


def whole(document: Document) -> str:
    """All that a document says."""
    return f"{document.title}\n{document.text}".strip()


class Identified:
    """Gives documents the ids of the entries that they are, where a bot has ids of its own.

    A document whose id is no entry's is the entry whose title or text, or both, are its title, its
    text or its id, whatever case and punctuation; or whose file's name is its id, without folders.
    Whatever is no entry loses its id: from then on nothing is a hit or a miss by ids until an entry
    has come in that talk.
    """

    def __init__(self, knowledge: Knowledge | None) -> None:
        self._knowledge = knowledge
        self._found: dict[Document, str | None] = {}

    def evidence(self, evidence: Evidence) -> Evidence:
        """The same evidence, its documents named as in the knowledge base."""
        talk = evidence.talk
        documents = (document for e in talk.exchanges for document in e.documents)
        if self._knowledge is None or all(d.id in self._ids for d in documents):
            return evidence
        exchanges = tuple(map(self._exchange, talk.exchanges))
        return replace(evidence, talk=replace(talk, exchanges=exchanges))

    def named(self, exchange: Exchange) -> Exchange:
        """The same exchange; a document that the bot names by its file has its entry's whole id."""
        if self._knowledge is None or all(d.id in self._ids for d in exchange.documents):
            return exchange
        return _with_ids(exchange, lambda d: self._by_file(d.id or "") or d.id)

    def _exchange(self, exchange: Exchange) -> Exchange:
        return _with_ids(exchange, self._id)

    def _id(self, document: Document) -> str | None:
        if document.id in self._ids:
            return document.id
        if (known := self._found.get(document, "")) != "":
            return known
        if len(self._found) >= _IDENTIFIED:
            self._found.clear()
        name = document.id or ""
        texts = (document.text, whole(document), document.title, name, name.rpartition("/")[2])
        forms = filter(None, map(normal_form, texts))
        entry = next((self._by_form[f] for f in forms if f in self._by_form), None)
        self._found[document] = entry
        return entry

    def _by_file(self, name: str) -> str | None:
        return self._names.get(name) or self._names.get(name.rpartition("/")[2])

    @cached_property
    def _names(self) -> Mapping[str, str]:
        return entry_names(self._knowledge.documents() if self._knowledge else ())

    @cached_property
    def _ids(self) -> frozenset[str | None]:
        return (
            frozenset(d.id for d in self._knowledge.documents()) if self._knowledge else frozenset()
        )

    @cached_property
    def _by_form(self) -> Mapping[str, str]:
        """The ids by what an entry says; what several entries say is no one's."""
        known: dict[str, set[str]] = {}
        entries = self._knowledge.documents() if self._knowledge else ()
        for entry in entries:
            for form in {normal_form(text) for text in (entry.text, whole(entry), entry.title)}:
                known.setdefault(form, set()).add(str(entry.id))
        names = {normal_form(name): entry for name, entry in entry_names(entries).items()}
        own = {form: next(iter(ids)) for form, ids in known.items() if form and len(ids) == 1}
        return {form: entry for form, entry in names.items() if form not in known} | own


def _with_ids(exchange: Exchange, id_of: Callable[[Document], str | None]) -> Exchange:
    """The same exchange with other ids of its documents."""
    if not isinstance(exchange.reply, Reply):
        return exchange
    named = tuple(replace(d, id=id_of(d)) for d in exchange.documents)
    return replace(exchange, reply=replace(exchange.reply, documents=named))
