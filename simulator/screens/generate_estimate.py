"""`mogi generate --dry-run`: what it would cost, without calling anything."""

import json
from typing import TYPE_CHECKING

import click

from simulator import config
from simulator.core.counting import counted

if TYPE_CHECKING:
    from simulator.core.plan import Client, ModelSpec, Price
    from simulator.generate.estimate import Estimate
    from simulator.generate.planning import Plan


def show_estimate(plan: "Plan", *, as_json: bool) -> int:
    """Print what a session would do and cost; the exit status."""
    from simulator.generate.estimate import estimate

    request = plan.request
    client = request.client
    price = price_for(client, request.model) if request.model else None
    vectors = price_for(client, client.embedding) if client.embedding else None
    found = estimate(plan, price, vectors)
    if as_json:
        click.echo(json.dumps(found.as_json(), ensure_ascii=False))
        return 0
    click.echo(
        f"{client.name}: {counted(found.questions, 'question')} for "
        f"{counted(found.units, 'entry', 'entries')}; "
        "nothing was called"
    )
    name = request.model.model if request.model and plan.asks_a_model else None
    print_estimate(found, name)
    for note in plan.notes():
        click.echo(f"note: {note}", err=True)
    return 0


def print_estimate(found: "Estimate", model: str | None) -> None:
    """Print the figures."""
    if model is None:
        click.echo("no model is called, and it costs nothing")
        return
    click.echo(f"{'':34}{'lowest':>12}{'likely':>12}{'highest':>12}")
    click.echo(_line(f"calls ({model})", found.calls))
    click.echo(_line("  tokens in", found.input_tokens))
    click.echo(_line("  tokens out", found.output_tokens))
    if any(found.embedding_calls):
        click.echo(_line("calls of the embedding model", found.embedding_calls))
        click.echo(_line("  tokens in", found.embedding_tokens))
    click.echo(_line("USD", found.cost_usd, ",.4f"))
    if found.cost_usd is None:
        click.echo("no price is known: write `prices:` in client.yaml, or install mogi[prices]")


def price_for(client: "Client", spec: "ModelSpec") -> "Price | None":
    """What a model costs, as far as that is known."""
    from simulator.llm.prices import price_of

    return price_of(spec.model, client.prices, spec.base_url or config.openai_base_url())


def _line(name: str, figures: "tuple[float, float, float] | None", form: str = ",.0f") -> str:
    cells = ("?", "?", "?") if figures is None else tuple(format(f, form) for f in figures)
    return f"{name:34}" + "".join(f"{cell:>12}" for cell in cells)
