"""The corrected score beside the raw one, on the screen and in JSON."""

from dataclasses import replace
from typing import Any

from simulator.console.output import as_json
from simulator.core.outcome import Interval
from simulator.core.run import Run
from simulator.core.verdict import Audit, CorrectedScore, PlannedAnswer, ReviewPlan, Sampled
from simulator.view.run_json import run_json
from tests.execution.scored import episode, header, rated, run, turn
from tests.reports.printed import Printed

KNOWN = CorrectedScore(Interval(0.64, 0.55, 0.73), 77, 21, 0.6)
FEW = CorrectedScore(Interval(None), 12, 7)


def with_corrected(found: CorrectedScore | None, language: str = "en") -> Run:
    made = run(header(language=language), episode(turn(rated(4))))
    return replace(made, summary=replace(made.summary, corrected=found))


def sized(
    found: CorrectedScore, flagged: int, turns: int, language: str = "en", **head: Any
) -> Run:
    made = with_corrected(found, language)
    summary = replace(made.summary, flagged=flagged, turns=turns)
    return replace(made, header=replace(made.header, **head), summary=summary)


def test_it_stands_below_the_score_with_its_interval(printed: Printed) -> None:
    lines = printed(with_corrected(KNOWN), 100).splitlines()
    at = next(n for n, line in enumerate(lines) if line.startswith("Score "))
    score, corrected, why = lines[at : at + 3]
    assert "0.80" in score
    assert "Corrected  0.64   95% CI 0.55–0.73" == corrected
    assert (
        "from 77 verdicts (21 randomly sampled): share of answers that reviewers would call OK"
        == why.strip()
    )


def test_in_japanese_too(printed: Printed) -> None:
    shown = printed(with_corrected(KNOWN, "ja"), 80)
    assert "補正後のスコア  0.64   95 % 信頼区間 0.55〜0.73\n" in shown
    assert "人が OK とする回答の割合の推定（判定 77 件、うち抜き取り 21 件）" in shown


def test_too_few_verdicts_say_how_many_it_takes(printed: Printed) -> None:
    shown = printed(sized(FEW, 64, 154), 200)
    assert (
        "5 of 64 flagged turns have a verdict, but 20 are needed; 7 of 90 unflagged turns" in shown
    )
    assert "but 20 are needed: run with --audit 0.32 for a large enough sample" in shown
    japanese = "".join(printed(sized(FEW, 64, 154, "ja"), 200).split())  # it wraps
    assert "要確認でない90件のうち、抜き取りの判定は7件で、20件必要です。" in japanese
    assert "--audit0.32を付けた実行なら、ほぼ足ります" in japanese


def test_where_enough_was_drawn_the_rows_that_are_left_are_the_way_out(printed: Printed) -> None:
    shown = " ".join(printed(sized(FEW, 5, 17, audit=Audit(1.0)), 200).split())
    assert (
        "too few verdicts: 7 of 12 unflagged turns are in the sample and have a verdict, but 12"
        in shown
    )
    assert "judge the remaining rows" in shown


def test_where_equal_answers_were_drawn_once_a_larger_share_is_the_way_out(
    printed: Printed,
) -> None:
    rows = [PlannedAnswer(Sampled.AUDIT, 0.5, ((f"s{n}/calm/1", 1),)) for n in range(24)]
    twelve, more = (Audit(0.5, 1, ReviewPlan(tuple(rows[:n]))) for n in (12, 24))
    assert "run with --audit 1 for" in " ".join(
        printed(sized(FEW, 5, 100, audit=twelve), 200).split()
    )
    assert "judge the remaining rows" in " ".join(
        printed(sized(FEW, 5, 100, audit=more), 200).split()
    )


def test_verdicts_in_too_few_scenarios_are_said_to_be_so(printed: Printed) -> None:
    together = CorrectedScore(Interval(None), 50, 25)
    assert "they are from fewer than 5 scenarios" in " ".join(
        printed(sized(together, 25, 90), 200).split()
    )


def test_a_run_without_verdicts_has_no_such_line(printed: Printed) -> None:
    assert "Corrected" not in printed(with_corrected(None))


def test_json_has_it_or_null() -> None:
    assert {
        "mean": 0.64,
        "low": 0.55,
        "high": 0.73,
        "n": 77,
        "audited": 21,
        "lambda": 0.6,
    } == as_json(run_json(with_corrected(KNOWN)))["score_corrected"]
    assert as_json(run_json(with_corrected(FEW)))["score_corrected"] is None
    assert as_json(run_json(with_corrected(None)))["score_corrected"] is None
