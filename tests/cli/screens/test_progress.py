"""Progress on stderr: what is counted, when lines are printed, what the live display shows."""

import io
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from rich.cells import cell_len
from rich.console import Console

from simulator.cli.screens.progress import (
    Counts,
    Lines,
    Pace,
    Progress,
    display,
    displayed,
    state,
    timing,
)
from simulator.core.events import ConversationEnded, RunPlanned, TurnScored
from simulator.core.ports import CallId, CallRecord, Role, Usage
from simulator.core.result import Result
from simulator.core.talk import StopReason
from simulator.core.traffic import Limit, Traffic, call_event
from simulator.execution.events import run_planned
from simulator.words import Words
from tests.execution.scored import header
from tests.waiting import until

CALL = CallId("e", 1, Role.JUDGE)
RECORD = CallRecord(CALL, "", "", usage=Usage(900, 100, 500), cost_usd=0.002, latency_ms=5)
PAID = call_event("r", RECORD)
RECALLED = call_event("r", RECORD, recalled=True)
REUSED = call_event("r", replace(RECORD, attempts=0, reused=True))
UNPRICED = call_event("r", replace(RECORD, usage=Usage(9, 1), cost_usd=None))

EN = Words("en", "progress")


def scored(episode: str, score: float | None) -> TurnScored:
    return TurnScored("r", episode, 0, 1, score, flagged=False)


def ended(episode: str, result: Result) -> ConversationEnded:
    return ConversationEnded("r", episode, 0, 1, StopReason.DONE, result)


def plan(planned: int, before: int = 0, **changes: Any) -> RunPlanned:
    return run_planned(header(**changes), planned, before)


@contextmanager
def shown(planned: RunPlanned, **to: Any) -> Iterator[Progress]:
    """The progress of a run with this plan, until the block ends."""
    shows = Progress(**to)
    shows(planned)
    yield shows
    shows.close()


class Clock:
    """Seconds that pass when they are told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Screen(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def test_a_running_score_is_the_mean_over_conversations_that_ended() -> None:
    counts = Counts(planned=4)
    counts(scored("a", 1.0))
    counts(scored("b", 0.0))
    counts(scored("a", 0.5))
    before: float | None = counts.score.mean
    counts(ended("a", Result.PASSED))
    counts(scored("c", None))
    counts(ended("c", Result.FAILED))
    assert before is None
    assert (0.75, 2, 4) == (counts.score.mean, counts.ended, counts.turns)
    assert {Result.PASSED: 1, Result.FAILED: 1} == counts.results
    counts(ended("b", Result.PASSED))
    assert 0.375 == pytest.approx(counts.score.mean or 0)


def test_only_calls_that_were_made_now_are_counted() -> None:
    counts = Counts(planned=1)
    for record in (PAID, RECALLED, REUSED, PAID):
        counts(record)
    assert (2, 2_000, 0.004, False) == (
        counts.calls,
        counts.tokens,
        counts.cost_usd,
        counts.unpriced,
    )


def test_nothing_is_kept_of_conversations_that_ended() -> None:
    counts = Counts(planned=1_000)
    for number in range(1_000):
        counts(scored(str(number), 0.5))
        counts(ended(str(number), Result.PASSED))
    assert {} == counts._open


def test_calls_a_second_are_those_of_the_last_ten() -> None:
    clock, counts = Clock(), Counts(planned=1)
    pace = Pace(counts, clock)
    assert 0.0 == pytest.approx(pace.calls_per_second())
    for _ in range(40):
        clock.now += 1
        counts.calls += 2
        pace.calls_per_second()
    assert 2.0 == pytest.approx(pace.calls_per_second())
    for _ in range(20):
        clock.now += 1
        speed = pace.calls_per_second()
    assert 0.0 == pytest.approx(speed)


def test_the_time_left_is_guessed_from_what_this_start_has_done() -> None:
    clock, counts = Clock(), Counts(planned=100, before=50)
    pace = Pace(counts, clock)
    clock.now += 10
    assert timing(pace, EN) == "0:10"
    counts.ended = 5
    assert timing(pace, EN) == "0:10, about 1:30 left"
    counts.ended = 50
    assert timing(pace, EN) == "0:10"


@pytest.mark.parametrize(
    ("seconds", "text"), [(0, "0:00"), (59.9, "0:59"), (61, "1:01"), (3_725, "1:02:05")]
)
def test_times_read_like_a_clock(seconds: float, text: str) -> None:
    clock, counts = Clock(), Counts(planned=1)
    pace = Pace(counts, clock)
    clock.now += seconds
    assert text == timing(pace, EN)


def test_tokens_and_money_are_told_where_there_are_any() -> None:
    clock, counts = Clock(), Counts(planned=1)
    pace = Pace(counts, clock)
    assert ["0 turns", "0 passed", "0 failed", "score –", "0.0 calls/s"] == state(counts, pace, EN)
    for _ in range(5):
        counts(PAID)
    assert ["5,000 tokens", "$0.010"] == state(counts, pace, EN)[5:]
    counts(UNPRICED)
    counts.tokens = 1_234_567
    assert ["1,235k tokens", "cost unknown"] == state(counts, pace, EN)[5:]
    counts.tokens = 12_345_678
    assert state(counts, pace, EN)[5] == "12.3M tokens"


def lines(steps: int, seconds: float, planned: int = 100, before: int = 0) -> list[str]:
    """What is printed while so many conversations end, one each so many seconds."""
    clock, stream = Clock(), io.StringIO()
    with shown(plan(planned, before), stream=stream, clock=clock) as observer:
        for number in range(steps):
            clock.now += seconds
            observer(PAID)
            observer(scored(str(number), 0.5))
            observer(ended(str(number), Result.PASSED))
    return [line.split(" · ")[0] for line in stream.getvalue().splitlines()]


def test_a_fast_run_prints_one_line() -> None:
    assert ["100/100 conversations"] == lines(100, 0.001)


def test_a_run_prints_each_tenth() -> None:
    assert [f"{n}/100 conversations" for n in range(10, 101, 10)] == lines(100, 0.5)


def test_a_slow_run_prints_every_ten_seconds() -> None:
    assert [f"{n}/1,000 conversations" for n in (4, 9, 14, 19, 20)] == lines(20, 2.0, planned=1_000)


def test_tenths_are_not_printed_more_often_than_every_two_seconds() -> None:
    printed = lines(100, 0.125)
    assert [16, 32, 48, 64, 80, 96, 100] == [int(line.split("/")[0]) for line in printed]


def test_a_resumed_run_goes_on_counting() -> None:
    assert ["75/75 conversations"] == lines(5, 0.01, planned=75, before=70)


def test_a_run_in_which_nothing_ended_prints_nothing() -> None:
    assert [] == lines(0, 1.0)


def test_a_line_comes_even_while_no_conversation_ends() -> None:
    clock, stream = Clock(), io.StringIO()
    with shown(plan(3), stream=stream, clock=clock) as observer:
        clock.now += 11
        observer(PAID)
    expected = (
        "0/3 conversations · 0 turns · 0 passed · 0 failed · score – · 0.1 calls/s · 1,000 tokens"
        " · $0.002 · 0:11\n"
    )
    assert expected == stream.getvalue()


def test_the_last_line_is_printed_when_the_run_breaks_off() -> None:
    clock, stream = Clock(), io.StringIO()
    shows = Progress(stream=stream, clock=clock)
    shows(plan(3))
    shows(ended("a", Result.PASSED))
    shows.close()
    assert stream.getvalue().startswith("1/3 conversations")


def test_quiet_says_nothing() -> None:
    stream = Screen()
    with shown(plan(1), shown="nothing", stream=stream) as observer:
        observer(PAID)
        observer(ended("a", Result.PASSED))
    assert stream.getvalue() == ""


def test_stderr_is_where_it_goes(capsys: pytest.CaptureFixture[str]) -> None:
    with shown(plan(1)) as observer:
        observer(ended("a", Result.PASSED))
    out, err = capsys.readouterr()
    assert ("", True) == (out, err.startswith("1/1 conversations"))


def test_on_a_terminal_there_is_a_live_display_that_leaves_no_trace(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "80")
    stream = Screen()
    with shown(plan(4), stream=stream) as observer:
        observer(scored("a", 0.5))
        observer(ended("a", Result.PASSED))
    screen = stream.getvalue()
    assert "1/4 conversations" in screen
    assert screen.endswith("\x1b[2K")  # the last thing that it does is to clear its lines
    assert sys.stderr is not stream


@pytest.mark.parametrize("width", [80, 120])
def test_the_live_display_fits_the_screen(width: int) -> None:
    clock = Clock()
    counts = Counts(planned=10_000, before=500, ended=4_321, turns=123_456)
    counts.results = Counter({Result.PASSED: 3_000, Result.FAILED: 1_321, Result.UNDECIDED: 9})
    counts.calls, counts.tokens, counts.cost_usd = 500_000, 987_654_321, 1_234.5
    counts.score.add(0.7)
    planned = plan(10_000, client="とても長い名前のクライアント企業株式会社[red]\x1b")
    pace = Pace(counts, clock)
    clock.now += 4_000
    console = Console(file=io.StringIO(), width=width)
    console.print(display(planned, counts, pace))
    assert isinstance(console.file, io.StringIO)
    rows = console.file.getvalue().splitlines()
    assert 2 == len(rows)
    assert max(map(cell_len, rows)) <= width
    assert "4,821/10,000 conversations  1:06:40, about 1:19:54 left" in rows[0]
    assert "123,456 turns · 3,000 passed · 1,321 failed · 9 undecided · score 0.70" in rows[1]


def test_a_japanese_clients_progress_is_japanese() -> None:
    clock, stream = Clock(), io.StringIO()
    with shown(plan(3, language="ja"), stream=stream, clock=clock) as observer:
        clock.now += 10
        observer(scored("a", 0.5))
        observer(ended("a", Result.PASSED))
    results = "1/3 会話 · 1 往復 · 合格 1 · 不合格 0 · スコア 0.50"
    assert f"{results} · 呼び出し 毎秒 0.0 回 · 0:10、残り約 0:20\n" == stream.getvalue()


def test_a_run_that_only_waits_says_for_what() -> None:
    clock, stream = Clock(), io.StringIO()
    traffic = Traffic(clock)
    call = traffic.begin(CALL, "http://x/v1", "gpt")
    screen = io.StringIO()
    with displayed(plan(3), "lines", traffic, stream, clock) as observer:
        with call.wait(Limit.RETRY_AFTER, 60):
            clock.now += 11
            assert isinstance(observer, Lines)
            observer.tick()
            observer.tick()
            grid = display(plan(3), Counts(3), Pace(Counts(3), clock), traffic)
            Console(file=screen, width=80).print(grid)
        clock.now += 11
        observer.tick()
    first, second = stream.getvalue().splitlines()
    assert first.endswith(" · 0:11 · 1 call waits for Retry-After (gpt) 0:49")
    assert second.endswith(" · 0:22")
    assert "1 call waits for Retry-After (gpt) 0:49" in screen.getvalue().splitlines()[2]


def test_a_limit_of_the_bot_is_told_by_its_key_though_others_wait_for_a_place() -> None:
    clock, stream = Clock(), io.StringIO()
    traffic = Traffic(clock)
    calls = [traffic.begin(CALL, "http://x") for _ in range(3)]
    with displayed(plan(3), "lines", traffic, stream, clock) as observer:
        place = [call.wait(Limit.CONCURRENCY) for call in calls[1:]]
        with calls[0].wait(Limit.PER_MINUTE), place[0], place[1]:
            clock.now += 11
            assert isinstance(observer, Lines)
            observer.tick()
    assert stream.getvalue().endswith("3 calls wait for limits.target.per_minute (http://x)\n")


async def test_it_is_told_though_no_call_ends() -> None:
    clock, stream = Clock(), io.StringIO()
    with shown(plan(3), stream=stream, clock=clock):
        clock.now += 11
        await until(lambda: stream.getvalue() != "")
    assert stream.getvalue().startswith("0/3 conversations")


def test_the_time_left_counts_turns_of_conversations_under_way() -> None:
    clock, counts = Clock(), Counts(planned=50)
    pace = Pace(counts, clock)
    clock.now += 10
    for talk in range(50):  # all of them are two thirds through when the first ends
        for _ in range(2):
            counts(scored(str(talk), None))
    counts(scored("0", None))
    counts(ended("0", Result.PASSED))
    assert timing(pace, EN) == "0:10, about 0:04 left"


def test_the_time_left_goes_by_the_last_minute() -> None:
    clock, counts = Clock(), Counts(planned=200)
    pace = Pace(counts, clock)
    for _ in range(100):  # one a second, after a wait of 300 s
        clock.now += 1 if counts.ended else 300
        counts(scored("e", None))
        counts(ended("e", Result.PASSED))
        pace.seconds_left()
    assert 100 == pytest.approx(pace.seconds_left() or 0)


class _Notebook:
    """IPython as far as a cell that is run knows it: a kernel, and what is shown below the cell."""

    kernel = object()

    def __init__(self) -> None:
        self.shown: list[dict[str, str]] = []
        self.display = self

    def get_ipython(self) -> object:
        return self

    def __call__(self, shown: dict[str, str], *, raw: bool, display_id: bool) -> "_Notebook":
        self.shown.append(shown)
        assert raw
        assert display_id
        return self

    def update(self, shown: dict[str, str], *, raw: bool) -> None:
        assert raw
        self.shown.append(shown)


def test_a_notebook_shows_it_below_the_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    notebook, stream = _Notebook(), io.StringIO()
    monkeypatch.setattr(notebook, "display", type("display", (), {"display": notebook}))
    monkeypatch.setitem(sys.modules, "IPython", notebook)
    with shown(plan(2, client="<b>"), stream=stream, clock=Clock()) as observer:
        observer(ended("a", Result.PASSED))
    first, last = notebook.shown
    assert '<progress value="0" max="2">' in first["text/html"]
    assert '<progress value="1" max="2"></progress> &lt;b&gt;  1/2 conv' in last["text/html"]
    assert last["text/plain"].startswith("<b>  1/2 conversations · 0 turns · 1 passed")
    assert "" == stream.getvalue()
