"""What people say of two runs: of all their answers, estimated from those that they judged.

Every answer of either run has to have a known chance to be judged. A run has its own plan or audit
sample; one that has none goes by the plan of the run that it is compared with, where their answers
are equal, and by verdicts on all of the others (`plan_since`).
"""

from collections.abc import Set
from dataclasses import replace

from simulator.core.clean import spoken
from simulator.core.comparison import People, Unjudged, Unknown
from simulator.core.run import Episode, RunHeader
from simulator.core.scenario import Expected
from simulator.core.talk import StopReason
from simulator.core.verdict import Verdict, Word
from simulator.statistics.ppi import (
    ENOUGH_LABELS,
    FEWEST_LABELS,
    PpiEstimate,
    difference,
    needed_labels,
)
from simulator.store.store import Store
from simulator.view.results import seconds_to_judge, settled_words
from simulator.view.stored_run import CorrectedTally, plan_since

_Answer = tuple[str, ...]


def designs(store: Store, before: RunHeader, after: RunHeader) -> tuple[RunHeader, RunHeader]:
    """The headers with how likely each answer of theirs was to be judged."""
    first = before
    if not before.is_drawn:  # then all of it has to be judged
        first = replace(before, review_plan=plan_since(store, None, before))
    if after.is_drawn:
        return first, after
    return first, replace(after, review_plan=plan_since(store, first, after))


class PeopleTally:
    """Counts what people said of one run.

    Args:
        design: the run's header, with how likely each answer was to be judged.
        paired: the conversations that the other run has as well.
        before: what was counted of the earlier run; its words hold for equal answers, which the
            store knows of one client's runs alone.
    """

    def __init__(
        self, design: RunHeader, paired: Set[str], before: "PeopleTally | None" = None
    ) -> None:
        self.header = design
        self.seconds: dict[_Answer, float] = {}
        self._paired = paired
        self._tally = CorrectedTally(design)
        self._words: dict[tuple[_Answer, Expected | None], Word] = {}
        self._before = before

    def add(self, episode: Episode, verdicts: list[Verdict]) -> None:
        """Count one conversation with the verdicts that its run could know."""
        if episode.cell.key not in self._paired or episode.stop.reason is StopReason.USER_INVALID:
            return
        expected = episode.scenario.expected if episode.scenario else None
        words, known = settled_words(verdicts), list(verdicts)
        for turn in episode.turns:
            number = turn.exchange.turn
            name = spoken(episode, number)
            if number in words:
                self._words[name, expected] = words[number]
            elif self._before and (word := self._before._words.get((name, expected))):
                known.append(Verdict(episode.cell.key, number, word, run=self._before.header.id))
            if name not in self.seconds:
                self.seconds[name] = seconds_to_judge(episode, turn, self.header.language)
        self._tally.add(episode, known)

    @property
    def judged(self) -> Set[_Answer]:
        """The answers that have a word and were as likely to get one as is known."""
        return self._tally.judged

    def estimate(self) -> PpiEstimate | None:
        """The share of answers that people would call OK; None where too few are judged."""
        estimate = self._tally.estimate()
        is_enough = self._tally.labels >= ENOUGH_LABELS or self.judged >= self.seconds.keys()
        return estimate if is_enough else None


def people_of(before: PeopleTally | None, after: PeopleTally | None) -> People | Unknown:
    """What people would say of all answers of both runs; or why that cannot be told."""
    if before is None or after is None or not (before.judged or after.judged):
        return Unknown(Unjudged.NOTHING)
    new = after.seconds.keys() - before.seconds.keys()
    first, second = before.estimate(), after.estimate()
    if first is None or first.value.mean is None:
        return _to_judge(Unjudged.FEW_BEFORE, before)
    if len(new & after.judged) < needed_labels(len(new), len(after.judged)):
        plan = after.header.review_plan
        if plan is None or not plan.all_drawn:
            return _new_to_judge(before, after, new - after.judged)
        return _to_judge(Unjudged.NEW, after)
    if second is None or second.value.mean is None:
        return _to_judge(Unjudged.FEW_AFTER, after)
    n = len(before.judged | after.judged)
    return People(first.value.mean, second.value.mean, difference(first, second), n)


def _to_judge(why: Unjudged, run: PeopleTally) -> Unknown:
    """So many more of a run's answers have to be judged, drawn from all of them."""
    left = [seconds for name, seconds in run.seconds.items() if name not in run.judged]
    n = min(len(left), max(ENOUGH_LABELS - len(run.judged), FEWEST_LABELS // 2))
    if not n:
        return Unknown(why)
    command = f"mogi review plan {run.header.id} --budget {n}"
    return Unknown(why, len(left), n, n * sum(left) / len(left), command)


def _new_to_judge(before: PeopleTally, after: PeopleTally, new: Set[_Answer]) -> Unknown:
    n = min(len(new), ENOUGH_LABELS)
    seconds = n * sum(after.seconds[name] for name in new) / len(new)
    command = f"mogi review plan {after.header.id} --new-since {before.header.id}"
    return Unknown(Unjudged.NEW, len(new), n, seconds, command)
