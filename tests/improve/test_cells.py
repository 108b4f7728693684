"""Which cells a proof plays, and which of them were left to chance."""

from simulator.core.plan import Gate
from simulator.core.result import Result
from simulator.core.scenario import Scenario
from simulator.improve.cells import choose
from simulator.improve.decision import Played, decide, gain_of
from simulator.improve.proof import _proof

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
    proof = _proof("a.diff", cells, decide(cells, gain_of(cells), together=1), chosen.others)
    assert (10, 37) == (proof.audited, proof.others)
