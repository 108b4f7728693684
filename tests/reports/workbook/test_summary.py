"""Summary: figures with what limits them, metrics, and a heat map that follows Config."""

from dataclasses import replace
from typing import Any

import pytest

from simulator.core.outcome import Interval, Score
from simulator.core.persona import Language
from simulator.core.plan import Gate
from simulator.core.run import Run
from simulator.core.verdict import CorrectedScore, Verdict, VerdictSummary, Word
from simulator.reports._workbook import book_of
from simulator.worksheets.book import SheetCell, Worksheet
from tests.execution.scored import GAP, episode, failed, header, run, turn
from tests.reports.printed import FINE, WEAK, mixed, wide
from tests.reports.test_scored_rows import VERDICTS, rows
from tests.reports.workbook.made import judged_by_people, titled, values


def summary_of(made: Run, suffix: str = "") -> Worksheet:
    return titled(book_of(made, suffix=suffix))[f"Summary{suffix}"]


def shown(made: Run) -> list[list[Any]]:
    return [values(row) for row in summary_of(made).rows()]


def below(found: list[list[Any]], first: str) -> list[list[Any]]:
    """The rows below the one that begins so, up to an empty one."""
    start = next(n for n, row in enumerate(found) if row and row[0] == first) + 1
    end = next((n for n in range(start, len(found)) if not found[n]), len(found))
    return found[start:end]


def cell(sheet: Worksheet, reference: str) -> Any:
    """The cell that a formula names, such as `$B$12`."""
    row = list(sheet.rows())[int(reference.split("$")[2]) - 1]
    return row[ord(reference[1]) - ord("A")]


def test_the_figures_stand_with_all_that_limits_them() -> None:
    found = {row[0]: row[1] for row in shown(mixed(gate=Gate(0.5))) if len(row) == 2 and row[0]}
    assert found["Score"].startswith("0.77 (Overall, rating 3.83)")
    assert found["Range"].startswith("0.53–0.62")
    missing = "5 of 7 turns (no score: judge response unreadable 1 · bot error 1)"
    assert f"{missing} most frequent: no JSON" == " ".join(found["Scored"].split())
    assert "score of 0.5 or more: passed" == found["Gate"]


def test_answers_on_which_people_differ_are_listed_with_what_everybody_says() -> None:
    said = [
        Verdict("parcel/calm/1", 1, Word.OK, "Sato"),
        Verdict("parcel/calm/1", 1, Word.NG, "Ito", comment="no price"),
        Verdict("parcel/calm/1", 2, Word.OK, "Sato"),
        Verdict("parcel/calm/1", 2, Word.NG, "Ito"),
        Verdict("parcel/calm/1", 2, None, "Ito"),  # who took it back
        Verdict("parcel/angry/1", 1, Word.OK, "Sato"),  # the same answer
        Verdict("parcel/angry/1", 1, Word.NG, "Ito"),
    ]
    talks = [episode(WEAK, FINE, persona=persona) for persona in ("calm", "angry")]
    made = judged_by_people(header(), said, *talks)
    judged = replace(made.summary, verdicts=VerdictSummary(1, 0, 1, {}))
    heading = "Reviewers disagree on 1 answer: undecided until they agree"
    assert [
        ["parcel · calm · turn 1: How much?"],
        ["Sato", "OK", None],
        ["Ito", "NG", "no price"],
    ] == below(shown(replace(made, summary=judged)), heading)
    assert not [row for row in shown(made) if row and str(row[0]).startswith("People differ")]


def test_the_corrected_score_stands_below_the_score() -> None:
    made = mixed()
    corrected = CorrectedScore(Interval(0.64, 0.55, 0.73), 77, 21, 0.6)
    found = shown(replace(made, summary=replace(made.summary, corrected=corrected)))
    place = next(n for n, row in enumerate(found) if row and row[0] == "Score")
    assert [
        ["Corrected", "0.64   95% CI 0.55–0.73"],
        [
            "",
            "from 77 verdicts (21 randomly sampled): share of answers that reviewers would call OK",
        ],
    ] == found[place + 1 : place + 3]


def test_reviewers_read_of_an_execution_and_not_of_a_run_in_japanese() -> None:
    made = run(header(language="ja", kind="rejudge", of="1a2b3c4d"), episode(FINE))
    first = " ".join(str(line[0]) for line in shown(made)[:5] if line)
    assert "実行 3f9ab2c1" in first
    assert "実行 1a2b3c4d を採点し直したもの" in first


def test_a_metric_has_its_mean_with_n_scored_and_gaps() -> None:
    heads, (metric, *_) = (
        next(row for row in shown(mixed()) if row and row[0] == "metric"),
        below(shown(mixed()), "metric"),
    )
    found = dict(zip(heads, metric, strict=True))
    assert ("Overall", 5, 2, 0.7, 2) == tuple(
        found[name] for name in ("metric", "scored", "missing", "threshold", "flagged")
    )
    assert found["mean"] == pytest.approx(0.7667, abs=1e-4)


def test_columns_that_would_be_empty_are_left_out() -> None:
    def heads(made: Run) -> list[Any]:
        return next(row for row in shown(made) if row and row[0] == "metric")

    plain = rows(20)
    assert "rating" in heads(mixed())
    assert {"rating", "AUC"}.isdisjoint(heads(plain))
    judged = replace(plain, summary=replace(plain.summary, verdicts=VERDICTS))
    assert "AUC" == heads(judged)[-1]


def test_the_heat_map_has_numbers_that_its_rules_colour_by_config() -> None:
    made = run(header(), episode(WEAK), episode(FINE, persona="angry"))
    sheet = summary_of(made, " 3f9ab2c1")
    found = [values(row) for row in sheet.rows()]
    names = next(row for row in found if row == [None, "calm", "angry", "all"])
    place = found.index(names)
    assert [["parcel", 0.4, 1.0, 0.7], ["all", 0.4, 1.0, 0.7]] == found[place + 1 : place + 3]
    heat = [rule for rule in sheet.rules if rule.first_row == place + 1]
    assert {(place + 1, place + 2, 1, 3)} == {
        (r.first_row, r.last_row, r.first_column, r.last_column) for r in heat
    }
    limit = f"$B${place}"
    assert all(f"IF(ISNUMBER({limit}),{limit},0.5)" in rule.formula for rule in heat)
    formula = "=IF(ISNUMBER('Config 3f9ab2c1'!$B$2),'Config 3f9ab2c1'!$B$2,\"\")"
    assert SheetCell(0.7, formula) == cell(sheet, limit)


def test_a_cell_says_in_a_note_what_is_flagged_or_missing_there() -> None:
    sheet = summary_of(run(header(), episode(WEAK), episode(FINE, persona="angry")))
    notes = [c.note for row in sheet.rows() for c in row if isinstance(c, SheetCell) and c.note]
    assert (
        "conversations: 1 · failed: 1 · undecided: 0 · flagged turns: 1 · turns without a score: 0"
    ) in notes


def test_what_failed_and_has_no_score_is_coloured_whatever_config_says() -> None:
    sheet = summary_of(run(header(), episode(FINE), episode(failed(), persona="angry")))
    cells = [c for row in sheet.rows() for c in row if isinstance(c, SheetCell)]
    dashes = [c for c in cells if str(c.value).startswith("–")]
    assert ["– ✗", "– ✗1"] == [c.value for c in dashes]
    assert all(c.fill for c in dashes)


def test_a_mark_stands_beside_a_number_that_stays_one() -> None:
    sheet = summary_of(run(header(), episode(WEAK), episode(turn(GAP), persona="angry")))
    cells = [c for row in sheet.rows() for c in row if isinstance(c, SheetCell)]
    marked = [(c.value, c.form) for c in cells if "✗" in c.form or "?" in c.form]
    assert (0.4, '0.00" ✗"') in marked
    assert all(isinstance(value, float) for value, _ in marked)


def test_rows_of_a_file_have_no_heat_map() -> None:
    sheet = summary_of(rows(30))
    assert not any("by scenario and persona" in str(v) for row in shown(rows(30)) for v in row)
    assert 1 == len(sheet.rules)


@pytest.mark.parametrize("language", ["ja", "en"])
def test_nothing_at_all_is_shown_too(language: Language) -> None:
    found = shown(run(header(language=language)))
    assert any("点数がありません" in str(row) or "no scores" in str(row) for row in found)


def test_many_personas_each_have_a_column() -> None:
    sheet = summary_of(wide(33, 4))
    assert 35 == len(sheet.columns)
    assert 35 == max(len(row) for row in sheet.rows())


def test_a_score_without_threshold_is_coloured_at_the_middle() -> None:
    low = turn(Score(0.2, 0.2), flags=(), flagged=False)
    sheet = summary_of(run(header(thresholds={}), episode(low)))
    limits = [c for row in sheet.rows() for c in row if isinstance(c, SheetCell) and c.formula]
    assert {None} == {c.value for c in limits}
    assert any(",0.5)" in rule.formula for rule in sheet.rules)
