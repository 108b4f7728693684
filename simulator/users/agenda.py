"""A user without a model: agenda-based user simulation (Schatzmann et al., NAACL-HLT 2007).

The agenda is what the user still wants to hear. Each reply is read for what it settles, and the
next act follows by rule: tell a fact, ask for what is open, ask again in other words, leave.
"""

import random
from typing import Self

from simulator.core.persona import Disclosure, Language
from simulator.core.plan import seed_of
from simulator.core.scenario import Brief
from simulator.core.talk import Stop, StopReason, Talk, Utterance
from simulator.text.normal import normal_form
from simulator.text.tokens import content_tokens
from simulator.text.word_sets import word_set
from simulator.users._context import UserContext
from simulator.users._keywords import keywords, plain_need
from simulator.users._needs import Need, State, needs_of
from simulator.users._reading import Reading, read
from simulator.users._wording import Line, Wording

_PURSUING = ("ask", "rephrase")
_TRIES = 2  # times that one need is pursued before the next one has its turn
# A question that holds nothing but these asks for whatever the user can tell.
_GENERAL: dict[Language, frozenset[str]] = {
    "ja": word_set("""
        教える 聞く 聞かせる 知る 伺う 尋ねる 詳しい 詳細 状況 様子 経緯 内容 具体 的 情報
        用件 事情 件 問題 もう 少し
    """),
    "en": word_set("""
        tel know shar giv provid describ explain elaborat bit littl exactli detail situation problem
        issu case context information specific happen help
    """),
}
_QUOTABLE: dict[Language, int] = {"ja": 24, "en": 60}  # characters that a person quotes
_FINAL = " 。．.、,!！?？…"
_PASSED_ON: dict[Language, str] = {
    "ja": "人の担当者に引き継がれた",
    "en": "the matter was passed on to a person",
}
_OPEN: dict[Language, str] = {"ja": "まだ聞けていないこと: ", "en": "still open: "}


class Agenda:
    """Pursues the brief's needs turn by turn, in the persona's wordings; the same for a seed.

    It ends without a farewell, so that no turn of the bot is judged on a thank-you: what the
    persona would say stands in the stop's detail.
    """

    def __init__(self, brief: Brief) -> None:
        self._brief = brief
        self._language = brief.language
        self._needs = needs_of(brief)
        self._untold = list(brief.known)
        self._unhelpful = 0
        rng = random.Random(seed_of(brief.seed, "agenda"))
        self._wording = Wording(brief.persona, rng)
        self._pursued = self._needs[0]

    @classmethod
    def open(cls, brief: Brief, context: UserContext) -> Self:
        """A user for one conversation; it needs nothing of the context."""
        return cls(brief)

    async def speak(self, talk: Talk) -> Utterance:
        """What this person says next, or the stop with which it leaves."""
        reading = read(talk.last.assistant, self._language)
        progress = not _echoes(talk) and self._hear(reading)
        if not self._open():
            if len(talk) >= self._brief.min_turns:
                return self._content()
            return self._said(talk, self._pursuit(self._needs[0], complains=False))
        facts = self._facts_for(reading) if reading.asks else []
        if not progress and not facts:
            self._unhelpful += 1
            if self._unhelpful > self._brief.persona.patience:
                return self._leave()
        self._unhelpful = 0 if progress else self._unhelpful
        if facts:
            return self._said(talk, [[self._wording.tellings(facts, asked=True)]])
        pursuit = self._pursuit(self._next_need(), complains=reading.refuses or not progress)
        cannot = [[self._wording.lines("cannot_tell")]] if reading.asks else []
        return self._said(talk, [*cannot, *pursuit])

    def _hear(self, reading: Reading) -> bool:
        """Note what the reply settles; whether it settles anything."""
        before = len(self._open())
        for need in self._open():
            if need.is_met_by(reading):
                need.state = State.COVERED
        pursued = self._pursued
        # "I don't know, ask the help desk" is taken for an end only when the need itself was put
        # into words; and a pointer below the answer to some other matter settles nothing.
        heard_out = pursued.asked > 0 if reading.refuses else pursued.is_touched_by(reading)
        if pursued.state is State.OPEN and reading.passes_on and heard_out:
            pursued.state = State.PASSED_ON
        return len(self._open()) < before

    def _open(self) -> list[Need]:
        return [need for need in self._needs if need.state is State.OPEN]

    def _next_need(self) -> Need:
        """The first that is open and was not pursued often, so that none blocks the others."""
        open_needs = self._open()
        return next((need for need in open_needs if need.asked < _TRIES), open_needs[0])

    def _facts_for(self, reading: Reading) -> list[str]:
        """What this person tells when the bot asks; empty where it cannot or does not tell."""
        wanted = reading.asked - _GENERAL[self._language]
        by_fit = sorted(self._untold, key=lambda fact: -self._fit(fact, wanted))
        fitting = [fact for fact in by_fit if self._fit(fact, wanted)]
        best = self._fit(fitting[0], wanted) if fitting else 0
        if any(self._fit(unknown, wanted) > best for unknown in self._brief.unknown):
            return []
        disclosure = self._brief.persona.style.disclosure
        if disclosure is Disclosure.OPEN or not wanted:  # 詳しく教えてください: anything will do
            fitting = by_fit
        return fitting[:1] if disclosure is Disclosure.GRUDGING else fitting

    def _fit(self, fact: str, wanted: frozenset[str]) -> int:
        return len(wanted.intersection(content_tokens(fact, self._language)))

    def _pursuit(self, need: Need, *, complains: bool) -> list[list[list[Line]]]:
        """Ways to ask for a need: in its own words at first, by keywords when that was no use."""
        self._pursued = need
        acts = [self._asking(need), self._asking_again(need)]
        ways = [way for way in (acts if need.asked == 0 else acts[::-1]) if way]
        complaint = [self._wording.lines("dissatisfied")] if complains else []
        told: list[list[list[Line]]] = []
        if self._untold and self._brief.persona.style.disclosure is Disclosure.OPEN:
            tellings = self._wording.tellings
            told = [[tellings(some, asked=False)] for some in (self._untold, self._untold[:1])]
        return [
            [*before, *extra, way]
            for way in ways
            for extra in (*told, [])
            for before in (complaint, [])
        ]

    def _asking(self, need: Need) -> list[Line]:
        text = plain_need(need.text, self._language)
        return self._wording.lines("ask", need=text) if text else []

    def _asking_again(self, need: Need) -> list[Line]:
        """The matter named in the words that it came with; a long text by its keywords."""
        named = self._brief.query if need is self._needs[0] else need.text
        named = named.strip(_FINAL)
        if len(named) > _QUOTABLE[self._language]:
            named = keywords(named, self._language) or named
        quoted = f"「{named}」" if self._language == "ja" else f'"{named}"'
        return self._wording.lines("rephrase", keywords=quoted)

    def _said(self, talk: Talk, plans: list[list[list[Line]]]) -> Utterance:
        composed = self._wording.compose((e.user for e in talk.exchanges), plans)
        if composed is None:  # every way to put it was used
            return self._leave()
        text, lines = composed
        self._pursued.asked += any(line.act in _PURSUING for line in lines)
        told = {fact for line in lines for fact in line.facts}
        self._untold = [fact for fact in self._untold if fact not in told]
        still = " ".join(need.text for need in self._open())
        return Utterance(text, thought=f"{_OPEN[self._language]}{still}" if still else "")

    def _content(self) -> Utterance:
        """Every need is settled, by the bot or by a person it named."""
        if any(need.state is State.PASSED_ON for need in self._needs):
            return Utterance(stop=Stop(StopReason.ESCALATED, _PASSED_ON[self._language]))
        farewell = self._wording.lines("satisfied")[0].text
        return Utterance(stop=Stop(StopReason.DONE, farewell))

    def _leave(self) -> Utterance:
        farewell = self._wording.lines("give_up")[0].text
        return Utterance(stop=Stop(StopReason.GAVE_UP, farewell))


def _echoes(talk: Talk) -> bool:
    """Whether the bot only says again what this person has just said."""
    return normal_form(talk.last.assistant) in normal_form(talk.last.user)
