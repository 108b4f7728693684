"""The first screen of a run, in ten lines; the map and the warnings that it has no room for."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from rich.cells import cell_len, set_cell_size
from rich.console import RenderableType
from rich.text import Text

from simulator.compare.cells import flips_of
from simulator.compare.comparison import since_previous
from simulator.compare.moves import KEPT
from simulator.compare.pairs import Pairs
from simulator.compare.side import Side
from simulator.compare.states import WorseAt, failed_otherwise, moves_of, reworded, worse_of
from simulator.console.blocks import labelled, paragraph
from simulator.console.layout import fit, wrap
from simulator.console.output import show_view
from simulator.console.palette import BAD, BOLD, DIM, WARN
from simulator.core.comparison import States, Worsening
from simulator.core.errors import TargetFault
from simulator.core.result import Result
from simulator.core.run import NOBODY, Run
from simulator.core.talk import TargetFailure
from simulator.reports._weak import heatmap
from simulator.store.store import Store
from simulator.view.faults import group_of
from simulator.view.first_screen import BotErrors, Changes, FirstScreen, first_screen, warnings_of
from simulator.view.results import with_causes
from simulator.view.run_view import view_of
from simulator.view.worst import Group, failure_text
from simulator.words import Words

_WARNINGS = 5
_ANSWER = 60  # characters
_GAP = 2


def changes_since(store: Store, run: str) -> Changes | None:
    """What changed since the run before; None where there is none to compare with."""
    since = since_previous(store, run)
    if since is None:
        return None
    pairs, cells = since
    if not cells:  # all of their questions differ
        return None
    worse = worse_of(cells, pairs.before, pairs.after)
    failing = [at for at in worse if at.cell.how is Worsening.PASSED_FAILED]
    compared = {cell.name for cell in cells}
    before, after = (_by_cell(side) for side in (pairs.before, pairs.after))
    added = after.keys() - compared
    otherwise = [f for f in failed_otherwise(pairs) if not f.newly_violated]
    return Changes(
        before=pairs.before.header.id,
        compared=len(cells),
        newly_failing=tuple(at.cell.name.removesuffix(f"/{NOBODY}") for at in failing),
        groups=frozenset(_groups(store, pairs, failing)),
        otherwise_worse=len(worse) - len(failing),
        newly_passing=flips_of(cells).fixed,
        unjudged=States(moves_of(pairs)).unjudged.n,
        failed_otherwise=len({f.conversation.rpartition("/")[0] for f in otherwise}),
        reworded=len(reworded(pairs)),
        added=len(added),
        added_failed=sum(Result.FAILED in after[name] for name in added),
        missing=len(before.keys() - compared),
    )


def _by_cell(side: Side) -> dict[tuple[str, str], set[Result]]:
    """The results of the repeats of each cell of a run."""
    results = defaultdict[tuple[str, str], set[Result]](set)
    for place, cell in enumerate(side.cells):
        results[cell.scenario, cell.persona].add(side.result(place))
    return results


def _groups(store: Store, pairs: Pairs, failing: Sequence[WorseAt]) -> Iterator[Group]:
    """The groups of failures that what newly fails belongs to."""
    before, after = pairs.before.header.id, pairs.after
    keys = [after.cells[at.shown[1]].key for at in failing[:KEPT]]
    for episode, verdicts in store.reviewed(after.header.id, keys, before):
        caused = with_causes(episode, verdicts)
        if group := group_of(caused, after.finding(caused, verdicts)):
            yield group


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
    show_view(lambda width: _lines(run, screen, words, width))


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


def _lines(run: Run, screen: FirstScreen, words: Words, width: int) -> Iterator[RenderableType]:
    yield screen.title
    yield screen.result
    yield from paragraph(screen.verified.plain, width, screen.verified.style)
    shown = screen.warnings[:_WARNINGS]
    cells = max(Text(line.label).cell_len for line in (*screen.figures, *shown)) + _GAP
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
            answer = words("quote", text=fit(shown, min(_ANSWER, max(10, room))))
        yield Text.assemble((head, BAD), about, answer, no_wrap=True)
