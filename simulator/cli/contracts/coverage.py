"""The JSON of `mogi coverage`."""

from collections.abc import Iterable

from simulator.core.plan import Client
from simulator.core.run import Run
from simulator.core.scenario import ScenarioCoverage
from simulator.core.talk import Document
from simulator.formats.json_contracts import Count, contract, filled
from simulator.generate.log import Cluster, QuestionLog
from simulator.view.run_view import GateResult, gate_result
from simulator.view.summary import EntryStatements


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
    def untested(self) -> tuple[Cluster, ...]:
        """The frequent questions of the log that no scenario tests which expects anything."""
        silent, frequent = self.known.silent, self.log.frequent if self.log else ()
        return tuple(each for each in frequent if not each.tested or each.nearest in silent)

    @property
    def done(self) -> bool | None:
        """True if the gate is passed and each frequent question of the log is tested.

        None without a gate or a log.
        """
        if self.log is None or self.gate is None:
            return None
        return self.gate == "passed" and not self.untested


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
        unexpected=_entries(known.unexpected),
        never_found=None if missing is None else _entries(missing),
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


def _entries(entries: Iterable[Document]) -> tuple[Entry, ...]:
    return tuple(Entry(entry.id, entry.title) for entry in entries)
