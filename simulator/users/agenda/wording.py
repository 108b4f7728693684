"""How the agenda user words its acts: the persona's phrases, never the same message twice."""

import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import log

from simulator.core.persona import Language, Persona, Slips
from simulator.text.phrases import Phrases, phrases
from simulator.users.agenda.ja.register import fitted

_FUNCTION_WORD = re.compile(
    r"(?:The|My|Our|It|There|This|That|These|Those|He|She|We|They|You|A|An|No|In|On|At|Since|When"
    r"|If|Only|Some|All|Both|For|From|Nothing|Nobody|Yes)\b(?!')"
)
_NEAR = 40  # characters
_ENDS = re.compile(r"(?:(?<!\.)\.|[!?\n])[\"')]*\s*$")  # dots that trail off end nothing
_FINAL = " 。．.、,"
_HEAD = re.compile(r"[\s、。,.!…:：]")
_ASKS = re.compile('[?？][」"]?$')
_JA_PAUSES = ("。", "、")
_STOPS = ("?", "？", ".", "。")
_QUESTION_ENDS = ("?", "？", "か。", "か", "…？")
# What makes a message less fit.
_FAR = 1.5  # times the distance of its length from the usual one: twice or half of it costs 1
_USED = 1.0
_TELLINGS = 3  # wordings of one set of facts that are weighed
_TASTE = 0.35  # at most, by chance: one person does not always find the same words
_SPREAD = 0.25  # of the lengths of one person's messages, as a standard deviation of logarithms


@dataclass(frozen=True, slots=True)
class Realisation:
    """A wording of one act, filled in; `facts` are those that it gives away.

    `size` is in characters (ja) or words (en); `cost` says how much less fit it is than others.
    """

    act: str
    text: str
    wording: str
    facts: tuple[str, ...] = ()
    size: int = 0
    cost: float = 0.0


@dataclass(frozen=True, slots=True)
class MessagePlan:
    """The parts of one message in order, each with its wordings.

    `cost` is how much less this person would like to say it so; a message of twice or half the
    usual length costs 1.
    """

    parts: tuple[Sequence[Realisation], ...]
    cost: float = 0.0


class Wording:
    """The mouth of one user in one conversation."""

    def __init__(self, persona: Persona, rng: random.Random) -> None:
        self._persona = persona
        self._rng = rng
        self._used: Counter[str] = Counter()
        typing = persona.style.slips is Slips.TYPING
        self._sets_capitals = persona.language == "en" and not typing

    def lines(self, act: str, *, most: int = 99, **values: str) -> list[Realisation]:
        """The wordings of an act, filled in, the fittest first; those that were used come last.

        A wording that needs a value which is empty is left out.
        """
        lacking = [f"{{{name}}}" for name, value in values.items() if not value]
        realisations = [
            self._line(act, wording, cost, self._filled(wording, values))
            for wording, cost in self._wordings(act)
            if not any(slot in wording for slot in lacking)
        ]
        return realisations[:most]

    def fixed(self, act: str, text: str) -> Realisation:
        """A line that is no wording of the persona's."""
        return Realisation(act, text, text, size=size(text, self._persona.language))

    def tellings(self, facts: Sequence[str], *, is_asked: bool) -> list[Realisation]:
        """Wordings that give away these facts at once; unasked, none that ends with a question."""
        between = "。" if self._persona.language == "ja" else ". "
        bare = [fact.strip(_FINAL) for fact in facts]
        lines = []
        for wording, cost in self._wordings("tell"):
            statement = between.join(self._embedded(wording, bare))
            line = self._line("tell", wording, cost, self._filled(wording, {"fact": statement}))
            lines.append(replace(line, facts=tuple(facts)))
        plain = [line for line in lines if not line.text.endswith(_QUESTION_ENDS)]
        return (lines if is_asked else plain or lines)[:_TELLINGS]

    def farewell(self, act: str) -> str:
        """A last word that is not sent."""
        return self._rng.choice(phrases_of(self._persona, act))

    def compose(
        self, history: Iterable[str], plans: Iterable[MessagePlan]
    ) -> tuple[str, tuple[Realisation, ...]] | None:
        """The fittest message that is new; None if there is none.

        Fit is what is about as long as this person writes (its usual length, varied by chance),
        in the plan that it likes best, in words that it has not used yet.
        """
        before = set(history)
        space = "" if self._persona.language == "ja" else " "
        chosen: tuple[str, tuple[Realisation, ...]] | None = None
        for lines in self._by_fitness(plans):
            texts = [line.text for line in lines]
            text = space.join(texts)
            if text in before:
                continue
            alike = _starts_alike(texts)
            if chosen is None or not alike:
                chosen = text, lines
            if not alike:
                break
        self._used.update(line.wording for line in (chosen[1] if chosen else ()))
        return chosen

    def _by_fitness(self, plans: Iterable[MessagePlan]) -> Iterator[tuple[Realisation, ...]]:
        usual = log(self._persona.style.length) + self._rng.gauss(0, _SPREAD)
        ranked = [
            (
                plan.cost
                + sum(line.cost for line in lines)
                + _FAR * abs(log(max(1, sum(line.size for line in lines))) - usual),
                lines,
            )
            for plan in plans
            for lines in product(*plan.parts)
        ]
        ranked.sort(key=lambda item: item[0])
        return (lines for _, lines in ranked)

    def _wordings(self, act: str) -> list[tuple[str, float]]:
        """The wordings of an act with their costs, the fittest first."""
        wordings = phrases_of(self._persona, act)
        least = min(self._used[wording] for wording in wordings)
        costs = [
            (wording, _TASTE * self._rng.random() + _USED * (self._used[wording] - least))
            for wording in wordings
        ]
        return sorted(costs, key=lambda pair: pair[1])

    def _line(self, act: str, wording: str, cost: float, text: str) -> Realisation:
        return Realisation(act, text, wording, size=size(text, self._persona.language), cost=cost)

    def _filled(self, wording: str, values: dict[str, str]) -> str:
        for name, value in values.items():  # one slot each, so nothing is filled in twice
            before, slot, after = wording.partition(f"{{{name}}}")
            fit = cased(value, before) if self._sets_capitals else value
            if name == "need" and after[:1] in _JA_PAUSES and self._persona.language == "ja":
                fit = fitted(value, self._persona.style.politeness, after)
            if _ASKS.search(fit):  # a question that is quoted brings its own mark
                after = after[1:] if after[:1] in _STOPS else after
            wording = f"{before}{fit}{after}" if slot else wording
        return wording

    def _embedded(self, wording: str, facts: Sequence[str]) -> Iterator[str]:
        """The facts as this person puts them; only the first and last meet the wording."""
        before, _, after = wording.partition("{fact}")
        for at, fact in enumerate(facts):
            if self._persona.language == "ja":
                follows = after if at == len(facts) - 1 else ""
                yield fitted(fact, self._persona.style.politeness, follows)
            else:
                yield cased(fact, before if at == 0 else "") if self._sets_capitals else fact


def phrases_of(persona: Persona, act: str) -> tuple[str, ...]:
    """The persona's wordings of an act, or the neutral ones of its language; never empty.

    Raises:
        KeyError: there is no such act.
    """
    return persona.phrases.get(act) or neutral(persona.language).lines(act)


def neutral(language: Language) -> Phrases:
    """The wordings of somebody who has none of its own."""
    return phrases(f"users/agenda/{language}/phrases")


def cased(text: str, before: str) -> str:
    """English text, with a capital where a sentence begins, and inside one without if it may."""
    if not before.strip() or _ENDS.search(before[-_NEAR:]):
        return text[:1].upper() + text[1:]
    return text[:1].lower() + text[1:] if _FUNCTION_WORD.match(text) else text


def size(text: str, language: Language) -> int:
    """How long a message is: characters in Japanese, words in English."""
    return len(text) if language == "ja" else len(text.split())


def _starts_alike(texts: Sequence[str]) -> bool:
    """True if a part starts as an earlier one does or ends: *I'm lost, sorry. Sorry, …*."""
    heads = [_HEAD.split(text.casefold(), maxsplit=1)[0] for text in texts]
    return any(
        len(head) > 2 and head in earlier.casefold()
        for at, head in enumerate(heads)
        for earlier in texts[:at]
    )
