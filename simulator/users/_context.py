"""What a simulated user is given when it is opened, besides its brief."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from simulator.core.ports import Chat

if TYPE_CHECKING:
    from simulator.files.prompts import Prompt


@dataclass(frozen=True, slots=True)
class UserContext:
    """The tools of a simulated user. `chat` is None where no model was named.

    `prompts` finds a prompt of the brief's language by its name, such as `user`. `secret` is the
    run's: the fences around what the bot says are derived from it.
    """

    chat: Chat | None
    prompts: Callable[[str], Prompt]
    secret: str = field(default="", repr=False)
