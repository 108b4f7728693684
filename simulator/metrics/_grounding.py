"""How far documents bear out a reply, found once for all metrics that ask."""

import asyncio
from collections.abc import Sequence, Set
from dataclasses import replace
from functools import cached_property
from threading import Lock

from simulator.core.outcome import Gap, Outcome, Score, Unscored
from simulator.core.persona import Language
from simulator.core.ports import Evidence, Knowledge
from simulator.core.scenario import Expected
from simulator.core.talk import Document
from simulator.metrics._lexical import (
    ASKS_BACK,
    asks_back_only,
    compare_texts,
    wanted_answers,
    wanted_elements,
)
from simulator.text.bm25 import Bm25
from simulator.text.expectations import State, answer_state, element_state
from simulator.text.grounding import BORNE_OUT, Statement, mean_support, statements
from simulator.text.handover import only_hands_over, sends_to_a_person
from simulator.text.passages import contacts, without_contacts
from simulator.text.refusals import is_refusal, is_wholly_refusal, states_nothing
from simulator.text.sentences import sentences
from simulator.text.tokens import content_tokens
from simulator.words import Words

_KEPT = 64  # turns: more than are scored at once
_FAMILIAR = 0.3  # of the words of a sentence beside a right answer
_Asked = tuple[tuple[str, ...], tuple[Document, ...], str, Expected, Language]


class Grounding:
    """What the metrics of one run know of documents; any number of turns may be asked of at once.

    Args:
        knowledge: whose nearest entries stand in where no document came with a reply.
        language: of the knowledge base.
    """

    def __init__(self, knowledge: Knowledge | None = None, language: Language = "en") -> None:
        self._nearest = Nearest(knowledge, language) if knowledge else None
        self._found: dict[_Asked, asyncio.Task[Outcome]] = {}

    @property
    def has_entries(self) -> bool:
        """Whether there is a knowledge base to fall back on."""
        return self._nearest is not None

    async def of(self, evidence: Evidence) -> Outcome:
        """The outcome of `grounded` for this turn: `simulator.metrics.grounded` says what it is."""
        if asks_back_only(evidence):
            return ASKS_BACK
        exchanges = evidence.talk.exchanges
        replies = tuple(exchange.assistant for exchange in exchanges)
        asked = "\n".join(exchange.user for exchange in exchanges)
        expected = evidence.scenario.expected
        key = (replies, exchanges[-1].documents, asked, expected, evidence.language)
        if key not in self._found:
            if len(self._found) >= _KEPT:
                del self._found[next(iter(self._found))]
            self._found[key] = asyncio.ensure_future(self._outcome(*key))
        return await asyncio.shield(self._found[key])  # others may wait for it, too

    async def _outcome(
        self,
        replies: tuple[str, ...],
        came: tuple[Document, ...],
        asked: str,
        expected: Expected,
        language: Language,
    ) -> Outcome:
        said, documents = replies[-1], _texts(came)
        if is_wholly_refusal(said, language):
            return _score([], language)
        if not documents and self._nearest is not None and said.strip():
            documents = _texts(await asyncio.to_thread(self._nearest.to, said))
        if not documents:
            return Unscored(Gap.NOT_APPLICABLE, "no documents came with the reply")
        documents += wanted_answers(expected)
        size = len(said) + sum(map(len, documents))
        found = await compare_texts(size, statements, said, documents, asked, language)
        if expected.escalate or expected.answerable is False:
            found = [s for s in found if s.borne_out or not _hands_over(s.sentence, language)]
        given = "\n".join((asked, *(way for e in wanted_elements(expected) for way in e)))
        if any(not statement.borne_out for statement in found):
            refused = is_refusal(said, language)
            held = _Held(self._nearest, documents, given, language, refused=refused)
            found = [await asyncio.to_thread(held.again, statement) for statement in found]
            right = is_as_expected(replies, expected, language)
            found = [_as_expected(s, expected, language, right=right) for s in found]
        return _score(found, language)


class _Held:
    """Looks a sentence that is not borne out up in all that the bot may know."""

    def __init__(
        self,
        nearest: "Nearest | None",
        documents: list[str],
        given: str,
        language: Language,
        *,
        refused: bool,
    ) -> None:
        self._nearest, self._documents, self._refused = nearest, documents, refused
        self._given, self._language = given, language

    def again(self, found: Statement) -> Statement:
        """The statement; invented is only what stands nowhere in the knowledge base either.

        A contact that stands anywhere may be named at any time (a desk's prompt holds it): such a
        sentence is borne out if its other numbers and names stand beside the contact. What a
        refusal points to may stand in the bot's prompt alone: that is not borne out, no more.
        """
        if found.borne_out:
            return found
        named = contacts(found.sentence)
        near = self._nearest
        entries = near.holding(named) if near else []
        holding = [t for t in (*self._documents, *_texts(entries)) if named & contacts(t)]
        if named and self._points(found, named, holding):
            return replace(found, support=BORNE_OUT, contradicted=False, invented=False)
        if not found.invented:
            return found
        others = [*self._documents, *holding, *(_texts(near.to(found.sentence)) if near else ())]
        bare = without_contacts(found.sentence) if self._refused else found.sentence
        return replace(found, invented=self._read(replace(found, sentence=bare), others).invented)

    def _points(self, found: Statement, named: frozenset[str], holding: list[str]) -> bool:
        held = frozenset[str]().union(*map(contacts, holding))
        if not named <= held:
            return False
        read = self._read(found, holding)
        said = found.sentence, self._language
        is_pointer = sends_to_a_person(*said) or states_nothing(*said)
        if read.contradicted or read.invented:
            return False
        return read.familiar >= _FAMILIAR or (is_pointer and read.familiar > 0)

    def _read(self, found: Statement, documents: list[str]) -> Statement:
        read = statements(found.sentence, documents, self._given, self._language)
        return next(iter(read), replace(found, invented=False))


def _texts(documents: Sequence[Document]) -> list[str]:
    return [f"{d.title}\n{d.text}" for d in documents if d.title.strip() or d.text.strip()]


def is_as_expected(replies: Sequence[str], expected: Expected, language: Language) -> bool:
    """Whether the replies say all that is expected.

    A due refusal or hand-over says nothing of the matter: what stands beside it may be advice.
    """
    if wanted := wanted_elements(expected):
        return all(element_state(e, replies, language) is State.SAID for e in wanted)
    answers = wanted_answers(expected)
    return bool(answers) and answer_state(answers, replies, language).state is State.SAID


def _hands_over(sentence: str, language: Language) -> bool:
    """Whether a sentence only says who has the matter, or where to turn: not by which number."""
    return not contacts(sentence) and only_hands_over(sentence, language)


def _as_expected(
    statement: Statement, expected: Expected, language: Language, *, right: bool
) -> Statement:
    """A statement, borne out by what is expected.

    What plainly says an expected element, with nothing from elsewhere, is. Beside a `right` answer
    it is enough that a third of its words stand anywhere: whoever is right says the rest in other
    words more often than he makes it up, if it has no number and no name from nowhere.
    """
    if statement.borne_out or statement.contradicted or statement.invented:
        return statement
    if right and statement.familiar >= _FAMILIAR:
        return replace(statement, support=BORNE_OUT)
    if statement.foreign:
        return statement
    states = (element_state(e, [statement.sentence], language) for e in wanted_elements(expected))
    is_right = any(state is State.SAID for state in states)
    return replace(statement, support=BORNE_OUT) if is_right else statement


def _score(found: list[Statement], language: Language) -> Outcome:
    if not found:
        return Unscored(Gap.NOT_APPLICABLE, "the reply states nothing")
    words = Words(language, "comment")
    told = sorted(found, key=lambda s: not (s.contradicted or s.invented))
    unsupported = tuple(s.sentence for s in told if not s.borne_out)
    comment = words("unsupported", items=words("beside").join(unsupported)) if unsupported else ""
    parts = {
        "borne_out": 1 - len(unsupported) / len(found),
        "weakest": min(statement.support for statement in found),
        "contradicted": float(sum(statement.contradicted for statement in found)),
        "invented": float(sum(s.invented and not s.borne_out for s in found)),
    }
    value = mean_support(found)
    return Score(value, value, comment, parts, unsupported)


_READ = 8_000  # characters of a reply
_OF_ALL, _OF_A_SENTENCE = 5, 2


class Nearest:
    """Finds entries by their words; any number of threads may ask.

    The index is built when it is first asked, which takes a second or two for 5,000 entries.
    """

    def __init__(self, knowledge: Knowledge, language: Language) -> None:
        self._knowledge = knowledge
        self._language = language
        self._building = Lock()

    def to(self, reply: str) -> list[Document]:
        """The five entries nearest to a reply, and the two nearest to each of its sentences."""
        with self._building:
            index = self._index
        reply = reply[:_READ]
        wanted = [
            (reply, _OF_ALL),
            *((s, _OF_A_SENTENCE) for s in sentences(reply, self._language)),
        ]
        found = (
            hit.document
            for text, most in wanted
            for hit in index.search(content_tokens(text, self._language), most)
        )
        return list(dict.fromkeys(found))

    def holding(self, named: Set[str]) -> list[Document]:
        """The entries in which one of these contacts stands."""
        found = (document for name in named for document in self._contacts.get(name, ()))
        return list(dict.fromkeys(found))

    @cached_property
    def _contacts(self) -> dict[str, list[Document]]:
        found: dict[str, list[Document]] = {}
        for document in self._knowledge.documents():
            for name in contacts(f"{document.title}\n{document.text}"):
                found.setdefault(name, []).append(document)
        return found

    @cached_property
    def _index(self) -> Bm25:
        return Bm25(self._knowledge.documents(), self._language)
