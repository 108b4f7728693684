"""What a text costs: tokens by its length, USD by the client's prices or those of genai-prices."""

import importlib.util
from collections.abc import Mapping
from dataclasses import replace

from simulator.core.persona import Language
from simulator.core.plan import Price
from simulator.core.ports import Usage

# Tokens per character of running text: lowest, likely, highest of today's tokenisers.
TOKENS_PER_CHAR: Mapping[Language, tuple[float, float, float]] = {
    "ja": (0.6, 0.8, 1.3),
    "en": (0.2, 0.25, 0.4),
}


_MILLION = 1_000_000


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
    if importlib.util.find_spec("genai_prices") is None:
        return None
    return _listed(model, base_url)


def cost(price: Price, usage: Usage) -> float:
    """The USD of one call."""
    cached = price.input if price.cached is None else price.cached
    fresh = usage.input - usage.cached
    paid = fresh * price.input + usage.cached * cached + usage.output * price.output
    return paid / _MILLION


def _listed(model: str, base_url: str | None) -> Price | None:
    from genai_prices import Usage as Tokens
    from genai_prices import calc_price

    def per_million(tokens: Tokens) -> float:
        # Priced at 1,000 tokens: some prices rise with the length of the prompt.
        if base_url is None:
            found = calc_price(tokens, model, provider_id="openai")
        else:
            found = calc_price(tokens, model, provider_api_url=base_url)
        return float(found.total_price) * 1000

    try:
        price = Price(
            input=per_million(Tokens(input_tokens=1000)),
            output=per_million(Tokens(output_tokens=1000)),
        )
        cached = per_million(Tokens(input_tokens=1000, cache_read_tokens=1000))
    except LookupError:
        return None
    return replace(price, cached=cached)
