"""A bot's answers shown alone, for `mogi targets try`."""

from collections.abc import Iterator, Sequence

from rich.text import Text

from simulator.console.blocks import BAD, BOLD, WARN
from simulator.console.layout import fit, wrap
from simulator.core.clean import visible
from simulator.core.persona import Language
from simulator.core.talk import Document, Exchange, Reply, TargetFailure
from simulator.judging.failures import told
from simulator.reports._weak import INDENT, said
from simulator.words import Words


def trial_view(talk: Sequence[Exchange], width: int, language: Language) -> Iterator[Text]:
    """Question, answer, documents and time of each turn; `width` is the screen's, in cells."""
    words = Words(language, "report")
    for exchange in talk:
        if exchange.turn > 1:
            yield Text("")
        yield from said(words("trial.question"), wrap(exchange.user, width - INDENT))
        reply = exchange.reply
        if isinstance(reply, TargetFailure):
            yield from _failure(reply, width - INDENT, language)
        else:
            yield from _reply(reply, width - INDENT, words)
        yield from said(words("time").lower(), [f"{reply.latency_ms:,.0f} ms"])


def _failure(failure: TargetFailure, room: int, language: Language) -> Iterator[Text]:
    words = Words(language, "report")
    for line in said(words("trial.no_answer"), wrap(told(failure, language), room)):
        yield Text.assemble(line, style=BAD)


def _reply(reply: Reply, room: int, words: Words) -> Iterator[Text]:
    for line in said(words("trial.answer"), wrap(reply.text, room)):
        yield Text.assemble(line, style=BOLD)
    yield from said(words("documents"), list(_documents(reply, room, words)))
    for note in reply.notes:
        for line in said(words("trial.note"), wrap(note, room)):
            yield Text.assemble(line, style=WARN)


def _documents(reply: Reply, room: int, words: Words) -> Iterator[str]:
    if not reply.documents:
        yield words("trial.found_none" if reply.reports_documents else "trial.reports_none")
    for document in reply.documents:
        yield fit(_line(document, words), room)


def _line(document: Document, words: Words) -> str:
    parts = [document.id or words("trial.no_id"), document.title, document.text]
    return "  ".join(visible(part) for part in parts if part)
