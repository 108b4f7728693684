"""Candidates that may mend a fault, in order of likelihood: entries first, then guidelines.

What was tried says what comes next: an entry that is not found gets the users' words.
"""

import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, islice

from simulator.core.claim import State
from simulator.core.clean import cut, folded, normal_form
from simulator.core.talk import Document
from simulator.files.client.folder import LoadedClient
from simulator.files.knowledge_edit import KnowledgeText
from simulator.formats.sources import Source
from simulator.improve.diffs import guideline_files
from simulator.improve.matter import Matter, content_clause
from simulator.improve.proposals import Proposal, Proposer, Written
from simulator.reading.words import says
from simulator.text.clauses import read
from simulator.text.quantities import each_of
from simulator.text.tokens import sentences
from simulator.users.agenda.matter import keywords
from simulator.view.faults import FaultList
from simulator.words import Words

_NEAR = 6  # entries by their words
_MOST = 0.6  # of a sentence's words, where an answer says it
_CORRECTED = 6  # sentences that are put right
_SINGLES = 4  # ways to replace one figure
_LINES = 3  # guidelines that are tried
_LONGEST = 60  # characters of a title
_FIGURE = re.compile(
    r"\d+(?:[.,:/]\d+)*|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|fourteen|fifteen|twenty|thirty|forty|fifty|sixty|ninety)\b",
    re.IGNORECASE,
)
_UNIT = re.compile(r"\s?(?:[A-Za-z%]+|[^\W\d_]{1,2})")
_BULLET = re.compile(r"^(\s*)(?:([-*+•・])|(\d+)([.)．、]))(\s*)")
_TERMS = {
    "ja": re.compile(
        "[一-龠々]+(?:[いりきしみえけせ][一-龠々]+)?[りいきしみえけせ]?|[ァ-ヶー]{2,}"
    ),
    "en": re.compile("[A-Za-z][A-Za-z'-]{3,}"),
}
_ITEMS = {
    "ja": re.compile(
        r"(?:、|や|および|及び|または|又は|と|・)?(?P<item>[^、や。・\s]+?)"
        r"(?=、|や|および|及び|または|又は|・|と|に関|につ|の(?:質問|相談|件|話)|は|を|。|$)"
    ),
    "en": re.compile(r"\b(?!or |and )(?P<item>[A-Za-z][\w' -]*?)(?=,| or | and |[.;]|$)"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Case:
    """One fault with what is known of it: the matter, and the ids of the entries that came."""

    fault: FaultList
    matter: Matter
    came: tuple[str, ...]
    by: str


class Candidates(Proposer):
    """Makes the candidates for one client; its files are only read."""

    def __init__(self, loaded: LoadedClient, written: Mapping[str, Written]) -> None:
        super().__init__(loaded, written)
        self._client = loaded.client
        self._search = Words(self._language, "search")
        self._words = Words(self._language, "improve", "search")

    @cached_property
    def guideline_sources(self) -> tuple[Source, ...]:
        """The files that tell the bot what to do, the one that its settings name first."""
        named = [self._guidelines] if self._guidelines else []
        paths = {source.path.resolve() for source in named}
        files = [path for path in guideline_files(self._client) if path.resolve() not in paths]
        more = [self._inside(path.relative_to(self._folder).as_posix()) for path in files]
        return (*named, *(source for source in more if source))

    def saying(self, case: Case) -> list[Document]:
        """The entries that say what is right, those that came first before others."""
        right = [e for e in self._entries if case.matter.is_right(self._whole(e))]
        return sorted(right, key=lambda e: self._place(case, e))

    def is_right_one_used(self, case: Case) -> bool:
        """True if the bot found an entry that says it right first, and none says otherwise."""
        first = next((e for e in self._entries if case.came[:1] == (str(e.id),)), None)
        if first is None or case.matter.is_refusal or not case.matter.is_right(first.text):
            return False
        answer = case.matter.wrong[-1]
        own, answered = (set(self._tokens(text)) for text in (first.text, answer))
        says_part = 2 * len(own & answered) >= len(own)
        if case.matter.refuses(answer) and self.guideline_sources and not says_part:
            return False  # a guideline may keep the bot from it
        return not list(self._wrong_ones(case))

    def candidates(self, case: Case) -> Iterator[Proposal]:
        """What may mend a fault, each with a diff; where the bot refuses, guidelines come first."""
        matter = case.matter
        if matter.is_refusal:
            yield from self._lines_added(case)
            return
        has_entry = bool(self.saying(case))
        if matter.was_refused and has_entry:
            yield from self._narrowed(case)
        if not self.is_right_one_used(case) and self._knowledge is not None:
            yield from self._of_entries(case, self._knowledge)
        if not (matter.was_refused and has_entry):
            yield from (
                self._narrowed(case) if matter.was_refused else islice(self._narrowed(case), _LINES)
            )

    def _whole(self, entry: Document) -> str:
        return (
            f"{entry.title}。\n{entry.text}"
            if self._language == "ja"
            else f"{entry.title}.\n{entry.text}"
        )

    def _place(self, case: Case, entry: Document) -> int:
        name = str(entry.id)
        return case.came.index(name) if name in case.came else len(case.came)

    # ---- Entries ----

    def _of_entries(self, case: Case, knowledge: KnowledgeText) -> Iterator[Proposal]:
        right = self.saying(case)
        wrong = list(self._wrong_ones(case))
        twins = [each for each in wrong if right and each[0] not in right]
        for entry, sentence, _ in twins:
            yield from self._dropped(case, knowledge, entry, sentence)
        put_right = chain.from_iterable(
            self._put_right(case, knowledge, entry, sentence, claim)
            for entry, sentence, claim in wrong
        )
        yield from islice(put_right, _CORRECTED)
        for entry in right[:2]:
            is_strange = not self._is_about(case, entry) and not self._is_at_home(case, entry)
            if is_strange and self._says_more(case, entry):
                yield from self._moved(case, knowledge, entry)
        for entry in right[:2]:
            yield from self._retitled(case, knowledge, entry)
            yield from self._moved(case, knowledge, entry)
        if not right:
            yield from self._added_entry(case, knowledge)

    def _wrong_ones(self, case: Case) -> Iterator[tuple[Document, str, str]]:
        """Entries with a sentence that says otherwise, and what a person says instead."""
        matter, language = case.matter, self._language
        if matter.is_refusal:
            return
        asked = f"{matter.asked}\n{matter.affirmed}"
        near = [hit.document for hit in self._index.search(self._tokens(asked), _NEAR)]
        came = [e for e in self._entries if str(e.id) in case.came]
        every = list({str(e.id): e for e in (*came, *near)}.values())
        own = set(self._tokens(matter.asked))
        every = [e for e in every if not own.isdisjoint(self._tokens(self._whole(e)))]
        for entry in sorted(every, key=lambda e: self._place(case, e)):
            if matter.is_right(self._whole(entry)) and not matter.contradicts(entry.text):
                continue
            for sentence in sentences(entry.text, language):
                if (
                    matter.contradicts(sentence)
                    or self._is_quoted(case, sentence)
                    or (self._is_near(case, sentence) and matter.has_other_amount(sentence))
                ):
                    claim = self._claim_of(case, entry, sentence)
                    if claim:
                        yield entry, sentence, claim

    def _is_near(self, case: Case, sentence: str) -> bool:
        """True if a sentence is on the matter, and a wrong answer says most of its words."""
        own = set(self._tokens(sentence))
        asked = set(self._tokens(f"{case.matter.asked}\n{case.matter.affirmed}"))
        wrong = [set(self._tokens(text)) for text in case.matter.wrong]
        is_said = any(len(own & words) > _MOST * len(own) for words in wrong)
        return is_said and not own.isdisjoint(asked)

    def _is_quoted(self, case: Case, sentence: str) -> bool:
        """True if a wrong answer says a sentence with figures that are not a person's."""
        figures = set(_FIGURE.findall(folded(sentence))) - set(
            _FIGURE.findall(folded(case.matter.affirmed))
        )
        form = normal_form(sentence)
        has_claim = any(_FIGURE.search(claim.text) for claim in case.matter.claims)
        return bool(figures and has_claim) and any(
            form in normal_form(wrong) for wrong in case.matter.wrong
        )

    def _claim_of(self, case: Case, entry: Document, sentence: str) -> str:
        """The claim that a sentence should say instead: what words deny, else the nearest."""
        claims = [claim.text for claim in case.matter.claims]
        for claim in claims:
            if self._denies(entry, sentence, claim):
                return claim
        own = set(self._tokens(f"{entry.title}\n{sentence}"))
        shares = {claim: len(own & set(self._tokens(claim))) for claim in claims}
        best = max(shares, key=lambda claim: shares[claim], default="")
        enough = min(2, len(set(self._tokens(best))))
        return best if shares.get(best, 0) >= max(1, enough) else ""

    def _put_right(
        self, case: Case, knowledge: KnowledgeText, entry: Document, wrong: str, claim: str
    ) -> Iterator[Proposal]:
        """One figure alone first, then several, then the person's sentence in its place."""
        matter = case.matter
        singles = with_one_figure(wrong, matter.affirmed, matter.right)
        swapped = with_nearest_figures(wrong, claim)
        texts = [text for text in (*singles, swapped, claim) if text and text != wrong]
        for text in dict.fromkeys(texts):
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

    def _dropped(
        self, case: Case, knowledge: KnowledgeText, entry: Document, wrong: str
    ) -> Iterator[Proposal]:
        """A twin that says otherwise goes, or of several things that it says this one."""
        others = [s for s in sentences(entry.text, self._language) if s != wrong]
        kept = "\n".join(self._whole(e) for e in self._entries if e is not entry)
        spare = [s for s in others if says(kept, s, self._language) is not State.MET]
        about = {"title": entry.title or str(entry.id)}
        if not [s for s in spare if not case.matter.contradicts(s)]:
            after = knowledge.without_entry(str(entry.id), entry.title)
            yield self._fixed("deleted", about, knowledge.text, after)
            return
        after = knowledge.with_content(str(entry.id), wrong, "")
        yield self._fixed("shortened", about, knowledge.text, after)

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
        targets = [e for e in self._targets(case) if e is not entry][:2]
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
        matter, clause = case.matter, self._asked(case)
        words = keywords(clause, self._language)
        titles = (clause, self._search("title", title=clause, asked=words), words)
        for title in dict.fromkeys(filter(None, titles)):
            yield Proposal(
                self._knowledge_name,
                knowledge.text,
                "added",
                {"asked": clause, "by": case.by},
                {"asked": title, "answer": matter.affirmed},
                lambda texts: knowledge.with_entry(texts["asked"], texts["answer"]),
                said=(matter.asked, *self._clauses(case)),
                people=(matter.affirmed,),
            )
        space = "" if self._language == "ja" else " "
        for target in self._targets(case)[:2]:
            about = {"title": target.title or str(target.id), "asked": clause}
            text = f"{target.text}{space}{matter.affirmed}"
            after = knowledge.with_content(str(target.id), target.text, text)
            yield self._fixed("moved", about, knowledge.text, after)

    def _asked(self, case: Case) -> str:
        return cut(content_clause(case.matter.asked, self._language), _LONGEST)

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

    def _narrowed(self, case: Case) -> Iterator[Proposal]:
        """The guidelines that forbid the matter, nearest first, each with an exception to it."""
        asked = f"{case.matter.asked}\n{case.matter.affirmed}"
        lines = [
            (source, line)
            for source in self.guideline_sources
            for line in source.text().splitlines(keepends=True)
            if line.strip() and not line.lstrip().startswith("#")
        ]
        lines.sort(key=lambda each: (-self._forbids(each[1]), -_alike(each[1], asked)))
        for source, line in lines[:_LINES]:
            if not self._forbids(line) and not _alike(line, asked):
                continue
            amended = self._amended_line(case, source, line)
            if amended is not None:
                yield amended
            for text in self._exceptions(case, line):
                after = source.text().replace(line, text, 1)
                about = {"asked": self._asked(case), "by": case.by}
                path = source.path.relative_to(self._folder).as_posix()
                yield replace(self._fixed("narrowed", about, source.text(), after, path), old=line)

    def _amended_line(self, case: Case, source: Source, line: str) -> Proposal | None:
        """The line without those of its examples that are on the matter."""
        amended = self._amended(case.fault, source)
        return amended if amended is not None and amended.old == line else None

    def _forbids(self, line: str) -> bool:
        text = folded(line)
        return any(mark in text for mark in self._search("forbids").split("|"))

    def _exceptions(self, case: Case, line: str) -> Iterator[str]:
        """A guideline with the matter taken out of it: of its list, else by an exception."""
        whole = line.rstrip("\r\n")
        end = line[len(whole) :]
        asked = f"{case.matter.asked}\n{case.matter.affirmed}"
        parts = [s for s in sentences(whole, self._language) if s in whole] or [whole]
        body = max(
            parts, key=lambda s: (self._forbids(s) and _alike(s, asked) > 0, _alike(s, asked))
        )
        for text in self._excepted(case, body):
            yield whole.replace(body, text, 1) + end

    def _excepted(self, case: Case, body: str) -> Iterator[str]:
        clause = self._asked(case)
        for item in self._items_of(body, case):
            yield _without_item(body, item, self._language)
        for topic in self._topics(case, body):
            yield f"{body}{self._search('except.topic', asked=topic)}"
            inside = self._search("except.inside", asked=topic)
            if self._language == "en" and body.rstrip().endswith("."):
                yield f"{body.rstrip()[:-1]}{inside}."
        yield f"{body}{self._search('except.asked', asked=clause)}"

    def _topics(self, case: Case, beside: str) -> list[str]:
        """What a question is about in a word or two, the most telling first.

        That is what stands beside it as well (a guideline, the person's answer), then what the
        knowledge base speaks of least, then its keywords.
        """
        asked = content_clause(case.matter.asked, self._language)
        terms = self._terms(asked)
        near = _pairs(beside)
        shared = [
            term for term in terms if (own := _pairs(term)) and len(own & near) * 2 > len(own)
        ]
        knowledge = [set(self._tokens(self._whole(e))) for e in self._entries]

        def count(term: str) -> int:
            own = set(self._tokens(term))
            return sum(not own.isdisjoint(words) for words in knowledge)

        rare = sorted(terms, key=count)[:1]
        joined = self._search("or").join(shared[:2])
        texts = [joined, *rare, keywords(asked, self._language) or asked]
        return list(dict.fromkeys(filter(None, texts)))[:3]

    def _terms(self, text: str) -> list[str]:
        """Its words that name something, as they stand."""
        terms = _TERMS[self._language].findall(text)
        return [term for term in dict.fromkeys(terms) if self._tokens(term)]

    def _items_of(self, body: str, case: Case) -> list[str]:
        """The parts of a list in a guideline that are on the matter, the nearest first."""
        asked = f"{case.matter.asked}\n{case.matter.affirmed}"
        parts = [m["item"].strip() for m in _ITEMS[self._language].finditer(body)]
        if len(parts) < 2:
            return []
        shares = {part: _alike(part, asked) for part in parts if 1 < len(part) <= _LONGEST}
        near = [part for part, share in shares.items() if share > 0]
        return sorted(near, key=lambda part: -shares[part])[:2]

    def _lines_added(self, case: Case) -> Iterator[Proposal]:
        """A line more, in the manner of the file, that refuses or hands over such questions."""
        matter, clause = case.matter, self._asked(case)
        answer = " ".join(matter.affirmed.split())
        kind = "hand_over" if matter.hands_over else "refuse"
        for source in self.guideline_sources:
            before = source.text()
            end = "\r\n" if "\r\n" in before else "\n"
            path = source.path.relative_to(self._folder).as_posix()
            topics = self._topics(case, matter.affirmed)
            for topic in topics:
                for key in ("plain", "topic"):
                    text = self._search(f"{kind}.{key}", asked=topic, answer=answer)
                    after = _with_line(before, text, end)
                    yield self._fixed("guideline", {"asked": clause}, before, after, path)
                for text in self._in_manner(before, topic):
                    after = _with_line(before, text, end)
                    yield self._fixed("guideline", {"asked": clause}, before, after, path)
                if templated := self._like_others(before, topic, end):
                    yield self._fixed("guideline", {"asked": clause}, before, templated, path)
            text = self._search(f"{kind}.asked", asked=clause, answer=answer)
            after = _with_line(before, text, end)
            yield self._fixed("guideline", {"asked": clause}, before, after, path)

    def _in_manner(self, before: str, topic: str) -> Iterator[str]:
        """A guideline that forbids something in the file's own words, on another topic."""
        lines = [_BULLET.sub("", line) for line in before.splitlines()]
        parts = [s for line in lines for s in sentences(line, self._language)]
        for part in [s for s in parts if self._forbids(s)][:_LINES]:
            terms = self._terms(part)
            term = terms[0 if self._language == "ja" else -1] if terms else ""
            if term and term != topic:
                yield part.replace(term, topic, 1)

    def _like_others(self, before: str, topic: str, end: str) -> str:
        """The file with a topic more in the list of one of its guidelines that forbid."""
        for line in before.splitlines(keepends=True):
            body = line.rstrip("\r\n")
            parts = list(_ITEMS[self._language].finditer(body))
            if self._forbids(body) and len(parts) > 1:
                first = parts[0]
                at = first.end("item")
                between = "、" if self._language == "ja" else ", "
                return before.replace(line, f"{body[:at]}{between}{topic}{body[at:]}{end}", 1)
        return ""


def _with_line(before: str, text: str, end: str) -> str:
    """A text with a line more after its last list, in the manner of that list, else at its end."""
    lines = before.splitlines(keepends=True)
    listed = [at for at, line in enumerate(lines) if _BULLET.match(line)]
    if not listed:
        whole = before + ("" if before.endswith("\n") or not before else end)
        return f"{whole}{end if whole else ''}{text}{end}"
    at = listed[-1]
    bullet = _BULLET.match(lines[at])
    if bullet is None:
        return before
    indent, sign, number, mark, space = bullet.groups()
    head = f"{indent}{sign}" if sign else f"{indent}{int(number) + 1}{mark}"
    if not lines[at].endswith("\n"):
        lines[at] += end
    lines.insert(at + 1, f"{head}{space}{text}{end}")
    return "".join(lines)


def _without_item(body: str, item: str, language: str) -> str:
    """A guideline without one part of its list, and what joined it to the others."""
    joins = (
        "、|や|および|及び|または|又は|・|と" if language == "ja" else ", (?:or |and )?| or | and "
    )
    name = re.escape(item)
    for pattern in (f"(?:{joins}){name}", f"{name}(?:{joins})"):
        after, count = re.subn(pattern, "", body, count=1)
        if count:
            return after
    return body


def _alike(text: str, other: str) -> float:
    """The share of a text's pairs of characters that another one has, words of letters apart."""
    first, second = _pairs(text), _pairs(other)
    return len(first & second) / len(first) if first else 0.0


def _pairs(text: str) -> set[str]:
    pairs: set[str] = set()
    for run in re.findall(r"[一-龠々ァ-ヶー]+|[a-z0-9]{4,}", folded(text)):
        if run.isascii():
            pairs.add(run[:6])
        else:
            pairs.update(run[i : i + 2] for i in range(len(run) - 1))
    return pairs


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


def with_nearest_figures(old: str, new: str) -> str:
    """The old sentence with the new one's figures, each in place of one of its unit.

    Of several the one counts whose words before it are most like those of the new figure. Empty,
    where a new figure has none to take the place of.
    """
    known = set(_FIGURE.findall(new))
    olds = [m for m in _FIGURE.finditer(old) if m[0] not in known]
    standing = set(_FIGURE.findall(old))
    changes: dict[tuple[int, int], str] = {}
    for figure in _FIGURE.finditer(new):
        if figure[0] in standing:
            continue
        same = [m for m in olds if _unit(old, m) == _unit(new, figure) and m.span() not in changes]
        if not same:
            continue
        context = _context(new, figure)
        best = max(
            same, key=lambda m: difflib.SequenceMatcher(None, _context(old, m), context).ratio()
        )
        changes[best.span()] = figure[0]
    for (start, end), text in sorted(changes.items(), reverse=True):
        old = old[:start] + text + old[end:]
    return old if changes else ""


def _context(text: str, figure: re.Match[str]) -> str:
    before = re.split(r"[。、,.;]|\d", text[: figure.start()])[-1]
    return folded(before)[-24:]


def _unit(text: str, figure: re.Match[str]) -> str:
    before = text[figure.start() - 1 : figure.start()]
    unit = _UNIT.match(text[figure.end() :])
    after = unit[0].strip() if unit else ""
    money = before if before in "¥$€£" else ""
    return money or after[:1]
