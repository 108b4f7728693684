"""`--dry-run`: what a run, a judge check or `mogi generate` would do and cost, calling nothing."""

import asyncio
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.cells import cell_len

from simulator import config
from simulator.console.layout import pad
from simulator.console.output import print_json, tell
from simulator.core.claim import CLAIMS
from simulator.core.clean import visible
from simulator.files.client.reach import KINDS, address, line_of, reach_of
from simulator.formats.sources import Source
from simulator.words import Words

if TYPE_CHECKING:
    from simulator.checks.judge_check import CheckEstimate, PreparedCheck
    from simulator.core.persona import Language
    from simulator.core.plan import Client, ModelSpec, Price, Reached
    from simulator.execution.estimate import Earlier, RoleEstimate, RunEstimate
    from simulator.execution.request import RunRequest, Start
    from simulator.generate.planning import SessionEstimate
    from simulator.llm.prices import Bounds

_LABEL, _FIGURE = 34, 12  # cells


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
        from simulator.cli.contracts.reach import dry_run_json

        print_json(dry_run_json(estimate, reach))
        return 0
    words = Words(client.language, "estimate")
    what = "answers" if recorded is not None and recorded.kind == "score" else "conversations"
    tell(words(what, client=client.name, n=estimate.conversations))
    tell(_head(words))
    if recorded is None:
        tell(_line(words("bot"), estimate.target_calls))
    for role in estimate.roles:
        _show_calls(words(f"calls.{role.role}", model=role.model), role, words)
    for line in (line for role in estimate.roles for line in _parts(role, words)):
        tell(line)
    tell(_whole(estimate, words))
    if recorded is None:
        tell(words("likely.run" if estimate.by_run else "likely.assumed", run=estimate.by_run))
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


def _whole(estimate: "RunEstimate", words: Words) -> str:
    if not estimate.roles:
        return words("no_model")
    if estimate.cost_usd is None:
        return words("no_price")
    return _line(words("usd.all"), estimate.cost_usd, ",.4f")


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


def prices_of(client: "Client") -> "Callable[[ModelSpec], Price | None]":
    """What a model costs a client, as far as that is known."""
    from simulator.llm.prices import price_of

    def price(spec: "ModelSpec") -> "Price | None":
        return price_of(spec.model, client.prices, spec.base_url or config.openai_base_url())

    return price


def _parts(role: "RoleEstimate", words: Words) -> Iterator[str]:
    """What leaving out each of the judge's rubrics would save, where there are several.

    The claims are no rubric: they are read wherever a judge is.
    """
    rubrics = [part for part in role.parts if part.name != CLAIMS]
    if len(rubrics) < 2:
        return
    cost = role.cost_usd.likely if role.cost_usd else None
    yield words("parts")
    heads = [words(f"parts.{name}") for name in ("calls", "in", "out")]
    heads += [words("usd"), words("parts.of_all")]
    yield " " * 30 + "".join(map(_right, heads, (9, 12, 12, 10, 7)))
    shared = [role.calls.likely, role.input_tokens.likely, role.output_tokens.likely, cost or 0.0]
    for part in rubrics:
        usd = part.cost_usd.likely if part.cost_usd else 0.0
        saved = [part.calls.likely, part.input_tokens.likely, part.output_tokens.likely, usd]
        shared = [max(0.0, left - less) for left, less in zip(shared, saved, strict=True)]
        name = part.name if part.scope == "turn" else words("parts.talk", name=part.name)
        yield _part(name, saved, cost)
    if shared[0] >= 1:
        yield _part(words("parts.shared"), shared, cost)


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
    words = Words(check.request.loaded.client.language, "estimate")
    counts = {"n": estimate.mutations, "answers": estimate.answers}
    tell(words("mutations", client=estimate.client, **counts))
    show_table(words("calls.judge", model=estimate.model), estimate, words)
    return 0


def show_table(name: str, work: "CheckEstimate | SessionEstimate", words: Words) -> None:
    """Print the calls, tokens and cost of what would be called by this name."""
    tell(_head(words))
    _show_calls(name, work, words)
    if work.cost_usd is None:
        tell(words("no_price"))


def _show_calls(
    name: str, work: "RoleEstimate | CheckEstimate | SessionEstimate", words: Words
) -> None:
    tell(_line(name, work.calls))
    tell(_line(words("tokens_in"), work.input_tokens))
    if (head := getattr(work, "head", None)) is not None:
        tell(_row(words("cacheable"), ["", f"{head:.0%}"]))
    tell(_line(words("tokens_out"), work.output_tokens))
    tell(_line(f"  {words('usd')}", work.cost_usd, ",.4f"))


def _head(words: Words) -> str:
    return _row("", [words(name) for name in ("lowest", "likely", "highest")])


def _line(name: str, figures: "Bounds | None", form: str = ",.0f") -> str:
    return _row(name, ["?"] * 3 if figures is None else [format(f, form) for f in figures])


def _row(name: str, cells: Iterable[str]) -> str:
    return name + " " * (_LABEL - cell_len(name)) + "".join(_right(c, _FIGURE) for c in cells)


def _right(cell: str, width: int) -> str:
    return " " * (width - cell_len(cell)) + cell
