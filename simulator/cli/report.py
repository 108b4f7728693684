"""A run handed out: `mogi report`, `mogi reports`, `mogi export`, and what others write of one."""

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simulator import config, plugins
from simulator.cli import common, exits
from simulator.cli.contracts import CONTRACTS, schema_of
from simulator.console.layout import one_liners
from simulator.console.output import print_json
from simulator.core.errors import Complaint, InputError
from simulator.words import Words, counted

if TYPE_CHECKING:
    from simulator.core.run import Run
    from simulator.store.store import Store
    from simulator.view.compare_view import CompareView

_EXPORTS = """\
\b
Examples:
  mogi export latest > turns.jsonl
  mogi export latest --to otel
  mogi export --schema turn
"""
Report = tuple[str, str | None]  # its name, and where to
_SCHEMAS = tuple(CONTRACTS)


def reports_option(about: str, **more: Any) -> common.Decorator:
    """--report."""
    about = f"{about}  (repeatable)"
    return click.option(
        "--report", "reports", multiple=True, metavar="NAME[=PATH]", help=about, **more
    )


def parse_reports(texts: Sequence[str], *, of_two: bool = False) -> list[Report]:
    """(name, path) of each --report, before anything runs; `of_two`: of two runs compared.

    Raises:
        InputError: everything that is wrong with them, at once.
    """
    pairs = [(text, *text.partition("=")[::2]) for text in texts]
    complaints = [
        f"--report {text}: {complaint}"
        for text, name, path in pairs
        if (complaint := _complaint(name, path) or (_not_of_two(name) if of_two else None))
    ]
    if complaints:
        raise InputError(*complaints)
    return [(name, path or None) for _, name, path in pairs]


def write_reports(run: "Run", reports: Sequence[Report], store: str | None = None) -> None:
    """Write each report; one that cannot be written does not keep the others from it.

    `store`: its URL, for those that tell what became of the run since the one before.

    Raises:
        InputError: those that could not be written, and how to write them again.
    """
    failed: list[Complaint | str] = []
    compared = cache(lambda: since(run, store))
    for name, path in reports:
        try:
            report = plugins.find("reports", name)()
            beside = (compared(),) if hasattr(report, "SINCE") else ()
            written = report.write(run, path, *beside) or path
        except InputError as error:
            failed.extend(error.complaints)
            continue
        if written:
            exits.say(f"wrote {written}")
    if failed:
        again = f"the run is saved: mogi report {run.header.id} --report NAME=PATH"
        raise InputError(*failed, again)


def since(run: "Run", store: str | None) -> "CompareView | None":
    """The run beside the one before it; None where there is none that it can be compared with."""
    from simulator.compare.comparison import beside_previous, compare_runs
    from simulator.view.compare_view import compared

    with common.open_store(store) as opened:
        comparison = beside_previous(opened, run.header.id, compare_runs)
    return compared(comparison) if comparison else None


def _complaint(name: str, path: str) -> str | None:
    known = plugins.names("reports")
    if ":" in name and config.is_untrusted():
        return "--untrusted blocks its code"
    if ":" not in name and name not in known:
        return f"no report {name!r}; {plugins.suggest(name, known)}"
    report = plugins.find("reports", name)
    if report.NEEDS_PATH and not path:
        return f"missing path: write --report {name}=PATH"
    own: Callable[[str], str | None] | None = getattr(report, "complaint", None)
    if own is not None:  # it writes no file, and may lack something else
        return own(path)
    return _path_complaint(path) if path else None


def _not_of_two(name: str) -> str | None:
    if hasattr(plugins.find("reports", name), "compare"):
        return None
    able = [n for n in plugins.names("reports") if hasattr(plugins.find("reports", n), "compare")]
    return f"reports on one run; for two runs, use {' and '.join(able)}"


def _path_complaint(path: str) -> str | None:
    if path == "-":
        return "- isn't supported; set a path, or use mogi run --json"
    if os.path.isdir(path):  # unlike pathlib's, false for impossible names
        return f"{path} is a folder; use a file in it"
    if not Path(path).absolute().parent.is_dir():
        return f"the folder {Path(path).parent} doesn't exist; create it, or use another one"
    return None


@click.command(epilog="Example:  mogi report latest --report junit=mogi.xml")
@click.argument("run")
@reports_option("Report to write, and its path.", default=("terminal",), show_default=True)
@common.store_option
@common.client_options
def command(run: str, reports: tuple[str, ...], store: str | None) -> None:
    """Write reports of RUN (an ID, a unique prefix, latest or previous)."""
    wanted = parse_reports(reports)
    with common.open_store(store) as opened:
        write_reports(common.load_run(opened, run), wanted, store)


@click.command(epilog="Example:  mogi reports")
@common.json_option
def reports(*, as_json: bool) -> None:
    """List the available reports, for --report NAME[=PATH]."""
    kinds = {name: plugins.find("reports", name) for name in plugins.names("reports")}
    about = {name: (kind.__doc__ or "").splitlines()[0] for name, kind in kinds.items()}
    if as_json:
        from simulator.cli.runs import Report, Reports

        rows = (Report(name, about[name], kind.NEEDS_PATH) for name, kind in kinds.items())
        print_json(Reports(tuple(rows)))
        return
    values = {name: getattr(kind, "TAKES", "PATH") for name, kind in kinds.items()}
    uses = {n: f"{n}={v}" if kinds[n].NEEDS_PATH else f"{n}[={v}]" for n, v in values.items()}
    words = Words(config.locale(), "report")
    heads = (words("table.report"), words("table.about"))
    one_liners(heads, [(uses[name], exits.translated(about[name])) for name in kinds])


@click.command(epilog=_EXPORTS)
@click.argument("run", required=False)
@common.text(
    "--to", "NAME", "Send the run to a tool instead: otel, langfuse, phoenix, slack.", "exporter"
)
@click.option(
    "--schema",
    type=click.Choice(_SCHEMAS),
    metavar="NAME",
    help="Print a JSON schema: turn (a line of this output); run, conversations, conversation, "
    "calls or judge (`show --json`); or " + ", ".join(_SCHEMAS[2:7] + _SCHEMAS[11:]) + ".",
)
@common.store_option
@common.client_options
def export(
    run: str | None, exporter: str | None, store: str | None, schema: str | None
) -> int | None:
    """Print RUN (an ID, a prefix, latest or previous) as one JSON object per turn."""
    from simulator.view.run_json import turn_lines

    if run is None and schema is None:
        raise click.UsageError("which run? e.g. `mogi export latest`; or --schema turn, alone")
    if schema is not None and (run is not None or exporter is not None):
        other = run or f"--to {exporter}"
        raise click.UsageError(f"--schema {schema} is of every run: write it without {other}")
    if schema is not None:
        print_json(schema_of(schema))
        return None
    if exporter is not None:
        plugins.check_exporters("--to", [exporter])
    with common.open_store(store) as opened:
        whole = common.load_run(opened, run or "")
        if exporter is not None:
            return _send(whole, opened, exporter)
        for line in turn_lines(whole):
            print_json(line)
    return None


def _send(run: "Run", store: "Store", name: str) -> int:
    """Hand an exporter the events of a run; the exit status."""
    from simulator.core.events import ExportContext
    from simulator.core.traffic import Stream
    from simulator.execution.events import saved_run

    header = run.header
    context = ExportContext(header.client, header.folder, header.language, on_request=True)
    events = Stream()
    events.run = header.id
    again = f"mogi export {{run}} --to {name}"
    subscriber = plugins.exporter(name).open(context)
    with redirect_stdout(sys.stderr):
        events.subscribe(f"--to {name}", subscriber, apart=False, again=again)
        for event in saved_run(run, partial(store.calls, header.id)):
            events.emit(event)
        troubles = events.close()
    for trouble in troubles:
        exits.say(f"mogi: {trouble}")
    if troubles:
        return exits.INCOMPLETE
    exits.say(
        f"run {header.id} was sent to {name}: {counted(run.summary.conversations, 'conversation')}"
    )
    return 0
