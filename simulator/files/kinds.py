"""Kinds of users and targets by their names, and the metrics that plugins compute."""

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


def computed_metrics() -> dict[str, str]:
    """Each metric that a plugin yields, and each such plugin's name, with the plugin's name."""
    found: dict[str, str] = {}
    for plugin in plugins.names("metrics"):
        try:
            infos = getattr(plugins.find("metrics", plugin), "INFOS", ())
        except InputError:  # an optional package is missing; the name is taken nevertheless
            found[plugin] = plugin
        else:  # the judge's own plugin has none: they stand in the rubrics
            found |= dict.fromkeys((plugin, *(i.name for i in infos)) if infos else (), plugin)
    return found
