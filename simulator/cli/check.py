"""`mogi check`: all that is wrong with a client's files; `mogi init`: files to begin with."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from simulator import config, plugins
from simulator.cli import common, exits
from simulator.console.output import as_json as json_of
from simulator.console.output import print_json, tell
from simulator.core.errors import InputError
from simulator.core.persona import Language
from simulator.formats.own_files import make_private
from simulator.formats.sources import Source
from simulator.words import Words


@click.command(epilog="Example:  mogi check demo-en")
@click.argument("client")
@common.text(
    "--manifest",
    "FILE",
    "Write a manifest (everything a run accesses) to FILE. If FILE exists, compare with it.",
)
@common.json_option
@common.client_options
def command(client: str, *, manifest: str | None, as_json: bool) -> None:
    """Check all of CLIENT's files. Report every error with file:line, and list what a run accesses.

    This doesn't make calls or import code; it only reads code as text. CLIENT is a folder path,
    or the name of a client in ./scenarios or of a built-in client.
    """
    from simulator.cli.contracts.reach import ClientSummary, Reach
    from simulator.cli.screens.estimates import show_reach, written_by
    from simulator.execution.plan import Options, make_plan
    from simulator.execution.snapshot import stale_in_files, unspoken_turns
    from simulator.files.client.reach import (
        check_code,
        check_manifest,
        lines_of,
        reach_of,
        unconfirmed,
        write_manifest,
    )

    with plugins.unimported():
        loaded = common.client(client)
        plan = make_plan(loaded, Options(offline=True))
        check_code(loaded.client)
        unspoken = unspoken_turns(plan, loaded.client.user.kind, loaded.client.language)
        notes = [*loaded.notes, *stale_in_files(loaded), *unspoken]
        reach = reach_of(loaded, writes=written_by(config.store_url()))
        marked = unconfirmed(loaded)
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
    words = Words(loaded.client.language, "init")
    tell(words("right", **json_of(summary)))
    show_reach(reach, loaded.client.language, marked=marked)
    for note in summary.notes:
        exits.say(f"note: {note}")


_EXAMPLES = """\
\b
Examples:
  mogi init acme && mogi run acme
  mogi init acme --language en
  mogi init --skill                teach a coding agent to use mogi
"""
_SKILLS = ".claude/skills"


@click.command(epilog=_EXAMPLES)
@click.argument("name", type=common.NAME, required=False)
@common.language("Language of the client's users.  [default: from the locale]")
@common.flag("--skill", "Write a skill that teaches coding agents to use mogi. You can omit NAME.")
@common.text("--skills", "DIR", f"Write the skill to this folder.  [default: {_SKILLS}]")
def init(name: str | None, language: Language | None, skills: str | None, *, skill: bool) -> None:
    """Create ./scenarios/NAME, a client folder that you can run right away and then edit.

    --skill writes .claude/skills/mogi, where Claude Code and other agents look for skills; some
    agents use another folder, such as .agents/skills. mogi never overwrites files that you changed.
    """
    skill = skill or skills is not None
    if name is None and not skill:
        raise click.UsageError("which client? e.g. `mogi init acme`; or --skill, alone")
    if name is not None and (Path(name).name != name or name == ".."):
        raise InputError(f"{name!r} isn't a valid client name; use one word, such as acme")
    spoken = language or config.language()
    words = Words(spoken, "init")
    # First, for it refuses what was changed before anything is written.
    written = new_skill(Path.cwd() / (skills or _SKILLS) / "mogi") if skill else []
    if skill and not written:
        tell(words("skill_unchanged"), err=True)
    if name is not None:
        written += new_client(Path.cwd() / "scenarios" / name, spoken)
    for path in written:
        tell(os.path.relpath(path))
    if name is not None:
        tell(f"\n{words('next', client=name)}", err=True)


_TEMPLATES = Path(__file__).resolve().parent / "_templates"


def new_client(folder: Path, language: Language) -> list[Path]:
    """Make `folder` with a client.yaml, scenarios and a small FAQ of an invented shop.

    Returns:
        The files that were written, sorted.

    Raises:
        InputError: the folder is there already, or cannot be made.
    """
    template = _TEMPLATES / language
    with _made(folder):
        try:
            folder.mkdir(parents=True)
        except FileExistsError as error:
            taken = "already exists; choose another name, or remove it"
            raise Source.of(folder).error(0, taken) from error
        return _copied(template, folder, _files(template))


def new_skill(folder: Path) -> list[Path]:
    """Write the agent skill into `folder`, but for files that are there as they should be.

    Returns:
        The files that were written, sorted.

    Raises:
        InputError: one was changed, or cannot be written; none is then.
    """
    template = _TEMPLATES / "skill"
    with _made(folder):
        files = [file for file in _files(template) if not _is_same(template, folder, file)]
        changed = [Source.of(folder / file) for file in files if os.path.lexists(folder / file)]
        if changed:
            hint = "was changed, or is from another version; to rewrite it, remove it first"
            raise InputError(*(c for source in changed for c in source.error(0, hint).complaints))
        return _copied(template, folder, files)


@contextmanager
def _made(folder: Path) -> Iterator[None]:
    """Within the block, what the system refuses is a complaint about the folder."""
    try:
        yield
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        hint = f"can't be created ({reason}); choose another folder"
        raise Source.of(folder).error(0, hint) from error


def _files(template: Path) -> list[Path]:
    return sorted(p.relative_to(template) for p in template.rglob("*") if p.is_file())


def _is_same(template: Path, folder: Path, file: Path) -> bool:
    path = folder / file
    return path.is_file() and path.read_bytes() == (template / file).read_bytes()


def _copied(template: Path, folder: Path, files: list[Path]) -> list[Path]:
    for file in files:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        # Contents only: an installed package may be read-only, its copy is there to be edited.
        make_private(folder / file)
        shutil.copyfile(template / file, folder / file)
    return [folder / file for file in files]
