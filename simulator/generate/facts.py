"""The facts that a right answer needs: as a model writes them, and what of them is kept."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from pydantic import Field

from simulator.core.bounds import MAX_EXPECTED
from simulator.core.claim import State
from simulator.core.clean import normal_form, visible
from simulator.core.persona import Language
from simulator.core.scenario import Approval, Element, Expected, Quote
from simulator.core.talk import Document
from simulator.generate.units import Method, Unit
from simulator.llm.structured import CleanText, FormModel
from simulator.reading.words import says
from simulator.text.acts import only_hands_over, sends_to_a_person
from simulator.text.clauses import read, words_of
from simulator.text.tokens import content_tokens, sentences

_MOST_FACTS = 6
_MOST_ALTERNATIVES = 3  # of a fact
_MOST_NEAR_MISSES = 4
_LONGEST = {"ja": 120, "en": 300}  # characters of a wording: what is longer is not one fact


class DraftFact(FormModel):
    """One fact as a model writes it, the supporting sentence first."""

    quote: CleanText = ""
    text: CleanText
    alternatives: list[CleanText] = Field(
        default_factory=list, json_schema_extra={"maxItems": _MOST_ALTERNATIVES}
    )


class Draft(FormModel):
    """A question as a model writes it, with what a right answer to it must say and must not say."""

    question: CleanText
    facts: list[DraftFact] = Field(
        default_factory=list, json_schema_extra={"maxItems": _MOST_FACTS}
    )
    must_not: list[CleanText] = Field(
        default_factory=list, json_schema_extra={"maxItems": _MOST_NEAR_MISSES}
    )
    hand_over: bool = False


class FactFault(StrEnum):
    """Why a fact, an alternative or a near miss was dropped."""

    NO_QUOTE = "no_quote"  # the quote is not in the entry
    UNMET = "unmet"  # the entry does not say it
    VIOLATED = "violated"  # the entry says something else
    SAID = "said"  # it must not be said, and the entry says it
    BARE = "bare"  # a value or a word alone: nobody can tell what is said of what
    FOREIGN = "foreign"  # copied from the prompt, or a near miss without a word of the entry
    TOO_LONG = "too_long"
    DUPLICATE = "duplicate"
    TOO_MANY = "too_many"
    CHECK = "check"  # the check of the question found it wrong, or not asked for


@dataclass(frozen=True, slots=True)
class DroppedFact:
    """A text of a model that is not part of the expectation, and why."""

    text: str
    fault: FactFault


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact in one or more wordings, and the words of the FAQ's entry that support it."""

    wordings: Element
    quote: Quote


@dataclass(frozen=True, slots=True)
class Facts:
    """What a right answer to a question must say and must not say.

    `hand_over`: the entries only say that a person deals with the matter; then the quotes of
    `required` say so.
    """

    required: tuple[Fact, ...] = ()
    must_not: tuple[str, ...] = ()
    hand_over: bool = False
    dropped: tuple[DroppedFact, ...] = ()

    @property
    def statements(self) -> tuple[str, ...]:
        """The facts, then the near misses; a check numbers them from 1."""
        return (*(fact.wordings[0] for fact in self.required), *self.must_not)

    def without(self, numbers: Collection[int]) -> "Facts":
        """What is left when a check has named some of the statements."""
        required = tuple(f for n, f in enumerate(self.required, 1) if n not in numbers)
        near_misses = enumerate(self.must_not, 1 + len(self.required))
        texts = enumerate(self.statements, 1)
        dropped = (DroppedFact(text, FactFault.CHECK) for n, text in texts if n in numbers)
        return Facts(
            required,
            tuple(text for n, text in near_misses if n not in numbers),
            self.hand_over and bool(required),
            (*self.dropped, *dropped),
        )


def supported_facts(
    draft: Draft, entries: Sequence[Document], language: Language, instructions: str = ""
) -> Facts:
    """The facts of a draft that the entries support; the others are in `dropped`.

    What words cannot tell is kept. A hand-over counts only if a quote sends to a person.

    Args:
        draft: what a model wrote.
        entries: those that it was written about.
        language: that of both.
        instructions: what the model was told; small ones copy its examples.
    """
    check = _Check(entries, language, instructions)
    required = check.required(draft.facts)
    must_not = check.must_not(draft.must_not, required)
    hand_over = draft.hand_over and any(
        sends_to_a_person(fact.quote.text, language) for fact in required
    )
    return Facts(required, must_not, hand_over, tuple(check.dropped))


class _Check:
    """Holds a model's texts against the entries, and keeps what it drops."""

    def __init__(self, entries: Sequence[Document], language: Language, instructions: str) -> None:
        self.dropped: list[DroppedFact] = []
        self._language = language
        self._entries = entries
        self._text = "\n".join(f"{entry.title}\n{entry.text}" for entry in entries)
        self._tokens = frozenset(content_tokens(self._text, language))
        self._instructions = normal_form(instructions)

    def required(self, drafts: Iterable[DraftFact]) -> tuple[Fact, ...]:
        """The facts that are supported, each once."""
        facts: list[Fact] = []
        for draft in drafts:
            text, quote = _on_one_line(draft.text), self._quote(draft.quote)
            if quote is None:
                self._drop(text, FactFault.NO_QUOTE)
            elif fault := self._fault(text, quote, facts):
                self._drop(text, fault)
            else:
                others = self._alternatives(text, draft.alternatives, quote)
                facts.append(Fact((text, *others), quote))
        return tuple(facts)

    def must_not(self, texts: Iterable[str], facts: Sequence[Fact]) -> tuple[str, ...]:
        """The near misses that neither the entries nor the facts say, each once."""
        right = [self._text, *(wording for fact in facts for wording in fact.wordings)]
        near_misses: dict[str, str] = {}
        for text in map(_on_one_line, texts):
            form = normal_form(text)
            if fault := self._misfit(text):
                self._drop(text, fault)
            elif self._tokens.isdisjoint(content_tokens(text, self._language)):
                self._drop(text, FactFault.FOREIGN)
            elif form in near_misses:
                self._drop(text, FactFault.DUPLICATE)
            elif any(says(source, text, self._language) is State.MET for source in right):
                self._drop(text, FactFault.SAID)
            elif len(near_misses) == _MOST_NEAR_MISSES:
                self._drop(text, FactFault.TOO_MANY)
            else:
                near_misses[form] = text
        return tuple(near_misses.values())

    def _drop(self, text: str, fault: FactFault) -> None:
        if normal_form(text):
            self.dropped.append(DroppedFact(text[:MAX_EXPECTED], fault))

    def _quote(self, text: str) -> Quote | None:
        """The quote with the id of the entry whose text holds it, as a sentence if it is a word."""
        form = normal_form(text)
        for entry in self._entries:
            is_in = form in normal_form(entry.text) and self._states(text)
            if is_in or form in map(normal_form, sentences(entry.text, self._language)):
                return Quote(str(entry.id), text.strip())
        return None

    def _fault(self, text: str, quote: Quote, facts: Sequence[Fact]) -> FactFault | None:
        if fault := self._misfit(text) or self._unsupported(text, quote):
            return fault
        if any(self._same(text, fact) for fact in facts):
            return FactFault.DUPLICATE
        return FactFault.TOO_MANY if len(facts) == _MOST_FACTS else None

    def _alternatives(self, text: str, drafts: Sequence[str], quote: Quote) -> Iterator[str]:
        forms = {normal_form(text)}
        for other in map(_on_one_line, drafts[:_MOST_ALTERNATIVES]):
            form = normal_form(other)
            if fault := self._misfit(other) or self._unsupported(other, quote):
                self._drop(other, fault)
            elif form not in forms:
                forms.add(form)
                yield other

    def _misfit(self, text: str) -> FactFault | None:
        if len(text) > _LONGEST[self._language]:
            return FactFault.TOO_LONG
        is_copied = normal_form(text) in self._instructions
        if is_copied and not self._tokens.issuperset(content_tokens(text, self._language)):
            return FactFault.FOREIGN
        has_words = words_of(read(text, self._language))
        return None if has_words and self._states(text) else FactFault.BARE

    def _states(self, text: str) -> bool:
        """True if a text can say something of something: it has two words, a value being one."""
        return len(set(content_tokens(text, self._language))) > 1

    def _unsupported(self, text: str, quote: Quote) -> FactFault | None:
        """Why words say that neither the quote nor the entries say a text."""
        states = {says(source, text, self._language) for source in (quote.text, self._text)}
        if State.MET in states:
            return None
        faults = {State.VIOLATED: FactFault.VIOLATED, State.UNMET: FactFault.UNMET}
        return next((fault for state, fault in faults.items() if state in states), None)

    def _same(self, text: str, fact: Fact) -> bool:
        """True if a text and a wording of a fact each say the other."""
        return any(
            says(text, wording, self._language) is State.MET
            and says(wording, text, self._language) is State.MET
            for wording in fact.wordings
        )


def _on_one_line(text: str) -> str:
    return " ".join(visible(text).split())


_MOST_READ = 8_000  # characters of a text


def expectation(
    unit: Unit, facts: Facts, documents: Mapping[str, str], language: Language
) -> Expected:
    """What a right answer to a question of the unit says; a person has still to confirm it.

    The expected answer is all that the entries say, never a model's words: by words alone, 16 of
    258 wrong answers to titles of four FAQs passed against one sentence of the entry, and none
    against all of it. Where the entries only say that a person deals with the matter, a hand-over
    is expected, with the facts, such as a number to call. `documents` maps the ids of entries to
    those of the client's knowledge base; an entry that is not in it is no expected document, and
    its quotes keep the FAQ's id.
    """
    if unit.method is Method.UNANSWERABLE:
        return Expected(answerable=False, approved=Approval.OPEN)
    entry_ids = [str(entry.id) for entry in unit.entries]
    expected = Expected(
        documents=tuple(documents[name] for name in entry_ids if name in documents),
        elements=tuple(fact.wordings for fact in facts.required),
        must_not=facts.must_not,
        quotes=tuple(
            replace(fact.quote, document=documents.get(fact.quote.document, fact.quote.document))
            for fact in facts.required
        ),
        approved=Approval.OPEN,
    )
    if facts.hand_over or (not facts.required and _is_for_a_person(unit, language)):
        return replace(expected, escalate=True)
    answer = "\n".join(entry.text for entry in unit.entries)
    return replace(expected, answers=(answer,), answerable=True)


def _is_for_a_person(unit: Unit, language: Language) -> bool:
    """True if all that the entries state is whom to turn to."""
    texts = [entry.text[:_MOST_READ] for entry in unit.entries]
    return all(sends_to_a_person(t, language) and only_hands_over(t, language) for t in texts)
