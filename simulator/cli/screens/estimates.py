"""`--dry-run`: what a run, a judge check or `mogi generate` would do and cost, calling nothing."""

import asyncio
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from simulator import config
from simulator.console.layout import pad
from simulator.console.output import print_json, tell
from simulator.core.claim import CLAIMS
from simulator.core.clean import visible
from simulator.files.client.reach import KINDS, address, line_of, reach_of
from simulator.formats.sources import Source
from simulator.words import Words, counted

if TYPE_CHECKING:
    from simulator.checks.judge_check import CheckEstimate, PreparedCheck
    from simulator.core.persona import Language
    from simulator.core.plan import Client, ModelSpec, Price, Reached
    from simulator.execution.estimate import Earlier, RoleEstimate, RunEstimate
    from simulator.execution.request import RunRequest, Start
    from simulator.generate.planning import SessionEstimate, SessionPlan
    from simulator.llm.prices import Bounds

_NO_PRICE = "write `prices:` in client.yaml, or install mogi[prices]"
_HEAD = f"{'':34}{'lowest':>12}{'likely':>12}{'highest':>12}"


def show_run(
    request: "RunRequest", reports: "Iterable[str]", exports: "Iterable[str]", *, as_json: bool
) -> int:
    """Print what a run with these reports would do, reach and cost; the exit status."""
    from simulator.execution import estimate as estimating
    from simulator.execution.request import planned

    start, complete = planned(request)
    client, recorded = start.plan.client, request.recorded
    price = prices_of(client)
    if recorded is None:
        earlier = _earlier(start)
        loaded = start.request.loaded
        estimate = estimating.estimate(start.plan, loaded, price, complete, earlier)
    else:
        estimate = estimating.estimate_recorded(start, recorded, price, complete)
    reach = reach_of(
        start.request.loaded,
        start.plan,
        talks=recorded is None,
        reports=reports,
        exports=exports,
        writes=written_by(request.store_url, request.writes),
    )
    if as_json:
        from simulator.cli.contracts.trials import dry_run_json

        print_json(dry_run_json(estimate, reach))
        return 0
    what = "answer" if recorded is not None and recorded.kind == "score" else "conversation"
    tell(f"{client.name}: {counted(estimate.conversations, what)}; nothing was called")
    tell(_HEAD)
    if recorded is None:
        tell(_line("calls to the bot", estimate.target_calls))
    for role in estimate.roles:
        _show_calls(f"{role.role} calls ({role.model})", role)
    for line in (line for role in estimate.roles for line in _parts(role)):
        tell(line)
    tell(_whole(estimate))
    if recorded is None:
        tell(_by(estimate.by_run))
    show_reach(reach, client.language)
    return 0


def written_by(store_url: str, files: "Iterable[Path]" = ()) -> list[tuple[str, str]]:
    """The files that a run writes, and what each is; nothing in a client's folder names another."""
    store = store_url.partition("sqlite:///")[2].partition("?")[0]  # empty: no file
    own = [(Source.of(Path(store)).name, "store")] if store else []
    return [*own, *((Source.of(file).name, "output") for file in files)]


def show_reach(
    reach: "Sequence[Reached]",
    language: "Language",
    *,
    err: bool = False,
    marked: "Collection[str]" = (),
) -> None:
    """Print what a run reaches: hosts, variables and where they go, files, programs, code.

    `marked`: the lines of the manifest that nobody has confirmed.
    """
    words = Words(language, "reach")
    tell("\n" + words("title"), err=err)
    for kind in KINDS:
        for number, each in enumerate(r for r in reach if r.kind == kind):
            is_unsure = each.implied and each.kind == "variable"
            implied = words.comma + words("implied") if is_unsure else ""
            goes = words("goes", what=words.name("goes", each.goes) + implied) if each.goes else ""
            mark = f"  [{words('open')}]" if line_of(each) in marked else ""
            line = visible(f"{address(each)}{goes}{mark}")
            tell(f"  {pad(words(kind) if number == 0 else '', 15)}{line}", err=err)
    if any(each.kind in ("program", "code") for each in reach):
        tell(f"  {words('all')}", err=err)
    if marked:
        tell(f"  {words('confirm')}", err=err)


def _whole(estimate: "RunEstimate") -> str:
    if not estimate.roles:
        return "no model is named: no model is called, and it costs nothing"
    if estimate.cost_usd is None:
        return f"a price is missing: {_NO_PRICE}"
    return _line("USD, all together", estimate.cost_usd, ",.4f")


def _earlier(start: "Start") -> "Earlier | None":
    """A run that tells what this one is likely to use, if there is one to be read."""
    from simulator.core.errors import MogiError
    from simulator.execution.estimate import Earlier
    from simulator.store.store import Store

    try:
        with Store.read(start.request.store_url) as store:
            return Earlier.of(store, start.header)
    except MogiError:  # there is no store yet, or none that can be read
        return None


def _by(run: str | None) -> str:
    if run is not None:
        return f"likely: what run {run} used, which was played and judged alike"
    return "likely: assumed, until a run of five conversations (--limit 5) tells better"


def prices_of(client: "Client") -> "Callable[[ModelSpec], Price | None]":
    """What a model costs a client, as far as that is known."""
    from simulator.llm.prices import price_of

    def price(spec: "ModelSpec") -> "Price | None":
        return price_of(spec.model, client.prices, spec.base_url or config.openai_base_url())

    return price


def _parts(role: "RoleEstimate") -> Iterator[str]:
    """What leaving out each of the judge's rubrics would save, where there are several.

    The claims are no rubric: they are read wherever a judge is.
    """
    rubrics = [part for part in role.parts if part.name != CLAIMS]
    if len(rubrics) < 2:
        return
    cost = role.cost_usd.likely if role.cost_usd else None
    yield "leaving out one of the rubrics would save (likely):"
    yield f"{'':30}{'calls':>9}{'tokens in':>12}{'tokens out':>12}{'USD':>10}{'of all':>7}"
    shared = [role.calls.likely, role.input_tokens.likely, role.output_tokens.likely, cost or 0.0]
    for part in rubrics:
        usd = part.cost_usd.likely if part.cost_usd else 0.0
        saved = [part.calls.likely, part.input_tokens.likely, part.output_tokens.likely, usd]
        shared = [max(0.0, left - less) for left, less in zip(shared, saved, strict=True)]
        name = part.name if part.scope == "turn" else f"{part.name} (once a conversation)"
        yield _part(name, saved, cost)
    if shared[0] >= 1:
        yield _part("(what they share)", shared, cost)


def _part(name: str, figures: Sequence[float], whole: float | None) -> str:
    calls, reads, writes, usd = figures
    money = "?" if whole is None else f"{usd:,.4f}"
    share = f"{usd / whole:.0%}" if whole else ""
    return f"  {pad(name, 28)}{calls:>9,.0f}{reads:>12,.0f}{writes:>12,.0f}{money:>10}{share:>7}"


def show_check(check: "PreparedCheck", complete: frozenset[str], *, as_json: bool) -> int:
    """Print what a judge check would cost, but for the answers `complete` by key; the status."""
    from simulator.checks.judge_check import estimate_check

    estimate = asyncio.run(estimate_check(check, prices_of(check.request.loaded.client), complete))
    if as_json:
        print_json(estimate)
        return 0
    tell(
        f"{estimate.client}: {counted(estimate.mutations, 'changed answer')}, "
        f"{counted(estimate.answers, 'answer')} to judge; nothing was called"
    )
    tell(_HEAD)
    _show_calls(f"judge calls ({estimate.model})", estimate)
    if estimate.cost_usd is None:
        tell(f"a price is missing: {_NO_PRICE}")
    return 0


def show_generate(plan: "SessionPlan", *, as_json: bool) -> int:
    """Print what a session of `mogi generate` would do and cost; the exit status."""
    from simulator.cli.screens.generate import show_log
    from simulator.generate.planning import estimate_session
    from simulator.generate.session import log_json

    request = plan.request
    client, price = request.client, prices_of(request.client)
    of_model = price(request.model) if request.model else None
    work = estimate_session(plan, of_model)
    if as_json:
        print_json({**work.as_json(), "log": log_json(plan, plan.lines)})
        return 0
    questions = counted(work.questions, "question")
    entries = counted(work.units, "entry", "entries")
    tell(f"{client.name}: {questions} for {entries}; nothing was called")
    show_model(work, request.model.model if request.model and plan.asks_a_model else None)
    show_log(plan, plan.lines)
    for note in plan.notes():
        tell(f"note: {note}", err=True)
    return 0


def show_model(estimate: "SessionEstimate", model: str | None) -> None:
    """Print what a model that writes or checks questions would do."""
    if model is None:
        tell("no model is called, and it costs nothing")
        return
    tell(_HEAD)
    tell(_line(f"calls ({model})", estimate.calls))
    tell(_line("  tokens in", estimate.input_tokens))
    tell(_line("  tokens out", estimate.output_tokens))
    tell(_line("USD", estimate.cost_usd, ",.4f"))
    if estimate.cost_usd is None:
        tell(f"no price is known: {_NO_PRICE}")


def _show_calls(name: str, role: "RoleEstimate | CheckEstimate") -> None:
    tell(_line(name, role.calls))
    tell(_line("  tokens in", role.input_tokens))
    if (head := getattr(role, "head", None)) is not None:
        tell(f"{'    cacheable: the same first part':34}{'':12}{head:>12.0%}")
    tell(_line("  tokens out", role.output_tokens))
    tell(_line("  USD", role.cost_usd, ",.4f"))


def _line(name: str, figures: "Bounds | None", form: str = ",.0f") -> str:
    cells = ("?", "?", "?") if figures is None else tuple(format(f, form) for f in figures)
    return f"{name:34}" + "".join(f"{cell:>12}" for cell in cells)
