"""Bots with one known fault each: `answer(question, history)` over one of the FAQs.

A fault is a function from a Talk to what the bot says and the entries that it retrieved, or None
where there is nothing to plant it in: then the bot is right.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.planted.faqs import DATA, Case, Entry, Faq, Language, _yaml

History = Sequence[tuple[str, str]]
Said = tuple[str, tuple[Entry, ...]]
LINES: Mapping[str, Mapping[str, list[str]]] = _yaml(DATA / "bots.yaml")
WRITTEN: Mapping[str, Mapping[str, Mapping[str, str]]] = _yaml(DATA / "reworded.yaml")
_BESIDE = 2  # entries that a search returns beside the right ones
_SENTENCE = re.compile(r"[^。！？\n]+[。！？]?|\n", re.ASCII)
_ENGLISH = re.compile(r".+?(?:[.!?](?=\s|$)|$)\s*", re.DOTALL)
_TURNED: Mapping[Language, Sequence[tuple[str, str]]] = {
    "ja": (
        ("できません", "できます"),
        ("入れません", "入れます"),
        ("れていません", "れています"),
        ("ていません", "ています"),
        ("はありません", "があります"),
        ("されません", "されます"),
        ("できます", "できません"),
        ("使えます", "使えません"),
        ("入れます", "入れません"),
        ("見られます", "見られません"),
        ("必要です", "必要ありません"),
        ("かかります", "かかりません"),
        ("返金します", "返金しません"),
        ("なります", "なりません"),
        ("されます", "されません"),
    ),
    "en": (
        (" cannot be ", " can be "),
        (" is not ", " is "),
        (" are not ", " are "),
        (" will not ", " will "),
        (" do not ", " do "),
        (" does not ", " does "),
        (" not allowed", " allowed"),
        (" can ", " cannot "),
        (" will be ", " will not be "),
        (" are ", " are not "),
        (" is ", " is not "),
        (" costs ", " does not cost "),
    ),
}


@dataclass
class Talk:
    """What a fault sees of a talk."""

    faq: Faq
    case: Case
    question: str
    history: History

    @property
    def number(self) -> int:
        """Of the scenario, from 0: faults take turns by it."""
        return self.faq.cases.index(self.case)

    def line(self, kind: str) -> str:
        """One of the lines that faulty bots say; another one on each turn and for each scenario."""
        lines = LINES[self.faq.language][kind]
        return lines[(self.number + len(self.history)) % len(lines)]

    def written(self, kind: str) -> Said | None:
        """An answer that somebody wrote for this scenario."""
        said = WRITTEN.get(self.faq.name, {}).get(kind, {}).get(self.case.id)
        return (said, self.found()) if said else None

    def expected(self) -> tuple[Entry, ...]:
        return tuple(e for e in self.faq.entries if e.id in self.case.documents)

    def found(self) -> tuple[Entry, ...]:
        """What a search that works returns."""
        return (*self.expected(), *self.others()[:_BESIDE])

    def others(self, text: str = "") -> tuple[Entry, ...]:
        """The entries that should not be found, those nearest to the text first."""
        wanted = _pairs(text or self.case.query)
        rest = (e for e in self.faq.entries if e.id not in self.case.documents)
        return tuple(sorted(rest, key=lambda e: -len(wanted & _pairs(e.title + e.content))))

    def facts(self) -> str:
        """All that the right entries say."""
        return "\n".join(e.content for e in self.expected())


Fault = Callable[[Talk], Said | None]


@dataclass
class Bot:
    """A fault put to work. `planted` fills with the scenarios in which there was one."""

    fault: Fault
    faq: Faq
    planted: set[str] = field(default_factory=set)

    def answer(self, question: str, history: History) -> dict[str, Any]:
        opening = _pairs(history[0][0] if history else question)
        case = max(self.faq.cases, key=lambda c: _share(opening, _pairs(c.query)))
        talk = Talk(self.faq, case, question, history)
        said = self.fault(talk)
        if said is not None:
            self.planted.add(case.id)
        text, entries = said or _right(talk)
        return {"answer": text, "documents": [{"id": e.id, "text": e.content} for e in entries]}


def _right(talk: Talk) -> Said:
    if talk.case.answerable is False:
        return talk.line("refusals"), talk.others()[:_BESIDE]
    if not talk.expected():
        return talk.line("asks_back"), ()
    return talk.facts(), talk.found()


def right(talk: Talk) -> Said:
    """Finds the entry and says it; says so where there is none."""
    return _right(talk)


def paraphrases(talk: Talk) -> Said | None:
    """The same facts in other words, another order and tone."""
    return (talk.case.again, talk.found()) if talk.case.again else None


def rewords(talk: Talk) -> Said | None:
    """The same facts, briefly, without the words that are expected."""
    return talk.written("rewords")


def is_wrong(talk: Talk) -> Said | None:
    """Something else on the same matter."""
    return talk.written("is_wrong")


def invents(talk: Talk) -> Said | None:
    """Figures and procedures from nowhere, with the right entry at hand."""
    return (talk.line("inventions"), talk.found()) if talk.case.elements else None


def leaves_half_out(talk: Talk) -> Said | None:
    """The first half of the sentences."""
    kept = sentences(talk.facts(), talk.faq.language)
    kept = kept[: len(kept) // 2]
    text = "".join(kept).strip()
    lacking = [e for e in talk.case.elements if not any(_in(a, text) for a in e)]
    said = [e for e in talk.case.elements if any(_in(a, talk.facts()) for a in e)]
    return (text, talk.found()) if text and set(lacking) & set(said) else None


def recommends_competitors(talk: Talk) -> Said | None:
    """The right answer, and a company that no document holds."""
    if not talk.expected():
        return None
    space = "" if talk.faq.language == "ja" else " "
    return talk.facts() + space + talk.line("competitors"), talk.found()


def refuses_all(talk: Talk) -> Said | None:
    return (talk.line("refusals"), talk.found()) if talk.case.answerable else None


def never_refuses(talk: Talk) -> Said | None:
    """Says something where there is no answer: the nearest entry, or what sounds like one."""
    if talk.case.answerable is not False:
        return None
    near = talk.others()
    return (near[0].content if talk.number % 2 else talk.line("anyway")), near[:_BESIDE]


def unfindable(talk: Talk) -> Said | None:
    """The search does not find the entry: refuses, or says what it found instead."""
    if not (talk.case.answerable and talk.expected()):
        return None
    near = talk.others()
    return (near[0].content if talk.number % 2 else talk.line("refusals")), near[:3]


def removed(talk: Talk) -> Said | None:
    """The entry is not in the knowledge base: refuses, or says what it found instead."""
    if talk.case.documents or not talk.case.elements:
        return None
    near = talk.others(talk.case.query + "".join(a for e in talk.case.elements for a in e))
    return (near[0].content if talk.number % 2 else talk.line("refusals")), near[:3]


def changes_a_number(talk: Talk) -> Said | None:
    """A number that is expected becomes another one."""
    text, facts = talk.facts(), talk.facts()
    for element in (a for e in talk.case.elements for a in e if _in(a, facts)):
        if any(c.isdigit() for c in element):
            text = text.replace(element, re.sub(r"\d+", _other, element, count=1))
    return (text, talk.found()) if text != facts else None


def negates(talk: Talk) -> Said | None:
    """A statement becomes its opposite: one with an expected element, where one can be turned."""
    parts = sentences(talk.facts(), talk.faq.language)
    elements = [a for e in talk.case.elements for a in e]
    ranked = sorted(range(len(parts)), key=lambda n: not any(_in(a, parts[n]) for a in elements))
    for n in ranked:
        if not any(_in(a, parts[n]) for a in elements):
            return None
        turned = _turned(parts[n], talk.faq.language)
        if turned != parts[n]:
            return "".join([*parts[:n], turned, *parts[n + 1 :]]), talk.found()
    return None


def asks_back(talk: Talk) -> Said | None:
    """Wants to know more, and then answers."""
    if not talk.expected():
        return None
    return _right(talk) if talk.history else (talk.line("asks_back"), ())


def forgets(talk: Talk) -> Said | None:
    """Wants to know more, and then looks for the last utterance by itself."""
    if not talk.expected():
        return None
    if not talk.history:
        return talk.line("asks_back"), ()
    asked = _pairs(talk.question)
    near = sorted(talk.faq.entries, key=lambda e: -_share(asked, _pairs(e.title)))[:3]
    return near[0].content, tuple(near)


FAULTS: Mapping[str, Fault] = {
    f.__name__: f
    for f in (
        right,
        paraphrases,
        rewords,
        is_wrong,
        asks_back,
        invents,
        changes_a_number,
        negates,
        leaves_half_out,
        recommends_competitors,
        refuses_all,
        never_refuses,
        unfindable,
        removed,
        forgets,
    )
}


def sentences(text: str, language: Language) -> list[str]:
    """The sentences with what stands behind them: joined they are the text."""
    return (_SENTENCE if language == "ja" else _ENGLISH).findall(text)


def _turned(sentence: str, language: Language) -> str:
    if re.search(r"\b(?:if|neither|once)\b", sentence, re.IGNORECASE):
        return sentence  # a condition states nothing that could be turned
    for old, new in _TURNED[language]:
        if old in sentence:
            return sentence.replace(old, new, 1)
    return sentence


def _other(number: re.Match[str]) -> str:
    """Another number of as many digits where that can be: 500 → 700, 21 → 41, 9 → 2."""
    digits = number[0]
    first = str((int(digits[0]) + 1) % 9 + 1)
    return first + digits[1:]


def _in(element: str, text: str) -> bool:
    return element.casefold() in text.casefold()


def _pairs(text: str) -> frozenset[str]:
    text = text.casefold()
    return frozenset(text[i : i + 2] for i in range(len(text) - 1))


def _share(a: frozenset[str], b: frozenset[str]) -> float:
    return len(a & b) / max(1, len(a | b))
