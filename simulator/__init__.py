"""mogi (模擬): simulated users for RAG chatbots.

from simulator import Options, load, progress, simulate

run = await simulate(load("demo"), target=my_answer, options=Options(limit=10), watch=progress)
run.episodes_frame()
"""

from typing import TYPE_CHECKING, Any

from simulator.core.version import __version__

if TYPE_CHECKING:
    from simulator.api import (
        Options,
        Reply,
        Run,
        load,
        load_run,
        score,
        score_sync,
        simulate,
        simulate_sync,
    )
    from simulator.cli.screens.progress import progress

__all__ = [
    "Options",
    "Reply",
    "Run",
    "__version__",
    "load",
    "load_run",
    "progress",
    "score",
    "score_sync",
    "simulate",
    "simulate_sync",
]


def __getattr__(name: str) -> Any:
    # Late: `import simulator` does nothing but this.
    if name == "progress":
        from simulator.cli.screens import progress

        return progress.progress
    if name in __all__:
        from simulator import api

        return getattr(api, name)
    raise AttributeError(f"module 'simulator' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
