"""How a persona talks: two short talks without a model, made by the user that offline runs have."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from simulator.converse import converse
from simulator.core.persona import Persona
from simulator.core.scenario import Brief, Scenario
from simulator.core.talk import Exchange, Reply, Stop, StopReason, Talk
from simulator.files.prompts import Prompt
from simulator.users._context import UserContext
from simulator.users._guard import UserGuard
from simulator.users.agenda import Agenda
from simulator.words import Words

_SEED, _MAX_TURNS = 1, 5


@dataclass(frozen=True, slots=True)
class ExampleTalk:
    """A talk with a bot that says lines from a script. `kind`: asks, or refuses."""

    kind: str
    exchanges: tuple[Exchange, ...]
    stop: Stop


class _Bot:
    """Says its lines in order, and the last of them again and again."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines

    async def answer(self, question: str, talk: Talk) -> Reply:
        return Reply(self._lines[min(len(talk), len(self._lines) - 1)])

    async def leave(self, episode: str) -> None: ...

    async def close(self) -> None: ...


def scenario_to_show(scenarios: Mapping[str, Scenario]) -> Scenario:
    """The first with an answer and the most to tell, so that there is something to talk about."""
    answered = [s for s in scenarios.values() if s.expected.answers] or list(scenarios.values())
    return max(answered, key=lambda scenario: bool(scenario.goal) + len(scenario.known[:2]))


async def example_talks(persona: Persona, scenario: Scenario) -> tuple[ExampleTalk, ...]:
    """The persona's talks with a bot that asks back and then answers, and with one that refuses.

    The same every time. The opening stands in the persona's own words (`open: styled`).
    """
    words = Words(persona.language, "talks")
    refusal = words("bot.refuses")
    bots = {
        "asks": (words("bot.asks"), scenario.expected.answer or refusal),
        "refuses": (refusal,),
    }
    return tuple([await _talk(kind, persona, scenario, lines) for kind, lines in bots.items()])


async def _talk(
    kind: str, persona: Persona, scenario: Scenario, lines: Sequence[str]
) -> ExampleTalk:
    brief = Brief.of(scenario, persona, max_turns=_MAX_TURNS, min_turns=1, seed=_SEED)
    user = UserGuard(Agenda.open(brief, UserContext(None, _no_prompt)), brief, "styled")
    exchanges: list[Exchange] = []
    stop = Stop(StopReason.MAX_TURNS)
    async for event in converse(user, _Bot(lines), kind, _MAX_TURNS):
        if isinstance(event, Stop):
            stop = event
        else:
            exchanges.append(event)
    return ExampleTalk(kind, tuple(exchanges), stop)


def _no_prompt(name: str) -> Prompt:
    raise LookupError(f"the agenda user reads no prompt, but {name} was asked for")
