"""A proof: questions are derived and asked before and after a change, and answers compared.

Questions on the matter are the scenario's in the words of personas, so that none is one of the
run's, and what others would ask; what is asked beside it are the run's other questions, those that
a person wrote for it, the titles of entries and the topics of guidelines.

Accepted is what makes enough of the new questions on the matter right (sign-flip test), makes none
wrong, answers the question itself, and changes no other answer but by what a person put right.
Where words can't tell, a model reads, if there is one; else a person has to: these pairs are
handed out.
"""

import hashlib
import random
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from simulator.core.claim import Claim, ClaimKind, State, claims_of
from simulator.core.clean import normal_form
from simulator.core.persona import Language, Persona
from simulator.core.plan import seed_of
from simulator.core.result import Result
from simulator.core.run import Run
from simulator.core.scenario import Expected, Scenario
from simulator.core.talk import Document, Exchange
from simulator.files.client.folder import LoadedClient
from simulator.improve.candidates import Case
from simulator.improve.decision import DecidingRule, Decision, Played, Proof, Proven, decide
from simulator.improve.diffs import guideline_files
from simulator.improve.guidelines import Guidelines
from simulator.improve.matter import (
    content_clause,
    keeps,
    says_all,
    unsupported,
    without_courtesies,
)
from simulator.improve.model import Model, Statement
from simulator.improve.pairs import Pair, Right, pair_key
from simulator.improve.plays import Plays, changed_entries, must_pass
from simulator.reading.words import read_words
from simulator.text.acts import is_pleasantry
from simulator.text.clauses import read, statements
from simulator.text.quantities import each_of
from simulator.text.tokens import content_tokens, sentences
from simulator.users.agenda.matter import keywords, plain_need
from simulator.users.agenda.wording import Wording, slipped
from simulator.view.faults import Failure
from simulator.words import Words

_NEW = 10  # questions on the matter
_LEAST_BESIDE = 20  # calls for questions beside it
_SHARE = 0.3  # of what the whole grid would call, for all questions of one proof
_NAMED = 6  # of what an exception names
_NEAREST = 12  # entries on the topics of a guideline
_TOPICS = 6  # of changed guidelines
_KEPT = 2  # topics of a guideline that forbids less: what else is asked on them stays refused
_SEED = 7907
_HELPED = 2  # scenarios that a change of code makes right at least
_MOST = 2  # pairs that are shown as examples, beside the question itself
_ALL = 3
_ANYWHERE = 3  # scenarios with a sentence that says nothing of any
_REWORDED = 0.2  # of the content words of a sentence that a change brings may be new
_RESULTS = {True: Result.PASSED, False: Result.FAILED, None: Result.UNDECIDED}


@dataclass(frozen=True, slots=True)
class BeforeAfter:
    """The bot's answers to one question; `better` None: neither is known to be."""

    question: str
    before: str
    after: str
    better: bool | None


@dataclass(frozen=True, slots=True)
class Proved:
    """A proof with answers to look at, and those that a person has to decide.

    `missed`: questions on the matter, asked in another way, that are still answered wrongly.
    `contrary`: sentences that still say, after the change, what a person denied.
    """

    proof: Proof
    examples: tuple[BeforeAfter, ...]
    pairs: tuple[Pair, ...]
    missed: tuple[str, ...] = ()
    contrary: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Trial:
    """A changed client, and what is known of the change.

    `added` and `removed` are lines of guidelines; `is_code`: more is changed than texts.
    """

    name: str
    after: LoadedClient
    edited: frozenset[str]
    added: tuple[str, ...]
    removed: tuple[str, ...]
    is_code: bool = False

    @property
    def gone(self) -> frozenset[str]:
        """The ids of the entries that it takes away."""
        entries = self.after.knowledge.documents() if self.after.knowledge else ()
        return self.edited.difference(str(e.id) for e in entries)


@dataclass(frozen=True, slots=True)
class Beside:
    """A question that a change is not for; `content` is what an answer to it should say.

    `is_title`: it is made of an entry's words, and nobody asked it. `is_unseen`:
    a person wrote it for the proof.
    """

    name: str
    text: str
    expected: Expected = field(default_factory=Expected)
    content: str = ""
    must_pass: bool = False
    is_title: bool = False
    is_unseen: bool = False


@dataclass(slots=True)
class _Found:
    """What is gathered of the pairs of one proof; `readings`: a model's, by keys of pairs."""

    readings: Mapping[str, bool | None] = field(default_factory=dict)
    cells: list[Played] = field(default_factory=list)
    examples: list[BeforeAfter] = field(default_factory=list)
    pairs: list[Pair] = field(default_factory=list)


def _first_id(exchange: Exchange) -> str | None:
    return next((str(document.id) for document in exchange.documents), None)


def trial_of(name: str, before: LoadedClient, after: LoadedClient) -> Trial:
    """What a change is, by the entries and guidelines of both sides."""
    both = [_texts(before), _texts(after)]
    lines = [{line.strip() for text in side for line in text.splitlines()} for side in both]
    added = tuple(sorted(lines[1] - lines[0] - {""}))
    removed = tuple(sorted(lines[0] - lines[1] - {""}))
    return Trial(name, after, changed_entries(before, after), added, removed)


def _texts(side: LoadedClient) -> Iterator[str]:
    yield "\n".join(side.client.guidelines)
    for path in guideline_files(side.client):
        yield path.read_text("utf-8", errors="replace")


class Deriver:
    """Screens and proves changes of one client; what the bot answers as it is, is asked once."""

    def __init__(
        self,
        loaded: LoadedClient,
        more: Mapping[str, Scenario],
        plays: Plays,
        chosen: Mapping[str, Right] | None = None,
        model: Model | None = None,
    ) -> None:
        self._loaded = loaded
        self._chosen = chosen or {}  # by people, by the keys of pairs
        self._model = model
        self._scenarios = {**loaded.scenarios, **more}
        self._more = frozenset(more)
        self._plays = plays
        self._language = loaded.client.language
        self._words = Words(self._language, "search")
        self._words_asked = Words(self._language, "improve")("asked", words="")
        self._entries = tuple(loaded.knowledge.documents()) if loaded.knowledge else ()
        names = loaded.catalog.persona_ids(self._language)
        self._people = {
            name: loaded.personas.get(name) or loaded.catalog.persona(self._language, name)
            for name in (loaded.personas or names)
        }
        self._guidelines = Guidelines((), self._entries, self._language)
        self._persona = next(iter(self._people), "calm")
        run = plays.run
        self._fillers = _fillers(run, self._language)
        self._asked_first: dict[str, list[str]] = {}
        self._before: dict[str, Exchange] = {}
        turns = 0
        for episode in run.episodes():
            turns += len(episode.turns)
            if episode.turns:
                exchange = episode.turns[0].exchange
                self._before.setdefault(exchange.user, exchange)
                self._asked_first.setdefault(episode.cell.scenario, []).append(exchange.user)
        self._grid = 2 * turns
        self._had = tuple(self._before)

    # ---- Screening ----

    def answers(
        self, loaded: LoadedClient, questions: Iterable[str], what: str
    ) -> dict[str, Exchange]:
        """What a bot answers to questions, each in a talk of its own."""
        talks = {_name(text): [text] for text in questions}
        if not talks:
            return {}
        run = self._plays.play(loaded, talks, self._persona, what)
        exchanges = (e.turns[0].exchange for e in run.episodes() if e.turns)
        return {exchange.user: exchange for exchange in exchanges}

    def before(self, questions: Iterable[str]) -> dict[str, Exchange]:
        """What the bot answers as it is."""
        wanted = list(dict.fromkeys(questions))
        lacking = [text for text in wanted if text not in self._before]
        self._before |= self.answers(self._loaded, lacking, "derived-before")
        return {text: self._before[text] for text in wanted if text in self._before}

    def now(self, question: str) -> Exchange | None:
        """What the bot answers today: it may have changed since the run."""
        self._before |= self.answers(self._loaded, [question], "derived-now")
        return self._before.get(question)

    def asked(self, case: Case) -> list[str]:
        """The question of a fault, and how users asked it where it failed."""
        failed = [f.asked for f in case.fault.failures if f.turn == 1 and f.asked]
        texts = dict.fromkeys([case.matter.asked, *failed])
        return list(texts)[:_ALL]

    def at_once(self, failure: Failure) -> str:
        """What a user had said up to a failure, as one question."""
        episodes = (e for e in self._plays.run.episodes() if e.cell.key == failure.key)
        texts = [t.exchange.user for e in episodes for t in e.turns[: failure.turn]]
        return " ".join(texts)

    # ---- Proof ----

    def judged(self, case: Case, trial: Trial) -> Case:
        """The case by what says it after a change: an answer may say a part of such an entry."""
        entries = trial.after.knowledge.documents() if trial.after.knowledge else ()
        sources = tuple(e.text for e in entries if case.matter.is_said_by(e))
        return replace(case, matter=replace(case.matter, sources=sources))

    def is_right(self, case: Case, exchange: Exchange) -> bool | None:
        """Whether an answer is right, by a person's answer, else by what the scenario expects."""
        if case.expected is not None:
            return self._is_expected(case.expected, exchange)
        return case.matter.is_right(self._plain(exchange.assistant))

    def _is_expected(self, expected: Expected, exchange: Exchange) -> bool | None:
        """Whether an answer is as expected; where just entries are, if one of them comes first."""
        state = self._as_expected(expected, exchange.user, exchange.assistant)
        first = _first_id(exchange)
        if state is None and expected.documents and not claims_of(expected) and first:
            return first in expected.documents
        return state

    def _plain(self, answer: str) -> str:
        """An answer without what the bot says beside anything."""
        parts = sentences(answer, self._language)
        kept = [
            part
            for part in parts
            if normal_form(part) not in self._fillers and not is_pleasantry(part, self._language)
        ]
        return ("" if self._language == "ja" else " ").join(kept or parts)

    def prove(self, cases: Sequence[Case], trial: Trial, *, is_meant: bool = True) -> Proved:
        """Ask derived questions before and after a change.

        `is_meant`: it is for these faults; else what a person wrote for the proof counts as well.
        """
        lead = cases[0]
        own = {text: case for case in cases for text in self.asked(case)}
        new = {text: case for case in cases for text in self._questions_on(case)}
        beside = [
            b
            for b in self._beside(cases, trial)
            if b.text not in own | new or b.must_pass or b.is_unseen
        ]
        texts = [*own, *new, *(each.text for each in beside)]
        before = self.before(texts)
        after = self.answers(trial.after, texts, f"derived-{trial.name}")
        found = _Found(readings=self._read(own | new, trial, beside, before, after))
        for text, case in (own | new).items():
            if text in before and text in after:
                is_new = text in new and text not in own
                self._compare(case, text, before[text], after[text], found, is_new=is_new)
        for each in (b for b in beside if b.text in before and b.text in after):
            self._compare_beside(lead, trial, each, before[each.text], after[each.text], found)
        is_open = [self._is_open(pair, found) for pair in self._said_besides(cases, trial)]
        meant = cases if is_meant else ()
        asked = {text: exchange for text, exchange in after.items() if text in new}
        missed = [text for case in meant for text in self._still_wrong(case, asked)]
        missed += [
            b.text
            for b in beside
            if b.text in after and self._keeps_from(lead, trial, b, after[b.text])
        ]
        contrary = [text for case in meant for text in self._contrary(case, trial)]
        itself = {case.matter.asked for case in cases}
        others = set() if is_meant else {each.text for each in beside if each.is_unseen}
        decision = decide(found.cells, itself, others, has_more=any(is_open))
        if (missed or contrary) and decision.proven is Proven.ACCEPTED:
            decision = replace(decision, proven=Proven.REJECTED, why=DecidingRule.NO_GAIN)
        if trial.is_code and decision.proven is Proven.ACCEPTED:
            decision = self._of_code(decision, self._helped(cases, beside, found, before, after))
        found.examples.sort(key=lambda e: (e.question not in itself | others, e.better is not True))
        # What this change answers comes before what an earlier one mended.
        shown = sorted(
            found.examples, key=lambda e: _first_id(after[e.question]) not in trial.edited
        )
        proof = Proof(trial.name, decision, tuple(found.cells))
        self._plays.paid.whole += self._grid
        return Proved(
            proof, tuple(shown[: _MOST + 1]), tuple(found.pairs), tuple(missed), tuple(contrary)
        )

    def _said_besides(self, cases: Sequence[Case], trial: Trial) -> Iterator[Pair]:
        """What a change says, or takes back, besides what it is for: a person has to read it."""
        # What a guideline kept from being answered besides is no question that anybody asked.
        gone = "" if trial.added else " ".join(trial.removed)
        more = " ".join(self._unsupported(cases[0], trial))
        yield Pair("", gone, "", self._words("pair.withdrawn"))
        yield Pair("", "", more, self._words("pair.unsupported"))
        for old, new in self._lost(cases, trial):
            yield Pair("", old, new, self._words("pair.lost"))
        rules = {case.guilty[1].strip() for case in cases if case.guilty and trial.is_code}
        for rule in rules.intersection("\n".join(_texts(trial.after)).split("\n")):
            yield Pair("", rule, "", self._words("pair.forbidden"))
        for case in (c for c in cases if c.denies):
            yield Pair("", case.denies, case.matter.right, self._words("pair.expected"))

    def _lost(self, cases: Sequence[Case], trial: Trial) -> Iterator[tuple[str, str]]:
        """Entries that lose amounts of a kind, more than a person put right."""
        affirmed = self._amounts("\n".join(case.matter.affirmed for case in cases))
        now = trial.after.knowledge.documents() if trial.after.knowledge else ()
        texts = {str(e.id): e.text for e in now if str(e.id) in trial.edited}
        for entry in (e for e in self._entries if str(e.id) in texts):
            old, new = self._amounts(entry.text), self._amounts(texts[str(entry.id)])
            gone, fresh = old - new, affirmed - old
            if Counter(kind for kind, _ in gone) - Counter(kind for kind, _ in fresh):
                yield entry.text, texts[str(entry.id)]

    def _amounts(self, text: str) -> set[tuple[str, float | str]]:
        return {amount for s in read(text, self._language) for amount in each_of(s.amounts)}

    def _of_code(self, decision: Decision, helped: Iterable[str]) -> Decision:
        """Undecided where it helped one scenario: code that looks for its words would do it."""
        if len(set(helped)) >= _HELPED:
            return decision
        return replace(decision, proven=Proven.UNDECIDED, why=DecidingRule.ONE_SCENARIO)

    def _helped(
        self,
        cases: Sequence[Case],
        beside: Sequence[Beside],
        found: "_Found",
        before: Mapping[str, Exchange],
        after: Mapping[str, Exchange],
    ) -> Iterator[str]:
        """The scenarios whose question is answered right after a change and was not before."""
        cells = (cell for cell in found.cells if cell.is_about and cell.is_missed)
        right = {cell.scenario for cell in cells if cell.results[1] is Result.PASSED}
        for case in cases:
            yield from (f.scenario for f in case.fault.failures if f.asked in right)
            if case.matter.asked in right:
                yield case.fault.scenarios[0]
        for each in beside:
            if each.name in self._scenarios and each.text in before and each.text in after:
                both = (before[each.text], after[each.text])
                was, now = (self._is_expected(each.expected, exchange) for exchange in both)
                if now and not was:
                    yield each.name

    def _read(
        self,
        on: Mapping[str, Case],
        trial: Trial,
        beside: Sequence[Beside],
        befores: Mapping[str, Exchange],
        afters: Mapping[str, Exchange],
    ) -> Mapping[str, bool | None]:
        """What a model reads where words abstain and nobody has chosen, by keys of pairs."""
        if self._model is None:
            return {}
        lead = next(iter(on.values()))
        texts = [*on, *(each.text for each in beside)]
        unread = {
            text: (befores[text], afters[text])
            for text in texts
            if text in befores and text in afters and self._is_open_yet(befores[text], afters[text])
        }
        wanted: dict[str, list[Statement]] = {}
        for text, case in ((t, case) for t, case in on.items() if t in unread):
            for answer in (e.assistant for e in unread[text] if self.is_right(case, e) is None):
                made = self._model.statements(case.matter, text, answer)
                wanted[pair_key(text, answer, "")] = made
        for each in (b for b in beside if b.text in unread):
            before, after = unread[each.text]
            if self._still_right(lead, trial, each, before, after) is None:
                key = pair_key(each.text, before.assistant, after.assistant)
                wanted[key] = list(self._lacking(lead, trial, before, after))
        return self._model.readings(wanted)

    def _is_open_yet(self, before: Exchange, after: Exchange) -> bool:
        """True if the answers differ and nobody has chosen between them."""
        first, second = before.assistant, after.assistant
        is_same = normal_form(first) == normal_form(second)
        return not is_same and pair_key(after.user, first, second) not in self._chosen

    def _lacking(
        self, case: Case, trial: Trial, before: Exchange, after: Exchange
    ) -> Iterator[Statement]:
        """What words don't find after a change, and what they don't find before it."""
        matter, language = case.matter, self._language
        question, first, second = before.user, before.assistant, after.assistant
        if matter.refuses(first) or matter.refuses(second):
            return
        for s in statements(first, language):
            if not says_all(second, s.text, language) and not matter.contradicts(s.text):
                yield Statement(question, second, Claim("", ClaimKind.SAYS, (s.text,)))
        known = [e.text for e in self._entries if str(e.id) not in trial.edited]
        earlier = f"{first}\n{matter.affirmed}"
        for text in unsupported([second], [earlier, *known], language):
            yield Statement(question, earlier, Claim("", ClaimKind.SAYS, (text,)))

    def _compare(
        self,
        case: Case,
        text: str,
        before: Exchange,
        after: Exchange,
        found: "_Found",
        *,
        is_new: bool,
    ) -> None:
        """The answers to a question on the matter."""
        first, second = before.assistant, after.assistant
        is_same = normal_form(first) == normal_form(second)
        states = [self.is_right(case, exchange) for exchange in (before, after)]
        right = self._chosen.get(pair_key(text, first, second))
        if states[1] is None and right is not None:
            states = _as_chosen(right, was_right=states[0] is True)
        else:
            keys = [pair_key(text, answer, "") for answer in (first, second)]
            read = [found.readings.get(key) for key in keys]
            states = [by if s is None else s for s, by in zip(states, read, strict=True)]
        results = (_RESULTS[states[0]], _RESULTS[states[1]])
        cell = Played(text, results, is_unseen=is_new, is_chosen=not is_same)
        found.cells.append(cell)
        if is_same:
            return
        better = None if None in states else states[1]
        found.examples.append(BeforeAfter(text, first, second, better))
        if states[1] is None:
            found.pairs.append(Pair(text, first, second, self._words("pair.matter")))

    def _compare_beside(
        self,
        case: Case,
        trial: Trial,
        each: Beside,
        before: Exchange,
        after: Exchange,
        found: "_Found",
    ) -> None:
        """The answers to another question; those that stay are equal and say nothing."""
        first, second = before.assistant, after.assistant
        is_same = normal_form(first) == normal_form(second)
        if each.is_unseen:
            self._compare_unseen(each, before, after, found, is_same=is_same)
        if is_same:
            return
        state = self._still_right(case, trial, each, before, after)
        right = self._chosen.get(pair_key(each.text, first, second))
        if state is None and right is not None:
            state = right is not Right.BEFORE
        elif state is None:  # what the model misses is for a person
            state = found.readings.get(pair_key(each.text, first, second)) or None
        was_right = self._as_expected(each.expected, each.text, self._plain(first)) is True
        was_wrong = (
            case.expected is None and not was_right and case.matter.denies(self._plain(first))
        )
        found.cells.append(
            Played(
                each.text,
                (Result.FAILED if was_wrong else Result.PASSED, _RESULTS[state]),
                is_chosen=False,
                is_about=False,
                must_pass=each.must_pass,
            )
        )
        if state is None:
            found.pairs.append(Pair(each.text, first, second, self._words("pair.beside")))

    def _compare_unseen(
        self, each: Beside, before: Exchange, after: Exchange, found: "_Found", *, is_same: bool
    ) -> None:
        """A question that a person wrote for the proof, by what its scenario expects."""
        states = [self._is_expected(each.expected, exchange) for exchange in (before, after)]
        results = (_RESULTS[states[0]], _RESULTS[states[1]])
        if states[0] is True:
            return
        found.cells.append(Played(each.text, results, is_unseen=True, is_chosen=not is_same))
        if not is_same and all(each.text != example.question for example in found.examples):
            example = BeforeAfter(each.text, before.assistant, after.assistant, states[1])
            found.examples.append(example)

    def _is_open(self, pair: Pair, found: "_Found") -> bool:
        """True if nobody knows whether what a change says, or takes back, besides is right."""
        if not (pair.before or pair.after):
            return False
        right = self._chosen.get(pair.key)
        if right is None:
            found.pairs.append(pair)
        elif right is not Right.AFTER:
            results = (Result.PASSED, Result.FAILED)
            text = pair.after or pair.before
            found.cells.append(Played(text, results, is_chosen=False, is_about=False))
        return right is None

    def _unsupported(self, case: Case, trial: Trial) -> Iterator[str]:
        """What changed entries say that neither a person affirmed nor any entry said."""
        olds = {str(e.id): f"{e.title}。{e.text}" for e in self._entries}
        expected = [self._scenarios[name].expected for name in sorted(self._more)]
        sources = [*olds.values(), *("\n".join(_affirmed(each)) for each in expected)]
        entries = trial.after.knowledge.documents() if trial.after.knowledge else ()
        for entry in (e for e in entries if str(e.id) in trial.edited):
            asked = [self._words_asked, *case.fault.words, *(f.asked for f in case.fault.failures)]
            own = [olds.get(str(entry.id), ""), case.matter.asked, case.matter.affirmed, *asked]
            # A fact comes from one text, but each of its words has to stand in some.
            for text in unsupported([entry.text], own, self._language, 0.0):
                is_invented = bool(list(unsupported([text], [*own, *sources], self._language, 0.0)))
                if is_invented or all(
                    list(unsupported([text], [*own, source], self._language, _REWORDED))
                    for source in sources
                ):
                    yield text

    # ---- Questions ----

    def _questions_on(self, case: Case) -> list[str]:
        """The question in the words of other styles, none of them one of the run's.

        With a greeting or thanks it is the same question.
        """
        clause = content_clause(case.matter.asked, self._language)
        seed = seed_of(_SEED, self._plays.run.header.client, case.matter.asked)
        people = list(self._people.values())
        drafted = self._model.questions(case.matter, people) if self._model else ()
        language = self._language
        known = {normal_form(without_courtesies(t, language)) for t in self._had}
        found: dict[str, str] = {}
        for text in drafted:
            found.setdefault(normal_form(without_courtesies(text, language)), text)
        found = {form: text for form, text in found.items() if form not in known}
        most = _NEW + len(found)
        for text in (*self._bare(case), *self._worded(clause, case.matter.asked, seed)):
            form = normal_form(without_courtesies(text, language))
            if form not in known and form not in found:
                found[form] = text
            if len(found) == most:
                break
        return list(found.values())

    def _bare(self, case: Case) -> list[str]:
        """The question as others would put it, in words of it and of the answer alone."""
        matter, language = case.matter, self._language
        clause = without_courtesies(matter.asked, language)
        came = [e for e in self._entries if case.came[:1] == (str(e.id),) and matter.is_titled(e)]
        is_told = not matter.is_refusal and (matter.is_known or not matter.was_refused)
        own = set(content_tokens(clause, language))
        if case.guilty is not None:  # what a guideline forbids is not what its exception is for
            own.difference_update(content_tokens(case.guilty[1], language))
        claims = [  # "2 pounds" alone is no topic: it names nothing that was asked about
            topic
            for topic in (keywords(c.text, language) for c in matter.claims)
            if is_told and not own.isdisjoint(content_tokens(topic, language))
        ]
        topics = [
            keywords(clause, language) or clause,
            *(e.title.strip("?？") for e in came),
            *claims[:_MOST],
        ]
        if matter.is_refusal:  # what a person refuses is not all that the question names
            right = set(content_tokens(matter.affirmed, language))
            topics = [t for t in topics if right.intersection(content_tokens(t, language))]
        is_order = matter.is_refusal and language == "en"  # in Japanese a rule is a formal topic
        rules = self._guidelines.rules(matter)[:1] if is_order else []
        return [
            *(self._words("ask.rule", rule=rule) for rule in rules),
            *(self._words("ask.about", asked=topic) for topic in filter(None, topics)),
            clause,
            *self._words("ask.frames", asked=clause).split("|"),
        ]

    def _still_wrong(self, case: Case, after: Mapping[str, Exchange]) -> Iterator[str]:
        """The questions, as others would put them, that are still answered wrongly."""
        asked = (text for text in self._bare(case) if text in after)
        yield from (text for text in asked if self._is_still_wrong(case, after[text]))

    def _is_still_wrong(self, case: Case, after: Exchange) -> bool:
        """True if an answer says what was wrong, or still nothing but a wrong answer's words.

        Also if it answers what has to be refused.
        """
        matter, answer = case.matter, self._plain(after.assistant)
        if case.expected is not None or self.is_right(case, after) is not False:
            return False
        if matter.is_refusal:
            return not matter.refuses(after.assistant)
        own = set(content_tokens(answer, self._language))
        # Where the bot said something wrong, the rest of what it said may be right.
        wrong = () if matter.replaced else matter.wrong
        is_same = any(own <= set(content_tokens(text, self._language)) for text in wrong)
        return is_same or matter.denies(answer)

    def also_refused(self, case: Case, line: str, without: LoadedClient) -> dict[str, Document]:
        """The questions of the run and on a guideline's topics that only this keeps from an answer.

        Each with the entry that answers it.
        """
        entries = {str(e.id): e for e in self._entries if not case.matter.is_said_by(e)}
        others: dict[str, Document] = {}
        for topic in self._guidelines.topics([line])[:_KEPT]:
            own = content_tokens(topic, self._language)
            for entry in entries.values():
                if not set(own).isdisjoint(self._tokens(f"{entry.title}\n{entry.text}")):
                    is_named = not set(own).isdisjoint(self._tokens(entry.title))
                    key = "ask.about" if is_named else "ask.of"
                    text = self._words(
                        key, asked=entry.title if is_named else topic, term=entry.title
                    )
                    others[text] = entry
        others = dict(islice(others.items(), _NEAREST))
        for name, texts in self._asked_first.items():
            expected = s.expected if (s := self._scenarios.get(name)) else Expected()
            known = [entries[d] for d in expected.documents if d in entries]
            if known and not self._is_refusal_due(case, expected):
                others[texts[0]] = known[0]
        refused = [t for t, e in self.before(others).items() if case.matter.refuses(e.assistant)]
        answers = self.answers(without, refused, "without")
        return {t: others[t] for t, e in answers.items() if not case.matter.refuses(e.assistant)}

    def _tokens(self, text: str) -> list[str]:
        return content_tokens(text, self._language)

    def _keeps_from(self, case: Case, trial: Trial, each: Beside, after: Exchange) -> bool:
        """True if a guideline that refuses too much still keeps a question from its answer."""
        is_due = bool(trial.removed) and each.text in case.refused
        return is_due and case.matter.refuses(after.assistant)

    def _contrary(self, case: Case, trial: Trial) -> Iterator[str]:
        """What the client's files still say after a change that a person denied."""
        if case.expected is None:
            titles = {str(e.id): e.title for e in self._entries}  # one that changes says nothing
            entries = [
                replace(e, title=titles.get(str(e.id), e.title))
                for e in (trial.after.knowledge.documents() if trial.after.knowledge else ())
            ]
            lines = [Document(line) for text in _texts(trial.after) for line in text.splitlines()]
            yield from (text for _, text in case.matter.contradicting([*entries, *lines]))

    def _worded(self, clause: str, query: str, seed: int) -> Iterator[str]:
        rng = random.Random(seed)
        language = self._language
        people: list[Persona] = list(self._people.values())
        rng.shuffle(people)
        words = keywords(clause, language)
        need = plain_need(query, language)
        for number in range(3 * _NEW):
            person = people[number % len(people)]
            wording = Wording(person, rng)
            act = "ask" if number % 2 and need else "styled_query"
            lines = [
                line.text for line in wording.lines(act, need=need, keywords=words, query=query)
            ]
            fit = [
                line
                for line in lines
                if query in line or clause in line or (need and need[:4] in line)
            ]
            for line in (fit or lines)[:1]:
                yield slipped(line, person.style.slips, language, rng)

    def _beside(self, cases: Sequence[Case], trial: Trial) -> list[Beside]:
        """What is asked besides, that which the change touches first, as much as is affordable."""
        gate = self._loaded.client.gate
        entries = {str(e.id): e for e in self._entries}
        case = cases[0]
        own = {name for each in cases for name in each.fault.scenarios}
        queries = {normal_form(each.matter.asked) for each in cases}
        scenarios: list[Beside] = []
        for name, scenario in self._scenarios.items():
            if name in own or normal_form(scenario.query) in queries:
                continue
            text = next(iter(self._asked_first.get(name, ())), scenario.query)
            expected = scenario.expected
            known = [entries[d].text for d in expected.documents if d in entries]
            scenarios.append(
                Beside(
                    name,
                    text,
                    expected,
                    " ".join(known),
                    must_pass(scenario, gate),
                    is_unseen=name in self._more,
                )
            )
        titles = [
            Beside(
                str(e.id), self._words("ask.about", asked=e.title), content=e.text, is_title=True
            )
            for e in self._entries
            if e.title and normal_form(e.title) not in queries
        ]
        contents = [
            Beside(str(e.id), self._words("ask.about", asked=words), content=e.text, is_title=True)
            for e in self._entries
            for sentence in reversed(sentences(e.text, self._language)[:2])
            if (words := keywords(sentence, self._language))
        ]
        topics = [
            Beside(word, self._words("ask.about", asked=word)) for word in self._topics(case, trial)
        ]
        topics += [
            Beside(word, self._words(key, asked=word))
            for word in self._guidelines.kept_topics(trial.removed, trial.added)[:_KEPT]
            for key in ("still.complain", "still.opinion")
        ]
        topics += self._kept_refused(case, trial)
        first = [t for t in (*titles, *contents) if t.name in trial.edited]
        first += [
            Beside(str(e.id), text, content=e.text, is_title=True)
            for text, e in case.refused.items()
            if trial.removed
        ]
        near = self._by_nearness(
            case, trial, [t for t in (*titles, *contents) if t.name not in trial.edited]
        )
        must = [s for s in scenarios if s.must_pass or s.is_unseen]
        others = [s for s in scenarios if not (s.must_pass or s.is_unseen)]
        left = max(_LEAST_BESIDE, int(_SHARE * self._grid) - 2 * _NEW)
        chosen = {each.text: each for each in (*first, *topics, *must)}
        left -= sum(map(self._calls, chosen.values()))
        for each in (*others, *near):
            cost = self._calls(each)
            if each.text not in chosen and cost <= left:
                chosen[each.text] = each
                left -= cost
        return list(chosen.values())

    def _kept_refused(self, case: Case, trial: Trial) -> Iterator[Beside]:
        """What a guideline forbids beside the matter, with what an exception names beside it."""
        language, matter = self._language, case.matter
        known = set(content_tokens(matter.asked, language))
        known.update(t for e in case.refused.values() for t in content_tokens(e.title, language))
        kept, anew = (
            [term for term in terms if known.isdisjoint(content_tokens(term, language))]
            for terms in (
                self._guidelines.kept_topics(trial.removed, trial.added),
                self._guidelines.named_anew(trial.removed, trial.added),
            )
        )
        for topic in kept[:_KEPT]:
            for term in anew[:_NAMED]:
                text = self._words("ask.of", asked=topic, term=term)
                yield Beside(topic, text, Expected(answerable=False))

    def _calls(self, each: Beside) -> int:
        """What asking it takes: after the change, and before it where that is not known."""
        return 1 if each.text in self._before else 2

    def _by_nearness(self, case: Case, trial: Trial, titles: Sequence[Beside]) -> list[Beside]:
        changed = [*trial.added, case.matter.asked, case.matter.affirmed]
        words = {w for text in changed for w in content_tokens(text, self._language)}
        return sorted(
            titles,
            key=lambda t: (
                -len(words & set(content_tokens(f"{t.text} {t.content}", self._language)))
            ),
        )

    def _topics(self, case: Case, trial: Trial) -> list[str]:
        """What changed guidelines speak of, but for the matter itself; of code, what all do."""
        own = set(content_tokens(f"{case.matter.asked}\n{case.matter.affirmed}", self._language))
        all_of_them = "\n".join(_texts(self._loaded)).splitlines() if trial.is_code else []
        topics = self._guidelines.topics([*trial.removed, *trial.added, *all_of_them])
        return [t for t in topics if own.isdisjoint(content_tokens(t, self._language))][:_TOPICS]

    # ---- Answers ----

    def _still_right(
        self, case: Case, trial: Trial, each: Beside, before: Exchange, after: Exchange
    ) -> bool | None:
        """Whether a changed answer to another question is as right as it was, or better."""
        first, second = self._plain(before.assistant), self._plain(after.assistant)
        sides = [self._as_expected(each.expected, each.text, text) for text in (first, second)]
        if sides[1] is not None and (sides[1] or sides[0]):
            return sides[1]
        refused = [case.matter.refuses(text) for text in (first, second)]
        if refused[0] is not refused[1]:
            return self._is_refused_rightly(case, trial, each, second)
        if self._is_borne_out(case, trial, each, before, after):
            return True
        return self._says_as_before(case, trial, before, after)

    def _is_refused_rightly(
        self, case: Case, trial: Trial, each: Beside, answer: str
    ) -> bool | None:
        """Whether it is right that a question is refused now, or answered now.

        An entry from which the wrong answer came may say more than what is to be refused.
        """
        matter, language = case.matter, self._language
        if matter.refuses(answer):
            may_be = matter.is_refusal and each.is_title and each.name in case.came
            return may_be and (self._is_of_the_refused(case, each) or None)
        if self._is_refusal_due(case, each.expected):
            return False
        if each.expected.documents and each.content:
            return not list(unsupported([answer], [each.content], language)) or None
        if trial.removed:
            return self._may_be_answered(case, answer)
        if not each.content:
            return False if not each.expected.documents else None
        return says_all(answer, each.content, language) or False

    def _is_refusal_due(self, case: Case, expected: Expected) -> bool:
        """Whether a question has to be refused: the scenario says so, or what it expects does."""
        return expected.refusal_due or any(map(case.matter.refuses, expected.answers))

    def _is_of_the_refused(self, case: Case, each: Beside) -> bool:
        """True if a question asks what was asked, or of the sentence that is nearest to that."""
        language = self._language
        asked = set(content_tokens(case.matter.asked, language))
        parts = sentences(each.content, language)
        shares = {part: len(asked.intersection(content_tokens(part, language))) for part in parts}
        nearest = keywords(max(parts, key=lambda part: shares[part], default=""), language)
        is_nearest = each.text == self._words("ask.about", asked=nearest)
        return is_nearest or self._asks_the_same(case, each)

    def _is_borne_out(
        self, case: Case, trial: Trial, each: Beside, before: Exchange, after: Exchange
    ) -> bool:
        """True if an answer says what it should, and all of it is known."""
        language, matter = self._language, case.matter
        first, second = self._plain(before.assistant), self._plain(after.assistant)

        def is_known(*known: str) -> bool:
            return not list(unsupported([second], known, language))

        if each.is_title and each.name in trial.gone:
            return matter.is_right(second) is True
        if each.is_title and self._only_grew(each.name, trial):
            return is_known(each.content, matter.affirmed)
        if each.content and says_all(second, each.content, language):
            return is_known(each.content, first)
        is_answered = self._asks_the_same(case, each) and matter.is_right(second) is True
        return is_answered and is_known(matter.affirmed, first, *(e.text for e in self._entries))

    def _only_grew(self, name: str, trial: Trial) -> bool:
        """True if a changed entry still says all that it said."""
        texts = [
            next((e.text for e in side.documents() if str(e.id) == name), "")
            for side in (self._loaded.knowledge, trial.after.knowledge)
            if side is not None
        ]
        return len(texts) > 1 and name in trial.edited and texts[0] in texts[1]

    def _may_be_answered(self, case: Case, answer: str) -> bool:
        """Whether a question that a guideline kept from being answered is of the kin of the matter.

        Only entries that it alone kept away are, and those that share a word of their title with
        the one that says what is right.
        """
        language = self._language
        right = [e for e in self._entries if case.matter.is_said_by(e)]
        titles = {word for e in right for word in content_tokens(e.title, language)}
        texts = [
            e.text
            for e in self._entries
            if e in case.refused.values()
            or not titles.isdisjoint(content_tokens(e.title, language))
        ]
        return any(not list(unsupported([answer], [t], language)) for t in texts)

    def _says_as_before(
        self, case: Case, trial: Trial, before: Exchange, after: Exchange
    ) -> bool | None:
        """Whether an answer still says what it said, but for what a person put right."""
        language, matter = self._language, case.matter
        first, second = before.assistant, after.assistant
        same = [e.text for e in self._entries if str(e.id) not in trial.edited]
        spared = self._moved(trial)
        if self._is_on_matter(case, trial, before):
            known = same if matter.is_right(second) else []
            return matter.settles(first, second, spared, known)
        return keeps(first, second, language, spared, same)

    def _asks_the_same(self, case: Case, each: Beside) -> bool:
        """True if a question has no content word that the question of the fault lacks.

        One that nobody asked may have words of the person's answer as well.
        """
        frame = self._words("ask.about", asked="")
        own = set(content_tokens(each.text, self._language))
        own -= set(content_tokens(frame, self._language))
        known = (
            f"{case.matter.asked}\n{case.matter.affirmed}" if each.is_title else case.matter.asked
        )
        return bool(own) and own <= set(content_tokens(known, self._language))

    def _is_on_matter(self, case: Case, trial: Trial, before: Exchange) -> bool:
        """True if an answer says what a person denies, not an equal figure of another thing."""
        first = _first_id(before)
        entry = next((e for e in self._entries if str(e.id) == first), None)
        if entry is None:
            return case.matter.contradicts(before.assistant)
        is_denied = any(True for _ in case.matter.contradicting([entry]))
        return is_denied or (first in trial.edited and case.matter.is_titled(entry))

    def _as_expected(self, expected: Expected, question: str, answer: str) -> bool | None:
        """Whether an answer is what a scenario expects; None: it says nothing, or words can't."""
        claims = claims_of(expected)
        if not (expected.elements or expected.answers or expected.refusal_due or expected.must_not):
            return None
        states = [r.state for r in read_words(claims, question, answer, self._language)]
        if any(state in (State.VIOLATED, State.UNMET) for state in states):
            return False
        return True if states and all(state is State.MET for state in states) else None

    def _moved(self, trial: Trial) -> Collection[str]:
        """Sentences that left one entry and stand in another one now."""
        after = {
            str(e.id): e.text
            for e in (trial.after.knowledge.documents() if trial.after.knowledge else ())
        }
        whole = normal_form("\n".join(after.values()))
        return {
            s.form
            for e in self._entries
            if str(e.id) in trial.edited
            for s in statements(e.text, self._language)
            if s.form not in normal_form(after.get(str(e.id), "")) and s.form in whole
        }


def _fillers(run: Run, language: Language) -> frozenset[str]:
    """Sentences of answers to several scenarios: what the bot says whatever is asked."""
    scenarios: dict[str, set[str]] = {}
    for episode in run.episodes():
        for turn in episode.turns:
            for sentence in sentences(turn.exchange.assistant, language):
                scenarios.setdefault(normal_form(sentence), set()).add(episode.cell.scenario)
    return frozenset(form for form, names in scenarios.items() if len(names) >= _ANYWHERE)


def _affirmed(expected: Expected) -> Iterator[str]:
    """What a person wrote that an answer should say."""
    yield from expected.answers
    yield from map(" ".join, expected.elements)


def _as_chosen(right: Right, *, was_right: bool) -> list[bool | None]:
    """Whether the answers before and after are right, as a person chose."""
    if right is Right.EQUAL:
        return [was_right, was_right]
    return [right is Right.BEFORE, right is Right.AFTER]


def _name(text: str) -> str:
    return f"q-{hashlib.sha256(text.encode()).hexdigest()[:12]}"
