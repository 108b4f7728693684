"""What was said before a turn, so that nobody has to look it up."""

from collections.abc import Iterator

from simulator.core.persona import Language
from simulator.core.run import Episode, Turn
from simulator.core.talk import TargetFailure
from simulator.words import Words

_MOST = 1_500  # characters, without the mark


def said_before(episode: Episode, turn: Turn, language: Language) -> str:
    """The earlier turns of a talk, a line for each thing that was said; empty on its first turn.

    The latest stand last. Of long ones the front is left out, with a mark.
    """
    text = "\n".join(_lines(episode, turn, language))
    return text if len(text) <= _MOST else Words(language, "sheet")("before.cut") + text[-_MOST:]


def _lines(episode: Episode, turn: Turn, language: Language) -> Iterator[str]:
    words = Words(language, "sheet")
    for earlier in episode.turns:
        exchange = earlier.exchange
        if exchange.turn >= turn.exchange.turn:
            return
        failed = isinstance(exchange.reply, TargetFailure)
        answer = Words(language, "report")("no_answer") if failed else exchange.assistant
        yield words("before.user", text=_on_one_line(exchange.user))
        yield words("before.bot", text=_on_one_line(answer))


def _on_one_line(text: str) -> str:
    return " ".join(text.split())
