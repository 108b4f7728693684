"""A run as its summary tells it: its gates and exit status, its cells, what scenarios cover.

Cells are personas × scenarios, worst first; covered are entries and their statements that scenarios
check or that came with replies.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from simulator.console.blocks import figure
from simulator.core.claim import Reader, State
from simulator.core.outcome import Interval
from simulator.core.persona import Language
from simulator.core.plan import Gate, GateLine
from simulator.core.result import Result
from simulator.core.run import CellResults, CellSummary, Episode, Run, RunSummary
from simulator.core.scenario import Approval, Expected, Scenario, ScenarioCoverage
from simulator.core.talk import Document
from simulator.reading.words import says
from simulator.results.verdict import GROUNDED
from simulator.statistics.intervals import under as is_under
from simulator.text.acts import is_pleasantry
from simulator.text.bm25 import NearestTexts, WordWeights
from simulator.text.clauses import Sentence, read, words_of
from simulator.text.quantities import all_of, each_of, may_stand
from simulator.text.tokens import sentences
from simulator.words import Words

# The share of an expected answer's words, by idf, that an entry holds from which it is the one.
HOLDS = 0.5
# The cosine from which two questions are near; `mogi coverage`'s page says how it was found.
NEAR = 0.4
MOST_ENTRIES = 20_000  # of a knowledge base whose ids a run keeps
_MOST_READ = 500  # entries that a run reads where scenarios name no documents: half a second
_LOOKED_AT = 5  # entries, the nearest ones
# The share of its content words that what is expected has, and where it has all amounts as well.
_COVERED, _COVERED_WITH_AMOUNTS = 1 / 2, 1 / 3


def scenario_coverage(
    entries: Sequence[Document], scenarios: Iterable[Scenario], language: Language
) -> ScenarioCoverage:
    """Which entries the scenarios expect.

    These are their `expected.documents`. Of a scenario that names none but has elements or an
    answer, it is the entry that holds the most of them; of one that has neither, or where no entry
    holds half of it, the one with the nearest title: of a hand-over, too, for that entry says that
    one is due. One that must not be answered, or that expects nothing at all, expects none.
    """
    several = tuple(scenarios)
    known = {str(entry.id) for entry in entries}
    guess = _Guess(entries, language)
    expecting: defaultdict[str, list[str]] = defaultdict(list)
    for scenario in several:
        named = scenario.expected.documents
        for name in named or guess.entry_of(scenario):
            if name in known:
                expecting[name].append(scenario.id)
    silent = tuple(s.id for s in several if expects_nothing(s))
    by_entry = {name: tuple(ids) for name, ids in expecting.items()}
    return ScenarioCoverage(tuple(entries), by_entry, silent, len(several))


@dataclass(frozen=True, slots=True)
class EntryStatements:
    """How many statements an entry makes, and those of them that no scenario checks."""

    entry: Document
    total: int
    unchecked: tuple[str, ...]


def entry_statements(
    known: ScenarioCoverage, scenarios: Mapping[str, Scenario], language: Language
) -> tuple[EntryStatements, ...]:
    """The statements of each entry: its sentences that are no questions, greetings or wishes.

    One is checked if a scenario that expects the entry has it word for word in its expected answers
    and elements, or all its amounts and half of its content words (a third beside an amount), or an
    element that the sentence says.
    """
    several = []
    for entry in known.entries:
        unchecked = [s for s in sentences(entry.text, language) if _states(s, language)]
        total = len(unchecked)
        if names := known.expecting.get(str(entry.id)):
            checks = _Checks([scenarios[name].expected for name in names], language)
            unchecked = [s for s in unchecked if not all(map(checks.cover, read(s, language)))]
        several.append(EntryStatements(entry, total, tuple(unchecked)))
    return tuple(several)


def _states(sentence: str, language: Language) -> bool:
    is_question = sentence.endswith(("?", "？"))
    return not is_question and not is_pleasantry(sentence, language)


class _Checks:
    """What the scenarios of an entry hold answers against."""

    def __init__(self, expectations: Sequence[Expected], language: Language) -> None:
        self._language = language
        self._elements = [way for e in expectations for ways in e.elements for way in ways]
        answers = [answer for e in expectations for answer in e.answers]
        parts = [part for text in (*answers, *self._elements) for part in read(text, language)]
        self._words = words_of(parts)
        self._amounts = all_of(part.amounts for part in parts)
        self._forms = {part.form for part in parts}

    def cover(self, sentence: Sentence) -> bool:
        """True if an answer without this sentence would fail, as far as words tell."""
        if sentence.form in self._forms:
            return True
        if not all(may_stand(*amount, self._amounts) for amount in each_of(sentence.amounts)):
            return False
        least = _COVERED_WITH_AMOUNTS if sentence.amounts else _COVERED
        shared = len(sentence.words & self._words)
        return shared >= least * max(1, len(sentence.words)) or any(
            says(sentence.text, element, self._language) is State.MET for element in self._elements
        )


def expects_nothing(scenario: Scenario) -> bool:
    """Whether nothing of a scenario can fail: no answer, elements, documents, nor a refusal."""
    return scenario.expected == Expected()


def is_cheap(entries: Sequence[Document], scenarios: Mapping[str, Scenario]) -> bool:
    """Whether a run may look at this when it begins; else only `mogi coverage` does."""
    if len(entries) > MOST_ENTRIES:
        return False
    return len(entries) <= _MOST_READ or all(_says_which(s) for s in scenarios.values())


def documents_found(episode: Episode) -> set[str]:
    """The ids of all documents that came with the replies of a conversation."""
    return {d.id for turn in episode.turns for d in turn.exchange.documents if d.id is not None}


def notes(run: Run) -> tuple[str, ...]:
    """The notes of a run; the last says that retrieval was not judged, where that is so."""
    header, unknown = run.header, run.summary.unknown_id
    if not unknown:
        return header.notes
    note = Words(header.language, "notes")("unknown_ids", id=unknown)
    return (*header.notes, note)


def _says_which(scenario: Scenario) -> bool:
    """Whether it needs no guess: it names its entries, or no entry answers it."""
    expected = scenario.expected
    is_silent = expected.answerable is False or not expected.decides_refusal
    return bool(expected.documents) or is_silent


class _Guess:
    """Finds the entry of a scenario that names none; reads the entries when first asked."""

    def __init__(self, entries: Sequence[Document], language: Language) -> None:
        self._entries = entries
        self._language = language
        self._weights: WordWeights | None = None
        self._texts = NearestTexts()
        self._titles = NearestTexts()

    def entry_of(self, scenario: Scenario) -> tuple[str, ...]:
        """The id of one entry, or nothing."""
        if _says_which(scenario) or not self._entries:
            return ()
        weights = self._read()
        expected = scenario.expected
        elements = [ways[0] for ways in expected.elements if ways]
        wanted = "\n".join(filter(None, [expected.answer, *elements]))
        entry = self._holding(wanted, weights) if wanted else None
        entry = self._asked(scenario, weights) if entry is None else entry
        return () if entry is None else (str(self._entries[entry].id),)

    def _read(self) -> WordWeights:
        if self._weights is None:
            texts = [f"{entry.title}\n{entry.text}" for entry in self._entries]
            self._weights = WordWeights(texts, self._language)
            self._texts = NearestTexts([self._weights.vector(text) for text in texts])
            self._titles = NearestTexts([self._weights.vector(e.title) for e in self._entries])
        return self._weights

    def _holding(self, wanted: str, weights: WordWeights) -> int | None:
        """Of the nearest entries the one that holds the most."""
        near = self._texts.ranked(weights.vector(wanted), _LOOKED_AT)
        texts = {at: f"{self._entries[at].title}\n{self._entries[at].text}" for at in near}
        shares = {at: weights.held(wanted, text) for at, text in texts.items()}
        best = max(near, key=lambda at: shares[at], default=None)
        return None if best is None or shares[best] < HOLDS else best

    def _asked(self, scenario: Scenario, weights: WordWeights) -> int | None:
        vectors = [weights.vector(text) for text in (scenario.query, scenario.goal) if text]
        hits = [hit for vector in vectors if (hit := self._titles.nearest(vector))]
        at, cosine = max(hits, key=lambda hit: hit[1], default=(0, 0.0))
        return at if cosine >= NEAR else None


@dataclass(frozen=True, slots=True)
class HeatCell:
    """A cell, or (`is_sum`) several as one."""

    figures: CellSummary
    is_sum: bool

    @property
    def marks(self) -> str:
        """`✗` failed, `?` undecided: of several repeats how many, of a sum their number."""
        cell, marks = self.figures, []
        for mark, n in (("✗", cell.results.failed), ("?", cell.results.undecided)):
            several = f"{n}/{cell.conversations}" if cell.conversations > 1 else ""
            marks += [mark + (f"{n:,}" if self.is_sum else several)] if n else []
        return " ".join(marks)

    @property
    def result(self) -> Result | None:
        """The worst that any of its conversations has; None where none has one."""
        passed, failed, undecided = self.figures.results
        worst = ((failed, Result.FAILED), (undecided, Result.UNDECIDED), (passed, Result.PASSED))
        return next((result for n, result in worst if n), None)


@dataclass(frozen=True, slots=True)
class HeatRow:
    """One scenario, or all of them: a cell for each persona, then all of them together."""

    name: str
    cells: tuple[HeatCell, ...]

    @property
    def together(self) -> CellSummary:
        """All its cells as one."""
        return self.cells[-1].figures


@dataclass(frozen=True, slots=True)
class HeatMap:
    """Personas and scenarios, each worst first, and a row for all scenarios together.

    `heads` are those of the columns: the personas and, if there are several, all of them.
    """

    personas: tuple[str, ...]
    heads: tuple[str, ...]
    scenarios: tuple[HeatRow, ...]
    total: HeatRow

    @property
    def is_total_shown(self) -> bool:
        """Whether the row for all scenarios says more than the one of one scenario."""
        return len(self.scenarios) > 1

    def shown(self, row: HeatRow) -> tuple[HeatCell, ...]:
        """The cells of a row below `heads`."""
        return row.cells[: len(self.heads)]

    @classmethod
    def of(
        cls,
        cells: Mapping[tuple[str, str], CellSummary],
        every: str,
        names: Mapping[str, str] | None = None,
    ) -> "HeatMap | None":
        """The map of a run's cells, by (persona, scenario); None without a score or a result.

        `every` is what the row and the column of all of them are called; `names` the personas
        that have another name than their id.
        """
        if not any(cell.mean is not None or any(cell.results) for cell in cells.values()):
            return None
        nothing = CellSummary(None, 0, 0, 0)
        by_persona: dict[str, list[CellSummary]] = {}
        for (persona, _), cell in cells.items():
            by_persona.setdefault(persona, []).append(cell)
        together = {persona: _together(some) for persona, some in by_persona.items()}
        personas = tuple(sorted(together, key=lambda persona: _rank(together[persona], persona)))
        scenarios: dict[str, dict[str, CellSummary]] = {}
        for (persona, scenario), cell in cells.items():
            scenarios.setdefault(scenario, {})[persona] = cell
        rows = [
            _row(name, (row.get(p, nothing) for p in personas), _together(row.values()))
            for name, row in scenarios.items()
        ]
        rows.sort(key=lambda row: _rank(row.together, row.name))
        sums = (together[persona] for persona in personas)
        total = _row(every, sums, _together(cells.values()), is_sum=True)
        called = tuple((names or {}).get(persona, persona) for persona in personas)
        heads = (*called, every) if len(personas) > 1 else called
        return cls(personas, heads, tuple(rows), total)


def cell_text(cell: HeatCell) -> str:
    """`✗1/3 0.62`; a tick where all of it passed that is decided."""
    passed = "✓" if cell.result is Result.PASSED else ""
    return f"{cell.marks or passed} {figure(cell.figures.mean)}".strip()


def _row(
    name: str, cells: Iterable[CellSummary], together: CellSummary, *, is_sum: bool = False
) -> HeatRow:
    shown = (HeatCell(cell, is_sum) for cell in cells)
    return HeatRow(name, (*shown, HeatCell(together, is_sum=True)))


def _together(cells: Iterable[CellSummary]) -> CellSummary:
    """Several cells as one; its mean is that of their conversations."""
    several = list(cells)
    scored = sum(c.scored for c in several)
    total = sum(c.mean * c.scored for c in several if c.mean is not None)
    return CellSummary(
        mean=total / scored if scored else None,
        conversations=sum(c.conversations for c in several),
        flagged=sum(c.flagged for c in several),
        gaps=sum(c.gaps for c in several),
        scored=scored,
        results=CellResults(*map(sum, zip(*(c.results for c in several), strict=True))),
    )


def _rank(cell: CellSummary, name: str) -> tuple[bool, float, float, float, str]:
    """Worst first: by the share that failed, that is undecided, by score; last what is silent."""
    silent = cell.mean is None and not any(cell.results)
    several = max(1, cell.conversations)
    failed, undecided = cell.results.failed / several, cell.results.undecided / several
    return silent, -failed, -undecided, -1.0 if cell.mean is None else cell.mean, name


DONE = 0
FAILED = 1
WRONG_INPUT = 2
INCOMPLETE = 3
INTERRUPTED = 130
FIVE = (
    "gpt_relevance",
    "gpt_groundedness",
    "gpt_similarity",
    "gpt_fluency",
    "ada_cosine_similarity",
)
_MOST = 5  # what each of them adds at most


def exit_status(
    summary: RunSummary | None,
    wanted: Gate | None = None,
    *,
    interrupted: bool = False,
    compared: int = DONE,
) -> int:
    """The first that applies: 2 wrong input, 130 interrupted, 3 incomplete, 1 failed, else 0.

    Args:
        summary: the run's figures; None where the input was wrong and nothing ran.
        wanted: the gate, if one was asked for.
        interrupted: a person stopped the run.
        compared: the status of a comparison that was asked for.
    """
    if summary is None:
        return WRONG_INPUT
    if interrupted:
        return INTERRUPTED
    passed = gate(summary, wanted)
    undecided = wanted is not None and passed is None
    if summary.unfinished or nothing_scored(summary) or undecided or compared == INCOMPLETE:
        return INCOMPLETE
    return FAILED if passed is False or compared == FAILED else DONE


def nothing_scored(summary: RunSummary) -> bool:
    """Whether a run tells nothing: its score failed throughout, or nothing was expected.

    What claims without a score decide, such as statements that must not be made, tells something.
    That documents bear a reply out (`grounded`) is measured whatever is expected, and says little
    of a bot by itself: it counts where it is the score.
    """
    score = summary.score
    if score is not None and (score.scored or score.unscored):
        return not score.scored
    if any(summary.results.decided.values()):
        return False
    return not any(metric.scored for name, metric in summary.metrics.items() if name != GROUNDED)


@dataclass(frozen=True, slots=True)
class RagSum:
    """The sum of the means of those of the five RAG ratings that were scored."""

    sum: float
    """0 to `of`."""
    of: int
    """The most that it can be."""
    scored: Mapping[str, int]
    """Turns with a value, by metric."""


def rag_sum(summary: RunSummary) -> RagSum | None:
    """The sum over those of the five that a run has scores of; None for fewer than two.

    Turns to which a metric does not apply are in no mean, so the means may be of different
    turns: look at `scored`. A sum of fewer than five is no part of 25 and says so.
    """
    metrics = {name: summary.metrics[name] for name in FIVE if name in summary.metrics}
    means = {name: m.value.mean for name, m in metrics.items() if m.value.mean is not None}
    if len(means) < 2:
        return None
    scored = {name: metrics[name].scored for name in means}
    return RagSum(_MOST * sum(means.values()), _MOST * len(means), scored)


def gate(summary: RunSummary, gate: Gate | None) -> bool | None:
    """Whether the run passes, whatever is missing or undecided would have been.

    None where that cannot be said: nothing was asked for, nothing was scored, or the gaps decide.
    """
    passed = [line.passed for line in gate_lines(summary, gate)]
    if False in passed:
        return False
    return None if None in passed or not passed else True


def gate_lines(summary: RunSummary, gate: Gate | None) -> tuple[GateLine, ...]:
    """Each thing that was asked of the run."""
    lines = _gate_lines(summary, gate) if gate else ()
    if not is_checked(summary):
        return tuple(replace(line, passed=None) if line.passed else line for line in lines)
    return tuple(
        replace(line, passed=None, doubted=True) if line.passed and _doubts(summary, line) else line
        for line in lines
    )


def is_checked(summary: RunSummary) -> bool:
    """True if anything passed, failed or is undecided.

    Where nothing is expected, `grounded` and `refusal` are scored all the same: no gate passes on
    that.
    """
    results = summary.results
    return any(results[result] for result in Result if result is not Result.UNCHECKED)


def _doubts(summary: RunSummary, line: GateLine) -> bool:
    """True if a line rests on a judge whose own figures say that this tells little.

    The results rest on its readings of claims, and on no rating that is in doubt.
    """
    health, score = summary.judge_health, summary.score
    doubts = {w.name for w in health.warnings if w.doubt} if health else set()
    if line.name == "score":
        return bool(doubts) and score is not None and "judge" in score.info.needs
    return "lenient" in doubts and Reader.MODEL in summary.results.decided


def unapproved(summary: RunSummary) -> float:
    """The share of conversations whose expectations nobody has confirmed."""
    known = sum(summary.approvals.values())
    return summary.approvals.get(Approval.OPEN, 0) / known if known else 0.0


def _gate_lines(summary: RunSummary, gate: Gate) -> Iterator[GateLine]:
    score, results = summary.score, summary.results
    if gate.score is not None:
        value = score.value if score else Interval(None)
        worst, best = (score.worst, score.best) if score else (None, None)
        yield _reached("score", gate.score, value, worst, best, sure=gate.sure)
    if gate.pass_rate is not None:
        rate = results.pass_rate
        worst, best = results.worst, results.best
        yield _reached("pass_rate", gate.pass_rate, rate, worst, best, sure=gate.sure)
    if gate.must_pass:
        failed, open_ = results.must_failed, results.must_open
        passed = False if failed else None if open_ or results.must_idle else True
        yield GateLine("must_pass", passed, cases=failed or open_)


def _reached(
    name: str,
    wanted: float,
    value: Interval,
    worst: float | None,
    best: float | None,
    *,
    sure: bool,
) -> GateLine:
    """The worst case has to reach it; where that has to be sure, with the interval below it.

    The interval is that of what was scored or decided, so that it is moved down with the mean.
    """
    passed: bool | None = None
    if worst is not None and best is not None:
        lower: float | None = worst
        if sure:  # too few scenarios are sure of nothing
            doubt = None if value.mean is None or value.low is None else value.mean - value.low
            lower = None if doubt is None else worst - doubt
        if is_under(best, wanted):
            passed = False
        elif lower is not None and not is_under(lower, wanted):
            passed = True
    return GateLine(name, passed, wanted, value.mean, worst, best, sure)
