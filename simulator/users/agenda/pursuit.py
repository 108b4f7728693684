"""How a user asks for a need, or doubts what it was told: the plans for such a message."""

import re
from collections.abc import Iterator, Sequence

from simulator.core.persona import Language, Persona, Politeness
from simulator.text.acts import is_courtesy
from simulator.users.agenda.en.matter import mention
from simulator.users.agenda.ja.matter import is_wish
from simulator.users.agenda.matter import heading, in_brief, keywords, plain_need, topic, wanted
from simulator.users.agenda.needs import Need
from simulator.users.agenda.wording import MessagePlan, Realisation, Wording, neutral

ACTS = ("ask", "rephrase")
_QUOTABLE: dict[Language, int] = {"ja": 24, "en": 60}  # characters that a person quotes
_THOUGHT = re.compile("{need}と(?:存じ|考え|思)")
_DEFINITE = ("the ", "my ", "our ", "this ")  # any other thing may be one of many
# In the unit of MessagePlan.cost: 1 is as bad as twice or half the usual length.
_OTHER_ACT = 0.6  # asked again in the same words, or by keywords at once
_IN_BRIEF = 0.3  # without I, or I want to know
_BY_KEYWORDS = 0.2  # a bot that sees no earlier turn learns less from them
_NO_COMPLAINT = 0.4
_HOLDS_BACK = 1.2  # an open person that tells nothing
_TELLS_ONE = 0.4
_COMPLAINTS = 4  # wordings that are weighed


class Pursuit:
    """Makes the plans; `wording` is the mouth of this person."""

    def __init__(self, persona: Persona, wording: Wording) -> None:
        self._language = persona.language
        self._style = persona.style
        self._wording = wording

    def plans(
        self,
        need: Need,
        *,
        complains: bool,
        facts: Sequence[str],
        before: Sequence[Realisation] = (),
        thread: Sequence[str] = (),
    ) -> list[MessagePlan]:
        """Ways to ask for a need: in its own words at first, by keywords when that was no use.

        `facts` are told unasked; `before` is said in any case, right before the question, and so is
        what the first of the texts of its `thread` is about that names anything.
        """
        again = _OTHER_ACT if need.asked else 0.0
        ways = [
            *((way, cost + again) for way, cost in self._asking(need)),
            *((way, cost + _OTHER_ACT - again) for way, cost in self._asking_again(need)),
        ]
        named = next((name for text in thread if (name := topic(text, self._language))), "")
        fixed = tuple(part for part in (before, [self._topic(named)] if named else ()) if part)
        return [
            MessagePlan((*complaint, *telling, *fixed, way), cost + unsaid + untold)
            for way, cost in ways
            for complaint, unsaid in self._complaints(complains=complains)
            for telling, untold in self._tellings(facts)
        ]

    def doubts(self, need: Need, before: Sequence[Realisation] = ()) -> list[MessagePlan]:
        """Ways to question what settled a need; what it is about is named."""
        fixed = (before,) if before else ()
        doubts = self._wording.lines("doubt")
        return [
            MessagePlan((*fixed, [self._topic(name)], doubts), cost)
            for name, cost in self._names(need)
        ]

    def _topic(self, name: str) -> Realisation:
        """*About my plan:*, for what follows to be understood by itself."""
        (opening,) = neutral(self._language).lines(f"topic_{self._style.politeness}")
        return self._wording.fixed("topic", opening.format(topic=name))

    def _names(self, need: Need) -> Iterator[tuple[str, float]]:
        """What a need asks for, whole where it is short; or the thing that it is about."""
        thing = topic(need.text, self._language)
        short = wanted(plain_need(need.text, self._language), self._language)
        if 0 < len(short) <= _QUOTABLE[self._language]:
            yield mention(short), 0.0
        elif not thing:
            yield self._quoted(need), 0.0
        if thing and (self._language == "ja" or thing.startswith(_DEFINITE)):
            yield thing, _BY_KEYWORDS

    def _complaints(
        self, *, complains: bool
    ) -> Iterator[tuple[tuple[list[Realisation], ...], float]]:
        if complains:
            yield (self._wording.lines("dissatisfied", most=_COMPLAINTS),), 0.0
        yield (), _NO_COMPLAINT if complains else 0.0

    def _tellings(
        self, facts: Sequence[str]
    ) -> Iterator[tuple[tuple[list[Realisation], ...], float]]:
        if facts:
            yield (self._wording.tellings(facts, is_asked=False),), 0.0
        if len(facts) > 1:
            yield (self._wording.tellings(facts[:1], is_asked=False),), _TELLS_ONE
        yield (), _HOLDS_BACK if facts else 0.0

    def _asking(self, need: Need) -> Iterator[tuple[list[Realisation], float]]:
        text = plain_need(need.text, self._language)
        short = topic(need.text, self._language)
        yield self._fitting("ask", text, short), 0.0
        brief = in_brief(text, self._language)
        if brief and self._style.politeness is Politeness.PLAIN:
            yield self._wording.lines("ask", need=brief, keywords=""), _IN_BRIEF

    def _fitting(self, act: str, need: str, short: str) -> list[Realisation]:
        """The wordings of an act that a need may stand in: only a wish is thought or hoped."""
        lines = self._wording.lines(act, need=need, keywords=short)
        if self._language == "en" or is_wish(need):
            return lines
        return [line for line in lines if not _THOUGHT.search(line.wording)]

    def _asking_again(self, need: Need) -> Iterator[tuple[list[Realisation], float]]:
        """The matter named in the words that it came with, or by its keywords."""
        text = plain_need(need.text, self._language)
        yield self._fitting("rephrase", text, self._quoted(need)), 0.0
        short = topic(need.text, self._language)
        if short:
            yield self._wording.lines("rephrase", keywords=short, need=""), _BY_KEYWORDS

    def _quoted(self, need: Need) -> str:
        """The words in which it came; of a long text the keywords, which nobody quotes."""
        named = heading(need.named, self._language)
        short = keywords(need.named, self._language)
        if is_courtesy(named, self._language) or not any(map(str.isalnum, named)):
            return neutral(self._language).lines("no_name")[0]
        if len(named) > _QUOTABLE[self._language] and short:
            return short if self._language == "ja" else f'"{short}"'
        return f"「{named}」" if self._language == "ja" else f'"{named}"'
