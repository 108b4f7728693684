"""What can be counted of how a persona talks, from its talks with bots that follow a script."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from math import hypot, log
from statistics import mean

from simulator.checks.realism import registers
from simulator.core.clean import normal_form
from simulator.core.persona import Language, Persona, Politeness, Slips
from simulator.core.scenario import Brief, Scenario
from simulator.core.talk import Stop
from simulator.files.client.folder import load_client
from simulator.text.tokens import sentences
from simulator.users.agenda.wording import size
from tests.users.people import OFF_TOPIC, REFUSAL, ROOT, held

CLIENTS: dict[Language, str] = {"ja": "demo", "en": "demo-en"}
_ASKED: dict[Language, str] = {
    "ja": "ご状況をもう少し詳しく教えていただけますか。",
    "en": "Could you tell me a bit more about your situation?",
}
_SCENARIOS, _SEEDS, _MAX_TURNS, _GRAM = 10, (1, 2), 8, 4


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """Figures of one persona's own turns; the first turn, which is the scenario's, is left out.

    `length`: the mean, in characters (ja) or words (en). `courteous` and `formal`: shares of the
    sentences that have a register. `unasked`: share of the facts told though nobody asked;
    `asked`: facts told to the first question. `leaves_after`: own turns before giving up.
    `asides`, `slips`: shares of turns. `doubts`: turns a talk, after the answer was given.
    `sentence`: mean length of a sentence, as `length`. `questions`: share of turns that ask.
    """

    length: float
    courteous: float
    formal: float
    unasked: float
    asked: float
    leaves_after: float
    asides: float
    slips: float
    doubts: float
    sentence: float
    questions: float
    said: tuple[str, ...]
    own_words: frozenset[str]

    def vector(self) -> tuple[float, ...]:
        """Figures of about equal weight: 1 is a difference that a reader cannot miss."""
        return (
            log(self.length) / log(1.5),
            2.5 * self.courteous,
            2 * self.formal,
            2 * self.unasked,
            1.5 * self.asked,
            self.leaves_after,
            3 * self.asides,
            2 * self.slips,
            self.doubts,
            log(self.sentence) / log(1.5),
            2 * self.questions,
        )

    def shared_words(self, other: "Fingerprint") -> float:
        """The share of its and the other's own words, in pieces, that both use (Jaccard)."""
        return len(self.own_words & other.own_words) / len(self.own_words | other.own_words)

    def distance(self, other: "Fingerprint") -> float:
        """Euclidean distance of the vectors."""
        pairs = zip(self.vector(), other.vector(), strict=True)
        return hypot(*(a - b for a, b in pairs))


@cache
def scenarios(language: Language) -> tuple[Scenario, ...]:
    """Some of the demo's, with an answer and something to tell."""
    found = load_client(CLIENTS[language], cwd=ROOT).scenarios.values()
    return tuple(islice((s for s in found if s.expected.answer and len(s.known) > 1), _SCENARIOS))


async def fingerprint(persona: Persona) -> Fingerprint:
    """Play a persona against a bot that never helps, one that helps late, and one that asks."""
    language = persona.language
    never = [await _talk(b, OFF_TOPIC[language], REFUSAL[language]) for b in _briefs(persona)]
    late = [await _talk(b, OFF_TOPIC[language], _answer(b)) for b in _briefs(persona)]
    asking = [await _talk(b, _ASKED[language], _answer(b)) for b in _briefs(persona)]
    tidy = replace(persona, style=replace(persona.style, slips=Slips.NONE))
    worded = [(await _talk(b, OFF_TOPIC[language], REFUSAL[language])).said for b in _briefs(tidy)]
    turns = [text for talk in (*never, *late, *asking) for text in talk.said]
    counts = sum((registers(text, language) for text in turns), Counter[Politeness | None]())
    courteous = counts[Politeness.POLITE] + counts[Politeness.FORMAL]
    with_register = courteous + counts[Politeness.PLAIN]
    return Fingerprint(
        length=mean(size(text, language) for text in turns),
        courteous=courteous / with_register,
        formal=counts[Politeness.FORMAL] / with_register,
        unasked=mean(talk.told() for talk in never),
        asked=mean(talk.told(first=True) for talk in asking),
        leaves_after=mean(len(talk.said) for talk in never),
        asides=_share(turns, persona.phrases.get("aside", ())),
        slips=mean(
            a != b
            for talk, tidied in zip(never, worded, strict=True)
            for a, b in zip(talk.said, tidied, strict=True)
        ),
        doubts=_share(turns, persona.phrases.get("doubt", ())) * len(turns) / len(late + asking),
        sentence=mean(
            size(sentence, language) for text in turns for sentence in sentences(text, language)
        ),
        questions=mean(any(mark in text for mark in "?？") for text in turns),
        said=tuple(turns),
        own_words=_grams(turns) - _grams(_given(persona)),
    )


@dataclass(frozen=True, slots=True)
class _Played:
    brief: Brief
    said: tuple[str, ...]
    stop: Stop

    def told(self, *, first: bool = False) -> float:
        """The share of the facts that stand in all turns, or in the first of them."""
        text = normal_form(" ".join(self.said[:1] if first else self.said))
        # Endings may have become polite: the beginning has to do.
        starts = [normal_form(fact)[: max(4, len(fact) // 2)] for fact in self.brief.known]
        return mean(start in text for start in starts)


def _briefs(persona: Persona) -> list[Brief]:
    return [
        Brief.of(scenario, persona, max_turns=_MAX_TURNS, min_turns=1, seed=seed)
        for scenario in scenarios(persona.language)
        for seed in _SEEDS
    ]


def _answer(brief: Brief) -> str:
    return next(s.expected.answer for s in scenarios(brief.language) if s.query == brief.query)


async def _talk(brief: Brief, *replies: str) -> _Played:
    said, stop = await held(brief, *replies)
    return _Played(brief, tuple(said[1:]), stop)


def _share(turns: Sequence[str], phrases: Sequence[str]) -> float:
    return mean(any(phrase in text for phrase in phrases) for text in turns)


def _given(persona: Persona) -> list[str]:
    found = scenarios(persona.language)
    return [text for s in found for text in (s.query, s.goal, *s.known)]


def _grams(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(text[at : at + _GRAM] for text in texts for at in range(len(text) - _GRAM + 1))
