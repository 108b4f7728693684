"""`mogi judge-check --dry-run`: what a check would cost, without calling anything."""

import asyncio
import json
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from simulator import config
from simulator.core.counting import counted

if TYPE_CHECKING:
    from simulator.checks.judge_check import Check
    from simulator.core.plan import ModelSpec, Price
    from simulator.execution.bounds import Bounds


def show_estimate(check: "Check", complete: frozenset[str], *, as_json: bool) -> int:
    """Print the estimate of what is not `complete` yet, by key; the exit status."""
    from simulator.checks.judge_check import estimate_check
    from simulator.llm.prices import price_of

    prices = check.request.loaded.client.prices

    def price(spec: "ModelSpec") -> "Price | None":
        return price_of(spec.model, prices, spec.base_url or config.openai_base_url())

    found = asyncio.run(estimate_check(check, price, complete))
    if as_json:
        click.echo(json.dumps(asdict(found), ensure_ascii=False))
        return 0
    click.echo(
        f"{found.client}: {counted(found.mutations, 'changed answer')}, "
        f"{counted(found.answers, 'answer')} to judge; nothing was called"
    )
    click.echo(f"{'':34}{'lowest':>12}{'likely':>12}{'highest':>12}")
    click.echo(_line(f"judge calls ({found.model})", found.calls))
    click.echo(_line("  tokens in", found.input_tokens))
    click.echo(_line("  tokens out", found.output_tokens))
    click.echo(_line("  USD", found.cost_usd, form=",.4f"))
    if found.cost_usd is None:
        click.echo("a price is missing: write `prices:` in client.yaml, or install mogi[prices]")
    return 0


def _line(name: str, bounds: "Bounds | None", form: str = ",.0f") -> str:
    if bounds is None:
        return f"{name:34}{'?':>12}{'?':>12}{'?':>12}"
    return f"{name:34}" + "".join(f"{format(figure, form):>12}" for figure in bounds.ends)
