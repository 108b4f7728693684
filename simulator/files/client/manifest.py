"""The manifest of a client: what its files make a run reach, a line each, kept and compared.

What hangs on this machine and not on the files is not in it: proxies, and variables that are sent
without being named. The files that a run writes are in one of `--manifest` alone: whoever types
them needs no asking. What a person confirmed of it is kept in this user's state folder, a file for
each client's folder.
"""

import os
from collections.abc import Iterable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from simulator import config
from simulator.core.errors import InputError
from simulator.core.plan import Reached
from simulator.files.catalog import is_shipped
from simulator.files.client.reach import address, reach_of
from simulator.formats.own_files import own_text, replacing, whole
from simulator.formats.sources import Source

if TYPE_CHECKING:
    from simulator.files.client.folder import LoadedClient

_LARGEST = 1_000_000  # bytes of what was confirmed
_WRITTEN = "written "
_HEAD = "# What a run reaches; `mogi check --manifest` wrote it, `mogi run --manifest` compares."


def lines_of(reach: Iterable[Reached]) -> tuple[str, ...]:
    """The lines, in the order of `reach_of`."""
    of_files = (r for r in reach if not (r.implied or r.goes.startswith("proxy → ")))
    return tuple(map(line_of, of_files))


def line_of(each: Reached) -> str:
    """A line of the manifest: `host POST https://bot.example/chat (target.url)`."""
    goes = f" ({each.goes})" if each.goes else ""
    confined = ", not confined" if each.kind in ("program", "code") else ""
    return f"{each.kind} {address(each)}{goes}{confined}"


def unconfirmed(loaded: "LoadedClient") -> tuple[str, ...]:
    """The lines of its manifest that a person has to confirm and nobody did.

    A client that ships needs nobody, nor do files in a client's own folder. Where nothing is
    trusted, and of hosts where some are named, an option has confirmed what is left.
    """
    folder = loaded.client.folder  # none: nobody's files
    if config.is_untrusted() or not folder or is_shipped(Path(folder)):
        return ()
    hosts_are_named = bool(config.allowed_hosts())
    asks = [
        each
        for each in reach_of(loaded)
        if (each.kind != "file" or " → " in each.goes)
        and not (each.kind == "host" and hosts_are_named)
    ]
    known = _confirmed(loaded)
    return tuple(line for line in lines_of(asks) if line not in known)


def was_confirmed(loaded: "LoadedClient") -> bool:
    """True if a person confirmed an earlier manifest of this client."""
    return bool(_confirmed(loaded))


def confirm(loaded: "LoadedClient") -> None:
    """Keep that a person confirmed the manifest; without a folder of its own it is asked again."""
    file = _file_of(loaded)
    with suppress(OSError):
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with replacing(file) as part:
            part.write_text("".join(f"{line}\n" for line in lines_of(reach_of(loaded))), "utf-8")
        file.chmod(0o600)


def _confirmed(loaded: "LoadedClient") -> frozenset[str]:
    return frozenset(own_text(_file_of(loaded), _LARGEST).splitlines())


def _file_of(loaded: "LoadedClient") -> Path:
    folder = os.path.realpath(loaded.client.folder)
    return config.state_folder() / "manifests" / sha256(folder.encode()).hexdigest()[:32]


def write_manifest(path: Path, lines: Iterable[str]) -> None:
    """Write it, for its owner to read.

    Raises:
        InputError: it cannot be written.
    """
    with whole(str(path), "the manifest") as part:
        part.write_text("".join(f"{line}\n" for line in (_HEAD, *lines)), "utf-8")


def check_manifest(path: Path, lines: Iterable[str]) -> None:
    """Compare what a run reaches with a manifest.

    Raises:
        InputError: every difference, or that the file is missing.
    """
    source = Source.of(path)
    known = [line for line in source.text().splitlines() if line and not line.startswith("#")]
    present = list(lines)
    more = [line for line in present if line not in known]
    # What a run may write it need not.
    less = [line for line in known if line not in present and not line.startswith(_WRITTEN)]
    differences = [f"the run reaches more: {line}" for line in more]
    differences += [f"the run does not reach: {line}" for line in less]
    if not differences:
        return
    renew = f"read it, remove the file, and write it anew: mogi check CLIENT --manifest {path}"
    if not less and all(line.startswith(_WRITTEN) for line in more):
        renew = f"if that is right, add to {path}: {'; '.join(more)}"
    raise InputError(*(source.complaint(0, each) for each in differences), renew)
