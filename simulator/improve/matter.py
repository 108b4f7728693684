"""What a corrected answer asks of other answers: claims by rules, and how they are read.

The claims are the sentences of what a person wrote, as far as they state anything. Decisive are
those with an amount that the wrong answers lack; where there is none, those that the wrong answers
do not say. Whatever words can't decide stays open, and proves nothing.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, pairwise
from typing import NamedTuple

from simulator.core.claim import Claim, ClaimKind, State
from simulator.core.clean import normal_form
from simulator.core.persona import Language
from simulator.core.talk import Document
from simulator.files.client.folder import LoadedClient
from simulator.reading.words import read_words, says
from simulator.text.acts import (
    asks,
    is_courtesy,
    is_refusal,
    names_a_person,
    only_hands_over,
    only_refuses,
    refuses_anything,
    sends_to_a_person,
    stands_alone,
    states_nothing,
)
from simulator.text.clauses import (
    AXES,
    INCLUDED,
    Amount,
    Clause,
    Sentence,
    read,
    statements,
    words_of,
)
from simulator.text.denials import affirmed, denied
from simulator.text.phrases import phrases
from simulator.text.quantities import all_of, amounts_there, by_kind, each_of, may_stand
from simulator.text.tokens import content_tokens, sentences
from simulator.users.agenda.matter import heading

_NEAR = 0.5  # of a claim's content words, beside all its amounts
_ALIKE = 1 / 3  # of what a person's figure is said of, beside the figure in whose place it is
_SAME = 0.8  # of them, where it has no amounts
_SAID = 0.3  # of the words of what is right, which an entry that says it has
_COUNTED = 3  # a sentence that an entry's others may be compared with has so many words
_TELEPHONE = "telephone"
_ALONE = frozenset({"人=1.0", "回=1.0", "個=1.0"})  # what an amount is for: ¥500 for one person
_LATIN = re.compile(r"[A-Za-z][\w.@+-]{2,}")


@dataclass(frozen=True)
class Matter:
    """What was asked, what a person says is right, and what the bot answered wrongly.

    `sources` are texts that say what is right: an answer may say a part of one. `is_known`: an
    entry says what is right.
    """

    asked: str
    right: str
    wrong: tuple[str, ...]
    language: Language
    sources: tuple[str, ...] = ()
    is_known: bool = False

    @cached_property
    def affirmed(self) -> str:
        """What a person says is right, without the figures that it takes back."""
        return affirmed(self.right, self.language) or self.right

    @cached_property
    def denied(self) -> frozenset[Amount]:
        """The amounts that a person takes back; one without a unit, as the bot measured it."""
        amounts = denied(self.right, self.language)
        bare = {value for kind, value in amounts if not kind}
        measured = all_of(s.amounts for text in self.wrong for s in read(text, self.language))
        kept = frozenset(each_of(all_of(s.amounts for s in self._stated)))
        return (amounts | {a for a in each_of(measured) if a[1] in bare}) - kept

    @cached_property
    def is_refusal(self) -> bool:
        """True if the bot has to refuse, or to hand over, and to state nothing else.

        An answer that repeats an entry is no refusal, even if the entry names whom to call.
        """
        text, language = self.affirmed, self.language
        if self.is_known:
            return False
        if refuses_anything(text, language) and only_refuses(text, language):
            return True
        is_refused = is_refusal(text, language) and not any(map(_facts, self._stated))
        return is_refused or _only_sends(text, language)

    @cached_property
    def hands_over(self) -> bool:
        """True if that names a person or a desk to turn to."""
        text, language = self.affirmed, self.language
        return self.is_refusal and (
            sends_to_a_person(text, language) or names_a_person(text, language)
        )

    @cached_property
    def was_refused(self) -> bool:
        """True if a wrong answer refuses, or hands over."""
        return any(map(self.refuses, self.wrong))

    @cached_property
    def _stated(self) -> tuple[Sentence, ...]:
        """The sentences that state something of the matter."""
        language = self.language
        return tuple(
            s
            for s in statements(self.affirmed, language)
            if (s.words or s.amounts)
            and not states_nothing(s.text, language)
            and not only_refuses(s.text, language)
        )

    @cached_property
    def _lacking(self) -> tuple[Sentence, ...]:
        """What a person states and a wrong answer does not say."""
        return tuple(s for s in self._stated if any(self._lacks(s, each) for each in self.wrong))

    @cached_property
    def claims(self) -> tuple[Sentence, ...]:
        """The sentences that an answer has to say: those that the wrong answers lack."""
        lacking = self._lacking
        instead = [s for s in lacking if any(self._replaced_by(s))]
        counted = [s for s in lacking if self.figures(s)]
        known = self._figures_of_all(self.wrong)
        fresh = [s for s in counted if self.figures(s) - known]
        return tuple(instead or fresh or counted or lacking or self._stated)

    @cached_property
    def replaced(self) -> frozenset[Amount]:
        """Amounts of the wrong answers in whose place a person wrote others of their kind."""
        return self.denied.union(*map(self._replaced_by, self._stated))

    def _replaced_by(self, claim: Sentence) -> Iterator[Amount]:
        """The amounts of the wrong answers in whose place a claim has others."""
        here = all_of(s.amounts for s in self._stated)
        for clause in claim.clauses:
            for (kind, value), _ in clause.amounts:
                for wrong in self.wrong:
                    old = self._in_place_of(kind, value, clause, wrong)
                    yield from (a for a in old if a[1] not in here.get(kind, ()))

    def _in_place_of(
        self, kind: str, value: float | str, clause: Clause, wrong: str
    ) -> Iterator[Amount]:
        """The amounts of a kind in the clauses of a wrong answer that say most of the same."""
        segments = [
            segment
            for sentence in statements(wrong, self.language)
            for other in sentence.clauses
            for segment in _segments(other)
        ]
        if any(segment.amount == (kind, value) for segment in segments):
            return
        own = next((s.words for s in _segments(clause) if s.amount == (kind, value)), clause.keys)
        of_kind = [segment for segment in segments if segment.amount[0] == kind]
        most = max((len(own & segment.words) for segment in of_kind), default=0)
        for segment in of_kind:
            if most >= _ALIKE * len(own) and most and len(own & segment.words) == most:
                yield segment.amount

    def refuses(self, answer: str) -> bool:
        """True if an answer only refuses or hands over, and says nothing that is right."""
        if self._repeats(answer):
            return False
        return is_refusal(answer, self.language) or _only_sends(answer, self.language)

    def _repeats(self, answer: str) -> bool:
        """True if an answer has a sentence that a person wrote and an entry says."""
        forms = (s.form for s in statements(self.affirmed, self.language))
        return self.is_known and any(form in normal_form(answer) for form in forms)

    def figures(self, sentence: Sentence) -> frozenset[str]:
        """What no paraphrase changes: amounts, as they are measured, and Latin names."""
        names = {name.casefold() for name in _LATIN.findall(sentence.text)}
        if self.language == "en":
            names = {name for name in names if any(c.isdigit() or c in "@." for c in name[:-1])}
        counted = {f"{kind}={value}" for kind, value in each_of(sentence.amounts)}
        return frozenset(counted | names)

    def is_right(self, answer: str) -> bool | None:
        """True if an answer says what is right, False if it does not; None: words can't tell."""
        form = normal_form(answer)
        said = {s.form for s in _stating(answer, self.language)}
        known = {s.form for text in self.wrong for s in statements(text, self.language)}
        if not form or form in map(normal_form, self.wrong) or (said and said <= known):
            return False
        if self.is_refusal:
            return self._refuses_rightly(answer)
        answer = affirmed(answer, self.language)
        form = normal_form(answer)
        has_exchanged = exchanged(self.affirmed, answer, self.language)
        if has_exchanged or self.refuses(answer) or self.contradicts(answer):
            return False
        if normal_form(self.affirmed) in form or self._says_part(answer):
            return None if self._keeps_rival(form) else True
        readings = [self._says(claim, answer) for claim in self.claims]
        if False in readings:
            return False
        is_said = bool(readings) and all(readings) and self._keeps_places(answer)
        return True if is_said and not self._keeps_rival(form) else None

    def _keeps_rival(self, form: str) -> bool:
        """True if an answer keeps a sentence of a wrong one that may say what a person put right.

        It has an amount of a kind of which the person gives another one, and nothing shows in
        whose place.
        """
        right = all_of(s.amounts for s in self._stated)
        said = all_of(s.amounts for text in self.wrong for s in statements(text, self.language))
        fresh = {kind for kind, some in right.items() if not some <= said.get(kind, frozenset())}
        fresh -= {kind for kind, _ in self.replaced}
        asked = frozenset(content_tokens(self.asked, self.language))
        return any(
            s.form in form
            and not fresh.isdisjoint(s.amounts)
            and not asked.isdisjoint(s.words)
            and not amounts_there(s.amounts, right)
            for text in self.wrong
            for s in statements(text, self.language)
        )

    def is_said_by(self, entry: Document) -> bool:
        """True if an entry says what is right, and of the same: *free* alone is said of much.

        What refuses is said by an entry that has all of its words.
        """
        whole = whole_of(entry, self.language)
        if self.is_refusal:
            return normal_form(self.affirmed) in normal_form(entry.text)
        words = frozenset(content_tokens(self.affirmed, self.language))
        near = words.intersection(content_tokens(whole, self.language))
        is_near = len(near) >= _SAID * len(words)
        return is_near and replace(self, sources=()).is_right(whole) is True

    def is_titled(self, entry: Document) -> bool:
        """True if most of an entry's title is what was asked or answered, and some is answered."""
        title = set(content_tokens(entry.title, self.language))
        asked, right = (content_tokens(text, self.language) for text in (self.asked, self.affirmed))
        is_near = len(title.intersection([*asked, *right])) > _NEAR * len(title)
        return is_near and not title.isdisjoint(right)

    def _says_part(self, answer: str) -> bool:
        """True if an answer says a claim, and nothing but what one source says."""
        language = self.language
        says_claim = any(
            says(answer, claim.text, language) is State.MET or self._says(claim, answer)
            for claim in self._lacking or self._stated
        )
        says_claim = says_claim or self._repeats(answer)
        return says_claim and any(
            not list(unsupported([answer], [source], language)) for source in self.sources
        )

    def _denies(self, sentence: Sentence) -> bool:
        """True if a sentence says nearly the same as one that a person wrote, but not its sign."""
        return any(
            len(own.words & sentence.words) >= _SAME * len(own.words)
            and self._opposes(own, sentence)
            for own in self._stated
            if len(own.words) >= _COUNTED
        )

    def _keeps_places(self, answer: str) -> bool:
        """True if amounts that stay right stand beside the words that they stood beside."""
        right, wrong = (
            self._beside_amounts(text) for text in (self.affirmed, " ".join(self.wrong))
        )
        now = self._beside_amounts(answer)
        return all(
            not now[amount] or not now[amount].isdisjoint(right[amount] | wrong[amount])
            for amount in now.keys() & right.keys() & wrong.keys()
        )

    def _beside_amounts(self, text: str) -> dict[Amount, set[str]]:
        beside: dict[Amount, set[str]] = {}
        for sentence in statements(text, self.language):
            for clause in sentence.clauses:
                words = {w for w in content_tokens(clause.form, self.language) if w.isalpha()}
                for amount, _ in clause.amounts:
                    beside.setdefault(amount, set()).update(words)
        return beside

    def contradicts(self, answer: str) -> bool:
        """True if an answer still says what a person put right, or the contrary."""
        answer = affirmed(answer, self.language)
        if self._says_denied(answer):
            return True
        for claim in self._stated:
            reading = read_words(
                [Claim("", ClaimKind.SAYS, (claim.text,))], self.asked, answer, self.language
            )[0]
            if reading.state is State.VIOLATED:
                return True
        words = words_of(self.claims)
        for sentence in statements(answer, self.language):
            if not sentence.amounts and self._denies(sentence):
                return True
            old = self.replaced.intersection(each_of(sentence.amounts))
            near = len(words & sentence.words) >= _NEAR * min(len(words), len(sentence.words))
            if old and near and (sentence.words or len(old) == 1):
                return True
        return False

    def contradicting(self, entries: Iterable[Document]) -> Iterator[tuple[Document, str]]:
        """The sentences of entries on the matter that say what a person denies."""
        for entry in () if self.is_refusal else entries:
            title = frozenset(content_tokens(entry.title, self.language))
            for sentence in statements(entry.text, self.language):
                if self._is_contrary(sentence, title | sentence.words):
                    yield entry, sentence.text

    def denies(self, text: str) -> bool:
        """True if a sentence of a text says what a person denies of the matter."""
        return any(True for _ in self.contradicting([Document(text)]))

    def _is_contrary(self, sentence: Sentence, words: frozenset[str]) -> bool:
        """True if a sentence, read by itself, says what a person denies of the matter.

        `words`: its own and its title's. Most of them are of the matter, as are most of those that
        question and answer share, unless the bot was wrong by its very amount.
        """
        if not sentence.amounts:
            return self._denies(sentence)
        right = all_of(s.amounts for s in self._stated)
        says_right = any(
            s.amounts and amounts_there(s.amounts, sentence.amounts) for s in self._stated
        )
        is_old = not self.replaced.isdisjoint(each_of(sentence.amounts))
        is_left = self._is_left(sentence)
        if not is_old and (is_left or says_right or amounts_there(sentence.amounts, right)):
            return False
        asked, said, here = (
            frozenset(content_tokens(text, self.language))
            for text in (self.asked, self.affirmed, sentence.text)
        )
        core = (asked & said) - (here - sentence.words)  # its amounts are compared as such
        is_on = not core or len(words & core) > _NEAR * len(core)
        own = sentence.words
        is_quoted = any(
            len(own.intersection(content_tokens(text, self.language))) >= _SAME * len(own)
            for text in self.wrong
        )
        is_near = len(words & (asked | said)) >= _NEAR * len(words)
        if is_old and is_quoted:
            return is_on or not self.is_known
        return is_on and is_near and self.contradicts(sentence.text)

    def _is_left(self, sentence: Sentence) -> bool:
        """True if a person saw a sentence and put only what was beside it right.

        That is: each figure of its kinds that they wrote is in the place of another one.
        """
        seen = [s for text in self.wrong for s in statements(text, self.language)]
        had, old = all_of(s.amounts for s in seen), by_kind(self.replaced)
        new = by_kind(
            a for s in self._stated for a in each_of(s.amounts) if a[1] not in had.get(a[0], ())
        )
        kinds = sentence.amounts
        is_counted = all(len(new.get(k, ())) <= len(old.get(k, ())) for k in kinds)
        return bool(old) and is_counted and any(s.form == sentence.form for s in seen)

    def _says_denied(self, answer: str) -> bool:
        """True if an answer says an amount that a person takes back, of the matter."""
        own = words_of(self._stated) | frozenset(content_tokens(self.asked, self.language))
        return any(
            not self.denied.isdisjoint(each_of(s.amounts))
            and (not s.words or not own.isdisjoint(s.words))
            for s in statements(answer, self.language)
        )

    def settles(
        self, before: str, after: str, spared: Collection[str] = (), known: Sequence[str] = ()
    ) -> bool | None:
        """Whether an answer on the matter changed by nothing but what a person put right.

        It may say what is `known` beside, from entries that stay as they are.
        """
        language = self.language
        if self.contradicts(after):
            return False
        if self.is_right(after) and keeps(before, after, language, spared):
            return True
        lost = [
            s
            for s in _stating(before, language)
            if s.form not in spared and says(after, s.text, language) is not State.MET
        ]
        kept = all_of(s.amounts for s in _stating(after, language))
        other = by_kind(a for s in lost for a in each_of(s.amounts) if a not in self.replaced)
        if not amounts_there(other, kept):
            return False
        if not all(map(self._is_put_right, lost)):
            return None
        fresh = list(unsupported([after], [before, self.affirmed, *known], language))
        return None if fresh else True

    def _is_put_right(self, sentence: Sentence) -> bool:
        has_old = bool(self.replaced.intersection(each_of(sentence.amounts)))
        return has_old or self.contradicts(sentence.text)

    def _refuses_rightly(self, answer: str) -> bool | None:
        language = self.language
        if normal_form(self.affirmed) in normal_form(answer):
            return True
        if any(normal_form(answer) == normal_form(wrong) for wrong in self.wrong):
            return False
        if not (self.refuses(answer) or refuses_anything(answer, language)):
            sent = sends_to_a_person(answer, language)
            return None if sent else False
        if self.hands_over and not sends_to_a_person(answer, language):
            return False
        wanted = by_kind(a for s in read(self.affirmed, language) for a in each_of(s.amounts))
        present = all_of(s.amounts for s in read(answer, language))
        if not amounts_there(wanted, present):
            return None
        return True if self.refuses(answer) else None

    def _lacks(self, claim: Sentence, answer: str) -> bool:
        return says(answer, claim.text, self.language) is not State.MET and (
            self._says(claim, answer) is not True
        )

    def _says(self, claim: Sentence, answer: str) -> bool | None:
        """Whether an answer says one claim."""
        language = self.language
        reading = read_words(
            [Claim("", ClaimKind.SAYS, (claim.text,))], self.asked, answer, language
        )[0]
        if reading.state is State.MET:
            return True
        if reading.state in (State.VIOLATED, State.UNMET):
            return False
        figures = self.figures(claim) - _ALONE or self.figures(claim)
        shared = self._figures_of_all(self.wrong)  # what was said before as well decides nothing
        figures = figures - shared or figures
        parts = tuple(statements(answer, language))
        missing = figures - frozenset[str]().union(*map(self.figures, parts))
        if missing:
            amounts = all_of(part.amounts for part in parts)
            hard = (a for a in each_of(claim.amounts) if f"{a[0]}={a[1]}" in missing)
            return False if any(not may_stand(*a, amounts) for a in hard) else None
        if any(self._is_amount_of(claim, part, figures) for part in parts):
            return True
        windows = [*((part,) for part in parts), *pairwise(parts)]
        return True if any(self._is_said_in(claim, figures, window) for window in windows) else None

    def _is_amount_of(self, claim: Sentence, part: Sentence, figures: frozenset[str]) -> bool:
        """True if a sentence has a claim's decisive amounts, and words that they are said of.

        What was asked need not be said again.
        """
        amounts = {a for a in each_of(claim.amounts) if f"{a[0]}={a[1]}" in figures}
        if not amounts or len(amounts) < len(figures) or not amounts <= {*each_of(part.amounts)}:
            return False
        asked = frozenset(content_tokens(self.asked, self.language))
        own = [c for c in claim.clauses if any(a in amounts for a, _ in c.amounts)]
        words = frozenset[str]().union(*(c.keys for c in own)) - asked
        other = [c for c in part.clauses if any(a in amounts for a, _ in c.amounts)]
        signs = [{axis: s for c in some for axis, s in c.signs.items()} for some in (own, other)]
        is_denied = any(signs[1].get(axis, sign) != sign for axis, sign in signs[0].items())
        near, core = part.words | asked, claim.words & asked
        every = self.figures(claim)
        is_whole = len(every) > 1 and every <= self.figures(part)
        has_all = is_whole and len(core & part.words) >= _NEAR * len(core)
        return not is_denied and (has_all or len(words & near) >= _NEAR * len(words))

    def _is_said_in(
        self, claim: Sentence, figures: frozenset[str], window: Sequence[Sentence]
    ) -> bool:
        """True if sentences have enough of a claim's words beside its figures, alike denied."""
        if figures and figures.isdisjoint(frozenset[str]().union(*map(self.figures, window))):
            return False
        own = words_of(window)
        asked = frozenset(content_tokens(self.asked, self.language))
        parts = [words for words in (claim.words, claim.words - asked) if words]
        if not figures and len(parts) == 1 and not self._poles(claim):
            return False  # it says no more than the question does, or how much
        share = max((len(words & own) / len(words) for words in parts), default=1.0)
        enough = share >= (_NEAR if figures else _SAME)
        return enough and self._poles(claim) == self._poles(*window)

    def _figures_of_all(self, texts: Sequence[str]) -> frozenset[str]:
        """The figures that each of some texts has."""
        some = [
            frozenset[str]().union(*(self.figures(s) for s in read(text, self.language)))
            for text in texts
        ]
        return some[0].intersection(*some[1:]) if some else frozenset()

    def _poles(self, *some: Sentence) -> frozenset[tuple[str, bool]]:
        """What sentences affirm and deny, on the axes that words name."""
        axes = {*AXES, ""}
        return frozenset(
            (axis, sign)
            for s in some
            for clause in s.clauses
            for axis, sign in clause.signs.items()
            if axis in axes and not (axis == "" and sign)
        )

    def _opposes(self, first: Sentence, second: Sentence) -> bool:
        """True if one of two sentences denies on an axis what the other does not deny.

        What has a price is not free, but denies nothing that is not called free.
        """
        every = self._poles(first) ^ self._poles(second)
        return any(not sign and (axis != INCLUDED or (axis, True) in every) for axis, sign in every)


class _Segment(NamedTuple):
    """An amount with the words from the amount before it to its own place."""

    amount: Amount
    words: frozenset[str]


def _segments(clause: Clause) -> list[_Segment]:
    """The amounts of a clause, each with what it is said of: the words since one of its kind.

    With the last one also go the words that follow.
    """
    segments = []
    for kind in {amount[0] for amount, _ in clause.amounts}:
        placed = sorted((at, amount) for amount, at in clause.amounts if amount[0] == kind)
        start = -1
        for number, (at, amount) in enumerate(placed, 1):
            end = at if number < len(placed) else max((p for _, p in clause.words), default=at)
            words = frozenset(w for w, p in clause.words if start < p <= max(at, end))
            segments.append(_Segment(amount, words))
            start = at
    return segments


def saying(asked: str, right: str, loaded: LoadedClient) -> tuple[str, ...]:
    """The ids of a client's entries that say what a person wrote."""
    matter = Matter(asked, right, (), loaded.client.language)
    entries = loaded.knowledge.documents() if loaded.knowledge else ()
    return tuple(str(e.id) for e in entries if e.id and matter.is_said_by(e))


def _facts(sentence: Sentence) -> bool:
    """True if a sentence has an amount that is no number to call."""
    return any(kind != _TELEPHONE for kind in sentence.amounts)


def _only_sends(text: str, language: Language) -> bool:
    """True if all that a text does is to hand over, or to name who has the matter."""
    parts = list(statements(text, language))
    unable = phrases(f"text/{language}/guidelines").pattern("unable", re.IGNORECASE)
    if any(map(_facts, parts)):
        return False
    return only_hands_over(text, language) or (
        sends_to_a_person(text, language)
        and all(
            names_a_person(s.text, language)
            or _TELEPHONE in s.amounts
            or states_nothing(s.text, language)
            or unable.search(s.text)
            for s in parts
        )
    )


def whole_of(entry: Document, language: Language) -> str:
    """An entry with its title as its first sentence."""
    return f"{entry.title}{'。' if language == 'ja' else '.'}\n{entry.text}"


def keeps(
    before: str,
    after: str,
    language: Language,
    spared: Collection[str] = (),
    known: Sequence[str] = (),
) -> bool | None:
    """Whether an answer to another question still says what it said, and nothing else.

    False: a statement of it is gone or contradicted; None: words can't tell. `spared` are the
    normal forms of sentences that stand elsewhere now. It may say what is `known` beside.
    """
    if is_refusal(after, language) != is_refusal(before, language):
        return False
    olds = [s for s in _stating(before, language) if s.form not in spared]
    news = _stating(after, language)
    states = [says(after, s.text, language) for s in olds]
    if any(state in (State.VIOLATED, State.UNMET) for state in states):
        return False
    if exchanged(before, after, language):
        return False
    if not amounts_there(all_of(s.amounts for s in olds), all_of(s.amounts for s in news)):
        return False
    lost = [s for s, state in zip(olds, states, strict=True) if state is not State.MET]
    if any(not _same_facts(s, news) for s in lost):
        return None
    added = [s for s in news if says(before, s.text, language) is not State.MET]
    return None if list(unsupported([s.text for s in added], [before, *known], language)) else True


def exchanged(right: str, answer: str, language: Language) -> bool:
    """True if an answer says two amounts of a text, each of what the text says of the other.

    Amounts are said of the word before them or of the word after them. Where both readings of the
    text are possible, both have to be exchanged. What stands between them as it did is a range.
    """
    own, every = _placed(list(statements(right, language))), list(statements(answer, language))
    whole = _placed(every)
    amounts = [a for a in own if not isinstance(a, str) and own.count(a) == whole.count(a) == 1]
    for first, second in combinations(amounts, 2):
        if first[0] != second[0]:
            continue
        now = _placed([s for s in every if {first, second} & {*each_of(s.amounts)}])
        is_kept = now.index(first) < now.index(second)
        if _between(own, first, second) == _between(now, first, second):
            continue
        readings = [
            (now.index(a) < now.index(b)) == is_kept
            for a, b in ((_next_to(own, first, by), _next_to(own, second, by)) for by in (-1, 1))
            if a != b and now.count(a) == now.count(b) == 1
        ]
        if readings and not any(readings):
            return True
    return False


def _placed(some: Sequence[Sentence]) -> list[str | Amount]:
    """The content words and amounts of sentences in their order."""
    placed: list[str | Amount] = []
    for sentence in some:
        for clause in sentence.clauses:
            items: list[tuple[int, str | Amount]] = [(at, w) for w, at in clause.words]
            items += [(at, amount) for amount, at in clause.amounts]
            placed += [item for _, item in sorted(items, key=lambda each: each[0])]
    return placed


def _between(
    placed: Sequence[str | Amount], first: Amount, second: Amount
) -> Sequence[str | Amount]:
    return placed[placed.index(first) : placed.index(second) + 1]


def _next_to(placed: Sequence[str | Amount], amount: Amount, by: int) -> str:
    """The word beside an amount; empty where another amount stands there, or nothing."""
    at = placed.index(amount) + by
    beside = placed[at] if 0 <= at < len(placed) else ""
    return beside if isinstance(beside, str) else ""


def _same_facts(sentence: Sentence, among: Sequence[Sentence]) -> bool:
    """True if one sentence, in other words, has its amounts and names, and denies the same."""
    return any(
        amounts_there(sentence.amounts, other.amounts)
        and sentence.names & sentence.words <= other.words
        and len(sentence.words & other.words) >= _SAME * len(sentence.words)
        and _denials(sentence) == _denials(other)
        for other in among
    )


def _denials(sentence: Sentence) -> int:
    return sum(not sign for c in sentence.clauses for sign in c.signs.values())


def says_all(text: str, content: str, language: Language) -> bool:
    """True if an answer says each statement of an entry."""
    parts = _stating(content, language)
    return bool(parts) and all(says(text, s.text, language) is State.MET for s in parts)


def _stating(text: str, language: Language) -> list[Sentence]:
    return [
        s
        for s in statements(text, language)
        if (s.words or s.amounts) and not states_nothing(s.text, language)
    ]


def content_clause(text: str, language: Language) -> str:
    """What an utterance asks, without greetings and what else is said beside it."""
    parts = [s for s in sentences(text, language) if not is_courtesy(s, language)]
    asking = [s for s in parts if asks(s, language)] or parts
    longest = max(asking, key=lambda s: len(content_tokens(s, language)), default=text)
    if not stands_alone(longest, language):
        longest = without_courtesies(text, language)
    return heading(" ".join(longest.split()), language).strip("?？ 。.") or text.strip()


def without_courtesies(text: str, language: Language) -> str:
    """What a user says, without greetings and thanks, and without the mark at its end."""
    parts = (s for s in sentences(text, language) if not is_courtesy(s, language))
    return ("" if language == "ja" else " ").join(parts).strip("?？ 。.")


def unsupported(
    texts: Iterable[str], known: Sequence[str], language: Language, spare: float = _NEAR
) -> Iterator[str]:
    """The sentences, of texts that a change brings, that nothing known bears out.

    `spare`: the share of a sentence's content words that may be new.
    """
    whole = "\n".join(known)
    forms = {normal_form(s.text) for text in known for s in read(text, language)}
    amounts = all_of(s.amounts for s in read(whole, language))
    for text in texts:
        for s in read(text, language):
            if normal_form(s.text) in forms or normal_form(s.text) in normal_form(whole):
                continue
            fresh = [a for a in each_of(s.amounts) if a[1] not in amounts.get(a[0], ())]
            words = s.words - words_of(read(whole, language))
            if fresh or (len(s.words) >= _COUNTED and len(words) > spare * len(s.words)):
                yield s.text
