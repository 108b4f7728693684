"""Which cells a proof plays, and which of them were left to chance."""

from typing import Any, cast

from simulator.core.plan import Gate
from simulator.core.result import Result
from simulator.core.scenario import Scenario
from simulator.improve.cells import choose, turns_of_all
from simulator.improve.decision import Played, decide, gain_of
from simulator.improve.proof import Change, _proof, _Trial

SCENARIOS = {f"s{n}": Scenario(f"s{n}", f"question {n}?") for n in range(40)}


def test_only_what_was_drawn_at_random_says_how_much_escapes() -> None:
    """Those that must pass are all played, so they are no sample of anything."""
    gate = Gate(must_pass=("s0", "s1"))
    chosen = choose(SCENARIOS, ("calm",), {"s0", "s2"}, {"s2"}, gate, "seed")
    assert {("s0", "calm"), ("s2", "calm")} == chosen.reached
    assert {("s1", "calm")} == chosen.bound
    assert (37, 10) == (chosen.others, len(chosen.audited))
    assert 13 == len(chosen.cells)
    cells = [
        Played(
            *name,
            (Result.PASSED, Result.PASSED),
            is_chosen=name in chosen.reached,
            must_pass=name[0] in gate.must_pass,
        )
        for name in sorted(chosen.cells)
    ]
    cells.pop()  # its user was given up on
    trial = _Trial(Change("a.diff", cast("Any", None), frozenset()), cast("Any", None), chosen, {})
    proof = _proof(trial, cells, decide(cells, gain_of(cells), together=1))
    assert 1 == proof.lost
    assert (10, 37) == (proof.audited + proof.lost, proof.others)


def test_a_whole_grid_is_counted_by_what_was_played_of_each_kind() -> None:
    chosen = choose(SCENARIOS, ("calm",), {"s1", "s2"}, (), Gate(must_pass=("s0",)), "seed")
    played = dict.fromkeys(chosen.audited, 1) | {("s1", "calm"): 3, ("s2", "calm"): 5}
    assert 2 * 4 + 37 * 1 + (8 + 10) / 12 == turns_of_all(chosen, played)
