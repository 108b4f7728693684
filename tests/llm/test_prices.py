import importlib.util

import pytest

from simulator.core.plan import Price
from simulator.core.ports import Usage
from simulator.llm.prices import cost, price_of


def test_the_clients_own_price_comes_first() -> None:
    own = Price(1.0, 2.0)
    assert own == price_of("gpt-4o-mini", {"gpt-4o-mini": own})


def test_the_price_list_knows_openais_models() -> None:
    price = price_of("gpt-4o-mini", {})
    assert price is not None
    assert (0.15, 0.6, 0.075) == pytest.approx((price.input, price.output, price.cached))


def test_the_price_list_goes_by_the_address() -> None:
    assert price_of("claude-sonnet-4-5", {}) is None
    listed = price_of("claude-sonnet-4-5", {}, "https://api.anthropic.com/v1/")
    assert listed is not None
    assert (3.0, 15.0) == pytest.approx((listed.input, listed.output))


@pytest.mark.parametrize(
    ("model", "base_url"),
    [("no-such-model", None), ("gpt-4o-mini", "http://127.0.0.1:11434/v1")],
)
def test_a_price_that_nobody_knows_is_none(model: str, base_url: str | None) -> None:
    assert price_of(model, {}, base_url) is None


def test_without_the_price_list_only_the_clients_prices_are_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert price_of("gpt-4o-mini", {}) is None


@pytest.mark.parametrize(
    ("price", "usd"),
    [(Price(1.0, 10.0), 3.0), (Price(1.0, 10.0, 0.5), 2.8), (Price(0.0, 0.0), 0.0)],
)
def test_cached_tokens_cost_their_own_price(price: Price, usd: float) -> None:
    assert usd == pytest.approx(cost(price, Usage(1_000_000, 200_000, 400_000)))
