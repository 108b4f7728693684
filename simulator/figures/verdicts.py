"""People's verdicts beside the scores of a run: how many there are, and which metric agrees."""

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import groupby

from simulator.core.outcome import Outcome, Score
from simulator.core.run import Episode, RunHeader, Separation, VerdictSummary
from simulator.core.talk import StopReason
from simulator.core.verdict import Verdict, Word, settled
from simulator.statistics.auc import auc


class _Sides:
    """The values of one metric on turns that are OK and NG, each with its conversation."""

    def __init__(self) -> None:
        self._values = {word: array("d") for word in (Word.OK, Word.NG)}
        self._talks = {word: array("l") for word in (Word.OK, Word.NG)}

    def add(self, word: Word, value: float, talk: int) -> None:
        self._values[word].append(value)
        self._talks[word].append(talk)

    def separation(self) -> Separation:
        ok, ng = self._values[Word.OK], self._values[Word.NG]
        interval = auc(ok, ng, self._talks[Word.OK], self._talks[Word.NG])
        return Separation(interval, len(ok), len(ng))


class VerdictTally:
    """Counts the verdicts of a run; the metrics are those of `header` that speak of turns."""

    def __init__(self, header: RunHeader) -> None:
        self._sides = {info.name: _Sides() for info in header.metrics if info.scope == "turn"}
        self._words: Counter[Word] = Counter()
        self._talks = 0

    def add(self, episode: Episode, verdicts: Sequence[Verdict]) -> None:
        """Count one conversation; what unsound users were answered says nothing, as in scores."""
        self._talks += 1
        if not verdicts or episode.stop.reason is StopReason.USER_INVALID:
            return
        words = words_of(verdicts)
        for turn in episode.turns:
            word = words.get(turn.exchange.turn)
            if word is not None:
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
            metrics={name: sides.separation() for name, sides in self._sides.items()},
        )

    def _add(self, word: Word, outcomes: Mapping[str, Outcome]) -> None:
        if word is Word.UNSURE:
            return
        for name, sides in self._sides.items():
            outcome = outcomes.get(name)
            if isinstance(outcome, Score):
                sides.add(word, outcome.value, self._talks)


def words_of(verdicts: Sequence[Verdict]) -> dict[int, Word]:
    """What people say of each turn of a conversation that anybody spoke of."""
    by_turn = sorted(verdicts, key=lambda verdict: verdict.turn)  # stable: in order within a turn
    found = {turn: settled(some) for turn, some in groupby(by_turn, key=lambda v: v.turn)}
    return {turn: word for turn, word in found.items() if word is not None}
