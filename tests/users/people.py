"""Personas, briefs and talks, as the tests of the users need them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from simulator.converse import converse
from simulator.core.persona import Disclosure, Language, Persona, Politeness, Style
from simulator.core.ports import User
from simulator.core.scenario import Brief
from simulator.core.talk import Exchange, Reply, Stop, StopReason, Talk, Utterance
from simulator.files.catalog import Catalog
from simulator.users._context import UserContext
from simulator.users._guard import UserGuard
from simulator.users.agenda import Agenda

ROOT = Path(__file__).parents[2]
PERSONAS = ("angry", "beginner", "calm")
EVERYBODY = Catalog(None, ROOT).persona_ids("ja")

QUERY: Mapping[Language, str] = {"ja": "返品したいのですが", "en": "I want to send it back"}
GOAL: Mapping[Language, str] = {
    "ja": "買った靴を返品したい。返品の送料がいくらか知りたい。",
    "en": "I want to return the shoes I bought. I want to know how much the return shipping costs.",
}
REFUSAL: Mapping[Language, str] = {
    "ja": "申し訳ございません。その件は分かりかねます。",
    "en": "I'm sorry, I don't know that.",
}
OFF_TOPIC: Mapping[Language, str] = {
    "ja": "会員登録は設定の画面から行えます。",
    "en": "You can register on the settings page.",
}

POINTED: Mapping[Language, str] = {
    "ja": "申し訳ございません。分かりかねます。サポート窓口にお問い合わせください。",
    "en": "I'm sorry, I don't know. Please contact our support desk.",
}


def no_prompt(name: str) -> object:
    raise AssertionError(f"nobody needs the prompt {name}")


CONTEXT = UserContext(None, no_prompt)  # type: ignore[arg-type]


def shipped(name: str, language: Language = "ja") -> Persona:
    return Catalog(None, ROOT).persona(language, name)


def bare(
    language: Language = "ja",
    *,
    disclosure: Disclosure = Disclosure.ASKED,
    patience: int = 2,
    length: int = 40,
    phrases: Mapping[str, tuple[str, ...]] | None = None,
) -> Persona:
    """A persona without phrases of its own, unless some are given."""
    style = Style(length, Politeness.POLITE, disclosure, "")
    return Persona("bare", language, "", "", (), style, patience, (), phrases or {})


def brief(
    persona: Persona | None = None,
    *,
    query: str | None = None,
    goal: str | None = None,
    known: Sequence[str] = (),
    unknown: Sequence[str] = (),
    turns: Sequence[str] = (),
    min_turns: int = 1,
    seed: int = 1,
) -> Brief:
    persona = persona or bare()
    return Brief(
        language=persona.language,
        persona=persona,
        query=QUERY[persona.language] if query is None else query,
        goal=GOAL[persona.language] if goal is None else goal,
        known=tuple(known),
        unknown=tuple(unknown),
        turns=tuple(turns),
        max_turns=10,
        min_turns=min_turns,
        seed=seed,
    )


def talk(*turns: tuple[str, str]) -> Talk:
    """(user, assistant) pairs as a talk."""
    return Talk("e", tuple(Exchange(n, u, Reply(a)) for n, (u, a) in enumerate(turns, start=1)))


class Bot:
    """A target that says its lines in order, and the last of them again and again."""

    def __init__(self, *replies: str) -> None:
        self._replies = replies

    async def answer(self, question: str, talk: Talk) -> Reply:
        return Reply(self._replies[min(len(talk), len(self._replies) - 1)])

    async def leave(self, episode: str) -> None: ...

    async def close(self) -> None: ...


async def held(given: Brief, *replies: str, user: User | None = None) -> tuple[list[str], Stop]:
    """What the user of a talk with such a bot said, and how it ended."""
    speaker = UserGuard(user or Agenda.open(given, CONTEXT), given, "exact")
    said: list[str] = []
    stop = Stop(StopReason.INTERRUPTED)
    async for event in converse(speaker, Bot(*replies), "e", given.max_turns):
        if isinstance(event, Stop):
            stop = event
        else:
            said.append(event.user)
    return said, stop


class Says:
    """A user that says what it was given, or raises it."""

    def __init__(self, *utterances: Utterance | Exception) -> None:
        self._utterances = list(utterances)
        self.asked = 0

    async def speak(self, talk: Talk) -> Utterance:
        self.asked += 1
        said = self._utterances.pop(0)
        if isinstance(said, Exception):
            raise said
        return said


def with_turns(given: Brief, max_turns: int) -> Brief:
    return replace(given, max_turns=max_turns)
