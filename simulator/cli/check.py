"""`mogi check`: all that is wrong with a client's files; `mogi init`: files to begin with."""

import shutil
from pathlib import Path

import click

from simulator import config, plugins
from simulator.cli import common, exits
from simulator.console.output import print_json, tell
from simulator.core.errors import InputError
from simulator.core.persona import Language
from simulator.formats.own_files import make_private
from simulator.formats.sources import Source
from simulator.words import counted


@click.command(epilog="Example:  mogi check demo")
@click.argument("client")
@common.text(
    "--manifest", "FILE", "Write there what a run reaches; compare, where the file is there."
)
@common.json_option
@common.client_options
def command(client: str, *, manifest: str | None, as_json: bool) -> None:
    """Read every file of CLIENT, say all that is wrong with file:line, and what a run would reach.

    Nothing is called, and none of its code is imported: its text is looked at. CLIENT is a folder,
    or a name looked up in ./scenarios and among the shipped ones.
    """
    from simulator.cli.contracts.lists import ClientSummary, Reach
    from simulator.cli.screens.estimates import show_reach
    from simulator.execution.plan import Options, make_plan
    from simulator.execution.snapshot import stale_in_files, unspoken_turns
    from simulator.files.client.manifest import check_manifest, lines_of, write_manifest
    from simulator.files.client.reach import check_code, reach_of

    with plugins.unimported():
        loaded = common.client(client)
        plan = make_plan(loaded, Options(offline=True))
        check_code(loaded.client)
        unspoken = unspoken_turns(plan, loaded.client.user.kind, "en")
        notes = [*loaded.notes, *stale_in_files(loaded), *unspoken]
        reach = reach_of(loaded)
    if manifest is not None:
        file, lines = Path(manifest), lines_of(reach)
        if file.exists():
            check_manifest(file, lines)
        else:
            write_manifest(file, lines)
            exits.say(f"wrote {manifest}")
    summary = ClientSummary(
        client=loaded.client.name,
        target=loaded.client.target.kind,
        scenarios=len(loaded.scenarios),
        personas=len(loaded.personas),
        conversations=plan.conversations(),
        notes=tuple(map(str, notes)),
        reach=Reach.of(reach),
    )
    if as_json:
        print_json(summary)
        return
    tell(
        f"{summary.client}: all files are right. {counted(summary.scenarios, 'scenario')}, "
        f"{counted(summary.personas, 'persona')}, "
        f"{counted(summary.conversations, 'conversation')}, target {summary.target}"
    )
    show_reach(reach, loaded.client.language)
    for note in summary.notes:
        exits.say(f"note: {note}")


_EXAMPLES = """\
\b
Examples:
  mogi init acme && mogi run acme
  mogi init acme --language en
"""


@click.command(epilog=_EXAMPLES)
@click.argument("name", type=common.NAME)
@common.language("The language of the client's users.  [default: that of the locale]")
def init(name: str, language: Language | None) -> None:
    """Make ./scenarios/NAME: a client folder, ready to edit; it runs as it stands."""
    from simulator.words import Words

    if Path(name).name != name or name == "..":
        raise InputError(f"{name!r} is no name for a client; write one word, such as acme")
    folder = Path.cwd() / "scenarios" / name
    spoken = language or config.language()
    for path in new_client(folder, spoken):
        tell(path.relative_to(Path.cwd()))
    tell(f"\n{Words(spoken, 'init')('next', client=name)}", err=True)


_TEMPLATES = Path(__file__).resolve().parent / "_templates"


def new_client(folder: Path, language: Language) -> list[Path]:
    """Make `folder` with a client.yaml, scenarios and a small FAQ of an invented shop.

    Returns:
        The files that were written, sorted.

    Raises:
        InputError: the folder is there already, or cannot be made.
    """
    shown = Source.of(folder)
    template = _TEMPLATES / language
    files = sorted(p.relative_to(template) for p in template.rglob("*") if p.is_file())
    try:
        folder.mkdir(parents=True)
        for file in files:
            (folder / file).parent.mkdir(exist_ok=True)
            # Contents only: an installed package may be read-only, its copy is there to be edited.
            make_private(folder / file)
            shutil.copyfile(template / file, folder / file)
    except FileExistsError as error:
        raise shown.error(0, "is there already; choose another name, or remove it") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise shown.error(0, f"cannot be made ({reason}); choose another place") from error
    return [folder / file for file in files]
