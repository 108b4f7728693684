"""How far documents bear out a reply, found once for all metrics that ask."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial

from simulator.core.bounds import LOOKED_AT, Memo
from simulator.core.concurrency import beside
from simulator.core.outcome import NO_DOCUMENTS, Gap, Outcome, Score, Unscored
from simulator.core.persona import Language
from simulator.core.ports import Evidence, Knowledge
from simulator.core.scenario import Expected
from simulator.core.talk import Document
from simulator.metrics._lexical import (
    ASKS_BACK,
    UNCLEAR,
    asks_back_only,
    join_comments,
    wanted_answers,
    wanted_elements,
)
from simulator.text.asking import asked_about, points_back
from simulator.text.bm25 import Nearest
from simulator.text.content import content
from simulator.text.expectations import State, answer_state, element_state
from simulator.text.grounding import BORNE_OUT, Statement, mean_support, statements
from simulator.text.handover import only_hands_over, sends_to_a_person
from simulator.text.likeness import senses
from simulator.text.passages import contacts, without_contacts
from simulator.text.refusals import is_refusal, is_wholly_refusal, states_nothing
from simulator.text.tokens import content_tokens
from simulator.words import Words

_KEPT = 8_000_000  # characters of the talks whose outcomes are kept
_REPLIES = 1_000  # whose source is kept
_SHARED = 0.1  # of the words of a reply on another matter, at most
_FAMILIAR = 0.3  # of the words of a sentence beside a right answer
_Find = Callable[[Evidence], Awaitable[Outcome]]


class Grounding:
    """What the metrics of one run know of documents; any number of turns may be asked of at once.

    Args:
        knowledge: whose nearest entries stand in where no document came with a reply.
        language: of the knowledge base.
    """

    def __init__(self, knowledge: Knowledge | None = None, language: Language = "en") -> None:
        self._nearest = Nearest(knowledge, language) if knowledge else None
        self._found = Memo[dict[object, asyncio.Future[Outcome]]](_KEPT)
        self._latest: tuple[Evidence | None, dict[object, asyncio.Future[Outcome]]] = None, {}
        self._sources = Sources(knowledge, self._nearest) if knowledge and self._nearest else None

    @property
    def has_entries(self) -> bool:
        """Whether there is a knowledge base to fall back on."""
        return self._nearest is not None

    async def of(self, evidence: Evidence) -> Outcome:
        """The outcome of `grounded` for this turn: `simulator.metrics.grounded` says what it is."""
        return await self._once("grounded", self._grounded, evidence)

    async def check(self, check: Callable[..., Outcome], evidence: Evidence) -> Outcome:
        """What `elements` or `answer` finds; a reply on another matter may hold nothing."""
        return await self._once(check, partial(self._checked, check), evidence)

    async def _once(self, what: object, find: _Find, evidence: Evidence) -> Outcome:
        """What is found of this talk, once for all metrics, and for all talks that are alike."""
        of_talk = self._of_talk(evidence)
        if (found := of_talk.get(what)) is None:
            found = of_talk[what] = asyncio.ensure_future(find(evidence))
        if found.done():
            return found.result()
        return await asyncio.shield(found)  # others may wait for it, too

    def _of_talk(self, evidence: Evidence) -> dict[object, asyncio.Future[Outcome]]:
        """What is found of this talk; the metrics of a turn ask one after the other."""
        asked, known = self._latest
        if asked is evidence:
            return known
        talk, scenario = evidence.talk, evidence.scenario
        said = tuple((e.turn, e.user, e.assistant, e.documents) for e in talk.exchanges)
        key = (said, scenario.query, scenario.expected, evidence.language)
        of_talk = self._found.of(key, 3 * talk.size, dict[object, asyncio.Future[Outcome]])
        self._latest = evidence, of_talk
        return of_talk

    async def _grounded(self, evidence: Evidence) -> Outcome:
        if asks_back_only(evidence):
            return ASKS_BACK
        found = await self._borne_out(evidence)
        if isinstance(found, Score):
            found = replace(found, comment=join_comments(evidence, found.comment))
        if not isinstance(found, Score) or self._sources is None:
            return found
        if not await asyncio.to_thread(self._sources.loses_thread, evidence):
            return found
        comment = Words(evidence.language, "comment")("elsewhere")
        comment = join_comments(evidence, found.comment, comment)
        return replace(found, comment=comment, parts={**found.parts, "elsewhere": 1.0})

    async def _checked(self, check: Callable[..., Outcome], evidence: Evidence) -> Outcome:
        size = sum(len(exchange.assistant) for exchange in evidence.talk.exchanges)
        size += sum(map(len, evidence.scenario.expected.answers))
        found = await beside(LOOKED_AT * size, check, evidence)
        unclear = isinstance(found, Score) and (
            found.parts.get("unclear", 0) > 0 or found.parts.get("met") == UNCLEAR
        )
        if self._sources is None or not unclear:
            return found
        replies = dict.fromkeys(e.assistant for e in evidence.talk.exchanges)
        apart = [r for r in replies if await asyncio.to_thread(self._sources.other, r, evidence)]
        return await beside(LOOKED_AT * size, check, evidence, apart) if apart else found

    async def _borne_out(self, evidence: Evidence) -> Outcome:
        exchanges, language = evidence.talk.exchanges, evidence.language
        replies = tuple(exchange.assistant for exchange in exchanges)
        asked = "\n".join(exchange.user for exchange in exchanges)
        expected, said = evidence.scenario.expected, replies[-1]
        documents = _texts(exchanges[-1].documents)
        if is_wholly_refusal(said, language):
            return _score([], language)
        if not documents and self._nearest is not None and said.strip():
            documents = _texts(await asyncio.to_thread(self._nearest.to, said))
        if not documents:
            if not statements(said, [], asked, language):
                return _score([], language)
            return Unscored(Gap.NOT_APPLICABLE, NO_DOCUMENTS)
        documents += wanted_answers(expected)
        size = len(said) + sum(map(len, documents))
        found = await beside(LOOKED_AT * size, statements, said, documents, asked, language)
        if expected.refusal_due:
            found = [
                s
                for s in found
                if s.borne_out or s.contradicted or not _hands_over(s.sentence, language)
            ]
        given = "\n".join((asked, *(way for e in wanted_elements(expected) for way in e)))
        if any(not statement.borne_out for statement in found):
            refused = is_refusal(said, language)
            held = _Held(self._nearest, documents, given, language, refused=refused)
            found = [await asyncio.to_thread(held.again, statement) for statement in found]
            right = not _only_points(expected) and is_as_expected(replies, expected, language)
            found = [_as_expected(s, expected, language, right=right) for s in found]
        return _score(found, language)


class _Held:
    """Looks a sentence that is not borne out up in all that the bot may know."""

    def __init__(
        self,
        nearest: Nearest | None,
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
        return read.familiar >= _FAMILIAR or is_pointer

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


def _only_points(expected: Expected) -> bool:
    """Whether a hand-over or a refusal is due, and no more to be said with it than a contact."""
    wanted = wanted_elements(expected)
    held = all(contacts(way) for element in wanted for way in element)
    return expected.refusal_due and bool(wanted) and held


def _hands_over(sentence: str, language: Language) -> bool:
    """Whether a sentence only says who has the matter, or where to turn: not by which number."""
    return not contacts(sentence) and only_hands_over(sentence, language)


def _as_expected(
    statement: Statement, expected: Expected, language: Language, *, right: bool
) -> Statement:
    """A statement, borne out by what is expected.

    What plainly says an expected element, with nothing from elsewhere, is; in a `right` answer also
    where documents seem to deny it. Beside one it is enough that a third of its words stand
    anywhere: whoever is right says the rest in other words more often than he makes it up, if it
    has no number and no name from nowhere.
    """
    if statement.contradicted and not statement.invented:
        every = (way for element in wanted_elements(expected) for way in element)
        ways = [way for way in every if content(way, language).words]  # an amount says nothing
        again = statements(statement.sentence, ways, "", language)
        return next((one for one in again if one.borne_out), statement)
    if statement.borne_out or statement.contradicted or statement.invented:
        return statement
    if right and statement.familiar >= _FAMILIAR:
        return replace(statement, support=BORNE_OUT)
    if statement.foreign and not (right and statement.familiar == 0):
        return statement
    states = (element_state(e, [statement.sentence], language) for e in wanted_elements(expected))
    is_right = any(state is State.SAID for state in states)
    return replace(statement, support=BORNE_OUT) if is_right else statement


def _score(found: list[Statement], language: Language) -> Outcome:
    if not found:
        return Unscored(Gap.NOT_APPLICABLE, "the reply states nothing")
    words = Words(language, "comment")
    # What is made up has words of its own; the right thing in other words shares some anywhere.
    told = sorted(found, key=lambda s: (not s.contradicted, not s.invented, s.familiar, s.support))
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


class Sources:
    """Tells answers that are taken from an entry beside the one that a scenario asks for.

    That is known where it names documents, or where entries hold all that it expects.
    """

    def __init__(self, knowledge: Knowledge, nearest: Nearest) -> None:
        self._knowledge, self._nearest = knowledge, nearest
        self._own: dict[tuple[Expected, Language], list[Document]] = {}
        self._others: dict[tuple[str, Expected, Language], Document | None] = {}

    def other(self, said: str, evidence: Evidence) -> Document | None:
        """The entry from which a reply is taken, wholly, where the expected ones bear nothing out.

        Nine in ten of its words that these have stand in that other one as well.
        """
        key = (said, evidence.scenario.expected, evidence.language)
        if key not in self._others:
            if len(self._others) >= _REPLIES:
                self._others.clear()
            self._others[key] = self._other(*key)
        return self._others[key]

    def loses_thread(self, evidence: Evidence) -> bool:
        """Whether an entry of another matter answers a question that does not speak of it.

        The question points back (*that*), names the scenario's own matter, or asks for an amount
        such as the expected entries have.
        """
        last, language = evidence.exchange, evidence.language
        follows = len(evidence.talk.exchanges) > 1
        other = (self.other(last.assistant, evidence) or self._came(evidence)) if follows else None
        if other is None:
            return False
        own = self.own(evidence.scenario.expected, language)
        there, here = _tokens([other], language), _tokens(own, language)
        asked = asked_about(last.user, language)
        senses_there = frozenset(s for word in there - here for s in senses(word, language))
        if asked & (there - here) or any(senses(w, language) & senses_there for w in asked - here):
            return False
        amounts = content("\n".join(_texts(own)), language).amounts.keys()
        asks_alike = amounts & content(last.assistant, language).amounts.keys()
        back = points_back(last.user, language)
        return bool(back or asked & (here - there) or asks_alike)

    def _came(self, evidence: Evidence) -> Document | None:
        """The entry that came with a reply instead of the expected ones, if that has its words.

        However it is worded: a third of its words at least, and more than the expected ones have.
        """
        said, language = evidence.exchange.assistant, evidence.language
        expected = evidence.scenario.expected
        own, ids = self.own(expected, language), {d.id for d in evidence.exchange.documents}
        came = [document for document in self._knowledge.documents() if document.id in ids]
        if not came or any(d in own for d in came) or not own or not _answers(said, language):
            return None
        words = frozenset(content_tokens(said, language))
        shared = {len(words & _tokens([document], language)): document for document in came}
        least = max(_FAMILIAR * len(words), len(words & _tokens(own, language)) + 1)
        is_said = max(shared) < least or _says_any(said, expected, language)
        return None if is_said else shared[max(shared)]

    def own(self, expected: Expected, language: Language) -> list[Document]:
        """The entries that a scenario asks for; none where that is not known."""
        key = (expected, language)
        if key not in self._own:
            self._own[key] = self._find(expected, language)
        return self._own[key]

    def _find(self, expected: Expected, language: Language) -> list[Document]:
        if expected.documents:
            return [d for d in self._knowledge.documents() if d.id in expected.documents]
        wanted = (*wanted_answers(expected), *(e[0] for e in wanted_elements(expected)))
        near = self._nearest.to("\n".join(wanted)) if wanted else []
        return [d for d in near if is_as_expected(_texts([d]), expected, language)]

    def _other(self, said: str, expected: Expected, language: Language) -> Document | None:
        if not _answers(said, language):
            return None
        own = self.own(expected, language)
        words, here = frozenset(content_tokens(said, language)), _tokens(own, language)
        near = [
            document
            for document in (self._nearest.to(said) if own else ())
            if document not in own
            and len((words & here) - _tokens([document], language)) <= _SHARED * len(words)
        ]
        if not near or _says_any(said, expected, language):
            return None
        if any(s.borne_out for s in statements(said, _texts(own), "", language)):
            return None
        return next((d for d in near if _bears_out(d, said, language)), None)


def _answers(said: str, language: Language) -> bool:
    return not (is_refusal(said, language) or only_hands_over(said, language))


def _says_any(said: str, expected: Expected, language: Language) -> bool:
    """Whether a reply plainly says an expected element that has words: amounts stand anywhere."""
    return any(
        element_state((way,), [said], language) is State.SAID
        for element in wanted_elements(expected)
        for way in element
        if content(way, language).words
    )


def _bears_out(document: Document, said: str, language: Language) -> bool:
    found = statements(said, _texts([document]), "", language)
    return bool(found) and all(statement.borne_out for statement in found)


def _tokens(documents: Sequence[Document], language: Language) -> frozenset[str]:
    return frozenset(t for text in _texts(documents) for t in content_tokens(text, language))
