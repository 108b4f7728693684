"""`mogi coverage`: what of a client was never tested."""

import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import RenderableType
from rich.text import Text

from simulator.console.blocks import beside, next_steps, paragraph, spaced
from simulator.console.layout import fit, wrap
from simulator.console.palette import BOLD, DIM, GOOD, WARN
from simulator.core.clean import visible
from simulator.core.plan import Client
from simulator.core.result import Result
from simulator.core.run import Run
from simulator.core.scenario import ScenarioCoverage
from simulator.core.talk import Document
from simulator.formats.json_contracts import Count, contract, filled
from simulator.generate.log import Cluster, QuestionLog
from simulator.view.run_view import GateResult, Verification, gate_result
from simulator.view.summary import EntryStatements
from simulator.words import Words


@contract
class Gaps:
    """All that is known of what was never tested; `run` is the run that counts."""

    client: Client
    known: ScenarioCoverage
    statements: tuple[EntryStatements, ...]
    run: Run | None
    log: QuestionLog | None

    @property
    def stated(self) -> int:
        """The statements of the knowledge base."""
        return sum(entry.total for entry in self.statements)

    @property
    def unchecked(self) -> int:
        """Those of them that no scenario checks."""
        return sum(len(entry.unchecked) for entry in self.statements)

    @property
    def gate(self) -> GateResult | None:
        """What came of the run's gate; None without one."""
        return gate_result(self.run.summary, self.run.header.gate) if self.run else None

    @property
    def verification(self) -> Verification | None:
        """What is left to do until the run is verified; None without a run."""
        return Verification.of(self.run.summary) if self.run else None

    @property
    def untested(self) -> tuple[Cluster, ...]:
        """The frequent questions of the log that no scenario tests which expects anything."""
        silent, frequent = self.known.silent, self.log.frequent if self.log else ()
        return tuple(each for each in frequent if not each.tested or each.nearest in silent)

    @property
    def done(self) -> bool | None:
        """True if the gate is passed, the results are final and frequent questions are tested.

        None without a gate or a log.
        """
        if self.log is None or self.gate is None or self.verification is None:
            return None
        return self.gate == "passed" and self.verification.is_done and not self.untested


@contract
class Entry:
    """An entry of the knowledge base."""

    id: str | None
    """Its id."""
    title: str
    """Its title."""


@contract
class UncheckedEntry:
    """The statements of an entry that no scenario checks."""

    id: str | None
    """Its id."""
    title: str
    """Its title."""
    statements: tuple[str, ...]
    """Its sentences."""


@contract
class QuestionGroup:
    """Questions that ask the same."""

    question: str
    """The representative wording."""
    count: Count
    """How often they were asked."""
    different: Count
    """Their wordings."""
    nearest: str | None
    """The scenario most similar to the question; null if none shares a word with it."""
    nearness: float
    """Its cosine."""


@contract
class LogFigures:
    """Real questions."""

    asked: Count
    """Questions that were read."""
    near: Count
    """That a scenario asks."""
    far: Count
    """Those without a scenario."""
    empty: Count
    """Rows without a question."""
    groups: tuple[QuestionGroup, ...]
    """Those without a scenario, most frequent first."""


@contract
class CoverageFigures:
    """What `mogi coverage CLIENT --json` prints."""

    client: str
    """The client's name."""
    run: str | None
    """The newest run, used to see which entries were retrieved; null if there is none."""
    entries: Count
    """Entries of the knowledge base."""
    unexpected: tuple[Entry, ...]
    """Entries that no scenario expects."""
    never_found: tuple[Entry, ...] | None
    """Entries that no conversation of the run found; null without a run."""
    unasked: Count | None
    """Conversations of the run in which the user left out what it came for; null without a run."""
    statements: Count
    """What the entries state: their sentences but for questions and courtesies."""
    unchecked: Count
    """Statements that no scenario checks."""
    unchecked_statements: tuple[UncheckedEntry, ...]
    """These, by entry."""
    scenarios: Count
    """Scenarios."""
    silent: tuple[str, ...]
    """Scenarios that expect nothing."""
    log: LogFigures | None
    """Real questions; null if there is no log."""
    gate: GateResult | None
    """What came of the run's gate; null without one."""
    done: bool | None
    """True if the gate is passed and each frequent question of the log is tested, that is, asked
    twice and by one in a hundred; null without a gate or a log."""


def coverage_json(gaps: Gaps) -> CoverageFigures:
    """Everything by name."""
    known, run, log = gaps.known, gaps.run, gaps.log
    missing = known.never_found(run.summary.found) if run else None
    return filled(
        CoverageFigures,
        known,
        client=gaps.client.name,
        run=run.header.id if run else None,
        entries=len(known.entries),
        unexpected=_entry_figures(known.unexpected),
        never_found=None if missing is None else _entry_figures(missing),
        statements=gaps.stated,
        unchecked=gaps.unchecked,
        unchecked_statements=tuple(
            UncheckedEntry(each.entry.id, each.entry.title, each.unchecked)
            for each in gaps.statements
            if each.unchecked
        ),
        gate=gaps.gate,
        done=gaps.done,
        unasked=run.summary.simulator.unasked if run else None,
        log=log and filled(LogFigures, log, groups=_groups(log)),
    )


def _groups(log: QuestionLog) -> tuple[QuestionGroup, ...]:
    return tuple(filled(QuestionGroup, cluster) for cluster in log.groups)


def _entry_figures(entries: Iterable[Document]) -> tuple[Entry, ...]:
    return tuple(Entry(entry.id, entry.title) for entry in entries)


_WIDEST_ID = 28
_LINES = 2  # of one question


@dataclass(frozen=True, slots=True)
class Setting:
    """What there is beside a client's files, and that the first `most` of each list are shown.

    `titles` are the entries whose titles became questions. `waits`: the generated file that
    client.yaml does not name yet; `file`: the one that it reads; `log`: the log as it was named.
    """

    titles: frozenset[str]
    waits: str
    file: str
    most: int
    log: str = ""


def coverage_view(gaps: Gaps, setting: Setting, width: int) -> Iterator[RenderableType]:
    """All that was never tested, with the first `most` of each list, and what would test it."""
    client, known, run, log = gaps.client, gaps.known, gaps.run, gaps.log
    words, most = Words(client.language, "coverage"), setting.most
    size = words("size", scenarios=known.scenarios, entries=len(known.entries))
    if gaps.stated:
        size += words("size.statements", n=gaps.unchecked, total=gaps.stated)
    name = visible(client.name)
    indent = cell_len(name) + 2
    yield from beside(f"{name}  ", wrap(size, width - indent), indent, BOLD)
    if known.entries:
        unexpected, total = known.unexpected, len(known.entries)
        yield from _head("unexpected", len(unexpected), total, words, width)
        yield from _entries(unexpected, most, words, width)
        yield from _unchecked(gaps, most, words, width)
        yield from _never_found(known, run, most, words, width)
    else:
        yield from spaced(*paragraph(words("no_knowledge"), width, WARN))
    yield from _head("silent", len(known.silent), known.scenarios, words, width)
    yield from _named([(name, "") for name in known.silent], most, words, width)
    if run and (left := run.summary.simulator.unasked):
        text = words("unasked", n=left, run=run.header.id)
        yield from spaced(*paragraph(text, width, BOLD))
    if log is not None:
        yield from _questions(log, most, words, width)
    yield from next_steps(words("next"), list(_next(gaps, setting, words)), width)
    yield from _done(gaps, words, width)


def _head(key: str, n: int, total: int, words: Words, width: int) -> Iterator[Text]:
    """The head of a list, below an empty line."""
    line = words(key if n else f"{key}.none", n=n, total=total)
    return spaced(*paragraph(line, width, BOLD if n else GOOD))


def _unchecked(gaps: Gaps, most: int, words: Words, width: int) -> Iterator[Text]:
    """The statements that no scenario checks, of the entries that one expects."""
    expected = [
        (str(each.entry.id), statement)
        for each in gaps.statements
        if str(each.entry.id) in gaps.known.expecting
        for statement in each.unchecked
    ]
    if gaps.stated:
        key = "unchecked" if gaps.unchecked else "unchecked.none"
        counts = {"n": gaps.unchecked, "total": gaps.stated, "expected": len(expected)}
        text = words(key, **counts)
        yield from spaced(*paragraph(text, width, BOLD if gaps.unchecked else GOOD))
        yield from _named(expected, most, words, width)


def _done(gaps: Gaps, words: Words, width: int) -> Iterator[Text]:
    """Whether testing is done, where a log and a gate tell."""
    run, verification = gaps.run, gaps.verification
    if gaps.done is None or run is None or verification is None:
        return
    if gaps.done:
        failed, of = run.summary.results[Result.FAILED], run.summary.conversations
        key = "done.failed" if failed else "done"
        text = words(key, run=run.header.id, n=failed, of=of)
        yield from spaced(*paragraph(text, width, WARN if failed else GOOD))
        return
    reasons = []
    if gaps.gate != "passed":
        reasons.append(words(f"not_done.gate.{gaps.gate}", run=run.header.id))
    if not verification.is_done:
        left = verification.left(Words(gaps.client.language, "report"))
        reasons.append(words("not_done.left", run=run.header.id, left=left))
    if untested := gaps.untested:
        asked = sum(cluster.count for cluster in untested)
        reasons.append(words("not_done.frequent", n=len(untested), asked=asked))
    text = words("not_done", reasons=words("not_done.and").join(reasons))
    yield from spaced(*paragraph(text, width, BOLD))


def _never_found(
    known: ScenarioCoverage, run: Run | None, most: int, words: Words, width: int
) -> Iterator[Text]:
    if run is None:
        yield from spaced(*paragraph(words("no_run"), width, DIM))
        return
    missing = known.never_found(run.summary.found)
    if missing is None:
        text = words("no_ids", run=run.header.id)
        yield from spaced(*paragraph(text, width, WARN))
        return
    key = "never_found" if missing else "never_found.none"
    counts = {"n": len(missing), "total": len(known.entries)}
    text = words(key, run=run.header.id, talks=run.summary.conversations, **counts)
    yield from spaced(*paragraph(text, width, BOLD if missing else GOOD))
    yield from _entries(missing, most, words, width)


def _entries(entries: Sequence[Document], most: int, words: Words, width: int) -> Iterator[Text]:
    return _named([(str(e.id), e.title or e.text) for e in entries], most, words, width)


def _named(named: Sequence[tuple[str, str]], most: int, words: Words, width: int) -> Iterator[Text]:
    """A line each: a name, and what it is called beside it."""
    shown = named[:most]
    widest = min(_WIDEST_ID, max((cell_len(visible(name)) for name, _ in shown), default=0))
    for name, text in shown:
        short = fit(name, widest)
        pad = " " * (widest - cell_len(short))
        line = f"  {short}{pad}  {fit(text, width - widest - 4)}".rstrip()
        yield Text(line)
    if len(named) > most:
        yield Text(f"  {words('more', n=len(named) - most)}", DIM)


def _questions(log: QuestionLog, most: int, words: Words, width: int) -> Iterator[Text]:
    counts = {"far": log.far, "near": log.near, "asked": log.asked}
    text = words("far" if log.far else "far.none", kinds=len(log.groups), **counts)
    yield from spaced(*paragraph(text, width, BOLD if log.far else GOOD))
    if log.empty:
        yield from paragraph(words("empty", n=log.empty), width, DIM)
    shown = log.groups[:most]
    digits = max((len(f"{group.count:,}") for group in shown), default=0)
    times = [words("times", n=f"{group.count:,}".rjust(digits)) for group in shown]
    for group, count in zip(shown, times, strict=True):
        yield from _question(group, f"  {count}  ", words, width)
    if len(log.groups) > most:
        rest = log.groups[most:]
        more = words("more_questions", n=len(rest), asked=sum(group.count for group in rest))
        yield Text(f"  {more}", DIM)
    if log.groups:
        yield from paragraph(words("by_words"), width, DIM)


def _question(group: Cluster, count: str, words: Words, width: int) -> Iterator[Text]:
    indent = cell_len(count)
    yield from beside(count, wrap(group.question, width - indent, _LINES), indent, BOLD)
    if group.different > 1:
        more = words("different", n=group.different - 1)
        yield Text(f"{' ' * indent}{more}", DIM)


def _next(gaps: Gaps, setting: Setting, words: Words) -> Iterator[tuple[str, str]]:
    """What would close the gaps that are there: commands, or what to write and where."""
    client, known, run = gaps.client, gaps.known, gaps.run
    name, left = visible(client.name), known.unexpected
    new = [entry for entry in left if entry.title and str(entry.id) not in setting.titles]
    if setting.waits:
        yield f"scenarios: {setting.waits}", words("next.use")
    elif new:
        yield f"mogi generate {name} --method title", words("next.generate")
    elif left:
        yield f"mogi generate {name} --method questions --model M", words("next.left", n=len(left))
    if known.silent:
        yield visible(setting.file), words("next.silent", n=len(known.silent))
    if known.entries and run is None:
        yield f"mogi run {name}", words("next.run")
    if run and run.summary.simulator.unasked:
        turns = client.max_turns + 2
        yield f"mogi run {name} --max-turns {turns}", words("next.unasked")
    yield from _next_of_log(name, gaps, setting, words)


def _next_of_log(
    name: str, gaps: Gaps, setting: Setting, words: Words
) -> Iterator[tuple[str, str]]:
    if gaps.log is None:
        yield f"mogi coverage {name} --log FILE.csv", words("next.log")
    elif gaps.log.groups:
        command = shlex.join(["mogi", "generate", name, "--from-log", visible(setting.log)])
        yield command, words("next.questions")
