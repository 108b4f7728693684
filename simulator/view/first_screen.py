"""The first screen of a run: what came of it, what changed, what to fix, what to type next."""

import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from rich.style import Style
from rich.text import Text

from simulator.console.blocks import figure
from simulator.console.layout import fit_id
from simulator.console.palette import BAD, BOLD, DIM, GOOD, WARN
from simulator.core.clean import visible
from simulator.core.result import FaultGroup, Result
from simulator.core.run import Run
from simulator.view.faults import BOT_ERROR
from simulator.view.run_view import (
    JUDGE_TOKENS,
    READER_TOKENS,
    RESULT_STYLES,
    Line,
    RunView,
    joined,
    pass_rate_range,
    rewriting,
    row_name,
    view_of,
)
from simulator.view.worst import Group, screen_names
from simulator.words import Words

_FIXES = 3
_NAMED, _NAME = 2, 30  # cells that newly fail, and columns of each name
_ENTRY = 20  # columns of an entry or scenario
_GATE_STYLES = {"passed": GOOD, "failed": BAD, "undecided": WARN}


@dataclass(frozen=True, slots=True)
class Changes:
    """What changed since the run before: cells (scenario and persona), each counted once.

    Attributes:
        before: the id of that run.
        compared: how many cells both runs have.
        newly_failing: the names of those that newly fail.
        groups: the group of failures that each of these belongs to.
        otherwise_worse: those that got worse in another way.
        newly_passing: those that newly pass.
        unjudged: those that failed and are undecided now.
        failed_otherwise: those that fail in both, for another reason.
        decided_otherwise: those with another result, for better or worse.
        reworded: those with the same result and another first answer.
        added: those that only this run has.
        added_failed: those of them that fail.
        missing: those that only the run before has.
    """

    before: str
    compared: int = 0
    newly_failing: tuple[str, ...] = ()
    groups: tuple[Group, ...] = ()
    otherwise_worse: int = 0
    newly_passing: int = 0
    unjudged: int = 0
    failed_otherwise: int = 0
    decided_otherwise: int = 0
    reworded: int = 0
    added: int = 0
    added_failed: int = 0
    missing: int = 0

    @property
    def are_any(self) -> bool:
        """True if there is a change to read."""
        unlike = replace(self, before="", compared=0, groups=())
        return unlike != Changes("")


@dataclass(frozen=True, slots=True)
class BotErrors:
    """How often the bot failed in conversations that did not end, and what it did first."""

    count: int
    first: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A line of what to fix first.

    Attributes:
        weight: how many conversations fail for it; of a row of a file its score.
        about: the cause, and the entry that is expected; of a row its id.
        answer: what shows it; empty if the bot did not answer.
        question: what to show instead: the user's question, where only asking again helped.
    """

    weight: str
    about: str
    answer: str
    question: str = ""


@dataclass(frozen=True, slots=True)
class FirstScreen:
    """What a person reads first, in this order.

    Attributes:
        title: client, run and time.
        result: the gate, where one was asked for, and how many conversations have which result.
        verified: whether verification is done; if not, what is left.
        figures: the pass rate, who decided so far, and what changed since the run before.
        warnings: what makes these figures doubtful or incomplete, the gravest first.
        fix_head: how many of the failing conversations the fixes would cover.
        fixes: what to fix first; of a file of answers the lowest.
        next: commands to go on with, each with what it does.
    """

    title: Text
    result: Text
    verified: Text
    figures: tuple[Line, ...]
    warnings: tuple[Line, ...]
    fix_head: str
    fixes: tuple[Fix, ...]
    next: tuple[tuple[str, str], ...]


def first_screen(run: Run, changes: Changes | None, errors: BotErrors | None) -> FirstScreen:
    """The first screen of a run.

    `changes` None: there is no run to compare it with. `errors`: why no conversation ended.
    """
    words = Words(run.header.language, "first", "report", "page")
    view = view_of(run, words)
    new = Counter(changes.groups if changes else ())
    fixes_of = _lowest(run, words) if run.header.is_of_rows else _fixes(view, words, new)
    fix_head, fixes = fixes_of
    decided = (*_errors(errors, words), *_rate(run, view, words), *_decided(run, view, words))
    return FirstScreen(
        title=_title(run, view, words),
        result=_result(run, view, words),
        verified=_verified(run, view, words),
        figures=(*decided, _since(run, changes, words)),
        warnings=warnings_of(run, (line for line in view.lines if line.warns), words),
        fix_head=fix_head,
        fixes=fixes,
        next=tuple(_next(run, errors, words, changes)),
    )


def verified_lines(run: Run, view: RunView) -> list[str]:
    """Whether verification is done, who decided, and how the rest can be settled."""
    words = Words(run.header.language, "first", "report")
    lines = _decided(run, view, words)
    texts = (f"{line.label}: {line.plain}" if line.label else line.plain for line in lines)
    return [_verified(run, view, words).plain, *texts]


def next_steps(run: Run) -> list[tuple[str, str]]:
    """Commands to go on with, each with what it does."""
    return list(_next(run, None, Words(run.header.language, "first", "report")))


def _title(run: Run, view: RunView, words: Words) -> Text:
    if run.header.kind != "rejudge":
        return view.title
    return Text.assemble(view.title, "  ", (words("again", id=run.header.of), DIM))


def warnings_of(run: Run, lines: Iterable[Line], words: Words) -> tuple[Line, ...]:
    """What makes the figures doubtful or incomplete: what is unfinished, then the gate.

    `lines` are those of the whole report, or only those that warn, for a screen without room.
    """
    lines = [line for line in joined(lines) if line.warns]
    lines.sort(key=lambda line: line.label != words("gate"))
    return (*_unfinished(run, words), *lines)


def _result(run: Run, view: RunView, words: Words) -> Text:
    """`Gate failed. 52 passed, 32 failed, 9 undecided; 94 conversations, 125 turns`."""
    results = run.summary.results
    text = Text()
    if view.gate:
        text.append(words(f"gate.{view.gate}"), _GATE_STYLES[view.gate])
    if not any(results.counts.values()):
        return Text.assemble(text, view.passing)
    between = ""
    for result in Result:
        n = results[result]
        if n or result in (Result.PASSED, Result.FAILED):
            text.append(between).append(words(result, n=n), RESULT_STYLES[result] if n else BOLD)
            between = words.comma
    return text.append(words("of")).append(view.size)


def _errors(errors: BotErrors | None, words: Words) -> Iterator[Line]:
    """What kept all conversations from their end."""
    if errors is not None:
        text = words("bot_errors", n=errors.count, first=visible(errors.first))
        yield Line(words("fault.bot_error"), Text(text, BAD))


def _rate(run: Run, view: RunView, words: Words) -> Iterator[Line]:
    """The pass rate and the score; of a file of answers the mean of each metric."""
    score, parts = run.summary.score, list(view.pass_rate)
    label = words("rate" if parts else "score")
    shown = [score] if score else []
    if run.header.is_of_rows:
        shown = [row.figures for row in view.metrics] or shown
    names = screen_names(run.header)
    means = words.comma.join(
        words("score_is", score=figure(metric.value.mean), name=visible(names.get(name, name)))
        for name, metric in ((metric.info.name, metric) for metric in shown)
        if metric.value.mean is not None
    )
    if means:
        parts.append(words("scored_as", means=means) if parts else means)
    if parts:
        yield Line(label, Text("  ".join(parts)))


def _verified(run: Run, view: RunView, words: Words) -> Text:
    """Whether verification is done, and if it is, who decided."""
    if not view.verification.is_done:
        return view.verified
    who = _readers(run, words) if sum(run.summary.results.decided.values()) else ""
    return Text(view.verified.plain + (words("verified_by", who=who) if who else ""), GOOD)


def _readers(run: Run, words: Words) -> str:
    by = {reader.value: n for reader, n in run.summary.results.decided.items() if n}
    several = Words(run.header.language, "result").counts("reader", by) if len(by) > 1 else ""
    return several or words(f"by.{next(iter(by), 'none')}")


def _decided(run: Run, view: RunView, words: Words) -> Iterator[Line]:
    """Who decided so far, and how people or a model decide the rest."""
    results, left, header = run.summary.results, run.summary.unsettled, run.header
    n, open_ = sum(results.decided.values()), results[Result.UNDECIDED]
    if view.verification.is_done or not (n or open_):
        return
    shown = (
        words("decided_by", n=n, total=n + open_, who=_readers(run, words)),
        pass_rate_range(results, words),
    )
    yield Line(words("decided"), Text(words.semicolon.join(filter(None, shown))))
    if left.talks:
        minutes = max(1, round(left.seconds / 60))
        key = "open" if left.answers == left.talks else "open.distinct"
        counts = {"n": left.talks, "answers": left.answers, "minutes": minutes}
        needs = words(key, run=header.id, **counts)
        yield Line(words("head.undecided"), Text(needs, WARN))
        yield from _by_models(run, words)
    if left.expectations:
        client = shlex.quote(visible(header.client))
        yield Line("", Text(words("expectations.settle", client=client), DIM))


def _by_models(run: Run, words: Words) -> Iterator[Line]:
    """How a model decides the rest and at which cost, where no judge rated."""
    left, header = run.summary.unsettled, run.header
    if any("judge" in info.needs for info in header.metrics):
        return
    if left.calls and not header.is_of_file:  # which has no client.yaml
        tokens = round(left.calls * READER_TOKENS[header.language], -2)
        way = words("by_reader", run=header.id, calls=left.calls, tokens=tokens)
    else:
        turns = run.summary.turns
        tokens = round(turns * JUDGE_TOKENS, -2)
        way = words("by_judge", run=header.id, calls=turns, tokens=tokens)
    yield Line("", Text(way, DIM))


def _since(run: Run, changes: Changes | None, words: Words) -> Line:
    """What changed since the run before."""
    if changes is None:
        return Line(words("changes"), Text(words("changes.first"), DIM))
    named = [fit_id(name, _NAME) for name in changes.newly_failing[:_NAMED]]
    names = words.comma.join([*named, *(["…"] if changes.newly_failing[_NAMED:] else [])])
    failed = changes.added_failed
    added = "changes.added_failed" if failed else "changes.added"
    kinds: dict[str, tuple[int, Style | str]] = {
        "changes.failing": (len(changes.newly_failing), BAD),
        "changes.worse": (changes.otherwise_worse, BAD),
        "changes.unjudged": (changes.unjudged, WARN),
        "changes.passing": (changes.newly_passing, GOOD),
        "changes.otherwise": (changes.failed_otherwise, WARN),
        "changes.decided": (changes.decided_otherwise, WARN),
        "changes.reworded": (changes.reworded, ""),
        added: (changes.added, BAD if failed else ""),
        # Of a run that goes on, what is missing may still be played.
        "changes.missing": (0 if run.summary.unfinished else changes.missing, WARN),
    }
    parts = [
        Text(words(key, n=n, names=names, failed=failed), style)
        for key, (n, style) in kinds.items()
        if n
    ]
    if not parts:
        none = words("changes.none", n=changes.compared, run=changes.before)
        return Line(words("changes"), Text(none))
    if not changes.newly_failing:
        parts.insert(0, Text(words("changes.none_failing")))
    text = Text(words("changes.of", n=changes.compared)).append(Text(words.comma).join(parts))
    return Line(words("changes"), text)


def _fixes(view: RunView, words: Words, new: Mapping[Group, int]) -> tuple[str, tuple[Fix, ...]]:
    """The groups of failing conversations to fix first, and how many of all these are."""
    fixes = (
        Fix(
            words("fix.weight", n=group.weight),
            words("fix.new", about=about)
            if 0 < group.conversations <= new.get(Group.of(group), 0)  # none of them is old
            else about,
            group.answer,
            "" if group.conversations else group.question,
        )
        for group in view.fix_first
        for about in [_fault_name(group, words)]
    )
    return view.fix_head, tuple(fixes)


def _fault_name(group: FaultGroup, words: Words) -> str:
    """As `fault_about`, in a line's room; what a bot's error says is its answer."""
    if group.blame == BOT_ERROR:
        return words.name("fault", BOT_ERROR)
    return fault_about(replace(group, entry=fit_id(group.entry, _ENTRY)), words)


def fault_about(group: FaultGroup, words: Words) -> str:
    """The cause of a group, and the entry that is expected; `words`: the section page as well."""
    about = words.name("fault", group.blame)
    if group.entry:
        about = words("fault_entry", fault=about, entry=visible(group.entry))
    return with_later(group, about, words)


def with_later(group: FaultGroup, about: str, words: Words) -> str:
    """What a group is about, with how many passed only since their user asked again."""
    key = "fault_later" if group.conversations else "fault_only_later"
    return words(key, about=about, n=group.later) if group.later else about


def _lowest(run: Run, words: Words) -> tuple[str, tuple[Fix, ...]]:
    """The answers of a file with the lowest scores."""
    weak = run.summary.weak[:_FIXES]
    fixes = (Fix(figure(turn.score), row_name(turn.cell), turn.assistant) for turn in weak)
    return words("fix.rows") if weak else "", tuple(fixes)


def _unfinished(run: Run, words: Words) -> Iterator[Line]:
    if n := run.summary.unfinished:
        text = words("unfinished_text", n=n, command=run.header.resume)
        yield Line(words("unfinished"), Text(text, WARN), warns=True)


def _next(
    run: Run, errors: BotErrors | None, words: Words, changes: Changes | None = None
) -> Iterator[tuple[str, str]]:
    if run.summary.unfinished:
        yield run.header.resume, words("more.resume")
    yield _look(run, errors, words)
    if changes is not None and changes.are_any:
        yield f"mogi compare {changes.before} {run.header.id}", words("changes.see")
    if command := rewriting(run):
        yield command, words("scored_file")


def _look(run: Run, errors: BotErrors | None, words: Words) -> tuple[str, str]:
    """The command that shows more of what came of it."""
    header, summary = run.header, run.summary
    show, client = f"mogi show {header.id}", shlex.quote(visible(header.client))
    if errors is not None:
        return f"mogi targets try {client}", words("more.bot")
    if summary.results[Result.FAILED]:
        return f"{show} --failed", words("more.failed")
    if summary.results[Result.UNDECIDED]:
        return f"{show} --undecided", words("more.undecided")
    if header.coverage is not None and not summary.flagged and not summary.unfinished:
        return f"mogi coverage {client}", words("untested")
    return f"{show} --all", words("more.all")
