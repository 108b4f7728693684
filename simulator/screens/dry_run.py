"""`--dry-run`: what a run would do and cost, without calling anything."""

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import click

from simulator import config
from simulator.core.counting import counted

if TYPE_CHECKING:
    from simulator.core.plan import ModelSpec, Price
    from simulator.execution.bounds import Bounds
    from simulator.execution.estimate import Estimate, RoleEstimate
    from simulator.execution.request import Request


def show_estimate(request: "Request", *, as_json: bool) -> int:
    """Print the estimate; the exit status."""
    name, found = _estimated(request)
    if as_json:
        click.echo(json.dumps(found.as_json(), ensure_ascii=False))
        return 0
    recorded = request.recorded
    what = "answer" if recorded is not None and recorded.kind == "score" else "conversation"
    click.echo(f"{name}: {counted(found.conversations, what)}; nothing was called")
    click.echo(f"{'':34}{'lowest':>12}{'likely':>12}{'highest':>12}")
    if recorded is None:
        click.echo(_line("calls to the bot", found.target_calls))
    for line in (line for role in found.roles for line in _role(role)):
        click.echo(line)
    for line in (line for role in found.roles for line in _parts(role)):
        click.echo(line)
    if not found.roles:
        click.echo("no model is named: no model is called, and it costs nothing")
    elif found.cost_usd is None:
        click.echo("a price is missing: write `prices:` in client.yaml, or install mogi[prices]")
    else:
        click.echo(_line("USD, all together", found.cost_usd, form=",.4f"))
    return 0


def _estimated(request: "Request") -> "tuple[str, Estimate]":
    """The client's name, and what the request would do."""
    from simulator.execution.estimate import estimate, estimate_recorded
    from simulator.execution.request import planned
    from simulator.llm.prices import price_of

    start, complete = planned(request)
    client = start.plan.client

    def price(spec: "ModelSpec") -> "Price | None":
        return price_of(spec.model, client.prices, spec.base_url or config.openai_base_url())

    if request.recorded is None:
        return client.name, estimate(start.plan, start.request.loaded, price, complete)
    return client.name, estimate_recorded(start, request.recorded, price, complete)


def _role(role: "RoleEstimate") -> Iterator[str]:
    yield _line(f"{role.role} calls ({role.model})", role.calls)
    yield _line("  tokens in", role.input_tokens)
    yield _line("  tokens out", role.output_tokens)
    yield _line("  USD", role.cost_usd, form=",.4f")


def _line(name: str, bounds: "Bounds | None", form: str = ",.0f") -> str:
    if bounds is None:
        return f"{name:34}{'?':>12}{'?':>12}{'?':>12}"
    figures = (bounds.lowest, bounds.likely, bounds.highest)
    return f"{name:34}" + "".join(f"{format(f, form):>12}" for f in figures)


def _parts(role: "RoleEstimate") -> Iterator[str]:
    """What leaving out each of the judge's rubrics would save, where there are several."""
    if len(role.parts) < 2:
        return
    cost = role.cost_usd.likely if role.cost_usd else None
    yield "leaving out one of the rubrics would save (likely):"
    yield f"{'':30}{'calls':>9}{'tokens in':>12}{'tokens out':>12}{'USD':>10}{'of all':>7}"
    shared = [role.calls.likely, role.input_tokens.likely, role.output_tokens.likely, cost or 0.0]
    for part in role.parts:
        usd = part.cost_usd.likely if part.cost_usd else 0.0
        saved = [part.calls.likely, part.input_tokens.likely, part.output_tokens.likely, usd]
        shared = [max(0.0, left - one) for left, one in zip(shared, saved, strict=True)]
        name = part.name if part.scope == "turn" else f"{part.name} (once a talk)"
        yield _part(name, saved, cost)
    if shared[0] >= 1:
        yield _part("(what they share)", shared, cost)


def _part(name: str, figures: Sequence[float], whole: float | None) -> str:
    from simulator.console.layout import pad

    calls, reads, writes, usd = figures
    money = "?" if whole is None else f"{usd:,.4f}"
    share = f"{usd / whole:.0%}" if whole else ""
    return f"  {pad(name, 28)}{calls:>9,.0f}{reads:>12,.0f}{writes:>12,.0f}{money:>10}{share:>7}"
