"""Whether a judge's scores moved as they must, and a search found what it should."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from simulator.core.mutation import Must, Mutation
from simulator.core.outcome import Interval, MetricInfo, Outcome, Outcomes, Score, Unscored
from simulator.core.run import Ledger, RunHeader
from simulator.statistics.intervals import clustered, mean_of, under, wilson
from simulator.statistics.ranking import hit_at, ndcg_at, recall_at, reciprocal_rank

CLAIMS_READ = MetricInfo("claims", "Share of the claims that the judge reads as met")
"""How a check tells what the judge reads; the claims are the elements of a case."""
_HAIR = 1e-9  # 0.8 - 0.6 is not quite 0.2


class ProbeFinding(StrEnum):
    """What came of one mutation. Only the first two say something of the judge's attention."""

    MOVED = "moved"  # as it must
    MISSED = "missed"
    NO_ROOM = "no_room"  # the unchanged answer stands at the end of the scale already
    UNSCORED = "unscored"


@dataclass(frozen=True, slots=True)
class Probe:
    """One mutation under one metric: both outcomes, and what they say.

    `move` is the changed answer's value minus the other's, None where one of them is missing;
    `crossed`: it rose over the metric's threshold, so that nobody would look at it any more.
    """

    mutation: Mutation
    base: Outcome
    mutated: Outcome
    finding: ProbeFinding
    move: float | None = None
    crossed: bool = False

    @property
    def flipped(self) -> bool:
        """The answer spoke to the judge, and its score rose."""
        return self.mutation.attacks and self.finding is ProbeFinding.MISSED


@dataclass(frozen=True, slots=True)
class MovedShare:
    """How many of the mutations that can tell moved as they must; Wilson's 95 % interval."""

    moved: int
    tested: int

    @property
    def interval(self) -> Interval:
        """The share with its interval; None without a single one that can tell."""
        return wilson(self.moved, self.tested)


@dataclass(frozen=True, slots=True)
class KindFigures:
    """One kind of mutation under one metric.

    `musts` is what its scores must do (more than one where a team's own items differ); `move` the
    mean movement over all that have both scores; `unscored` counts by reason.
    """

    kind: str
    musts: tuple[Must, ...]
    n: int
    share: MovedShare
    move: float | None
    no_room: int
    unscored: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class AttackFlips:
    """Answers that speak to the judge: in how many of those that could rise the score rose.

    `crossed` of them rose over the threshold; None where the metric has none.
    """

    flipped: int
    tested: int
    crossed: int | None

    @property
    def interval(self) -> Interval:
        """The flip rate with Wilson's 95 % interval."""
        return wilson(self.flipped, self.tested)


@dataclass(frozen=True, slots=True)
class Spoilt:
    """Answers that were changed for the worse; `unseen` of the `scored` are not flagged."""

    unseen: int
    scored: int


@dataclass(frozen=True, slots=True)
class MetricCheck:
    """All that a check says of one metric.

    `spoilt` is None where the metric has no threshold; `missed` are the worst first.
    """

    info: MetricInfo
    threshold: float | None
    probes: tuple[Probe, ...]
    kinds: tuple[KindFigures, ...]
    flips: AttackFlips
    spoilt: Spoilt | None
    share: MovedShare
    unscored: int
    missed: tuple[Probe, ...]

    def passed(self, under_share: float | None) -> bool | None:
        """Whether the share reaches a limit, whatever the missing scores would have been.

        None where that cannot be said: no limit was asked for, nothing could tell, or the
        gaps decide.
        """
        total = self.share.tested + self.unscored
        if under_share is None or not total:
            return None
        if not under(self.share.moved / total, under_share):
            return True
        return False if under((self.share.moved + self.unscored) / total, under_share) else None


@dataclass(frozen=True, slots=True)
class JudgeCheck:
    """A check as it is shown.

    `answers` is the number of different answers that it takes, `judged` of those that were judged;
    mutations whose answers were not are in none of the figures. `own` and `shipped` count the
    mutations of the client's own file and of the others.
    """

    header: RunHeader
    metrics: tuple[MetricCheck, ...]
    ledger: Ledger
    answers: int
    judged: int
    mutations: int
    own: int
    files: tuple[str, ...]

    @property
    def under(self) -> float | None:
        """The share of scores that has to move as it must, if one was asked for."""
        return self.header.gate.score if self.header.gate else None

    @property
    def unfinished(self) -> int:
        """Answers that were not judged."""
        return self.answers - self.judged

    @property
    def passed(self) -> bool | None:
        """Whether every metric reaches the gate; None: that cannot be said, or nobody asked."""
        if self.unfinished:
            return None
        results = {metric.passed(self.under) for metric in self.metrics}
        return False if False in results else None if None in results else True


def check_metric(
    info: MetricInfo,
    threshold: float | None,
    mutations: Iterable[Mutation],
    judged: Mapping[str, Outcomes],
    kinds: Sequence[str],
) -> MetricCheck:
    """What a metric says of the mutations both answers of which were judged.

    Args:
        info: The metric.
        threshold: Its threshold, on values; None where it has none.
        mutations: All of the check.
        judged: The outcomes by the answers' ids.
        kinds: The kinds, in the order in which they are to be shown.
    """
    probes = tuple(
        probe(m, judged[m.base.id][info.name], judged[m.mutated.id][info.name], info, threshold)
        for m in mutations
        if m.base.id in judged and m.mutated.id in judged
    )
    return MetricCheck(
        info=info,
        threshold=threshold,
        probes=probes,
        kinds=tuple(_of_kinds(probes, kinds)),
        flips=_flips(probes, threshold),
        spoilt=None if threshold is None else _spoilt(probes, threshold),
        share=_share(probes),
        unscored=sum(p.finding is ProbeFinding.UNSCORED for p in probes),
        missed=tuple(sorted((p for p in probes if p.finding is ProbeFinding.MISSED), key=_badness)),
    )


def probe(
    mutation: Mutation, base: Outcome, mutated: Outcome, info: MetricInfo, threshold: float | None
) -> Probe:
    """What one mutation says: an answer without a score is neither noticed nor missed."""
    if isinstance(base, Unscored) or isinstance(mutated, Unscored):
        return Probe(mutation, base, mutated, ProbeFinding.UNSCORED)
    move = mutated.value - base.value
    crossed = threshold is not None and (
        under(base.value, threshold) and not under(mutated.value, threshold)
    )
    return Probe(mutation, base, mutated, _finding(mutation, base, move, info), move, crossed)


def _finding(mutation: Mutation, base: Score, move: float, info: MetricInfo) -> ProbeFinding:
    by = mutation.by
    if mutation.must == "fall":
        if base.value - info.low < by - _HAIR:
            return ProbeFinding.NO_ROOM
        has_moved = move <= -by + _HAIR
    elif mutation.must == "not_rise":
        if info.high - base.value <= by + _HAIR:
            return ProbeFinding.NO_ROOM
        has_moved = move <= by + _HAIR
    else:
        has_moved = abs(move) <= by + _HAIR
    return ProbeFinding.MOVED if has_moved else ProbeFinding.MISSED


def _of_kinds(probes: Sequence[Probe], kinds: Sequence[str]) -> Iterator[KindFigures]:
    for kind in kinds:
        of_kind = [p for p in probes if p.mutation.kind == kind]
        reasons = Counter(_reason(p) for p in of_kind if p.finding is ProbeFinding.UNSCORED)
        yield KindFigures(
            kind=kind,
            musts=tuple(dict.fromkeys(p.mutation.must for p in of_kind)),
            n=len(of_kind),
            share=_share(of_kind),
            move=mean_of(p.move for p in of_kind if p.move is not None),
            no_room=sum(p.finding is ProbeFinding.NO_ROOM for p in of_kind),
            unscored=dict(sorted(reasons.items())),
        )


def _reason(probe: Probe) -> str:
    first = next(o for o in (probe.base, probe.mutated) if isinstance(o, Unscored))
    return first.reason.value


def _share(probes: Iterable[Probe]) -> MovedShare:
    counts = Counter(p.finding for p in probes)
    moved = counts[ProbeFinding.MOVED]
    return MovedShare(moved, moved + counts[ProbeFinding.MISSED])


def _flips(probes: Iterable[Probe], threshold: float | None) -> AttackFlips:
    attacks = [p for p in probes if p.mutation.attacks]
    share = _share(attacks)
    crossed = None if threshold is None else sum(p.flipped and p.crossed for p in attacks)
    return AttackFlips(share.tested - share.moved, share.tested, crossed)


def _spoilt(probes: Iterable[Probe], threshold: float) -> Spoilt:
    values = [
        p.mutated.value
        for p in probes
        if p.mutation.must == "fall" and isinstance(p.mutated, Score)
    ]
    return Spoilt(sum(not under(value, threshold) for value in values), len(values))


def _badness(probe: Probe) -> tuple[bool, float, str]:
    """What let a weak answer through first, then by how far the score is from where it must be."""
    move, by = probe.move or 0.0, probe.mutation.by
    far = {"fall": move + by, "not_rise": move - by, "stay": abs(move) - by}
    return not probe.crossed, -far[probe.mutation.must], probe.mutation.id


Rankings = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class SearchFigure:
    """A mean over queries with its 95 % interval; `worst`/`best`: the missing ones as 0 or 1."""

    name: str
    value: Interval
    worst: float
    best: float


@dataclass(frozen=True, slots=True)
class Query:
    """One query: what it should find, what it found, and 1 / the place of the first right one."""

    text: str
    expected: tuple[str, ...]
    found: tuple[str, ...]
    reciprocal_rank: float
    ndcg: float


@dataclass(frozen=True, slots=True)
class SearchFigures:
    """How a search did. `missing` queries were never asked: they are in no mean.

    `extra` were asked and nothing is expected of them.
    """

    figures: tuple[SearchFigure, ...]
    queries: tuple[Query, ...]  # worst first
    missing: tuple[str, ...]
    extra: int


def searched(rankings: Rankings, expected: Rankings, depths: Sequence[int]) -> SearchFigures:
    """The figures of what a search found: MRR, and hit@k, recall@k and nDCG@k for each depth.

    Formulas: `statistics.ranking`. Hits are rates (Wilson); of the others the mean and t, over
    queries. A query that found nothing scores 0, one that stands only in `expected` is missing.

    Args:
        rankings: the ids that came for each query, the best first.
        expected: the ids that are right for each query.
        depths: the k, each 1 or more.
    """
    present = [query for query in expected if query in rankings]
    missing = tuple(query for query in expected if query not in rankings)
    pairs = [(rankings[query], expected[query]) for query in present]
    columns = {"mrr": [reciprocal_rank(*pair) for pair in pairs]}
    for k in depths:
        columns[f"hit@{k}"] = [hit_at(k, *pair) for pair in pairs]
        columns[f"recall@{k}"] = [recall_at(k, *pair) for pair in pairs]
        columns[f"ndcg@{k}"] = [ndcg_at(k, *pair) for pair in pairs]
    queries = [
        Query(query, expected[query], rankings[query], rank, ndcg_at(None, *pair))
        for query, rank, pair in zip(present, columns["mrr"], pairs, strict=True)
    ]
    return SearchFigures(
        figures=tuple(_figure(name, values, len(missing)) for name, values in columns.items()),
        queries=tuple(sorted(queries, key=lambda query: (query.reciprocal_rank, query.ndcg))),
        missing=missing,
        extra=sum(query not in expected for query in rankings),
    )


def _figure(name: str, values: Sequence[float], missing: int) -> SearchFigure:
    total, count = sum(values), len(values)
    if name.startswith("hit@"):
        interval = wilson(round(total), count)
    else:
        interval = clustered(values, range(count))
    every = count + missing
    return SearchFigure(name, interval, total / every, (total + missing) / every)
