"""What `--fail-on` asks of a comparison, and what comes of it: an exit status, and why."""

import re
import shlex
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from simulator.compare.headers import INSTRUMENT_DOUBTS
from simulator.config import store_url
from simulator.core.clean import visible
from simulator.core.comparison import (
    CellChange,
    Change,
    Comparison,
    Replayed,
    Undecided,
    WorseCell,
)
from simulator.core.errors import InputError
from simulator.core.plan import Gate
from simulator.core.run import NOBODY
from simulator.statistics.sequential import Sprt, surely_broken
from simulator.store.engine import without_password
from simulator.view.summary import DONE, FAILED, INCOMPLETE
from simulator.words import counted

_NAMED = 5
_NEWLY: Literal["newly-failing"] = "newly-failing"
_AGAIN = 10  # plays that tell most of what they can
_WHY = {
    Undecided.FEW: "there are too few pairs of conversations",
    Undecided.GAPS: "it depends on the scores that are missing",
    Undecided.YARDSTICK: "the two runs were not scored by the same judge, rubrics or guidelines",
}


@dataclass(frozen=True, slots=True)
class FailOn:
    """What fails a comparison; `least`: so many cells that newly fail, or got worse, do."""

    what: Literal["worse", "newly-failing", "regression", "must-pass"]
    least: int = 1

    @classmethod
    def of(cls, text: str) -> "FailOn":
        """What was typed.

        Raises:
            ValueError: it is none of them.
        """
        if text in ("regression", "must-pass"):
            return cls("regression" if text == "regression" else "must-pass")
        match = re.fullmatch(r"(worse|newly-failing)(?:=0*([1-9][0-9]{0,8}))?", text, re.ASCII)
        if match is None:
            raise ValueError(
                f"{text!r} is not worse, worse=N, newly-failing, newly-failing=N, regression, "
                "must-pass"
            )
        what: Literal["worse", "newly-failing"] = "worse" if match[1] == "worse" else _NEWLY
        return cls(what, int(match[2] or 1))

    def check(self, gate: Gate | None) -> None:
        """Refuse `must-pass` where nothing must.

        Raises:
            InputError: the client names nothing.
        """
        if self.what == "must-pass" and not (gate and gate.must_pass):
            raise InputError(
                "--fail-on must-pass: the client has no must-pass scenarios; add "
                "`gate: {must_pass: [tags or ids of scenarios]}` to client.yaml"
            )


@dataclass(frozen=True, slots=True)
class Conclusion:
    """An exit status (0, 1 or 3), and what keeps it from 0."""

    status: int
    lines: tuple[str, ...] = ()


def conclusion(comparison: Comparison, rule: FailOn | None, store: str | None = None) -> Conclusion:
    """What comes of a comparison; with nothing asked for, only whether there was one.

    Args:
        comparison: of two runs.
        rule: what fails it.
        store: where the runs are; commands that are printed name it if it is not the default.

    Raises:
        InputError: nothing must pass, and that was asked for.
    """
    if comparison.why is Undecided.NOTHING and not comparison.flips.known:
        line = "nothing to compare: no conversation has a score or a result in both runs"
        return Conclusion(INCOMPLETE, (line,))
    if rule is None:
        return Conclusion(DONE)
    rule.check(comparison.after.gate)
    if rule.what == "regression":
        return _regression(comparison)
    if not comparison.flips.known:
        return Conclusion(INCOMPLETE, ("no conversation has a result in both runs",))
    if rule.what == "must-pass":
        result = _must_pass(comparison, store)
    elif rule.what == "worse":
        result = _worse(comparison, rule, store)
    else:
        result = _failing(comparison, rule, store)
    if result.status and INSTRUMENT_DOUBTS.intersection(d.doubt for d in comparison.doubts):
        line = f"new failures are undecided: {_WHY[Undecided.YARDSTICK]}"
        return Conclusion(INCOMPLETE, (*result.lines, line))
    return result


def _regression(comparison: Comparison) -> Conclusion:
    score, before = comparison.score, comparison.before.id
    if comparison.change is Change.UNDECIDED:
        why = _WHY.get(comparison.why or Undecided.FEW, "no conversation has a score in both runs")
        return Conclusion(INCOMPLETE, (f"whether {score} regressed is undecided: {why}",))
    if comparison.change is Change.REGRESSED:
        return Conclusion(FAILED, (f"{score} regressed since run {before}",))
    return Conclusion(DONE)


def _failing(comparison: Comparison, rule: FailOn, store: str | None) -> Conclusion:
    """As a gate: it holds only if it holds whatever the undecided would have been."""
    before, burn_in = comparison.before.id, comparison.states.burn_in
    failing, noise = comparison.newly_failing, comparison.states.noise
    left_open = [cell for cell in comparison.cells.left_open if cell.name not in noise]
    names = {cell.name for cell in failing}
    n = len(failing)
    sure = n if burn_in is None else _surely_worse(comparison, names)
    if sure >= rule.least:
        line = f"new failures since run {before}: {_counted(failing)}"
        return Conclusion(FAILED, (line,))
    if n + len(left_open) >= rule.least:
        least = f"whether {rule.least} newly {'fails' if rule.least == 1 else 'fail'}"
        line = f"{least} is undecided: {n} newly {'fails' if n == 1 else 'fail'}"
        if left_open:
            line += f"; passed in run {before}, undecided now: {_counted(left_open)}"
        unsure = [cell for cell in comparison.states.worse if cell.name in names]
        why = _why_unsure(comparison, unsure, store) if sure < n else ()
        return Conclusion(INCOMPLETE, (line, *why))
    return Conclusion(DONE)


def _worse(comparison: Comparison, rule: FailOn, store: str | None) -> Conclusion:
    """What got worse, unless playing it again says that it was noise.

    It fails if that is so much for sure; what nobody played again is sure where the bot shows no
    noise, or where so much is more than chance.
    """
    states, before = comparison.states, comparison.before.id
    cells = states.lasting
    if len(cells) < rule.least:
        return Conclusion(DONE)
    worse = f"worse since run {before}: {_counted(cells)}"
    if _surely_worse(comparison, {cell.name for cell in cells}) >= rule.least:
        return Conclusion(FAILED, (worse,))
    return Conclusion(INCOMPLETE, (worse, *_why_unsure(comparison, cells, store)))


def _surely_worse(comparison: Comparison, names: Set[str]) -> int:
    """How many of the cells of these names got worse for sure, at 95 %."""
    states, burn_in = comparison.states, comparison.states.burn_in
    if not states.changed_beside:
        return len(names)  # nothing but they was answered differently: no noise
    if burn_in is None:
        return len(names) if _is_more_than_chance(comparison) else 0
    of_names = [cell.replays for cell in states.worse if cell.name in names and cell.replays]
    broken = [replays for replays in of_names if replays.replayed is Replayed.BROKEN]
    steady = sum(replays.steady for replays in broken)
    test = Sprt(max(1, burn_in.cells), burn_in.most)
    return surely_broken(test, steady, len(broken) - steady, burn_in.lucky)


def _is_more_than_chance(comparison: Comparison) -> bool:
    """Whether more newly fails than repeats, runs of the same bot or the test allow for."""
    flips, chance = comparison.flips, comparison.chance
    if chance is not None:
        return flips.failing > chance.failing.high
    return flips.failing > flips.fixed and flips.p is not None and flips.p <= comparison.alpha


def _why_unsure(
    comparison: Comparison, cells: Sequence[WorseCell], store: str | None
) -> Iterator[str]:
    """Why nobody can say whether they got worse, and what would tell."""
    states, burn_in, after = comparison.states, comparison.states.burn_in, comparison.after
    if burn_in is None:
        others = counted(states.changed_beside, "other conversation")
        yield f"can't tell this from noise: {others} changed as well"
        if after.kind == "run":
            again = f"--fail-on worse --rerun-newly-failing {_AGAIN}{_kept(store)}"
            yield f"to find out, rerun:  mogi run --resume {after.id} {again}"
        return
    left_open = sum(c.replays is None or c.replays.replayed is Replayed.OPEN for c in cells)
    if left_open:
        yield f"undecided after {burn_in.most} more reruns each: {counted(left_open, 'case')}"
    if left_open < len(cells):
        yield (
            "these conversations rarely passed before, so this may be chance: "
            "to find out, use --repeat 4, or three more earlier runs"
        )


def _must_pass(comparison: Comparison, store: str | None) -> Conclusion:
    """What was held several times and failed decides; once may be chance."""
    noise, broken = comparison.states.noise, _broken(comparison)
    failing = [cell for cell in comparison.newly_failing if cell.must_pass]
    open_now = comparison.cells.left_open
    left_open = [cell for cell in open_now if cell.must_pass and cell.name not in noise]
    sure = [c for c in failing if c.after.passed + c.after.failed > 1 or c.name in broken]
    once = [cell for cell in failing if cell not in sure]
    before = comparison.before.id
    lines = []
    if sure:
        lines.append(f"must-pass, new failures since run {before}: {_counted(sure)}")
    if once:
        lines += _repeat(comparison, once, store)
    if left_open:
        lines.append(f"must pass, but are undecided now: {_counted(left_open)}")
    return Conclusion(FAILED if sure else INCOMPLETE if lines else DONE, tuple(lines))


def _broken(comparison: Comparison) -> set[str]:
    """The names of the cells of which playing them again says so."""
    worse = comparison.states.worse
    return {c.name for c in worse if c.replays and c.replays.replayed is Replayed.BROKEN}


def _repeat(comparison: Comparison, once: Sequence[CellChange], store: str | None) -> Iterator[str]:
    """How to find out whether it is chance."""
    before, after = comparison.before, comparison.after
    yield f"must pass, but newly failed once since run {before.id}: {_counted(once)}"
    if after.kind != "run":
        return
    scenarios, personas = ({c.scenario for c in once}, {c.persona for c in once})
    only = [f"--scenario {shlex.quote(visible(name))}" for name in sorted(scenarios)]
    if len(personas) <= _NAMED:
        only += [f"--persona {shlex.quote(visible(name))}" for name in sorted(personas)]
    # As `mogi run` finds it: by its name among `scenarios`, or else by its folder.
    client = after.client if Path(after.folder).parent.name == "scenarios" else after.folder
    kept = _kept(store)
    again = f"mogi run {shlex.quote(visible(client))} {' '.join(only)} --repeat 3{kept}"
    yield f"one failure may be chance; to repeat it:  {again}"
    yield f"and then:  mogi compare {before.id} latest --fail-on must-pass{kept}"


def _kept(store: str | None) -> str:
    """The option that names where the runs are, if that is not the default."""
    if store is None or store == store_url():
        return ""
    return f" --store {shlex.quote(visible(without_password(store)))}"


def _counted(cells: Sequence[CellChange | WorseCell]) -> str:
    named = ", ".join(visible(c.name.removesuffix(f"/{NOBODY}")) for c in cells[:_NAMED])
    return f"{counted(len(cells), 'case')} ({named}{', …' if cells[_NAMED:] else ''})"
