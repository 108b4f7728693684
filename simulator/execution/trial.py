"""Talks without a run: the bot alone, asked a question or a few; a persona alone, shown."""

import re
import secrets
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from simulator import plugins
from simulator.converse import converse
from simulator.core.concurrency import Halt
from simulator.core.persona import Persona
from simulator.core.plan import Plan
from simulator.core.ports import CallId, CallRecord
from simulator.core.scenario import Brief, Scenario
from simulator.core.talk import Exchange, Reply, Stop, StopReason, Talk, TargetFailure, Utterance
from simulator.execution.cast import Surroundings, make_target
from simulator.files.client.folder import LoadedClient
from simulator.files.prompts import Prompt
from simulator.llm.accounts import Accounts
from simulator.targets._context import Step
from simulator.targets._guard import TargetGuard
from simulator.users._context import UserContext
from simulator.users._guard import UserGuard
from simulator.users.agenda import Agenda
from simulator.words import Words

_EPISODE, _MEMORY = "try", "try-memory"
_SEED, _MAX_TURNS = 1, 5  # of the talks that show a persona
# The keys of targets that say where in an answer something stands.
_PLACES = ("answer", "delta", "documents", "document_ids", "document_titles")


@dataclass(frozen=True, slots=True)
class Memory:
    """A talk whose second question needs the first, which told the bot a number: the `code`."""

    exchanges: tuple[Exchange, ...]
    code: str

    @property
    def failed(self) -> bool:
        """Whether the bot did not answer."""
        return isinstance(self.exchanges[-1].reply, TargetFailure)

    @property
    def is_there(self) -> bool:
        """Whether the second answer holds what the first question told."""
        answer = unicodedata.normalize("NFKC", self.exchanges[-1].assistant)
        return len(self.exchanges) > 1 and self.code in re.sub(r"[\s,.-]", "", answer)


@dataclass(frozen=True, slots=True)
class Trial:
    """What a bot answered, and whether it remembered, where that was asked.

    `read`: what was read from where, as the settings say it. `steps`: the requests that it took,
    where they are more than the questions.
    """

    exchanges: tuple[Exchange, ...]
    read: Mapping[str, str]
    memory: Memory | None = None
    steps: tuple[Step, ...] = ()

    @property
    def answered(self) -> bool:
        """Whether every question has an answer."""
        failed = isinstance(self.exchanges[-1].reply, TargetFailure)
        return not failed and not (self.memory and self.memory.failed)

    @property
    def unsent(self) -> str:
        """Where an id of the talk stands that is sent back nowhere; empty where there is none."""
        replies = (e.reply for e in self.exchanges)
        return next((r.unsent for r in replies if isinstance(r, Reply) and r.unsent), "")


@dataclass(slots=True)
class TrialJournal:
    """A journal that remembers nothing, and keeps what this trial paid models for."""

    records: list[CallRecord] = field(default_factory=list)

    def recall(self, call: CallId, digest: str) -> CallRecord | None:
        """Nothing was paid for before."""
        return None

    async def record(self, record: CallRecord) -> None:
        """Keep it if a model was called."""
        if record.model:
            self.records.append(record)


def asking(loaded: LoadedClient, questions: Sequence[str]) -> tuple[LoadedClient, Sequence[str]]:
    """The client with these questions for scenarios, and the questions.

    Without any it is the first title of the knowledge base, else what everybody may be asked.
    """
    language = loaded.client.language
    titles = (entry.title for entry in (loaded.knowledge.documents() if loaded.knowledge else ()))
    wanted = questions or [next(filter(None, titles), Words(language, "trial")("hello"))]
    scenarios = {f"try-{n}": Scenario(f"try-{n}", text) for n, text in enumerate(wanted, 1)}
    return replace(loaded, scenarios=scenarios), wanted


async def try_target(
    plan: Plan, loaded: LoadedClient, questions: Sequence[str], halt: Halt
) -> Trial:
    """What the plan's bot answers to these questions, turn by turn; the first failure ends it.

    After a single question, a talk of two turns finds out whether the bot remembers; not where it
    is one of ours. Caps, deadline and sanitising are those of a run.

    Raises:
        InputError: the bot cannot be opened, or a key is missing.
        RunStopped: interrupted, or the account of a bot of ours was refused.
        ModelError: (UNAVAILABLE) the model behind a bot of ours is out of reach.
    """
    async with Accounts(client=plan.client, journal=TrialJournal(), halt=halt) as accounts:
        target = make_target(plan, Surroundings(loaded, accounts, secret=""))
        spec = plan.client.target
        is_ours = hasattr(plugins.find("targets", spec.kind), "PROMPTS")
        try:
            exchanges, steps = await _talk(target, _EPISODE, questions)
            trial = Trial(exchanges, places(spec.settings), steps=steps)
            if len(questions) == 1 and trial.answered and not is_ours:
                trial = replace(trial, memory=await _memory(target, questions[0], plan))
        finally:
            await target.close()
    return trial


async def _talk(
    target: TargetGuard, episode: str, questions: Sequence[str]
) -> tuple[tuple[Exchange, ...], tuple[Step, ...]]:
    talk = Talk(episode)
    for question in questions:
        reply = await target.answer(question, talk)
        talk = talk.with_exchange(Utterance(question), reply)
        if isinstance(reply, TargetFailure):
            break
    steps = target.steps(episode)
    await target.leave(episode)
    return talk.exchanges, steps


async def _memory(target: TargetGuard, question: str, plan: Plan) -> Memory:
    """A number that nobody guesses is told, and asked for."""
    words = Words(plan.client.language, "trial")
    code = str(10_000 + secrets.randbelow(90_000))
    questions = (words("told", code=code, question=question), words("asked"))
    exchanges, _ = await _talk(target, _MEMORY, questions)
    return Memory(exchanges, code)


def places(settings: Mapping[str, Any]) -> dict[str, str]:
    """What the settings of a target read from where."""
    read = {key: settings[key] for key in _PLACES if settings.get(key)}
    if isinstance(poll := settings.get("poll"), Mapping):
        read["poll.job"] = poll["job"]
    session = settings.get("session") or ()
    for step in [session] if isinstance(session, Mapping) else session:
        if isinstance(step, Mapping):  # a bot in this process has `session: true`
            read |= {"session.id": step["id"]} if step.get("id") else {}
            read |= {f"session.take.{name}": at for name, at in (step.get("take") or {}).items()}
    return read | {f"carry.{n}": place for n, place in (settings.get("carry") or {}).items()}


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
    return tuple([await _example(kind, persona, scenario, lines) for kind, lines in bots.items()])


async def _example(
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
    raise LookupError(f"the agenda user has no prompt, but {name} was requested")
