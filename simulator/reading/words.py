"""The words reader: what strings alone can prove about the claims in an answer."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import NamedTuple

from simulator.core.bounds import MAX_EXPECTED
from simulator.core.claim import Claim, ClaimKind, Reader, Reading, State
from simulator.core.clean import folded, normal_form
from simulator.core.persona import Language
from simulator.reading.sameness import Window, matches, opposes, says_yes
from simulator.text.acts import (
    is_refusal,
    names_a_person,
    only_asks_back,
    only_hands_over,
    only_refuses,
    refuses_anything,
    sends_to_a_person,
)
from simulator.text.clauses import Amount, Clause, Sentence, read, words_of
from simulator.text.denials import denied
from simulator.text.phrases import phrases
from simulator.text.quantities import Amounts, all_of, each_of, may_stand, of_its_kind
from simulator.text.tokens import Meanings, content_tokens

_WORDLESS = (ClaimKind.DECLINES, ClaimKind.HANDS_OVER, ClaimKind.ANSWERS)
_LONG = 3  # sentences: what is expected in more is failed by nothing but a refusal
_SHORT = 2  # sentences: their matter is what was asked
_HALF = 0.5
_START = 3  # letters that a name and its short form begin with
_NEAR = 2 / 3
"""The share of the words of a clause from which on another one speaks of the same."""


@dataclass(frozen=True, slots=True)
class Proof:
    """A state, with the span of the text that shows it."""

    state: State
    quote: str = ""


UNKNOWN = Proof(State.UNKNOWN)


@dataclass(frozen=True)
class AnswerText:
    """A text that claims are read in; all that is asked of it is worked out once.

    `form`: the normal form of all of it; the rest is read in its beginning. `is_expected`: it is an
    expected answer word for word.
    """

    text: str
    question: str
    language: Language
    form: str
    is_expected: bool = False

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        """Those that are no questions."""
        return tuple(s for s in read(self.text, self.language) if not s.asks)

    @cached_property
    def words(self) -> frozenset[str]:
        """Its content words, also those of questions."""
        return words_of(read(self.text, self.language))

    @cached_property
    def meanings(self) -> Meanings:
        """Its content words by what they may mean."""
        return Meanings(self.words, self.language)

    @cached_property
    def amounts(self) -> Amounts:
        """Its amounts by kind, also those of questions."""
        return all_of(sentence.amounts for sentence in read(self.text, self.language))

    @cached_property
    def asked(self) -> frozenset[str]:
        """The content words of the question."""
        return words_of(read(self.question, self.language))

    @cached_property
    def refuses(self) -> bool:
        """True if all that the text does is to refuse."""
        return is_refusal(self.text, self.language) and only_refuses(self.text, self.language)

    @cached_property
    def asks_back(self) -> bool:
        """True if it only asks the user something."""
        return only_asks_back(self.text, self.language)

    @cached_property
    def windows(self) -> tuple[Window, ...]:
        """Each sentence, and each two neighbouring ones."""
        pairs = zip(self.sentences, self.sentences[1:], strict=False)
        return tuple(Window(some) for some in (*((s,) for s in self.sentences), *pairs))


@lru_cache(maxsize=64)  # several claims are read in each answer
def _answer(text: str, question: str, language: Language) -> AnswerText:
    return AnswerText(text[:MAX_EXPECTED], question[:MAX_EXPECTED], language, normal_form(text))


def read_words(
    claims: Sequence[Claim],
    question: str,
    reply: str,
    language: Language,
    answers: Sequence[str] = (),
) -> tuple[Reading, ...]:
    """What words prove about each claim, in the order of the claims.

    `met` is said nearly verbatim; `violated` is proven by another amount, a plain denial, *both*
    for *either*, or a price for what is free; `unmet` are refusals, empty answers, questions back,
    and answers with none of the names, amounts and words of the claim. All else is unknown; that
    has a quote where the words of the claim stand beside a denial.

    Args:
        claims: those of the scenario.
        question: the user's message.
        reply: the bot's answer.
        language: that of both.
        answers: the expected ones: a reply that is one of them refuses, answers or hands over as
            it should, however it reads.
    """
    answer = _answer(reply, question, language)
    if answer.form and answer.form in map(normal_form, answers):
        answer = replace(answer, is_expected=True)
    wordings = [way for claim in claims if claim.kind is ClaimKind.SAYS for way in claim.wordings]
    refusal_due = any(_refuses_or_hands_over(way, language) for way in wordings)
    expected = tuple(part for way in wordings for part in _parts(way, language))
    return tuple(_reading(claim, answer, expected, refusal_due=refusal_due) for claim in claims)


def says(text: str, wording: str, language: Language) -> State:
    """Whether any text, such as a document, says one wording, by words."""
    return _says(wording, _answer(text, "", language)).state


def _reading(
    claim: Claim, answer: AnswerText, expected: Sequence[Sentence], *, refusal_due: bool
) -> Reading:
    against, proof = "", UNKNOWN
    if answer.is_expected and claim.kind in _WORDLESS:
        proof = Proof(State.MET)
    elif claim.kind is ClaimKind.SAYS:
        against, proof = _any_of(claim, answer, expected)
        if proof.state is State.MET and _takes_back(claim, answer):
            proof = replace(proof, state=State.UNKNOWN)
    elif claim.kind is ClaimKind.MUST_NOT:
        against, proof = claim.wordings[0], _must_not(claim.wordings[0], answer)
    elif claim.kind is ClaimKind.DECLINES:
        proof = _declines(answer)
    elif claim.kind is ClaimKind.HANDS_OVER:
        proof = _hands_over(answer)
    elif claim.kind is ClaimKind.ANSWERS:
        proof = _answers(answer, refusal_due=refusal_due, is_alone=not expected)
    return Reading(claim.id, proof.state, Reader.WORDS, proof.quote, against)


def _takes_back(claim: Claim, answer: AnswerText) -> bool:
    """True if an answer names the amounts of a claim only to deny them: *it used to be £15*."""
    gone = denied(answer.text, answer.language)
    return bool(gone) and all(
        denied(wording, answer.language).isdisjoint(gone)
        and not gone.isdisjoint(each_of(all_of(s.amounts for s in read(wording, answer.language))))
        for wording in claim.wordings
    )


# ---- Kinds without a wording ----


@lru_cache(maxsize=1_024)
def _refuses_or_hands_over(wording: str, language: Language) -> bool:
    return is_refusal(wording, language) or sends_to_a_person(wording, language)


def _hands_over(answer: AnswerText) -> Proof:
    if sends_to_a_person(answer.text, answer.language):
        return Proof(State.MET)
    return UNKNOWN if names_a_person(answer.text, answer.language) else Proof(State.UNMET)


def _declines(answer: AnswerText) -> Proof:
    text, language = answer.text, answer.language
    if answer.refuses:
        return Proof(State.MET)
    if refuses_anything(text, language) or answer.asks_back or not answer.sentences:
        return UNKNOWN
    if sends_to_a_person(text, language):
        return Proof(State.MET) if only_hands_over(text, language) else UNKNOWN
    return UNKNOWN if only_refuses(text, language) else Proof(State.VIOLATED)


def _answers(answer: AnswerText, *, refusal_due: bool, is_alone: bool) -> Proof:
    """`is_alone`: nothing says what the answer is, and whom to ask may be all of it."""
    if not answer.form:
        return Proof(State.UNMET)
    if answer.refuses:
        return UNKNOWN if refusal_due else Proof(State.UNMET)
    is_open = is_alone and only_hands_over(answer.text, answer.language)
    return UNKNOWN if is_open else Proof(State.MET)


def _must_not(wording: str, answer: AnswerText) -> Proof:
    """What is proven of a statement that would be wrong.

    A right answer has most words of a near miss, in other places: so they have to be in order.
    """
    proof = _says(wording, answer)
    if proof.state is State.MET:
        in_order = any(_in_order(wording, s.text, answer.language) for s in answer.sentences)
        return Proof(State.VIOLATED, proof.quote) if in_order else UNKNOWN
    parts = _parts(wording, answer.language)
    words, amounts = words_of(parts), all_of(part.amounts for part in parts)
    lacks = any(not _stands(a, answer.amounts) for a in each_of(amounts))
    few = bool(words) and len(words & answer.words) < _HALF * len(words)
    return Proof(State.MET) if lacks or few else UNKNOWN


def _in_order(wording: str, sentence: str, language: Language) -> bool:
    """True if a sentence has the words of a wording in their order, with at most one more."""
    words, others = content_tokens(wording, language), content_tokens(sentence, language)
    runs = (iter(others[start : start + len(words) + 1]) for start in range(len(others)))
    return any(all(word in run for word in words) for run in runs)


# ---- What is said ----


def _any_of(claim: Claim, answer: AnswerText, expected: Sequence[Sentence]) -> tuple[str, Proof]:
    """The reading of the first wording that is met, else one that all agree on."""
    proofs = [(way, _says(way, answer, expected)) for way in claim.wordings]
    states = [proof.state for _, proof in proofs]
    for state in (State.MET, State.UNKNOWN, State.VIOLATED, State.UNMET):
        if state in states:
            return proofs[states.index(state)]
    return "", UNKNOWN


@lru_cache(maxsize=1_024)
def _parts(wording: str, language: Language) -> tuple[Sentence, ...]:
    """The sentences of what is expected; none but these hold a claim."""
    return read(wording[:MAX_EXPECTED], language)


def _says(wording: str, answer: AnswerText, expected: Sequence[Sentence] = ()) -> Proof:
    if normal_form(wording) == answer.form and (answer.form or wording.strip()):
        return Proof(State.MET, answer.text.strip())
    if not answer.form:
        return Proof(State.UNMET)
    parts = _parts(wording, answer.language)
    quotes = [_met(part, answer) for part in parts]
    lacking = [part for part, quote in zip(parts, quotes, strict=True) if not quote]
    if any(quotes) and all(_is_implied(part, parts, answer) for part in lacking):
        return Proof(State.MET, next(filter(None, quotes)) or "")
    if answer.refuses or answer.asks_back:
        is_due = _refuses_or_hands_over(wording, answer.language)
        return UNKNOWN if is_due else Proof(State.UNMET)
    proof = _unsaid(parts, answer, expected) if len(parts) <= _LONG else UNKNOWN
    return proof if proof is not UNKNOWN else Proof(State.UNKNOWN, _beside_a_denial(parts, answer))


def _beside_a_denial(parts: Sequence[Sentence], answer: AnswerText) -> str:
    """The sentence that has what is expected verbatim and denies something, if there is one."""
    for sentence in answer.sentences:
        has_any = any(part.form and _stands_in(part.form, sentence.form) for part in parts)
        if has_any and not all(map(says_yes, sentence.clauses)):
            return sentence.text
    return ""


def _stands_in(form: str, text: str) -> bool:
    """True if the text contains it as whole words; *coffee* does not contain *fee*."""
    return re.search(rf"(?<![a-z0-9]){re.escape(form)}(?![a-z0-9])", text) is not None


def _unsaid(parts: Sequence[Sentence], answer: AnswerText, expected: Sequence[Sentence]) -> Proof:
    """What is proven of something that is not said nearly verbatim.

    An amount that stands in anything `expected` contradicts nothing.
    """
    for part in parts:
        quote = _other_amount(part, (*parts, *expected), answer)
        if quote is None and len(parts) == 1:  # several statements speak of several cases
            quote = _opposite(part, answer)
        if quote:
            return Proof(State.VIOLATED, quote)
    return Proof(State.UNMET) if _lacks_all(parts, answer) else UNKNOWN


def _met(part: Sentence, answer: AnswerText) -> str | None:
    """The sentences that say all of a sentence, nearly verbatim; None where none do.

    The same words say it, whatever they limit or deny, but perhaps for a yes or no in one.
    """
    lead = _lead(part.text, answer.language)
    for sentence in answer.sentences:
        other = _lead(sentence.text, answer.language)
        is_same = part.form == sentence.form or lead.rest == other.rest != ""
        if part.form and is_same and {lead.affirms, other.affirms} != {True, False}:
            return sentence.text
    for window in answer.windows:
        if matches(part, window, answer.asked, answer.meanings):
            return _span(answer.text, window)
    return None


def _is_implied(part: Sentence, parts: Sequence[Sentence], answer: AnswerText) -> bool:
    """True if a sentence is but a yes or no that the answer doesn't deny, and the others say it.

    They do where a clause affirms (or denies) what was asked, in half of the question's words.
    """
    affirms, rest = _lead(part.text, answer.language)
    leads = [_lead(sentence.text, answer.language).affirms for sentence in answer.sentences]
    if affirms is None or rest or (not affirms) in leads or answer.refuses:
        return False
    stated = (clause for sentence in answer.sentences for clause in sentence.clauses)
    if affirms and not all(says_yes(clause) for clause in stated if not clause.is_condition):
        return False
    clauses = (clause for other in parts if other is not part for clause in other.clauses)
    return any(_states(clause, answer.asked, affirms=affirms) for clause in clauses)


class _Lead(NamedTuple):
    """The yes (True) or no at the beginning of a sentence, if any, and the form of the rest."""

    affirms: bool | None
    rest: str


@lru_cache(maxsize=1_024)
def _lead(sentence: str, language: Language) -> _Lead:
    data, form = phrases(f"text/{language}/reading"), folded(sentence)
    for name, affirms in (("a_yes", True), ("a_no", False)):
        if lead := data.pattern(name).match(form):
            return _Lead(affirms, normal_form(form[lead.end() :]))
    return _Lead(None, normal_form(sentence))


def _states(clause: Clause, asked: frozenset[str], *, affirms: bool) -> bool:
    if clause.is_condition or clause.is_fragment or says_yes(clause) is not affirms:
        return False
    return bool(asked) and len(asked & clause.keys) >= _HALF * len(asked)


def _span(text: str, window: Window) -> str:
    """The part of a text from the first of some sentences to the last one."""
    start = text.find(window.sentences[0].text)
    last = window.sentences[-1].text
    end = text.find(last, max(start, 0))
    return text[start : end + len(last)] if start >= 0 and end >= 0 else last


def _stands(amount: Amount, amounts: Amounts) -> bool:
    kind, value = amount
    return value in of_its_kind(kind, amounts) or may_stand(kind, value, amounts)


def _other_amount(part: Sentence, parts: Sequence[Sentence], answer: AnswerText) -> str | None:
    """The sentence with another amount of a unit in place of one that the answer lacks."""
    question = read(answer.question, answer.language)
    known = [amount for value in (*parts, *question) for amount in each_of(value.amounts)]
    for kind, value in each_of(part.amounts):
        if _stands((kind, value), answer.amounts) or isinstance(value, str):
            continue
        for sentence in answer.sentences:
            others = {(kind, other) for other in sentence.amounts.get(kind, ())}
            if others.difference(known) and _of_the_same(part, sentence, answer):
                return sentence.text
    return None


def _of_the_same(part: Sentence, sentence: Sentence, answer: AnswerText) -> bool:
    words, question_words = part.words, answer.asked
    is_short = len(answer.sentences) <= _SHORT
    if not words:
        return bool(question_words & sentence.words) or is_short
    near = sentence.words | question_words if is_short else sentence.words
    return len(words & near) >= _HALF * len(words)


def _opposite(part: Sentence, answer: AnswerText) -> str | None:
    """The sentence that plainly denies what is expected, or affirms what that denies."""
    known = part.words | answer.asked
    sentences = answer.sentences
    if _is_conditional(part):  # what is said of another case denies nothing
        sentences = tuple(sentence for sentence in sentences if not _is_conditional(sentence))
    for clause in part.clauses:
        if clause.is_fragment or clause.is_condition:
            continue
        near = [
            (sentence, other)
            for sentence in sentences
            for other in sentence.clauses
            if _speaks_of(clause, other, known, answer)
        ]
        verdicts = [(s, opposes(clause, other)) for s, other in near]
        if any(is_opposed is False for _, is_opposed in verdicts):
            continue
        for sentence, is_opposed in verdicts:
            if is_opposed:
                return sentence.text
    return None


def _is_conditional(sentence: Sentence) -> bool:
    return any(clause.is_condition for clause in sentence.clauses)


def _speaks_of(clause: Clause, other: Clause, known: frozenset[str], answer: AnswerText) -> bool:
    """True if another clause has most words of one, as far as not asked for, and hardly others.

    Words that only affirm or deny count for nothing.
    """
    poles = phrases(f"text/{answer.language}/reading").words("poles")
    here, others = clause.keys - poles, other.keys - poles
    if here and not here & others:
        return False
    near = _HALF if len(answer.sentences) <= _SHORT else _NEAR
    is_near = len(here & (others | answer.asked)) >= near * len(here)
    return is_near and len(others - known) <= max(1, (1 - _NEAR) * len(others))


def _lacks_all(parts: Sequence[Sentence], answer: AnswerText) -> bool:
    """True if the names and amounts of what is expected, and all its words, are missing."""
    words, amounts = words_of(parts), all_of(part.amounts for part in parts)
    clauses = [clause for part in parts for clause in part.clauses if clause.is_fragment]
    names = frozenset(name for clause in clauses for name in clause.names & words)
    if not names and not amounts:
        return False
    if any(_stands(amount, answer.amounts) for amount in each_of(amounts)):
        return False
    starts = {word[:_START] for word in answer.words}
    return not words & answer.words and not any(name[:_START] in starts for name in names)
