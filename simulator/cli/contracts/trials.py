"""The JSON of what is tried before a run: its cost, the models, the bot alone."""

from collections.abc import Mapping, Sequence
from dataclasses import field

from simulator.cli.contracts.lists import Reach
from simulator.core.errors import TargetFault
from simulator.core.plan import Reached
from simulator.core.ports import Role, Usage
from simulator.core.talk import Exchange, TargetFailure
from simulator.execution.estimate import RoleEstimate, RunEstimate
from simulator.execution.models_trial import Context, ModelTrial, cost_of, form_name
from simulator.execution.trial import Trial
from simulator.formats.json_contracts import LEFT_OUT, Count, Share, contract, filled
from simulator.llm.prices import Bounds


@contract
class DryRun:
    """What `mogi run CLIENT --dry-run --json` prints; also `score` and `rejudge`."""

    conversations: Count
    """Conversations that would be played."""
    target_calls: Bounds
    """Calls of the bot."""
    roles: tuple[RoleEstimate, ...]
    """Models that would be called."""
    by_run: str | None
    """The run that the likely values are based on; null if they are assumed."""
    cost_usd: Bounds | None
    """The total; null if a price is missing."""
    reach: Reach
    """What it would reach."""


def dry_run_json(estimate: RunEstimate, reach: Sequence[Reached]) -> DryRun:
    """What a run would do, cost and reach."""
    return filled(DryRun, estimate, reach=Reach.of(reach))


@contract
class Model:
    """A model that a run would call, tried."""

    role: Role
    """What for."""
    model: str
    """Its name."""
    endpoint: str
    """Where it is asked."""
    usable: bool
    """Whether what came back can be used."""
    why: str
    """Why not; otherwise empty."""
    form: str | None
    """How JSON is requested: json_schema, json_object or prompt; null if it isn't."""
    left_out: tuple[str, ...]
    """Parameters that the endpoint does not take."""
    length_name: str
    """What it calls the longest answer."""
    context: Context | None
    """How much of a long prompt it reads; null if not tested."""
    reasoning: bool
    """Whether it thinks first."""
    latency_ms: tuple[float, ...]
    """Of each call."""
    tokens: Usage
    """Of all calls."""
    cost_usd: float | None
    """USD per call; null if the price is unknown."""
    paid_usd: float | None
    """USD that was paid for the trial."""
    cached_share: Share | None
    """The cached share of a prompt that was sent twice; null if not reported."""
    advice: tuple[str, ...]
    """What to do."""


@contract
class Models:
    """What `mogi models try CLIENT --json` prints."""

    client: str
    """The client's name."""
    models: tuple[Model, ...]
    """Each that a run would call."""


def model_json(trial: ModelTrial, advice: Sequence[str]) -> Model:
    """What came of a model, and what to do about it."""
    usage = [call.usage for call in trial.calls]
    names = ("input", "output", "cached", "reasoning")
    return filled(
        Model,
        trial,
        usable=not trial.failure,
        why=trial.failure,
        form=form_name(trial) if trial.is_form else None,
        left_out=tuple(sorted(trial.dialect.dropped)),
        length_name=trial.dialect.length_name,
        latency_ms=tuple(round(call.latency_ms, 1) for call in trial.calls),
        tokens=Usage(*(sum(getattr(each, name) for each in usage) for name in names)),
        cost_usd=cost_of(trial),
        advice=tuple(advice),
    )


@contract
class Failure:
    """How a bot failed."""

    fault: TargetFault
    """How, such as timeout."""
    message: str
    """The text."""


@contract
class FoundDocument:
    """A document that came with an answer."""

    id: str | None
    """Its id."""
    title: str
    """Its title."""
    text: str
    """Its text."""


@contract
class AskedQuestion:
    """A question and what came of it: an answer, or a failure."""

    question: str
    """The question."""
    latency_ms: float
    """How long it took."""
    failure: Failure | None = field(default=None, metadata=LEFT_OUT)
    """How the bot failed."""
    answer: str | None = field(default=None, metadata=LEFT_OUT)
    """The answer."""
    documents: tuple[FoundDocument, ...] | None = field(default=None, metadata=LEFT_OUT)
    """The documents that it came with."""
    reports_documents: bool | None = field(default=None, metadata=LEFT_OUT)
    """Whether the bot tells its documents."""
    notes: tuple[str, ...] | None = field(default=None, metadata=LEFT_OUT)
    """What a person should know."""
    ids: Mapping[str, str | int | float] | None = field(default=None, metadata=LEFT_OUT)
    """Ids that the bot handed out."""


@contract
class RememberedTalk:
    """Whether a bot remembers earlier turns."""

    remembered: bool
    """Whether it does."""
    turns: tuple[AskedQuestion, ...]
    """Question by question."""


@contract
class RequestMade:
    """A request that a conversation took."""

    request: str
    """Its method and path."""
    status: int
    """The status of its answer."""
    took: tuple[str, ...]
    """The names of what later requests hold; the values are secrets."""


@contract
class TargetTrial:
    """What `mogi targets try CLIENT --json` prints."""

    client: str
    """The client's name."""
    turns: tuple[AskedQuestion, ...]
    """Question by question."""
    memory: RememberedTalk | None
    """Whether it remembers earlier turns; null if not tested."""
    unsent: str
    """The path of a conversation ID that isn't sent back; otherwise empty."""
    read: Mapping[str, str]
    """Where which of the target's settings reads."""
    steps: tuple[RequestMade, ...]
    """The requests of the conversation, if there are more than its questions."""


def target_json(client: str, trial: Trial) -> TargetTrial:
    """A bot's answers in `targets try`."""
    memory = trial.memory
    talk = memory and RememberedTalk(memory.is_there, _questions(memory.exchanges))
    steps = tuple(RequestMade(step.request, step.status, step.took) for step in trial.steps)
    turns = _questions(trial.exchanges)
    return filled(TargetTrial, trial, client=client, turns=turns, memory=talk, steps=steps)


def _questions(exchanges: Sequence[Exchange]) -> tuple[AskedQuestion, ...]:
    return tuple(map(_question, exchanges))


def _question(exchange: Exchange) -> AskedQuestion:
    reply, ms = exchange.reply, round(exchange.reply.latency_ms, 1)
    if isinstance(reply, TargetFailure):
        return AskedQuestion(exchange.user, ms, Failure(reply.fault, reply.message))
    return AskedQuestion(
        exchange.user,
        ms,
        answer=reply.text,
        documents=tuple(FoundDocument(d.id, d.title, d.text) for d in reply.documents),
        reports_documents=reply.reports_documents,
        notes=reply.notes,
        ids=reply.ids,
    )
