"""A check of ours that crashes leaves a gap that figures count; `--debug` shows its traceback."""

import logging
from collections.abc import Awaitable
from pathlib import Path
from traceback import extract_tb
from typing import TypeVar

from simulator.core.bounds import TooMuch
from simulator.core.clean import cut, visible
from simulator.core.errors import ModelError, RunStopped, StoreError
from simulator.core.outcome import Gap, Unscored

T = TypeVar("T")
Bugs = dict[str, Unscored]
"""What crashed, by the name of the metric or check."""

_log = logging.getLogger(__name__)
_DETAIL = 300  # characters of an error that are kept
_OURS = Path(__file__).parents[1]
# What calls checks, and is not at fault.
_CALLS = (
    *(_OURS / "core" / name for name in ("concurrency.py", "worker.py")),
    _OURS / "execution/scoring.py",
    Path(__file__),
)


async def guarded(name: str, work: Awaitable[T], otherwise: T, bugs: Bugs) -> T:
    """What comes of a check; `otherwise` where it crashes, with the gap among `bugs`.

    Raises:
        RunStopped, StoreError, ModelError: (UNAVAILABLE, REJECTED) as the check raises them.
    """
    try:
        return await work
    except (RunStopped, StoreError):
        raise
    except Exception as error:
        if isinstance(error, ModelError) and error.leaves_unfinished:
            raise
        if isinstance(error, TooMuch):
            bugs[name] = Unscored(Gap.METRIC_ERROR, f"the text {error}")
            return otherwise
        place = _place(error)
        _log.debug("%s crashed at %s", name, place, exc_info=error)
        what = cut(visible(f"{type(error).__name__}: {error}"), _DETAIL)
        bugs[name] = Unscored(Gap.METRIC_ERROR, f"{what} ({place})")
        return otherwise


def _place(error: Exception) -> str:
    """Where it was raised: the last line of ours, or of who wrote a check of their own."""
    frames = extract_tb(error.__traceback__)
    paths = [Path(frame.filename) for frame in frames]
    ours = [n for n, path in enumerate(paths) if path.is_relative_to(_OURS) and path not in _CALLS]
    number = ours[-1] if ours else -1
    path, line = paths[number], frames[number].lineno
    shown = path.relative_to(_OURS.parent) if ours else Path(path.name)
    return f"{shown.as_posix()}:{line}"
