"""What may be wrong with a simulated user's message, by tag, and which tags make it unsound."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simulator.core.run import Turn

EMPTY = "empty"
LEAKED_MARK = "leaked_mark"
LEAKED_THOUGHT = "leaked_thought"
LEAKED_BRIEF = "leaked_brief"
ASSISTANT_VOICE = "assistant_voice"
OUT_OF_ROLE = "out_of_role"
REPEAT = "repeat"
ECHO = "echo"
LANGUAGE = "language"
INVENTED_ID = "invented_id"
LENGTH = "length"
STOPPED_AT_ONCE = "stopped_at_once"

UNSOUND = frozenset(
    {
        EMPTY,
        LEAKED_MARK,
        LEAKED_THOUGHT,
        LEAKED_BRIEF,
        ASSISTANT_VOICE,
        OUT_OF_ROLE,
        REPEAT,
        ECHO,
        LANGUAGE,
        INVENTED_ID,
        STOPPED_AT_ONCE,
    }
)
"""The tags that make a conversation unsound."""


def unsound_tags(turns: "Iterable[Turn]") -> tuple[str, ...]:
    """The tags for which a conversation is unsound, each once, in their order; none where not."""
    tags = (tag for turn in turns for tag in turn.soundness)
    return tuple(dict.fromkeys(tag for tag in tags if tag in UNSOUND))


def first_unsound(turns: "Iterable[Turn]") -> int | None:
    """The first turn, from 1, from which on the user was not sound; None where it was."""
    return next((t.exchange.turn for t in turns if UNSOUND.intersection(t.soundness)), None)
