"""Who may call an account now, and when its rejections are no longer about single requests."""

import asyncio
import re
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import (
    AbstractAsyncContextManager,
    AsyncExitStack,
    asynccontextmanager,
    nullcontext,
)

from simulator.core.concurrency import Halt
from simulator.core.traffic import Limit, Track

_ALIKE = 3  # rejections in the same words, before the account has answered anything
_SCENARIOS = 3  # of as many scenarios, afterwards, if nothing was answered in between
_IN_A_ROW = 10  # however few scenarios they are from
# What differs from one request to the next in the same complaint: counts, ids, times.
_VARYING = re.compile(r"[0-9a-f-]{8,}|\d+", re.IGNORECASE)


def alike(message: str) -> str:
    """What a complaint says whichever request it is about."""
    return _VARYING.sub("#", message)


class Door:
    """Until an account has answered, one call at a time goes to it: a wrong key costs one.

    Attributes:
        answered: Whether it ever answered a question.
    """

    def __init__(self) -> None:
        self.answered = False
        self._open = False
        self._first = asyncio.Lock()
        self._said: Counter[str] = Counter()

    def turn(self, halt: Halt, track: Track) -> AbstractAsyncContextManager[None]:
        """Wait until others may call, or nobody else does; raises RunStopped."""
        return nullcontext() if self._open else self._turn(halt, track)

    @asynccontextmanager
    async def _turn(self, halt: Halt, track: Track) -> AsyncIterator[None]:
        async with AsyncExitStack() as until_answered:
            with track.wait(Limit.FIRST_ANSWER):
                await halt.unless_stopped(until_answered.enter_async_context(self._first))
            if self._open:
                await until_answered.aclose()
            yield

    def opened(self) -> None:
        """A question was answered."""
        self.answered = self._open = True

    def shut(self) -> None:
        """A call ended without an answer: until there is one again, one call goes at a time."""
        self._open = False

    def rejected(self, message: str) -> int:
        """Count a rejection; how many there were in these words."""
        words = alike(message)
        self._said[words] += 1
        return self._said[words]


class Rejections:
    """The rejections of one role's calls to one model that nothing was answered after.

    Until something is, the conversations that they are from are in doubt (`Halt.doubts`).
    """

    def __init__(self, door: Door, halt: Halt) -> None:
        self._door = door
        self._episodes: dict[int, str] = {}
        self._doubted: set[str] = set()
        self._count = 0
        halt.doubts.append(self._doubted)

    @property
    def epoch(self) -> int:
        """To be noted when a call starts, and given to `answered`."""
        return self._count

    def answered(self, epoch: int) -> None:
        """A call that started in `epoch` was answered: the rejections before it were their own."""
        if self._episodes:
            self._episodes = {n: e for n, e in self._episodes.items() if n >= epoch}
            self._doubted.intersection_update(self._episodes.values())

    def too_many(self, episode: str, message: str) -> str:
        """Note a rejection; what to say of it if it ends the run, else nothing."""
        self._episodes[self._count] = episode
        self._doubted.add(episode)
        self._count += 1
        if not self._door.answered:
            times = self._door.rejected(message)
            if times >= _ALIKE:
                return f"rejected {times} requests alike"
        row = len(self._episodes)
        scenarios = {name.rsplit("/", 2)[0] for name in self._episodes.values()}
        if len(scenarios) < _SCENARIOS and row < _IN_A_ROW:
            return ""
        return f"rejected {row} requests in a row"
