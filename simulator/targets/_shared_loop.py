"""One event loop for all calls of a bot, and another one for a call that was held up."""

from collections.abc import Awaitable, Callable
from functools import partial

from simulator.core.talk import Reply
from simulator.targets._context import HeldUp
from simulator.targets._threads import BotLoop, Stalled

# Gives the loop to run a bot on; it is made when first asked for.
Loop = Callable[[], BotLoop]


class SharedLoop:
    """The event loop that the calls of one bot share; a new one follows one that was blocked."""

    def __init__(self) -> None:
        self._loop: BotLoop | None = None

    async def answer(self, ask: Callable[[Loop], Awaitable[Reply]]) -> Reply:
        """What `ask` comes to, given the shared loop.

        Raises:
            HeldUp: another call blocks the loop; `again` asks on a loop apart.
        """
        try:
            return await ask(self._current)
        except Stalled:
            raise HeldUp(partial(ask, BotLoop)) from None

    def _current(self) -> BotLoop:
        if self._loop is None or self._loop.dead:
            self._loop = BotLoop()
        return self._loop
