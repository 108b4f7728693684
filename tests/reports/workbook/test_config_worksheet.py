"""Config: a threshold for each metric, and what shows that somebody edited one."""

from typing import Any

import pytest

from simulator.core.outcome import MetricInfo
from simulator.core.persona import Language
from simulator.formats.tables import Record
from simulator.reports._workbook.config_worksheet import config, edited, threshold
from simulator.sheet.book import SheetCell
from tests.judging.made import OVERALL, header

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
    assert [("overall", 0.7, 0.7), ("gpt_groundedness", None, None)] == [
        tuple(row[:3]) for row in sheet.rows()
    ]
    assert [False, True, False, False] == [column.people for column in sheet.columns]


@pytest.mark.parametrize(
    ("language", "score", "other"),
    [
        ("en", "colours Review and Summary", "its mean on Summary, and nothing on Review"),
        ("ja", "Review と Summary に色が付きます", "Summary の平均だけで、Review は変わりません"),
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
    assert ["overall 0.6"] == list(edited(records(language, overall="0.6")))
    assert ["overall"] == list(edited(records(language, overall="")))
    assert ["gpt_groundedness 0.5"] == list(edited(records(language, gpt_groundedness="0.5")))
    assert [] == list(edited([]))
