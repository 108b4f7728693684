"""Kinds of users and targets by their names."""

from simulator import plugins
from simulator.core.errors import InputError
from simulator.files.hints import hint, shown


def find_kind(room: str, kind: str) -> type:
    """The class behind a kind.

    Raises:
        InputError: there is none; the message says which there are.
    """
    known = plugins.names(room)
    if ":" not in kind and kind not in known:
        raise InputError(f"no {room.removesuffix('s')} {shown(kind)}; {hint(kind, known)}")
    return plugins.find(room, kind)
