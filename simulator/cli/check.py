"""`mogi check`: all that is wrong with a client's files, at once, and what a run would reach."""

import click

from simulator import plugins
from simulator.cli import common, exits
from simulator.console.output import print_json, tell
from simulator.words import counted


@click.command(epilog="Example:  mogi check demo")
@click.argument("client")
@common.json_option
@common.client_options
def command(client: str, *, as_json: bool) -> None:
    """Read every file of CLIENT, say all that is wrong with file:line, and what a run would reach.

    Nothing is called, and none of its code is imported: its text is looked at. CLIENT is a folder,
    or a name looked up in ./scenarios and among the shipped ones.
    """
    from simulator.build.plan import Options, make_plan
    from simulator.build.snapshot import stale_in_files, unspoken_turns
    from simulator.files.client.reach import check_code, reach_json, reach_of
    from simulator.screens.estimates import show_reach

    with plugins.unimported():
        loaded = common.client(client)
        plan = make_plan(loaded, Options(offline=True))
        check_code(loaded.client)
        unspoken = unspoken_turns(plan, loaded.client.user.kind, "en")
        notes = [*loaded.notes, *stale_in_files(loaded), *unspoken]
        reach = reach_of(loaded)
    found = loaded.client
    if as_json:
        sizes = {"scenarios": len(loaded.scenarios), "personas": len(loaded.personas)}
        counts = {**sizes, "conversations": plan.conversations()}
        told = {"notes": list(map(str, notes)), "reach": reach_json(reach)}
        print_json({"client": found.name, "target": found.target.kind, **counts, **told})
        return
    tell(
        f"{found.name}: all files are right. {counted(len(loaded.scenarios), 'scenario')}, "
        f"{counted(len(loaded.personas), 'persona')}, "
        f"{counted(plan.conversations(), 'conversation')}, "
        f"target {found.target.kind}"
    )
    show_reach(reach, found.language)
    for note in notes:
        exits.say(f"note: {note}")
