"""What a person asks for when a run is started, beyond what the client's files say."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, Self, get_args

from simulator.core.errors import InputError
from simulator.core.plan import Assign

EPISODES_AT_ONCE = 50


@dataclass(frozen=True, slots=True)
class Options:
    """Everything that a run can be told; None and empty mean: as the client's files say.

    `limit` is a number of conversations, `concurrency` of episodes at once (None: 50).
    `reuse` names a run whose judgements of identical evidence are taken over; `audit` is the share
    of unflagged turns that people look at (None: 0).

    Raises:
        InputError: a number is out of its range, or `assign` is none of its words.
    """

    personas: tuple[str, ...] = ()
    scenarios: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    limit: int | None = None
    repeat: int | None = None
    max_turns: int | None = None
    assign: Assign | None = None
    seed: int | None = None
    offline: bool = False
    model: str | None = None
    judge_model: str | None = None
    concurrency: int | None = None
    budget_usd: float | None = None
    fail_under: float | None = None
    reuse: str | None = None
    audit: float | None = None

    def __post_init__(self) -> None:
        wrong = tuple(_wrong(self))
        if wrong:
            raise InputError(*wrong)

    def said(self) -> dict[str, Any]:
        """What was said, as JSON values; a resume says it again."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        default = {f.name: f.default for f in fields(self)}
        return {
            k: list(v) if isinstance(v, tuple) else v for k, v in values.items() if v != default[k]
        }

    def resuming(self, stored: Mapping[str, Any]) -> Self:
        """These options on top of those that the run was started with."""
        known = {f.name for f in fields(self)}
        before = {
            k: tuple(v) if isinstance(v, list) else v for k, v in stored.items() if k in known
        }
        return type(self)(**{**before, **{k: getattr(self, k) for k in self.said()}})


def _wrong(options: Options) -> Iterator[str]:
    for name in ("limit", "repeat", "max_turns", "concurrency"):
        count = getattr(options, name)
        if count is not None and count < 1:
            yield f"{name} is {count}; right is 1 or more"
    budget, assign = options.budget_usd, options.assign
    for name in ("fail_under", "audit"):
        share = getattr(options, name)
        if share is not None and not 0 <= share <= 1:
            yield f"{name} is {share}; right is a number from 0 to 1"
    if budget is not None and not budget > 0:
        yield f"budget_usd is {budget}; right is an amount above 0"
    if assign is not None and assign not in get_args(Assign):
        yield f"assign is {assign!r}; right is all, random or round_robin"
