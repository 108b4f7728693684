"""`mogi models try`: what came of each model, and what to do about it."""

from collections.abc import Iterator, Sequence

from rich.text import Text

from simulator.console.blocks import INDENT, passage, spaced, styled
from simulator.console.layout import fit, wrap
from simulator.console.palette import BAD, BOLD, GOOD, WARN
from simulator.core.clean import visible
from simulator.core.persona import Language
from simulator.core.talk import Exchange, Reply, TargetFailure
from simulator.execution.models_trial import ModelTrial, cost_of, form_name, is_read
from simulator.execution.trial import Memory, Trial
from simulator.targets._context import Step
from simulator.view.worst import failure_text
from simulator.words import Words

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
        lines = wrap(failure_text(reply, words.language), room)
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
