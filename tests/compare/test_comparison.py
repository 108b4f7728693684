"""Two runs compared: pairs, what moved, what could not be compared, and what is said of it."""

import math
from pathlib import Path
from typing import Any

import pytest

from simulator.core.comparison import Change, Undecided
from simulator.core.outcome import Gap, Unscored
from simulator.core.talk import StopReason
from tests.compare.stored import beside, talk, talks
from tests.execution.scored import GAP, NOT_APPLICABLE, OVERALL, episode, failed, rated, turn

FINE = [5, 4, 5, 4, 5, 4, 5, 4]
BARE: dict[str, Any] = {"thresholds": {}}
WORSE = [3, 2, 4, 2, 3, 3, 4, 2]


def test_conversations_are_paired_by_cell_whatever_their_order(tmp_path: Path) -> None:
    found = beside(tmp_path, talks(*FINE), reversed(talks(*WORSE)))
    score = found.of_score
    assert (8, 8, 8) == (found.paired, score.pairs, score.clusters)
    assert pytest.approx((0.9, 0.575, -0.325)) == (score.before, score.after, score.value.mean)
    assert pytest.approx((4.5, 2.875)) == (score.raw_before, score.raw_after)
    assert (8, 0) == (score.lower, score.higher)


def test_a_fall_everywhere_is_a_regression(tmp_path: Path) -> None:
    found = beside(tmp_path, talks(*FINE), talks(*WORSE))
    assert (Change.REGRESSED, None) == (found.change, found.why)
    assert 2 / 2**8 == found.of_score.p


def test_a_rise_everywhere_is_an_improvement(tmp_path: Path) -> None:
    assert Change.IMPROVED is beside(tmp_path, talks(*WORSE), talks(*FINE)).change


def test_a_little_to_and_fro_is_no_difference_and_it_says_what_could_have_been_seen(
    tmp_path: Path,
) -> None:
    found = beside(tmp_path, talks(5, 4, 5, 4, 5, 4), talks(4, 5, 4, 5, 4, 5))
    assert Change.NO_DIFFERENCE is found.change
    assert found.of_score.noticeable is not None
    assert 0.1 < found.of_score.noticeable < 0.4


def test_too_few_pairs_decide_nothing(tmp_path: Path) -> None:
    found = beside(tmp_path, talks(5, 5, 5, 5, 5), talks(1, 1, 1, 1, 1))
    assert (Change.UNDECIDED, Undecided.FEW) == (found.change, found.why)
    assert Change.REGRESSED is beside(tmp_path, talks(*FINE), talks(*WORSE), alpha=0.01).change
    few = beside(tmp_path, talks(*FINE), talks(*WORSE), alpha=0.001)
    assert Undecided.FEW is few.why


def test_the_worst_drop_comes_first_and_flags_say_what_newly_fails(tmp_path: Path) -> None:
    found = beside(tmp_path, talks(5, 4, 2, 4, 2, 5), talks(3, 1, 4, 4, 1, 4))
    assert [("s1", -0.6), ("s0", -0.4)] == [
        (m.cell.scenario, round(m.change or 0, 2)) for m in found.fell.shown
    ]
    assert ["s2"] == [m.cell.scenario for m in found.rose.shown]
    flips = found.flips
    assert (2, 1, 1, 2, 0) == (
        flips.failing,
        flips.fixed,
        flips.failing_still,
        flips.passing_still,
        flips.unknown,
    )
    assert (1.0, 1.0) == (flips.p, flips.p_mcnemar)


def test_what_newly_fails_is_told_with_both_answers_and_the_reason(tmp_path: Path) -> None:
    before = [talk("s", rated(5, "good"), rated(5, "good"), assistant="It costs 5 euros.")]
    after = [talk("s", rated(4, "fair"), rated(1, "wrong"), assistant="It costs 9 euros.")]
    (moved,) = beside(tmp_path, before, after).fell.shown
    assert (2, "about s", "It costs 5 euros.", False) == (
        moved.before.turn,
        moved.before.user,
        moved.before.assistant,
        moved.before.failed,
    )
    assert ("It costs 9 euros.", True) == (moved.after.assistant, moved.after.failed)
    assert "the last answer's score is below its threshold (overall): wrong" == moved.after.reason
    assert pytest.approx((1.0, 0.5)) == (moved.before.score, moved.after.score)


def test_the_turn_that_decided_the_result_is_told(tmp_path: Path) -> None:
    one = talk("s", rated(1, "early and low"))
    other = talk("s", rated(2, "the last word"), user="and then?")
    after = episode(*one.turns, *other.turns, scenario="s")
    (moved,) = beside(tmp_path, [talk("s", rated(5), rated(5))], [after]).fell.shown
    assert ("and then?", 2) == (moved.after.user, moved.after.turn)


def test_where_both_begin_alike_the_answer_that_made_one_pass_is_told(tmp_path: Path) -> None:
    first = talk("s", rated(1), assistant="Please wait.")
    then = talk("s", rated(5), user="and then?", assistant="It costs 5 euros.")
    after = episode(*first.turns, *then.turns, scenario="s")
    (moved,) = beside(tmp_path, [first], [after]).rose.shown
    assert ("Please wait.", 1) == (moved.before.assistant, moved.before.turn)
    assert ("It costs 5 euros.", 2) == (moved.after.assistant, moved.after.turn)


def test_by_score_a_turn_with_the_same_question_on_both_sides_is_told_rather_than_a_worse_one(
    tmp_path: Path,
) -> None:
    one = talk("s", rated(2, "poor"))
    other = talk("s", rated(1, "worse"), user="and then?")
    after = episode(*one.turns, *other.turns, scenario="s")
    found = beside(tmp_path, [talk("s", rated(5), rated(5))], [after], a=BARE, b=BARE)
    (moved,) = found.fell.shown
    assert ("about s", "poor") == (moved.after.user, moved.after.reason)


def test_cells_of_one_run_only_are_named(tmp_path: Path) -> None:
    found = beside(tmp_path, talks(5, 5, 5), [*talks(5, 5), talk("new", rated(1))])
    assert (2, ("s2/calm/1",), ("new/calm/1",)) == (
        found.paired,
        found.apart.only_before,
        found.apart.only_after,
    )


def test_a_missing_score_is_named_and_never_a_number(tmp_path: Path) -> None:
    after = [talk("s0", GAP), *talks(5, 5, 5, 5, 5, 5, 5)[1:]]
    found = beside(tmp_path, talks(*[5] * 7), after)
    (missing,) = found.apart.unmeasured
    assert ("s0/calm/1", None, "judge_unparsable") == (missing.key, missing.before, missing.after)
    assert (7, 6, 1.0) == (found.paired, found.of_score.pairs, found.of_score.after)
    assert ((0, 1), 1) == (found.gap_turns, found.flips.unknown)
    assert ("", "no JSON") == found.gap_texts
    assert found.bounds is not None
    assert pytest.approx((-0.8 / 7, 0)) == found.bounds


def test_scores_that_are_missing_leave_it_undecided_where_they_decide(tmp_path: Path) -> None:
    hidden = [talk(f"s{n}", GAP) for n in range(6)]
    found = beside(tmp_path, talks(*[5] * 12), [*hidden, *talks(*[5] * 12)[6:]])
    assert (Change.UNDECIDED, Undecided.GAPS) == (found.change, found.why)


def test_a_few_missing_scores_do_not_hide_a_clear_fall(tmp_path: Path) -> None:
    after = [talk("s0", GAP), *talks(*[1] * 12)[1:]]
    assert Change.REGRESSED is beside(tmp_path, talks(*[5] * 12), after).change


def test_a_bot_that_fails_has_regressed_although_nothing_has_a_score(tmp_path: Path) -> None:
    after = [episode(failed(), scenario=f"s{n}") for n in range(8)]
    found = beside(tmp_path, talks(*FINE), after)
    assert (Change.REGRESSED, 0, 8) == (found.change, found.of_score.pairs, found.fell.n)
    assert (None, "bot error: timeout, no answer within 60 s") == (
        found.fell.shown[0].after.score,
        found.fell.shown[0].after.reason,
    )


def test_unsound_users_say_nothing_of_the_bot(tmp_path: Path) -> None:
    after = [
        episode(turn(rated(1)), scenario=f"s{n}", stop=StopReason.USER_INVALID) for n in range(8)
    ]
    found = beside(tmp_path, talks(*FINE), after)
    assert (Undecided.NOTHING, 0, 8) == (found.why, found.fell.n, found.flips.unknown)
    assert "simulator_invalid" == found.apart.unmeasured[0].after


def test_what_does_not_apply_on_either_side_is_counted_apart(tmp_path: Path) -> None:
    odd = [talk("odd", NOT_APPLICABLE)]
    found = beside(tmp_path, [*talks(*FINE), *odd], [*talks(*FINE), *odd])
    assert (1, ()) == (found.apart.not_applicable, found.apart.unmeasured)


def test_other_metrics_are_adjusted_for_being_several_and_the_score_is_not(tmp_path: Path) -> None:
    names = ("overall", "b", "c")
    infos = tuple(type(OVERALL)(name, name) for name in names)

    def many(ratings: list[int]) -> list[object]:
        return [
            episode(turn(rated(r), outcomes={name: rated(r) for name in names}), scenario=f"s{n}")
            for n, r in enumerate(ratings)
        ]

    kept = {"metrics": infos}
    found = beside(tmp_path, many(FINE), many(WORSE), a=kept, b=kept)  # type: ignore[arg-type]
    p = 2 / 2**8
    assert [("overall", p, p), ("b", p, 2 * p), ("c", p, 2 * p)] == [
        (d.info.name, d.p, d.p_adjusted) for d in found.metrics
    ]


def test_repeats_of_a_scenario_do_not_count_as_so_many(tmp_path: Path) -> None:
    def all_of(*ratings: float) -> list[object]:
        return [e for who in ("a", "b", "c") for e in talks(*ratings, persona=who)]

    found = beside(tmp_path, all_of(5, 5, 5, 5, 5), all_of(1, 1, 1, 1, 1))  # type: ignore[arg-type]
    assert (15, 5, Undecided.FEW) == (found.of_score.pairs, found.of_score.clusters, found.why)
    assert (0.0625, True) == (found.flips.p, math.isclose(2 / 2**15, found.flips.p_mcnemar or 0))


def test_without_a_threshold_what_fell_is_listed(tmp_path: Path) -> None:
    found = beside(tmp_path, talks(5, 4, 3), talks(4, 4, 5), a=BARE, b=BARE)
    assert (False, 1, 1) == (found.by_results, found.fell.n, found.rose.n)


def test_flags_are_by_the_same_thresholds_on_both_sides(tmp_path: Path) -> None:
    strict = {"thresholds": {"overall": 0.9}}
    found = beside(tmp_path, talks(4, 4), talks(4, 4), b=strict)
    assert (0, 2) == (found.flips.failing, found.flips.failing_still)
    assert ["overall 0.7 -> 0.9"] == [n for d in found.doubts for n in d.names]


def test_an_unscored_reason_is_the_most_frequent_one(tmp_path: Path) -> None:
    budget = Unscored(Gap.BUDGET)
    after = [talk("s0", GAP, budget, budget), *talks(5, 5)[1:]]
    (missing,) = beside(tmp_path, talks(5, 5), after).apart.unmeasured
    assert "budget" == missing.after
