"""The judge's health among a run's figures."""

from dataclasses import replace
from typing import Any

from simulator.console.output import as_json
from simulator.core.claim import State
from simulator.core.outcome import MetricInfo, Score
from simulator.core.result import Result, Why
from simulator.view.run_json import run_json
from tests.execution.scored import LEXICAL, episode, header, rated, run, turn
from tests.view.judged import judged, judged_header, talks

LENIENT: dict[str, Any] = {"words": State.VIOLATED, "model": State.MET}
GOOD: dict[str, Any] = {"words": State.MET, "model": State.MET}


def test_a_turn_that_the_judge_reads_otherwise_than_words_prove_is_among_the_weak_ones() -> None:
    found = run(judged_header(), *talks(judged(5), judged(5, **LENIENT))).summary
    assert [("s1", "lenient", False)] == [
        (t.cell.scenario, t.against, t.flagged) for t in found.weak
    ]
    assert 0 == found.flagged


def test_json_has_rates_and_warnings() -> None:
    turns = [judged(5, comment=f"It is, {n}.", **LENIENT) for n in range(9)]
    found = as_json(run_json(run(judged_header(), *talks(*turns))))["judge_health"]
    assert {"halo", "spread", "parroting", "against_facts", "comment_against_score"} <= set(found)
    assert (1.0, 1.0, 0.0) == (found["halo"], found["against_facts"], found["parroting"])
    assert found["in_doubt"] is True
    assert ["text matching finds 100% of 9 claims contradicted that the judge calls “met”"] == [
        text for text in found["warnings"] if "claims" in text
    ]
    assert 9 == found["intervals"]["against_facts"]["n"]


def test_json_has_null_without_a_judge() -> None:
    head = header(metrics=(LEXICAL,), score_by="lexical")
    found = run_json(run(head, episode(turn(rated(4), metric="lexical"))))
    assert found.judge_health is None


def test_a_judge_that_takes_what_words_disprove_passes_nothing_by_it() -> None:
    turns = [judged(5, comment=f"It is, {n}.", **LENIENT) for n in range(9)]
    found = run(judged_header(), *talks(*turns)).summary
    assert found.judge_health is not None
    assert found.judge_health.in_doubt
    assert (9, {"at_odds": 9}) == (found.results[Result.UNDECIDED], found.results.whys)
    assert 0 == found.flagged
    assert {Why.AT_ODDS} == {weak.finding.why for weak in found.undecided if weak.finding}


def test_what_a_judge_in_doubt_alone_would_decide_is_undecided() -> None:
    rated_alone = [judged(5, comment=f"All of it, {n}.") for n in range(3)]
    lenient = [judged(5, comment=f"It is, {n}.", **LENIENT) for n in range(9)]
    found = run(judged_header(), *talks(*lenient, *rated_alone)).summary
    assert {"at_odds": 9, "judge_in_doubt": 3} == found.results.whys
    trusted = run(judged_header(), *talks(*rated_alone)).summary
    assert {"scored_well": 3} == trusted.results.whys


def test_what_another_metric_fails_stays_failed_where_the_judge_is_in_doubt() -> None:
    limited = replace(
        judged_header(),
        metrics=(*judged_header().metrics, MetricInfo("rouge_l", "ROUGE-L")),
        thresholds={"overall": 0.7, "rouge_l": 0.5},
    )
    turns = [judged(3, comment=f"It is, {n}.", rouge_l=Score(0.1, 0.1)) for n in range(9)]
    found = run(limited, *talks(*turns)).summary
    assert (True, 9) == (
        found.judge_health and found.judge_health.in_doubt,
        found.results[Result.FAILED],
    )
    assert {("rouge_l", Why.SCORED_LOW)} == {
        (weak.finding.metric, weak.finding.why) for weak in found.weak if weak.finding
    }
