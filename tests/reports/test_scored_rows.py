"""The report of scored answers: rows of a file, and people's verdicts beside the metrics."""

from dataclasses import replace
from typing import Any

from simulator.console.output import as_json
from simulator.core.outcome import Interval, Score
from simulator.core.run import Run, RunHeader
from simulator.core.verdict import Separation, VerdictSummary, Word
from simulator.view.run_json import run_json, turn_json
from tests.execution.scored import LEXICAL, OVERALL, episode, header, rated, run, turn
from tests.reports.printed import Printed

VERDICTS = VerdictSummary(8, 5, 2, {"lexical": Separation(Interval(0.75, 0.5, 0.9), 8, 5)})


def rows_header(**changes: Any) -> RunHeader:
    return header(
        kind="score",
        of="answers.csv",
        options={"file": "/somewhere/answers.csv"},
        snapshot={"file.sha": "0123456789abcdef"},
        metrics=(LEXICAL,),
        thresholds={},
        score_by="lexical",
        **changes,
    )


def rows(count: int, **changes: Any) -> Run:
    found = [
        episode(
            turn(
                Score(n / count, n / count, f"comment {n}"),
                metric="lexical",
                flagged=False,
                flags=(),
            ),
            scenario=f"row-{n + 2}",
            persona="-",
        )
        for n in range(count)
    ]
    return run(rows_header(planned=count, **changes), *found)


def test_two_thousand_rows_are_ten_lines_and_no_heat_map(printed: Printed) -> None:
    shown = printed(rows(2_000))
    assert "2,000 answers of answers.csv (SHA-256 0123456789ab)" in shown
    assert "Lowest lexical (bottom 10 of 2,000 answers)" in shown
    assert " 1  row-2   0.00" in shown
    assert "comment 0" in shown
    assert "in this scenario" not in shown
    assert "by scenario and persona" not in shown
    assert "turns" not in shown
    assert len(shown.splitlines()) < 80


def test_the_lowest_rows_are_not_marked_as_flagged(printed: Printed) -> None:
    assert "! bot" not in printed(rows(5))


def test_a_metric_with_a_threshold_shows_what_is_under_it(printed: Printed) -> None:
    low = turn(Score(0.2, 0.2), metric="lexical", flagged=True, flags=("lexical",))
    made = run(replace(rows_header(), thresholds={"lexical": 0.5}), episode(low, persona="-"))
    assert "Flagged turns, worst first (1 of 1, in " in printed(made)


def test_where_nothing_is_flagged_the_words_say_what_was_looked_at(printed: Printed) -> None:
    fine = turn(Score(1.0, 1.0), metric="lexical")
    made = run(rows_header(language="ja"), episode(fine, persona="-"))
    assert "しきい値の設定はなく、語句の点数が 1 を下回る回答もありません。" in printed(made)
    assert "要確認        1 件のうち 0 件  しきい値なし" in printed(made)
    watched = replace(rows_header(), thresholds={"lexical": 0.5})
    shown = printed(run(watched, episode(fine, persona="-")))
    assert "No answer is below its threshold." in shown
    assert "No flagged turns" not in shown


def test_verdicts_stand_beside_the_means(printed: Printed) -> None:
    made = rows(20)
    shown = printed(replace(made, summary=replace(made.summary, verdicts=VERDICTS)))
    assert "OK 8, NG 5, unsure 2" in shown
    assert "0.75 (0.50–0.90)" in shown
    assert "AUC: probability that a metric scores an OK answer above an NG one" in shown


def test_a_run_that_is_judged_again_says_so(printed: Printed) -> None:
    made = run(header(kind="rejudge", of="a1b2c3d4"), episode(turn(rated(4))))
    assert "run a1b2c3d4 rescored" in printed(made)


def test_an_unfinished_run_is_gone_on_with_by_its_own_command(printed: Printed) -> None:
    made = run(rows_header(planned=5), episode(turn(rated(4)), persona="-"), unfinished=4)
    assert "mogi score --resume 3f9ab2c1 " in printed(made)


def test_json_has_the_verdicts_and_how_metrics_go_with_them() -> None:
    made = rows(3)
    found = as_json(run_json(replace(made, summary=replace(made.summary, verdicts=VERDICTS))))
    assert ("score", "answers.csv") == (found["kind"], found["of"])
    assert {"ok": 8, "ng": 5, "unsure": 2} == found["verdicts"]
    assert {"mean": 0.75, "low": 0.5, "high": 0.9, "ok": 8, "ng": 5} == (
        found["metrics"]["lexical"]["auc"]
    )
    assert {"ok": 0, "ng": 0, "unsure": 0} == as_json(run_json(made))["verdicts"]
    assert "auc" not in as_json(run_json(made))["metrics"]["lexical"]


def test_a_turn_has_its_verdict_and_its_parts() -> None:
    parts = turn(Score(0.5, 0.5, "", {"precision": 0.25}), metric="lexical")
    made = episode(parts)
    line = as_json(turn_json(header(metrics=(OVERALL,)), made, made.turns[0], Word.NG))
    assert "NG" == line["verdict"]
    assert {"value": 0.5, "raw": 0.5, "comment": "", "parts": {"precision": 0.25}} == (
        line["scores"]["lexical"]
    )
    assert as_json(turn_json(header(), made, made.turns[0]))["verdict"] is None


def test_the_parts_of_scores_stand_under_the_table_with_their_means_and_counts(
    printed: Printed,
) -> None:
    found = [
        episode(
            turn(Score(0.5, 0.5, "", parts), metric="lexical", flagged=False, flags=()),
            scenario=f"row-{n}",
            persona="-",
        )
        for n, parts in enumerate(({"precision": 0.5}, {"precision": 1.0, "recall": 0.25}))
    ]
    scored = run(rows_header(planned=2), *found)
    assert "lexical: precision 0.75, recall 0.25 (n = 1–2)" in printed(scored)
    talks = replace(scored, header=replace(scored.header, options={}))
    assert "precision" not in printed(talks)
