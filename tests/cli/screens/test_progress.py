"""Progress on stderr: what is counted, when lines are printed, what the live display shows."""

import io
import sys
from collections import Counter

import pytest
from rich.cells import cell_len
from rich.console import Console

from simulator.cli.screens.counting import Counts, Pace
from simulator.cli.screens.progress import Lines, display, progress, state, timing
from simulator.core.ports import CallId, CallRecord, Role, Usage
from simulator.core.result import Result
from simulator.core.traffic import Limit, Traffic
from simulator.words import Words
from tests.execution.scored import header
from tests.waiting import until

PAID = CallRecord(
    CallId("e", 1, Role.JUDGE), "", "", usage=Usage(900, 100, 500), cost_usd=0.002, latency_ms=5
)
RECALLED = CallRecord(CallId("e", 1, Role.JUDGE), "", "", usage=Usage(900, 100), attempts=0)
REUSED = CallRecord(CallId("e", 1, Role.JUDGE), "", "", usage=Usage(900, 100), reused=True)
UNPRICED = CallRecord(CallId("e", 1, Role.USER), "", "", usage=Usage(9, 1), cost_usd=None)

EN = Words("en", "progress")


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
    counts.turn_scored("a", 1.0, flagged=False)
    counts.turn_scored("b", 0.0, flagged=True)
    counts.turn_scored("a", 0.5, flagged=False)
    before: float | None = counts.score.mean
    counts.episode_ended("a", Result.PASSED)
    counts.turn_scored("c", None, flagged=True)
    counts.episode_ended("c", Result.FAILED)
    assert before is None
    assert (0.75, 2, 4) == (counts.score.mean, counts.ended, counts.turns)
    assert {Result.PASSED: 1, Result.FAILED: 1} == counts.results
    counts.episode_ended("b", Result.PASSED)
    assert 0.375 == pytest.approx(counts.score.mean or 0)


def test_only_calls_that_were_made_now_are_counted() -> None:
    counts = Counts(planned=1)
    for record in (PAID, RECALLED, REUSED, PAID):
        counts.call_made(record)
    assert (2, 2_000, 0.004, False) == (
        counts.calls,
        counts.tokens,
        counts.cost_usd,
        counts.unpriced,
    )


def test_nothing_is_kept_of_conversations_that_ended() -> None:
    counts = Counts(planned=1_000)
    for number in range(1_000):
        counts.turn_scored(str(number), 0.5, flagged=False)
        counts.episode_ended(str(number), Result.PASSED)
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
        counts.call_made(PAID)
    assert ["5,000 tokens", "$0.010"] == state(counts, pace, EN)[5:]
    counts.call_made(UNPRICED)
    counts.tokens = 1_234_567
    assert ["1,235k tokens", "cost unknown"] == state(counts, pace, EN)[5:]
    counts.tokens = 12_345_678
    assert state(counts, pace, EN)[5] == "12.3M tokens"


def lines(steps: int, seconds: float, planned: int = 100, before: int = 0) -> list[str]:
    """What is printed while so many conversations end, one each so many seconds."""
    clock, stream = Clock(), io.StringIO()
    head = header(planned=planned)
    with progress(head, before, stream=stream, clock=clock) as observer:
        for number in range(steps):
            clock.now += seconds
            observer.call_made(PAID)
            observer.turn_scored(str(number), 0.5, flagged=False)
            observer.episode_ended(str(number), Result.PASSED)
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
    with progress(header(planned=3), stream=stream, clock=clock) as observer:
        clock.now += 11
        observer.call_made(PAID)
    expected = (
        "0/3 conversations · 0 turns · 0 passed · 0 failed · score – · 0.1 calls/s · 1,000 tokens"
        " · $0.002 · 0:11\n"
    )
    assert expected == stream.getvalue()


def test_the_last_line_is_printed_when_the_run_breaks_off() -> None:
    clock, stream = Clock(), io.StringIO()
    watched = progress(header(planned=3), stream=stream, clock=clock)
    watched.__enter__().episode_ended("a", Result.PASSED)
    assert not watched.__exit__(KeyboardInterrupt, KeyboardInterrupt(), None)
    assert stream.getvalue().startswith("1/3 conversations")


def test_quiet_says_nothing() -> None:
    stream = Screen()
    with progress(header(planned=1), shown="nothing", stream=stream) as observer:
        observer.call_made(PAID)
        observer.episode_ended("a", Result.PASSED)
    assert stream.getvalue() == ""


def test_stderr_is_where_it_goes(capsys: pytest.CaptureFixture[str]) -> None:
    with progress(header(planned=1)) as observer:
        observer.episode_ended("a", Result.PASSED)
    out, err = capsys.readouterr()
    assert ("", True) == (out, err.startswith("1/1 conversations"))


def test_on_a_terminal_there_is_a_live_display_that_leaves_no_trace(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "80")
    stream = Screen()
    with progress(header(planned=4), stream=stream) as observer:
        observer.turn_scored("a", 0.5, flagged=True)
        observer.episode_ended("a", Result.PASSED)
    shown = stream.getvalue()
    assert "1/4 conversations" in shown
    assert shown.endswith("\x1b[2K")  # the last thing that it does is to clear its lines
    assert sys.stderr is not stream


@pytest.mark.parametrize("width", [80, 120])
def test_the_live_display_fits_the_screen(width: int) -> None:
    clock = Clock()
    counts = Counts(planned=10_000, before=500, ended=4_321, turns=123_456)
    counts.results = Counter({Result.PASSED: 3_000, Result.FAILED: 1_321, Result.UNDECIDED: 9})
    counts.calls, counts.tokens, counts.cost_usd = 500_000, 987_654_321, 1_234.5
    counts.score.add(0.7)
    head = header(client="とても長い名前のクライアント企業株式会社[red]\x1b")
    pace = Pace(counts, clock)
    clock.now += 4_000
    console = Console(file=io.StringIO(), width=width)
    console.print(display(head, counts, pace))
    assert isinstance(console.file, io.StringIO)
    shown = console.file.getvalue().splitlines()
    assert 2 == len(shown)
    assert max(map(cell_len, shown)) <= width
    assert "4,821/10,000 conversations  1:06:40, about 1:19:54 left" in shown[0]
    assert "123,456 turns · 3,000 passed · 1,321 failed · 9 undecided · score 0.70" in shown[1]


def test_a_japanese_clients_progress_is_japanese() -> None:
    clock, stream = Clock(), io.StringIO()
    with progress(header(planned=3, language="ja"), stream=stream, clock=clock) as observer:
        clock.now += 10
        observer.turn_scored("a", 0.5, flagged=True)
        observer.episode_ended("a", Result.PASSED)
    told = "1/3 会話 · 1 往復 · 合格 1 · 不合格 0 · スコア 0.50 · 0.0 回/秒 · 0:10、残り約 0:20\n"
    assert told == stream.getvalue()


def test_a_run_that_only_waits_says_for_what() -> None:
    clock, stream = Clock(), io.StringIO()
    traffic = Traffic(clock)
    call = traffic.begin(PAID.call, "http://x/v1", "gpt")
    shown = io.StringIO()
    with progress(header(planned=3), traffic=traffic, stream=stream, clock=clock) as observer:
        with call.wait(Limit.RETRY_AFTER, 60):
            clock.now += 11
            assert isinstance(observer, Lines)
            observer.tick()
            observer.tick()
            grid = display(header(), Counts(3), Pace(Counts(3), clock), traffic)
            Console(file=shown, width=80).print(grid)
        clock.now += 11
        observer.tick()
    first, second = stream.getvalue().splitlines()
    assert first.endswith(" · 0:11 · 1 call waits for Retry-After (gpt) 0:49")
    assert second.endswith(" · 0:22")
    assert "1 call waits for Retry-After (gpt) 0:49" in shown.getvalue().splitlines()[2]


def test_a_limit_of_the_bot_is_told_by_its_key_though_others_wait_for_a_place() -> None:
    clock, stream = Clock(), io.StringIO()
    traffic = Traffic(clock)
    calls = [traffic.begin(PAID.call, "http://x") for _ in range(3)]
    with progress(header(planned=3), traffic=traffic, stream=stream, clock=clock) as observer:
        place = [call.wait(Limit.CONCURRENCY) for call in calls[1:]]
        with calls[0].wait(Limit.PER_MINUTE), place[0], place[1]:
            clock.now += 11
            assert isinstance(observer, Lines)
            observer.tick()
    assert stream.getvalue().endswith("3 calls wait for limits.target.per_minute (http://x)\n")


async def test_it_is_told_though_no_call_ends() -> None:
    clock, stream = Clock(), io.StringIO()
    with progress(header(planned=3), stream=stream, clock=clock):
        clock.now += 11
        await until(lambda: stream.getvalue() != "")
    assert stream.getvalue().startswith("0/3 conversations")


def test_the_time_left_counts_turns_of_conversations_under_way() -> None:
    clock, counts = Clock(), Counts(planned=50)
    pace = Pace(counts, clock)
    clock.now += 10
    for talk in range(50):  # all of them are two thirds through when the first ends
        for _ in range(2):
            counts.turn_scored(str(talk), None, flagged=False)
    counts.turn_scored("0", None, flagged=False)
    counts.episode_ended("0", Result.PASSED)
    assert timing(pace, EN) == "0:10, about 0:04 left"


def test_the_time_left_goes_by_the_last_minute() -> None:
    clock, counts = Clock(), Counts(planned=200)
    pace = Pace(counts, clock)
    for _ in range(100):  # one a second, after a wait of 300 s
        clock.now += 1 if counts.ended else 300
        counts.turn_scored("e", None, flagged=False)
        counts.episode_ended("e", Result.PASSED)
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
    with progress(header(planned=2, client="<b>"), stream=stream, clock=Clock()) as observer:
        observer.episode_ended("a", Result.PASSED)
    first, last = notebook.shown
    assert '<progress value="0" max="2">' in first["text/html"]
    assert '<progress value="1" max="2"></progress> &lt;b&gt;  1/2 conv' in last["text/html"]
    assert last["text/plain"].startswith("<b>  1/2 conversations · 0 turns · 1 passed")
    assert "" == stream.getvalue()
