"""Whether a change is proved: questions asked before it and after it, by rules that are printed.

The gain is tested on questions that the proposer never saw, paired, by the one-sided sign-flip
test (`paired.sign_flip`), with Holm's adjustment over the candidates of one fault, or the changes
that a person has proved together. A change that makes any other answer worse is rejected whatever
it gains.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from simulator.core.result import Result
from simulator.statistics import paired

ALPHA = 0.05
_LEAST = 5  # questions, all better, that are the fewest to be sure
# What is undecided is not proved: to go there from a failure is no gain.
_VALUES: Mapping[Result, float] = {
    Result.PASSED: 1.0,
    Result.FAILED: 0.0,
    Result.UNDECIDED: 0.0,
}


class Proven(StrEnum):
    """What came of a proof."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    UNDECIDED = "undecided"


class Veto(StrEnum):
    """Why a change is rejected whatever it gains."""

    MUST_PASS = "must_pass"  # noqa: S105 - the gate says that its conversation must pass
    BREAKS = "breaks"  # an answer that was right


class DecidingRule(StrEnum):
    """The line that decided, where no veto did."""

    GAIN = "gain"
    NOTHING_CHANGED = "nothing_changed"  # no reply that was looked at
    NO_GAIN = "no_gain"  # on as many questions as could have shown it
    TOO_FEW = "too_few"  # questions that the proposer never saw
    UNREAD = "unread"  # what is answered after it stays undecided
    NOT_SURE = "not_sure"
    ONE_SCENARIO = "one_scenario"  # of code, which answers every question, one was made right


@dataclass(frozen=True, slots=True)
class Played:
    """One question before and after a change.

    `is_unseen`: it was not before the proposer. `is_chosen`: the change shows in its answer.
    `is_about`: the change is for such questions.
    """

    scenario: str
    results: tuple[Result, Result]
    is_unseen: bool = False
    is_chosen: bool = True
    is_about: bool = True
    must_pass: bool = False

    @property
    def newly_fails(self) -> bool:
        """Whether it passed before and fails after."""
        return self.results == (Result.PASSED, Result.FAILED)

    @property
    def newly_passes(self) -> bool:
        """The opposite."""
        return self.results == (Result.FAILED, Result.PASSED)

    @property
    def is_missed(self) -> bool:
        """Whether it can become better."""
        return self.results[0] in (Result.FAILED, Result.UNDECIDED)

    @property
    def gain(self) -> float | None:
        """After minus before, -1 to 1; None where either was not checked."""
        before, after = (_VALUES.get(result) for result in self.results)
        return None if before is None or after is None else after - before


@dataclass(frozen=True, slots=True)
class Gain:
    """What unseen questions say that the change reaches: `better` and `worse` count questions.

    `missed`: those that it is for and that not everybody had answered before. `p` is
    one-sided (better), None where none was asked; `adjusted` is Holm's.
    """

    questions: int
    missed: int
    better: int
    worse: int
    mean: float | None
    p: float | None
    adjusted: float | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """What came of a proof, and why. `more`: other questions, all better, that would accept it."""

    proven: Proven
    why: DecidingRule | None
    gain: Gain
    vetoes: tuple[Veto, ...] = ()
    more: int | None = None


@dataclass(frozen=True, slots=True)
class Proof:
    """What came of proving one change."""

    name: str
    decision: Decision
    cells: tuple[Played, ...]

    @property
    def newly_failing(self) -> tuple[Played, ...]:
        """The questions that newly fail."""
        return tuple(cell for cell in self.cells if cell.newly_fails)

    @property
    def newly_passing(self) -> tuple[Played, ...]:
        """The questions that newly pass."""
        return tuple(cell for cell in self.cells if cell.newly_passes)


def gain_of(cells: Sequence[Played]) -> Gain:
    """What the unseen questions say, before it is adjusted."""
    gains = [(c.gain, c.scenario) for c in cells if c.is_unseen and c.is_chosen]
    known = [(gain, scenario) for gain, scenario in gains if gain is not None]
    clusters = paired.by_cluster([gain for gain, _ in known], [name for _, name in known])
    sums = clusters.sums
    mean = sum(gain for gain, _ in known) / len(known) if known else None
    p = _one_sided(paired.sign_flip(clusters).p, mean or 0.0) if known else None
    missed = {c.scenario for c in cells if c.is_unseen and c.is_about and c.is_missed}
    better, worse = sum(s > 0 for s in sums), sum(s < 0 for s in sums)
    return Gain(len(sums), len(missed), better, worse, mean, p)


def decide(
    cells: Sequence[Played],
    itself: Collection[str],
    others: Collection[str] = (),
    *,
    has_more: bool,
) -> Decision:
    """What is to be said of one change.

    `itself`: the questions of the faults; each has to be answered right. `others`: what a person
    wrote for a change that is for none of the faults; one of all these has to be answered right.
    `has_more`: the change says more than people affirmed, so that one has to read it.
    """
    gain = gain_of(cells)
    gain = replace(gain, adjusted=gain.p)
    about = [cell for cell in cells if cell.is_about]
    beside = [cell for cell in cells if not cell.is_about]
    if any(cell.newly_fails and cell.must_pass for cell in beside):
        return Decision(Proven.REJECTED, None, gain, (Veto.MUST_PASS,))
    if any(cell.newly_fails for cell in cells):
        return Decision(Proven.REJECTED, None, gain, (Veto.BREAKS,))
    if not any(cell.is_chosen for cell in about):
        return Decision(Proven.REJECTED, DecidingRule.NOTHING_CHANGED, gain)
    is_open = any(cell.results[1] is Result.UNDECIDED for cell in beside) or has_more
    results = {c.results[1] for c in about if c.scenario in itself or c.scenario in others}
    is_answered = Result.PASSED in results if others else results == {Result.PASSED}
    still_fails = results == {Result.FAILED} if others else Result.FAILED in results
    is_sure = gain.p is not None and gain.p <= ALPHA and not gain.worse and (gain.mean or 0) > 0
    if is_answered and is_sure and not is_open:
        return Decision(Proven.ACCEPTED, DecidingRule.GAIN, gain)
    is_unread = any(cell.results[1] is Result.UNDECIDED and cell.is_chosen for cell in about)
    if still_fails or not (is_unread or is_open or gain.better):
        return Decision(Proven.REJECTED, DecidingRule.NO_GAIN, gain)
    why = DecidingRule.UNREAD if is_unread or is_open else DecidingRule.TOO_FEW
    return Decision(Proven.UNDECIDED, why, gain, more=max(1, _LEAST - gain.better))


def adjusted(proofs: Sequence[Proof]) -> list[Proof]:
    """The same with Holm's adjustment over those that have a p."""
    ps = iter(paired.holm([p for proof in proofs if (p := proof.decision.gain.p) is not None]))
    return [
        proof if proof.decision.gain.p is None else _adjusted(proof, next(ps)) for proof in proofs
    ]


def _adjusted(proof: Proof, p: float) -> Proof:
    decision = proof.decision
    decision = replace(decision, gain=replace(decision.gain, adjusted=p))
    if decision.proven is Proven.ACCEPTED and p > ALPHA:
        decision = replace(decision, proven=Proven.UNDECIDED, why=DecidingRule.NOT_SURE, more=1)
    return replace(proof, decision=decision)


def _one_sided(p: float, gain: float) -> float:
    """What a two-sided p is for *better*; harm has lines of its own."""
    return p / 2 if gain > 0 else 1 - p / 2
