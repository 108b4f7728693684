"""The corrected score beside the raw one, on the screen and in JSON."""

from dataclasses import replace

from simulator.core.run import CorrectedScore, Interval, Run
from simulator.reports._figures import run_json
from tests.judging.made import episode, header, rated, run, turn
from tests.reports.printed import Printed

KNOWN = CorrectedScore(Interval(0.64, 0.55, 0.73), 77, 21, 0.6)
FEW = CorrectedScore(Interval(None), 12, 7)


def with_corrected(found: CorrectedScore | None, language: str = "en") -> Run:
    made = run(header(language=language), episode(turn(rated(4))))
    return replace(made, summary=replace(made.summary, corrected=found))


def test_it_stands_below_the_score_with_its_interval(printed: Printed) -> None:
    score, corrected, why, *_ = printed(with_corrected(KNOWN), 80).splitlines()[3:]
    assert score.startswith("Score ")
    assert "Corrected  0.64   95 % 0.55–0.73" == corrected
    assert "by 77 verdicts (21 drawn at random): share people would call OK" == why.strip()


def test_in_japanese_too(printed: Printed) -> None:
    shown = printed(with_corrected(KNOWN, "ja"), 80)
    assert "補正後  0.64   95 % 区間 0.55–0.73\n" in shown
    assert "人が OK とする回答の割合の推定（判定 77 件、うち無作為抽出 21 件）" in shown


def test_too_few_verdicts_say_how_many_it_takes(printed: Printed) -> None:
    shown = printed(with_corrected(FEW), 120)
    assert "too few verdicts: 5 on flagged turns, 7 drawn at random; 20 of each" in shown


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
    } == run_json(with_corrected(KNOWN))["score_corrected"]
    assert run_json(with_corrected(FEW))["score_corrected"] is None
    assert run_json(with_corrected(None))["score_corrected"] is None
