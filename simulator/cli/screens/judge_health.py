"""`mogi show RUN --judge`: what speaks for and against a judge, and where facts contradict it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.console import RenderableType
from rich.text import Text

from simulator.console.blocks import INDENT, entry, figure, passage, spaced, table
from simulator.console.layout import wrap
from simulator.console.output import show_view
from simulator.console.palette import BAD, BOLD, DIM, GOOD, WARN
from simulator.core.errors import InputError
from simulator.core.health import JudgeHealth
from simulator.core.plan import Cell
from simulator.core.run import Run, Turn
from simulator.view.judge_health import (
    BOUNDS,
    FEWEST,
    Disagreement,
    disagreements,
    warning_texts,
)
from simulator.view.run_view import ends_of, where
from simulator.view.worst import claim_text, state_text
from simulator.words import Words

_SHOWN = 30
_HEADS = ("rate", "share", "ci", "n", "bound")


@dataclass(frozen=True, slots=True)
class _Contradiction:
    cell: Cell
    turn: Turn
    odd: Disagreement

    @property
    def rank(self) -> tuple[bool, Cell, int]:
        """What the judge lets pass comes first."""
        return self.odd.name != "lenient", self.cell, self.turn.exchange.turn


def show_judge(run: Run) -> None:
    """Print it.

    Raises:
        InputError: the run has no judge.
    """
    health = run.summary.judge_health
    if health is None:
        raise InputError(
            f"run {run.header.id} has no judge; to have a model rate it, run "
            f"`mogi rejudge {run.header.id} --judge-model M`"
        )
    show_view(lambda width: judge_view(run, health, width))


def judge_view(run: Run, health: JudgeHealth, width: int) -> Iterator[RenderableType]:
    """The rates with intervals and bounds, then the contradictions; `width` in cells."""
    words = Words(run.header.language, "judge", "result", "report")
    yield Text(words("title"), BOLD)
    yield from _warnings(health, words)
    yield from spaced(_rates(health, words))
    if health.correlation is not None:
        yield Text(words("correlation", r=f"{health.correlation:.2f}"), DIM)
    yield Text(words("few", fewest=FEWEST), DIM)
    yield from spaced(*_contradictions(run, health, words, width))


def _warnings(health: JudgeHealth, words: Words) -> Iterator[Text]:
    if health.rates["spread"].n < FEWEST:
        yield Text(words("too_few", fewest=FEWEST), WARN)
    elif not health.warnings:
        yield Text(words("good"), GOOD)
    elif health.in_doubt:
        yield Text(words("doubt"), WARN)
    for text in warning_texts(health, words):
        yield Text(f"  - {text}", WARN)


def _rates(health: JudgeHealth, words: Words) -> RenderableType:
    past = {warning.name for warning in health.warnings}
    columns = table([words(head) for head in _HEADS])
    for name, rate in health.rates.items():
        bound = f"{BOUNDS[name]:.2f}" if name in BOUNDS else ""
        columns.add_row(
            words(f"rate.{name}", metric=health.metric),
            figure(rate.value.mean),
            ends_of(rate.value, words.to),
            f"{rate.n:,}",
            Text(f"{bound} ({words('past')})", BAD) if name in past else bound,
        )
    return columns


def _contradictions(
    run: Run, health: JudgeHealth, words: Words, width: int
) -> Iterator[RenderableType]:
    total = health.rates["against_facts"].n
    if not total:
        yield Text(words("no_facts"), BOLD)
        return
    contradictions = _all_contradictions(run)
    if not contradictions:
        yield Text(words("agree"), BOLD)
        return
    yield Text(words("disagree", n=len(contradictions), total=total), BOLD)
    for number, contradiction in enumerate(contradictions[:_SHOWN], 1):
        yield from spaced(*_entry(number, contradiction, words, width))
    if len(contradictions) > _SHOWN:
        yield Text(words("more", n=len(contradictions) - _SHOWN))


def _all_contradictions(run: Run) -> Sequence[_Contradiction]:
    contradictions = []
    for episode in run.episodes():
        odd = disagreements(episode)
        contradictions += [
            _Contradiction(episode.cell, turn, odd[turn.exchange.turn])
            for turn in episode.turns
            if turn.exchange.turn in odd
        ]
    return sorted(contradictions, key=lambda contradiction: contradiction.rank)


def _entry(number: int, contradiction: _Contradiction, words: Words, width: int) -> Iterator[Text]:
    exchange, room, odd = contradiction.turn.exchange, width - INDENT, contradiction.odd
    weak = odd.name == "lenient"
    place = where(contradiction.cell, exchange.turn, words)
    yield entry(number, place, (words.name("against", odd.name), GOOD if weak else BAD), width)
    yield from passage(words("user"), wrap(exchange.user, room))
    yield from passage(words("bot"), wrap(exchange.assistant, room), width=width, weak=weak)
    yield from passage(words("expected"), wrap(claim_text(odd.claim, words), room))
    for label, reading in (("texts", odd.words), ("said", odd.model)):
        quote = f": {reading.quote}" if reading.quote else ""
        state = state_text(odd.claim.kind, reading.state, words)
        yield from passage(words(label), wrap(f"{state}{quote}", room))
