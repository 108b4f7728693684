"""What a trial of a bot or of a model showed, as text and as JSON."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

from rich.text import Text

from simulator.cli import exits
from simulator.console.blocks import INDENT, passage, spaced, styled
from simulator.console.layout import fit, wrap
from simulator.console.palette import BAD, BOLD, GOOD, WARN
from simulator.core.clean import visible
from simulator.core.errors import TargetFault
from simulator.core.persona import Language
from simulator.core.ports import Role, Usage
from simulator.core.talk import Exchange, Reply, TargetFailure
from simulator.execution.models_trial import Context, ModelTrial, cost_of, form_name, is_read
from simulator.execution.trial import Memory, Trial
from simulator.formats.json_contracts import LEFT_OUT, Share, contract, filled
from simulator.targets._context import Step
from simulator.view.worst import failure_text
from simulator.words import Words


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


_SLOW = 0.25  # of the time after which an attempt is given up


def models_view(trials: Sequence[ModelTrial], width: int, language: Language) -> Iterator[Text]:
    """Each model's paragraph; `width` is the screen's, in cells."""
    words = Words(language, "models_trial")
    for number, trial in enumerate(trials):
        if number:
            yield Text("")
        yield from _trial(trial, width, words)
    paid = [trial.paid_usd for trial in trials if trial.paid_usd is not None]
    if len(paid) == len(trials):
        yield from spaced(Text(words("paid", usd=sum(paid))))


def _trial(trial: ModelTrial, width: int, words: Words) -> Iterator[Text]:
    role = words.name("role", trial.role.value)
    model, endpoint = visible(trial.model), visible(trial.endpoint)
    yield Text(words("head", role=role, model=model, endpoint=endpoint), BOLD)
    if trial.failure:
        for line in wrap(words("unusable", why=visible(trial.failure)), width - 4):
            yield Text(f"    {line}", BAD)
    else:
        yield Text(f"    {words('usable')}", GOOD)
    for key, text in _facts(trial, words):
        yield from passage(words(key), wrap(text, width - INDENT))
    label = words("advice")
    for text in advice(trial, words):
        style = WARN if text != words("advice.good") else GOOD
        for part in passage(label, wrap(text, width - INDENT)):
            yield Text.assemble(part, style=style)
        label = ""


def _facts(trial: ModelTrial, words: Words) -> Iterator[tuple[str, str]]:
    calls = trial.calls
    if not calls:
        return
    if trial.is_form:
        yield "form", words(f"form.{form_name(trial)}")
    yield "time", words("time.calls", ms=", ".join(f"{call.latency_ms:,.0f}" for call in calls))
    usage = [call.usage for call in calls]
    means = {
        name: round(sum(getattr(each, name) for each in usage) / len(usage))
        for name in ("input", "output")
    }
    known = is_read(trial)
    yield "tokens", words("tokens.a_call", **means) if known else words("tokens.none")
    cost = cost_of(trial)
    yield "cost", words("cost.unknown") if cost is None else words("cost.a_call", usd=cost)
    yield from _abilities(trial, words)


def _abilities(trial: ModelTrial, words: Words) -> Iterator[tuple[str, str]]:
    if (context := trial.context) is not None:
        if context.cut_at:
            yield "context", words("context.cut", tokens=context.cut_at)
        elif context.refused:
            yield "context", words("context.refused", why=visible(context.refused))
        else:
            holds = context.holds
            yield (
                "context",
                words("context.holds", tokens=holds) if holds else words("context.unknown"),
            )
        yield "reasoning", words("reasoning.yes" if trial.reasoning else "reasoning.no")
    if (share := trial.cached_share) is not None:
        yield "cached", words("cached.share", share=share) if share else words("cached.none")
    changed = sorted(trial.dialect.dropped)
    if trial.dialect.length_name != "max_tokens":
        changed.append(words("changed.length"))
    if changed:
        yield "changed", words.comma.join(changed)


def advice(trial: ModelTrial, words: Words) -> Sequence[str]:
    """What to do, a sentence each; one that says so where there is nothing."""
    return list(_advice(trial, words)) or [words("advice.good")]


def _advice(trial: ModelTrial, words: Words) -> Iterator[str]:
    if trial.failure:
        yield words("advice.failed")
    if not trial.calls:
        return
    if trial.context and trial.context.cut_at:
        yield words("advice.cut", tokens=trial.context.cut_at)
    if trial.context and trial.context.refused:
        yield words("advice.refused")
    if trial.is_form and form_name(trial) != "json_schema":
        yield words(f"advice.form.{form_name(trial)}")
    if trial.reasoning:
        yield words("advice.reasoning")
    if trial.dialect.dropped:
        names = words.comma.join(sorted(trial.dialect.dropped))
        yield words("advice.dropped", names=names)
    yield from _figures_advice(trial, words)


def _figures_advice(trial: ModelTrial, words: Words) -> Iterator[str]:
    if not is_read(trial):
        yield words("advice.tokens")
    if cost_of(trial) is None:
        yield words("advice.price", model=trial.model)
    slowest = max(call.latency_ms for call in trial.calls) / 1000
    if slowest > _SLOW * trial.attempt_s:
        yield words("advice.slow", seconds=slowest, limit=trial.attempt_s)


def trial_view(trial: Trial, width: int, language: Language) -> Iterator[Text]:
    """Question, answer, documents and time of each turn; memory; what was read from where.

    `width` is the screen's, in cells.
    """
    words, room = Words(language, "trial", "report"), width - INDENT
    for exchange in trial.exchanges:
        if exchange.turn > 1:
            yield Text("")
        yield from _exchange(exchange, room, words)
    if trial.memory is not None:
        yield from _memory(trial.memory, room, words)
    if trial.unsent:
        text = words("unsent", path=visible(trial.unsent))
        yield from styled(passage(words("note"), wrap(text, room)), WARN)
    steps = [line for n, step in enumerate(trial.steps, 1) for line in _step(n, step, room, words)]
    yield from passage(words("steps"), steps)
    read = [line for key, at in trial.read.items() for line in wrap(f"{key}: {at}", room)]
    if read:
        yield from passage(words("read"), read)


def _step(number: int, step: Step, room: int, words: Words) -> list[str]:
    took = "".join(f"  {words('took', name=name)}" for name in step.took)
    return wrap(f"{number}. {step.request}  {step.status}{took}", room)


def _exchange(exchange: Exchange, room: int, words: Words) -> Iterator[Text]:
    yield from passage(words("question"), wrap(exchange.user, room))
    reply = exchange.reply
    if isinstance(reply, TargetFailure):
        lines = wrap(exits.translated(failure_text(reply, words.language)), room)
        yield from styled(passage(words("no_answer"), lines), BAD)
    else:
        yield from _reply(reply, room, words)
    yield from passage(words("time").lower(), [f"{reply.latency_ms:,.0f} ms"])


def _reply(reply: Reply, room: int, words: Words) -> Iterator[Text]:
    yield from styled(passage(words("answer"), wrap(reply.text, room)), BOLD)
    documents = []
    for document in reply.documents:
        parts = (document.id or words("no_id"), document.title, document.text)
        documents.append(fit("  ".join(visible(part) for part in parts if part), room))
    none = words("found_none" if reply.reports_documents else "reports_none")
    yield from passage(words("documents"), documents or [none])
    if reply.ids:
        ids = [fit(visible(f"{name}  {i}"), room) for name, i in reply.ids.items()]
        yield from passage(words("session"), ids)
    for note in reply.notes:
        yield from styled(passage(words("note"), wrap(note, room)), WARN)


def _memory(memory: Memory, room: int, words: Words) -> Iterator[Text]:
    """Whether the bot remembered; with what it said, where that cannot be seen."""
    last = memory.exchanges[-1]
    style = WARN
    if isinstance(last.reply, TargetFailure):
        style = BAD
        text = words("memory_failed", failure=failure_text(last.reply, words.language))
    elif memory.is_there:
        style = GOOD
        text = words("remembered")
    else:
        text = words("not_remembered")
    yield from styled(passage(words("memory"), wrap(text, room)), style)
