"""The progress of `mogi generate` on stderr: a live line on a terminal, plain lines elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TextIO

from simulator.core.persona import Language
from simulator.core.ports import CallRecord
from simulator.generate.rounds import Watcher
from simulator.screens.progress import Counts, Pace, spent
from simulator.words import Words

_REFRESHES = 5  # a second
_LINE_EVERY_S = 10.0

Clock = Callable[[], float]


@dataclass(slots=True)
class Watched:
    """Counts what happens; a change may be told by `tell`."""

    clock: Clock
    words: Words
    tell: Callable[["Watched"], None] = lambda _: None
    counts: Counts = field(default_factory=lambda: Counts(0))
    recalled: int = 0
    attempt: int = 1
    done: int = 0
    of: int = 0

    def call_made(self, record: CallRecord) -> None:
        """Count a call; one that an earlier session paid for apart."""
        self.recalled += record.attempts == 0
        self.counts.call_made(record)
        self.tell(self)

    def turn_scored(self, episode: str, score: float | None, *, flagged: bool) -> None:
        """Nothing is scored here."""

    def episode_ended(self, episode: str, stop: str) -> None:
        """No conversation ends here."""

    def went(self, round_: int, done: int, of: int) -> None:
        """So many of the attempts of a round are through."""
        self.attempt, self.done, self.of = round_, done, of
        self.tell(self)

    def state(self, pace: Pace) -> str:
        """What there is to say on one line."""
        counts, words = self.counts, self.words
        pieces = [words("round", n=self.attempt), words("entries", done=self.done, of=self.of)]
        if counts.calls or self.recalled:
            pieces.append(words("calls", n=counts.calls))
            pieces.append(words("speed", n=f"{pace.calls_per_second():,.1f}"))
        if self.recalled:
            pieces.append(words("earlier", n=self.recalled))
        if counts.tokens:
            pieces += [words("tokens", n=f"{counts.tokens:,}"), spent(counts, words)]
        return " · ".join([*pieces, words("seconds", n=f"{pace.elapsed:.0f}")])


@contextmanager
def progress(
    language: Language,
    *,
    quiet: bool = False,
    stream: TextIO | None = None,
    clock: Clock = time.monotonic,
) -> Iterator[Watcher]:
    """The watcher of a session, with its display while the block lasts.

    Args:
        language: the client's.
        quiet: show nothing.
        stream: where to; standard error if None.
        clock: seconds, monotonic.
    """
    stream = stream or sys.stderr
    watched = Watched(clock, Words(language, "progress"))
    if quiet:
        yield watched
    elif stream.isatty():
        with _live(watched, stream):
            yield watched
    else:
        watched.tell = _lines(watched, stream)
        yield watched


def _lines(watched: Watched, stream: TextIO) -> Callable[[Watched], None]:
    pace = Pace(watched.counts, watched.clock)
    told = [watched.clock()]

    def tell(watched: Watched) -> None:
        if watched.clock() - told[0] < _LINE_EVERY_S:
            return
        told[0] = watched.clock()
        with suppress(OSError):  # nobody listens; the session goes on all the same
            stream.write(f"{watched.state(pace)}\n")
            stream.flush()

    return tell


@contextmanager
def _live(watched: Watched, stream: TextIO) -> Iterator[None]:
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    pace = Pace(watched.counts, watched.clock)
    with Live(
        get_renderable=lambda: Text(watched.state(pace), no_wrap=True, overflow="ellipsis"),
        console=Console(file=stream, highlight=False, markup=False, emoji=False),
        refresh_per_second=_REFRESHES,
        transient=True,
    ):
        yield
