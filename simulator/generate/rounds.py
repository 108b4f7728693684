"""Rounds over all units: everybody makes an attempt, then questions are compared with each other.

Between rounds all wait for all. So what counts as a duplicate hangs on the FAQ's order alone, and
a session that was killed asks the very same questions again and finds the answers in its journal.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from simulator.core.clean import clean
from simulator.core.concurrency import Halt, work_off
from simulator.core.errors import ModelError
from simulator.core.events import Event
from simulator.core.form import folded, normal_form
from simulator.core.persona import Language
from simulator.core.ports import CallId, Role
from simulator.generate.attempts import Attempts, Progress
from simulator.generate.duplicates import Questions, Vectors
from simulator.generate.elements import is_said
from simulator.generate.forms import Candidate, QuestionFault, Rejected
from simulator.generate.units import AT_ONCE, Method, Unit
from simulator.text.phrases import phrases
from simulator.text.sentences import sentences
from simulator.text.tokens import content_tokens

_IN_FLIGHT = "stopped in the middle of an attempt"


class Watcher(Protocol):
    """Whoever watches a session: a subscriber that also hears how far a round is."""

    def __call__(self, event: Event) -> None:
        """See core.events."""

    def went(self, round_: int, done: int, of: int) -> None:
        """Called from the event loop; must be quick. `round_` counts from 1."""
        ...


@dataclass(frozen=True, slots=True)
class Rounds:
    """How the units are worked off.

    `attempts` None: no model is at hand, and only titles are made. `known` are the questions
    that are there already. `retries`: how often faulty questions are asked for again. `vectors`
    None: duplicates are told by their words alone.
    """

    attempts: Attempts | None
    known: Questions
    halt: Halt
    watcher: Watcher
    retries: int = 2
    at_once: int = AT_ONCE
    vectors: Vectors | None = None

    async def play(self, units: Sequence[Progress]) -> None:
        """Work until every unit has its questions, nobody may try again, or the halt is thrown.

        A unit that infrastructure, or the halt, keeps from ending its attempt is `broken`. A fault
        in mogi itself is raised when the others have ended.
        """
        if self.vectors is not None:
            await work_off([self.known], self.vectors.learn, self.halt, 1)
            if self.halt.reason is not None or self.halt.trouble:
                return
        for round_ in range(1, self.retries + 2):
            left = [p for p in units if p.open and not p.broken and not p.hopeless]
            if not left:
                return
            try:
                await self._attempted(left, round_)
            finally:
                self._compared(left)
            if self.halt.reason is not None:
                return

    async def _attempted(self, left: Sequence[Progress], round_: int) -> None:
        through = 0

        async def attempt(progress: Progress) -> None:
            nonlocal through
            progress.broken = _IN_FLIGHT
            try:
                await self._attempt(progress)
            except ModelError as error:  # UNAVAILABLE: it is tried again when the command is
                progress.broken = str(error)
                raise
            progress.broken = ""
            through += 1
            self.watcher.went(round_, through, len(left))

        await work_off(left, attempt, self.halt, min(self.at_once, len(left)))

    async def _attempt(self, progress: Progress) -> None:
        if progress.unit.lacks:
            progress.hopeless = True
            progress.reject(Rejected("", QuestionFault.NO_TITLE, progress.unit.lacks))
        elif progress.unit.method is Method.TITLE:
            self._titled(progress)
        elif self.attempts is not None:
            await self.attempts.make(progress)
        if self.vectors is not None and progress.candidates:
            call = CallId(progress.unit.key, progress.attempt, Role.EMBEDDING, "questions")
            texts = [candidate.question for candidate in progress.candidates]
            if vectors := await self.vectors.embed(call, texts):
                pairs = zip(progress.candidates, vectors, strict=True)
                progress.candidates = [replace(candidate, vector=v) for candidate, v in pairs]

    def _titled(self, progress: Progress) -> None:
        progress.hopeless = True  # there is no other title
        progress.attempt = 1
        entry = progress.unit.entries[0]
        elements = asked_elements(entry.title, entry.text, self.known.language)
        progress.candidates = [Candidate(" ".join(entry.title.split()), elements)]

    def _compared(self, left: Sequence[Progress]) -> None:
        """Take what no other unit has, in the units' order; the others may try again."""
        for progress in left:
            if progress.broken:
                continue
            for candidate in progress.candidates:
                other = self._like(candidate, progress.unit)
                if other is None:
                    self.known.add(candidate.question, progress.unit.voice, candidate.vector)
                    progress.accept(candidate)
                    continue
                question, attempt = candidate.question, candidate.attempt
                fault = QuestionFault.DUPLICATE
                progress.reject(Rejected(question, fault, other, attempt, candidate.checked))
            progress.candidates = []

    def _like(self, candidate: Candidate, unit: Unit) -> str | None:
        if unit.method is Method.TITLE:  # the FAQ itself tells its entries apart, if it can
            return self.known.same(candidate.question)
        return self.known.like(candidate.question, unit.voice, candidate.vector)


_pattern = phrases("generate/asked").pattern
# Of these a title asks the first that it matches.
KINDS = ("contact", "duration", "count", "money", "share", "size", "clock", "when", "where", "who")
_READ = 400  # characters of a title, as of a sentence
_NAMED = ("when", "where", "who")  # a month, a page and a person begin with a capital letter


def asked_elements(title: str, text: str, language: Language) -> tuple[str, ...]:
    """What a right answer to a title has to hold: one phrase of the passage, or nothing.

    The title has to ask how much, how many, how long, when, where or who; and those sentences of
    the passage that share the most content words with it have to hold exactly one thing of that
    kind. Where two of them could be meant, neither is taken: no element is better than a wrong
    one, since an answer without it fails.
    """
    title = title[:_READ]
    kind = asked_kind(title, language)
    if kind is None:
        return ()
    near = "\n".join(_nearest(title, text, language))
    found = _of_kind(kind, near, title, language)
    said = {normal_form(phrase): phrase for phrase in found}
    if len(said) != 1:
        return ()
    (phrase,) = said.values()
    return (phrase,) if is_said(phrase, [text], language) else ()


def asked_kind(title: str, language: Language) -> str | None:
    """Which of KINDS a title asks for; None where it asks for something else, or for nothing."""
    title = folded(title[:_READ])
    flags = re.IGNORECASE
    return next((k for k in KINDS if _pattern(f"{language}_asks_{k}", flags).search(title)), None)


def _nearest(title: str, text: str, language: Language) -> list[str]:
    """The sentences with the most content words of the title; none, where none has any."""
    asked = set(content_tokens(title, language))
    said = sentences(clean(text), language)
    shared = [len(asked.intersection(content_tokens(sentence, language))) for sentence in said]
    best = max(shared, default=0)
    return [s for s, n in zip(said, shared, strict=True) if n == best] if best else []


def _of_kind(kind: str, near: str, title: str, language: Language) -> Sequence[str]:
    """All that is of this kind in the sentences, in order, but what cannot be meant."""
    flags = re.NOFLAG if kind in _NAMED else re.IGNORECASE
    found = _pattern(f"{language}_{kind}", flags).finditer(near)
    told = normal_form(title)
    return [
        phrase
        for match in found
        if (phrase := next(filter(None, match.groups()), match.group()).strip())
        and normal_form(phrase) not in told  # what the title itself says
        and not _stands_by("outlived", match, language)
        and not (kind == "when" and _stands_by("on_condition", match, language))
        and not _is_stray_year(phrase, title, language)
        and _counts_the_same(phrase, title, kind, language)
    ]


def _stands_by(what: str, match: re.Match[str], language: Language) -> bool:
    """Whether a phrase stands behind what was found in Japanese, and before it in English.

    `outlived`: something holds once it is over (30日を過ぎると, after 30 days).
    """
    pattern = _pattern(f"{language}_{what}", re.IGNORECASE)
    if language == "ja":
        return pattern.match(match.string, match.end()) is not None
    return pattern.search(match.string[: match.start()]) is not None


def _is_stray_year(phrase: str, title: str, language: Language) -> bool:
    """Whether it is a year by itself, and nobody asks when something was."""
    if not _pattern(f"{language}_bare_year").fullmatch(phrase):
        return False
    return not _pattern(f"{language}_past", re.IGNORECASE).search(title)


def _counts_the_same(phrase: str, title: str, kind: str, language: Language) -> bool:
    """何名 is answered in 名 or 人, 何日前 by something before; English counts with nouns."""
    if kind == "duration" and language == "ja":
        return "前" in phrase or not _pattern("ja_asks_before").search(folded(title))
    if kind != "count":
        return True
    if language == "en":
        asked = _pattern("en_counted", re.IGNORECASE).search(title)
        return asked is None or bool(
            set(content_tokens(asked["noun"], "en")) & set(content_tokens(phrase, "en"))
        )
    asked = _pattern("ja_counter").search(folded(title))
    if asked is None:
        return True
    same = phrases("generate/asked").pairs("ja_same_counters")
    counters = {asked["counter"], same.get(asked["counter"], "")}
    counters |= {name for name, other in same.items() if other in counters}
    return any(name and name in phrase for name in counters)
