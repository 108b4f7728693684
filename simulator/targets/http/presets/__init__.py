"""Settings of well-known bots, as data: each preset is a YAML file in this folder."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent


@cache
def presets() -> Mapping[str, Mapping[str, Any]]:
    """By name: `description`, one line, and `settings`, keys of `target:` for `kind: http`."""
    import yaml

    return {file.stem: yaml.safe_load(file.read_text("utf-8")) for file in _files()}


def _files() -> list[Path]:
    return sorted(_FOLDER.glob("*.yaml"))


def with_preset(written: Mapping[str, Any]) -> Mapping[str, Any]:
    """Settings with what their preset says beside them; what is written counts.

    Mappings are joined key by key. How a stream is read is left out where there is none.
    """
    name = written.get("preset")
    if not isinstance(name, str) or name not in presets():
        return written
    settings = _joined(presets()[name]["settings"], written)
    if settings.get("stream", "none") == "none" and "sse" not in written:
        settings.pop("sse", None)
    return settings


def _joined(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    joined = {**under, **over}
    for key in under.keys() & over.keys():
        if isinstance(under[key], Mapping) and isinstance(over[key], Mapping):
            joined[key] = _joined(under[key], over[key])
    return joined
