"""Whether a change is proved: the lines of the decision, one after the other."""

from dataclasses import replace

from simulator.core.result import Result
from simulator.improve.decision import (
    DecidingRule,
    Decision,
    Played,
    Proof,
    Proven,
    Veto,
    adjusted,
    decide,
)

PASSED, FAILED, UNDECIDED = Result.PASSED, Result.FAILED, Result.UNDECIDED
FIXED, BROKEN, SAME = (FAILED, PASSED), (PASSED, FAILED), (PASSED, PASSED)
ITSELF = Played("itself", FIXED)


def asked(count: int, results: tuple[Result, Result]) -> list[Played]:
    return [Played(f"q{n}", results, is_unseen=True) for n in range(count)]


def beside(results: tuple[Result, Result], *, must_pass: bool = False) -> Played:
    return Played("other", results, is_chosen=False, is_about=False, must_pass=must_pass)


def decided(*cells: Played, has_more: bool = False) -> Decision:
    return decide(cells, {"itself"}, has_more=has_more)


def test_five_unseen_questions_that_are_answered_better_are_the_fewest_that_accept() -> None:
    five = decided(ITSELF, *asked(5, FIXED))
    assert (Proven.ACCEPTED, DecidingRule.GAIN) == (five.proven, five.why)
    four = decided(ITSELF, *asked(4, FIXED))
    assert (Proven.UNDECIDED, DecidingRule.TOO_FEW, 1) == (four.proven, four.why, four.more)


def test_questions_that_the_proposer_saw_prove_nothing() -> None:
    cells = [replace(cell, is_unseen=False) for cell in asked(20, FIXED)]
    decision = decided(ITSELF, *cells)
    assert (Proven.REJECTED, 0) == (decision.proven, decision.gain.questions)


def test_what_makes_an_answer_wrong_is_rejected_whatever_it_gains() -> None:
    broken = decided(ITSELF, *asked(20, FIXED), beside(BROKEN))
    assert (Proven.REJECTED, (Veto.BREAKS,)) == (broken.proven, broken.vetoes)
    must = decided(ITSELF, *asked(20, FIXED), beside(BROKEN, must_pass=True))
    assert (Veto.MUST_PASS,) == must.vetoes


def test_an_answer_beside_that_nobody_can_read_leaves_it_open() -> None:
    for decision in (
        decided(ITSELF, *asked(8, FIXED), beside((PASSED, UNDECIDED))),
        decided(ITSELF, *asked(8, FIXED), has_more=True),
    ):
        assert (Proven.UNDECIDED, DecidingRule.UNREAD) == (decision.proven, decision.why)


def test_the_question_itself_has_to_be_answered() -> None:
    decision = decided(Played("itself", (FAILED, FAILED)), *asked(8, FIXED))
    assert (Proven.REJECTED, DecidingRule.NO_GAIN) == (decision.proven, decision.why)


def test_each_question_of_the_faults_has_to_be_answered() -> None:
    for results, proven in ((FAILED, Proven.REJECTED), (UNDECIDED, Proven.UNDECIDED)):
        second = Played("second", (FAILED, results))
        decision = decide([ITSELF, second, *asked(8, FIXED)], {"itself", "second"}, has_more=False)
        assert proven is decision.proven


def test_other_questions_stand_for_no_fault() -> None:
    cells = [Played("itself", (FAILED, FAILED), is_chosen=False), *asked(8, FIXED)]
    assert Proven.REJECTED is decide(cells, {"itself"}, has_more=False).proven
    assert Proven.ACCEPTED is decide(cells, {"itself"}, {"q0"}, has_more=False).proven


def test_a_change_that_shows_nowhere_is_rejected() -> None:
    decision = decided(replace(ITSELF, results=(FAILED, FAILED), is_chosen=False))
    assert (Proven.REJECTED, DecidingRule.NOTHING_CHANGED) == (decision.proven, decision.why)


def test_changes_that_are_proved_together_need_more() -> None:
    decision = decided(ITSELF, *asked(5, FIXED))
    proofs = [Proof(f"{n}.diff", decision, ()) for n in range(3)]
    assert {Proven.UNDECIDED} == {proof.decision.proven for proof in adjusted(proofs)}
    [alone] = adjusted(proofs[:1])
    assert Proven.ACCEPTED is alone.decision.proven
