"""Each model of a client, called once as a run would: does it do what mogi needs, at what cost."""

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from simulator.core.claim import Reader, Reading, State
from simulator.core.concurrency import Halt
from simulator.core.errors import InputError, ModelError, RunStopped
from simulator.core.outcome import Unscored
from simulator.core.plan import ModelSpec, Plan
from simulator.core.ports import CallId, CallRecord, Evidence, Message, Role
from simulator.core.scenario import Expected
from simulator.core.talk import Reply, StopReason, Talk, TargetFailure, Utterance
from simulator.execution.cast import Surroundings, make_judge, make_speakers, make_target
from simulator.execution.trial import TrialJournal
from simulator.files.client.folder import LoadedClient
from simulator.llm.accounts import Accounts
from simulator.llm.parameters import Dialect
from simulator.reading.model import ModelReader
from simulator.words import Words

_EPISODE = "try"
_ITS_OWN = frozenset({StopReason.USER_FAILED, StopReason.USER_INVALID})
# Longer than the 4,096 tokens at which Ollama cuts a prompt, in words that any tokeniser knows.
_FILLER = "The user asks about a plan, and the desk answers with a price and a day. "
_FILLERS = (350, 525)  # some 6,000 and 9,000 tokens
_LONGER = 1.2  # the second prompt is half as long again: its count must show it


@dataclass(frozen=True, slots=True)
class Context:
    """What came of two long prompts, of some 6,000 and 9,000 tokens.

    `holds`: tokens that were read; `cut_at`: both were counted alike, so what is over was thrown
    away; `refused`: what was said instead of an answer. All empty: no tokens are told.
    """

    holds: int | None = None
    cut_at: int | None = None
    refused: str = ""


@dataclass(frozen=True, slots=True)
class ModelTrial:
    """What came of one model in one role.

    Attributes:
        role: On whose behalf it was called.
        model: Its name.
        endpoint: Where.
        failure: Why nothing usable came; empty where it did.
        calls: What was paid for.
        dialect: How it wants to be asked.
        context: None where that was not tried.
        is_form: Whether a form was asked for.
        paid_usd: What all of it cost, the long prompts too; None: no price is known.
        attempt_s: Seconds after which an attempt is given up.
    """

    role: Role
    model: str
    endpoint: str
    failure: str
    calls: tuple[CallRecord, ...]
    dialect: Dialect
    context: Context | None = None
    is_form: bool = True
    paid_usd: float | None = None
    attempt_s: float = 120.0

    @property
    def is_sound(self) -> bool:
        """Whether a run may begin with it."""
        return not self.failure and not (self.context and self.context.cut_at)

    @property
    def reasoning(self) -> bool:
        """Whether it writes for itself before it answers."""
        return any(map(_reasoned, self.calls))

    @property
    def cached_share(self) -> float | None:
        """Of the second prompt, what the provider had from the first; None: there was none."""
        if len(self.calls) < 2 or not self.calls[1].usage.input:
            return None
        return self.calls[1].usage.cached / self.calls[1].usage.input


@dataclass(frozen=True, slots=True)
class _Bench:
    """What the tries of one model share."""

    plan: Plan
    around: Surroundings

    def evidence(self, reply: str, episode: str) -> Evidence:
        """The first scenario's question, answered with these words."""
        cell = next(iter(self.plan.cells()))
        scenario = self.plan.scenarios[cell.scenario]
        talk = Talk(episode).with_exchange(Utterance(scenario.query), Reply(reply))
        persona, language = self.plan.personas[cell.persona], self.plan.client.language
        return Evidence(language, persona, scenario, talk, self.plan.client.guidelines)


async def try_models(plan: Plan, loaded: LoadedClient) -> Sequence[ModelTrial]:
    """What came of each model that a run of this plan would call, one after the other.

    Raises:
        InputError: no model is named, a key is missing, or the bot cannot be opened.
    """
    tries = _tries(plan)
    if not tries:
        raise InputError(
            "no model is set; set user.model or judge.model in client.yaml, or use --model"
        )
    trials: list[ModelTrial] = []
    for attempt in tries:
        contexts = {(t.model, t.endpoint): t.context for t in trials if t.context}
        trials.append(await _tried(plan, loaded, attempt, contexts))
    return trials


class _Try(NamedTuple):
    """A model in one role, and what calls it as a run would: why that failed, if it did."""

    role: Role
    spec: ModelSpec
    call: Callable[[_Bench], Awaitable[str]]


def _tries(plan: Plan) -> list[_Try]:
    client = plan.client
    every = (
        (Role.USER, client.user.chat, _user),
        (Role.JUDGE, client.judge.chat if client.judge else None, _judge),
        (Role.READER, client.reader, _reader),
        (Role.EMBEDDING, client.embedding, _embedding),
        (Role.TARGET, plan.target_model, _target),
    )
    return [_Try(role, spec, call) for role, spec, call in every if spec]


async def _tried(
    plan: Plan,
    loaded: LoadedClient,
    attempt: _Try,
    contexts: Mapping[tuple[str, str], Context],
) -> ModelTrial:
    """What came of it; long prompts are sent to a model once, whatever its roles are."""
    role, spec = attempt.role, attempt.spec
    kept, halt = TrialJournal(), Halt()  # its own: a model that is refused says nothing of another
    async with Accounts(client=plan.client, journal=kept, halt=halt) as accounts:
        try:
            failure = await attempt.call(_Bench(plan, Surroundings(loaded, accounts, secret="")))
        except (RunStopped, ModelError) as error:
            failure = str(error)
        calls, dialect = tuple(kept.records), accounts.dialect(spec)
        context = contexts.get((spec.model, accounts.where(spec)))
        if calls and not failure and context is None and role is not Role.EMBEDDING:
            context = await _context(accounts, spec, role)
        return ModelTrial(
            role=role,
            model=spec.model,
            endpoint=accounts.where(spec),
            failure=failure or ("" if calls else "mogi didn't call it"),
            calls=calls,
            dialect=dialect,
            context=context if calls and role is not Role.EMBEDDING else None,
            is_form=role in {Role.USER, Role.JUDGE},
            paid_usd=_sum(kept.records),
            attempt_s=accounts.policy.of(spec).attempt_s,
        )


async def _user(bench: _Bench) -> str:
    """Two users of one persona, in the second turn: their prompts begin alike."""
    speakers = make_speakers(bench.plan, bench.around)
    cell = next(iter(bench.plan.cells()))
    for number, reply in enumerate(_replies(bench)):
        talk = bench.evidence(reply, f"{_EPISODE}{number}").talk
        utterance = await speakers(cell, ()).speak(talk)
        if utterance.stop and utterance.stop.reason in _ITS_OWN:
            return utterance.stop.detail or utterance.stop.reason.value
    return ""


async def _judge(bench: _Bench) -> str:
    """Two answers to one question are judged: the prompts begin alike."""
    scorer = make_judge(bench.plan, bench.around)
    for number, reply in enumerate(_replies(bench)):
        turn = await scorer.score(bench.evidence(reply, f"{_EPISODE}{number}"))
        for outcome in turn.outcomes.values():
            if isinstance(outcome, Unscored) and outcome.reason.value.startswith("judge_"):
                return f"{outcome.reason.value}: {outcome.detail}"
    return ""


async def _reader(bench: _Bench) -> str:
    """One claim that words leave unknown is read."""
    chat = bench.around.accounts.chat(bench.plan.client.reader or ModelSpec(""), Role.READER)
    expected = Expected(elements=((_replies(bench)[1],),))
    evidence = bench.evidence(_replies(bench)[0], _EPISODE)
    evidence = replace(evidence, scenario=replace(evidence.scenario, expected=expected))
    unknown = tuple(Reading(c.id, State.UNKNOWN, Reader.WORDS) for c in evidence.claims)
    language, catalog = bench.plan.client.language, bench.around.loaded.catalog
    reader = ModelReader(chat, lambda name: catalog.prompt(language, name), "")
    (reading,) = await reader.read(replace(evidence, readings=unknown))
    return "" if reading.state is not State.UNKNOWN else "it doesn't say met, unmet or violated"


async def _embedding(bench: _Bench) -> str:
    spec = bench.plan.client.embedding or ModelSpec("")
    texts = [bench.evidence(reply, _EPISODE).exchange.assistant for reply in _replies(bench)]
    await bench.around.accounts.embedder(spec).embed(CallId(_EPISODE, 1, Role.EMBEDDING), texts)
    return ""


async def _target(bench: _Bench) -> str:
    target = make_target(bench.plan, bench.around)
    try:
        question = bench.evidence("", _EPISODE).exchange.user
        reply = await target.answer(question, Talk(_EPISODE))
        return f"{reply.fault.value}: {reply.message}" if isinstance(reply, TargetFailure) else ""
    finally:
        await target.close()


def _replies(bench: _Bench) -> tuple[str, str]:
    words = Words(bench.plan.client.language, "talks")
    return words("bot.asks"), words("bot.refuses")


async def _context(accounts: Accounts, spec: ModelSpec, role: Role) -> Context:
    """Whether long prompts are read to their end: the count of tokens must grow with them."""
    chat = accounts.chat(replace(spec, temperature=None), role)
    counts: list[int] = []
    for turn, fillers in enumerate(_FILLERS, 1):
        messages = [Message("user", f"{_FILLER * fillers}\nAnswer with the one word: OK")]
        try:
            completion = await chat.complete(CallId("context", turn, role), messages)
        except (ModelError, RunStopped) as error:
            return Context(counts[-1] if counts else None, refused=str(error))
        counts.append(completion.usage.input)
    first, second = counts
    if not second:
        return Context()
    return Context(cut_at=second) if second < _LONGER * first else Context(holds=second)


def form_name(trial: ModelTrial) -> str:
    """The rung of the ladder, as requests name it."""
    return ("json_schema", "json_object", "prompt")[trial.dialect.rung]


def is_read(trial: ModelTrial) -> bool:
    """Whether the endpoint tells how many tokens it read."""
    return any(call.usage.input for call in trial.calls)


def cost_of(trial: ModelTrial) -> float | None:
    """USD of one call, on average; None: no price is known, or nothing was paid for."""
    whole = _sum(trial.calls)
    return whole / len(trial.calls) if trial.calls and whole is not None else None


def _reasoned(call: CallRecord) -> bool:
    response = json.loads(call.response)
    has_thoughts = isinstance(response, dict) and (
        "reasoned" in response or "<think>" in response.get("text", "")
    )
    return bool(call.usage.reasoning) or has_thoughts


def _sum(records: Sequence[CallRecord]) -> float | None:
    costs = [record.cost_usd for record in records]
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None
