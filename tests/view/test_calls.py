from dataclasses import replace

import pytest

from simulator.core.ports import CallId, CallRecord, Role, Usage
from simulator.view.run_json import CallFigures, call_figures

MADE = CallRecord(
    CallId("e", 1, Role.JUDGE),
    "d",
    "",
    model="m",
    usage=Usage(100, 10, 40),
    cost_usd=0.5,
    latency_ms=10,
    endpoint="http://x/v1",
    waited_ms=500,
)


def test_calls_are_summed_by_role_model_and_endpoint() -> None:
    records = [replace(MADE, latency_ms=float(ms), attempts=2) for ms in range(1, 101)]
    of_user = replace(MADE, call=CallId("e", 1, Role.USER), usage=Usage(), cost_usd=None)
    user, judge = call_figures([*records, of_user])
    assert (50.5, 95.05, 50.0) == pytest.approx((judge.p50_ms, judge.p95_ms, judge.waited_s))
    assert CallFigures(
        "http://x/v1", "m", Role.JUDGE, 100, judge.p50_ms, judge.p95_ms,
        200, 10_000, 1_000, 4_000, 50.0, judge.waited_s,
    ) == judge  # fmt: skip
    assert 0.4 == judge.cached_share
    assert (Role.USER, None, None) == (user.role, user.cost_usd, user.cached_share)


def test_what_was_taken_from_another_run_is_no_call() -> None:
    assert [] == call_figures([replace(MADE, reused=True)])


def test_of_older_calls_it_is_not_known_how_long_they_waited() -> None:
    (old,) = call_figures([replace(MADE, endpoint=None, waited_ms=None)])
    assert (None, None) == (old.endpoint, old.waited_s)
