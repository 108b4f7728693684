import io

from simulator.cli.screens.progress import generate_progress
from simulator.core.ports import CallId, CallRecord, Role, Usage
from simulator.core.traffic import call_event

CALL = CallId("faq-1/questions", 1, Role.GENERATE, "ask")
RECORD = CallRecord(CALL, "d", "{}", "m", Usage(100, 20), 0.01)
PAID = call_event("r", RECORD)
RECALLED = call_event("r", RECORD, recalled=True)


class _Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_line_every_ten_seconds_says_how_far_it_is() -> None:
    clock, stream = _Clock(), io.StringIO()
    with generate_progress("en", stream=stream, clock=clock) as watcher:
        watcher(PAID)
        watcher.went(1, 1, 3)
        assert "" == stream.getvalue()
        clock.now = 10.0
        watcher(RECALLED)
    line = stream.getvalue()
    assert "round 1 · 1/3 entries · 1 calls · 0.1 calls/s · 1 from earlier sessions" in line
    assert "120 tokens · $0.010 · 10 s\n" in line


def test_nothing_is_shown_when_it_is_to_be_quiet() -> None:
    clock, stream = _Clock(), io.StringIO()
    with generate_progress("en", quiet=True, stream=stream, clock=clock) as watcher:
        clock.now = 100.0
        watcher.went(1, 1, 3)
    assert "" == stream.getvalue()
