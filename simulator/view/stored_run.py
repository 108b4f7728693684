"""A run of the store as reports receive it: its figures, its episodes, and people's verdicts.

What the correction estimates is the share of answers that people would call OK. A turn on which
they are unsure, or differ, counts half: leaving it out would say that such turns are as good as the
rest, and they are those that are neither clearly right nor clearly wrong.
"""

import hashlib
import os
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import starmap
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import func, select

from simulator.core.bounds import MAX_BYTES
from simulator.core.clean import spoken
from simulator.core.health import Kept, SimulatorSummary
from simulator.core.outcome import Gap, Interval, Outcome, Score
from simulator.core.plan import seed_of
from simulator.core.result import Finding, Result, Why
from simulator.core.run import AnswerNumbers, CellSummary, Episode, Run, RunHeader, RunSummary, Turn
from simulator.core.soundness import unsound_tags
from simulator.core.talk import StopReason, TargetFailure
from simulator.core.verdict import (
    STRATA,
    CorrectedScore,
    Drawn,
    Faults,
    Place,
    PlannedAnswer,
    ReviewPlan,
    Sampled,
    Separation,
    Verdict,
    VerdictSummary,
    Word,
    latest,
)
from simulator.results.verdict import Fault
from simulator.statistics.intervals import mean_of, under
from simulator.statistics.ppi import Observation, PpiEstimate, StratifiedSample, ppi
from simulator.statistics.ranking import auc
from simulator.store.codec import header_to_json
from simulator.store.schema import runs
from simulator.store.store import Store
from simulator.view.aggregate import Aggregate
from simulator.view.results import as_it_counts, finding, in_doubt, settled_words
from simulator.view.review_view import ReviewQueue
from simulator.view.summary import documents_found
from simulator.worksheets.columns import fault_of

if TYPE_CHECKING:
    from pydantic import TypeAdapter

_PACKAGE = Path(__file__).parents[1]
_OPEN = ("running", "broken_off")  # what such a run holds may still change
_Cells = list[tuple[tuple[str, str], CellSummary]]


def kept_text(header: RunHeader, summary: RunSummary, conversations: int) -> str:
    """The figures as text, under what they hold for; empty where people said something of the run.

    Their words count from the moment that they are given, so what counts them is computed.
    """
    if summary.verdicts is not None:
        return ""
    whole, cells = _adapters()
    parts = (
        _mark(header, conversations).encode(),
        whole.dump_json(replace(summary, cells={})),
        cells.dump_json(list(summary.cells.items())),
    )
    return b"\n".join(parts).decode()


def kept_summary(store: Store, header: RunHeader) -> RunSummary | None:
    """The figures of a run as they were when it ended; None where they may be others by now.

    Nor are they where the store holds more than anybody's figures are, or no figures at all.
    """
    if header.status in _OPEN or header.id in store.said(header.client):
        return None
    with store.reading() as connection:
        is_read = func.length(runs.c.figures) <= MAX_BYTES
        query = select(runs.c.figures).where(runs.c.id == header.id, is_read)
        text = connection.execute(query).scalar_one_or_none() or ""
    mark, _, rest = text.partition("\n")
    if mark != _mark(header, len(store.keys(header.id))):
        return None
    figures, _, by_cell = rest.partition("\n")
    whole, cells = _adapters()
    try:
        return replace(whole.validate_json(figures), cells=dict(cells.validate_json(by_cell)))
    except ValueError:  # somebody else wrote into the store
        return None


def _mark(header: RunHeader, conversations: int) -> str:
    """What figures hold for: this code, what the run was told, and so many conversations."""
    plan = replace(header, status="", finished=None, notes=(), waits={}, wall_s=0.0)
    digest = hashlib.sha256(f"{_code()}\0{header_to_json(plan)}".encode())
    return f"{digest.hexdigest()} {conversations}"


@cache
def _code() -> str:
    """What tells this code from any other: its files, by size and time."""
    files = sorted(
        (file.path.removeprefix(str(_PACKAGE)), (at := file.stat()).st_size, at.st_mtime_ns)
        for folder, _, _ in os.walk(_PACKAGE)
        for file in os.scandir(folder)
        if file.name.endswith((".py", ".yaml", ".json"))
    )
    return hashlib.sha256(repr(files).encode()).hexdigest()


@cache
def _adapters() -> "tuple[TypeAdapter[RunSummary], TypeAdapter[_Cells]]":
    from pydantic import TypeAdapter

    return TypeAdapter(RunSummary), TypeAdapter(_Cells)


_FAULTS = frozenset(Fault)
_Reviewed = tuple[Episode, tuple[Verdict, ...]]
_SAID = {Word.NG: 0.0, Word.UNSURE: 0.5, Word.OK: 1.0}


class UserTally:
    """Counts the conversations of one run; of each only what is counted is kept."""

    def __init__(self, header: RunHeader) -> None:
        self._score_by = header.score_by
        self._limit = header.thresholds.get(header.score_by)
        self._unsound = 0
        self._held_again: dict[str, bool] = {}  # by episode: whether it is excluded all the same
        self._excluded = self._unasked = 0
        self._rerun_for: Counter[str] = Counter()
        self._kept = {True: Counter[bool](), False: Counter[bool]()}  # weak or strong: excluded

    def add(self, episode: Episode, finding: Finding) -> None:
        """Count one complete conversation with what was found where the judge is not in doubt."""
        is_excluded = finding.why is Why.UNSOUND
        self._excluded += is_excluded
        self._unasked += len(episode.stop.unasked)
        self._unsound += bool(unsound_tags(episode.turns))
        if episode.rerun_for:
            self._held_again[episode.cell.key] = is_excluded
            self._rerun_for.update(episode.rerun_for)
        outcomes = (turn.outcomes.get(self._score_by) for turn in episode.turns)
        score = mean_of(outcome.value for outcome in outcomes if isinstance(outcome, Score))
        if score is not None and self._limit is not None:
            self._kept[under(score, self._limit)][is_excluded] += 1

    def summary(self, paid: Mapping[str, Sequence[float | None]]) -> SimulatorSummary:
        """The figures so far; `paid` is what each take cost of those that were held again."""
        costs = [
            cost
            for episode, (first, last) in paid.items()
            for cost in (first, *([last] if self._held_again.get(episode) else []))
        ]
        known = [cost for cost in costs if cost is not None]
        weak, strong = (
            Kept(counts.total(), counts[True]) for counts in (self._kept[True], self._kept[False])
        )
        return SimulatorSummary(
            unsound=self._unsound,
            rerun=len(self._held_again),
            excluded=self._excluded,
            cost_usd=sum(known, 0.0) if len(known) == len(costs) else None,
            weak=weak,
            strong=strong,
            rerun_for=dict(self._rerun_for.most_common()),
            unasked=self._unasked,
        )


@dataclass(slots=True)
class _Values:
    """The values of one metric on answers that people call the same, each with its conversation."""

    values: "array[float]" = field(default_factory=lambda: array("d"))
    talks: "array[int]" = field(default_factory=lambda: array("l"))


class VerdictTally:
    """Counts the answers of a run that people judged: equal and folded ones once.

    The metrics are those of `header` that speak of turns.
    """

    def __init__(self, header: RunHeader) -> None:
        names = [info.name for info in header.metrics if info.scope == "turn"]
        self._ok, self._ng = ({name: _Values() for name in names} for _ in range(2))
        self._words: Counter[Word] = Counter()
        self._numbers = AnswerNumbers()
        self._seen: set[int] = set()
        self._talks = 0
        self._faults = FaultTally()

    def add(self, episode: Episode, verdicts: Sequence[Verdict]) -> None:
        """Count one conversation; what unsound users were answered says nothing, as in scores."""
        self._talks += 1
        if not verdicts or episode.stop.reason is StopReason.USER_INVALID:
            return
        self._faults.add(episode, verdicts)
        words = settled_words(verdicts)
        for turn in episode.turns:
            word = words.get(turn.exchange.turn)
            if word is None:
                continue
            answer = self._numbers.of(episode, turn.exchange.turn, verdicts)
            if answer not in self._seen:
                self._seen.add(answer)
                self._words[word] += 1
                self._add(word, turn.outcomes)

    def summary(self) -> VerdictSummary | None:
        """The figures so far; None where nobody said anything."""
        if not self._words.total():
            return None
        return VerdictSummary(
            ok=self._words[Word.OK],
            ng=self._words[Word.NG],
            unsure=self._words[Word.UNSURE],
            metrics={name: _separation(ok, self._ng[name]) for name, ok in self._ok.items()},
            faults=self._faults.summary(),
        )

    def _add(self, word: Word, outcomes: Mapping[str, Outcome]) -> None:
        if word is Word.UNSURE:
            return
        for name, side in (self._ok if word is Word.OK else self._ng).items():
            outcome = outcomes.get(name)
            if isinstance(outcome, Score):
                side.values.append(outcome.value)
                side.talks.append(self._talks)


def _separation(ok: _Values, ng: _Values) -> Separation:
    interval = auc(ok.values, ng.values, ok.talks, ng.talks)
    return Separation(interval, len(ok.values), len(ng.values))


class FaultTally:
    """What people called wrong beside what was blamed; of an answer a few words are kept."""

    def __init__(self) -> None:
        self._blamed: dict[tuple[tuple[str, ...], str], tuple[str, bool]] = {}

    def add(self, episode: Episode, verdicts: Sequence[Verdict]) -> None:
        """Count one conversation; equal answers once."""
        for turn in episode.turns if verdicts else ():
            number = turn.exchange.turn
            for verdict in latest(v for v in verdicts if v.turn == number).values():
                if verdict.error_type and not verdict.folded_from:
                    fault = fault_of(verdict.error_type)
                    fault = fault if fault in _FAULTS else ""
                    blamed = turn.blame or "", fault in turn.blames
                    self._blamed[spoken(episode, number), fault] = blamed

    def summary(self, before: "FaultTally | None" = None) -> Faults | None:
        """The figures so far, with those of an earlier run; None where nobody named a fault."""
        blamed = {**(before._blamed if before else {}), **self._blamed}
        if not blamed:
            return None
        counts = Counter((fault, blame) for (_, fault), (blame, _) in blamed.items())
        known = [agrees for (_, fault), (_, agrees) in blamed.items() if fault]
        return Faults(dict(counts.most_common()), len(known), sum(known))


class CorrectedTally:
    """Counts one run; a few numbers are kept of each conversation, and no text."""

    def __init__(self, header: RunHeader) -> None:
        self._header = header
        infos = {info.name: info for info in header.metrics}
        info = infos.get(header.score_by)
        self._low = info.low if info else 0.0
        # What is predicted where there is no score is arbitrary: it costs width, never truth.
        self._middle = (info.low + info.high) / 2 if info else 0.5
        self._sample = StratifiedSample(len(STRATA))
        self._numbers = AnswerNumbers()
        self._answers: dict[tuple[str, ...], int] = {}  # those with a label, and their numbers
        self._audited: set[int] = set()

    def add(self, episode: Episode, verdicts: Sequence[Verdict]) -> None:
        """Count one conversation; what unsound users were answered says nothing, as in scores."""
        turns = episode.turns
        if not turns or episode.stop.reason is StopReason.USER_INVALID:
            return
        scenario = seed_of(0, episode.cell.scenario)  # the same number in every run
        drawn = [self._header.drawn(episode, turn) for turn in turns]
        sizes = Counter(stratum for stratum, _ in drawn)
        predicted = sum(map(self._predicted, turns))
        talk = self._sample.add(scenario, [sizes[s] for s in STRATA], predicted)
        words = settled_words(verdicts) if verdicts else {}
        for turn, (stratum, probability) in zip(turns, drawn, strict=True):
            word = words.get(turn.exchange.turn)
            if stratum is Sampled.KNOWN and isinstance(turn.exchange.reply, TargetFailure):
                word = Word.NG  # nobody has to be asked
            if word is not None and probability:  # a turn that was not drawn is no sample
                label = (self._predicted(turn), _SAID[word])
                number = self._numbers.of(episode, turn.exchange.turn, verdicts)
                self._answers[spoken(episode, turn.exchange.turn)] = number
                if stratum in (Sampled.AUDIT, Sampled.NEW):
                    self._audited.add(number)
                place = STRATA.index(stratum)
                of_turn = Observation(talk, place, *label, number, probability)
                self._sample.labels.append(of_turn)

    @property
    def labels(self) -> int:
        """How many answers people looked at, those that were folded with one of them aside."""
        return len(set(self._answers.values()))

    @property
    def judged(self) -> Set[tuple[str, ...]]:
        """The different answers that have a label, by `spoken`."""
        return self._answers.keys()

    def summary(self) -> CorrectedScore | None:
        """The estimate so far; None where nobody said anything of a turn that people are shown."""
        n, audited = self.labels, len(self._audited)
        if not n:
            return None
        known = self.estimate()
        if known is None:
            return CorrectedScore(Interval(None), n, audited)
        return CorrectedScore(known.value, n, audited, known.tuning)

    def estimate(self) -> PpiEstimate | None:
        """The same with what a difference of two runs is made of."""
        return ppi(self._sample)

    def _predicted(self, turn: Turn) -> float:
        outcome = turn.outcomes.get(self._header.score_by)
        if isinstance(outcome, Score):
            return outcome.value
        failed = outcome is not None and outcome.reason is Gap.TARGET_FAILED
        return self._low if failed else self._middle


def audited(store: Store, header: RunHeader) -> RunHeader:
    """The header with the sample of its answers that are not flagged, drawn as `Audit` says.

    Equal answers are drawn once, and what people have judged already is not drawn: that is known.
    What was known when a run ended first stays so when it ends again.
    """
    if not header.audit.share:
        return header
    before = header.audit.answers
    kept = {place for answer in before.known for place in answer.places} if before else set()
    places, kinds = (
        defaultdict[tuple[str, ...], list[Place]](list),
        dict[tuple[str, ...], Sampled](),
    )
    for episode, verdicts in store.reviewed(header.id):
        if episode.stop.reason is StopReason.USER_INVALID:
            continue
        words = settled_words(verdicts)
        for turn in episode.turns:
            number = turn.exchange.turn
            name, place = spoken(episode, number), (episode.cell.key, number)
            if turn.flagged:
                kinds[name] = Sampled.FLAGGED
                continue
            places[name].append(place)
            if place in kept if before else number in words:
                kinds.setdefault(name, Sampled.KNOWN)
    others = {name: kinds.get(name, Sampled.AUDIT) for name in places}
    share, drawn = header.audit.share, [n for n, k in others.items() if k is Sampled.AUDIT]
    answers = ReviewPlan(
        tuple(
            PlannedAnswer(Sampled.AUDIT, share, tuple(places[name]))
            for name in drawn
            if header.audit.draws(*name)
        ),
        tuple(
            PlannedAnswer(kind, 1.0, tuple(places[name]))
            for name, kind in others.items()
            if kind is not Sampled.AUDIT
        ),
    )
    return replace(header, audit=replace(header.audit, answers=answers))


def plan_since(store: Store, before: RunHeader | None, header: RunHeader) -> ReviewPlan:
    """The review plan that a run has by what an earlier run's plan and its verdicts say of it.

    Answers that both runs have are of the stratum that they are of in `before`, and as likely to
    have been drawn. Of the others, of all where it is None, those that people have judged are
    known; the rest are the plan's rows, none of which is left out.
    """
    drawn = {} if before is None else _drawn_in(store, before)
    places = defaultdict[tuple[str, ...], list[Place]](list)
    judged = set[tuple[str, ...]]()
    for episode, verdicts in store.reviewed(header.id):
        words = settled_words(verdicts)
        for name, turn in _answers(episode):
            places[name].append((episode.cell.key, turn.exchange.turn))
            if turn.exchange.turn in words or isinstance(turn.exchange.reply, TargetFailure):
                judged.add(name)
    rows, known = list[PlannedAnswer](), list[PlannedAnswer]()
    for name, some in places.items():
        why, probability = drawn.get(name, (Sampled.KNOWN, 1.0))
        if name not in drawn and name not in judged:
            rows.append(PlannedAnswer(Sampled.NEW, 1.0, tuple(some)))
        elif probability is not None:
            known.append(PlannedAnswer(why, probability, tuple(some)))
    return ReviewPlan(tuple(rows), tuple(known))


def _answers(episode: Episode) -> Iterator[tuple[tuple[str, ...], Turn]]:
    """Its turns, each behind the name of its answer; what an invalid user was answered is none."""
    if episode.stop.reason is not StopReason.USER_INVALID:
        yield from ((spoken(episode, turn.exchange.turn), turn) for turn in episode.turns)


def _drawn_in(store: Store, header: RunHeader) -> dict[tuple[str, ...], Drawn]:
    return {
        name: header.drawn(episode, turn)
        for episode in store.episodes(header.id)
        for name, turn in _answers(episode)
    }


def stored_run(store: Store, header: RunHeader, in_memory: int = 0) -> Run:
    """The run that this header speaks of, with its figures, as they were kept if they still hold.

    They are computed from the episodes in the plan's order: which conversation happened to end
    first makes no difference, and a resumed run ends with the figures of an unbroken one.

    Args:
        store: has the run.
        header: of the run.
        in_memory: of so many conversations at most all are read at once, and kept.
    """
    kept = tuple(store.reviewed(header.id)) if header.planned <= in_memory else None
    reviewed = store.reviewed(header.id) if kept is None else iter(kept)
    summary = kept_summary(store, header) or _summary(store, header, reviewed)
    return _shown(store, header, summary, kept)


def keep(store: Store, run: Run) -> None:
    """Remember how a run ended, with its figures."""
    text = kept_text(run.header, run.summary, run.summary.conversations)
    store.finish(run.header, digest(run), text)


def _summary(store: Store, header: RunHeader, reviewed: Iterable[_Reviewed]) -> RunSummary:
    aggregate, people, users = Aggregate(header), VerdictTally(header), UserTally(header)
    corrected = CorrectedTally(header) if header.is_drawn else None
    complete = 0
    came: set[str] = set()
    for episode, verdicts in reviewed:
        finding = aggregate.add(episode, verdicts)
        people.add(episode, verdicts)
        users.add(episode, finding)
        if corrected is not None:
            corrected.add(episode, verdicts)
        came |= documents_found(episode)
        complete += 1
    summary = aggregate.summary(store.ledger(header.id), header.planned - complete)
    return replace(
        summary,
        verdicts=people.summary(),
        simulator=users.summary(store.costs_of_takes(header.id)),
        corrected=corrected.summary() if corrected is not None else None,
        found=frozenset(came),
    )


def _shown(
    store: Store, header: RunHeader, summary: RunSummary, kept: Sequence[_Reviewed] | None
) -> Run:
    url = store.location.url  # as it is now: a relative one means another file in another folder
    find = finding(header, doubted=in_doubt(summary))

    def found(reviewed: Iterable[_Reviewed]) -> Iterator[_Reviewed]:
        return ((replace(e, finding=find(e, verdicts)), verdicts) for e, verdicts in reviewed)

    def read() -> Iterator[_Reviewed]:
        with Store.read(url) as reader:
            yield from found(reader.reviewed(header.id))

    def on_claims() -> list[Verdict]:
        with Store.read(url) as reader:
            return reader.on_claims(header.id)

    if kept is None:
        return Run(header, summary, lambda: starmap(as_it_counts, read()), read, on_claims)
    reviewed = tuple(found(kept))
    episodes = tuple(starmap(as_it_counts, reviewed))
    return Run(header, summary, lambda: iter(episodes), lambda: iter(reviewed), on_claims)


def with_folded(store: Store, header: RunHeader, verdicts: Iterable[Verdict]) -> list[Verdict]:
    """As `ReviewQueue.with_folded`, for a run of the store; only the scenarios are read."""
    given, keys = list(verdicts), list(store.keys(header.id))
    scenarios = {_scenario(verdict.episode) for verdict in given}
    some = [key for key in keys if _scenario(key) in scenarios]
    only = some if len(some) < len(keys) else None
    return ReviewQueue.of(header, store.reviewed(header.id, only)).with_folded(given)


def _scenario(key: str) -> str:
    return key.rsplit("/", 2)[0]


def digest(run: Run) -> dict[str, Any]:
    """The few figures that `mogi runs` lists."""
    score = run.summary.score
    results = run.summary.results
    return {
        **{result.value: results[result] for result in Result},
        "score": score.value.mean if score else None,
        "score_by": run.header.score_by,
        "conversations": run.summary.conversations,
        "flagged": run.summary.flagged,
    }
