"""A user without a model: agenda-based user simulation (Schatzmann et al., NAACL-HLT 2007).

The agenda is what the user still wants to hear. Each reply is read for what it settles, and the
next act follows by rule: doubt it, tell a fact, ask for what is open, ask again in other words,
leave.
"""

import random
import re
from collections.abc import Sequence
from math import floor
from typing import Self

from simulator.core.bounds import TooMuch
from simulator.core.clean import normal_form
from simulator.core.persona import Disclosure
from simulator.core.plan import seed_of
from simulator.core.scenario import Brief
from simulator.core.talk import Stop, StopReason, Talk, Utterance
from simulator.core.worker import apart
from simulator.text.acts import Handover
from simulator.users._context import UserContext
from simulator.users.agenda.needs import (
    ACTS,
    HeardReply,
    Need,
    NeedState,
    Pursuit,
    UntoldFacts,
    needs_of,
    past_refused_aside,
    read_reply,
)
from simulator.users.agenda.wording import MessagePlan, Realisation, Wording, slipped
from simulator.words import Words

_NAMES = re.compile("{(?:need|keywords)}")
_TRIES = 2  # times that one need is pursued before the next one has its turn
_ASIDES = 2  # wordings of an aside that are weighed
_ALONE, _ONLY_THE_QUESTION = 0.5, 2.0  # costs, as in MessagePlan


def strays(share: float, seed: int, turn: int) -> bool:
    """True if this turn, from 1, is one of a share of the turns, which are evenly spread.

    Of any n in a row, share × n are, rounded up or down: systematic sampling (Madow and Madow,
    Annals of Mathematical Statistics 15, 1944), so that a talk of a few turns holds the share as
    well as a long one.
    """
    start = random.Random(seed_of(seed, "asides")).random()
    return floor(start + turn * share) > floor(start + (turn - 1) * share)


class Agenda:
    """Pursues the brief's needs turn by turn, in the persona's wordings; the same for a seed.

    It ends without a farewell, so that no turn of the bot is judged on a thank-you: what the
    persona would say stands in the stop's detail.
    """

    def __init__(self, brief: Brief) -> None:
        self._brief = brief
        self._language = brief.language
        self._words = Words(brief.language, "user")
        self._needs = needs_of(brief)
        self._pursued = self._needs[0]
        self._facts = UntoldFacts(brief)
        self._unhelpful = 0
        self._doubts = brief.persona.doubts
        self._doubted: Need | None = None
        self._is_on_topic = False  # whether the last reply has a word of the matter
        self._strayed = False  # whether its last message said something beside the matter
        self._worded: list[str] = []  # what it said, before any slip
        self._wording = Wording(brief.persona, random.Random(seed_of(brief.seed, "agenda")))
        self._pursuit = Pursuit(brief.persona, self._wording)

    @classmethod
    def open(cls, brief: Brief, context: UserContext) -> Self:
        """A user for one conversation; it needs nothing of the context."""
        return cls(brief)

    async def speak(self, talk: Talk) -> Utterance:
        """What this person says next, or the stop with which it leaves."""
        reply = talk.last.assistant
        try:
            reading = await apart(len(reply), read_reply, reply, self._language)
        except TooMuch:  # nobody makes anything of it
            reading = read_reply("", self._language)
        self._is_on_topic = bool(self._needs[0].matter & reading.stated)
        if self._strayed:
            reading = past_refused_aside(reading, self._language)
        settled = [] if _echoes(talk) else self._hear(reading)
        if doubt := self._doubt(talk, settled):
            return doubt
        if not self._open() and self._doubted is None:
            return self._end(talk)
        facts = self._facts.asked_for(reading) if reading.asks else []
        if settled:
            self._unhelpful = 0
        elif not facts:
            self._unhelpful += 1
        if self._is_out_of_patience and all(need.asked for need in self._unheard()):
            return self._leave()
        return self._said(talk, self._answer(talk, reading, facts, pleased=bool(settled)))

    def _hear(self, reading: HeardReply) -> list[Need]:
        """Note what the reply settles: the need that was in doubt, and those that it meets."""
        settled = self._hear_doubted(reading)
        for need in self._open():
            if need not in settled and need.is_met_by(reading):
                is_missed = need.is_missed_by(reading, self._language)
                need.state = NeedState.BESIDE if is_missed else NeedState.COVERED
                settled.append(need)
        self._hear_handover(reading)
        return settled

    def _hear_handover(self, reading: HeardReply) -> None:
        """Note the needs that are in other hands now, or that the bot only points elsewhere for."""
        pursued = self._pursued
        about_it = pursued.is_touched_by(reading)
        if reading.handover >= Handover.TAKEN_UP:
            for need in self._open():
                need.state = NeedState.PASSED_ON
        # "I don't know, ask the help desk" is taken for an end only when the need itself was put
        # into words; and a pointer below the answer to some other matter settles nothing.
        heard_out = pursued.asked > 0 if reading.refuses else about_it
        if pursued.state is NeedState.OPEN and reading.handover and heard_out:
            pursued.state = NeedState.SENT_AWAY

    def _hear_doubted(self, reading: HeardReply) -> list[Need]:
        """The need in doubt, if the reply stands by what was said; refused, it is open again."""
        need = self._doubted
        if need is None or (reading.asks and not reading.stated):
            return []
        self._doubted = None
        if reading.refuses:
            need.state = NeedState.OPEN
        return [] if reading.refuses else [need]

    def _open(self) -> list[Need]:
        return [need for need in self._needs if need.state is NeedState.OPEN]

    def _unheard(self) -> list[Need]:
        """The open ones that the bot never heard of: nobody leaves without a try to ask them."""
        return [need for need in self._open() if not need.is_voiced]

    @property
    def _is_out_of_patience(self) -> bool:
        return self._unhelpful > self._brief.persona.patience

    def _next_need(self, reading: HeardReply, left: int) -> Need:
        """The first that is open and was not pursued often, so that none blocks the others.

        Those that the bot never heard of go first when just so many turns are left, or no patience;
        and where it did answer, if not to the point: who goes on to the next question nags less.
        """
        needs, unheard = self._open(), self._unheard()
        is_their_turn = reading.answers or self._is_out_of_patience or len(unheard) >= left
        needs = unheard if unheard and is_their_turn else needs
        return next((need for need in needs if need.asked < _TRIES), needs[0])

    def unasked(self, talk: Talk) -> tuple[str, ...]:
        """The questions of its goal that this talk ended without: not asked, and not answered."""
        reply = read_reply(talk.last.assistant, self._language)
        return tuple(
            need.text for need in self._open() if not (need.is_voiced or need.is_met_by(reply))
        )

    def _answer(
        self, talk: Talk, reading: HeardReply, facts: Sequence[str], *, pleased: bool
    ) -> list[MessagePlan]:
        """Ways to go on: to tell what was asked, or to ask for what is open or in doubt."""
        aside = self._aside(talk)
        if facts:
            tellings = self._wording.tellings(facts, is_asked=True)
            return [MessagePlan((tellings, aside) if aside else (tellings,))]
        if self._doubted:
            plans = self._pursuit.doubts(self._doubted, aside)
        else:
            complains = not reading.asks and (reading.refuses or not pleased)
            left = self._brief.max_turns - len(talk)
            plans = self._ask(self._next_need(reading, left), aside, complains=complains)
        return self._owning_up(plans) if reading.asks and not self._is_out_of_patience else plans

    def _owning_up(self, plans: Sequence[MessagePlan]) -> list[MessagePlan]:
        """The same, and before it that what was asked cannot be told."""
        cannot = self._wording.lines("cannot_tell")
        return [
            MessagePlan((cannot,)),
            *(MessagePlan((cannot, *plan.parts), plan.cost + _ALONE) for plan in plans),
            *(MessagePlan(plan.parts, plan.cost + _ONLY_THE_QUESTION) for plan in plans),
        ]

    def _ask(
        self, need: Need, aside: Sequence[Realisation], *, complains: bool
    ) -> list[MessagePlan]:
        self._pursued = need
        tells = self._brief.persona.style.disclosure is Disclosure.OPEN
        names = need.loses_thread and (tells or need.asked or not self._is_on_topic)
        thread = (self._brief.query, self._needs[0].text) if names else ()
        return self._pursuit.plans(
            need, complains=complains, facts=self._facts.unasked, before=aside, thread=thread
        )

    def _aside(self, talk: Talk) -> list[Realisation]:
        due = strays(self._brief.persona.style.asides, self._brief.seed, talk.next_turn)
        return self._wording.lines("aside", most=_ASIDES) if due else []

    def _doubt(self, talk: Talk, settled: Sequence[Need]) -> Utterance | None:
        """A doubt of what was settled, if this person has one left, and words for it."""
        # The last turn is not spent on one: nothing could be taken after it.
        if not settled or not self._doubts or talk.next_turn >= self._brief.max_turns:
            return None
        self._doubts -= 1
        self._doubted = settled[0]
        utterance = self._put(talk, self._pursuit.doubts(settled[0], self._aside(talk)))
        if utterance is None:
            self._doubts, self._doubted = 0, None
        self._unhelpful = 0
        return utterance

    def _said(self, talk: Talk, plans: Sequence[MessagePlan]) -> Utterance:
        """A message by one of these plans; if every way to put it was used, this person leaves."""
        return self._put(talk, plans) or self._leave()

    def _put(self, talk: Talk, plans: Sequence[MessagePlan]) -> Utterance | None:
        composed = self._wording.compose(self._worded, plans)
        if composed is None:
            return None
        text, lines = composed
        acts = {line.act for line in lines}
        self._worded.append(text)
        self._strayed = "aside" in acts
        asking = [line for line in lines if line.act in ACTS]
        self._pursued.asked += bool(asking)
        # "It's that thing from before": whoever says no more has not asked yet.
        self._pursued.was_named |= any(_NAMES.search(line.wording) for line in asking)
        self._facts.remove(fact for line in lines for fact in line.facts)
        return Utterance(self._as_sent(text, talk), thought=self._thought())

    def _as_sent(self, text: str, talk: Talk) -> str:
        """The message with the slips of this person; not one that was sent before."""
        sent = {exchange.user for exchange in talk.exchanges}
        style = self._brief.persona.style
        for attempt in range(9):
            rng = random.Random(seed_of(self._brief.seed, "slips", talk.next_turn, attempt))
            message = slipped(text, style.slips, self._language, rng)
            if message not in sent:
                return message
        return text

    def _thought(self) -> str:
        if self._doubted:
            return self._words("doubted", need=self._doubted.text)
        still = " ".join(need.text for need in self._open())
        return self._words("open", needs=still) if still else ""

    def _end(self, talk: Talk) -> Utterance:
        """Every need is settled, or is for somebody else to settle."""
        if len(talk) < self._brief.min_turns:
            return self._said(talk, self._ask(self._needs[0], self._aside(talk), complains=False))
        if any(need.state is NeedState.PASSED_ON for need in self._needs):
            return Utterance(stop=Stop(StopReason.ESCALATED, self._words("passed_on")))
        if any(need.state is NeedState.SENT_AWAY for need in self._needs):
            return Utterance(stop=Stop(StopReason.GAVE_UP, self._words("sent_away")))
        is_beside = any(need.state is NeedState.BESIDE for need in self._needs)
        farewell = "" if is_beside else self._wording.farewell("satisfied")
        return Utterance(stop=Stop(StopReason.DONE, farewell))

    def _leave(self) -> Utterance:
        return Utterance(stop=Stop(StopReason.GAVE_UP, self._wording.farewell("give_up")))


def _echoes(talk: Talk) -> bool:
    """True if the bot only says again what this person has just said."""
    return normal_form(talk.last.assistant) in normal_form(talk.last.user)
