"""The files that make a bot the one that it is: its own Python, and what it may read."""

import hashlib
import re
from collections.abc import Collection, Mapping
from itertools import islice
from pathlib import Path

from simulator import plugins
from simulator.core.bounds import MAX_FILES
from simulator.core.errors import InputError
from simulator.core.plan import Client, TargetSpec
from simulator.formats.sources import Source, inside
from simulator.targets._importing import files_of

# Files of a client's folder that a bot may read, and those that are mogi's own.
_DATA = tuple(f"**/*.{end}" for end in ("txt", "md", "json", "yaml", "csv", "jinja"))
_OURS = re.compile(
    r"client\.yaml$|scenarios[^/]*$|mutations\.yaml$|(?:personas|prompts|rubrics)/"
    r"|(?:.*/)?[.]|(?:.*/)?__pycache__/"
)


def target_files(client: Client, written: Collection[str], most: int = MAX_FILES) -> dict[str, str]:
    """The hashes of the files that make the bot the one it is, by their paths in its folder.

    Raises:
        InputError: they are more than `most`.
    """
    spec, folder = client.target, Path(client.folder)
    paths = {name: folder / name for name in spec.files}
    patterns, code = spec.watch, {}
    if module := _module_of(spec):
        code = files_of(module, (folder, Path.cwd()))
        patterns = _DATA if patterns is None else patterns
    for pattern in patterns or ():
        for path in folder.glob(pattern):
            files = (p for p in path.rglob("*") if p.is_file()) if path.is_dir() else (path,)
            some = list(islice(files, most + 1))
            names = {p.relative_to(folder).as_posix(): p for p in some}
            paths |= names if spec.watch else _only_the_bots(names, client, written)
            if len(paths) > most:
                many = f"contains more than {most:,} files that its bot may read"
                right = "list the files that define the bot in client.yaml: target: {watch: [...]}"
                raise Source.of(folder).error(0, f"{many}; {right}")
    places = inside(folder)
    own = {name: _sha_of(Source.of(path, within=places)) for name, path in paths.items()}
    return {name: _sha_of(Source.of(path)) for name, path in code.items()} | own


def _module_of(spec: TargetSpec) -> str:
    """What names the bot's own Python, if it has any."""
    kind = plugins.find("targets", spec.kind)
    return str(spec.settings.get(kind.OF_PYTHON, "")) if hasattr(kind, "OF_PYTHON") else ""


def _only_the_bots(
    names: Mapping[str, Path], client: Client, written: Collection[str]
) -> dict[str, Path]:
    """Those that are not mogi's own: hashed by what they say, or written by a run."""
    knowledge = (client.knowledge or "\0").rstrip("/")
    return {
        name: path
        for name, path in names.items()
        if not _OURS.match(name)
        and name not in written
        and name != knowledge
        and not name.startswith(f"{knowledge}/")
    }


def _sha_of(source: Source) -> str:
    """Of what is a pipe, a device or a link out of the folder, that it is; it is not read."""
    try:
        with source.opened() as file:
            return hashlib.file_digest(file, "sha256").hexdigest()[:16]
    except OSError as error:
        return f"can't be read: {error.strerror}"
    except InputError as error:
        return error.complaints[0].message
