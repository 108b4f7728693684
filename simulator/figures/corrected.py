"""A run's score corrected by people's words on its flagged turns and on a random sample of others.

What is estimated is the share of answers that people would call OK. A turn on which they are
unsure, or differ, counts half: leaving it out would say that such turns are as good as the rest,
and they are those that are neither clearly right nor clearly wrong.
"""

from collections.abc import Sequence

from simulator.core.audit import Sampled
from simulator.core.outcome import Gap, Score
from simulator.core.run import CorrectedScore, Episode, Interval, RunHeader, Turn
from simulator.core.talk import StopReason
from simulator.core.verdict import Verdict, Word
from simulator.figures.verdicts import words_of
from simulator.statistics.ppi import Label, Sample, ppi

_STRATA = (Sampled.FLAGGED, Sampled.AUDIT)
_SAID = {Word.NG: 0.0, Word.UNSURE: 0.5, Word.OK: 1.0}


class CorrectedTally:
    """Counts one run; a few numbers are kept of each conversation, and no text."""

    def __init__(self, header: RunHeader) -> None:
        self._header = header
        infos = {info.name: info for info in header.metrics}
        info = infos.get(header.score_by)
        self._low = info.low if info else 0.0
        # What is predicted where there is no score is arbitrary: it costs width, never truth.
        self._middle = (info.low + info.high) / 2 if info else 0.5
        self._scenarios: dict[str, int] = {}
        self._sample = Sample(len(_STRATA))

    def add(self, episode: Episode, verdicts: Sequence[Verdict]) -> None:
        """Count one conversation; what unsound users were answered says nothing, as in scores."""
        turns = episode.turns
        if not turns or episode.stop.reason is StopReason.USER_INVALID:
            return
        scenario = self._scenarios.setdefault(episode.cell.scenario, len(self._scenarios))
        flagged = sum(turn.flagged for turn in turns)
        predicted = sum(map(self._predicted, turns))
        talk = self._sample.add(scenario, (flagged, len(turns) - flagged), predicted)
        words = words_of(verdicts) if verdicts else {}
        for turn in turns:
            word = words.get(turn.exchange.turn)
            sampled = self._header.sampled(episode, turn) if word else None
            if word is not None and sampled is not None:  # a turn that was not drawn is no sample
                label = (self._predicted(turn), _SAID[word])
                self._sample.labels.append(Label(talk, _STRATA.index(sampled), *label))

    def summary(self) -> CorrectedScore | None:
        """The estimate so far; None where nobody said anything of a turn that people are shown."""
        n = len(self._sample.labels)
        if not n:
            return None
        audited = sum(_STRATA[label.stratum] is Sampled.AUDIT for label in self._sample.labels)
        found = ppi(self._sample)
        if found is None:
            return CorrectedScore(Interval(None), n, audited)
        return CorrectedScore(found.value, n, audited, found.tuning)

    def _predicted(self, turn: Turn) -> float:
        outcome = turn.outcomes.get(self._header.score_by)
        if isinstance(outcome, Score):
            return outcome.value
        failed = outcome is not None and outcome.reason is Gap.TARGET_FAILED
        return self._low if failed else self._middle
