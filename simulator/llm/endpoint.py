"""What all calls to one model at one base URL have in common: its dialect, rates and health."""

from simulator.core.plan import ModelCaps
from simulator.llm.limits import Rate, TokenRate
from simulator.llm.parameters import Dialect

_FORMLESS = 2  # answers that are not of the form, before any that was
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
        answered: Whether it ever answered at all.
    """

    def __init__(self, where: str, model: str, key_name: str, caps: ModelCaps) -> None:
        self.model = model
        self.where = where
        self.key_name = key_name
        self.dialect = Dialect()
        self.answered = False
        self._in_vain = 0
        self._formless = 0
        per_minute = caps.requests_per_minute, caps.tokens_per_minute
        self._requests = Rate(per_minute[0]) if per_minute[0] else None
        self._tokens = TokenRate(per_minute[1]) if per_minute[1] else None

    def __str__(self) -> str:
        return f"{self.model} at {self.where}"

    @property
    def is_limited(self) -> bool:
        """Whether there is anything to wait for in `admit`."""
        return bool(self._requests or self._tokens)

    async def admit(self, tokens: int) -> None:
        """Return when one more request, of about so many tokens, may be sent."""
        if self._requests:
            await self._requests.admit()
        if self._tokens:
            await self._tokens.admit(tokens)

    def settle(self, estimate: int, used: int) -> None:
        """Correct an estimate given to `admit`; `used` 0: the request cost no tokens."""
        if self._tokens:
            self._tokens.settle(estimate, used)

    def learn(self, used: Dialect, better: Dialect) -> None:
        """A request in the dialect `used` taught a better one; another may have learnt more."""
        if self.dialect == used:
            self.dialect = better

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
