"""Config: a threshold for each metric, and what shows that somebody edited one."""

from dataclasses import replace
from typing import Any

import pytest

from simulator.core.outcome import MetricInfo
from simulator.core.persona import Language
from simulator.core.plan import ReviewSpec
from simulator.formats.tables import Record
from simulator.reports._workbook.config_worksheet import (
    config,
    edited,
    guide,
    threshold,
)
from simulator.view.worst import metric_names
from simulator.worksheets.book import SheetCell
from simulator.worksheets.columns import error_types
from tests.execution.scored import OVERALL, header

OTHER = MetricInfo("gpt_groundedness", "Groundedness")


def records(language: Language, **changes: str) -> list[Record]:
    """The worksheet as it is read back, with some thresholds changed."""
    sheet = config(header(language=language, metrics=(OTHER, OVERALL)))
    heads: list[Any] = [column.head for column in sheet.columns]
    rows = [heads, *map(list, sheet.rows())]
    for row in rows[1:]:
        row[1] = changes.get(str(row[0]), row[1])
    return [
        Record(n, {at: str(v) for at, v in enumerate(row) if v not in (None, "")})
        for n, row in enumerate(rows, 1)
    ]


def test_the_runs_score_stands_first() -> None:
    sheet = config(header(metrics=(OTHER, OVERALL)), " 3f9ab2c1")
    assert "Config 3f9ab2c1" == sheet.title
    assert [("Overall", 0.7, 0.7), ("Groundedness", None, None)] == [
        tuple(row[:3]) for row in sheet.rows()
    ]
    assert [False, True, False, False] == [column.people for column in sheet.columns]


@pytest.mark.parametrize(
    ("language", "score", "other"),
    [
        ("en", "colors on the Review and Summary", "only its mean on the Summary"),
        ("ja", "Review と Summary に色が付きます", "Summary の平均の色だけです"),
    ],
)
def test_without_a_threshold_it_is_said_what_a_number_would_do(
    language: Language, score: str, other: str
) -> None:
    sheet = config(header(language=language, metrics=(OTHER, OVERALL), thresholds={}))
    first, second = (str(row[3]) for row in sheet.rows())
    assert (True, True) == (score in first, other in second)


def test_a_threshold_follows_the_row_of_its_metric() -> None:
    head = header(metrics=(OTHER, OVERALL))
    assert SheetCell(0.7, "='Config'!$B$2") == threshold(head, "overall")
    assert SheetCell(None, "='Config x'!$B$3") == threshold(head, "gpt_groundedness", " x")
    assert "=IF(ISNUMBER('Config'!$B$2),'Config'!$B$2,\"\")" == (
        threshold(head, "overall", blank=True).formula
    )


def test_what_is_no_metric_of_the_run_follows_nothing() -> None:
    assert SheetCell(0.5) == threshold(header(thresholds={"gone": 0.5}), "gone")


@pytest.mark.parametrize("language", ["ja", "en"])
def test_an_edited_threshold_is_noticed(language: Language) -> None:
    assert [] == list(edited(records(language)))
    assert ["Overall 0.6"] == list(edited(records(language, Overall="0.6")))
    assert ["Overall"] == list(edited(records(language, Overall="")))
    assert ["Groundedness 0.5"] == list(edited(records(language, Groundedness="0.5")))
    assert [] == list(edited([]))


def test_metrics_of_one_title_are_told_apart() -> None:
    named = metric_names(header(metrics=(OVERALL, OTHER, replace(OTHER, name="own"))))
    assert ["Overall", "Groundedness (gpt_groundedness)", "Groundedness (own)"] == [*named.values()]


@pytest.mark.parametrize("language", ["ja", "en"])
def test_the_guide_says_what_ok_means_and_names_each_error_type_with_an_example(
    language: Language,
) -> None:
    rows = list(guide(header(language=language)).rows())
    told = {row[0]: row for row in rows}
    assert {"OK", "NG", {"ja": "分からない", "en": "unsure"}[language]} <= set(told)
    assert len(rows) == len(told)  # a row is known by its first cell
    assert all(told[name][2] for name in error_types(language).values())
    assert any("audit" in str(row[1]) or "抜き取り" in str(row[1]) for row in rows)


def test_the_guide_has_the_clients_policy_in_place_of_ours() -> None:
    spec = ReviewSpec("Polite and right is OK.", blind=True)
    told = {row[0]: row[1] for row in guide(header(review=spec)).rows()}
    assert "Polite and right is OK." == told["What counts as OK"]
    assert "Almost correct" not in told
    assert ("Scores are hidden" in told, "Where to start" in told) == (True, False)
