"""What a person asks for when a run is started, beyond what the client's files say."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

from simulator.core.plan import Assign

# These may differ between a run and its resume; all others are part of what the run is.
_FREE = frozenset({"concurrency", "budget_usd", "fail_under", "reuse"})


@dataclass(frozen=True, slots=True)
class Options:
    """Everything that `mogi run` can be told; None and empty mean: as the client's files say.

    `limit` is a number of conversations, `concurrency` of episodes at once.
    `reuse` names a run whose judgements of identical evidence are taken over.
    """

    personas: tuple[str, ...] = ()
    scenarios: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    limit: int | None = None
    repeat: int | None = None
    max_turns: int | None = None
    assign: Assign | None = None
    seed: int | None = None
    offline: bool = False
    model: str | None = None
    judge_model: str | None = None
    concurrency: int = 50
    budget_usd: float | None = None
    fail_under: float | None = None
    reuse: str | None = None

    def fixed(self) -> dict[str, Any]:
        """What was said and belongs to the run itself, as JSON values."""
        said = {k: v for k, v in asdict(self).items() if k not in _FREE}
        default = asdict(Options())
        return {
            k: list(v) if isinstance(v, tuple) else v for k, v in said.items() if v != default[k]
        }

    def resuming(self, stored: Mapping[str, Any]) -> Self:
        """These options on top of those that the run was started with."""
        known = {f.name for f in fields(self)}
        before = {
            k: tuple(v) if isinstance(v, list) else v for k, v in stored.items() if k in known
        }
        now = {k: getattr(self, k) for k in self.fixed()}
        free = {k: getattr(self, k) for k in _FREE}
        return type(self)(**{**before, **now, **free})
