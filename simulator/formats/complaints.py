"""Complaints: gathered while reading goes on; values in them, short and never a key; hints."""

import json
import re
from collections.abc import Callable, Collection, Mapping
from difflib import get_close_matches
from typing import Any, ParamSpec, TypeVar

from simulator.core.clean import cut, visible
from simulator.core.errors import Complaint, InputError
from simulator.formats.yaml.scalars import spelling
from simulator.plugins import suggest

_LISTED = 30
_LONGEST = 200  # characters of a name that is looked for among others
_COMPARED = 200
# A key that was pasted into the wrong place is not repeated on screens and in logs.
LIKE_A_SECRET = re.compile(r"(?=\S{0,200}[A-Za-z])(?=\S{0,200}[0-9])[!-~]{20,}|sk-\S+")
_T = TypeVar("_T")
_P = ParamSpec("_P")


class Complaints(list[Complaint]):
    """What was found wrong so far."""

    def attempt(self, load: Callable[_P, _T], *args: _P.args, **kwargs: _P.kwargs) -> _T | None:
        """What is loaded; None where that raises an InputError, whose complaints are taken in."""
        try:
            return load(*args, **kwargs)
        except InputError as error:
            self.extend(error.complaints)
            return None


def hint(name: str, known: Collection[str]) -> str:
    """`did you mean x? there are: x, y`; of very many names only the number and one of them."""
    if len(known) <= _LISTED:
        return suggest(name, tuple(known))
    # Comparing with thousands of ids, for thousands of wrong ones, would take minutes.
    pool = _pool(name, known) if len(name) <= _LONGEST else ()
    near = get_close_matches(name, pool, n=1, cutoff=0.6)
    return (
        f"did you mean {near[0]}? there are {len(known)}"
        if near
        else f"there are {len(known)}, such as {min(known)}"
    )


def shown(value: Any) -> str:
    """A value as a complaint repeats it: short, on one line, and never what may be a key."""
    if isinstance(value, str):
        if LIKE_A_SECRET.search(value[:200]):
            return '"…"'
        return json.dumps(cut(visible(value), 40), ensure_ascii=False)
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    if isinstance(value, int | float):
        return cut(spelling(value), 40)
    if isinstance(value, Mapping):
        return "a mapping"
    return "a list" if isinstance(value, list | tuple) else "this"


def _pool(name: str, known: Collection[str]) -> list[str]:
    if len(known) <= _COMPARED:
        return list(known)
    start = name[: max(1, len(name) - 1)]
    while start:
        pool = [other for other in known if other.startswith(start)]
        if pool:
            return pool[:_COMPARED]
        start = start[:-1]
    return []
