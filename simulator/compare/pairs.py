"""Conversations of two runs, paired: what has no partner is kept by name."""

from collections.abc import Sequence
from dataclasses import dataclass

from simulator.compare.side import Side
from simulator.core.comparison import Apart, Difference, Unmeasured
from simulator.core.outcome import Gap, MetricInfo
from simulator.statistics import paired
from simulator.statistics.intervals import mean_of

HAIR = 1e-9  # means of binary fractions that should be equal are


@dataclass(frozen=True, slots=True)
class Pairs:
    """The places of paired conversations in each run, in the order of A."""

    before: Side
    after: Side
    places: tuple[tuple[int, int], ...]
    apart: Apart

    @classmethod
    def of(cls, before: Side, after: Side) -> "Pairs":
        """Pair by scenario × persona × repeat; a row of a file by its id, if it asks the same.

        A row is known by its place in the file where it has no id: another question there means
        that it is another row. A scenario's first question may be worded anew by its user.
        """
        rows = before.header.is_of_rows
        places, questions = [], []
        for key, place in before.places.items():
            partner = after.places.get(key)
            if partner is None:
                continue
            if rows and before.questions[place] != after.questions[partner]:
                questions.append(key)
            else:
                places.append((place, partner))
        apart = Apart(
            only_before=tuple(k for k in before.places if k not in after.places),
            only_after=tuple(k for k in after.places if k not in before.places),
            questions=tuple(questions),
        )
        return cls(before, after, tuple(places), apart)

    def unmeasured(self) -> tuple[list[Unmeasured], int]:
        """Pairs without a score on one side or both; how many of them it does not apply to."""
        pairs, not_applicable = [], 0
        for a, b in self.places:
            first, second = self.before.unscored.get(a), self.after.unscored.get(b)
            if first == second == Gap.NOT_APPLICABLE:
                not_applicable += 1
            elif first or second:
                pairs.append(Unmeasured(self.before.cells[a].key, first, second))
        return pairs, not_applicable

    def gap_turns(self) -> tuple[int, int]:
        """Turns without a score, of A and of B."""
        before = sum(self.before.gaps[a] for a, _ in self.places)
        return before, sum(self.after.gaps[b] for _, b in self.places)

    def bounded(self) -> tuple[paired.Differences, paired.Differences]:
        """Differences of the score with what is missing at its worst for B, and at its best."""
        worst, best, scenarios = [], [], []
        for a, b in self.places:
            before, after = self.before.bounds(a), self.after.bounds(b)
            if before and after:
                worst.append(after[0] - before[1])
                best.append(after[1] - before[0])
                scenarios.append(self.before.cells[a].scenario)
        reach = self.before.reach
        return (
            paired.by_cluster(worst, scenarios, reach=reach),
            paired.by_cluster(best, scenarios, reach=reach),
        )

    def difference(self, info: MetricInfo, alpha: float) -> Difference:
        """One metric over the pairs that have a value of it on both sides."""
        befores, afters, raws, scenarios = [], [], [], []
        for a, b in self.places:
            first, second = self.before.mean(info.name, a), self.after.mean(info.name, b)
            if first is None or second is None:
                continue
            befores.append(first)
            afters.append(second)
            raws.append((self.before.raw(info.name, a), self.after.raw(info.name, b)))
            scenarios.append(self.before.cells[a].scenario)
        moved = [after - before for before, after in zip(befores, afters, strict=True)]
        differences = paired.by_cluster(moved, scenarios, reach=info.high - info.low)
        test = paired.difference_test(differences)
        return Difference(
            info=info,
            before=mean_of(befores),
            after=mean_of(afters),
            raw_before=mean_of(raw for raw, _ in raws if raw is not None),
            raw_after=mean_of(raw for _, raw in raws if raw is not None),
            value=paired.interval(differences, test, alpha),
            p=test.p if moved else None,
            p_adjusted=None,
            exact=test.exact,
            pairs=len(moved),
            clusters=len(differences.sums),
            changed=test.moved,
            noticeable=paired.noticeable(differences, alpha),
            lower=sum(d < -HAIR for d in moved),
            higher=sum(d > HAIR for d in moved),
        )

    def moved(self, *, fell: bool) -> Sequence[tuple[int, int]]:
        """The pairs whose score fell or rose."""
        sign = -1 if fell else 1
        changes = ((pair, self.change(*pair)) for pair in self.places)
        return [pair for pair, change in changes if change is not None and sign * change > HAIR]

    def change(self, a: int, b: int) -> float | None:
        """The difference of the score; None where either side has none."""
        score = self.before.score
        first, second = self.before.mean(score, a), self.after.mean(score, b)
        return None if first is None or second is None else second - first
