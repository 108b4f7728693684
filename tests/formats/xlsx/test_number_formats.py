import pytest
from hypothesis import given
from hypothesis import strategies as st

from simulator.formats.xlsx.number_formats import general, number_format

ACCOUNTING = '_ * #,##0_ ;_ * \\-#,##0_ ;_ * "-"_ ;_ @_ '


@pytest.mark.parametrize(
    ("code", "number", "expected"),
    [
        ("0%", "0.85", "85%"),
        ("0.0%", "0.855", "85.5%"),
        ('#,##0"円"', "1480", "1,480円"),
        ("#,##0", "1234567", "1,234,567"),
        ("#,##0,", "1234567", "1,235"),
        ('#,##0.0,,"M"', "1234567", "1.2M"),
        ("0.,", "1500", "2"),
        ('"Yes";"Yes";"No"', "1", "Yes"),
        ('"Yes";"Yes";"No"', "0", "No"),
        ('[=1]"男";[=2]"女";"他"', "2", "女"),
        ('[=1]"男";[=2]"女";"他"', "3", "他"),
        (";;;", "5", "5"),
        ("000", "7", "007"),
        ("000-0000", "1500001", "150-0001"),
        ("[<=999]000;[<=9999]000-00;000-0000", "1500001", "150-0001"),
        ("[<=999]000;[<=9999]000-00;000-0000", "600", "600"),
        ("[<=99999999]####-####;\\(00\\)\\ ####-####", "312345678", "(03) 1234-5678"),
        ("[>100]0;[>10]0.0", "5", "5"),
        ('"¥"#,##0;[Red]"¥"\\-#,##0', "-1480", "¥-1,480"),
        ("[$¥-411]#,##0", "12345", "¥12,345"),
        ("#,##0_);(#,##0)", "-1480", "(1,480)"),
        ("0.00", ".125", "0.13"),
        ("0.00", "-.125", "-0.13"),
        ("0.##", "2", "2"),
        ("#", "0", ""),
        (ACCOUNTING, "0", "-"),
        (ACCOUNTING, "5000", "5,000"),
        ('General"件"', "3", "3件"),
        ("# ?/?", "0.5", "0.5"),
        ("0.00E+00", "12345", "12345"),
        ("@", "5", "5"),
        ("0;@", "-1.5", "-1.5"),
        ("[>100]0;0.0", "5", "5.0"),
        ("", "5", "5"),
    ],
)
def test_a_number_is_shown_in_its_format(code: str, number: str, expected: str) -> None:
    assert expected == number_format(164, code)(number)


@pytest.mark.parametrize(
    ("id_", "number", "expected"),
    [
        (0, "1.0", "1"),
        (1, "1.5", "2"),
        (9, "0.85", "85%"),
        (14, "46327", "2026-11-01"),
        (22, "46327.5", "2026-11-01 12:00"),
        (49, "7", "7"),
        (57, "46327", "2026-11-01"),
    ],
)
def test_the_formats_that_files_only_number_are_known(id_: int, number: str, expected: str) -> None:
    assert expected == number_format(id_)(number)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("1", "1"),
        ("1.0", "1"),
        ("-0", "0"),
        ("1E3", "1000"),
        ("0.30000000000000004", "0.3"),
        ("1.5E-7", "0.00000015"),
        ("1E+20", "100000000000000000000"),
        ("123456789012345678", "123456789012346000"),
    ],
)
def test_a_number_without_a_format_has_15_digits_and_no_point_zero(
    written: str, expected: str
) -> None:
    assert expected == general(written)


@pytest.mark.parametrize("written", ["x", "nan", "inf", "1e999", ""])
def test_what_is_no_number_is_refused(written: str) -> None:
    with pytest.raises(ValueError):
        general(written)


@given(st.integers(-(10**14), 10**14))
def test_whole_numbers_are_shown_whole(number: int) -> None:
    assert str(number) == general(str(number)) == general(f"{number}.0")
    assert f"{number:,}" == number_format(3)(str(number))


@given(st.text(alphabet='#0?,.%"\\;[]_*E+-/@gGeyYmdhs円 General', max_size=12))
def test_any_format_shows_something_or_nothing(code: str) -> None:
    assert isinstance(number_format(164, code)("46327.25"), str)
