"""A bot's answers alone, as `mogi targets try` shows them."""

from collections.abc import Iterable, Iterator

from rich.style import Style
from rich.text import Text

from simulator.console.blocks import INDENT, passage
from simulator.console.layout import fit, wrap
from simulator.console.palette import BAD, BOLD, GOOD, WARN
from simulator.core.clean import visible
from simulator.core.persona import Language
from simulator.core.talk import Exchange, Reply, TargetFailure
from simulator.execution.trial import Memory, Trial
from simulator.figures.worst import failure_text
from simulator.words import Words


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
        told = words("unsent", path=visible(trial.unsent))
        yield from _styled(passage(words("note"), wrap(told, room)), WARN)
    read = [line for key, at in trial.read.items() for line in wrap(f"{key}: {at}", room)]
    if read:
        yield from passage(words("read"), read)


def _exchange(exchange: Exchange, room: int, words: Words) -> Iterator[Text]:
    yield from passage(words("question"), wrap(exchange.user, room))
    reply = exchange.reply
    if isinstance(reply, TargetFailure):
        lines = wrap(failure_text(reply, words.language), room)
        yield from _styled(passage(words("no_answer"), lines), BAD)
    else:
        yield from _reply(reply, room, words)
    yield from passage(words("time").lower(), [f"{reply.latency_ms:,.0f} ms"])


def _reply(reply: Reply, room: int, words: Words) -> Iterator[Text]:
    yield from _styled(passage(words("answer"), wrap(reply.text, room)), BOLD)
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
        yield from _styled(passage(words("note"), wrap(note, room)), WARN)


def _memory(memory: Memory, room: int, words: Words) -> Iterator[Text]:
    """Whether the bot remembered; with what it said, where that cannot be seen."""
    last = memory.exchanges[-1]
    style = WARN
    if isinstance(last.reply, TargetFailure):
        style = BAD
        told = words("memory_failed", failure=failure_text(last.reply, words.language))
    elif memory.is_there:
        style = GOOD
        told = words("remembered")
    else:
        told = words("not_remembered")
    yield from _styled(passage(words("memory"), wrap(told, room)), style)


def _styled(lines: Iterable[Text], style: Style) -> Iterator[Text]:
    return (Text.assemble(line, style=style) for line in lines)
