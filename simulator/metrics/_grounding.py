"""How far documents bear out a reply, found once for all metrics that ask."""

import asyncio
from collections.abc import Sequence
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
from simulator.text.expectations import State, element_state
from simulator.text.grounding import BORNE_OUT, Statement, mean_support, statements
from simulator.text.sentences import sentences
from simulator.text.tokens import content_tokens
from simulator.words import Words

_KEPT = 64  # turns: more than are scored at once
_Asked = tuple[str, tuple[Document, ...], str, Expected, Language]


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
        exchange = evidence.exchange
        asked = "\n".join(exchange.user for exchange in evidence.talk.exchanges)
        expected = evidence.scenario.expected
        key = (exchange.assistant, exchange.documents, asked, expected, evidence.language)
        if key not in self._found:
            if len(self._found) >= _KEPT:
                del self._found[next(iter(self._found))]
            self._found[key] = asyncio.ensure_future(self._outcome(*key))
        return await asyncio.shield(self._found[key])  # others may wait for it, too

    async def _outcome(
        self,
        said: str,
        came: tuple[Document, ...],
        asked: str,
        expected: Expected,
        language: Language,
    ) -> Outcome:
        documents = _texts(came)
        if not documents and self._nearest is not None and said.strip():
            documents = _texts(await asyncio.to_thread(self._nearest.to, said))
        if not documents:
            return Unscored(Gap.NOT_APPLICABLE, "no documents came with the reply")
        documents += wanted_answers(expected)
        size = len(said) + sum(map(len, documents))
        found = await compare_texts(size, statements, said, documents, asked, language)
        return _score([_as_expected(s, expected, language) for s in found], language)


def _texts(documents: Sequence[Document]) -> list[str]:
    return [f"{d.title}\n{d.text}" for d in documents if d.title.strip() or d.text.strip()]


def _as_expected(statement: Statement, expected: Expected, language: Language) -> Statement:
    """What plainly says an expected element, with nothing from elsewhere, is borne out by that."""
    if statement.borne_out or statement.foreign or statement.contradicted:
        return statement
    states = (element_state(e, [statement.sentence], language) for e in wanted_elements(expected))
    is_right = any(state is State.SAID for state in states)
    return replace(statement, support=BORNE_OUT) if is_right else statement


def _score(found: list[Statement], language: Language) -> Outcome:
    if not found:
        return Unscored(Gap.NOT_APPLICABLE, "the reply states nothing")
    words = Words(language, "comment")
    unsupported = tuple(s.sentence for s in found if not s.borne_out)
    comment = words("unsupported", items=words("beside").join(unsupported)) if unsupported else ""
    parts = {
        "borne_out": 1 - len(unsupported) / len(found),
        "weakest": min(statement.support for statement in found),
        "contradicted": float(sum(statement.contradicted for statement in found)),
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

    @cached_property
    def _index(self) -> Bm25:
        return Bm25(self._knowledge.documents(), self._language)
