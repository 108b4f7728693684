"""The judge's health among a run's figures."""

from typing import Any

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
