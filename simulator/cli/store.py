"""`mogi store`: bring a store up to date, look it through, make it small, copy runs elsewhere."""

from dataclasses import asdict

import click

from simulator import config
from simulator.cli import common, exits
from simulator.core.run import RunHeader
from simulator.words import counted

_NOT_SOUND = 1
_EXAMPLES = """\
\b
Examples:
  mogi store check
  mogi store copy mogi.db all.db
"""
_COPY = """\
\b
Examples:
  mogi store copy mogi.db all.db
  mogi store copy mogi.db all.db --run latest
"""


@click.group(epilog=_EXAMPLES)
def command() -> None:
    """Manage a store: a SQLite file (sqlite:///PATH or PATH) or postgresql://USER@HOST/DATABASE.

    Set the store with --store or MOGI_STORE. `store copy` takes its stores as arguments.
    """


@command.command(
    short_help="migrate a store to the newest schema", epilog="Example:  mogi store migrate"
)
@common.of_store_options
def migrate(store: str | None, *, as_json: bool) -> None:
    """Migrate a store to the newest schema. Commands that write do this automatically."""
    from simulator.store.schema import VERSION

    with common.open_to_write(_url(store)) as opened:
        place = str(opened.location)
    text = f"{place}: schema {VERSION}, the newest that this version of mogi supports"
    common.answer_line({"store": place, "schema": VERSION}, text, as_json=as_json)


@command.command(
    short_help="check all records and report damaged ones", epilog="Example:  mogi store check"
)
@common.of_store_options
def check(store: str | None, *, as_json: bool) -> int:
    """Read all records in a store and report the ones that are damaged.

    Exit status: 0 no problems, 1 damaged records, 2 store not found.
    """
    from simulator.store import upkeep

    with common.open_store(_url(store)) as opened:
        place, state = str(opened.location), upkeep.check(opened)
    rows = ", ".join(f"{count:,} {name}" for name, count in state.rows.items())
    lines = [f"{place}: schema {state.version}; {rows}", *(f"  {line}" for line in state.wrong)]
    lines.append(f"{counted(len(state.wrong), 'problem')}" if state.wrong else "no problems")
    figures = {"store": place, "schema": state.version, **asdict(state)}
    common.answer_line(figures, "\n".join(lines), as_json=as_json)
    return _NOT_SOUND if state.wrong else 0


@command.command(short_help="free unused space", epilog="Example:  mogi store vacuum")
@common.of_store_options
def vacuum(store: str | None, *, as_json: bool) -> None:
    """Free unused disk space. Don't use the store while this runs."""
    with common.open_store(_url(store)):
        pass  # there has to be one
    with common.open_to_write(_url(store)) as opened:
        place, (before, after) = str(opened.location), opened.location.vacuum()
    figures = {"store": place, "bytes_before": before, "bytes_after": after}
    text = f"{place}: {before:,} bytes before, {after:,} now"
    common.answer_line(figures, text, as_json=as_json)


@command.command(short_help="copy runs into another store", epilog=_COPY)
@click.argument("stores", metavar="FROM... TO", nargs=-1, required=True, type=common.NAME)
@common.texts("--run", "RUN", "Copy only this run (an ID or a prefix).", "only")
@common.json_option
def copy(stores: tuple[str, ...], only: tuple[str, ...], *, as_json: bool) -> int:
    """Copy runs from one or more stores into another, without overwriting existing runs.

    This also copies calls, conversations and verdicts. mogi merges runs that exist in several
    stores, such as the shards of a sharded run. You can interrupt the copy and run it again.

    Exit status: 0 all runs copied, 2 invalid input, 3 a sharded run is missing shards.
    """
    from simulator.execution.session import conclude_stored
    from simulator.store import upkeep

    if len(stores) < 2:
        raise click.UsageError("name at least two stores: source and destination")
    *sources, target = map(_url, stores)
    copies: dict[str, upkeep.Copied] = {}
    merged: dict[str, RunHeader] = {}
    for source in sources:
        with common.open_store(source) as opened, common.open_to_write(target) as into:
            ids = {opened.resolve(name) for name in only}
            copied = copies[str(opened.location)] = upkeep.copy(opened, into, ids)
            merged |= {run: conclude_stored(into, run) for run in copied.merged}
    missing = [run for run, now in merged.items() if now.shards and now.status != "finished"]
    for run in missing:
        exits.say(f"run {run} is incomplete: some of its {merged[run].shards} shards are missing")
    lines = [
        f"{place}: {counted(len(each.new), 'run')} copied, {len(each.merged)} merged, "
        f"{len(each.same)} there already; {counted(each.conversations, 'conversation')}, "
        f"{counted(each.verdicts, 'verdict')}"
        for place, each in copies.items()
    ]
    figures = {"copied": [{"from": place, **asdict(each)} for place, each in copies.items()]}
    common.answer_line(figures, "\n".join(lines), as_json=as_json)
    return exits.INCOMPLETE if missing else 0


def _url(store: str | None) -> str:
    """A store as people name it: its URL, or a file."""
    named = store or config.store_url()
    return named if ":" in named.partition("/")[0] else f"sqlite:///{named}"
