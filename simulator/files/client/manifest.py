"""The manifest of a client: what its files make a run reach, a line each, kept and compared.

What hangs on this machine and not on the files is not in it: proxies, and variables that are sent
without being named.
"""

from collections.abc import Iterable
from pathlib import Path

from simulator.core.errors import InputError
from simulator.core.plan import Reached
from simulator.files.client.reach import told
from simulator.formats.own_files import whole
from simulator.formats.sources import Source

_HEAD = "# What a run reaches; `mogi check --manifest` wrote it, `mogi run --manifest` compares."


def lines_of(reach: Iterable[Reached]) -> tuple[str, ...]:
    """The lines, in the order of `reach_of`."""
    of_files = (r for r in reach if not (r.implied or r.goes.startswith("proxy → ")))
    return tuple(f"{each.kind} {told(each)}" for each in of_files)


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
        InputError: every difference, or there is no such file.
    """
    source = Source.of(path)
    known = [line for line in source.text().splitlines() if line and not line.startswith("#")]
    present = list(lines)
    more = [f"the run reaches more: {line}" for line in present if line not in known]
    less = [f"the run does not reach: {line}" for line in known if line not in present]
    if more or less:
        renew = f"read it, remove the file, and write it anew: mogi check CLIENT --manifest {path}"
        raise InputError(*(source.complaint(0, each) for each in (*more, *less)), renew)
