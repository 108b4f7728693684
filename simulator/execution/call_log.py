"""Who listens to calls: `--log FILE`, a JSON line each without a key or a text; cut prompts."""

import json
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from simulator.core.errors import InputError
from simulator.core.events import CallMade, Event
from simulator.formats.own_files import private

_PRIVATE = 0o600
_FIGURES = ("run", "episode", "turn", "role", "endpoint", "model", "status", "attempts")
_LEAST_CUT = 500  # tokens: no endpoint's context is smaller, while canned figures are
_ALIKE = 3  # prompts of different lengths that were counted alike
_LONGER = 1.25


class CallLog:
    """A file that grows by a line with each call, and which nobody else may read.

    Raises:
        InputError: it cannot be written.
    """

    def __init__(self, path: str) -> None:
        try:
            self._file = open(path, "a", encoding="utf-8", opener=_private)  # noqa: SIM115
        except OSError as error:
            raise InputError(
                f"--log {path}: can't write it ({error.strerror or error}); use a file in a "
                "folder that you can write to"
            ) from error

    def __call__(self, event: Event) -> None:
        """Append a line for a call that was made now."""
        if isinstance(event, CallMade) and not event.recalled:
            self._file.write(f"{json.dumps(_line(event), ensure_ascii=False)}\n")
            self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def check_log(path: str) -> None:
    """Complain of what cannot be a log before anything runs.

    Raises:
        InputError: it is a folder, in a folder that does not exist, or a store.
    """
    place = Path(path)
    if path == "-":
        raise InputError("--log -: isn't supported; use a file name, or -v")
    if os.path.isdir(path):
        raise InputError(f"--log {path}: is a folder; use a file in it")
    if not place.absolute().parent.is_dir():
        raise InputError(f"--log {path}: the folder {place.parent} doesn't exist; create it")


def _private(path: str, flags: int) -> int:
    descriptor = private(path, flags)
    if stat.S_ISREG(os.fstat(descriptor).st_mode) and hasattr(os, "fchmod"):
        os.fchmod(descriptor, _PRIVATE)  # also where it was there before
    return descriptor


def _line(call: CallMade) -> dict[str, Any]:
    usage = call.usage
    return {
        "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
        **{name: getattr(call, name) for name in _FIGURES},
        "latency_ms": round(call.latency_ms, 1),
        "waited_ms": round(call.waited_ms, 1),
        "why": call.why,
        "tokens": {"input": usage.input, "output": usage.output, "cached": usage.cached},
    }


@dataclass(slots=True)
class _Longest:
    """The most tokens that were counted of a prompt, and the lengths of those prompts in bytes."""

    tokens: int = 0
    sent: set[int] = field(default_factory=set)

    @property
    def is_cut(self) -> bool:
        if self.tokens < _LEAST_CUT or len(self.sent) < _ALIKE:
            return False
        return max(self.sent) >= _LONGER * min(self.sent)


class Prompts:
    """A subscriber that notices where prompts are cut: the count stays while the prompts grow."""

    def __init__(self) -> None:
        self._longest: dict[tuple[str, str], _Longest] = {}

    def __call__(self, call: Event) -> None:
        """Look at a call; those whose tokens or length are not known tell nothing."""
        if not (isinstance(call, CallMade) and call.usage.input and call.sent):
            return
        tokens = call.usage.input
        longest = self._longest.setdefault((call.model, call.endpoint), _Longest())
        if tokens > longest.tokens:
            longest.tokens, longest.sent = tokens, {call.sent}
        elif tokens == longest.tokens and len(longest.sent) < 100:
            longest.sent.add(call.sent)

    def cut(self) -> Mapping[tuple[str, str], int]:
        """At how many tokens prompts are cut, by model and endpoint; nothing of the others."""
        return {place: longest.tokens for place, longest in self._longest.items() if longest.is_cut}
