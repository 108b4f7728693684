"""What a target is given when it is opened, and what it may raise beyond a failure of the bot."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from simulator.core.errors import TargetError
from simulator.core.persona import Language
from simulator.core.ports import Chat, Knowledge
from simulator.core.talk import Reply

if TYPE_CHECKING:
    from simulator.files.prompts import Prompt


@dataclass(frozen=True, slots=True)
class TargetContext:
    """What surrounds a target. `folder` is the client's, absolute.

    `knowledge` is None where the client names none, `chat` where no model words the answers.
    `prompts` finds a prompt of the client's language by its name, such as `demo_answer`.
    `questions` are the first questions of all scenarios that the run plays, in their order.
    `timeout_s`: seconds within which an answer has to be there. `stateful`: the bot keeps the talk
    itself.
    """

    folder: Path
    language: Language
    knowledge: Knowledge | None
    chat: Chat | None
    prompts: Callable[[str], Prompt]
    questions: tuple[str, ...] = ()
    timeout_s: float = 60.0
    stateful: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """A request of a talk: its method and path, the status of its answer, and what it brought.

    `took`: the names of what later requests hold, whose values are shown to nobody.
    """

    request: str
    status: int
    took: tuple[str, ...] = ()


class Denied(TargetError):
    """The bot does not let mogi in: nobody in the talk is to blame, and others fare no better."""


class HeldUp(Exception):
    """This question could not be answered, but another question was the reason.

    `again` asks it once more, apart from the others; the guard gives it its whole time anew, and
    waits for its `turn` before. `heard`: the bot may have heard it already.
    """

    def __init__(
        self,
        again: Callable[[], Awaitable[Reply]],
        turn: AbstractAsyncContextManager[object] | None = None,
        *,
        heard: bool = True,
    ) -> None:
        self.again = again
        self.turn = turn or nullcontext()
        self.heard = heard
        super().__init__("the bot was still busy with another question")


class Forgotten(Exception):
    """A bot that keeps the talk itself has lost this one, by no fault of it; it is held anew."""
