"""What `mogi show` prints of a run: its first screen, its calls, its judge, or conversations."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from rich.cells import cell_len, set_cell_size
from rich.console import RenderableType
from rich.text import Text

from simulator.cli import common
from simulator.cli.report import write_reports
from simulator.cli.screens.episode import Wanted, named, reviewed, talks
from simulator.console.blocks import (
    INDENT,
    entry,
    figure,
    labelled,
    paragraph,
    passage,
    spaced,
    table,
)
from simulator.console.layout import fit, wrap
from simulator.console.output import show_view, tell
from simulator.console.palette import BAD, BOLD, DIM, GOOD, WARN
from simulator.core.clean import visible
from simulator.core.errors import InputError, TargetFault
from simulator.core.events import CallMade, Event, Subscriber
from simulator.core.health import JudgeHealth
from simulator.core.plan import Cell
from simulator.core.result import Result
from simulator.core.run import Run, RunHeader, Turn
from simulator.core.talk import TargetFailure
from simulator.formats.json_contracts import LEFT_OUT, Ordinal, contract, filled
from simulator.reports._weak import heatmap
from simulator.store.store import Store
from simulator.view.first_screen import BotErrors, Changes, FirstScreen, first_screen, warnings_of
from simulator.view.judge_health import (
    BOUNDS,
    FEWEST,
    Disagreement,
    disagreements,
    warning_texts,
)
from simulator.view.results import settled_words
from simulator.view.run_json import (
    CallFigures,
    TurnLine,
    WhyLine,
    call_figures,
    turn_json,
    why_line,
)
from simulator.view.run_view import duration, ends_of, view_of, where
from simulator.view.worst import claim_text, failure_text, state_text
from simulator.words import Words, counted, nested


@contract
class ListedConversation:
    """A conversation and what came of it."""

    episode: str
    """The conversation: scenario/persona/repeat."""
    scenario: str
    """The scenario's id."""
    persona: str
    """The persona's id."""
    repeat: Ordinal
    """Which of several, from 1."""
    result: Result
    """passed, failed, undecided or unchecked."""
    why: WhyLine | None
    """The line that decided it."""


@contract
class Conversations:
    """What `mogi show RUN --failed --json` and its like print."""

    run: str
    """The run's id."""
    conversations: tuple[ListedConversation, ...]
    """Those that were asked for, the failed ones first."""


@contract
class Conversation:
    """What `mogi show RUN CONVERSATION --json` prints."""

    run: str
    """The run's id."""
    episode: str
    """The conversation: scenario/persona/repeat."""
    finished: bool
    """Whether it came to its end."""
    turns: tuple[TurnLine, ...] | None = field(default=None, metadata=LEFT_OUT)
    """Its turns, as `mogi export` prints them; of a finished one."""
    exchanges: tuple[Mapping[str, Any], ...] | None = field(default=None, metadata=LEFT_OUT)
    """The messages so far, of an unfinished conversation."""


@contract
class Calls:
    """What `mogi show RUN --calls --json` prints."""

    run: str
    """The run's id."""
    calls: tuple[CallFigures, ...]
    """By endpoint, model and role."""
    waits: Mapping[str, Mapping[str, float]]
    """Seconds that calls waited for limits, by model or endpoint and by limit."""


def conversations_json(run: Run, wanted: Wanted) -> Conversations:
    """Every one that is wanted, as `mogi export` names it.

    Raises:
        InputError: the run has no such persona, scenario, tag or blame.
    """
    listed = (
        filled(
            ListedConversation,
            talk.cell,
            talk.finding,
            episode=talk.cell.key,
            why=why_line(talk.finding),
        )
        for talk in talks(run, wanted)
    )
    return Conversations(run.header.id, tuple(listed))


def conversation_json(store: Store, run: str, name: str) -> Conversation:
    """The turns of a conversation; of an unfinished one, which has no scores, what was said so far.

    Raises:
        InputError: none is meant, or more than one.
    """
    key, unfinished = named(store, run, name)
    if unfinished is not None:
        return Conversation(run, key, finished=False, exchanges=tuple(unfinished.exchanges))
    header, episode, verdicts = reviewed(store, run, key)
    words = settled_words(verdicts)
    turns = (
        turn_json(header, episode, turn, words.get(turn.exchange.turn)) for turn in episode.turns
    )
    return Conversation(run, key, finished=True, turns=tuple(turns))


def calls_json(store: Store, header: RunHeader) -> Calls:
    """The figures of each row, and what was waited."""
    return Calls(header.id, tuple(call_figures(store.calls(header.id))), header.waits)


_CALL_HEADS = ("n", "p50", "p95", "attempts", "input", "output", "cached", "usd", "waited")


def calls_said(say: Callable[[str], None]) -> Subscriber:
    """A subscriber that says a line for each call that is made."""

    def subscriber(event: Event) -> None:
        if isinstance(event, CallMade) and not event.recalled:
            say(call_line(event))

    return subscriber


def call_line(call: CallMade) -> str:
    """`12:03:04 judge gpt-4.1 login/angry/1 turn 2: ok, 812 ms, 1,203 + 88 tokens`."""
    who = visible(call.model or call.endpoint)
    pieces = [call.status, f"{call.latency_ms:,.0f} ms"]
    if call.attempts != 1:
        pieces.append(counted(call.attempts, "attempt"))
    if call.waited_ms >= 1:
        pieces.append(f"waited {call.waited_ms:,.0f} ms")
    if call.usage.input or call.usage.output:
        pieces.append(f"{call.usage.input:,} + {call.usage.output:,} tokens")
    if call.why:
        pieces.append(visible(call.why))
    now = datetime.now().astimezone().strftime("%H:%M:%S")
    where = f"{visible(call.episode)} turn {call.turn}"
    return f"{now} {call.role.value} {who} {where}: {', '.join(pieces)}"


def show_calls(store: Store, header: RunHeader) -> None:
    """Print what a run's calls were, as far as the store keeps it; in the client's language."""
    figures = call_figures(store.calls(header.id))
    show_view(lambda width: calls_view(header, figures, width))


def calls_view(
    header: RunHeader, figures: Sequence[CallFigures], width: int
) -> Iterator[RenderableType]:
    """A table of the calls by role, model and endpoint, and what they waited for."""
    words = Words(header.language, "calls")
    yield Text(words("title", run=header.id, client=visible(header.client)), BOLD)
    if not figures:
        yield Text(words("none"))
        return
    columns = table(["", *(words(f"head.{head}") for head in _CALL_HEADS)])
    for row in figures:
        columns.add_row(*_row(row, words))
    yield from spaced(columns)
    endpoints = dict.fromkeys((row.model, row.endpoint) for row in figures if row.endpoint)
    for model, endpoint in endpoints:
        where = words("where", model=visible(model) or words("bot"), endpoint=visible(endpoint))
        yield from paragraph(where, width, DIM)
    for place, waits in header.waits.items():
        for name, seconds in waits.items():
            waited = {"limit": words.name("wait", name), "place": visible(place)}
            text = words("waits", **waited, waited=duration(seconds, header.language))
            yield from paragraph(text, width)
    if any(row.waited_s is None for row in figures):
        yield from paragraph(words("older"), width, DIM)
    yield from paragraph(words("answered"), width, DIM)


def _row(figures: CallFigures, words: Words) -> Iterator[str]:
    role = words.name("role", figures.role.value)
    yield f"{role} {visible(figures.model)}".rstrip()
    yield f"{figures.calls:,}"
    yield f"{figures.p50_ms:,.0f}"
    yield f"{figures.p95_ms:,.0f}"
    yield f"{figures.attempts:,}"
    yield f"{figures.input_tokens:,}"
    yield f"{figures.output_tokens:,}"
    yield figure(figures.cached_share, ".0%")
    yield figure(figures.cost_usd, ",.4f")
    yield "–" if figures.waited_s is None else duration(figures.waited_s, words.language)


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
            f"run {run.header.id} has no judge; to have a model score it, run "
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


_WARNINGS = 5
_ANSWER = 60  # characters
_BETWEEN = 2


def changes_since(store: Store, run: str) -> Changes | None:
    """What changed since the run before; None where there is none to compare with."""
    if store.previous(run) is None:
        return None
    from simulator.compare.changes import changes_of  # a tenth of a second

    return changes_of(store, run)


def errors_of(store: Store, run: Run) -> BotErrors | None:
    """The bot's errors, where no conversation came to its end for them."""
    if run.summary.conversations:
        return None
    failures = [
        exchange["failure"]
        for episode in store.open_episodes(run.header.id)
        for exchange in episode.exchanges
        if "failure" in exchange
    ]
    if not failures:
        return None
    first = min(failures, key=lambda failure: failure.get("at", 0.0))
    failure = TargetFailure(TargetFault(first["fault"]), first["message"])
    return BotErrors(len(failures), failure_text(failure, run.header.language))


def show_first(run: Run, changes: Changes | None, errors: BotErrors | None = None) -> None:
    """Print the first screen of a run; `changes` None: there is no run to compare it with."""
    screen = first_screen(run, changes, errors)
    words = Words(run.header.language, "first", "report")
    show_view(lambda width: _first_lines(run, screen, words, width))


def show_map(run: Run) -> None:
    """Print persona × scenario, all of it."""
    words = Words(run.header.language, "report")
    view = view_of(run, words)
    if view.heat:
        heat = view.heat
        show_view(lambda width: heatmap(run, heat, words, width))


def print_warnings(run: Run) -> None:
    """Print what makes the figures doubtful or incomplete, in full."""
    words = Words(run.header.language, "report", "first")
    warnings = warnings_of(run, view_of(run, words).lines, words)
    if not warnings:
        show_view(lambda _: [Text(words("no_warnings"))])
        return
    show_view(lambda _: [labelled((line.label, line.text) for line in warnings)])


def _first_lines(
    run: Run, screen: FirstScreen, words: Words, width: int
) -> Iterator[RenderableType]:
    yield screen.title
    yield screen.result
    yield from paragraph(screen.verified.plain, width, screen.verified.style)
    shown = screen.warnings[:_WARNINGS]
    cells = max(Text(line.label).cell_len for line in (*screen.figures, *shown)) + _BETWEEN
    warnings = [
        (line.label, Text(wrap(line.plain, width - cells, 1)[0], WARN, no_wrap=True))
        for line in shown
    ]
    if more := len(screen.warnings) - len(shown):
        warnings.append(("", Text(words("more_warnings", n=more, run=run.header.id), DIM)))
    yield labelled([*((line.label, line.text) for line in screen.figures), *warnings])
    yield from _fixes(screen, words, width)
    for number, (command, what) in enumerate(screen.next):
        label = "" if number else words("next")
        head = f"{set_cell_size(label, cell_len(words('next')))}  "
        yield Text.assemble((head, BOLD), command, (f"   # {what}", DIM), no_wrap=True)


def _fixes(screen: FirstScreen, words: Words, width: int) -> Iterator[Text]:
    """A line for each, with an answer that shows it."""
    if not screen.fixes:
        return
    yield Text(screen.fix_head, BOLD)
    widest = max(cell_len(fix.weight) for fix in screen.fixes)
    for fix in screen.fixes:
        head = f" {' ' * (widest - cell_len(fix.weight))}{fix.weight}  "
        about = words("fix.asked" if fix.question else "fix.about", about=fix.about)
        room = width - Text(head + about + words("quote", text="")).cell_len
        answer = words("no_answer")
        if shown := fix.question or fix.answer:
            answer = words("quote", text=nested(fit(shown, min(_ANSWER, max(10, room)))))
        yield Text.assemble((head, BAD), about, answer, no_wrap=True)


class Shown(NamedTuple):
    """What is to be shown of a run: a part of the whole, a conversation, or those `wanted`."""

    store: "Store"
    run: str
    part: str | None
    episode: str | None
    wanted: dict[str, Any] | None


def show_shown(shown: Shown, *, every: bool) -> None:
    """Print it; `every`: the whole report, or each conversation."""
    from simulator.cli.screens.episode import Wanted, show_episode, show_open, show_talks

    store = shown.store
    if shown.part == "calls":
        show_calls(store, store.header(shown.run))
        return
    if shown.episode is not None:
        show_episode(store, shown.run, shown.episode)
        return
    whole = common.load_run(store, shown.run)
    parts = {"judge": show_judge, "map": show_map, "warnings": print_warnings}
    if shown.part is not None:
        parts[shown.part](whole)
    elif shown.wanted is not None:
        if every and not shown.wanted:
            write_reports(whole, [("terminal", None)])
            tell()
        show_talks(whole, Wanted(**shown.wanted), every=every)
    else:
        changes = changes_since(store, whole.header.id)
        show_first(whole, changes, errors_of(store, whole))
        show_open(store, whole.header)


def shown_json(shown: Shown) -> object:
    """The same as JSON."""
    from simulator.cli.screens.episode import Wanted
    from simulator.view.run_json import JudgeFigures, run_json

    store = shown.store
    if shown.part == "calls":
        return calls_json(store, store.header(shown.run))
    if shown.episode is not None:
        return conversation_json(store, shown.run, shown.episode)
    whole = common.load_run(store, shown.run)
    if shown.wanted is not None:
        return conversations_json(whole, Wanted(**shown.wanted))
    figures = run_json(whole)
    return JudgeFigures(figures.run, figures.judge_health) if shown.part == "judge" else figures
