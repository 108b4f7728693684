"""What all calls to one model at one base URL share: dialect, rates, health; the gate of a role."""

import asyncio
import math
from collections import deque
from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

from simulator.core.plan import ModelCaps
from simulator.core.ports import Usage
from simulator.core.traffic import Limit, Track
from simulator.llm.admission import alike
from simulator.llm.parameters import Dialect
from simulator.llm.replies import Failure

_SLOW_START = 50
_CUT = 0.8
_BYTES_PER_TOKEN = 3  # of running text, English or Japanese, as a first estimate
_WRITTEN = 300  # tokens of one answer, as a first estimate


class Rate:
    """At most so many requests per minute, evenly: one second's share at a time.

    (A limiter with a period of 60 s would let a whole minute's share through at once.)
    """

    def __init__(self, per_minute: float) -> None:
        from aiolimiter import AsyncLimiter

        per_second = per_minute / 60
        burst = max(1.0, per_second)
        self._limiter = AsyncLimiter(burst, burst / per_second)

    async def admit(self, amount: float = 1.0) -> None:
        """Return when `amount` may pass; more than one second's share passes in slices."""
        while amount > 0:
            share = min(amount, self._limiter.max_rate)
            await self._limiter.acquire(share)
            amount -= share

    @property
    def burst(self) -> float:
        """What may pass at once."""
        return self._limiter.max_rate


class TokenRate:
    """At most so many tokens per minute: reserved by an estimate, settled by what was used."""

    def __init__(self, per_minute: float) -> None:
        self._rate = Rate(per_minute)
        self._turn = asyncio.Lock()
        self._owed = 0.0  # used, but not yet taken from the rate; negative: taken, not used

    async def admit(self, estimate: float) -> None:
        """Return when a call of about `estimate` tokens, and what is owed, may pass.

        One after the other: calls that shared what drips would all pass at once, late.
        """
        async with self._turn:
            due = max(0.0, estimate + self._owed)
            self._owed += estimate - due
            await self._rate.admit(due)

    def settle(self, estimate: float, used: float) -> None:
        """Correct the estimate; at most one second's share is ever given back."""
        self._owed = max(self._owed + used - estimate, -self._rate.burst)


class Gate:
    """How many calls of a role are in flight at once: `async with gate: …`.

    Starts small and doubles with each round trip; a burst of 429 cuts it to 0.8 once, and from
    then on it grows by one a round. It grows only while it is what holds calls back.

    Args:
        most: The cap, 1 or more.
        start: The width to begin with.
    """

    def __init__(self, most: int, start: int = _SLOW_START) -> None:
        self._most = float(most)
        self._width = float(min(most, start))
        self._busy = 0
        self._cuts = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    @property
    def width(self) -> int:
        """How many calls may be in flight now."""
        return int(self._width)

    @property
    def epoch(self) -> int:
        """To be noted when a request starts, and given to `crowded` if it meets a 429."""
        return self._cuts

    def crowded(self, epoch: int) -> None:
        """A request that started in `epoch` met a 429. Those of one burst cut once."""
        if epoch == self._cuts:
            self._cuts += 1
            self._width = max(1.0, self._width * _CUT)

    def went_well(self) -> None:
        """A call succeeded; the gate widens if others wait at it."""
        if self._busy >= self.width:
            step = 1 / self._width if self._cuts else 1.0
            self._width = min(self._most, self._width + step)
            self._wake()

    async def __aenter__(self) -> None:
        if self._busy < self.width and not self._waiting:
            self._busy += 1
            return
        place = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():  # the place was given, and is not wanted
                self._leave()
            raise

    async def __aexit__(self, *_: object) -> None:
        self._leave()

    def _leave(self) -> None:
        self._busy -= 1
        self._wake()

    def _wake(self) -> None:
        while self._waiting and self._busy < self.width:
            place = self._waiting.popleft()
            if not place.done():
                self._busy += 1
                place.set_result(None)


_FORMLESS = 2  # answers that are not of the form, before any that was
_SPARE_TOKENS = 1.5  # other texts than those that were counted may need more
_BREAKER = 5  # calls in a row that ended without an answer


class Endpoint:
    """One model at one base URL.

    Args:
        where: The base URL, for people.
        model: Its name.
        key_name: The environment variable that holds its key, for people.
        caps: Requests and tokens per minute.

    Attributes:
        dialect: How it wants to be asked, as far as that is known.
        heard: Whether it ever sent anything at all.
        estimates: How many tokens its calls use.
    """

    def __init__(self, where: str, model: str, key_name: str, caps: ModelCaps) -> None:
        self.model = model
        self.where = where
        self.key_name = key_name
        self.dialect = Dialect()
        self.heard = False
        self.estimates = Estimates()
        self._in_vain = 0
        self._formless = 0
        self._not_the_form: set[str] = set()
        self._tokens_per_byte = 0.0  # the most that was seen
        self._added = 0  # tokens of a prompt beyond its bytes, the most that was seen
        per_minute = caps.requests_per_minute, caps.tokens_per_minute
        self._requests = Rate(per_minute[0]) if per_minute[0] else None
        self._tokens = TokenRate(per_minute[1]) if per_minute[1] else None

    def __str__(self) -> str:
        return f"{self.model} at {self.where}"

    @property
    def is_limited(self) -> bool:
        """Whether there is anything to wait for in `admit`."""
        return bool(self._requests or self._tokens)

    async def admit(self, tokens: int, track: Track) -> None:
        """Return when one more request, of about so many tokens, may be sent."""
        if self._requests:
            with track.wait(Limit.REQUESTS):
                await self._requests.admit()
        if self._tokens:
            with track.wait(Limit.TOKENS):
                await self._tokens.admit(tokens)

    def settle(self, estimate: int, used: int) -> None:
        """Correct an estimate given to `admit`; `used` 0: the request cost no tokens."""
        if self._tokens:
            self._tokens.settle(estimate, used)

    def learn(self, used: Dialect, better: Dialect) -> None:
        """A request in the dialect `used` taught a better one; another may have learnt more."""
        if self.dialect == used:
            self.dialect = better

    def guess(self, used: Dialect, failure: Failure, sent: Mapping[str, Any]) -> Dialect | None:
        """A dialect to try after a failure that does not say why (`Dialect.guess`)."""
        known = alike(failure.message) in self._not_the_form
        return None if known else used.guess(failure, sent)

    def not_the_form(self, failure: Failure) -> None:
        """What an endpoint says on every rung is not about the form: once is enough to know."""
        self._not_the_form.add(alike(failure.message))

    def most_tokens(self, size: int) -> int:
        """How many tokens a request of so many bytes has at most, by what was counted before.

        As many as bytes before anything was: no tokeniser makes more of them. A gateway may put a
        prompt of its own before them.
        """
        seen = self._tokens_per_byte * _SPARE_TOKENS
        return math.ceil(size * min(seen or 1.0, 1.0)) + self._added

    def counted(self, size: int, tokens: int) -> None:
        """A request of so many bytes had so many tokens."""
        if size and tokens:
            self._tokens_per_byte = max(self._tokens_per_byte, tokens / size)
            self._added = max(self._added, tokens - size)

    def formed(self, used: Dialect, *, as_asked: bool) -> None:
        """An answer to a form was one, or was not: twice at once, and never yet, it climbs down.

        A model may say a wrong thing once; an endpoint that ignores the form does so each time.
        """
        if as_asked or self._formless < 0:
            self._formless = -1  # it can, and keeps its rung
            return
        self._formless += 1
        if self._formless >= _FORMLESS:
            self._formless = 0
            self.learn(used, used.lower())

    def served(self) -> None:
        """A call ended with an answer."""
        self._in_vain = 0

    def failed(self) -> bool:
        """A call ended without one; true when the breaker opens."""
        self._in_vain += 1
        return self._in_vain >= _BREAKER


@dataclass(slots=True)
class _Seen:
    calls: int = 0
    size: int = 0
    read: int = 0
    written: int = 0


class Estimates:
    """The tokens of calls to one model. Kinds are what writes alike, such as forms."""

    def __init__(self) -> None:
        self._seen: dict[Hashable, _Seen] = {}

    def tokens(self, kind: Hashable, size: int, *, writes: bool = True) -> int:
        """Of a call whose texts are `size` bytes long, read and written.

        `writes`: whether anything is written, where no call of the kind told it yet.
        """
        seen = self._seen.get(kind)
        if seen is None or not seen.size:
            return size // _BYTES_PER_TOKEN + (_WRITTEN if writes else 0)
        return round(size * seen.read / seen.size + seen.written / seen.calls)

    def learn(self, kind: Hashable, size: int, used: Usage) -> None:
        """A call of so many bytes used these tokens; a usage of nothing tells nothing."""
        if not used.input:
            return
        seen = self._seen.setdefault(kind, _Seen())
        seen.calls += 1
        seen.size += size
        seen.read += used.input
        seen.written += used.output
