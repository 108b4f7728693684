"""The calls of a run, all together: how many, how fast, how dear, by endpoint, model and role."""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from simulator.core.ports import CallRecord, Role


@dataclass(frozen=True, slots=True)
class CallFigures:
    """What one role's calls of one model at one endpoint came to.

    Attributes:
        endpoint: A base URL, or the bot's host or kind; None: made before this was kept.
        model: Empty where the bot was called.
        role: On whose behalf.
        calls: Those that were answered and paid for, replaced ones too.
        p50_ms: Median of the last attempts' latencies.
        p95_ms: 95th percentile of the same.
        attempts: Requests, all together.
        input_tokens: All together, as the next two.
        output_tokens: All together.
        cached_tokens: Those of the input that a provider's cache held.
        cost_usd: None where a price is not known.
        waited_s: In queues and between attempts, summed over the calls; None: not kept.
    """

    endpoint: str | None
    model: str
    role: Role
    calls: int
    p50_ms: float
    p95_ms: float
    attempts: int
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    cost_usd: float | None
    waited_s: float | None

    @property
    def cached_share(self) -> float | None:
        """Of the input's tokens, 0-1; None where there are none."""
        return self.cached_tokens / self.input_tokens if self.input_tokens else None


@dataclass(slots=True)
class _Tally:
    latencies: "array[float]" = field(default_factory=lambda: array("d"))
    attempts: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    cost_usd: float | None = 0.0
    waited_ms: float | None = 0.0

    def add(self, record: CallRecord) -> None:
        self.latencies.append(record.latency_ms)
        self.attempts += record.attempts
        self.input_tokens += record.usage.input
        self.output_tokens += record.usage.output
        self.cached_tokens += record.usage.cached
        self.cost_usd = _plus(self.cost_usd, record.cost_usd)
        self.waited_ms = _plus(self.waited_ms, record.waited_ms)


def call_figures(records: Iterable[CallRecord]) -> Sequence[CallFigures]:
    """The figures of these calls, by role; what was taken from elsewhere is none of them."""
    tallies: dict[tuple[Role, str, str | None], _Tally] = {}
    for record in records:
        if not record.reused:
            key = (record.call.role, record.model, record.endpoint)
            tallies.setdefault(key, _Tally()).add(record)
    order = list(Role)
    ranked = sorted(tallies.items(), key=lambda item: (order.index(item[0][0]), str(item[0][1:])))
    return [_figures(*key, tally) for key, tally in ranked]


def _figures(role: Role, model: str, endpoint: str | None, tally: _Tally) -> CallFigures:
    p50, p95 = np.quantile(tally.latencies, (0.5, 0.95))
    waited = tally.waited_ms
    return CallFigures(
        endpoint,
        model,
        role,
        len(tally.latencies),
        float(p50),
        float(p95),
        tally.attempts,
        tally.input_tokens,
        tally.output_tokens,
        tally.cached_tokens,
        tally.cost_usd,
        None if waited is None else waited / 1000,
    )


def _plus(total: float | None, more: float | None) -> float | None:
    return None if total is None or more is None else total + more
