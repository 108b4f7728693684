"""Progress on stderr: live on a terminal and in a notebook, lines elsewhere, nothing when quiet.

What is shown: what has happened in a run so far, how fast it goes, and what is left.
"""

import asyncio
import sys
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any, Literal, TextIO

from simulator.console.output import moving_screen, tell
from simulator.core.clean import visible
from simulator.core.events import (
    CallMade,
    ConversationEnded,
    Event,
    RunEnded,
    RunPlanned,
    Subscriber,
    TurnScored,
)
from simulator.core.persona import Language
from simulator.core.result import Result
from simulator.core.traffic import Traffic, Wait
from simulator.statistics.intervals import Total
from simulator.words import Words

if TYPE_CHECKING:
    from rich.console import RenderableType

    from simulator.generate.planning import Watcher


_PACE_OVER_S = 10.0
_LEFT_OVER_S = 60.0

Clock = Callable[[], float]
"""Seconds, monotonic."""


@dataclass(slots=True)
class Counts:
    """What has happened so far. It only counts: 10,000 conversations must not be slowed.

    `unit` is what the `planned` things are, a key of the words; `scores`: whether their scores
    are worth showing.
    """

    planned: int = 0
    before: int = 0  # conversations that an earlier start of this run completed
    ended: int = 0
    turns: int = 0
    results: Counter[Result] = field(default_factory=Counter)
    calls: int = 0
    tokens: int = 0
    cost_usd: float = 0.0
    unpriced: bool = False
    score: Total = field(default_factory=Total)
    _open: dict[str, Total] = field(default_factory=dict)
    _open_turns: dict[str, int] = field(default_factory=dict)
    _ended_turns: int = 0
    unit: str = "conversations"
    scores: bool = True

    def __call__(self, event: Event) -> None:
        """Count what has happened."""
        if isinstance(event, CallMade):
            self._count_call(event)
        elif isinstance(event, TurnScored):
            self._count_turn(event)
        elif isinstance(event, ConversationEnded):
            self._count_conversation(event)

    def _count_call(self, call: CallMade) -> None:
        """Count a call, unless it was paid for earlier."""
        if call.attempts == 0 or call.recalled:
            return
        self.calls += 1
        self.tokens += call.usage.input + call.usage.output
        if call.cost_usd is None:
            self.unpriced = True
        else:
            self.cost_usd += call.cost_usd

    def _count_turn(self, turn: TurnScored) -> None:
        """Count a turn; its score waits for the end of its conversation."""
        self.turns += 1
        self._open_turns[turn.episode] = self._open_turns.get(turn.episode, 0) + 1
        if turn.score is not None:
            self._open.setdefault(turn.episode, Total()).add(turn.score)

    def _count_conversation(self, ended: ConversationEnded) -> None:
        """Count a conversation; a running score is the mean over those that ended."""
        self.ended += 1
        self.results[ended.result] += 1
        self._ended_turns += self._open_turns.pop(ended.episode, 0)
        mean = self._open.pop(ended.episode, Total()).mean
        if mean is not None:
            self.score.add(mean)

    @property
    def done(self) -> int:
        """Conversations that are complete, those of an earlier start among them."""
        return self.before + self.ended

    @property
    def worth(self) -> float:
        """What was done now, in conversations: those under way count by their turns."""
        a_talk = self._ended_turns / self.ended if self.ended else 0.0
        under_way = sum(self._open_turns.values())
        return self.ended + (under_way / a_talk if a_talk else 0.0)


class Pace:
    """How fast it goes: calls a second over the last ten, and the seconds that are left."""

    def __init__(self, counts: Counts, clock: Clock) -> None:
        self._counts = counts
        self._clock = clock
        self._began = clock()
        self._calls = _Recent(self._began, _PACE_OVER_S)
        self._worth = _Recent(self._began, _LEFT_OVER_S)

    @property
    def elapsed(self) -> float:
        """Seconds since the start."""
        return self._clock() - self._began

    def calls_per_second(self) -> float:
        """Calls a second, lately. To be asked now and then, not for every call."""
        return self._calls.per_second(self._clock(), self._counts.calls)

    def seconds_left(self) -> float | None:
        """A guess, from what was done in the last minute; None before a conversation ended."""
        counts = self._counts
        worth = counts.worth
        speed = self._worth.per_second(self._clock(), worth)
        if not counts.ended or not speed:
            return None
        return max(0.0, counts.planned - counts.before - worth) / speed


class _Recent:
    """How fast a figure grew over the last `over_s` seconds, or since the beginning."""

    def __init__(self, began: float, over_s: float) -> None:
        self._over_s = over_s
        self._samples: deque[tuple[float, float]] = deque([(began, 0.0)])

    def per_second(self, now: float, figure: float) -> float:
        self._samples.append((now, figure))
        while len(self._samples) > 2 and now - self._samples[1][0] >= self._over_s:
            self._samples.popleft()
        then, before = self._samples[0]
        return (figure - before) / (now - then) if now > then else 0.0


_REFRESHES = 5  # a second
_LINE_EVERY_S = 10.0
_LINE_SOONEST_S = 2.0  # a tenth of the run is news, but not more often than this
_TICK_S = 1.0

Shown = Literal["live", "lines", "nothing"]


def state(counts: Counts, pace: Pace, words: Words, *, ended: bool = False) -> list[str]:
    """What there is to say, in short pieces: turns, results, score, calls, tokens, money.

    Where a run `ended` its report has the results: also those of an earlier start, and as people
    judged equal answers before.
    """
    pieces = []
    if counts.scores and not ended:
        mean = counts.score.mean
        score = words("score", score="–" if mean is None else f"{mean:.2f}")
        results = [
            words(result.value, n=counts.results[result]) for result in _shown_results(counts)
        ]
        pieces = [words("turns", n=counts.turns), *results, score]
    pieces.append(words("speed", n=f"{pace.calls_per_second():,.1f}"))
    if counts.tokens:
        pieces += [words("tokens", n=_short(counts.tokens)), spent(counts, words)]
    return pieces


def _shown_results(counts: Counts) -> list[Result]:
    """The results whose numbers are worth a place."""
    results = [Result.PASSED, Result.FAILED]
    return [*results, Result.UNDECIDED] if counts.results[Result.UNDECIDED] else results


def waiting(wait: Wait, now: float, words: Words) -> str:
    """What calls wait for: `12 calls wait for tokens_per_minute (gpt-4.1-mini)`."""
    name = words.name("wait", wait.limit.value)
    text = words("waiting", n=wait.calls, limit=name, place=visible(wait.place))
    left = wait.until - now if wait.until is not None else 0.0
    return f"{text} {_clocked(left)}" if left >= 1 else text


def spent(counts: Counts, words: Words) -> str:
    """The money, or that a price is missing."""
    return words("unpriced") if counts.unpriced else f"${counts.cost_usd:,.3f}"


def timing(pace: Pace, words: Words) -> str:
    """`0:12`, and `0:12, about 1:04 left` once that can be guessed."""
    elapsed, left = _clocked(pace.elapsed), pace.seconds_left()
    if left is None or left < 1:
        return elapsed
    return words("left", elapsed=elapsed, left=_clocked(left))


def _clocked(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _short(number: int) -> str:
    if number < 10_000:
        return f"{number:,}"
    return f"{number / 1_000:,.0f}k" if number < 10_000_000 else f"{number / 1_000_000:,.1f}M"


class _Writer:
    """Lines on a stream, and when the last of them was written."""

    def __init__(self, stream: TextIO, clock: Clock) -> None:
        self._stream = stream
        self._clock = clock
        self._last = clock()

    @property
    def silent_for(self) -> float:
        """Seconds since the last line, or since the start."""
        return self._clock() - self._last

    def write(self, pieces: Iterable[str]) -> None:
        """Write a line; where nobody listens, the work goes on all the same."""
        self._last = self._clock()
        with suppress(OSError):
            tell(" · ".join(pieces), stream=self._stream)


class Lines:
    """A subscriber that prints a line each ten seconds or tenth of the run, whichever is sooner."""

    def __init__(
        self, counts: Counts, words: Words, stream: TextIO, clock: Clock, traffic: Traffic
    ) -> None:
        self._counts = counts
        self._words = words
        self._traffic = traffic
        self._pace = Pace(counts, clock)
        self._writer = _Writer(stream, clock)
        self._tenth = self._tenths()
        self._shown = 0  # of what ended

    def __call__(self, event: Event) -> None:
        """Count what has happened, and say so at each tenth, or if nothing was said for long."""
        self._counts(event)
        if isinstance(event, CallMade):
            self.tick()
        elif isinstance(event, ConversationEnded):
            least = _LINE_SOONEST_S if self._tenths() > self._tenth else _LINE_EVERY_S
            if self._writer.silent_for >= least:
                self._write()

    def tick(self) -> None:
        """Say how it stands if nothing was said for long."""
        if self._writer.silent_for >= _LINE_EVERY_S:
            self._write()

    def end(self) -> None:
        """Say how it ended, unless the last line did."""
        if self._counts.ended > self._shown:
            self._write(ended=True)

    def _tenths(self) -> int:
        return 10 * self._counts.done // max(1, self._counts.planned)

    def _write(self, *, ended: bool = False) -> None:
        counts, words, pace = self._counts, self._words, self._pace
        self._tenth, self._shown = self._tenths(), counts.ended
        ended = ended or counts.done >= counts.planned
        pieces = [*state(counts, pace, words, ended=ended), timing(pace, words)]
        if wait := self._traffic.waiting():
            pieces.append(waiting(wait, self._traffic.now(), words))
        self._writer.write([how_far(counts, words), *pieces])


def how_far(counts: Counts, words: Words) -> str:
    """`12/94 conversations`."""
    return f"{counts.done:,}/{counts.planned:,} {words(counts.unit)}"


def display(
    planned: RunPlanned, counts: Counts, pace: Pace, traffic: Traffic | None = None
) -> "RenderableType":
    """Two lines: how far it is, and what came of it so far; a third where calls wait."""
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    from simulator.console.layout import fit

    words = Words(planned.language, "progress")
    line = Table.grid(padding=(0, 1), expand=True)
    line.add_column(no_wrap=True)
    line.add_column(ratio=1)
    line.add_column(no_wrap=True)
    line.add_row(
        Text(fit(planned.client, 16), style="bold"),
        ProgressBar(total=max(1, counts.planned), completed=counts.done),
        Text(f"{how_far(counts, words)}  {timing(pace, words)}"),
    )
    whole = Table.grid(expand=True)
    whole.add_row(line)
    whole.add_row(Text(" · ".join(state(counts, pace, words)), no_wrap=True, overflow="ellipsis"))
    if traffic and (wait := traffic.waiting()):
        text = waiting(wait, traffic.now(), words)
        whole.add_row(Text(text, no_wrap=True, overflow="ellipsis"))
    return whole


@dataclass(kw_only=True)
class Progress:
    """Shows how far a run is: `simulate(…, watch=progress)`.

    Args:
        shown: live where there is a terminal or a notebook, lines there as well, or nothing.
        traffic: what calls wait for.
        stream: where to; standard error if None.
        clock: seconds, monotonic.
    """

    shown: Shown = "live"
    traffic: Traffic = field(default_factory=Traffic)
    stream: TextIO | None = None
    clock: Clock = time.monotonic

    def __post_init__(self) -> None:
        self._display = ExitStack()
        self._counted: Subscriber | None = None

    def __call__(self, event: Event) -> None:
        """Show what has happened."""
        if isinstance(event, RunPlanned):
            stream = self.stream or sys.stderr
            display = displayed(event, self.shown, self.traffic, stream, self.clock)
            self._counted = self._display.enter_context(display)
        elif isinstance(event, RunEnded):
            self.close()
        elif self._counted is not None:
            self._counted(event)

    def close(self) -> None:
        """Show how it ended."""
        self._display.close()


progress = Progress  # as `simulate` takes it


@contextmanager
def displayed(
    planned: RunPlanned, shown: Shown, traffic: Traffic, stream: TextIO, clock: Clock
) -> Iterator[Subscriber]:
    """What counts a run's events, with its display while the block lasts."""
    # A check tries the judge's scores: their mean says nothing.
    is_check = planned.kind == "judge-check"
    unit = "answers" if is_check or planned.rows else "conversations"
    counts = Counts(planned.planned, planned.complete, unit=unit, scores=not is_check)
    if shown == "nothing":
        yield counts
    elif stream.isatty() and shown == "live":
        pace = Pace(counts, clock)
        with _live(lambda: display(planned, counts, pace, traffic), stream):
            yield counts
    elif shown == "live" and (cell := _cell()) is not None:
        with _in_cell(cell, planned, counts, Pace(counts, clock)):
            yield counts
    else:
        words = Words(planned.language, "progress")
        lines = Lines(counts, words, stream, clock, traffic)
        try:
            with _ticking(lines.tick):
                yield lines
        finally:
            lines.end()


@contextmanager
def _ticking(tick: Callable[[], None]) -> Iterator[None]:
    """Call `tick` each second while the event loop runs: a run that only waits says so, too."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:  # nothing runs, nothing waits
        yield
        return

    timer: asyncio.TimerHandle

    def again() -> None:
        nonlocal timer
        tick()
        timer = loop.call_later(_TICK_S, again)

    timer = loop.call_later(_TICK_S, again)
    try:
        yield
    finally:
        timer.cancel()


@contextmanager
def _live(display: "Callable[[], RenderableType]", stream: TextIO) -> Iterator[None]:
    from rich.live import Live

    console = moving_screen(stream)
    with Live(
        get_renderable=display, console=console, refresh_per_second=_REFRESHES, transient=True
    ):
        yield


def _cell() -> Any:
    """What shows something below the cell of a notebook that is run; None outside of one."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return ipython.display.display if ipython and hasattr(shell, "kernel") else None


@contextmanager
def _in_cell(cell: Any, planned: RunPlanned, counts: Counts, pace: Pace) -> Iterator[None]:
    """A bar and a line below the cell, made anew each second; how it ended stays there."""
    words = Words(planned.language, "progress")

    def shown() -> dict[str, str]:
        pieces = [how_far(counts, words), *state(counts, pace, words), timing(pace, words)]
        line = f"{visible(planned.client)}  {' · '.join(pieces)}"
        bar = f'<progress value="{counts.done}" max="{max(1, counts.planned)}"></progress>'
        return {"text/plain": line, "text/html": f"{bar} {escape(line)}"}

    handle = cell(shown(), raw=True, display_id=True)
    try:
        with _ticking(lambda: handle.update(shown(), raw=True)):
            yield
    finally:
        handle.update(shown(), raw=True)


@dataclass(slots=True)
class _Rounds(Counts):
    """What has happened so far in a session of `mogi generate`; `changed` is called at each."""

    recalled: int = 0  # calls that an earlier session paid for
    attempt: int = 1
    tried: int = 0
    of: int = 0
    changed: Callable[[], None] = lambda: None

    def __call__(self, event: Event) -> None:
        """Count a call; one that an earlier session paid for apart."""
        self.recalled += isinstance(event, CallMade) and event.recalled
        Counts.__call__(self, event)
        self.changed()

    def went(self, round_: int, done: int, of: int) -> None:
        """So many of the attempts of a round are through."""
        self.attempt, self.tried, self.of = round_, done, of
        self.changed()

    def state(self, pace: Pace, words: Words) -> list[str]:
        """What there is to say, in short pieces."""
        pieces = [words("round", n=self.attempt), words("entries", done=self.tried, of=self.of)]
        if self.calls or self.recalled:
            pieces.append(words("calls", n=self.calls))
            pieces.append(words("speed", n=f"{pace.calls_per_second():,.1f}"))
        if self.recalled:
            pieces.append(words("earlier", n=self.recalled))
        if self.tokens:
            pieces += [words("tokens", n=f"{self.tokens:,}"), spent(self, words)]
        return [*pieces, words("seconds", n=f"{pace.elapsed:.0f}")]


@contextmanager
def generate_progress(
    language: Language,
    *,
    quiet: bool = False,
    stream: TextIO | None = None,
    clock: Clock = time.monotonic,
) -> "Iterator[Watcher]":
    """The watcher of a session of `mogi generate`; `language` is the client's."""
    stream = stream or sys.stderr
    rounds, words = _Rounds(), Words(language, "progress")
    pace, writer = Pace(rounds, clock), _Writer(stream, clock)

    def line() -> "RenderableType":
        from rich.text import Text

        state = " · ".join(rounds.state(pace, words))
        return Text(state, no_wrap=True, overflow="ellipsis")

    def changed() -> None:
        if writer.silent_for >= _LINE_EVERY_S:
            writer.write(rounds.state(pace, words))

    if quiet:
        yield rounds
    elif stream.isatty():
        with _live(line, stream):
            yield rounds
    else:
        rounds.changed = changed
        yield rounds
