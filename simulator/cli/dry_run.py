"""`mogi run --dry-run`: what a run would do and cost, without calling anything."""

import json
from typing import TYPE_CHECKING

import click

from simulator import config

if TYPE_CHECKING:
    from simulator.core.plan import ModelSpec, Price
    from simulator.execution.estimate import Bounds
    from simulator.execution.request import Request


def show_estimate(request: "Request", *, as_json: bool) -> int:
    """Print the estimate; the exit status."""
    from simulator.execution.estimate import estimate
    from simulator.execution.request import planned
    from simulator.llm.prices import price_of

    plan, complete = planned(request)
    prices = plan.client.prices

    def price(spec: "ModelSpec") -> "Price | None":
        return price_of(spec.model, prices, spec.base_url or config.openai_base_url())

    found = estimate(plan, request.loaded, price, complete)
    if as_json:
        click.echo(json.dumps(found.as_json(), ensure_ascii=False))
        return 0
    click.echo(f"{plan.client.name}: {found.conversations} conversations; nothing was called")
    click.echo(f"{'':34}{'lowest':>12}{'likely':>12}{'highest':>12}")
    click.echo(_line("calls to the bot", found.target_calls))
    for role in found.roles:
        click.echo(_line(f"{role.role} calls ({role.model})", role.calls))
        click.echo(_line("  tokens in", role.input_tokens))
        click.echo(_line("  tokens out", role.output_tokens))
        click.echo(_line("  USD", role.cost_usd, form=",.4f"))
    if not found.roles:
        click.echo("no model is named: no model is called, and it costs nothing")
    elif found.cost_usd is None:
        click.echo("a price is missing: write `prices:` in client.yaml, or install mogi[prices]")
    else:
        click.echo(_line("USD, all together", found.cost_usd, form=",.4f"))
    return 0


def _line(name: str, bounds: "Bounds | None", form: str = ",.0f") -> str:
    if bounds is None:
        return f"{name:34}{'?':>12}{'?':>12}{'?':>12}"
    figures = (bounds.lowest, bounds.likely, bounds.highest)
    return f"{name:34}" + "".join(f"{format(f, form):>12}" for f in figures)
