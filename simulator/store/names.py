"""The runs that people mean: an id, a unique prefix of one, or `latest`."""

from pathlib import Path

from sqlalchemy import ColumnElement, Connection, select

from simulator.core.errors import InputError
from simulator.core.run import CHECK_PREFIX
from simulator.store.schema import runs

IS_CHECK: ColumnElement[bool] = runs.c.id.startswith(CHECK_PREFIX)
"""Whether a row of `runs` is the check of a judge; lists of runs leave it out."""


def resolved(
    connection: Connection,
    name: str,
    order: tuple[ColumnElement[object], ...],
    path: Path,
    *,
    check: bool,
) -> str:
    """The id that is meant; of a run, or of a check.

    Args:
        connection: To the store at `path`.
        name: What was typed; the beginning that all ids of checks share may be left out.
        order: Of the runs, the newest first.
        path: As people are told of it.
        check: Whether a check is meant.

    Raises:
        InputError: no run, or more than one, is meant.
    """
    if check and name != "latest" and not name.startswith(CHECK_PREFIX):
        name = f"{CHECK_PREFIX}{name}"
    elif not check and name.startswith(CHECK_PREFIX):
        shows = f"mogi judge-check --resume {name}"
        raise InputError(f"{name} is no run but a check of a judge; `{shows}` shows it")
    query = select(runs.c.id).where(IS_CHECK if check else ~IS_CHECK).order_by(*order)
    ids = list(connection.execute(query).scalars())
    if not ids:
        what, how = ("checks", "judge-check demo") if check else ("runs", "run demo")
        raise InputError(f"the store {path} holds no {what} yet; `mogi {how}` makes one")
    if name in ids:
        return str(name)
    if name == "latest":
        return str(ids[0])
    found = [i for i in ids if name and i.startswith(name)]
    if not found:
        raise InputError(no_such_check(name, ids) if check else no_such_run(name, path))
    if len(found) > 1:
        raise InputError(f"{name!r} may be any of {', '.join(found[:5])}; write more of the id")
    return str(found[0])


def no_such_run(name: str, path: Path) -> str:
    """What is said where there is no run of this name."""
    return f"no run {name!r} in {path}; `mogi runs` lists those that there are"


def no_such_check(name: str, ids: list[str]) -> str:
    """What is said where there is no check of this name; `ids` are those that there are."""
    return f"no check {name!r}; there are: {', '.join(ids[:5])}"
