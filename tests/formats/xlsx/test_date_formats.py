import pytest

from simulator.formats.xlsx.number_formats import number_format


@pytest.mark.parametrize(
    ("code", "number", "expected"),
    [
        ("yyyy/m/d", "46327", "2026/11/1"),
        ("yyyy\\-mm\\-dd;@", "46327", "2026-11-01"),
        ('m"月"d"日"', "46327", "11月1日"),
        ('yyyy"年"m"月"d"日"\\(aaa\\)', "46327", "2026年11月1日(日)"),
        ('[$-411]ggge"年"m"月"d"日"', "46327", "令和8年11月1日"),
        ("[$-411]ge.m.d", "43585", "H31.4.30"),
        ("yyyy/m/d h:mm", "46327.39583333334", "2026/11/1 9:30"),
        ("h:mm", "0.3958333333333333", "9:30"),
        ("h:mm:ss", "0.99999999", "0:00:00"),
        ("h:mm AM/PM", "0.5625", "1:30 PM"),
        ("h:mm AM/PM", "0", "12:00 AM"),
        ("mm:ss", "0.01", "14:24"),
        ("[h]:mm", "1.25", "30:00"),
        ("[mm]:ss", "0.05", "72:00"),
        ("yy.mm.dd", "46327", "26.11.01"),
        ("d-mmm-yy", "46327", "1-Nov-26"),
        ("[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy", "46327", "Sunday, November 01, 2026"),
        ("yyyy-mm-dd", "1", "1900-01-01"),
        ("yyyy-mm-dd", "61", "1900-03-01"),
        ("yyyy-mm-dd", "2958465", "9999-12-31"),
    ],
)
def test_a_date_is_shown_in_its_format(code: str, number: str, expected: str) -> None:
    assert expected == number_format(164, code)(number)


@pytest.mark.parametrize("number", ["-1", "2958466", "1e300"])
def test_a_day_that_no_calendar_has_is_refused(number: str) -> None:
    with pytest.raises(ValueError):
        number_format(14)(number)
