"""Whether a change is proved: cells played before and after it, by rules that are printed.

The gain is tested on questions that the proposer never saw, paired by scenario (one question asked
by several personas is one), by the one-sided sign-flip test (`paired.sign_flip`), with Holm's
adjustment over the changes that are proved together. A change that does harm anywhere is rejected
whatever it gains: a must-pass cell that newly fails and does so again, more answers to what has
none, more that no document bears out, more wrong refusals than chance explains, or no fewer
conversations broken than mended.

A cell that passes after the change can only be as good as before or better, so that it is played
before the change only while the decision hangs on it (`wanted`): without it p is too high, never
too low, and what was mended is too few.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import groupby

from simulator.core.result import Result
from simulator.results.verdict import Fault
from simulator.statistics import paired
from simulator.statistics.intervals import wilson

ALPHA = 0.05
HARMS = (Fault.SHOULD_HAVE_REFUSED, Fault.UNSUPPORTED, Fault.WRONG_REFUSAL)
# What is undecided is not proved: to go there from a failure is no gain.
_VALUES: Mapping[Result | None, float] = {
    Result.PASSED: 1.0,
    Result.FAILED: 0.0,
    Result.UNDECIDED: 0.0,
}
_MOST_QUESTIONS = 200  # further questions that are thought of


class Proven(StrEnum):
    """What came of a proof."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    UNDECIDED = "undecided"


class Veto(StrEnum):
    """Why a change is rejected whatever it gains."""

    MUST_PASS = "must_pass"  # noqa: S105 - the gate says that its conversation must pass
    HARM = "harm"
    BREAKS = "breaks"  # no fewer conversations than it mends


class DecidingRule(StrEnum):
    """The line that decided, where no veto did."""

    GAIN = "gain"
    NOTHING_CHANGED = "nothing_changed"  # no reply that was looked at
    NO_GAIN = "no_gain"  # on as many questions as could have shown it
    TOO_FEW = "too_few"  # questions that the proposer never saw
    UNREAD = "unread"  # what is answered after it stays undecided
    NOT_SURE = "not_sure"


@dataclass(frozen=True, slots=True)
class Played:
    """One cell before and after a change; `blames` are those of the turns that show why.

    The result before is None where it was not played, since it cannot be worse after.
    `is_unseen`: its question was not before the proposer. `is_chosen`: the change was seen to reach
    it; others are audited. `is_about`: the change is for such questions. `again`: the same from a
    second play, where it newly failed, or newly did harm, in the first.
    """

    scenario: str
    persona: str
    results: tuple[Result | None, Result]
    blames: tuple[str, str] = ("", "")
    is_unseen: bool = False
    is_chosen: bool = True
    is_about: bool = True
    must_pass: bool = False
    again: "Played | None" = None

    @property
    def newly_fails(self) -> bool:
        """Whether it passed before and fails after."""
        return self.results == (Result.PASSED, Result.FAILED)

    @property
    def newly_passes(self) -> bool:
        """The opposite."""
        return self.results == (Result.FAILED, Result.PASSED)

    @property
    def is_confirmed(self) -> bool:
        """Whether it newly fails, and did so again."""
        return self.newly_fails and self.again is not None and self.again.newly_fails

    @property
    def is_doubtful(self) -> bool:
        """Whether a second play has to say if this was chance."""
        return self.newly_fails or any(_moved(self, harm) == (False, True) for harm in HARMS)

    @property
    def is_missed(self) -> bool:
        """Whether it can become better."""
        return self.results[0] in (Result.FAILED, Result.UNDECIDED)

    @property
    def gain(self) -> float | None:
        """After minus before, -1 to 1; None where either was not checked, or not played."""
        before, after = (_VALUES.get(result) for result in self.results)
        return None if before is None or after is None else after - before

    def has(self, harm: str) -> tuple[bool, bool]:
        """Whether it failed by this fault, before and after."""
        both = zip(self.results, self.blames, strict=True)
        before, after = (result is Result.FAILED and blame == harm for result, blame in both)
        return before, after


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
    harms: tuple[str, ...] = ()
    more: int | None = None


@dataclass(frozen=True, slots=True)
class Proof:
    """What came of proving one change. `escaped` of `audited` cells changed unforeseen.

    `escape_high` is the upper end of the 95 % interval (Wilson) of that share; None: none was
    audited. `harms` are conversations by blame, before and after. Of `lost` cells nothing is known:
    their user was given up on, before or after.
    """

    name: str
    decision: Decision
    cells: tuple[Played, ...]
    audited: int
    escaped: int
    others: int
    lost: int = 0

    @property
    def escape_high(self) -> float | None:
        """See above."""
        return wilson(self.escaped, self.audited).high if self.audited else None

    @property
    def harms(self) -> dict[str, tuple[int, int]]:
        """See above."""
        return harms_of(self.cells)

    @property
    def newly_failing(self) -> tuple[Played, ...]:
        """The cells that newly fail."""
        return tuple(cell for cell in self.cells if cell.newly_fails)

    @property
    def newly_passing(self) -> tuple[Played, ...]:
        """The cells that newly pass."""
        return tuple(cell for cell in self.cells if cell.newly_passes)

    @property
    def after_only(self) -> int:
        """How many cells pass after and were not played before: no decision hangs on them."""
        return sum(cell.results == (None, Result.PASSED) for cell in self.cells)


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


def harms_of(cells: Sequence[Played]) -> dict[str, tuple[int, int]]:
    """Conversations that failed by what harms users, before and after."""
    counts: dict[str, tuple[int, int]] = {}
    for harm in HARMS:
        had = [cell.has(harm) for cell in cells]
        counts[harm.value] = (sum(a for a, _ in had), sum(b for _, b in had))
    return counts


def decide(cells: Sequence[Played], gain: Gain, *, together: int) -> Decision:
    """What is to be said of one change of `together` that are proved at once.

    `gain` is adjusted already.
    """
    vetoes, harms = _vetoes(cells)
    if vetoes:
        return Decision(Proven.REJECTED, None, gain, vetoes, harms)
    if not any(cell.is_chosen for cell in cells):
        return Decision(Proven.REJECTED, DecidingRule.NOTHING_CHANGED, gain)
    sure = gain.adjusted is not None and gain.adjusted <= ALPHA
    if sure and (gain.mean or 0) > 0:
        return Decision(Proven.ACCEPTED, DecidingRule.GAIN, gain)
    least, unread = _least(0, together), _unread(cells)
    if gain.missed - unread >= least and gain.better <= gain.worse:
        return Decision(Proven.REJECTED, DecidingRule.NO_GAIN, gain)
    enough = DecidingRule.UNREAD if gain.missed - unread < least else DecidingRule.NOT_SURE
    why = DecidingRule.TOO_FEW if gain.missed < least else enough
    more = max(1, _least(gain.worse, together) - gain.better)
    return Decision(Proven.UNDECIDED, why, gain, more=more)


def _unread(cells: Sequence[Played]) -> int:
    """How many of the questions that were missed are undecided after the change."""
    missed = (c for c in cells if c.is_unseen and c.is_about and c.is_missed)
    return len({c.scenario for c in missed if c.results[1] is Result.UNDECIDED})


def wanted(cells: Sequence[Played], decision: Decision) -> list[Played]:
    """What is to be played before the change next, for this decision to be that on all cells.

    None, if it is that already. One cell of each question, as long as the gain is not sure; all of
    them, where a veto might be lifted by what was mended.
    """
    unknown = [cell for cell in cells if cell.results[0] is None]
    if decision.proven is Proven.ACCEPTED or decision.vetoes == (Veto.MUST_PASS,):
        return []
    if decision.vetoes:
        return unknown
    open_cells = sorted(
        (cell for cell in unknown if cell.is_unseen and cell.is_chosen),
        key=lambda cell: (cell.scenario, cell.persona),
    )
    groups = [list(found) for _, found in groupby(open_cells, lambda cell: cell.scenario)]
    return [group[number % len(group)] for number, group in enumerate(groups)]


def adjusted(gains: Sequence[Gain]) -> list[Gain]:
    """The same with Holm's adjustment over those that have a p."""
    ps = iter(paired.holm([gain.p for gain in gains if gain.p is not None]))
    return [replace(g, adjusted=None if g.p is None else next(ps)) for g in gains]


def _one_sided(p: float, gain: float) -> float:
    """What a two-sided p is for *better*; harm has lines of its own."""
    return p / 2 if gain > 0 else 1 - p / 2


def _least(worse: int, together: int) -> int:
    """How many questions have to be better where `worse` are worse, to be sure at Holm's worst."""
    for better in range(1, _MOST_QUESTIONS):
        p = _one_sided(paired.mcnemar(worse, better), better - worse)
        if p <= ALPHA / together:
            return better
    return _MOST_QUESTIONS


def _vetoes(cells: Sequence[Played]) -> tuple[tuple[Veto, ...], tuple[str, ...]]:
    vetoes = []
    if any(cell.must_pass and cell.is_confirmed for cell in cells):
        vetoes.append(Veto.MUST_PASS)
    harms = tuple(harm.value for harm in HARMS if _rises(cells, harm))
    if harms:
        vetoes.append(Veto.HARM)
    broken = sum(cell.is_confirmed for cell in cells)
    if broken and broken >= sum(cell.newly_passes for cell in cells):
        vetoes.append(Veto.BREAKS)
    return tuple(vetoes), harms


def _rises(cells: Sequence[Played], harm: str) -> bool:
    """Whether more conversations fail by it than before, beyond what chance explains.

    Where every second play said the same, the bot varies by nothing but the change.
    """
    steady = [cell for cell in cells if not _wavers(cell)]
    moved = Counter(_moved(cell, harm) for cell in steady)
    new, gone = moved[False, True], moved[True, False]
    if new <= gone:
        return False
    return len(steady) == len(cells) or paired.mcnemar(gone, new) <= ALPHA


def _moved(cell: Played, harm: str) -> tuple[bool, bool]:
    """Whether it does this harm, before and after.

    Who refused for want of an entry, and refuses now beside one, does no more harm than before.
    """
    before, after = cell.has(harm)
    if harm == Fault.WRONG_REFUSAL and cell.results == (Result.FAILED, Result.FAILED):
        return after, after
    return before, after


def _wavers(cell: Played) -> bool:
    """Whether a second play says otherwise of what newly failed, or newly did harm."""
    if cell.again is None:
        return False
    again = cell.again
    fails = cell.newly_fails and not again.newly_fails
    return fails or any(
        _moved(cell, harm) == (False, True) != _moved(again, harm) for harm in HARMS
    )
