"""--report NAME[=PATH]: checked before anything runs, written when the run has ended."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from simulator import plugins
from simulator.cli import exits
from simulator.core.errors import Complaint, InputError

if TYPE_CHECKING:
    from simulator.core.run import Run

Wanted = tuple[str, str | None]


def parse_reports(said: Sequence[str]) -> list[Wanted]:
    """(name, path) of each --report.

    Raises:
        InputError: everything that is wrong with them, at once.
    """
    wanted, complaints = [], []
    for text in said:
        name, _, path = text.partition("=")
        complaint = _complaint(name, path)
        if complaint:
            complaints.append(f"--report {text}: {complaint}")
        wanted.append((name, path or None))
    if complaints:
        raise InputError(*complaints)
    return wanted


def write_reports(run: "Run", wanted: Sequence[Wanted]) -> None:
    """Write each report; one that cannot be written does not keep the others from it.

    Raises:
        InputError: those that could not be written, and how to write them again.
    """
    failed: list[Complaint | str] = []
    for name, path in wanted:
        try:
            written = plugins.find("reports", name)().write(run, path) or path
        except InputError as error:
            failed.extend(error.complaints)
            continue
        if written:
            exits.say(f"wrote {written}")
    if failed:
        again = f"the run is saved: mogi report {run.header.id} --report NAME=PATH"
        raise InputError(*failed, again)


def _complaint(name: str, path: str) -> str | None:
    known = plugins.names("reports")
    if ":" not in name and name not in known:
        return f"no report {name!r}; {plugins.suggest(name, known)}"
    report = plugins.find("reports", name)
    if report.NEEDS_PATH and not path:
        return f"say where to: --report {name}=PATH"
    own: Callable[[str], str | None] | None = getattr(report, "complaint", None)
    if own is not None:  # it writes no file, and may lack something else
        return own(path)
    return _path_complaint(path) if path else None


def _path_complaint(path: str) -> str | None:
    if path == "-":
        return "- would be a file of that name; name another path, or take mogi run --json"
    if os.path.isdir(path):  # unlike pathlib's, false for impossible names
        return f"{path} is a folder; name a file in it"
    if not Path(path).absolute().parent.is_dir():
        return f"the folder {Path(path).parent} does not exist; make it, or name another"
    return None
