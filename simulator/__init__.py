"""mogi (模擬): simulated users for RAG chatbots.

from simulator import Options, load, simulate

run = await simulate(load("demo"), target=my_answer, options=Options(limit=10))
"""

from typing import TYPE_CHECKING, Any

from simulator.core.version import __version__

if TYPE_CHECKING:
    from simulator.api import Options, Reply, Run, load, score, simulate

__all__ = ["Options", "Reply", "Run", "__version__", "load", "score", "simulate"]


def __getattr__(name: str) -> Any:
    # Late: `import simulator` does nothing but this.
    if name in __all__:
        from simulator import api

        return getattr(api, name)
    raise AttributeError(f"module 'simulator' has no attribute {name!r}")
