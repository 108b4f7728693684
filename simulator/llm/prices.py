"""What a text costs: tokens by its length, USD by the client's prices or those of genai-prices."""

import importlib.util
import operator
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Self

from simulator import config
from simulator.core.persona import Language
from simulator.core.plan import Price
from simulator.core.ports import Usage


@dataclass(frozen=True, slots=True)
class Bounds:
    """Lowest, likely and highest of a figure that is not known yet."""

    lowest: float
    likely: float
    highest: float

    @classmethod
    def sure(cls, figure: float) -> Self:
        """Of a figure that is known."""
        return cls(figure, figure, figure)

    def __iter__(self) -> Iterator[float]:
        return iter((self.lowest, self.likely, self.highest))

    def __add__(self, other: "Bounds") -> "Bounds":
        return Bounds(*map(operator.add, self, other))

    def __sub__(self, other: "Bounds") -> "Bounds":
        return Bounds(*map(operator.sub, self, other))

    def __mul__(self, other: "Bounds | float") -> "Bounds":
        factors = other if isinstance(other, Bounds) else (other, other, other)
        return Bounds(*map(operator.mul, self, factors))

    def at_most(self, limit: float) -> "Bounds":
        """Each of the three, but no more than that."""
        return Bounds(*(min(figure, limit) for figure in self))

    def with_likely(self, likely: float) -> "Bounds":
        """With another likely one; the others make room for it."""
        return Bounds(min(self.lowest, likely), likely, max(self.highest, likely))

    def rounded(self) -> "Bounds":
        """In whole numbers."""
        return Bounds(*map(round, self))


NOTHING = Bounds(0, 0, 0)
# Tokens per character of running text, of today's tokenisers.
TOKENS_PER_CHAR: Mapping[Language, Bounds] = {
    "ja": Bounds(0.6, 0.8, 1.3),
    "en": Bounds(0.2, 0.25, 0.4),
}
_MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class ModelUse:
    """Calls, and the tokens that they read and write; `cached`: likely, of those that they read."""

    calls: Bounds = NOTHING
    reads: Bounds = NOTHING
    writes: Bounds = NOTHING
    cached: float = 0.0

    @classmethod
    def of(cls, calls: Bounds, reads: Bounds, writes: Bounds) -> "ModelUse":
        """So many calls that read and write about so many tokens each."""
        return cls(calls, (calls * reads).rounded(), (calls * writes).rounded())

    def __add__(self, other: "ModelUse") -> "ModelUse":
        return ModelUse(
            self.calls + other.calls, self.reads + other.reads, self.writes + other.writes
        )

    def __sub__(self, other: "ModelUse") -> "ModelUse":
        return ModelUse(
            self.calls - other.calls, self.reads - other.reads, self.writes - other.writes
        )

    def priced(self, price: Price | None) -> tuple[Bounds, Bounds, Bounds, Bounds | None]:
        """Calls, tokens in, tokens out, and what they cost where a price is known."""
        usd = money(price, self.reads, self.writes)
        if usd is not None and price is not None and price.cached is not None:
            less = self.cached * (price.input - price.cached) / _MILLION
            usd = usd.with_likely(usd.likely - less)
        return self.calls.rounded(), self.reads, self.writes, usd

    def as_likely(self, known: "ModelUse", guess: "ModelUse") -> "ModelUse":
        """The same, as a part of a whole that was guessed and is known by now."""

        def scaled(part: Bounds, now: Bounds, then: Bounds) -> Bounds:
            return part.with_likely(part.likely * now.likely / then.likely if then.likely else 0)

        return ModelUse(
            scaled(self.calls, known.calls, guess.calls),
            scaled(self.reads, known.reads, guess.reads),
            scaled(self.writes, known.writes, guess.writes),
            known.cached * self.reads.likely / (guess.reads.likely or 1),
        )


def price_of(model: str, prices: Mapping[str, Price], base_url: str | None = None) -> Price | None:
    """USD per million tokens of a model; None where nobody knows.

    Args:
        model: The model's name.
        prices: The client file's `prices:`, by model.
        base_url: Where the model is served; None means OpenAI. The price list (an optional
            package) is asked only of providers that it knows by this address.
    """
    if model in prices:
        return prices[model]
    if base_url and config.is_here(config.origin(base_url)):
        return None
    if importlib.util.find_spec("genai_prices") is None:
        return None
    return _listed(model, base_url)


def cost(price: Price, usage: Usage) -> float:
    """The USD of one call."""
    cached = price.input if price.cached is None else price.cached
    fresh = usage.input - usage.cached
    paid = fresh * price.input + usage.cached * cached + usage.output * price.output
    return paid / _MILLION


def money(price: Price | None, reads: Bounds, writes: Bounds) -> Bounds | None:
    """What so many tokens cost in USD; None where no price is known."""
    if price is None:
        return None
    pairs = zip(reads, writes, strict=True)
    return Bounds(*((i * price.input + o * price.output) / _MILLION for i, o in pairs))


def _listed(model: str, base_url: str | None) -> Price | None:
    from genai_prices import Usage as Tokens
    from genai_prices import calc_price

    def per_million(tokens: Tokens) -> float:
        # Priced at 1,000 tokens: some prices rise with the length of the prompt.
        if base_url is None:
            priced = calc_price(tokens, model, provider_id="openai")
        else:
            priced = calc_price(tokens, model, provider_api_url=base_url)
        return float(priced.total_price) * 1000

    try:
        price = Price(
            input=per_million(Tokens(input_tokens=1000)),
            output=per_million(Tokens(output_tokens=1000)),
        )
        cached = per_million(Tokens(input_tokens=1000, cache_read_tokens=1000))
    except LookupError:
        return None
    return replace(price, cached=cached)
