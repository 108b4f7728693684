"""A bot's answers shown alone, for `mogi targets try`."""

from collections.abc import Iterator, Sequence

from rich.text import Text

from simulator.core.clean import visible
from simulator.core.talk import Document, Exchange, Reply, TargetFailure
from simulator.reports._layout import fit, wrap
from simulator.reports._palette import BAD, BOLD, WARN
from simulator.reports._weak import INDENT, said

_NO_ID = "(no id)"


def trial_view(talk: Sequence[Exchange], width: int) -> Iterator[Text]:
    """Question, answer, documents and time of each turn; `width` is the screen's, in cells."""
    for exchange in talk:
        if exchange.turn > 1:
            yield Text("")
        yield from said("question", wrap(exchange.user, width - INDENT))
        reply = exchange.reply
        if isinstance(reply, TargetFailure):
            yield from _failure(reply, width - INDENT)
        else:
            yield from _reply(reply, width - INDENT)
        yield from said("time", [f"{reply.latency_ms:,.0f} ms"])


def _failure(failure: TargetFailure, room: int) -> Iterator[Text]:
    for line in said("no answer", wrap(f"{failure.fault}: {failure.message}", room)):
        yield Text.assemble(line, style=BAD)


def _reply(reply: Reply, room: int) -> Iterator[Text]:
    for line in said("answer", wrap(reply.text, room)):
        yield Text.assemble(line, style=BOLD)
    yield from said("documents", list(_documents(reply, room)))
    for note in reply.notes:
        for line in said("note", wrap(note, room)):
            yield Text.assemble(line, style=WARN)


def _documents(reply: Reply, room: int) -> Iterator[str]:
    if not reply.documents:
        yield "none found" if reply.reports_documents else "the bot reports none"
    for document in reply.documents:
        yield fit(_line(document), room)


def _line(document: Document) -> str:
    parts = [document.id or _NO_ID, document.title, document.text]
    return "  ".join(visible(part) for part in parts if part)
