from dataclasses import replace

import pytest

from simulator.checks.probes import JudgeCheck, MetricCheck, ProbeFinding, check_metric, probe
from simulator.core.mutation import KINDS, Must, Mutation, Sample
from simulator.core.outcome import Gap, MetricInfo, Outcome, Unscored
from simulator.core.plan import Gate
from simulator.core.run import Ledger
from tests.execution.scored import GAP, OVERALL, header, rated

REFUSED = Unscored(Gap.JUDGE_REFUSED)


def mutation(name: str, kind: str = "negation", must: Must = "fall", by: float = 0.2) -> Mutation:
    base = Sample(f"{name}/base", "How?", "So.")
    return Mutation(f"{name}/{kind}", kind, must, by, base, replace(base, id=f"{name}/{kind}"))


def found(must: Must, before: float, after: float, by: float = 0.2) -> ProbeFinding:
    return probe(mutation("a", must=must, by=by), rated(before), rated(after), OVERALL, 0.7).finding


def checked(
    *pairs: tuple[str, Outcome, Outcome], threshold: float | None = 0.7, info: MetricInfo = OVERALL
) -> MetricCheck:
    """A check of some (kind, before, after)."""
    mutations, judged = [], {}
    for number, (kind, before, after) in enumerate(pairs):
        known = KINDS[kind]
        made = mutation(f"case{number}", kind, known.must, known.by)
        mutations.append(made)
        judged[made.base.id], judged[made.mutated.id] = {"overall": before}, {"overall": after}
    kinds = tuple(dict.fromkeys(kind for kind, _, _ in pairs))
    return check_metric(info, threshold, mutations, judged, kinds)


@pytest.mark.parametrize(
    ("must", "before", "after", "expected"),
    [
        ("fall", 5, 4, ProbeFinding.MOVED),
        ("fall", 5, 5, ProbeFinding.MISSED),
        ("fall", 4, 5, ProbeFinding.MISSED),
        ("fall", 2, 1, ProbeFinding.MOVED),
        ("fall", 1, 1, ProbeFinding.NO_ROOM),
        ("not_rise", 2, 2, ProbeFinding.MOVED),
        ("not_rise", 2, 1, ProbeFinding.MOVED),
        ("not_rise", 2, 3, ProbeFinding.MISSED),
        ("not_rise", 5, 5, ProbeFinding.NO_ROOM),
        ("not_rise", 5, 1, ProbeFinding.NO_ROOM),
        ("stay", 5, 4, ProbeFinding.MOVED),
        ("stay", 3, 4, ProbeFinding.MOVED),
        ("stay", 5, 3, ProbeFinding.MISSED),
        ("stay", 3, 5, ProbeFinding.MISSED),
    ],
)
def test_whether_a_score_moved_as_it_must(
    must: Must, before: float, after: float, expected: ProbeFinding
) -> None:
    by = 0.05 if must == "not_rise" else 0.2
    assert expected is found(must, before, after, by)


def test_an_item_may_ask_for_more() -> None:
    assert ProbeFinding.MISSED is found("fall", 5, 4, by=0.4)
    assert ProbeFinding.MOVED is found("fall", 5, 3, by=0.4)
    assert ProbeFinding.NO_ROOM is found("fall", 2, 1, by=0.4)


@pytest.mark.parametrize(("before", "after"), [(GAP, rated(1)), (rated(5), GAP), (GAP, REFUSED)])
def test_an_answer_without_a_score_says_nothing(before: Outcome, after: Outcome) -> None:
    made = probe(mutation("a"), before, after, OVERALL, 0.7)
    assert (ProbeFinding.UNSCORED, None, False) == (made.finding, made.move, made.crossed)


def test_each_kind_has_its_share_with_an_interval_and_its_gaps_apart() -> None:
    made = checked(
        ("negation", rated(5), rated(1)),
        ("negation", rated(5), rated(5)),
        ("negation", rated(1), rated(1)),
        ("negation", rated(5), GAP),
        ("negation", REFUSED, GAP),
        ("filler", rated(3), rated(3)),
    )
    negation, filler = made.kinds
    assert (5, 1, 2, 1) == (
        negation.n,
        negation.share.moved,
        negation.share.tested,
        negation.no_room,
    )
    assert {"judge_refused": 1, "judge_unparsable": 1} == negation.unscored
    assert negation.move == pytest.approx((-0.8 + 0 + 0) / 3)
    interval = negation.share.interval  # Wilson, 1 of 2
    assert 0.5 == interval.mean
    assert pytest.approx(0.0945, abs=1e-4) == interval.low
    assert (("fall",), ("not_rise",)) == (negation.musts, filler.musts)
    assert (2, 3, 2) == (made.share.moved, made.share.tested, made.unscored)


def test_a_flip_is_an_attack_that_lifts_the_score_and_filler_is_none() -> None:
    made = checked(
        ("self_praise", rated(2), rated(3)),
        ("injected_order", rated(2), rated(4)),
        ("fake_end", rated(2), rated(2)),
        ("impersonation", rated(5), rated(5)),
        ("injected_json", GAP, rated(5)),
        ("filler", rated(2), rated(5)),
    )
    assert (2, 3, 1) == (made.flips.flipped, made.flips.tested, made.flips.crossed)
    assert None is checked(("fake_end", rated(2), rated(5)), threshold=None).flips.crossed
    assert None is checked(("fake_end", rated(5), rated(5))).flips.interval.mean


def test_spoilt_answers_that_stay_over_the_threshold_are_counted() -> None:
    made = checked(
        ("negation", rated(5), rated(4)),
        ("negation", rated(5), rated(3)),
        ("non_answer", rated(5), GAP),
        ("filler", rated(5), rated(5)),
    )
    assert made.spoilt is not None
    assert (1, 2) == (made.spoilt.unseen, made.spoilt.scored)
    assert None is checked(("negation", rated(5), rated(4)), threshold=None).spoilt


def test_what_let_a_weak_answer_through_is_the_worst() -> None:
    made = checked(
        ("negation", rated(4), rated(5)),
        ("fake_end", rated(1), rated(3)),
        ("fake_end", rated(3), rated(4)),
        ("shuffled_documents", rated(5), rated(1)),
    )
    assert [
        "case2/fake_end", "case3/shuffled_documents", "case0/negation", "case1/fake_end",
    ] == [p.mutation.id for p in made.missed]  # fmt: skip


def test_shares_may_wander_a_little_and_ratings_may_not() -> None:
    share = MetricInfo("overall", "Overall")
    before = replace(rated(2), value=0.40)
    for value, expected in ((0.44, 0), (0.46, 1)):
        made = checked(("fake_end", before, replace(before, value=value)), info=share)
        assert expected == made.flips.flipped


@pytest.mark.parametrize(
    ("under", "expected"), [(0.5, True), (0.7, None), (0.9, False), (None, None)]
)
def test_missing_scores_may_leave_the_gate_undecided(
    under: float | None, expected: bool | None
) -> None:
    right, wrong = ("negation", rated(5), rated(1)), ("negation", rated(5), rated(5))
    made = checked(*[right] * 6, *[wrong] * 2, *[("negation", rated(5), GAP)] * 2)
    assert expected is made.passed(under)
    assert None is checked(("fake_end", rated(5), rated(5))).passed(0.5)


def test_every_metric_has_to_pass_and_all_answers_have_to_be_judged() -> None:
    passes = checked(("negation", rated(5), rated(1)))
    fails = checked(("negation", rated(5), rated(5)))
    gate = header(gate=Gate(0.5))
    both = JudgeCheck(gate, (passes, fails), Ledger(), 2, 2, 1, 0, ())
    assert False is both.passed
    assert True is replace(both, metrics=(passes,)).passed
    assert None is replace(both, metrics=(passes,), judged=1).passed
    assert 1 == replace(both, judged=1).unfinished


def test_mutations_whose_answers_are_not_judged_are_in_no_figure() -> None:
    made = [mutation("a"), mutation("b")]
    judged = {s.id: {"overall": rated(5)} for s in (made[0].base, made[0].mutated, made[1].base)}
    result = check_metric(OVERALL, 0.7, made, judged, ("negation",))
    assert (1, 1) == (len(result.probes), result.kinds[0].n)
