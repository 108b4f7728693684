"""Limits per minute, and the share of them that is this process's own."""

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aiolimiter import AsyncLimiter


class Share:
    """Which part of each limit per minute this process may use; others of its run have the rest."""

    def __init__(self, part: float = 1.0) -> None:
        self._some = asyncio.Event()
        self.grant(part)

    def grant(self, part: float) -> None:
        """From now on it is `part`, 0 to 1."""
        self.part = part
        if part:
            self._some.set()
        else:
            self._some.clear()

    async def some(self) -> float:
        """The part, once it is more than 0."""
        await self._some.wait()
        return self.part


class Rate:
    """At most so many in any 60 seconds, evenly: a second's worth may pass at once, not a minute's.

    That second's worth comes on top of what drips, so it drips that much slower.

    Args:
        per_minute: The limit of all processes together, above 0.
        share: How much of it is for this one; it may change at any time.
    """

    def __init__(self, per_minute: float, share: Share | None = None) -> None:
        self._whole = per_minute
        self._share = share or Share()
        self._turn = asyncio.Lock()
        self._made_for = 0.0
        self._limiter: AsyncLimiter | None = None

    async def admit(self, amount: float = 1.0) -> None:
        """Return when `amount` may pass; more than one second's worth passes in slices.

        One caller after the other: who waited at an old share would pass beside the new one.
        """
        async with self._turn:
            while amount > 0:
                limiter = await self._current()
                part = min(amount, limiter.max_rate)
                await limiter.acquire(part)
                amount -= part

    @property
    def burst(self) -> float:
        """What may pass at once."""
        return _burst(self._whole * self._share.part)

    async def _current(self) -> "AsyncLimiter":
        from aiolimiter import AsyncLimiter

        part = await self._share.some()
        if self._limiter is None or part != self._made_for:
            self._made_for = part
            per_minute = self._whole * part
            burst = _burst(per_minute)
            per_second = (per_minute - burst + 1) / 60
            self._limiter = AsyncLimiter(burst, burst / per_second)
        return self._limiter


def _burst(per_minute: float) -> float:
    return max(1.0, float(int(per_minute / 60)))
