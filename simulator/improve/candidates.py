"""Candidates that may mend a fault, in order of likelihood: entries first, then guidelines.

What was tried says what comes next: an entry that is not found gets the users' words.
"""

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain, islice, zip_longest
from pathlib import Path

from simulator.core.claim import State
from simulator.core.clean import cut, folded, normal_form
from simulator.core.scenario import Expected
from simulator.core.talk import Document
from simulator.files.catalog import CLIENT_FILE
from simulator.files.client.folder import LoadedClient
from simulator.files.knowledge_edit import KnowledgeText
from simulator.formats.sources import Source
from simulator.improve.diffs import Diff, guideline_files
from simulator.improve.guidelines import GuidelineChange, Guidelines, Rules
from simulator.improve.matter import Matter, content_clause, whole_of
from simulator.improve.proposals import Proposal, Texts, Written
from simulator.reading.words import says
from simulator.review.corrected_answers import denied_expectation
from simulator.text.acts import stands_alone
from simulator.text.bm25 import Bm25
from simulator.text.clauses import read
from simulator.text.phrases import phrases
from simulator.text.quantities import all_of, amounts_there, by_kind, each_of
from simulator.text.tokens import content_tokens, sentences
from simulator.users.agenda.matter import keywords
from simulator.view.faults import FaultList, Remedy
from simulator.words import Words

_ASKED = 3  # of users' utterances that are put into an entry
_LENGTH = 120  # characters of each
_LEAST = 2  # content words of an utterance that says what it is about
_CORRECTED = 6  # sentences that are put right
_SINGLES = 4  # ways to replace one figure
_LONGEST = 60  # characters of a title
_PARTS = re.compile(r"[,、;；]\s*")
_FIGURE = re.compile(
    r"\d+(?:[.,:/]\d+)*|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|fourteen|fifteen|twenty|thirty|forty|fifty|sixty|ninety)\b",
    re.IGNORECASE,
)
_UNIT = re.compile(r"\s?(?:[A-Za-z%]+|[^\W\d_]{1,2})")


@dataclass(frozen=True, slots=True)
class Case:
    """One fault with what is known of it: the matter, and the ids of the entries that came.

    `guilty`: the guideline without which the bot does not refuse. `expected`: what the scenario
    expects, where no person wrote what is right. `is_right_alone`: the question is answered right
    in its own words, in a talk of its own. `refused`: other questions that the bot refuses for the
    same guideline, each with the entry that answers it. `denies`: what a person expects in the
    scenario that the person's answer contradicts.
    """

    fault: FaultList
    matter: Matter
    came: tuple[str, ...]
    by: str
    guilty: tuple[Rules, str] | None = None
    expected: Expected | None = None
    is_right_alone: bool = False
    refused: Mapping[str, Document] = field(default_factory=dict)
    denies: str = ""


class Candidates:
    """Makes the candidates for one client; its files are only read."""

    def __init__(self, loaded: LoadedClient, written: Mapping[str, Written]) -> None:
        self._folder = Path(loaded.client.folder)
        self._language = loaded.client.language
        self._client = loaded.client
        self._written = written
        self._scenarios = loaded.scenarios
        self._search = Words(self._language, "search")
        self._words = Words(self._language, "improve", "search")
        self._entries = tuple(loaded.knowledge.documents()) if loaded.knowledge else ()
        self._index = Bm25(self._entries, self._language)
        named = self._inside(loaded.client.knowledge)
        self._knowledge = KnowledgeText.read(named) if named else None
        self._knowledge_name = named.path.relative_to(self._folder).as_posix() if named else ""
        self.added = 0  # entries of other changes, whose ids are taken

    def diffs(
        self, run: str, proposals: Sequence[Proposal], worded: Sequence[Texts | None] = (),
        model: str = "",
    ) -> list[Diff]:  # fmt: skip
        """Each as a file to read; `worded` are a model's texts where there are any."""
        both = zip_longest(proposals, worded)
        return [
            self._diff(number, run, proposal, texts, model if texts else "")
            for number, (proposal, texts) in enumerate(both, 1)
        ]

    def _diff(
        self, number: int, run: str, proposal: Proposal, texts: Texts | None, model: str
    ) -> Diff:
        fault, faults = proposal.faults[0], proposal.faults
        keys = [failure.key for each in faults for failure in each.failures]
        remarks = {
            "reason": self._words(f"why.{proposal.why}", **proposal.about),
            "blame": ", ".join(f"{each.blame} ({len(each.failures)})" for each in faults),
            "run": run,
            "conversations": ", ".join(dict.fromkeys(keys)),
        }
        if model:
            remarks["worded"] = f"model {model}"
        head = "".join(f"{name}: {' '.join(value.split())}\n" for name, value in remarks.items())
        name = f"{number:02d}-{proposal.why.replace('_', '-')}-{_slug(fault.entry)}.diff"
        return Diff(name, f"{head}\n{proposal.diff(texts or proposal.texts)}", remarks)

    def case(self, fault: FaultList) -> Case | None:
        """What is known of a fault; None where no person wrote what is right."""
        scenario = next((name for name in fault.scenarios if name in self._written), "")
        written = self._written.get(scenario)
        if written is None:
            return None
        query = self._scenarios.get(scenario)
        failures = [f for f in fault.failures if f.scenario == scenario and f.answered]
        is_first = query is not None and any(f.turn == 1 for f in failures)
        asked = query.query if query is not None and is_first else written.asked
        case = self._case(fault, scenario, asked, written.text, written.by)
        text, language = case.matter.affirmed, self._language
        denies = denied_expectation(text, query, language) if query and is_first else ""
        return replace(case, denies=denies)

    def expected_case(self, fault: FaultList) -> Case | None:
        """What is known of a fault by what its first scenario expects."""
        scenario = next((s for n in fault.scenarios if (s := self._scenarios.get(n))), None)
        if scenario is None:
            return None
        expected = scenario.expected
        texts = [e.text for e in self._entries if str(e.id) in expected.documents][:1]
        texts += [" ".join(element[0] for element in expected.elements)]
        refusal = self._search("refusal") if expected.refusal_due else ""
        right = refusal or next(filter(None, [expected.answer, *texts]), "")
        if not right:
            return None
        case = self._case(fault, scenario.id, scenario.query, right, "")
        return replace(case, expected=expected)

    def _case(self, fault: FaultList, scenario: str, asked: str, right: str, by: str) -> Case:
        failures = [f for f in fault.failures if f.scenario == scenario and f.answered]
        wrong = tuple(dict.fromkeys(failure.answered for failure in failures))
        came = [str(d.id) for f in failures[:1] for d in f.documents if d.id]
        matter = Matter(asked, right, wrong, self._language)
        matter = replace(matter, is_known=any(map(matter.is_said_by, self._entries)))
        return Case(fault, matter, tuple(came), by)

    def proposals(self, faults: Sequence[FaultList]) -> list[Proposal]:
        """The likeliest candidate for each fault, equal ones once.

        Where no person wrote what is right, only an entry that was not found gets one.
        """
        proposals: dict[str, Proposal] = {}
        for fault in faults:
            case = self.case(fault)
            tried = self.candidates(self.likely(case)) if case else self._not_found(fault)
            new = next((p for p in tried if p.diff(p.texts)), None)
            if new is None:
                continue
            is_added = new.why == "added"
            key = new.texts["answer"] if is_added else new.diff(new.texts).partition("+++")[2]
            known = proposals.get(key)
            self.added += known is None and is_added
            proposals[key] = replace(known or new, faults=(*(known or new).faults, fault))
        return list(proposals.values())

    def _not_found(self, fault: FaultList) -> Iterator[Proposal]:
        """Users' words at the end of the entry that should have come."""
        entry = next((e for e in self._entries if str(e.id) == fault.entry), None)
        if fault.remedy in (Remedy.FIND, Remedy.ANSWER) and entry and self._knowledge:
            yield from self._words_added(fault, entry, self._knowledge)

    def likely(self, case: Case) -> Case:
        """The case with the guideline that seems to forbid it, without asking the bot."""
        return replace(case, guilty=self._guidelines.nearest(case.matter))

    @property
    def writes_knowledge(self) -> bool:
        """True if the knowledge base is a text that mogi can change."""
        return self._knowledge is not None

    @cached_property
    def rules(self) -> tuple[Rules, ...]:
        """What tells the bot what to do: client.yaml, then files, one that settings name first."""
        paths = [p.relative_to(self._folder).as_posix() for p in guideline_files(self._client)]
        files = [Rules(source, source.text()) for source in map(self._inside, paths) if source]
        items = self._client.guidelines
        are_lines = not any("\n" in item for item in items) and not set(paths).issuperset(items)
        if are_lines and (source := self._inside(CLIENT_FILE)):
            files.insert(0, Rules(source, source.text(), items))
        return tuple(files)

    def saying(self, case: Case) -> list[Document]:
        """The entries that say what is right, those that came first before others."""
        right = [e for e in self._entries if case.matter.is_said_by(e)]
        return sorted(right, key=lambda e: self._place(case, e))

    def is_right_one_used(self, case: Case) -> bool:
        """True if the bot found an entry that says it right first, and none says otherwise."""
        return self.is_right_one_first(case) and not list(self._wrong_ones(case))

    def is_right_one_first(self, case: Case) -> bool:
        """True if the bot found an entry that says it right first, and no guideline forbids it."""
        first = next((e for e in self._entries if case.came[:1] == (str(e.id),)), None)
        if first is None or case.matter.is_refusal or case.guilty is not None:
            return False
        return case.matter.is_right(first.text) is True

    def candidates(self, case: Case) -> Iterator[Proposal]:
        """What may mend a fault, each with a diff; where the bot refuses, guidelines come first."""
        if case.matter.is_refusal:
            yield from self._lines_added(case)
            return
        if case.guilty is not None:
            yield from self._narrowed(case, *case.guilty)
        if not self.is_right_one_used(case) and self._knowledge is not None:
            yield from self._of_entries(case, self._knowledge)

    def _place(self, case: Case, entry: Document) -> int:
        name = str(entry.id)
        return case.came.index(name) if name in case.came else len(case.came)

    # ---- Entries ----

    def _of_entries(self, case: Case, knowledge: KnowledgeText) -> Iterator[Proposal]:
        right = self.saying(case)
        wrong = list(self._wrong_ones(case))
        twins = {str(e.id): e for e, _, _ in wrong if right and e not in right}
        spare = [name for name, twin in twins.items() if self._is_spare(case, twin)]
        for name in spare:
            yield from self._dropped(case, knowledge, twins[name], right[0])
        yield from self._put_right_everywhere(case, knowledge)
        put_right = chain.from_iterable(
            self._put_right(case, knowledge, entry, sentence, claim)
            for entry, sentence, claim in wrong
        )
        yield from islice(put_right, _CORRECTED)
        for name in (
            n for n in twins if n not in spare
        ):  # a proof tells if what else it says is missed
            yield from self._dropped(case, knowledge, twins[name], right[0])
        for entry in right[:2]:
            is_strange = not self._is_about(case, entry) and not self._is_at_home(case, entry)
            if is_strange and self._says_more(case, entry):
                yield from self._moved(case, knowledge, entry)
                yield from self._put_there(case, knowledge)
        for entry in right[:2]:
            yield from self._retitled(case, knowledge, entry)
            yield from self._moved(case, knowledge, entry)
        if not right:
            yield from self._added_entry(case, knowledge)

    def _wrong_ones(self, case: Case) -> Iterator[tuple[Document, str, str]]:
        """Entries with a sentence that says otherwise, and what a person says instead."""
        every = sorted(self._entries, key=lambda e: self._place(case, e))
        for entry, sentence in case.matter.contradicting(every):
            if claim := self._claim_of(case, entry, sentence):
                yield entry, sentence, claim

    def _claim_of(self, case: Case, entry: Document, sentence: str) -> str:
        """The claim that a sentence should say instead: the nearest."""
        claims = [claim.text for claim in case.matter.claims]
        own = set(self._tokens(f"{entry.title}\n{sentence}"))
        shares = {claim: len(own & set(self._tokens(claim))) for claim in claims}
        best = max(shares, key=lambda claim: shares[claim], default="")
        enough = min(2, len(set(self._tokens(best))))
        return best if shares.get(best, 0) >= max(1, enough) else ""

    def _put_right(
        self, case: Case, knowledge: KnowledgeText, entry: Document, wrong: str, claim: str
    ) -> Iterator[Proposal]:
        """One figure alone first, then the person's sentence in its place."""
        for text in self._put_so(case, wrong, claim):
            yield Proposal(
                self._knowledge_name,
                knowledge.text,
                "corrected",
                {"title": entry.title or str(entry.id), "by": case.by},
                {"answer": text},
                lambda texts: knowledge.with_content(str(entry.id), wrong, texts["answer"]),
                said=(case.matter.asked,),
                people=(case.matter.affirmed,),
                old=wrong,
                near=(entry,),
            )

    def _put_so(self, case: Case, wrong: str, claim: str) -> list[str]:
        """A sentence with one figure as a person wrote it, or theirs, unless that loses others."""
        matter = case.matter
        old, new = (all_of(s.amounts for s in read(t, self._language)) for t in (wrong, claim))
        left = by_kind(amount for amount in each_of(old) if amount not in matter.replaced)
        texts = with_one_figure(wrong, matter.affirmed, matter.right)
        texts += [claim] if amounts_there(left, new) else []
        return [text for text in dict.fromkeys(texts) if text and text != wrong]

    def _put_right_everywhere(self, case: Case, knowledge: KnowledgeText) -> Iterator[Proposal]:
        """Each sentence that says what a person denies with the person's figures, all at once."""
        matter, after = case.matter, knowledge
        contrary = list(matter.contradicting(self._entries))
        for entry, old in contrary:
            claim = self._claim_of(case, entry, old)
            texts = self._put_so(case, old, claim)
            new = next((t for t in texts if not self._is_contrary(case, entry, t)), "")
            text = after.with_content(str(entry.id), old, new)
            after = replace(after, text=text) if text else after
        if len(contrary) > 1 and after is not knowledge:
            about = {"title": contrary[0][0].title or str(contrary[0][0].id), "by": case.by}
            yield self._fixed("corrected", about, knowledge.text, after.text)

    def _is_contrary(self, case: Case, entry: Document, text: str) -> bool:
        return any(True for _ in case.matter.contradicting([replace(entry, text=text)]))

    def _is_spare(self, case: Case, entry: Document) -> bool:
        """True if others say all that an entry says, but for what a person denies."""
        kept = "\n".join(whole_of(e, self._language) for e in self._entries if e is not entry)
        return all(
            says(kept, s, self._language) is State.MET or case.matter.contradicts(s)
            for s in sentences(entry.text, self._language)
        )

    def _dropped(
        self, case: Case, knowledge: KnowledgeText, twin: Document, right: Document
    ) -> Iterator[Proposal]:
        """Without a twin that says otherwise; its title may go to the entry that says it right."""
        about = {"title": twin.title or str(twin.id)}
        text = knowledge.without_entry(str(twin.id), twin.title)
        yield self._fixed("deleted", about, knowledge.text, text)
        if text and self._is_about(case, twin):
            title = self._search("title", title=right.title, asked=twin.title)
            after = replace(knowledge, text=text).with_title(str(right.id), right.title, title)
            yield self._fixed("deleted", about, knowledge.text, after)

    def _retitled(
        self, case: Case, knowledge: KnowledgeText, entry: Document
    ) -> Iterator[Proposal]:
        clause = self._asked(case)
        about = {"title": entry.title or str(entry.id), "asked": clause}
        both = self._search("title", title=entry.title, asked=clause)
        words = keywords(clause, self._language)
        for title in dict.fromkeys(
            (both, self._search("title", title=clause, asked=words), clause)
        ):
            after = knowledge.with_title(str(entry.id), entry.title, title)
            yield self._fixed("retitled", about, knowledge.text, after)
        plain = replace(case.fault, words=(clause, *self._clauses(case)))
        yield from self._words_added(plain, entry, knowledge)

    def _words_added(
        self, fault: FaultList, entry: Document, knowledge: KnowledgeText
    ) -> Iterator[Proposal]:
        """Users' words that the entry lacks, at its end."""
        entry_words = set(self._tokens(f"{entry.title}\n{entry.text}"))
        questions = [
            cut(" ".join(text.split()), _LENGTH)
            for text in fault.words
            if len(words := set(self._tokens(text))) >= _LEAST and words - entry_words
        ][:_ASKED]
        if questions:
            yield Proposal(
                self._knowledge_name,
                knowledge.text,
                "words",
                {"title": entry.title or str(entry.id)},
                {"asked": "".join(self._words("quoted", text=text) for text in questions)},
                lambda texts: knowledge.with_content(
                    str(entry.id),
                    entry.text,
                    f"{entry.text} {self._words('asked', words=texts['asked'])}",
                ),
                said=tuple(questions),
                people=(f"{entry.title}\n{entry.text}",),
                near=(entry,),
            )

    def _moved(self, case: Case, knowledge: KnowledgeText, entry: Document) -> Iterator[Proposal]:
        """What an entry says of the matter goes to the one where it is asked, or stands in both."""
        told = [
            s
            for s in sentences(entry.text, self._language)
            if any(says(s, c.text, self._language) is State.MET for c in case.matter.claims)
            or case.matter.is_right(s)
        ] or [c.text for c in case.matter.claims]
        text = "".join(told) if self._language == "ja" else " ".join(told)
        space = "" if self._language == "ja" else " "
        targets = [e for e in self._targets(case) if e is not entry]
        targets = [e for e in targets if not self._is_contrary(case, e, e.text)][:2]
        for target in targets:
            put = knowledge.with_content(str(target.id), target.text, f"{target.text}{space}{text}")
            about = {"title": target.title or str(target.id), "asked": self._asked(case)}
            rest = entry.text
            for sentence in told:
                rest = rest.replace(sentence, "", 1).strip()
            if put and rest and rest != entry.text:
                taken = replace(knowledge, text=put)
                after = taken.with_content(str(entry.id), entry.text, rest)
                yield self._fixed("moved", about, knowledge.text, after)
            yield self._fixed("moved", about, knowledge.text, put)

    def _is_at_home(self, case: Case, entry: Document) -> bool:
        """True if the sentence that says it comes first, or names what the entry is on."""
        parts = sentences(entry.text, self._language)
        at = next((n for n, part in enumerate(parts) if case.matter.is_right(part)), 0)
        title = self._tokens(entry.title)
        return not at or not set(title).isdisjoint(self._tokens(parts[at]))

    def _says_more(self, case: Case, entry: Document) -> bool:
        """True if an entry is on something else as well."""
        parts = sentences(entry.text, self._language)
        return not all(case.matter.is_right(part) for part in parts)

    def _targets(self, case: Case) -> list[Document]:
        """Where the matter is asked: entries that came first, or are nearest by their titles."""
        near = [hit.document for hit in self._index.search(self._tokens(case.matter.asked), 3)]
        came = [e for e in self._entries if str(e.id) in case.came[:2]]
        came.sort(key=lambda e: self._place(case, e))
        every = list({str(e.id): e for e in (*came, *near)}.values())
        return [e for e in every if self._is_about(case, e)] or every[:1]

    def _is_about(self, case: Case, entry: Document) -> bool:
        asked = set(self._tokens(f"{case.matter.asked}\n{case.matter.affirmed}"))
        return not entry.title or not asked.isdisjoint(self._tokens(entry.title))

    def _added_entry(self, case: Case, knowledge: KnowledgeText) -> Iterator[Proposal]:
        """A new entry; where another one was answered from, what is right goes there first."""
        targets = self._targets(case)[:1]
        is_there = not case.matter.was_refused and any(map(case.matter.is_titled, targets))
        if is_there:
            yield from self._put_there(case, knowledge)
        matter, clause = case.matter, self._asked(case)
        question, subject = self.question(case), self._subject(matter)
        words = keywords(question, self._language)
        is_new = normal_form(subject) not in normal_form(clause)
        both = self._search("title", title=subject, asked=clause) if is_new else ""
        titles = [both, clause, self._search("title", title=clause, asked=words), words]
        if len(question) > _LONGEST:  # half a question is no title
            titles = [subject, words]
        beyond = self.added
        for title in dict.fromkeys(filter(None, titles)):
            yield Proposal(
                self._knowledge_name,
                knowledge.text,
                "added",
                {"asked": clause, "by": case.by},
                {"asked": title, "answer": matter.affirmed},
                lambda texts: knowledge.with_entry(texts["asked"], texts["answer"], beyond),
                said=(matter.asked, *self._clauses(case)),
                people=(matter.affirmed,),
            )
        if not is_there:
            yield from self._put_there(case, knowledge)

    def _put_there(self, case: Case, knowledge: KnowledgeText) -> Iterator[Proposal]:
        """What is right beside what an entry says that is on the matter already, and before it."""
        space = "" if self._language == "ja" else " "
        for target in self._targets(case)[:2]:
            if self._is_contrary(case, target, target.text):
                continue
            about = {"title": target.title or str(target.id), "asked": self._asked(case)}
            for parts in ((target.text, case.matter.affirmed), (case.matter.affirmed, target.text)):
                after = knowledge.with_content(str(target.id), target.text, space.join(parts))
                yield self._fixed("moved", about, knowledge.text, after)

    def _subject(self, matter: Matter) -> str:
        """What the first sentence of an answer is about, as a title says it; "" without any."""
        first = next((s.text for s in matter.claims), "")
        match = phrases(f"text/{self._language}/guidelines").pattern("subject").search(first)
        subject = match["subject"].strip() if match else ""
        return subject if self._tokens(subject) else ""

    def _asked(self, case: Case) -> str:
        return cut(self.question(case), _LONGEST)

    def question(self, case: Case) -> str:
        """What is asked; of a story that ends in a question this alone, where it is too long."""
        clause = content_clause(case.matter.asked, self._language)
        last = _PARTS.split(clause)[-1]
        is_short = len(clause) <= _LONGEST or not stands_alone(last, self._language)
        return clause if is_short else last

    def _clauses(self, case: Case) -> tuple[str, ...]:
        """What users asked on it, without greetings and ornaments, each once."""
        own = self._asked(case)
        texts = (content_clause(text, self._language) for text in case.fault.words)
        return tuple(text for text in dict.fromkeys(texts) if text != own)[:2]

    def _fixed(
        self, why: str, about: Mapping[str, str], before: str, after: str | None, path: str = ""
    ) -> Proposal:
        """A change in which nothing is to be worded."""
        name = path or self._knowledge_name
        return Proposal(name, before, why, about, {}, lambda _: after, (), ())

    # ---- Guidelines ----

    @cached_property
    def _guidelines(self) -> Guidelines:
        return Guidelines(self.rules, self._entries, self._language)

    def without_guidelines(self, case: Case) -> Iterator[tuple[Rules, str, Proposal]]:
        """Each guideline that forbids something, and the files without it: to see if it refuses."""
        for rules, line in self._guidelines.forbidding():
            change = GuidelineChange(rules, rules.text.replace(line, "", 1), line)
            yield rules, line, self._of_guideline("narrowed", {"asked": "", "by": ""}, change)

    def _narrowed(self, case: Case, rules: Rules, line: str) -> Iterator[Proposal]:
        """The guideline that forbids the matter, with less that it forbids."""
        about = {"asked": self._asked(case), "by": case.by}
        right = self.saying(case)
        others = list({str(e.id): e for e in case.refused.values()}.values())
        for change in self._guidelines.narrowed(case.matter, rules, line, right, others):
            yield self._of_guideline("narrowed", about, change)

    def _lines_added(self, case: Case) -> Iterator[Proposal]:
        """A line more that refuses or hands over such questions."""
        for change in self._guidelines.added(case.matter):
            yield self._of_guideline("guideline", {"asked": self._asked(case)}, change)

    def _of_guideline(
        self, why: str, about: Mapping[str, str], change: GuidelineChange
    ) -> Proposal:
        rules = change.rules
        path = rules.source.path.relative_to(self._folder).as_posix()
        fixed = self._fixed(why, about, rules.whole, rules.with_text(change.after), path)
        return replace(fixed, old=change.old)

    # ---- Files and words ----

    def _inside(self, name: str | None) -> Source | None:
        """A file of the client's folder; what lies elsewhere may be others' as well: people's."""
        folder = self._folder.resolve()
        path = (folder / (name or "")).resolve()
        if not name or not path.is_relative_to(folder):
            return None
        return Source.of(self._folder / path.relative_to(folder), within=(self._folder,))

    def _tokens(self, text: str) -> list[str]:
        return content_tokens(text, self._language)


def _slug(text: str) -> str:
    return "".join(c if c.isalnum() or c in "-_" else "-" for c in text)[:40]


def with_one_figure(old: str, affirmed: str, right: str) -> list[str]:
    """The old sentence with one of its figures replaced, in each way that a person may mean.

    A figure that a person takes back goes first; else each that the person does not affirm, for
    each affirmed one of its unit that the sentence lacks, those with like words before them first.
    """
    known = {_value(m) for m in _FIGURE.finditer(affirmed)}
    taken_back = {_value(m) for m in _FIGURE.finditer(right)} - known
    standing = {_value(m) for m in _FIGURE.finditer(old)}
    olds = [m for m in _FIGURE.finditer(old) if _value(m) not in known]
    olds = [m for m in olds if _value(m) in taken_back] or olds
    news = [m for m in _FIGURE.finditer(affirmed) if _value(m) not in standing]
    pairs = [(m, n) for m in olds for n in news if _unit(old, m) == _unit(affirmed, n)]

    def likeness(pair: tuple[re.Match[str], re.Match[str]]) -> float:
        contexts = _context(old, pair[0]), _context(affirmed, pair[1])
        return difflib.SequenceMatcher(None, *contexts).ratio()

    pairs.sort(key=likeness, reverse=True)
    texts = [old[: m.start()] + n[0] + old[m.end() :] for m, n in pairs]
    return list(dict.fromkeys(texts))[:_SINGLES]


def _value(figure: re.Match[str]) -> str:
    """A figure as digits: *5* and *five* are the same."""
    text = folded(figure[0]).replace(",", "")
    if text[0].isdigit():
        return text
    return next(
        (
            str(value).removesuffix(".0")
            for s in read(text, "en")
            for _, value in each_of(s.amounts)
        ),
        text,
    )


def _context(text: str, figure: re.Match[str]) -> str:
    before = re.split(r"[。、,.;]|\d", text[: figure.start()])[-1]
    return folded(before)[-24:]


def _unit(text: str, figure: re.Match[str]) -> str:
    before = text[figure.start() - 1 : figure.start()]
    unit = _UNIT.match(text[figure.end() :])
    after = unit[0].strip() if unit else ""
    money = before if before in "¥$€£" else ""
    return money or after[:1]
