"""The judge's health among a run's figures."""

from dataclasses import replace
from typing import Any

from simulator.core.outcome import MetricInfo, Score
from simulator.core.result import Result, Why
from simulator.figures.as_json import run_json
from tests.figures.judged import elements, judged, judged_header, talks
from tests.judging.made import LEXICAL, episode, header, rated, run, turn

WRONG: dict[str, Any] = {"elements_lexical": elements(0, 2)}


def test_a_turn_that_the_judge_took_and_the_facts_do_not_is_among_the_weak_ones() -> None:
    found = run(judged_header(), *talks(judged(5), judged(5, **WRONG))).summary
    assert [("s1", "nothing_said", False)] == [
        (t.cell.scenario, t.against, t.flagged) for t in found.weak
    ]
    assert 0 == found.flagged


def test_json_has_rates_and_warnings() -> None:
    turns = [judged(5, comment=f"It is, {n}.", **WRONG) for n in range(9)]
    found = run_json(run(judged_header(), *talks(*turns)))["judge_health"]
    assert {"halo", "spread", "parroting", "against_facts", "comment_against_score"} <= set(found)
    assert (1.0, 1.0, 0.0) == (found["halo"], found["against_facts"], found["parroting"])
    assert found["in_doubt"] is True
    assert ["ratings and facts disagree on 100% of 9 answers"] == [
        text for text in found["warnings"] if "facts" in text
    ]
    assert 9 == found["intervals"]["against_facts"]["n"]


def test_json_has_null_without_a_judge() -> None:
    head = header(metrics=(LEXICAL,), score_by="lexical")
    found = run_json(run(head, episode(turn(rated(4), metric="lexical"))))
    assert found["judge_health"] is None


def test_what_fails_since_the_judge_is_in_doubt_is_flagged_where_it_failed() -> None:
    turns = [judged(5, comment=f"It is, {n}.", **WRONG) for n in range(9)]
    found = run(judged_header(), *talks(*turns)).summary
    assert (True, 9) == (
        found.judge_health and found.judge_health.in_doubt,
        found.results[Result.FAILED],
    )
    assert 9 == found.flagged == sum(cell.flagged for cell in found.cells.values())
    assert {Why.NEVER_SAID} == {weak.finding.why for weak in found.weak if weak.finding}
    assert 9 == sum(1 + weak.alike for weak in found.weak if weak.flagged)


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
