"""Running a coroutine in time that passes only where somebody waits for it."""

import asyncio
from collections.abc import Coroutine
from typing import Any


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop whose time jumps to the next timer instead of waiting for it."""

    def __init__(self) -> None:
        super().__init__()
        self._at = 0.0

    def time(self) -> float:
        return self._at

    def _run_once(self) -> None:
        loop: Any = self
        if not loop._ready and loop._scheduled:
            # A little past it: rounding must not leave a limiter forever one step short.
            self._at = max(self._at, loop._scheduled[0]._when) + 1e-6
        super()._run_once()  # type: ignore[misc]


def virtually(coroutine: Coroutine[Any, Any, list[float]]) -> list[float]:
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(coroutine)
