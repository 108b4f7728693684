"""`mogi init`: a new client folder that runs as it stands."""

import shutil
from pathlib import Path

import click

from simulator import config
from simulator.cli import common
from simulator.console.output import make_private, tell
from simulator.core.errors import InputError
from simulator.core.persona import Language
from simulator.formats.sources import Source

_EXAMPLES = """\
\b
Examples:
  mogi init acme && mogi run acme
  mogi init acme --language en
"""


@click.command(epilog=_EXAMPLES)
@click.argument("name", type=common.NAME)
@common.language("The language of the client's users.  [default: that of the locale]")
def command(name: str, language: Language | None) -> None:
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
