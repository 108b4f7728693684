"""Changes of guidelines that may mend a fault: a line more, or a line that forbids less.

A new line says in the client's own form what a person's refusal says; a line that forbids too much
loses the part of its list that is on the matter, or gets an exception in the words of the entry
that says what is right.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from simulator.core.clean import cut, folded, normal_form
from simulator.core.errors import InputError
from simulator.core.persona import Language
from simulator.core.talk import Document
from simulator.formats.sources import Source
from simulator.formats.yaml.reading import Loc
from simulator.formats.yaml.writing import Value, splice
from simulator.improve.matter import Matter, content_clause
from simulator.text.acts import points_back, refuses_anything
from simulator.text.phrases import phrases
from simulator.text.tokens import content_tokens, sentences
from simulator.users.agenda.matter import keywords
from simulator.words import Words

_LINES = 3  # guidelines that are tried
_LONGEST = 60  # characters of a topic
_HALF = 0.5
_NAMES = 6  # of the matter, for exceptions
_ENDS = tuple(".。!！?？")
_BULLET = re.compile(r"^(\s*)(?:([-*+•・●○])|(\d+)([.)．、]))(\s*)")


@dataclass(frozen=True, slots=True)
class Rules:
    """Lines that tell a bot what to do.

    `source` is their file and `whole` all of it; `items` are those of `guidelines` in client.yaml,
    none where the whole file is of them.
    """

    source: Source
    whole: str
    items: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The lines, each with its end."""
        return "".join(f"{item}\n" for item in self.items) or self.whole

    def with_text(self, text: str) -> str:
        """The whole file with other lines; empty where comments or anchors are in the way."""
        if not self.items:
            return text
        now, whole = [line for line in text.splitlines() if line.strip()], self.whole
        is_list = len(now) != len(self.items)
        pairs = enumerate(zip(self.items, now, strict=False))
        changes: dict[Loc, Value] = {("guidelines", n): b for n, (a, b) in pairs if a != b}
        try:
            for path, value in ({("guidelines",): now} if is_list else changes).items():
                whole = splice(whole, path, value, self.source)
        except InputError:
            return ""
        return whole


@dataclass(frozen=True, slots=True)
class GuidelineChange:
    """Rules as they would be; `old` is the line that changes, empty for a new one."""

    rules: Rules
    after: str
    old: str = ""


class Guidelines:
    """Makes changes of what tells a bot what to do."""

    def __init__(
        self, rules: Sequence[Rules], entries: Sequence[Document], language: Language
    ) -> None:
        self._rules = rules
        self._entries = entries
        self._language = language
        self._words = Words(language, "search")
        self._read = phrases(f"text/{language}/guidelines")

    # ---- A line more ----

    def added(self, matter: Matter) -> Iterator[GuidelineChange]:
        """A line that refuses or hands over such questions, the person's own rule first."""
        for rules in self._rules:
            end = "\r\n" if "\r\n" in rules.text else "\n"
            for text in self._lines(matter):
                yield GuidelineChange(rules, _with_line(rules.text, text, end))

    def _lines(self, matter: Matter) -> Iterator[str]:
        answer = " ".join(matter.affirmed.split())
        kind = "hand_over" if matter.hands_over else "refuse"
        rules = self.rules(matter)
        asked = cut(content_clause(matter.asked, self._language), _LONGEST)
        kernel = self._read.pattern("kernel")
        kernels = [part for rule in rules for part in kernel.findall(rule) if self.terms(part)]
        for topic in kernels:  # what forbids most comes first: a proof tells if it is too much
            yield self._words("refuse.topic", asked=topic, answer=answer)
        for rule in rules:
            yield self._words("rule.said", rule=rule, answer=answer)
            yield self._words("rule.like", rule=rule, asked=asked, answer=answer)
            yield self._words(f"rule.{kind}", rule=rule)
        for topic in dict.fromkeys([*kernels, *self._topics(matter, matter.affirmed)]):
            for key in ("topic", "plain"):
                yield self._words(f"{kind}.{key}", asked=topic, answer=answer)
        yield self._words(f"{kind}.asked", asked=asked, answer=answer)

    def rules(self, matter: Matter) -> list[str]:
        """What a person refuses, as an order: *I can't advise on doses* is *advise on doses*."""
        refusing = [
            s
            for s in sentences(matter.affirmed, self._language)
            if refuses_anything(s, self._language)
        ]
        apology, pattern = (self._read.pattern(n, re.IGNORECASE) for n in ("apology", "refused"))
        rewrites = self._read.rewrites("as_rule")
        rules = []
        for sentence in refusing:
            if match := pattern.search(apology.sub("", sentence.strip())):
                rule = match["rule"].strip(" .。、")
                for old, new in rewrites:
                    rule = old.sub(new, rule)
                rules.append(rule)
        return [
            rule
            for rule in dict.fromkeys(rules)
            if content_tokens(rule, self._language) and not points_back(rule, self._language)
        ]

    # ---- A line that forbids less ----

    def forbidding(self) -> list[tuple[Rules, str]]:
        """The lines that forbid something, each with those around it."""
        return [
            (rules, line)
            for rules in self._rules
            for line in rules.text.splitlines(keepends=True)
            if self._forbids(line) and not line.lstrip().startswith("#")
        ]

    def nearest(self, matter: Matter) -> tuple[Rules, str] | None:
        """The line that forbids most of what was asked, where the bot refused."""
        lines = [each for each in self.forbidding() if self._share(matter.asked, each[1]) > 0]
        if not lines or not matter.was_refused:
            return None
        return max(lines, key=lambda each: self._share(matter.asked, each[1]))

    def narrowed(
        self,
        matter: Matter,
        rules: Rules,
        line: str,
        right: Sequence[Document],
        refused: Sequence[Document] = (),
    ) -> Iterator[GuidelineChange]:
        """A line that forbids the matter with less that it forbids.

        `right` are the entries that say what is right, `refused` those that answer other
        questions, which the bot refuses alike.
        """
        whole = line.rstrip("\r\n")
        end = line[len(whole) :]
        parts = [s for s in sentences(whole, self._language) if s in whole] or [whole]
        asked = f"{matter.asked}\n{matter.affirmed}"
        body = max(parts, key=lambda s: self._forbids(s) + (self._share(s, asked) > 0))
        named = "\n".join([matter.asked, *(e.title for e in right[:1])])
        shorter = (whole.replace(body, t, 1) for t in self._without_items(body, named))
        texts = chain(self._excepted(matter, whole, body, right, refused), shorter)
        for text in dict.fromkeys(texts):
            if text and text != whole:
                yield GuidelineChange(rules, rules.text.replace(line, f"{text}{end}", 1), line)

    def _without_items(self, body: str, asked: str) -> Iterator[str]:
        """A guideline without the parts of its list that are on the matter: all, then each."""
        items = self._items(body)
        near = [item for item in items if self._share(item, asked) > 0]
        if near and len(near) < len(items):
            text = body
            for item in near:
                text = _without_item(text, item, self._language)
            yield text
        if len(items) > 1:
            yield from (_without_item(body, item, self._language) for item in near)

    def _excepted(
        self,
        matter: Matter,
        whole: str,
        body: str,
        right: Sequence[Document],
        refused: Sequence[Document],
    ) -> Iterator[str]:
        """A guideline with an exception, after it and inside it, for each name of the matter."""
        names = self._exceptions(matter, body, right)
        titles = [e.title for e in (*right[:1], *refused)]
        parts = [term for title in titles for term in self.terms(title)]
        every = [self._list(some) for some in (titles, parts) if some]
        every = [self._words("except.known"), *every] if refused else []
        ended = whole if whole.rstrip().endswith(_ENDS) else f"{whole.rstrip()}{self._words('end')}"
        # Where it keeps from other answers as well, the widest exception first; else the narrowest.
        for topic in [*every, *names] if refused else [*names, *every]:
            yield f"{ended}{self._words('except.topic', asked=topic)}"
            yield whole.replace(body, self._inside(body, topic), 1)
        clause = cut(content_clause(matter.asked, self._language), _LONGEST)
        yield f"{ended}{self._words('except.asked', asked=clause)}"

    def _inside(self, body: str, topic: str) -> str:
        inside = self._words("except.inside", asked=topic)
        place = self._read.pattern("place_of_exception", re.IGNORECASE).search(body)
        at = place.start() if place else len(body.rstrip(" .。"))
        return f"{body[:at]}{inside}{body[at:]}"

    def _exceptions(self, matter: Matter, body: str, right: Sequence[Document]) -> list[str]:
        """Names of the matter, the narrowest first: words of the question and its entry's title.

        What the guideline itself names is no exception to it, nor are words that other titles have.
        """
        names = [t for t in self._topics(matter, body) if not self._is_in(t, body)]
        for entry in right[:1]:
            others = {t for e in self._entries if e != entry for t in self._tokens(e.title)}
            terms = (t for t in self.terms(entry.title) if not self._is_in(t, body))
            telling = [t for t in terms if others.isdisjoint(self._tokens(t))]
            asked = set(self._tokens(matter.asked))
            shared = [t for t in telling if not asked.isdisjoint(self._tokens(t))]
            named = entry.title[:1].lower() + entry.title[1:]
            names = [*sorted(shared, key=self._count)[:1], named, self._list(telling)]
        return list(dict.fromkeys(filter(None, names)))[:_NAMES]

    def _list(self, terms: Sequence[str]) -> str:
        terms = list(dict.fromkeys(terms))
        if self._language == "ja":
            return "、".join(terms)
        return (
            ", ".join(terms[:-1]) + (self._words("or") if terms[1:] else "") + "".join(terms[-1:])
        )

    def _is_in(self, term: str, body: str) -> bool:
        own = set(content_tokens(term, self._language))
        form, here = normal_form(term), normal_form(body)
        is_named = any(normal_form(each) in form for each in self._topic_of(body))
        return form in here or is_named or own <= set(content_tokens(body, self._language))

    # ---- Words ----

    def topics(self, lines: Sequence[str]) -> list[str]:
        """What lines name that forbid something."""
        frame = set(content_tokens(self._words("refuse.plain", asked=""), self._language))
        named = (term for line in lines if self._forbids(line) for term in self._topic_of(line))
        return [
            term
            for term in dict.fromkeys(named)
            if not frame.issuperset(content_tokens(term, self._language))
        ]

    def kept_topics(self, lines: Sequence[str], now: Sequence[str]) -> list[str]:
        """What lines named that forbade something, and still name as they are now."""
        return [term for term in self.topics(lines) if any(term in line for line in now)]

    def named_anew(self, lines: Sequence[str], now: Sequence[str]) -> list[str]:
        """What lines name now and did not name before: what an exception is for."""
        frames = (self._words(f"except.{key}", asked="") for key in ("topic", "inside", "known"))
        known = normal_form("\n".join([*lines, *frames]))
        named = (term for line in now for term in self.terms(line))
        return [term for term in dict.fromkeys(named) if normal_form(term) not in known]

    def _topic_of(self, line: str) -> list[str]:
        return self.terms(self._head(line))

    def _head(self, line: str) -> str:
        head = self._read.pattern("head").search(line)
        return head[0] if head else ""

    def _topics(self, matter: Matter, beside: str) -> list[str]:
        """What a question is about in a word or two, the most telling first.

        That is what stands beside it as well (a guideline, the person's answer), then what the
        knowledge base speaks of least, then its keywords.
        """
        language = self._language
        asked = content_clause(matter.asked, language)
        terms = self.terms(asked)
        shared = [term for term in terms if self._share(term, beside) > _HALF]
        rare = sorted(terms, key=self._count)[:1]
        known = set(content_tokens(beside, language))
        words = [w for w in re.findall(r"[A-Za-z]\w+", asked) if w not in terms]
        shared += [
            w for w in words if (own := content_tokens(w, language)) and known.issuperset(own)
        ]
        joined = self._words("or").join(shared[:2])
        texts = [joined, *rare, keywords(asked, language) or asked]
        if matter.is_refusal:  # a rule on anything else that the question names forbids at random
            texts = [t for t in texts if not known.isdisjoint(content_tokens(t, language))]
        return list(dict.fromkeys(filter(None, texts)))[:3]

    def _tokens(self, text: str) -> list[str]:
        return content_tokens(text, self._language)

    def _count(self, term: str) -> int:
        """How many entries have a word of a term."""
        own = set(self._tokens(term))
        return sum(not own.isdisjoint(self._tokens(f"{e.title}\n{e.text}")) for e in self._entries)

    def terms(self, text: str) -> list[str]:
        """Its words that name something, as they stand."""
        terms = (match[0] for match in self._read.pattern("term").finditer(text))
        small = self._read.words("small")
        return [
            term
            for term in dict.fromkeys(terms)
            if folded(term) not in small and content_tokens(term, self._language)
        ]

    def _share(self, text: str, other: str) -> float:
        """The share of a text's words that another one has; in Japanese of pairs of signs."""
        is_en = self._language == "en"
        first, second = (
            set(content_tokens(t, "en")) if is_en else _pairs(t) for t in (text, other)
        )
        return len(first & second) / len(first) if first else 0.0

    def _forbids(self, line: str) -> bool:
        text = folded(line)
        return any(mark in text for mark in self._words("forbids").split("|"))

    def _items(self, body: str) -> list[str]:
        """The parts of a list in a guideline, without what leads to the first."""
        pattern = self._read.pattern("item")
        items = [m["item"].strip() for m in pattern.finditer(self._head(body))]
        return [item for item in dict.fromkeys(items) if 1 < len(item) <= _LONGEST]


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


def _without_item(body: str, item: str, language: Language) -> str:
    """A guideline without one part of its list, and what joined it to the others."""
    joins = phrases(f"text/{language}/guidelines").lines("joins")[0]
    name = re.escape(item)
    for pattern in (f"(?:{joins}){name}", f"{name}(?:{joins})"):
        after, count = re.subn(pattern, "", body, count=1)
        if count:
            return after
    return body


def _pairs(text: str) -> set[str]:
    """The pairs of signs of Japanese words that name something, and words of letters."""
    pairs: set[str] = set()
    for run in re.findall(r"[一-龠々ァ-ヶー]+|[a-z0-9]{3,}", folded(text)):
        if run.isascii():
            pairs.add(run)
        else:
            pairs.update(run[i : i + 2] for i in range(len(run) - 1))
    return pairs
